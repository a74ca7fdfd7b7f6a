//! `GET /menu`: the whole tree, or 304 when the client's is current.

use crate::access::Cx;
use crate::db;
use crate::http::{Data, Result, etag};
use crate::resources::menu::store;
use axum::http::{HeaderMap, HeaderValue, header};
use axum::response::Response;

/// The whole menu with live availability.
pub async fn get_menu(cx: Cx, headers: HeaderMap) -> Result<Response> {
    let now = cx.db.env().clock.now();
    let known = etag::known(&headers);
    let (tag, tree) = cx
        .read(move |conn, outlet| -> db::Result<_> {
            let at = store::find_local_now(conn, outlet, now)?;
            let tag = etag::of(&store::find_conditions(conn, outlet, &at)?);
            if etag::holds(&known, &tag) {
                return Ok((tag, None));
            }
            Ok((tag, Some(store::find_tree(conn, outlet, &at, false)?)))
        })
        .await?;
    let mut response = etag::answer(&tag, tree.map(Data::new));
    let vary = HeaderValue::from_static("authorization, x-outlet-id");
    response.headers_mut().insert(header::VARY, vary);
    Ok(response)
}
