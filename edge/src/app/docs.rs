//! `/docs`: the reference page, and the guide for who calls the API, from files inside the binary. Never loads anything from
//! another host.

use crate::http::compress::{reads_gzip, unpack};
use crate::http::{Code, Path, Problem, Result};
use axum::Router;
use axum::http::{HeaderMap, HeaderName, header};
use axum::response::{IntoResponse, Response};
use axum::routing::get;

/// Only this server's own scripts and styles; the page draws its icons from `data:` and sets styles by attribute.
const POLICY: &str = "default-src 'none'; script-src 'self'; style-src 'self' 'unsafe-inline'; img-src 'self' data:; \
    connect-src 'self'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'";

/// The reference page, whose scripts read the document.
const PAGE: &str = include_str!("docs/reference.html");

/// What the page loads, compressed: the build script takes it from its archive.
const FILES: [(&str, &str, &[u8]); 3] = [
    (
        "swagger-ui-bundle.js",
        "text/javascript",
        include_bytes!(concat!(env!("OUT_DIR"), "/swagger-ui-bundle.js.gz")),
    ),
    ("swagger-ui.css", "text/css", include_bytes!(concat!(env!("OUT_DIR"), "/swagger-ui.css.gz"))),
    ("favicon-32x32.png", "image/png", include_bytes!(concat!(env!("OUT_DIR"), "/favicon-32x32.png.gz"))),
];

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

async fn get_file(Path(file): Path<String>, headers: HeaderMap) -> Result<Response> {
    if file == "start.js" {
        return Ok(answer("text/javascript; charset=utf-8", START).into_response());
    }
    let found = FILES.iter().find(|(name, ..)| *name == file);
    let (_, kind, packed) = found.ok_or_else(|| Problem::new(Code::NotFound).detail("No such page"))?;
    let varies = (header::VARY, "accept-encoding");
    if reads_gzip(&headers) {
        return Ok(answer(kind, ([varies, (header::CONTENT_ENCODING, "gzip")], *packed)).into_response());
    }
    let plain = unpack(packed).map_err(|_| Problem::new(Code::Internal))?;
    Ok(answer(kind, ([varies], plain)).into_response())
}
