//! What stands above and below the receipts of a house, as data. Pure.

use crate::http::{Checks, FieldError};
use crate::paper::{Row, is_language};
use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use serde::Serialize;
use std::collections::BTreeMap;
use tiffin_common::Millis;

/// The most characters a logo may have, in base64: 48 KiB of PNG.
pub const LOGO_CHARS: usize = 65_536;

/// The most languages.
const MOST_LANGUAGES: usize = 20;

table! {
    /// What stands on the receipts of an outlet.
    #[derive(PartialEq, Eq, Serialize)]
    #[serde(rename_all = "camelCase")]
    pub struct Layout: print_layouts {
        /// What a client says of it.
        #[serde(flatten)]
        pub fields: LayoutFields => flat,
        /// 1, 2, ….
        pub version: i64,
        /// When it was last changed.
        pub updated_at: Millis,
    }
}

table! {
    /// What a client says of the receipts' layout.
    #[derive(PartialEq, Eq, Serialize)]
    #[serde(rename_all = "camelCase")]
    pub struct LayoutFields: print_layouts {
        /// Text below the name of the house, by language.
        pub headers: BTreeMap<String, String> => json,
        /// Text at the end, by language.
        pub footers: BTreeMap<String, String> => json,
        /// A PNG in base64, above everything.
        pub logo: Option<String>,
        /// Whether a QR code of the bill stands at the end.
        pub bill_code: bool,
        /// Whether otherwise one of the bill's page for the guest's phone stands there.
        pub guest_code: bool,
    }
}

/// The layout of who said nothing.
impl Default for LayoutFields {
    fn default() -> Self {
        let texts = BTreeMap::default;
        LayoutFields { headers: texts(), footers: texts(), logo: None, bill_code: false, guest_code: true }
    }
}

/// What stands at the end of a receipt as a code, where the house wants it.
#[derive(Debug, Clone, Copy, Default)]
pub struct Codes<'a> {
    /// The bill itself, for a program that reads it.
    pub bill: Option<&'a str>,
    /// The page of the bill for the guest's phone.
    pub page: Option<&'a str>,
}

impl LayoutFields {
    /// The fields, when everything in them holds.
    ///
    /// # Errors
    /// All offending fields.
    pub fn checked(self) -> Result<LayoutFields, Vec<FieldError>> {
        let mut checks = Checks::new();
        for (name, texts) in [("headers", &self.headers), ("footers", &self.footers)] {
            checks.require(texts.len() <= MOST_LANGUAGES, name, "has too many languages");
            for (language, text) in texts {
                checks.require(
                    is_language(language),
                    format!("{name}.{language}"),
                    "is no language such as hi",
                );
                let fits = text.chars().count() <= 500 && text.lines().count() <= 12;
                checks.require(fits, format!("{name}.{language}"), "may have 500 characters in 12 lines");
            }
        }
        if let Some(logo) = &self.logo {
            let is_png = STANDARD.decode(logo).is_ok_and(|bytes| bytes.starts_with(b"\x89PNG\r\n\x1a\n"));
            checks.require(
                is_png && logo.len() <= LOGO_CHARS,
                "logo",
                "must be a PNG in base64, of 48 KiB at most",
            );
        }
        checks.finish(self)
    }

    /// `rows` with what stands above and below them, in `language`, else in English, else in whichever there is.
    pub fn around(&self, rows: Vec<Row>, language: Option<&str>, codes: Codes<'_>) -> Vec<Row> {
        let mut all = Vec::with_capacity(rows.len().saturating_add(8));
        all.extend(self.logo.iter().cloned().map(Row::Picture));
        let mut rows = rows.into_iter();
        // The name of the house stays the first of the texts.
        all.extend(rows.next());
        all.extend(said(&self.headers, language));
        all.extend(rows);
        all.extend(said(&self.footers, language));
        if self.bill_code {
            all.extend(codes.bill.map(|text| Row::Qr(text.to_owned())));
        } else if let Some(page) = codes.page.filter(|_| self.guest_code) {
            all.extend([Row::Centre("The bill on your phone".into()), Row::Qr(page.to_owned())]);
        }
        all
    }
}

fn said(texts: &BTreeMap<String, String>, language: Option<&str>) -> Vec<Row> {
    let text = language.and_then(|language| texts.get(language)).or_else(|| texts.get("en"));
    let text = text.or_else(|| texts.values().next());
    text.into_iter().flat_map(|text| text.lines()).map(|line| Row::Centre(line.to_owned())).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_language_of_the_printer_goes_before_english() {
        let texts = |pairs: &[(&str, &str)]| pairs.iter().map(|(l, t)| ((*l).into(), (*t).into())).collect();
        let layout = LayoutFields {
            headers: texts(&[("en", "Since 1952"), ("hi", "1952 से")]),
            footers: texts(&[("ta", "நன்றி")]),
            logo: None,
            bill_code: true,
            guest_code: true,
        };
        let codes = Codes { bill: Some("A 1"), page: Some("/r/1") };
        let rows = || vec![Row::Title("House".into()), Row::Rule];
        let hindi = layout.around(rows(), Some("hi"), codes);
        assert_eq!(hindi[1], Row::Centre("1952 से".into()));
        assert_eq!(hindi[3..], [Row::Centre("நன்றி".into()), Row::Qr("A 1".into())]);
        assert_eq!(layout.around(rows(), Some("fr"), Codes::default())[1], Row::Centre("Since 1952".into()));
        let other = LayoutFields { bill_code: false, ..layout.clone() };
        assert_eq!(other.around(rows(), None, codes).last(), Some(&Row::Qr("/r/1".into())));
        let none = LayoutFields { guest_code: false, ..other };
        assert_eq!(none.around(rows(), None, codes).last(), Some(&Row::Centre("நன்றி".into())));
        let wrong = LayoutFields { logo: Some("GIF89a".into()), headers: texts(&[("!", "x")]), ..layout };
        assert_eq!(wrong.checked().unwrap_err().len(), 2);
    }
}
