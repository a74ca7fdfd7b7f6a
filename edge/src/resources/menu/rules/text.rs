//! Texts of the menu, trimmed and checked. Never cuts one.

use crate::http::Checks;

/// Trims `text` and notes it when it is empty, too long or holds control characters.
pub(super) fn clean(text: &mut String, name: &str, max: usize, checks: &mut Checks) {
    trim(text);
    checks.require(!text.is_empty(), name, "must not be empty");
    sound(text, name, max, checks);
}

/// As [`clean`]; blank becomes none.
pub(super) fn clean_optional(text: &mut Option<String>, name: &str, max: usize, checks: &mut Checks) {
    if let Some(inner) = text {
        trim(inner);
        if inner.is_empty() {
            *text = None;
        } else {
            sound(inner, name, max, checks);
        }
    }
}

fn trim(text: &mut String) {
    let trimmed = text.trim();
    if trimmed.len() != text.len() {
        *text = trimmed.to_owned();
    }
}

fn sound(text: &str, name: &str, max: usize, checks: &mut Checks) {
    checks.require(text.chars().count() <= max, name, format!("must have at most {max} characters"));
    let printable = text.chars().all(|c| !c.is_control() || c == '\n');
    checks.require(printable, name, "must not hold control characters");
}
