//! Texts of the menu, trimmed and checked. Never cuts one.

use crate::http::Checks;

/// Trims `text` and notes it when it is empty, too long or holds control characters.
pub(super) fn clean(text: &mut String, name: &str, max: usize, checks: &mut Checks) {
    *text = text.trim().to_owned();
    checks.require(!text.is_empty(), name, "must not be empty");
    sound(text, name, max, checks);
}

/// As [`clean`]; blank becomes none.
pub(super) fn clean_optional(text: &mut Option<String>, name: &str, max: usize, checks: &mut Checks) {
    *text = text.take().map(|text| text.trim().to_owned()).filter(|text| !text.is_empty());
    if let Some(text) = text {
        sound(text, name, max, checks);
    }
}

fn sound(text: &str, name: &str, max: usize, checks: &mut Checks) {
    checks.require(text.chars().count() <= max, name, format!("must have at most {max} characters"));
    let printable = text.chars().all(|c| !c.is_control() || c == '\n');
    checks.require(printable, name, "must not hold control characters");
}
