//! Seals what must not stand in the database in clear, with keys that lie outside it. Never invents a cipher: AES-256-GCM.

use aws_lc_rs::aead::{AES_256_GCM, Aad, LessSafeKey, NONCE_LEN, Nonce, UnboundKey};

/// Seals and opens. What it seals is bound to what it is for, so that it opens nowhere else.
#[derive(Clone)]
pub struct Sealer(std::sync::Arc<LessSafeKey>);

impl std::fmt::Debug for Sealer {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str("Sealer(…)")
    }
}

/// It could not be sealed, or was not sealed here for this purpose.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
#[error("what is sealed cannot be opened: the secret here is another")]
pub struct SealError;

impl Sealer {
    /// With a key of 32 bytes.
    ///
    /// # Errors
    /// When the cipher does not take the key.
    pub fn new(key: &[u8; 32]) -> Result<Sealer, SealError> {
        let key = UnboundKey::new(&AES_256_GCM, key).map_err(|_| SealError)?;
        Ok(Sealer(std::sync::Arc::new(LessSafeKey::new(key))))
    }

    /// Seals `clear` for `purpose` with a random `nonce`, used this once: the nonce, then text and tag.
    ///
    /// # Errors
    /// When the cipher fails.
    pub fn seal(&self, nonce: [u8; NONCE_LEN], purpose: &[u8], clear: &[u8]) -> Result<Vec<u8>, SealError> {
        let mut text = clear.to_vec();
        let unique = Nonce::assume_unique_for_key(nonce);
        self.0.seal_in_place_append_tag(unique, Aad::from(purpose), &mut text).map_err(|_| SealError)?;
        Ok([nonce.as_slice(), &text].concat())
    }

    /// Opens what was sealed for `purpose`.
    ///
    /// # Errors
    /// When it was not.
    pub fn open(&self, purpose: &[u8], sealed: &[u8]) -> Result<Vec<u8>, SealError> {
        let (nonce, text) = sealed.split_at_checked(NONCE_LEN).ok_or(SealError)?;
        let nonce = Nonce::try_assume_unique_for_key(nonce).map_err(|_| SealError)?;
        let mut text = text.to_vec();
        let clear = self.0.open_in_place(nonce, Aad::from(purpose), &mut text).map_err(|_| SealError)?;
        Ok(clear.to_vec())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_sealed_opens_with_the_same_key_for_the_same_purpose_only() {
        let [here, elsewhere] = [1, 2].map(|key| Sealer::new(&[key; 32]).unwrap());
        let sealed = here.seal([7; NONCE_LEN], b"pepper of A", b"secret").unwrap();
        assert!(!sealed.windows(6).any(|part| part == b"secret"));
        assert_eq!(here.open(b"pepper of A", &sealed).unwrap(), b"secret");
        assert_eq!(here.open(b"pepper of B", &sealed), Err(SealError));
        assert_eq!(elsewhere.open(b"pepper of A", &sealed), Err(SealError));
        let mut broken = sealed.clone();
        *broken.last_mut().unwrap() ^= 1;
        assert_eq!(here.open(b"pepper of A", &broken), Err(SealError));
        assert_eq!(here.open(b"pepper of A", b"short"), Err(SealError));
    }
}
