//! What may be wrong with a head office, and what to do about it. Works while it serves and while it does not; what a head office and
//! a branch have in common is looked at by the branch's own doctor. Never changes anything.

mod contacts;
mod nights;
mod sqlite;

use crate::config::Config;
use crate::registry::nights::Nights;
use crate::secrets;
use crate::store::postgres::{self, Look};
use edge::db::{Env, Room};
use edge::doctor::network::{Port, examine as examine_port, look};
use edge::doctor::{Finding, Report, backups, certificate, clock, database, disk, rights, service};
use edge::keep::space::DiskOf;
use std::time::Duration;
use tiffin_common::Millis;

/// The oldest PostgreSQL whose words the views are written in.
const OLDEST: u32 = 150_000;

/// How long the database may take to answer at all.
const PATIENCE: Duration = Duration::from_secs(20);

/// What a store told of itself.
#[derive(Default)]
struct Told {
    findings: Vec<Finding>,
    /// Stands for the secret it was made with.
    secret_check: Option<Vec<u8>>,
    /// The newest moment it has on record.
    newest: Option<Millis>,
    /// The clock of the database server minus this machine's, in milliseconds.
    clock_offset_ms: Option<i64>,
    /// PostgreSQL's version, and what is known there of the nightly backups.
    server: Option<u32>,
    nights: Option<Nights>,
}

/// Looks at the head office of `config`.
pub async fn examine(config: &Config, env: &Env) -> Report {
    let now = env.clock.now();
    let port = look(config.network.listen).await;
    let served = port == Port::Ours;
    let mut findings = service::examine("tiffin-hub", served);
    let told = match &config.store.database_url {
        Some(url) => {
            let settings = postgres::Settings::new(url.reveal());
            let found = tokio::time::timeout(PATIENCE, postgres::look(&settings)).await;
            judge_postgres(found.unwrap_or_else(|_| Err("it does not answer".into())), now)
        }
        None => sqlite::examine(&config.store.data_dir, now),
    };
    if config.store.database_url.is_none() {
        let folder = &config.store.data_dir;
        let room = Room::of(DiskOf::new(folder), config.room.0, config.room.1);
        findings.extend(disk::examine(folder, &room));
        findings.extend(rights::examine(folder, &["secrets", "tls"]));
    }
    findings.extend(told.findings);
    findings.push(secret(config, told.secret_check.as_deref()));
    findings.extend(match &told.nights {
        Some(nights) => nights::examine(config, nights, told.server, now),
        None => vec![backups::judge("backup", nights::own(config).as_ref(), now)],
    });
    findings.extend(config.backups.second.as_deref().map(|place| backups::judge_second(place, now)));
    findings.extend(examine_port(config.network.listen, served).await);
    findings.extend(certificate::examine(&config.network.tls, &config.store.data_dir, env));
    findings.extend(exposure(config));
    findings.extend(clock::examine(env, told.newest, told.clock_offset_ms));
    Report::of(findings)
}

/// Judges what PostgreSQL told.
fn judge_postgres(found: Result<Look, String>, now: Millis) -> Told {
    let silent =
        |finding| Told { findings: vec![finding], nights: Some(Nights::default()), ..Told::default() };
    let look = match found {
        Ok(look) => look,
        Err(why) => {
            let advice = "Is the server up, the address and password in database-url right, and does pg_hba.conf let this machine in? \
                          Try it by hand: psql \"$TIFFIN_HUB_DATABASE_URL\" -c 'select 1'";
            return silent(Finding::broken(
                "database",
                format!("PostgreSQL cannot be reached: {why}"),
                advice,
            ));
        }
    };
    let server = format!("PostgreSQL {}.{}", look.server / 10_000, look.server % 10_000);
    let mut findings = vec![if look.server < OLDEST {
        Finding::broken(
            "database",
            format!("{server} is too old"),
            "Move the database to PostgreSQL 15 or newer (pg_upgrade, or dump and load).",
        )
    } else {
        Finding::ok("database", format!("{server} answers; {} in all", disk::size(look.bytes)))
    }];
    findings.push(match look.schema {
        Some(version) if version > 0 => {
            database::judge_schema(version, tiffin_migrations::hub_postgres_schema_version())
        }
        _ => no_head_office(),
    });
    let newest = look.outlets.iter().filter_map(|(_, seen, _)| *seen).max().map(Millis::new);
    findings.extend(
        look.outlets
            .iter()
            .map(|(code, seen, waiting)| contacts::judge(code, seen.map(Millis::new), *waiting, now)),
    );
    let clock_offset_ms = Some(look.clock_ms.saturating_sub(now.get()));
    Told {
        findings,
        secret_check: look.secret_check,
        newest,
        clock_offset_ms,
        server: Some(look.server),
        nights: Some(look.nights),
    }
}

