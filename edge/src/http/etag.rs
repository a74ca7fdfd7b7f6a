//! Answers that a client may keep and ask about again: the tag of what an answer depends on, and 304 where it is current. Never knows what
//! an answer is about.

use axum::http::{HeaderMap, HeaderValue, StatusCode, header};
use axum::response::{IntoResponse, Response};

/// The tag of what an answer depends on. Weak comparison suffices: equal conditions show the same.
pub fn of(conditions: &str) -> String {
    let hash = blake3::hash(conditions.as_bytes()).to_hex();
    format!("\"{}\"", hash.get(..32).unwrap_or_default())
}

/// The tags of `If-None-Match`, without their weakness.
pub fn known(headers: &HeaderMap) -> Vec<String> {
    let values = headers.get_all(header::IF_NONE_MATCH).iter().filter_map(|value| value.to_str().ok());
    values
        .flat_map(|value| value.split(','))
        .map(|tag| tag.trim().trim_start_matches("W/").to_owned())
        .collect()
}

/// Whether a client that knows those tags has the answer with `tag`.
pub fn holds(known: &[String], tag: &str) -> bool {
    known.iter().any(|candidate| candidate == tag || candidate == "*")
}

/// `body` with its tag, or 304 where the client has it: to be asked about each time before it is used.
pub fn answer(tag: &str, body: Option<impl IntoResponse>) -> Response {
    let mut response =
        body.map_or_else(|| StatusCode::NOT_MODIFIED.into_response(), IntoResponse::into_response);
    let headers = response.headers_mut();
    if let Ok(tag) = HeaderValue::from_str(tag) {
        headers.insert(header::ETAG, tag);
    }
    headers.insert(header::CACHE_CONTROL, HeaderValue::from_static("private, no-cache"));
    response
}
