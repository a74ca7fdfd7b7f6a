//! The tax id of a business in India (GSTIN): two digits of a state, a PAN of ten characters, the number of the registration in that state, a
//! `Z`, and a check digit that shows a slip of the pen. Never asks anybody whether it was given out.

/// What stands for 0 to 35.
const ALPHABET: &[u8; 36] = b"0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZ";

/// How many characters it has.
pub const LENGTH: usize = 15;

fn value(byte: u8) -> Option<usize> {
    ALPHABET.iter().position(|known| *known == byte)
}

/// The check digit of the first fourteen characters; none where one of them is no digit or capital letter.
pub fn check_digit(text: &str) -> Option<char> {
    let mut sum = 0;
    for (index, byte) in text.bytes().take(LENGTH - 1).enumerate() {
        let product = value(byte)?.checked_mul(if index % 2 == 0 { 1 } else { 2 })?;
        sum += product / 36 + product % 36;
    }
    ALPHABET.get((36 - sum % 36) % 36).map(|byte| char::from(*byte))
}

/// Whether `text` is one, in capital letters and without spaces: of the right form, with the right check digit.
pub fn is_gstin(text: &str) -> bool {
    let bytes = text.as_bytes();
    let all = |from: usize, to: usize, is: fn(&u8) -> bool| bytes.iter().take(to).skip(from).all(is);
    bytes.len() == LENGTH
        && all(0, 2, u8::is_ascii_digit)
        && all(2, 7, u8::is_ascii_uppercase)
        && all(7, 11, u8::is_ascii_digit)
        && all(11, 12, u8::is_ascii_uppercase)
        && all(12, 13, |byte| byte.is_ascii_digit() || byte.is_ascii_uppercase())
        && !bytes.starts_with(b"00")
        && bytes.get(12) != Some(&b'0')
        && all(13, 14, |byte| byte.is_ascii_digit() || byte.is_ascii_uppercase())
        && check_digit(text) == text.chars().last()
}

/// The state that a GSTIN belongs to, as its two digits.
pub fn state_of(gstin: &str) -> Option<&str> {
    gstin.get(..2).filter(|_| is_gstin(gstin))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_slip_of_the_pen_is_seen() {
        for right in ["27AAPFU0939F1ZV", "29AAGCB7383J1Z4", "29AABCT1332L1ZU"] {
            let with_digit = format!("{}{}", &right[..14], check_digit(right).unwrap());
            assert!(is_gstin(&with_digit), "{right}");
        }
        assert!(is_gstin("27AAPFU0939F1ZV") && is_gstin("29AAGCB7383J1Z4"));
        for wrong in [
            "27AAPFU0939F1ZW",
            "72AAPFU0939F1ZV",
            "27AAPFU0993F1ZV",
            "27aapfu0939f1zv",
            "27AAPFU0939F1Z",
            "",
            "27AAPFU0939F1ZVV",
            "GB123456789",
            "27AAPFU0939F0ZV",
            "27ÄAPFU0939F1Z",
        ] {
            assert!(!is_gstin(wrong), "{wrong}");
        }
        assert_eq!((state_of("27AAPFU0939F1ZV"), state_of("27AAPFU0939F1ZW")), (Some("27"), None));
    }
}
