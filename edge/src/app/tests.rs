//! The system routes and the layers around every route, over the whole application.

use super::*;
use crate::config::Sources;
use axum::body::{Body, to_bytes};
use axum::extract::{ConnectInfo, Request};
use axum::http::HeaderMap;
use serde_json::Value;
use std::net::SocketAddr;
use tempfile::TempDir;
use tower::Service;

struct App {
    router: Router,
    _folder: TempDir,
}

struct Answer {
    status: u16,
    headers: HeaderMap,
    text: String,
}

impl Answer {
    fn header(&self, name: &str) -> &str {
        self.headers.get(name).map_or("", |value| value.to_str().unwrap())
    }

    fn json(&self) -> Value {
        serde_json::from_str(&self.text).unwrap()
    }
}

impl App {
    fn new(flags: &[(&'static str, &str)]) -> App {
        let folder = tempfile::tempdir().unwrap();
        let flags = flags.iter().map(|(name, value)| (*name, (*value).to_owned())).collect();
        let config = Config::resolve(&Sources { flags, ..Sources::default() }).unwrap();
        let data = DataDir::open(folder.path()).unwrap();
        let state = open(&config, &data, Env::system(), "http://tiffin.local", &Shutdown::new()).unwrap();
        App { router: router(state), _folder: folder }
    }

    async fn get(&mut self, path: &str) -> Answer {
        self.ask(path, "127.0.0.1", &[]).await
    }

    async fn ask(&mut self, path: &str, peer: &str, headers: &[(&str, &str)]) -> Answer {
        let mut request = Request::get(path);
        for (name, value) in headers {
            request = request.header(*name, *value);
        }
        let mut request = request.body(Body::empty()).unwrap();
        request.extensions_mut().insert(ConnectInfo(SocketAddr::new(peer.parse().unwrap(), 5000)));
        let response = self.router.call(request).await.unwrap();
        let (parts, body) = response.into_parts();
        let bytes = to_bytes(body, usize::MAX).await.unwrap();
        let text = String::from_utf8_lossy(&bytes).into_owned();
        Answer { status: parts.status.as_u16(), headers: parts.headers, text }
    }
}

#[test]
fn a_box_that_an_earlier_version_set_up_learns_which_outlet_it_is() {
    let folder = tempfile::tempdir().unwrap();
    let data = DataDir::open(folder.path()).unwrap();
    crate::secrets::load_or_create(data.path(), &*Env::system().random).unwrap();
    let [first, second] = {
        let db = Db::open(&Options::new(data.database()), Env::system()).unwrap();
        db.write_blocking(|tx| -> Result<_, outlets::rules::OutletError> {
            let actor = crate::access::Actor::system(tiffin_common::Uuid::nil());
            let make = |code| outlets::actions::create(tx, &actor, outlets::rules::NewOutlet::sample(code));
            Ok([make("BLR1")?.id, make("BLR2")?.id])
        })
        .unwrap()
    };
    let forget = |to: Option<tiffin_common::Uuid>| {
        let conn = rusqlite::Connection::open(data.database()).unwrap();
        conn.execute("UPDATE box SET outlet_id = ?1", [to]).unwrap();
    };
    let own = || {
        let config = Config::resolve(&Sources::default()).unwrap();
        let state = open(&config, &data, Env::system(), "http://tiffin.local", &Shutdown::new()).unwrap();
        state.db.read_blocking(|from| outlets::store::find_box_outlet(from)).unwrap()
    };
    assert_eq!(own(), Some(first), "the one it was set up with");
    forget(Some(second));
    assert_eq!(own(), Some(second), "what it knows stays");
    forget(None);
    sync::Enrolment::sample(second).save(data.path()).unwrap();
    assert_eq!(own(), Some(second), "the one head office knows it as");
}

#[tokio::test]
async fn the_process_says_how_it_is() {
    let mut app = App::new(&[]);
    assert_eq!(app.get("/health").await.json()["data"]["status"], "up");
    assert_eq!(app.get("/ready").await.json()["data"]["status"], "ready");
    for prefix in ["/api/v1", "/v1"] {
        let status = app.get(&format!("{prefix}/status")).await;
        assert_eq!((status.status, &status.json()["data"]), (200, &serde_json::json!({"ok": true})));
    }
}

#[tokio::test]
async fn every_answer_carries_its_id_and_limits_and_every_error_both_shapes() {
    let mut app = App::new(&[]);
    for (path, status) in [("/health", 200), ("/nowhere", 404), ("/api/v1/outlets", 401)] {
        let answer = app.ask(path, "10.0.0.1", &[("x-request-id", "till-7")]).await;
        assert_eq!(answer.status, status, "{path}");
        assert_eq!(answer.header("x-request-id"), "till-7");
        assert_eq!(answer.header("ratelimit-limit"), "1000");
        assert!(
            !answer.header("ratelimit-remaining").is_empty() && !answer.header("ratelimit-reset").is_empty()
        );
        if status >= 400 {
            let body = answer.json();
            assert_eq!((&body["instance"], &body["success"]), (&path.into(), &false.into()));
            assert_eq!(body["code"], format!("ERR_{}", body["error"]["code"].as_str().unwrap()));
        }
    }
}

#[tokio::test]
async fn a_refusal_by_the_general_limit_is_an_error_like_any_other() {
    let mut app = App::new(&[("limit-general", "1/60")]);
    app.get("/health").await;
    let refused = app.get("/health").await;
    assert_eq!((refused.status, refused.header("retry-after")), (429, "60"));
    assert_eq!(refused.json()["code"], "ERR_RATE_LIMITED");
    assert_eq!(refused.header("content-type"), "application/problem+json");
}

#[tokio::test]
async fn a_page_from_elsewhere_cannot_call_a_till_by_another_name() {
    let mut app = App::new(&[]);
    let refused = app.ask("/health", "127.0.0.1", &[("host", "evil.example")]).await;
    assert_eq!((refused.status, &refused.json()["code"]), (400, &"ERR_BAD_REQUEST".into()));
    assert_eq!(app.ask("/health", "127.0.0.1", &[("host", "tiffin.local:8080")]).await.status, 200);
}

#[tokio::test]
async fn metrics_are_for_this_machine_or_the_token() {
    let mut app = App::new(&[("metrics-token", "0123456789abcdef")]);
    let text = app.get("/metrics").await.text;
    assert!(text.contains("tiffin_db_queued_actions 0"), "{text}");
    assert!(text.contains("process_resident_memory_bytes "));
    assert_eq!(app.ask("/metrics", "192.168.1.7", &[]).await.status, 401);
    assert_eq!(app.ask("/metrics", "127.0.0.1", &[("x-forwarded-for", "127.0.0.1")]).await.status, 401);
    let bearer = |token: &'static str| [("authorization", token)];
    assert_eq!(app.ask("/metrics", "192.168.1.7", &bearer("Bearer 0123456789abcdeX")).await.status, 401);
    assert_eq!(app.ask("/metrics", "192.168.1.7", &bearer("Bearer 0123456789abcdef")).await.status, 200);
}

#[tokio::test]
async fn the_reference_page_loads_nothing_from_elsewhere() {
    let mut app = App::new(&[]);
    let page = app.get("/docs").await;
    assert_eq!((page.status, page.header("content-type")), (200, "text/html; charset=utf-8"));
    assert!(page.header("content-security-policy").starts_with("default-src 'none'"));
    let links = page.text.split(['"']).filter(|part| part.starts_with("/docs/") || part.contains("//"));
    for link in links.map(str::to_owned).collect::<Vec<_>>() {
        let file = app.get(&link).await;
        assert!(file.status == 200 && file.text.len() > 100, "{link}");
    }
    assert_eq!(app.get("/docs/swagger-initializer.js").await.status, 404);
    let document = app.get("/api/v1/openapi.json").await.json();
    assert_eq!(document["openapi"], "3.1.0");
    assert!(document["paths"]["/status"]["get"].is_object());
}

#[tokio::test]
async fn every_kind_of_problem_has_its_page() {
    let mut app = App::new(&[]);
    for code in Code::ALL {
        let page = app.get(&format!("/problems/{}", code.slug())).await;
        assert!(page.status == 200 && page.text.contains(code.name()), "{code:?}");
    }
    assert_eq!(app.get("/problems/none").await.status, 404);
    assert_eq!(app.get("/problems").await.status, 200);
}

#[tokio::test]
async fn without_a_branch_the_process_is_alive_but_not_ready_and_says_why() {
    let config = Config::resolve(&Sources::default()).unwrap();
    let frame = Frame::new(&config.network, config.bodies, None, Env::system());
    let router = waiting(&frame, Limits::new(&config.limits), "http://tiffin.local", Router::new());
    let mut app = App { router, _folder: tempfile::tempdir().unwrap() };
    assert_eq!(app.get("/health").await.status, 200);
    let not_ready = app.get("/ready").await;
    assert_eq!((not_ready.status, not_ready.header("retry-after")), (503, "5"));
    assert!(not_ready.json()["detail"].as_str().unwrap().contains("edge init"));
}
