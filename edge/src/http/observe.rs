//! What is seen of every request: its id, one log line, its place in the metrics. Never logs a path (QR tokens are part of
//! paths), a body, a query, a token or a PIN; never lets a handler run for ever or its panic end the connection.

use super::client::ClientAddress;
use super::error::{Code, Problem, Result};
use super::finish::RequestId;
use super::host::Hosts;
use super::metrics::Metrics;
use crate::config::{Bodies, Network, Secret};
use crate::db::Env;
use axum::body::HttpBody;
use axum::extract::{MatchedPath, Request, State};
use axum::http::{HeaderMap, HeaderName, HeaderValue, header};
use axum::middleware::Next;
use axum::response::{IntoResponse, Response};
use futures_util::FutureExt;
use ipnet::IpNet;
use std::panic::AssertUnwindSafe;
use std::sync::{Arc, OnceLock};
use std::time::{Duration, Instant};
use tiffin_common::Uuid;

/// `x-request-id`, taken from the client when it is sane and echoed always.
const REQUEST_ID: HeaderName = HeaderName::from_static("x-request-id");

/// Longest request id taken from a client.
const REQUEST_ID_CHARS: usize = 128;

/// What the layers around every handler need. Cheap to clone.
#[derive(Clone)]
pub struct Frame {
    /// Counts every answer.
    pub metrics: Metrics,
    /// The names this server answers to.
    pub hosts: Hosts,
    /// Largest bodies.
    pub bodies: Bodies,
    /// Bearer token that reads the metrics from another machine.
    pub metrics_token: Option<Secret>,
    proxies: Arc<[IpNet]>,
    request_timeout: Duration,
    env: Env,
}

impl Frame {
    /// The frame of a configured server.
    pub fn new(network: &Network, bodies: Bodies, metrics_token: Option<Secret>, env: Env) -> Self {
        Frame {
            metrics: Metrics::default(),
            hosts: Hosts::new(network),
            bodies,
            metrics_token,
            proxies: network.trusted_proxies.clone().into(),
            request_timeout: network.request_timeout,
            env,
        }
    }

    /// The same frame for routes whose answers may take as long as this to begin.
    #[must_use]
    pub fn with_request_timeout(self, request_timeout: Duration) -> Self {
        Frame { request_timeout, ..self }
    }

    /// Lets this machine read the metrics, and who bears the token. Compares hashes, which takes the same time wherever the texts
    /// differ.
    ///
    /// # Errors
    /// 401 for everybody else.
    pub fn may_read_metrics(&self, client: &ClientAddress, headers: &HeaderMap) -> Result<()> {
        let given =
            headers.get(header::AUTHORIZATION).and_then(|value| value.to_str().ok()?.strip_prefix("Bearer "));
        let hash = |text: &str| blake3::hash(text.as_bytes());
        let wanted = self.metrics_token.as_ref().map(|token| hash(token.reveal()));
        let bears_token = given.is_some_and(|given| Some(hash(given)) == wanted);
        if client.is_this_machine() || bears_token {
            return Ok(());
        }
        Err(Problem::new(Code::Unauthorized).detail("The metrics token is needed from another machine"))
    }
}

/// Whom a request was served as: the guard leaves it in the response's extensions, for the log line.
#[derive(Debug, Clone, Copy)]
pub struct Served {
    /// The account.
    pub account: Uuid,
    /// The outlet.
    pub outlet: Uuid,
}

/// Where the routes of an application say which of them answers, where they lie below one that has no path.
#[derive(Debug, Clone, Default)]
struct Route(Arc<OnceLock<MatchedPath>>);

/// The layer of each route below a layer that stands before all of them: tells [`observe`] its name.
pub async fn name_route(request: Request, next: Next) -> Response {
    let (asked, path) = (request.extensions().get::<Route>(), request.extensions().get::<MatchedPath>());
    if let (Some(Route(asked)), Some(path)) = (asked, path) {
        asked.get_or_init(|| path.clone());
    }
    next.run(request).await
}

