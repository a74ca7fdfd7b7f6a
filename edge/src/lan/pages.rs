//! The pages of a box that anybody in its network may see: what its address opens, the sheet for tablets, the certificate of its authority. Never a
//! secret, never anything of the business but the outlet's name.

use super::{Reach, certificate, html, screens, sheet};
use crate::db::{self, Db, DbError, opt};
use crate::exchange::Footing;
use crate::http::client::TlsTrust;
use crate::http::host::Hosts;
use crate::http::{Code, Problem, Query, Result};
use crate::resources::auth::api::cookies::PAIRING_PATH;
use axum::Router;
use axum::extract::Request;
use axum::http::{HeaderValue, StatusCode, header};
use axum::middleware::{Next, from_fn, map_response};
use axum::response::{IntoResponse, Response};
use axum::routing::get;
use maud::{Markup, html};
use schemars::JsonSchema;
use serde::Deserialize;
use std::net::SocketAddr;
use std::path::PathBuf;
use std::sync::Arc;

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
            h2 { "Screens" }
            ul.screens {
                @for (screen, about) in screens::STAFFS {
                    li { a.button href=(screen.path) { b { (screen.title) } (about) } }
                }
            }
            p {
                "Tills, tablets and kitchen displays call it at " b { (self.reach.address()) } ": enter this address there."
            }
            h2 { "A new screen" }
            ol.steps {
                @if certificate::is_offered(&self.folder, &self.reach) {
                    li { "Let it trust this box first: " a href="/certificate" { "the certificate" } ", once." }
                }
                li { "At the screen: " a href=(PAIRING_PATH) { "pair this screen" } "." }
                @for step in sheet::PAIRING { li { (step) } }
            }
            h2 { "More" }
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

/// Says on every page of `app`, while another box has taken this one's place, its key was withdrawn, or it is not known which of two goes
/// on, that this one is not the branch's.
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
    let (mut parts, body) = page.into_parts();
    let Ok(bytes) = axum::body::to_bytes(body, PAGE_BYTES).await else {
        return Problem::new(Code::Internal).into_response();
    };
    // Marked by the browser itself: what a page may look like is in its policy.
    let sign = html! { p role="alert" { mark { b { (words) } } } }.into_string();
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
        Footing::Revoked => Some(
            "This box is no longer the branch's: head office does not know its key any more. Enrol it again, or do not sell here.",
        ),
        Footing::Fork => {
            Some("Two boxes speak for this branch, and head office must decide: do not sell here.")
        }
        _ => None,
    }
}

fn own_standing(from: &dyn crate::db::Source) -> db::Result<Option<Footing>> {
    opt(from, "SELECT standing FROM sync_peer WHERE id = 1", [], |row| row.get(0))
}

/// The door without TLS, as far as the staff's machines go.
#[derive(Clone)]
pub struct Clear {
    /// The names this server answers to.
    pub hosts: Hosts,
    /// Where TLS is.
    pub port: u16,
    /// Whether programs are refused rather than sent there.
    pub refuses: bool,
    /// Nobody is sent there before a device has shown that it believes the certificate.
    pub awaits: Option<TlsTrust>,
    /// For the address of the error's explanation.
    pub public_url: Arc<str>,
}

/// What becomes of a request in clear.
#[derive(Debug, PartialEq, Eq)]
enum Way {
    /// It goes on.
    On,
    /// It is sent to the door with TLS.
    To(HeaderValue),
    /// It is refused: there is TLS.
    No,
}

/// Puts in front of `app`, for the door without TLS, what sends the staff's machines to the one with TLS. This machine itself, guests, the
/// certificate page and the questions whether the box is up go on without.
pub fn to_tls<S: Clone + Send + Sync + 'static>(app: Router<S>, clear: Clear) -> Router<S> {
    app.layer(from_fn(move |request: Request, next: Next| {
        let clear = clear.clone();
        async move {
            match clear.way(&request) {
                Way::On => next.run(request).await,
                Way::To(location) => {
                    let headers = [(header::LOCATION, location), (header::CONNECTION, CLOSE)];
                    (StatusCode::PERMANENT_REDIRECT, headers).into_response()
                }
                Way::No => {
                    let detail =
                        "Staff call this branch with TLS alone; its certificate is on the page /certificate";
                    let problem = Problem::new(Code::TlsRequired).detail(detail);
                    let mut response = problem.rendered(&clear.public_url, request.uri().path());
                    response.headers_mut().insert(header::CONNECTION, CLOSE);
                    response
                }
            }
        }
    }))
}

/// What is carried over in clear is as little as possible.
const CLOSE: HeaderValue = HeaderValue::from_static("close");

impl Clear {
    fn way(&self, request: &Request) -> Way {
        if self.awaits.as_ref().is_some_and(|trust| !trust.is_shown()) {
            return Way::On;
        }
        let peer = request.extensions().get::<axum::extract::ConnectInfo<SocketAddr>>();
        if peer.is_none_or(|peer| peer.0.ip().to_canonical().is_loopback()) {
            return Way::On;
        }
        let path = request.uri().path();
        let api = path
            .strip_prefix("/api/v1")
            .or_else(|| path.strip_prefix("/v1"))
            .filter(|rest| rest.starts_with('/'));
        let is_open =
            ["/health", "/ready", "/certificate"].contains(&path) || path.starts_with("/certificate/");
        if is_open || path.starts_with("/t/") || path.starts_with("/r/") || api.is_some_and(is_guests) {
            return Way::On;
        }
        // A host that is none of ours is refused further in.
        let host = request.headers().get(header::HOST).and_then(|host| host.to_str().ok());
        let Some(host) = host.filter(|host| self.hosts.knows(host)) else { return Way::On };
        if self.refuses && api.is_some() {
            return Way::No;
        }
        let authority = host.parse::<axum::http::uri::Authority>();
        let rest = request.uri().path_and_query().map_or("/", |rest| rest.as_str());
        let to = authority.map(|authority| format!("https://{}:{}{rest}", authority.host(), self.port));
        to.ok().and_then(|to| HeaderValue::from_str(&to).ok()).map_or(Way::On, Way::To)
    }
}

