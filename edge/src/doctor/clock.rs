//! The clock: against what is on record, against head office, and whether anything keeps it right. Never sets it.

use super::Finding;
use super::service::{Output, run};
use crate::db::{Env, LEAP_MS, MADE};
use std::path::Path;
use tiffin_common::Millis;

/// How far a record may be ahead of the clock that made it: two punches of one moment.
const SLACK_MS: i64 = 120_000;

/// How far the clock may be from head office's before anybody should care, and before it is wrong.
const OFFSET_MS: i64 = 60_000;
const WRONG_MS: i64 = 600_000;

/// What is known of the clock.
#[derive(Debug, Clone, Copy)]
pub struct Known {
    /// What it says.
    pub now: Millis,
    /// The newest moment on record.
    pub newest: Option<Millis>,
    /// Head office's clock minus this one, in milliseconds.
    pub office_offset_ms: Option<i64>,
    /// Whether the system keeps it right over the network; none when it does not say.
    pub is_kept_right: Option<bool>,
    /// Whether there is one that goes on without power.
    pub has_battery: bool,
}

/// The clock of this machine. `newest` is the newest moment on record, `office_offset_ms` what a head office answered just now.
pub fn examine(env: &Env, newest: Option<Millis>, office_offset_ms: Option<i64>) -> Vec<Finding> {
    let is_kept_right = match run("timedatectl", &["show", "--property=NTPSynchronized", "--value"]) {
        Output::Text(text) => Some(text.trim() == "yes"),
        Output::Nothing => None,
    };
    let has_battery = Path::new("/sys/class/rtc/rtc0").exists();
    vec![judge(&Known { now: env.clock.now(), newest, office_offset_ms, is_kept_right, has_battery })]
}

/// Judges it.
pub fn judge(known: &Known) -> Finding {
    let now = known.now;
    let set = "Set the clock: timedatectl set-ntp true, or by hand: date --set '2026-11-22 18:30:00'. The server follows it by itself.";
    if now < MADE {
        return Finding::broken("clock", format!("it stands at {now}, before this program was made"), set);
    }
    if let Some(newest) = known.newest.filter(|newest| newest.since(now) > SLACK_MS) {
        let found =
            format!("it stands at {now}, but there are records of {newest}: it went back, or was ahead then");
        return Finding::broken("clock", found, set);
    }
    let is_confirmed = known.is_kept_right == Some(true)
        || known.office_offset_ms.is_some_and(|offset| offset.abs() <= WRONG_MS);
    if let Some(newest) = known.newest.filter(|newest| now.since(*newest) > LEAP_MS && !is_confirmed) {
        let found = format!(
            "it stands at {now}, more than a week after the newest record of {newest}: the server does not follow it"
        );
        let right = format!(
            "{set} Where it is right (the box was off for long), a manager says so: POST /status/clock."
        );
        return Finding::broken("clock", found, right);
    }
    if let Some(offset) = known.office_offset_ms.filter(|offset| offset.abs() > OFFSET_MS) {
        let word = if offset > 0 { "behind" } else { "ahead of" };
        let found = format!("it is {} s {word} head office's", offset.abs() / 1_000);
        let is_wrong = offset.abs() > WRONG_MS;
        return if is_wrong {
            Finding::broken("clock", found, set)
        } else {
            Finding::warn("clock", found, set)
        };
    }
    match (known.is_kept_right, known.has_battery) {
        (Some(true), _) => Finding::ok("clock", format!("{now}, kept right over the network")),
        (_, false) => Finding::warn(
            "clock",
            format!(
                "{now}; this machine has no clock that goes on without power, and nothing sets it at the start"
            ),
            "timedatectl set-ntp true while there is internet, or fit a clock with a battery.",
        ),
        (Some(false), true) => Finding::warn(
            "clock",
            format!("{now}; nothing keeps it right"),
            "timedatectl set-ntp true, once there is internet.",
        ),
        (None, true) => Finding::ok("clock", now.to_string()),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::doctor::Level;

    const NOW: Millis = Millis::new(1_795_000_000_000);

    fn known() -> Known {
        Known {
            now: NOW,
            newest: Some(NOW),
            office_offset_ms: Some(400),
            is_kept_right: Some(true),
            has_battery: true,
        }
    }

    #[test]
    fn a_clock_is_judged_by_its_worst_fault() {
        let level = |known: Known| judge(&known).level;
        assert_eq!(level(known()), Level::Ok);
        assert_eq!(level(Known { is_kept_right: None, ..known() }), Level::Ok);
        let battery_is_dead = Known { now: Millis::new(1_000), ..known() };
        assert!(judge(&battery_is_dead).found.contains("before this program"));
        assert_eq!(level(battery_is_dead), Level::Broken);
        assert_eq!(level(Known { newest: Some(NOW.after(SLACK_MS)), ..known() }), Level::Ok);
        assert_eq!(level(Known { newest: Some(NOW.after(SLACK_MS + 1)), ..known() }), Level::Broken);
        let leapt = Known { newest: Some(NOW.after(-LEAP_MS - 1)), ..known() };
        assert_eq!(level(leapt), Level::Ok, "a box that was off for long, by a clock that is kept right");
        let leapt = Known { is_kept_right: None, ..leapt };
        assert_eq!(level(leapt), Level::Ok, "head office says the same");
        let leapt = Known { office_offset_ms: None, ..leapt };
        assert_eq!(level(leapt), Level::Broken);
        assert_eq!(level(Known { newest: Some(NOW.after(-LEAP_MS)), ..leapt }), Level::Ok);
        for (offset, wanted) in [(59_000, Level::Ok), (-61_000, Level::Warn), (601_000, Level::Broken)] {
            assert_eq!(level(Known { office_offset_ms: Some(offset), ..known() }), wanted, "{offset}");
        }
        assert_eq!(level(Known { is_kept_right: Some(false), ..known() }), Level::Warn);
        let bare = Known { has_battery: false, ..known() };
        assert_eq!(level(bare), Level::Ok, "the network sets it");
        assert_eq!(level(Known { is_kept_right: None, ..bare }), Level::Warn);
    }
}
