//! What a box signs of a document, and the public halves of the keys that its outlet's boxes have had. Never holds a private one.

use tiffin_common::{Millis, Uuid};

table! {
    /// The public half of a key that a box of the outlet signs its documents with.
    pub struct SigningKey: signing_keys {
        /// Its id.
        pub id: Uuid,
        /// The life of the box's numbers that it began in.
        pub life: i64,
        /// The key: Ed25519, 32 bytes.
        pub public_key: Vec<u8>,
        /// When it signed its first document.
        pub begun_at: Millis,
    }
}

/// What a box signs of a document of `outlet`: its hash, which stands for all documents before it, too.
pub fn signed(outlet: Uuid, hash: &[u8]) -> Vec<u8> {
    [b"tiffin invoice signature\0".as_slice(), outlet.as_bytes(), hash].concat()
}
