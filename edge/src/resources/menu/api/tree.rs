//! `GET /menu`: the whole tree, or 304 when the client's is current.

use crate::access::Cx;
use crate::db;
use crate::http::{Data, Query, Result, etag, language};
use crate::resources::menu::rules::LocalNow;
use crate::resources::menu::store;
use crate::resources::outlets;
use axum::http::{HeaderMap, HeaderValue, header};
use axum::response::Response;

/// In which language.
#[apply(filters!)]
pub struct GetMenu {
    /// One of the outlet's `languages`; absent: the first of `Accept-Language` that is one of them.
    #[schemars(length(max = 40))]
    lang: Option<String>,
}

/// The whole menu with live availability, in the language that is asked for; `texts` has the others.
pub async fn get_menu(cx: Cx, headers: HeaderMap, Query(query): Query<GetMenu>) -> Result<Response> {
    let now = cx.db.env().clock.now();
    let (tag, language, tree) = cx
        .read(move |conn, outlet| -> db::Result<_> {
            let house = outlets::store::find(conn, outlet)?;
            let at = LocalNow::new(now, house.timezone);
            let chosen = language::choose(&house.languages, query.lang.as_deref(), &headers);
            let conditions = store::find_conditions(conn, outlet, &at)?;
            let tag = etag::of(&format!("{conditions}/{}", chosen.unwrap_or_default()));
            let tree = if etag::holds(&etag::known(&headers), &tag) {
                None
            } else {
                let mut tree = store::find_tree(conn, outlet, &at, false)?;
                tree.put_in(chosen);
                Some(tree)
            };
            Ok((tag, chosen.map(str::to_owned), tree))
        })
        .await?;
    let mut response = etag::answer(&tag, tree.map(Data::new));
    let vary = HeaderValue::from_static("authorization, x-outlet-id");
    response.headers_mut().insert(header::VARY, vary);
    language::label(response.headers_mut(), language.as_deref());
    Ok(response)
}
