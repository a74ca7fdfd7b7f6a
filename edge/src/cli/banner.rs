//! What `edge serve` prints once it listens: addresses, and for a sample restaurant its accounts and three commands that
//! work when pasted. Never prints a password anybody chose.

use super::Out;
use crate::db::{self, Db, Source, list, opt};
use crate::lan::tls::Keeper;
use crate::lan::{Reach, addresses};
use crate::resources::auth::rules::SAMPLE_PASSWORD;
use std::net::{IpAddr, Ipv4Addr, SocketAddr};
use tiffin_common::Uuid;

/// The addresses a browser can use, the one of this machine first.
pub(super) fn addresses(bound: SocketAddr) -> Vec<String> {
    let url = |ip: IpAddr| format!("http://{}", SocketAddr::new(ip, bound.port()));
    if bound.ip().is_unspecified() {
        std::iter::once(IpAddr::V4(Ipv4Addr::LOCALHOST)).chain(addresses::main()).map(url).collect()
    } else {
        vec![url(bound.ip())]
    }
}

/// What there is to say about a sample restaurant.
struct Sample {
    accounts: Vec<(String, String)>,
    dish: Option<(Uuid, i64)>,
}

/// Writes everything.
pub(super) fn print(
    out: Out<'_>,
    bound: SocketAddr,
    reach: &Reach,
    keeper: Option<&Keeper>,
    db: &Db,
) -> std::io::Result<()> {
    let addresses = addresses(bound);
    writeln!(out, "Tiffin is open at {}", addresses.join(" and "))?;
    let address = reach.address();
    if !addresses.contains(&address) {
        writeln!(out, "Clients reach it at {address}")?;
    }
    if let (Some(keeper), Some(secure)) = (keeper, reach.secure()) {
        safely(out, keeper, reach, &secure)?;
    }
    if !reach.is_this_machine_only() {
        writeln!(out, "A sheet for tablets, to print: {}/sheet", reach.plain())?;
    }
    let here = addresses.first().cloned().unwrap_or_default();
    writeln!(out, "The API is described at {here}/docs")?;
    match db.read_blocking(sample) {
        Ok(sample) if !sample.accounts.is_empty() => describe(out, &here, &sample),
        Ok(_) => Ok(()),
        Err(error) => {
            tracing::warn!(%error, "the accounts could not be listed");
            Ok(())
        }
    }
}

/// How tablets call it over TLS.
fn safely(out: Out<'_>, keeper: &Keeper, reach: &Reach, secure: &str) -> std::io::Result<()> {
    let until = keeper.card().until.to_string();
    let until = until.split('T').next().unwrap_or_default();
    if keeper.is_given() {
        return writeln!(out, "With TLS at {secure}, by the given certificate, valid until {until}");
    }
    writeln!(
        out,
        "With TLS at {secure}; tablets install its certificate from {}/certificate",
        reach.plain()
    )?;
    match keeper.authority() {
        Some(authority) => writeln!(out, "  SHA-256 {}", authority.fingerprint),
        None => Ok(()),
    }
}

fn sample(conn: &dyn Source) -> db::Result<Sample> {
    const ACCOUNTS: &str = "SELECT email, role FROM accounts
        WHERE email LIKE '%@sample.test' AND is_active = 1 ORDER BY email";
    const DISH: &str = "SELECT id, price_cents FROM menu_items i
        WHERE is_active = 1 AND archived_at IS NULL AND variant_of_id IS NULL AND available_from IS NULL AND available_days IS NULL
          AND NOT EXISTS (SELECT 1 FROM menu_items v WHERE v.variant_of_id = i.id AND v.archived_at IS NULL)
          AND NOT EXISTS (SELECT 1 FROM menu_item_modifier_groups g WHERE g.menu_item_id = i.id) ORDER BY id LIMIT 1";
    let accounts = list(conn, ACCOUNTS, [], |row| Ok((row.get(0)?, row.get(1)?)))?;
    let dish = opt(conn, DISH, [], |row| Ok((row.get(0)?, row.get(1)?)))?;
    Ok(Sample { accounts, dish })
}

fn describe(out: Out<'_>, here: &str, sample: &Sample) -> std::io::Result<()> {
    let password = SAMPLE_PASSWORD;
    writeln!(out, "\nThis is the sample restaurant. Its accounts, all with the password {password} (unless")?;
    writeln!(out, "--sample-password said otherwise); the employees' PINs are 1001 to 1012:")?;
    for (email, role) in &sample.accounts {
        writeln!(out, "  {email:28} {role}")?;
    }
    let login = format!(
        "TOKEN=$(curl -s {here}/api/v1/auth/login -H 'content-type: application/json' \
         -d '{{\"email\":\"owner@sample.test\",\"password\":\"{password}\"}}' \
         | sed 's/.*\"accessToken\":\"\\([^\"]*\\)\".*/\\1/')"
    );
    writeln!(out, "\nTry it: sign in, read the menu, place an order:\n{login}")?;
    writeln!(out, "curl -s {here}/api/v1/menu -H \"authorization: Bearer $TOKEN\"")?;
    if let Some((id, price)) = sample.dish {
        let order = format!(
            r#"{{"orderType":"COUNTER","items":[{{"menuItemId":"{id}","quantity":1,"unitPriceCents":{price}}}]}}"#
        );
        writeln!(
            out,
            "curl -s {here}/api/v1/orders -H \"authorization: Bearer $TOKEN\" -H 'content-type: application/json' -d '{order}'"
        )?;
    }
    writeln!(out)?;
    out.flush()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_server_on_all_addresses_is_named_by_ones_that_can_be_called() {
        let all = addresses("0.0.0.0:8080".parse().unwrap());
        assert_eq!(all.first().map(String::as_str), Some("http://127.0.0.1:8080"));
        assert!(all.iter().all(|url| !url.contains("0.0.0.0:")));
        assert_eq!(addresses("[::1]:80".parse().unwrap()), ["http://[::1]:80"]);
    }
}
