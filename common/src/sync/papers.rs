//! The papers of the staff, whose contents are too large for the log and travel beside it, a part at a time. Never says who may read one.

use crate::Uuid;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// Most bytes of one part.
pub const PAPER_PART: usize = 128 * 1024;

/// `GET papers`: what head office lacks of the papers that the outlet's rows name.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct PapersLacking {
    /// Where each goes on, the oldest first; not all of them at once.
    pub papers: Vec<PaperPlace>,
    /// The newest paper that the outlet's rows at head office name: a box that has a newer one asks again when its log is through.
    pub newest: Option<Uuid>,
}

/// A place in a paper's content. As the query of `GET papers/content`, which part is asked for; as the answer to `POST papers`, where to go
/// on.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct PaperPlace {
    /// Id of the document.
    pub document: Uuid,
    /// Bytes before this place.
    #[schemars(range(min = 0))]
    pub offset: i64,
}

/// `POST papers`, and the answer to `GET papers/content`: a part of a paper's content.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct PaperPart {
    /// Id of the document.
    pub document: Uuid,
    /// Bytes of the content before this part.
    #[schemars(range(min = 0))]
    pub offset: i64,
    /// The part, in base64: at most 131,072 bytes, and not empty.
    pub content: String,
}
