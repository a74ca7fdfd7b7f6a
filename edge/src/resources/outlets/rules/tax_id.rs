//! Numbers that tax offices give out: what they look like, and whether their check digit is right. Pure.

use super::profile::TaxIdFormat;
use serde::Deserialize;
use tiffin_common::gstin::is_gstin;

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

#[cfg(test)]
mod tests {
    use super::super::profile::Profile;

    #[test]
    fn ids_are_checked_as_their_country_makes_them() {
        let read = |country: &str, id: &str| Profile::of(country).checked_tax_id(id);
        // Published examples.
        assert_eq!(read("IN", "27aapfu0939f1zv").unwrap(), "27AAPFU0939F1ZV");
        assert_eq!(read("GB", "GB 980 7806 84").unwrap(), "GB980780684");
        assert_eq!(read("JP", "T7000012050002").unwrap(), "T7000012050002");
        assert_eq!(read("AE", "100123456700003").unwrap(), "100123456700003");
        assert_eq!(read("SG", "M2-0012345-6").unwrap(), "M200123456");
        assert_eq!(read("US", "12-3456789").unwrap(), "123456789");
        assert_eq!(read("DE", " DE 123 ").unwrap(), "DE 123");
        let wrong = [
            ("IN", "27AAPFU0939F1ZW"),
            ("IN", "27AAPFU0939F1Z"),
            ("IN", "00AAPFU0939F1ZV"),
            ("GB", "GB980780685"),
            ("JP", "T8000012050002"),
            ("JP", "7000012050002"),
            ("AE", "10012345670000"),
            ("US", "12-345678"),
        ];
        for (country, id) in wrong {
            assert!(read(country, id).is_err(), "{country} {id}");
        }
        assert!(read("IN", "27AAPFU0939F1ZW").unwrap_err().contains("check digit"));
    }
}
