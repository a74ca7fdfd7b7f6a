//! The backups of a head office on PostgreSQL, which any of several machines may have taken. Never takes one.

use crate::backup::{CODE, tools};
use crate::config::Config;
use crate::registry::nights::{Nights, Taken};
use edge::backup::{self, Backup, Kind, Reason};
use edge::doctor::{Finding, Level, backups};
use tiffin_common::Millis;

/// What is known of them here (the folder, the settings, the tools) and in the database, whose server is of version `server`.
pub(super) fn examine(config: &Config, nights: &Nights, server: Option<u32>, now: Millis) -> Vec<Finding> {
    let is_on = config.backups.at.0.is_some();
    let unable = is_on.then(|| tools::unable(server)).flatten();
    let mut findings = vec![newest(own(config), nights.taken.as_ref(), is_on, now)];
    if let Some((at, why)) = &nights.failed {
        let advice = "It is tried again every hour, by whichever machine of head office can.";
        findings.push(Finding::warn("nightly-backup", format!("failed at {at}: {why}"), advice));
    }
    findings.extend(unable.map(|why| {
        let advice = format!(
            "Until then this machine takes no backups. {}",
            "Where another machine of head office takes the nightly one, set backup-at to off here."
        );
        Finding::warn("pg_dump", why, advice)
    }));
    findings
}

/// The newest backup in this machine's folder.
pub(super) fn own(config: &Config) -> Option<Backup> {
    backup::newest(&backup::folder(&config.store.data_dir))
}

/// Judges the newer of what lies here and what any machine has taken at night.
fn newest(own: Option<Backup>, shared: Option<&Taken>, is_on: bool, now: Millis) -> Finding {
    let elsewhere = shared.filter(|taken| own.as_ref().is_none_or(|own| own.taken_at < taken.at));
    let newest = elsewhere.map(as_backup).or(own);
    let mut finding = backups::judge("backup", newest.as_ref(), now);
    if let Some(taken) = elsewhere {
        finding.found = format!("{}; it is on {}: {}", finding.found, taken.machine, taken.path);
    }
    if is_on || finding.level == Level::Ok {
        return finding;
    }
    let own = "see that PostgreSQL's own dumps or archived logs are there and can be put back";
    Finding::ok("backup", format!("backup-at is off: {own}"))
}

fn as_backup(taken: &Taken) -> Backup {
    Backup {
        path: taken.path.clone().into(),
        kind: Kind::Dump,
        code: CODE.to_owned(),
        reason: Reason::Nightly,
        taken_at: taken.at,
        bytes: taken.bytes,
        not_copied: None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const NOW: Millis = Millis::new(1_795_000_000_000);
    const HOUR: i64 = 3_600_000;

    fn taken(hours: i64) -> Taken {
        Taken { at: NOW.after(-hours * HOUR), machine: "hub2".into(), path: "/b".into(), bytes: 5 << 20 }
    }

    #[test]
    fn a_backup_counts_whichever_machine_has_taken_it() {
        let judged = |own: Option<i64>, shared: Option<i64>, is_on| {
            let own = own.map(|hours| as_backup(&taken(hours)));
            newest(own, shared.map(taken).as_ref(), is_on, NOW)
        };
        assert_eq!(judged(Some(90), Some(5), true).level, Level::Ok);
        assert!(judged(Some(90), Some(5), true).found.contains("it is on hub2: /b"));
        assert!(!judged(Some(4), Some(5), true).found.contains("hub2"));
        assert_eq!(judged(None, Some(40), true).level, Level::Warn);
        assert_eq!(judged(None, None, true).level, Level::Warn);
        assert_eq!(judged(Some(400), None, true).level, Level::Broken);
        let off = judged(None, Some(400), false);
        assert!(off.level == Level::Ok && off.found.contains("backup-at is off"), "{off:?}");
        assert!(judged(None, Some(3), false).found.contains("nightly"), "another process takes them");
    }
}
