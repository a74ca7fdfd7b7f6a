//! A head office on PostgreSQL, judged by what a look at it found. Never asks it itself.

use super::contacts;
use super::told::{StoreReport, no_head_office};
use crate::registry::look::Look;
use crate::registry::nights::Nights;
use edge::doctor::{Finding, database, disk};
use tiffin_common::Millis;

/// The oldest PostgreSQL whose words the views are written in.
const OLDEST: u32 = 150_000;

/// Judges what PostgreSQL told.
pub(super) fn judge(found: Result<Look, String>, now: Millis) -> StoreReport {
    let silent = |finding| StoreReport {
        findings: vec![finding],
        nights: Some(Nights::default()),
        ..StoreReport::default()
    };
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
    StoreReport {
        findings,
        secret_check: look.secret_check,
        newest,
        clock_offset_ms,
        server: Some(look.server),
        nights: Some(look.nights),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use edge::doctor::Level;

    const NOW: Millis = Millis::new(1_795_000_000_000);

    fn level(told: &StoreReport, check: &str) -> Level {
        told.findings
            .iter()
            .filter(|finding| finding.check == check)
            .map(|finding| finding.level)
            .max()
            .unwrap()
    }

    #[test]
    fn postgres_is_judged_by_its_answer() {
        let gone = judge(Err("connection refused".into()), NOW);
        assert_eq!(level(&gone, "database"), Level::Broken);
        let newest = tiffin_migrations::hub_postgres_schema_version();
        let look = |server, schema| Look { server, schema, clock_ms: NOW.get() + 5, ..Look::default() };
        let told = judge(Ok(look(150_004, Some(newest))), NOW);
        assert_eq!((level(&told, "database"), level(&told, "schema")), (Level::Ok, Level::Ok));
        assert_eq!(told.clock_offset_ms, Some(5));
        assert_eq!(level(&judge(Ok(look(140_010, Some(newest))), NOW), "database"), Level::Broken);
        assert_eq!(level(&judge(Ok(look(150_004, None)), NOW), "schema"), Level::Broken);
        assert_eq!(level(&judge(Ok(look(150_004, Some(newest - 1))), NOW), "schema"), Level::Warn);
        assert_eq!(level(&judge(Ok(look(150_004, Some(newest + 1))), NOW), "schema"), Level::Broken);
    }
}
