//! Answers go over the air compressed, where the caller can read that: JSON, and nothing else. Never a stream: its events would be held
//! back until enough of them had gathered. What is answered again and again may be compressed once, before.

use axum::body::Bytes;
use axum::http::{Extensions, HeaderMap, StatusCode, Version, header};
use flate2::Compression;
use flate2::write::{GzDecoder, GzEncoder};
use std::io::Write;
use tower_http::compression::predicate::{Predicate, SizeAbove};
use tower_http::compression::{CompressionLayer, CompressionLevel};

/// Below this a compressed answer is hardly smaller: one packet either way.
const LEAST_BYTES: u64 = 1_024;

fn is_json(_: StatusCode, _: Version, headers: &HeaderMap, _: &Extensions) -> bool {
    let kind = headers.get(header::CONTENT_TYPE).and_then(|kind| kind.to_str().ok()).unwrap_or_default();
    let kind = kind.split(';').next().unwrap_or_default().trim();
    kind == "application/json" || kind.ends_with("+json")
}

/// Compresses JSON for who accepts gzip.
pub fn layer() -> CompressionLayer<impl Predicate> {
    CompressionLayer::new()
        .quality(CompressionLevel::Fastest)
        .compress_when(SizeAbove::new(LEAST_BYTES).and(is_json))
}

/// Whether the one who asks can read gzip.
pub fn reads_gzip(headers: &HeaderMap) -> bool {
    let accepted = headers.get(header::ACCEPT_ENCODING).and_then(|value| value.to_str().ok());
    accepted.is_some_and(|accepted| accepted.split(',').any(|one| one.trim().starts_with("gzip")))
}

/// `body` compressed, for an answer that is kept and says so.
///
/// # Errors
/// None that memory gives.
pub fn gzip(body: &[u8]) -> std::io::Result<Bytes> {
    let mut encoder = GzEncoder::new(Vec::new(), Compression::fast());
    encoder.write_all(body)?;
    encoder.finish().map(Bytes::from)
}

/// What [`gzip`] was given, for who cannot read it compressed.
///
/// # Errors
/// When that is no such text.
pub fn unpack(packed: &[u8]) -> std::io::Result<Bytes> {
    let mut decoder = GzDecoder::new(Vec::new());
    decoder.write_all(packed)?;
    decoder.finish().map(Bytes::from)
}
