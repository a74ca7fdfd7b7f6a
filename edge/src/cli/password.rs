//! Passwords of a command line: made up, or read from a file, for one given as an argument is in the machine's list of processes. Never
//! printed here.

use super::failure::Failure;
use crate::root::as_root;

/// A password of 16 letters and digits that nobody confuses when reading it aloud: 80 bits.
pub(super) fn made_up(random: [u8; 16]) -> String {
    const LETTERS: &[u8; 32] = b"abcdefghijkmnpqrstuvwxyz23456789";
    let letter = |byte: u8| LETTERS.get(usize::from(byte % 32)).copied().map_or('a', char::from);
    random.into_iter().map(letter).collect()
}

/// The text of a password file: its first line.
///
/// # Errors
/// When it cannot be read or is empty.
pub fn password_from(path: &std::path::Path) -> Result<String, Failure> {
    let text = as_root(|| std::fs::read_to_string(path))
        .map_err(|e| Failure::new(format!("{}: {e}", path.display())))?;
    let first = text.lines().next().unwrap_or_default();
    if first.is_empty() {
        Err(Failure::new(format!("{} is empty", path.display())))
    } else {
        Ok(first.to_owned())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn made_up_passwords_are_long_and_readable() {
        let password = made_up([0, 31, 32, 63, 7, 8, 9, 10, 11, 12, 13, 14, 15, 16, 17, 255]);
        assert_eq!(password.len(), 16);
        assert!(password.bytes().all(|b| b.is_ascii_alphanumeric() && !b"lo01".contains(&b)));
    }
}