/// The outermost layer: gives the request its id and client address, and tells of its answer.
pub async fn observe(State(frame): State<Frame>, mut request: Request, next: Next) -> Response {
    let started = Instant::now();
    let id = request_id(&request).unwrap_or_else(|| frame.env.ids.next(frame.env.clock.now()).to_string());
    let client = ClientAddress::of(request.headers(), request.extensions(), &frame.proxies);
    let is_api = ["/api/", "/v1/"].iter().any(|prefix| request.uri().path().starts_with(prefix));
    let method = request.method().clone();
    let route = Route::default();
    if let Some(path) = request.extensions().get::<MatchedPath>() {
        route.0.get_or_init(|| path.clone());
    }
    request.extensions_mut().insert(route.clone());
    request.extensions_mut().insert(client);
    request.extensions_mut().insert(RequestId(id.clone()));

    let mut response = next.run(request).await;

    if let Ok(value) = HeaderValue::from_str(&id) {
        response.headers_mut().insert(REQUEST_ID, value);
    }
    response.headers_mut().insert(header::X_CONTENT_TYPE_OPTIONS, HeaderValue::from_static("nosniff"));
    // What says nothing of its own (the menu does) is kept by nobody on the way: answers hold wages, names and figures.
    if is_api && !response.headers().contains_key(header::CACHE_CONTROL) {
        response.headers_mut().insert(header::CACHE_CONTROL, HeaderValue::from_static("no-store"));
    }
    let took = started.elapsed();
    let route = route.0.get().map_or("unmatched", MatchedPath::as_str);
    let status = response.status().as_u16();
    frame.metrics.record(&method, route, status, took);
    let served = response.extensions().get::<Served>();
    let line = Line {
        method: method.as_str(),
        route,
        status,
        duration_ms: format!("{}.{:03}", took.as_millis(), took.as_micros() % 1000),
        bytes: response.body().size_hint().exact(),
        request_id: &id,
        client: client.ip.to_string(),
        account: served.map(|who| who.account.to_string()),
        outlet: served.map(|who| who.outlet.to_string()),
    };
    line.write();
    response
}

/// The client's own id, when it can be echoed and logged as it is.
fn request_id(request: &Request) -> Option<String> {
    let text = request.headers().get(REQUEST_ID)?.to_str().ok()?;
    let sane = (1..=REQUEST_ID_CHARS).contains(&text.len()) && text.bytes().all(|b| b.is_ascii_graphic());
    sane.then(|| text.to_owned())
}

/// The one log line of a request. Units in names.
struct Line<'a> {
    method: &'a str,
    route: &'a str,
    status: u16,
    duration_ms: String,
    bytes: Option<u64>,
    request_id: &'a str,
    client: String,
    account: Option<String>,
    outlet: Option<String>,
}

impl Line<'_> {
    fn write(&self) {
        macro_rules! line {
            ($level:ident) => {
                tracing::$level!(
                    target: "request",
                    method = self.method,
                    route = self.route,
                    status = self.status,
                    duration_ms = self.duration_ms,
                    bytes = self.bytes,
                    request_id = self.request_id,
                    client = self.client,
                    account = self.account,
                    outlet = self.outlet,
                )
            };
        }
        if self.status >= 500 { line!(error) } else { line!(info) }
    }
}

