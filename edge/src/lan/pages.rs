//! The pages of a box that anybody in its network may see: what its address opens, the sheet for tablets, the certificate of its authority. Never a
//! secret, never anything of the business but the outlet's name.

use super::{Reach, certificate, html, sheet};
use crate::db::{self, Db, DbError, opt};
use crate::exchange::Footing;
use crate::http::host::Hosts;
use crate::http::{Code, Problem, Query, Result};
use axum::Router;
use axum::extract::Request;
use axum::http::{HeaderValue, StatusCode, header};
use axum::middleware::{Next, from_fn};
use axum::response::{IntoResponse, Response};
use axum::routing::get;
use maud::{Markup, html};
use schemars::JsonSchema;
use serde::Deserialize;
use std::net::SocketAddr;
use std::path::PathBuf;

/// What the pages are made from. Cheap to clone.
#[derive(Clone)]
pub struct Pages {
    db: Db,
    reach: Reach,
    folder: PathBuf,
}

/// What the sheet may say besides.
#[derive(Debug, Default, Deserialize, JsonSchema)]
struct SheetQuery {
    /// Name of the Wi-Fi that tablets join first; a line to fill in by hand otherwise.
    wifi: Option<String>,
}

impl Pages {
    /// The pages of the branch `db` that is called by `reach`.
    pub fn new(db: Db, reach: Reach) -> Pages {
        let folder = db.path().parent().map(super::tls::folder).unwrap_or_default();
        Pages { db, reach, folder }
    }

    /// Their routes.
    pub fn routes<S: Clone + Send + Sync + 'static>(self) -> Router<S> {
        let certificates =
            certificate::routes(self.folder.clone(), self.reach.clone(), self.db.env().clone());
        let (home, sheet, closed) = (self.clone(), self.clone(), self);
        let home = get(async move || home.home().await);
        let sheet = get(async move |Query(query): Query<SheetQuery>| sheet.sheet(query).await);
        let again = closed.clone();
        let closed = get(async move || closed.closed()).post(async move || again.closed());
        Router::new()
            .route("/", home)
            .route("/sheet", sheet)
            .route("/setup", closed.clone())
            .route("/setup/progress", closed)
            .merge(certificates)
    }

    /// What who scans or types the address sees.
    async fn home(&self) -> Result<Response> {
        let outlet = self.db.read(own_outlet).await.map_err(|error: DbError| Problem::from(error))?;
        let body = html! {
            p.good { "This branch is open." }
            p {
                "Tills, tablets and kitchen displays call it at " b { (self.reach.address()) } ": enter this address there."
            }
            (self.links())
        };
        Ok(html::send(StatusCode::OK, html::page(&outlet.unwrap_or_default(), body), self.db.env()))
    }

    /// What is there after the setup: it was, and is no more.
    fn closed(&self) -> Response {
        let body = html! {
            p.good { "This box is set up and open; its setup page is closed for good." }
            (self.links())
        };
        html::send(StatusCode::GONE, html::page("Already set up", body), self.db.env())
    }

    /// The way to the other pages.
    fn links(&self) -> Markup {
        html! {
            ul.steps {
                li { a href="/sheet" { "The sheet for tablets" } ", to print" }
                @if certificate::is_offered(&self.folder, &self.reach) {
                    li { a href="/certificate" { "The certificate" } ", for tablets that shall call it safely" }
                }
                li { a href="/docs" { "The description of its API" } }
            }
        }
    }

    async fn sheet(&self, query: SheetQuery) -> Result<Response> {
        let outlet = self.db.read(own_outlet).await.map_err(|error: DbError| Problem::from(error))?;
        let wifi = query.wifi.filter(|name| !name.trim().is_empty());
        let sheet = sheet::Sheet {
            outlet: outlet.unwrap_or_default(),
            wifi,
            has_certificate: certificate::is_offered(&self.folder, &self.reach),
            reach: self.reach.clone(),
            alarm: html::alarm(self.db.env()),
        };
        let page = sheet.html().map_err(|error| {
            tracing::error!(%error, "the sheet could not be drawn");
            Problem::new(Code::Internal)
        })?;
        Ok(html::send_as_it_is(StatusCode::OK, page))
    }
}

/// The name of the outlet this box serves.
pub fn own_outlet(from: &dyn crate::db::Source) -> db::Result<Option<String>> {
    const OWN: &str = "SELECT name FROM outlets
        ORDER BY id = (SELECT outlet_id FROM box) DESC, id LIMIT 1";
    opt(from, OWN, [], |row| row.get(0))
}

