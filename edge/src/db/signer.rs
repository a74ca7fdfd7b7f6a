//! The key by which this box signs what it makes, and the proof of a signature. Never reads or keeps a file.

use aws_lc_rs::signature::{ED25519, Ed25519KeyPair, KeyPair, UnparsedPublicKey};

/// An Ed25519 key (RFC 8032).
pub struct Signer(Ed25519KeyPair);

impl std::fmt::Debug for Signer {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str("Signer(…)")
    }
}

impl Signer {
    /// The key of `seed`; none where the cryptography refuses it.
    pub fn of(seed: &[u8; 32]) -> Option<Signer> {
        Ed25519KeyPair::from_seed_unchecked(seed).ok().map(Signer)
    }

    /// What everybody may know of it: 32 bytes.
    pub fn public(&self) -> &[u8] {
        self.0.public_key().as_ref()
    }

    /// Its signature of `message`: 64 bytes.
    pub fn sign(&self, message: &[u8]) -> Vec<u8> {
        self.0.sign(message).as_ref().to_vec()
    }
}

/// Whether `signature` is that of `message` by the key whose public half is `public`.
pub fn is_signed(public: &[u8], message: &[u8], signature: &[u8]) -> bool {
    UnparsedPublicKey::new(&ED25519, public).verify(message, signature).is_ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_signature_is_of_one_key_and_one_message() {
        // RFC 8032, section 7.1, test 1.
        let seed = blake3::Hash::from_hex("9d61b19deffd5a60ba844af492ec2cc44449c5697b326919703bac031cae7f60");
        let known = Signer::of(seed.unwrap().as_bytes()).unwrap();
        let public: String = known.public().iter().map(|byte| format!("{byte:02x}")).collect();
        assert_eq!(public, "d75a980182b10ab7d54bfed3c964073a0ee172f3daa62325af021a68f707511a");
        let (one, other) = (Signer::of(&[1; 32]).unwrap(), Signer::of(&[2; 32]).unwrap());
        let signature = one.sign(b"bill");
        assert!(is_signed(one.public(), b"bill", &signature));
        assert!(!is_signed(one.public(), b"bill!", &signature));
        assert!(!is_signed(other.public(), b"bill", &signature));
        assert!(!is_signed(&[], b"bill", &signature) && !is_signed(one.public(), b"bill", &[]));
        assert_eq!(format!("{one:?}"), "Signer(…)");
    }
}
