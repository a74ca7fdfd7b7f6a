//! Numbers that tax offices give out: what they look like, and whether their check digit is right. Pure.

use serde::Deserialize;

/// How the check digit of a tax id is made.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "SCREAMING_SNAKE_CASE")]
pub enum TaxIdCheck {
    /// There is none that is known.
    #[default]
    None,
    /// India: weights 1 and 2 by turns in base 36, the digits of each product added.
    Gstin,
    /// United Kingdom: weights 8 to 2, modulo 97, also with 55 added.
    GbVat,
    /// Japan: the first of 13 digits, modulo 9.
    JpCorporate,
}

/// The number a house is known by to the tax office.
#[derive(Debug, Clone, Default, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct TaxIdFormat {
    /// What it is called on paper.
    pub label: String,
    /// What it looks like; none: anything.
    pub patterns: Vec<String>,
    /// How its check digit is made.
    pub check: TaxIdCheck,
}

/// `text` as an id of that `format`: capitals, without spaces and dashes where the format has patterns.
///
/// # Errors
/// What is wrong with it.
pub fn checked(text: &str, format: &TaxIdFormat) -> Result<String, String> {
    if format.patterns.is_empty() {
        return Ok(text.trim().to_owned());
    }
    let id: String = text.chars().filter(|c| !c.is_whitespace() && *c != '-').collect();
    let id = id.to_uppercase();
    let label = format.label.trim_end_matches('.');
    if !format.patterns.iter().any(|pattern| fits(&id, pattern)) {
        return Err(format!("is no {label}"));
    }
    let is_right = match format.check {
        TaxIdCheck::None => true,
        TaxIdCheck::Gstin => is_gstin(&id),
        TaxIdCheck::GbVat => is_gb_vat(&id),
        TaxIdCheck::JpCorporate => is_jp_corporate(&id),
    };
    if is_right { Ok(id) } else { Err(format!("is no {label}: its check digit is wrong")) }
}

/// Whether `id` looks like `pattern`: 9 is a digit, A a capital, X either, what stands within '' itself.
fn fits(id: &str, pattern: &str) -> bool {
    let (mut given, mut is_literal) = (id.chars(), false);
    for wanted in pattern.chars() {
        if wanted == '\'' {
            is_literal = !is_literal;
            continue;
        }
        let Some(c) = given.next() else { return false };
        let is_same = match wanted {
            _ if is_literal => c == wanted,
            '9' => c.is_ascii_digit(),
            'A' => c.is_ascii_uppercase(),
            'X' => c.is_ascii_digit() || c.is_ascii_uppercase(),
            other => c == other,
        };
        if !is_same {
            return false;
        }
    }
    given.next().is_none()
}

/// Whether the last of a GSTIN's 15 characters is its check digit, and its first two name a state.
pub fn is_gstin(id: &str) -> bool {
    let values: Option<Vec<u32>> = id.chars().map(|c| c.to_digit(36)).collect();
    let Some((check, values)) = values.as_deref().and_then(|values| values.split_last()) else {
        return false;
    };
    let sum: u32 = values
        .iter()
        .zip([1, 2].iter().cycle())
        .map(|(value, weight)| value * weight / 36 + value * weight % 36)
        .sum();
    values.len() == 14 && state_of(id).is_some() && (36 - sum % 36) % 36 == *check
}

/// The state (01 to 38, 97, 99) that a GSTIN is of.
pub fn state_of(gstin: &str) -> Option<&str> {
    let state = gstin.get(..2)?;
    let number: u32 = state.parse().ok()?;
    ((1..=38).contains(&number) || number == 97 || number == 99).then_some(state)
}

fn digits(id: &str) -> Vec<u32> {
    id.chars().filter_map(|c| c.to_digit(10)).collect()
}

fn is_gb_vat(id: &str) -> bool {
    let [a, b, c, d, e, f, g, tens, ones] = digits(id)[..] else { return false };
    let sum = a * 8 + b * 7 + c * 6 + d * 5 + e * 4 + f * 3 + g * 2 + tens * 10 + ones;
    sum % 97 == 0 || (sum + 55) % 97 == 0
}

fn is_jp_corporate(id: &str) -> bool {
    let digits = digits(id);
    let Some((check, rest)) = digits.split_first() else { return false };
    let sum: u32 = rest.iter().rev().zip([1, 2].iter().cycle()).map(|(digit, weight)| digit * weight).sum();
    rest.len() == 12 && 9 - sum % 9 == *check
}