fn no_head_office() -> Finding {
    let advice = "Is it the right database? A new head office is made with: sync-hub init --admin-email you@example.com";
    Finding::broken("schema", "there is no head office in this database", advice)
}

/// Whether the secret is there, and the one that head office was made with.
fn secret(config: &Config, check: Option<&[u8]>) -> Finding {
    let restore = "Without it nobody stays signed in, and the PINs of replaced boxes cannot be given out: put it back from where it was \
                   copied to (secrets/hub-secret, or TIFFIN_HUB_SECRET).";
    match (secrets::look(&config.store), check) {
        (Err(error), _) => Finding::broken("secret", error.to_string(), restore),
        (Ok(None), Some(_)) => Finding::broken("secret", "it is gone", restore),
        (Ok(None), None) => Finding::warn(
            "secret",
            "there is none yet",
            "It is made at the first start, or by: sync-hub init",
        ),
        (Ok(Some(keys)), Some(check)) if keys.check != check => {
            Finding::broken("secret", "it is not the one that this head office was made with", restore)
        }
        (Ok(Some(_)), _) => Finding::ok("secret", "it is there. Keep a copy of it, apart from the backups"),
    }
}

/// Whether others can listen in.
fn exposure(config: &Config) -> Option<Finding> {
    let is_open = !config.network.listen.ip().is_loopback();
    (is_open && config.allow_plain_http).then(|| {
        let advice = "Put a proxy with TLS in front, or let head office speak TLS itself, and set allow-plain-http to no.";
        Finding::warn("tls", "anybody on the way can read what boxes and people send: plain HTTP is allowed", advice)
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use edge::doctor::Level;

    const NOW: Millis = Millis::new(1_795_000_000_000);

    fn level(told: &Told, check: &str) -> Level {
        told.findings
            .iter()
            .filter(|finding| finding.check == check)
            .map(|finding| finding.level)
            .max()
            .unwrap()
    }

    #[test]
    fn postgres_is_judged_by_its_answer() {
        let gone = judge_postgres(Err("connection refused".into()), NOW);
        assert_eq!(level(&gone, "database"), Level::Broken);
        let newest = tiffin_migrations::hub_postgres_schema_version();
        let look = |server, schema| Look { server, schema, clock_ms: NOW.get() + 5, ..Look::default() };
        let told = judge_postgres(Ok(look(150_004, Some(newest))), NOW);
        assert_eq!((level(&told, "database"), level(&told, "schema")), (Level::Ok, Level::Ok));
        assert_eq!(told.clock_offset_ms, Some(5));
        assert_eq!(level(&judge_postgres(Ok(look(140_010, Some(newest))), NOW), "database"), Level::Broken);
        assert_eq!(level(&judge_postgres(Ok(look(150_004, None)), NOW), "schema"), Level::Broken);
        assert_eq!(level(&judge_postgres(Ok(look(150_004, Some(newest - 1))), NOW), "schema"), Level::Warn);
        assert_eq!(level(&judge_postgres(Ok(look(150_004, Some(newest + 1))), NOW), "schema"), Level::Broken);
    }

    #[test]
    fn the_secret_must_be_the_one_it_was_made_with() {
        let folder = tempfile::tempdir().unwrap();
        let data = folder.path().to_str().unwrap();
        let with = |secret: &str| Config::with([("data-dir", data), ("secret", secret)]).unwrap();
        let mine = "ab".repeat(32);
        let check = secrets::look(&with(&mine).store).unwrap().unwrap().check;
        assert_eq!(secret(&with(&mine), Some(&check)).level, Level::Ok);
        assert_eq!(secret(&with(&"cd".repeat(32)), Some(&check)).level, Level::Broken);
        let none = Config::with([("data-dir", data)]).unwrap();
        assert_eq!(secret(&none, Some(&check)).level, Level::Broken);
        assert_eq!(secret(&none, None).level, Level::Warn);
        assert!(!folder.path().join("secrets").exists(), "nothing is made");
    }

    #[test]
    fn plain_http_for_others_is_warned_of() {
        let with = |listen: &str, plain: &str| {
            Config::with([("listen", listen), ("allow-plain-http", plain)]).unwrap()
        };
        assert_eq!(exposure(&with("0.0.0.0:8090", "yes")).unwrap().level, Level::Warn);
        assert_eq!(exposure(&with("0.0.0.0:8090", "no")), None);
        assert_eq!(exposure(&with("127.0.0.1:8090", "yes")), None);
    }
}
