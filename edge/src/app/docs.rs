//! `/docs`: the reference page, and the guide for who calls the API, from files inside the binary. Never loads anything from
//! another host.

use crate::http::{Code, Path, Problem, Result};
use axum::Router;
use axum::http::{HeaderName, header};
use axum::response::IntoResponse;
use axum::routing::get;
use std::sync::Arc;
use utoipa_swagger_ui::Config;

/// Only this server's own scripts and styles; the page draws its icons from `data:` and sets styles by attribute.
const POLICY: &str = "default-src 'none'; script-src 'self'; style-src 'self' 'unsafe-inline'; img-src 'self' data:; \
    connect-src 'self'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'";

/// The reference page, whose scripts read the document.
const PAGE: &str = include_str!("docs/reference.html");

/// What a client should know beside the fields of each route. A page of its own: it needs no script.
const GUIDE: &str = include_str!("docs/guide.html");

const START: &str = r##"SwaggerUIBundle({
  url: "/api/v1/openapi.json", dom_id: "#page", deepLinking: true, docExpansion: "none", filter: true,
  validatorUrl: null, presets: [SwaggerUIBundle.presets.apis], layout: "BaseLayout",
});
"##;

/// The two pages and what they load.
pub fn routes<S: Clone + Send + Sync + 'static>() -> Router<S> {
    let page = get(async || answer("text/html; charset=utf-8", PAGE));
    let guide = get(async || answer("text/html; charset=utf-8", GUIDE));
    Router::new()
        .route("/docs", page.clone())
        .route("/docs/", page)
        .route("/docs/guide", guide)
        .route("/docs/{file}", get(get_file))
}

fn answer<T: IntoResponse>(kind: &str, body: T) -> impl IntoResponse + use<T> {
    let headers = [
        (header::CONTENT_TYPE, kind.to_owned()),
        (header::CONTENT_SECURITY_POLICY, POLICY.to_owned()),
        (header::CACHE_CONTROL, "max-age=3600".to_owned()),
        (HeaderName::from_static("referrer-policy"), "no-referrer".to_owned()),
    ];
    (headers, body)
}

async fn get_file(Path(file): Path<String>) -> Result<impl IntoResponse> {
    if file == "start.js" {
        return Ok(answer("text/javascript; charset=utf-8", START.to_owned().into_bytes()));
    }
    let wanted = ["swagger-ui.css", "swagger-ui-bundle.js", "favicon-32x32.png"].contains(&file.as_str());
    let found = wanted.then(|| utoipa_swagger_ui::serve(&file, Arc::new(Config::default())).ok().flatten());
    let file = found.flatten().ok_or_else(|| Problem::new(Code::NotFound).detail("No such page"))?;
    Ok(answer(&file.content_type, file.bytes.into_owned()))
}