/// Whether a path of the API is one that guests' phones call.
fn is_guests(path: &str) -> bool {
    path.starts_with("/orders/tables/") || path == "/tickets/feedback"
}

/// `app` for the door with TLS; where the certificate is the operator's, and so believed by every browser, they are told to stay with it.
pub fn with_hsts<S: Clone + Send + Sync + 'static>(app: Router<S>, is_believed: bool) -> Router<S> {
    if !is_believed {
        return app;
    }
    app.layer(map_response(async |mut response: Response| {
        let year = HeaderValue::from_static("max-age=31536000");
        response.headers_mut().insert(header::STRICT_TRANSPORT_SECURITY, year);
        response
    }))
}

#[cfg(test)]
mod tests {
    use super::*;
    use axum::body::Body;
    use axum::extract::ConnectInfo;

    fn asked(peer: &str, host: &str, path: &str) -> Way {
        let mut request = Request::get(path).header("host", host).body(Body::empty()).unwrap();
        request.extensions_mut().insert(ConnectInfo(SocketAddr::new(peer.parse().unwrap(), 5000)));
        clear(false).way(&request)
    }

    fn clear(refuses: bool) -> Clear {
        Clear { hosts: Hosts::default(), port: 8443, refuses, awaits: None, public_url: "".into() }
    }

    fn sent(to: &str) -> Way {
        Way::To(HeaderValue::from_str(to).unwrap())
    }

    #[test]
    fn other_machines_are_sent_to_tls_except_for_the_certificate_that_they_need_first() {
        let tablet = "192.168.1.30";
        let to = asked(tablet, "blr1.local:8080", "/api/v1/menu?x=1");
        assert_eq!(to, sent("https://blr1.local:8443/api/v1/menu?x=1"));
        assert_eq!(asked(tablet, "[fd00::1]:8080", "/"), sent("https://[fd00::1]:8443/"));
        let guests = [
            "/api/v1/orders/tables/AAAA/menu",
            "/v1/orders/tables/AAAA/orders",
            "/v1/tickets/feedback",
            "/t/AAAA",
            "/r/AAAA",
        ];
        for path in ["/certificate", "/certificate/tiffin-ca.crt", "/health"].into_iter().chain(guests) {
            assert_eq!(asked(tablet, "blr1.local", path), Way::On, "{path}");
        }
        assert_eq!(
            asked(tablet, "blr1.local", "/v1/tickets/feedback/summary"),
            sent("https://blr1.local:8443/v1/tickets/feedback/summary")
        );
        assert_eq!(asked("127.0.0.1", "blr1.local", "/"), Way::On);
        assert_eq!(asked(tablet, "evil.example", "/"), Way::On);
    }

    #[tokio::test]
    async fn browsers_stay_with_a_certificate_that_everybody_believes_and_with_no_other() {
        for is_believed in [true, false] {
            let app: Router<()> = Router::new().route("/", get(async || "here"));
            let asked = Request::get("/").body(Body::empty()).unwrap();
            let answer = tower::Service::call(&mut with_hsts(app, is_believed), asked).await.unwrap();
            assert_eq!(answer.headers().contains_key(header::STRICT_TRANSPORT_SECURITY), is_believed);
        }
    }

    #[test]
    fn without_a_setting_nobody_is_sent_to_tls_before_a_device_believed_the_certificate() {
        let trust = TlsTrust::default();
        let way = || {
            let mut request =
                Request::get("/v1/menu").header("host", "blr1.local").body(Body::empty()).unwrap();
            let peer = SocketAddr::new("192.168.1.30".parse().unwrap(), 5000);
            request.extensions_mut().insert(ConnectInfo(peer));
            Clear { awaits: Some(trust.clone()), ..clear(false) }.way(&request)
        };
        assert_eq!((way(), trust.to_be_shown()), (Way::On, None));
        trust.begin("AB:CD".into(), Some("of another box"));
        assert_eq!((way(), trust.to_be_shown()), (Way::On, Some("AB:CD".into())));
        trust.show();
        assert_eq!((way(), trust.to_be_shown()), (sent("https://blr1.local:8443/v1/menu"), None));
    }

    #[test]
    fn where_clear_text_is_refused_programs_are_told_so_and_pages_are_sent_on() {
        let way = |path: &str| {
            let mut request = Request::get(path).header("host", "blr1.local").body(Body::empty()).unwrap();
            request
                .extensions_mut()
                .insert(ConnectInfo(SocketAddr::new("192.168.1.30".parse().unwrap(), 5000)));
            clear(true).way(&request)
        };
        assert_eq!([way("/api/v1/auth/login"), way("/v1/auth/pin")], [Way::No, Way::No]);
        assert_eq!(way("/sheet"), sent("https://blr1.local:8443/sheet"));
        assert_eq!(way("/v1/orders/tables/AAAA/menu"), Way::On);
    }
}
