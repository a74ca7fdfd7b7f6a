//! The code pages that printers have, by their numbers of ESC/POS (`ESC t n`). Never guesses: what a page lacks, it lacks.

use oem_cp::encode_char_checked;
use tiffin_common::words;

words! {
    /// A code page of a printer.
    pub enum CodePage {
        /// The first PC's: nearly every printer has it.
        Cp437 = "CP437",
        /// Western European languages.
        Cp850 = "CP850",
        /// Central European languages.
        Cp852 = "CP852",
        /// Western Europe with the euro.
        Cp858 = "CP858",
        /// Portuguese, as in Brazil and Portugal.
        Cp860 = "CP860",
        /// French, as in Canada.
        Cp863 = "CP863",
        /// Danish, Norwegian and other northern languages.
        Cp865 = "CP865",
        /// Cyrillic letters, as in Russian and Bulgarian.
        Cp866 = "CP866",
        /// Windows, Western Europe.
        Cp1252 = "CP1252",
    }
}

impl CodePage {
    /// The number that `ESC t` takes.
    pub fn number(self) -> u8 {
        match self {
            CodePage::Cp437 => 0,
            CodePage::Cp850 => 2,
            CodePage::Cp860 => 3,
            CodePage::Cp863 => 4,
            CodePage::Cp865 => 5,
            CodePage::Cp1252 => 16,
            CodePage::Cp866 => 17,
            CodePage::Cp852 => 18,
            CodePage::Cp858 => 19,
        }
    }

    /// The byte of a character that is not ASCII; none where the page lacks it.
    pub fn byte(self, c: char) -> Option<u8> {
        let table = match self {
            CodePage::Cp437 => &oem_cp::code_table::ENCODING_TABLE_CP437,
            CodePage::Cp850 => &oem_cp::code_table::ENCODING_TABLE_CP850,
            CodePage::Cp852 => &oem_cp::code_table::ENCODING_TABLE_CP852,
            CodePage::Cp858 => &oem_cp::code_table::ENCODING_TABLE_CP858,
            CodePage::Cp860 => &oem_cp::code_table::ENCODING_TABLE_CP860,
            CodePage::Cp863 => &oem_cp::code_table::ENCODING_TABLE_CP863,
            CodePage::Cp865 => &oem_cp::code_table::ENCODING_TABLE_CP865,
            CodePage::Cp866 => &oem_cp::code_table::ENCODING_TABLE_CP866,
            CodePage::Cp1252 => return windows_1252(c),
        };
        encode_char_checked(c, table).filter(|byte| *byte >= 0x80)
    }
}

/// The upper half of Latin-1, and the euro; the other few of the page are typographic and stand for themselves elsewhere.
fn windows_1252(c: char) -> Option<u8> {
    match c {
        '€' => Some(0x80),
        '\u{a1}'..='\u{ff}' => u8::try_from(u32::from(c)).ok(),
        _ => None,
    }
}

/// `text` as printers can be given it: control characters are spaces, and what only typography tells apart is plain.
pub(super) fn plain(text: &str) -> String {
    let mut plain = String::with_capacity(text.len());
    for c in text.chars() {
        match c {
            '‘' | '’' => plain.push('\''),
            '“' | '”' => plain.push('"'),
            '–' | '—' | '\u{2010}' | '\u{2011}' => plain.push('-'),
            '…' => plain.push_str("..."),
            '\u{a0}' | '\u{202f}' => plain.push(' '),
            c if c.is_control() => plain.push(' '),
            c => plain.push(c),
        }
    }
    plain
}

/// Whether each character of `text` is ASCII or in one of the pages.
pub(super) fn can_write(pages: &[CodePage], text: &str) -> bool {
    text.chars().all(|c| matches!(c, ' '..='~') || pages.iter().any(|page| page.byte(c).is_some()))
}
