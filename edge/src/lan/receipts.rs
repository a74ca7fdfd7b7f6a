//! `/r/{code}`: the bill on the phone of the guest who has it, by the code that is printed on it. What the paper says and nothing besides, in the
//! language of the phone. Never needs a script, a sign-in or another machine.

use crate::db::Db;
use crate::http::limit::{self, Class, Limits};
use crate::http::{Path, Query, Result};
use crate::paper::{Row, in_language, preferred};
use crate::resources::orders::actions::receipts::{self, Shown};
use crate::resources::orders::receipt_page as page;
use crate::resources::orders::rules::OrderError;
use axum::Router;
use axum::http::{HeaderMap, StatusCode, header};
use axum::response::Response;
use axum::routing::get;
use schemars::JsonSchema;
use serde::Deserialize;

/// The page.
pub fn routes<S: Clone + Send + Sync + 'static>(db: Db, limits: Limits) -> Router<S> {
    let shows =
        get(async move |Path(code): Path<String>, Query(query): Query<Wanted>, headers: HeaderMap| {
            shown(&db, code, query.lang, &headers).await
        });
    Router::new().route("/r/{code}", limit::layer(shows, limits, Class::QrMenu))
}

/// How the page is wanted.
#[derive(Debug, Default, Deserialize, JsonSchema)]
struct Wanted {
    /// The language, such as `hi`; what the phone asks for where absent.
    lang: Option<String>,
}

/// What is behind the code; that it is no bill's where it is none.
async fn shown(db: &Db, code: String, lang: Option<String>, headers: &HeaderMap) -> Result<Response> {
    let asked = headers.get(header::ACCEPT_LANGUAGE).and_then(|value| value.to_str().ok());
    let language = lang.as_deref().and_then(preferred).or_else(|| asked.and_then(preferred));
    let found =
        db.read(move |conn| -> Result<_, OrderError> { receipts::on_phone(conn, &code, language) }).await?;
    let is_there = found.is_some();
    let found = found.unwrap_or_else(|| Shown {
        rows: vec![Row::Centre("No bill has this code".into())],
        title: "404".into(),
        page: None,
    });
    let status = if is_there { StatusCode::OK } else { StatusCode::NOT_FOUND };
    Ok(page(status, &found.title, language, &in_language(found.rows, language)))
}
