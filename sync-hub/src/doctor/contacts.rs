//! When each outlet's box was last heard of. Never calls one: boxes call.

use edge::doctor::Finding;
use tiffin_common::Millis;

const HOUR_MS: i64 = 3_600_000;

/// Hours of silence after which somebody should ask: longer than a night with the box switched off.
const SILENT_HOURS: i64 = 18;

/// Judges the outlet `code`, whose box was heard of at `seen` and had `waiting` rows to send.
pub(super) fn judge(code: &str, seen: Option<Millis>, waiting: Option<i64>, now: Millis) -> Finding {
    let Some(seen) = seen else {
        let advice = "Enrol its box: sync-hub enrol-code, then on the box: edge enroll";
        return Finding::warn("outlet", format!("{code} has never called"), advice);
    };
    let hours = now.since(seen) / HOUR_MS;
    let rows =
        waiting.filter(|rows| *rows > 0).map_or(String::new(), |rows| format!(", {rows} changes wait there"));
    if hours < SILENT_HOURS {
        return Finding::ok("outlet", format!("{code} was heard of at {seen}{rows}"));
    }
    let advice =
        "It may be closed, or without internet (then it sells on). Ask there; on its box: edge doctor";
    Finding::warn("outlet", format!("{code} has been silent for {hours} hours{rows}"), advice)
}

#[cfg(test)]
mod tests {
    use super::*;
    use edge::doctor::Level;

    #[test]
    fn a_silent_outlet_is_asked_after() {
        let now = Millis::new(1_795_000_000_000);
        let ago = |hours: i64| judge("BLR1", Some(now.after(-hours * HOUR_MS)), Some(7), now);
        assert_eq!((ago(1).level, ago(17).level, ago(18).level), (Level::Ok, Level::Ok, Level::Warn));
        assert!(ago(30).found.contains("30 hours, 7 changes wait"));
        assert_eq!(judge("BLR1", None, None, now).level, Level::Warn);
    }
}
