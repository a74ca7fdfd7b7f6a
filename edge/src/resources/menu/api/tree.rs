//! `GET /menu`: the whole tree, or 304 when the client's is current.

use crate::access::Cx;
use crate::db;
use crate::http::{Data, Result};
use crate::resources::menu::store;
use axum::http::{HeaderMap, HeaderValue, StatusCode, header};
use axum::response::{IntoResponse, Response};

/// The whole menu with live availability.
pub async fn get_menu(cx: Cx, headers: HeaderMap) -> Result<Response> {
    let now = cx.db.env().clock.now();
    let known = known_tags(&headers);
    let (tag, tree) = cx
        .read(move |conn, outlet| -> db::Result<_> {
            let at = store::find_local_now(conn, outlet, now)?;
            let tag = etag(&store::find_conditions(conn, outlet, &at)?);
            if known.iter().any(|candidate| *candidate == tag || candidate == "*") {
                return Ok((tag, None));
            }
            Ok((tag, Some(store::find_tree(conn, outlet, &at, false)?)))
        })
        .await?;
    let mut response = match tree {
        None => StatusCode::NOT_MODIFIED.into_response(),
        Some(tree) => Data::new(tree).into_response(),
    };
    let headers = response.headers_mut();
    if let Ok(tag) = HeaderValue::from_str(&tag) {
        headers.insert(header::ETAG, tag);
    }
    headers.insert(header::CACHE_CONTROL, HeaderValue::from_static("private, no-cache"));
    headers.insert(header::VARY, HeaderValue::from_static("authorization, x-outlet-id"));
    Ok(response)
}

/// The tag of what the menu depends on. Weak comparison suffices: equal conditions show the same menu.
fn etag(conditions: &str) -> String {
    let hash = blake3::hash(conditions.as_bytes()).to_hex();
    format!("\"{}\"", hash.get(..32).unwrap_or_default())
}

/// The tags of `If-None-Match`, without their weakness.
fn known_tags(headers: &HeaderMap) -> Vec<String> {
    let values = headers.get_all(header::IF_NONE_MATCH).iter().filter_map(|value| value.to_str().ok());
    values
        .flat_map(|value| value.split(','))
        .map(|tag| tag.trim().trim_start_matches("W/").to_owned())
        .collect()
}
