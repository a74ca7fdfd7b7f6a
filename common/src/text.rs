//! What a text may hold: no control character (Unicode's category Cc) but tab and newline; a line ends with one newline. The doors of
//! both servers refuse what is not so; rows of older versions are read as [`clean`] makes them. Never changes anything else.

use std::borrow::Cow;

/// Whether a text may not hold `c`.
pub fn is_forbidden(c: char) -> bool {
    c.is_control() && c != '\t' && c != '\n'
}

/// Whether `text` holds nothing that a text may not hold. Cheap: almost every text is decided by its bytes alone.
pub fn is_clean(text: &str) -> bool {
    // 0xC2 leads the bytes of U+0080 to U+009F, and of harmless ones.
    let is_doubtful = |b: u8| b < 0x20 && b != b'\t' && b != b'\n' || b == 0x7F || b == 0xC2;
    !text.bytes().any(is_doubtful) || !text.contains(is_forbidden)
}

/// `text` with each end of a line as one newline; whatever else it may not hold stays.
pub fn with_newlines(text: String) -> String {
    if text.contains("\r\n") { text.replace("\r\n", "\n") } else { text }
}

/// `text` as it would be kept today: CR LF and CR become LF, all other control characters but tab and newline are left out.
pub fn clean(text: &str) -> Cow<'_, str> {
    if is_clean(text) {
        return Cow::Borrowed(text);
    }
    let mut kept = text.replace("\r\n", "\n").replace('\r', "\n");
    kept.retain(|c| !is_forbidden(c));
    Cow::Owned(kept)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_control_characters_go_and_lines_stay_lines() {
        let cases = [
            ("plain, Ünïcode \u{a0} ₹ 🍛", "plain, Ünïcode \u{a0} ₹ 🍛"),
            ("a\tb\nc", "a\tb\nc"),
            ("a\r\nb\rc\r\r\nd", "a\nb\nc\n\nd"),
            ("\0a\u{7}b\u{1b}[2J\u{7f}c\u{85}d\u{9f}", "ab[2Jcd"),
        ];
        for (given, kept) in cases {
            assert_eq!(clean(given), kept, "{given:?}");
            assert_eq!(is_clean(given), given == kept, "{given:?}");
            assert!(is_clean(&clean(given)));
        }
        assert_eq!(with_newlines("a\r\nb\rc".into()), "a\nb\rc");
    }
}
