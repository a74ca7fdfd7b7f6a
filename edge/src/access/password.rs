//! What may be a password: long enough, not blank, and not among those that are guessed first. Never hashes one and never keeps one.

use std::ops::RangeInclusive;

/// How many characters a password has.
pub const CHARS: RangeInclusive<usize> = 10..=128;

/// Guesses that a password must outlast, the likeliest first: what is below falls to anybody who tries for a while.
const GUESSES: u64 = 1_000_000;

/// Why `password` may not be one, in words that follow a field's name. Words `about` its holder (email, name) are guessed first. Takes
/// some milliseconds: call it through [`apart`](super::hashing::apart).
///
/// # Errors
/// The reason; never the password.
pub fn check(password: &str, about: &[&str]) -> Result<(), &'static str> {
    if password.trim().is_empty() {
        return Err("must not be blank");
    }
    if !CHARS.contains(&password.chars().count()) {
        return Err("must be 10 to 128 characters long");
    }
    let parts = about.iter().flat_map(|text| text.split(['@', ' '])).filter(|part| !part.is_empty());
    let known: Vec<&str> = about.iter().copied().chain(parts).collect();
    match zxcvbn::zxcvbn(password, &known).guesses() {
        0..GUESSES => {
            Err("is guessed too easily: take a longer one, such as several words that do not belong together")
        }
        _ => Ok(()),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_everybody_tries_first_is_no_password() {
        for common in [
            "          ",
            "1234567890",
            "password123",
            "qwertyuiop",
            "aaaaaaaaaa",
            "P@ssw0rd123",
            "0987654321",
        ] {
            assert!(check(common, &[]).is_err(), "{common}");
        }
        assert!(check("meera nair 1", &["meera.nair@example.com", "Meera Nair"]).is_err());
        assert!(check("too short", &[]).is_err() && check(&"long".repeat(40), &[]).is_err());
        for good in [
            "correct horse battery",
            "another long one",
            "a2b3-c4d5-e6f7",
            "naan tawa monsoon",
            "मेरा पहला रेस्तराँ",
        ] {
            assert_eq!(check(good, &["owner@example.com"]), Ok(()), "{good}");
        }
    }
}
