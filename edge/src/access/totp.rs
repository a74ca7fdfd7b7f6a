//! Codes of an authenticator: six digits, new ones each half minute (RFC 6238). What head office's people and a branch's are asked for
//! beside their password. Never keeps a secret.

use aws_lc_rs::hmac;
use tiffin_common::Millis;

/// A code is of this many milliseconds.
const STEP_MS: i64 = 30_000;

/// Steps before and after the present whose codes hold as well: clocks differ, people type slowly.
const SLACK: i64 = 1;

/// The code of a step.
fn code_of(secret: &[u8], step: i64) -> String {
    let key = hmac::Key::new(hmac::HMAC_SHA1_FOR_LEGACY_USE_ONLY, secret);
    let tag = hmac::sign(&key, &step.to_be_bytes());
    let bytes = tag.as_ref();
    let offset = usize::from(bytes.last().copied().unwrap_or_default() & 15);
    let part = bytes.iter().skip(offset).take(4).fold(0_u32, |all, byte| all << 8 | u32::from(*byte));
    format!("{:06}", (part & 0x7fff_ffff) % 1_000_000)
}

/// The step after `last` whose code `code` is, at `now`; none where it is none of them.
pub fn step_of(secret: &[u8], code: &str, last: i64, now: Millis) -> Option<i64> {
    let present = now.get().div_euclid(STEP_MS);
    (present - SLACK..=present + SLACK).find(|step| *step > last && code_of(secret, *step) == code.trim())
}

/// `bytes` as authenticators take them: base 32 of RFC 4648.
fn base32(bytes: &[u8]) -> String {
    const LETTERS: &[u8; 32] = b"ABCDEFGHIJKLMNOPQRSTUVWXYZ234567";
    let letter = |five: &[u8]| {
        let bits = five.iter().fold(0, |all, bit| all << 1 | bit) << (5 - five.len());
        LETTERS.get(usize::from(bits)).copied().map_or('A', char::from)
    };
    let bits: Vec<u8> =
        bytes.iter().flat_map(|byte| (0..8).rev().map(move |place| byte >> place & 1)).collect();
    bits.chunks(5).map(letter).collect()
}

/// What an authenticator is told of `secret` for the account of `email`: the text to type in, and the same as an `otpauth:` link.
pub fn shown(secret: &[u8; 20], email: &str) -> (String, String) {
    let text = base32(secret);
    let name: String = email
        .bytes()
        .map(|byte| match byte {
            b'a'..=b'z' | b'A'..=b'Z' | b'0'..=b'9' | b'.' | b'-' | b'_' => char::from(byte).to_string(),
            other => format!("%{other:02X}"),
        })
        .collect();
    let uri = format!("otpauth://totp/Tiffin:{name}?secret={text}&issuer=Tiffin");
    (text, uri)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn codes_are_those_of_the_standard() {
        let secret = b"12345678901234567890";
        for (seconds, code) in
            [(59, "287082"), (1_111_111_109, "081804"), (1_234_567_890, "005924"), (20_000_000_000, "353130")]
        {
            assert_eq!(code_of(secret, seconds / 30), code);
        }
        assert_eq!(base32(secret), "GEZDGNBVGY3TQOJQGEZDGNBVGY3TQOJQ");
    }

    #[test]
    fn a_code_holds_for_its_neighbours_and_opens_once() {
        let (secret, now) = (b"12345678901234567890", Millis::new(59_000));
        assert_eq!(step_of(secret, " 287082 ", 0, now), Some(1));
        assert_eq!(step_of(secret, "287082", 1, now), None);
        assert_eq!(step_of(secret, "287082", 0, Millis::new(89_000)), Some(1));
        assert_eq!(step_of(secret, "287082", 0, Millis::new(90_000)), None);
    }
}
