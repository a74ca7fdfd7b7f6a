//! When an order for later goes to the kitchen. Pure: the moment is an argument.

use crate::http::FieldError;
use tiffin_common::Millis;

/// How far ahead an order may be wanted: 60 days.
const FURTHEST_MS: i64 = 60 * 24 * 3_600_000;

const MINUTE_MS: i64 = 60_000;

/// When the kitchen is told of an order that is wanted at `wanted`, whose slowest dish takes `longest` minutes, `lead` minutes ahead;
/// none: at once, it takes all the time there is.
///
/// # Errors
/// The offending `scheduledFor`: it is past, or more than 60 days ahead.
pub fn release_at(
    wanted: Option<Millis>,
    longest: Option<i64>,
    lead: i64,
    now: Millis,
) -> Result<Option<Millis>, FieldError> {
    let Some(wanted) = wanted else { return Ok(None) };
    if wanted <= now {
        return Err(FieldError::new("scheduledFor", "must be in the future"));
    }
    if wanted > now.after(FURTHEST_MS) {
        return Err(FieldError::new("scheduledFor", "must be at most 60 days ahead"));
    }
    let minutes = longest.unwrap_or(0).max(0).saturating_add(lead.max(0));
    let release = wanted.after(minutes.saturating_mul(MINUTE_MS).saturating_neg());
    Ok((release > now).then_some(release))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn at(minutes: i64) -> Millis {
        Millis::new(minutes * MINUTE_MS)
    }

    #[test]
    fn the_kitchen_is_told_when_the_slowest_dish_has_to_begin() {
        let now = at(1_000);
        let release = |wanted, longest, lead| release_at(Some(at(wanted)), longest, lead, now).unwrap();
        assert_eq!(release(1_100, Some(25), 10), Some(at(1_065)));
        assert_eq!(release(1_100, None, 10), Some(at(1_090)));
        assert_eq!(release(1_035, Some(25), 10), None, "it takes all the time there is");
        assert_eq!(release(1_036, Some(25), 10), Some(at(1_001)));
        assert_eq!(release_at(None, Some(25), 10, now).unwrap(), None);
    }

    #[test]
    fn neither_the_past_nor_next_year_is_a_time_to_eat() {
        let now = at(0);
        for (wanted, is_fine) in [(at(0), false), (at(1), true), (at(86_400), true), (at(86_401), false)] {
            let answer = release_at(Some(wanted), None, 0, now);
            assert_eq!(answer.is_ok(), is_fine, "{wanted:?}");
        }
    }
}