/// The innermost layer: a handler that takes too long is answered for with 503, one that panics with 500. What a handler
/// had already handed to the writer still commits; the client's idempotency key finds it.
pub async fn bound(State(frame): State<Frame>, request: Request, next: Next) -> Response {
    let answer = AssertUnwindSafe(next.run(request)).catch_unwind();
    match tokio::time::timeout(frame.request_timeout, answer).await {
        Ok(Ok(response)) => response,
        Ok(Err(panic)) => {
            let text = panic.downcast_ref::<&str>().copied().map(str::to_owned);
            let text = text.or_else(|| panic.downcast_ref::<String>().cloned()).unwrap_or_default();
            tracing::error!(panic = text, "a handler panicked");
            Problem::new(Code::Internal).into_response()
        }
        Err(_) => {
            let detail = "The request took too long. It may be sent again with the same Idempotency-Key.";
            Problem::new(Code::Unavailable).detail(detail).retry_after(1).into_response()
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::config::{Config, Sources};
    use axum::Router;
    use axum::body::Body;
    use axum::middleware::{from_fn, from_fn_with_state};
    use axum::routing::get;
    use tower::Service;

    fn frame() -> Frame {
        let config = Config::resolve(&Sources::default()).unwrap();
        let frame = Frame::new(&config.network, config.bodies, config.metrics.token, Env::system());
        Frame { request_timeout: Duration::from_millis(20), ..frame }
    }

    fn app(frame: &Frame) -> Router {
        async fn explode() -> &'static str {
            panic!("boom")
        }
        Router::new()
            .route("/fine/{token}", get(async || "fine"))
            .route("/panic", get(explode))
            .route("/slow", get(async || std::future::pending::<&str>().await))
            .layer(from_fn_with_state(frame.clone(), bound))
            .layer(from_fn_with_state(frame.clone(), observe))
    }

    #[tokio::test]
    async fn a_route_below_a_layer_before_all_of_them_is_named_whatever_becomes_of_the_request() {
        let frame = frame();
        let routes = Router::new()
            .route("/gone/{token}", get(async || -> &'static str { panic!("boom") }))
            .layer(from_fn(name_route));
        let mut app = Router::new()
            .fallback_service(routes)
            .layer(from_fn_with_state(frame.clone(), bound))
            .layer(from_fn_with_state(frame.clone(), observe));
        ask(&mut app, "/gone/secret-token", "a").await;
        ask(&mut app, "/nowhere/secret-token", "a").await;
        let text = frame.metrics.text(Default::default());
        assert!(text.contains("route=\"/gone/{token}\",status=\"500\""), "{text}");
        assert!(text.contains("route=\"unmatched\",status=\"404\"") && !text.contains("secret"), "{text}");
    }

    async fn ask(app: &mut Router, path: &str, id: &str) -> Response {
        let request = Request::get(path).header("x-request-id", id).body(Body::empty()).unwrap();
        app.call(request).await.unwrap()
    }

    #[tokio::test]
    async fn a_sane_request_id_is_echoed_and_any_other_replaced() {
        let mut app = app(&frame());
        let echoed = async |app: &mut Router, path: &str, id: &str| {
            ask(app, path, id).await.headers()["x-request-id"].to_str().unwrap().to_owned()
        };
        assert_eq!(echoed(&mut app, "/fine/1", "till-7/42").await, "till-7/42");
        assert_eq!(echoed(&mut app, "/nowhere", "till-7").await, "till-7");
        let long = "x".repeat(129);
        for id in ["", "a b", long.as_str()] {
            let made = echoed(&mut app, "/fine/1", id).await;
            assert!(Uuid::parse_str(&made).is_ok(), "{made}");
        }
    }

    #[tokio::test]
    async fn a_panic_is_500_and_a_handler_that_never_ends_is_503() {
        let mut app = app(&frame());
        assert_eq!(ask(&mut app, "/panic", "a").await.status(), 500);
        let slow = ask(&mut app, "/slow", "a").await;
        assert_eq!((slow.status().as_u16(), slow.headers()["retry-after"].to_str().unwrap()), (503, "1"));
        assert_eq!(ask(&mut app, "/fine/1", "a").await.status(), 200);
    }

    #[tokio::test]
    async fn metrics_name_routes_and_never_paths() {
        let frame = frame();
        let mut app = app(&frame);
        ask(&mut app, "/fine/secret-token", "a").await;
        ask(&mut app, "/nowhere/secret-token", "a").await;
        let text = frame.metrics.text(Default::default());
        assert!(text.contains("route=\"/fine/{token}\",status=\"200\""), "{text}");
        assert!(text.contains("route=\"unmatched\",status=\"404\"") && !text.contains("secret"), "{text}");
    }
}
