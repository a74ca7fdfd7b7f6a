//! One value, as text for spreadsheets and as JSON for programs. Never rounds one.

use super::columns::Kind;
use rusqlite::types::ValueRef;
use std::borrow::Cow;
use tiffin_common::{Millis, Uuid};

/// The value as a cell; null is empty.
pub(super) fn text<'v>(kind: Kind, value: ValueRef<'v>) -> Cow<'v, str> {
    match (kind, value) {
        (_, ValueRef::Null) => "".into(),
        (Kind::Moment, ValueRef::Integer(at)) => Millis::new(at).to_string().into(),
        (_, ValueRef::Integer(n)) => n.to_string().into(),
        (_, ValueRef::Real(n)) => n.to_string().into(),
        (_, ValueRef::Text(text)) => String::from_utf8_lossy(text),
        (Kind::Id, ValueRef::Blob(bytes)) => match Uuid::from_slice(bytes) {
            Ok(id) => id.to_string().into(),
            Err(_) => hex(bytes).into(),
        },
        (_, ValueRef::Blob(bytes)) => hex(bytes).into(),
    }
}

/// The value in JSON.
pub(super) fn json(kind: Kind, value: ValueRef<'_>) -> serde_json::Value {
    match (kind, value) {
        (_, ValueRef::Null) => serde_json::Value::Null,
        (Kind::Moment, ValueRef::Integer(_)) => text(kind, value).into(),
        (_, ValueRef::Integer(n)) => n.into(),
        (_, ValueRef::Real(n)) => n.into(),
        (_, ValueRef::Text(_) | ValueRef::Blob(_)) => text(kind, value).into(),
    }
}

fn hex(bytes: &[u8]) -> String {
    bytes.iter().map(|byte| format!("{byte:02x}")).collect()
}

/// What the name of a paper with this content ends in.
pub(super) fn ending(content: &[u8]) -> &'static str {
    match content {
        [b'%', b'P', b'D', b'F', ..] => ".pdf",
        [0x89, b'P', b'N', b'G', ..] => ".png",
        [0xFF, 0xD8, 0xFF, ..] => ".jpg",
        _ => "",
    }
}