/// Says on every page of `app`, while another box has taken this one's place or it is not known which of two goes on, that this one is not
/// the branch's.
pub fn disown<S: Clone + Send + Sync + 'static>(app: Router<S>, db: Db) -> Router<S> {
    app.layer(from_fn(move |request: Request, next: Next| {
        let db = db.clone();
        async move {
            let response = next.run(request).await;
            let kind = response.headers().get(header::CONTENT_TYPE).map(HeaderValue::as_bytes);
            if kind.is_none_or(|kind| !kind.starts_with(b"text/html")) {
                return response;
            }
            match db.read(own_standing).await.ok().flatten().and_then(disowned) {
                Some(words) => signed(response, words).await,
                None => response,
            }
        }
    }))
}

/// The page with `words` at its head.
async fn signed(page: Response, words: &str) -> Response {
    const LOUD: &str = "background:#b00020;color:#fff;padding:1em;margin:0";
    let (mut parts, body) = page.into_parts();
    let Ok(bytes) = axum::body::to_bytes(body, PAGE_BYTES).await else {
        return Problem::new(Code::Internal).into_response();
    };
    let sign = html! { p role="alert" style=(LOUD) { b { (words) } } }.into_string();
    let page = String::from_utf8_lossy(&bytes).replacen("<body>", &format!("<body>{sign}"), 1);
    parts.headers.remove(header::CONTENT_LENGTH);
    Response::from_parts(parts, page.into())
}

/// The largest page.
const PAGE_BYTES: usize = 4 << 20;

fn disowned(standing: Footing) -> Option<&'static str> {
    match standing {
        Footing::Fenced => {
            Some("This box is no longer the branch's: another has taken its place. Do not sell here.")
        }
        Footing::Fork => {
            Some("Two boxes speak for this branch, and head office must decide: do not sell here.")
        }
        _ => None,
    }
}

fn own_standing(from: &dyn crate::db::Source) -> db::Result<Option<Footing>> {
    opt(from, "SELECT standing FROM sync_peer WHERE id = 1", [], |row| row.get(0))
}

/// Puts in front of `app`, for the door without TLS, what sends other machines to the one with TLS on `port`. This machine
/// itself, the certificate page and the questions whether the box is up go on without.
pub fn redirect<S: Clone + Send + Sync + 'static>(app: Router<S>, hosts: Hosts, port: u16) -> Router<S> {
    app.layer(from_fn(move |request: Request, next: Next| {
        let hosts = hosts.clone();
        async move {
            match elsewhere(&request, &hosts, port) {
                Some(location) => {
                    let headers = [(header::LOCATION, location), (header::CONNECTION, CLOSE)];
                    (StatusCode::PERMANENT_REDIRECT, headers).into_response()
                }
                None => next.run(request).await,
            }
        }
    }))
}

/// What is carried over in clear is as little as possible.
const CLOSE: HeaderValue = HeaderValue::from_static("close");

fn elsewhere(request: &Request, hosts: &Hosts, port: u16) -> Option<HeaderValue> {
    let peer = request.extensions().get::<axum::extract::ConnectInfo<SocketAddr>>();
    if peer.is_none_or(|peer| peer.0.ip().to_canonical().is_loopback()) {
        return None;
    }
    let path = request.uri().path();
    if path == "/health" || path == "/ready" || path == "/certificate" || path.starts_with("/certificate/") {
        return None;
    }
    // A host that is none of ours is refused further in.
    let host = request.headers().get(header::HOST)?.to_str().ok().filter(|host| hosts.knows(host))?;
    let authority: axum::http::uri::Authority = host.parse().ok()?;
    let rest = request.uri().path_and_query().map_or("/", |rest| rest.as_str());
    HeaderValue::from_str(&format!("https://{}:{port}{rest}", authority.host())).ok()
}

#[cfg(test)]
mod tests {
    use super::*;
    use axum::body::Body;
    use axum::extract::ConnectInfo;

    fn asked(peer: &str, host: &str, path: &str) -> Option<String> {
        let mut request = Request::get(path).header("host", host).body(Body::empty()).unwrap();
        request.extensions_mut().insert(ConnectInfo(SocketAddr::new(peer.parse().unwrap(), 5000)));
        elsewhere(&request, &Hosts::default(), 8443).map(|location| location.to_str().unwrap().to_owned())
    }

    #[test]
    fn other_machines_are_sent_to_tls_except_for_the_certificate_that_they_need_first() {
        let tablet = "192.168.1.30";
        let sent = asked(tablet, "blr1.local:8080", "/api/v1/menu?x=1");
        assert_eq!(sent.unwrap(), "https://blr1.local:8443/api/v1/menu?x=1");
        assert_eq!(asked(tablet, "[fd00::1]:8080", "/").unwrap(), "https://[fd00::1]:8443/");
        for path in ["/certificate", "/certificate/tiffin-ca.crt", "/health"] {
            assert_eq!(asked(tablet, "blr1.local", path), None, "{path}");
        }
        assert_eq!(asked("127.0.0.1", "blr1.local", "/"), None);
        assert_eq!(asked(tablet, "evil.example", "/"), None);
    }
}
