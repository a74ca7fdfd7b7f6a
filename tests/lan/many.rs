//! HTTP/2 under TLS: many streams and requests on one connection, and what a client may not do with that.

use super::{free, init};
use bytes::Bytes;
use http_body_util::{BodyExt, Empty, Full};
use hyper::client::conn::http2::{SendRequest, handshake};
use hyper::{Request, Response, body::Incoming};
use hyper_util::rt::{TokioExecutor, TokioIo};
use rustls::pki_types::pem::PemObject;
use rustls::pki_types::{CertificateDer, ServerName};
use serde_json::{Value, json};
use std::net::SocketAddr;
use std::path::Path;
use std::sync::Arc;
use std::time::Duration;
use tiffin_tests::Edge;
use tokio::net::TcpStream;
use tokio::time::timeout;

const SOON: Duration = Duration::from_secs(20);

/// A connection to `address` that may be spoken on as `protocols` say, and what was agreed.
async fn dial(
    folder: &Path,
    address: SocketAddr,
    protocols: &[&[u8]],
) -> (tokio_rustls::client::TlsStream<TcpStream>, Vec<u8>) {
    let mut roots = rustls::RootCertStore::empty();
    let pem = std::fs::read(folder.join("tls/tiffin-ca.crt")).unwrap();
    roots.add(CertificateDer::from_pem_slice(&pem).unwrap()).unwrap();
    let provider = Arc::new(rustls::crypto::aws_lc_rs::default_provider());
    let config = rustls::ClientConfig::builder_with_provider(provider);
    let config = config.with_safe_default_protocol_versions().unwrap();
    let mut config = config.with_root_certificates(roots).with_no_client_auth();
    config.alpn_protocols = protocols.iter().map(|protocol| protocol.to_vec()).collect();
    let connector = tokio_rustls::TlsConnector::from(Arc::new(config));
    let stream = TcpStream::connect(address).await.unwrap();
    let stream = connector.connect(ServerName::try_from("blr1.local").unwrap(), stream).await.unwrap();
    let agreed = stream.get_ref().1.alpn_protocol().unwrap_or_default().to_vec();
    (stream, agreed)
}

type Sender = SendRequest<http_body_util::Either<Full<Bytes>, Empty<Bytes>>>;

async fn h2(folder: &Path, address: SocketAddr) -> Sender {
    let (stream, agreed) = dial(folder, address, &[b"h2", b"http/1.1"]).await;
    assert_eq!(agreed, b"h2");
    let (sender, connection) = handshake(TokioExecutor::new(), TokioIo::new(stream)).await.unwrap();
    tokio::spawn(connection);
    sender
}

async fn ask(
    sender: &Sender,
    token: &str,
    method: &str,
    path: &str,
    body: Option<Value>,
) -> Response<Incoming> {
    let request = Request::builder().method(method).uri(format!("https://blr1.local/api/v1{path}"));
    let request = match token {
        "" => request,
        token => request.header("authorization", format!("Bearer {token}")),
    };
    let body = match body {
        Some(body) => http_body_util::Either::Left(Full::from(body.to_string())),
        None => http_body_util::Either::Right(Empty::new()),
    };
    let request = request.header("content-type", "application/json").body(body).unwrap();
    timeout(SOON, sender.clone().send_request(request)).await.expect("answered in time").unwrap()
}

async fn json_of(response: Response<Incoming>) -> Value {
    let bytes = response.into_body().collect().await.unwrap().to_bytes();
    serde_json::from_slice(&bytes).unwrap()
}

/// The text of `stream` until it holds `wanted`.
async fn until(stream: &mut Incoming, wanted: &str) -> String {
    let mut text = String::new();
    let read = async {
        while !text.contains(wanted) {
            let frame = stream.frame().await.expect("the stream goes on").unwrap();
            text.push_str(&String::from_utf8_lossy(frame.data_ref().unwrap()));
        }
    };
    timeout(SOON, read).await.expect(wanted);
    text
}

#[tokio::test(flavor = "multi_thread")]
async fn one_connection_carries_many_streams_and_the_requests_beside_them() {
    let folder = tempfile::tempdir().unwrap();
    init(folder.path());
    let at = folder.path().to_str().unwrap();
    Edge::run(&["tls", "init", "--data-dir", at]);
    let password = Edge::run(&["reset-password", "--data-dir", at, "--email", "me@example.com"]);
    let tls = free();
    let _edge =
        Edge::serve(folder.path(), &["--tls-listen", &tls.to_string(), "--idle-timeout-seconds", "3"]).await;
    // Who knows of no other protocol is served as before.
    assert_eq!(dial(folder.path(), tls, &[b"http/1.1"]).await.1, b"http/1.1");
    let sender = h2(folder.path(), tls).await;
    let status = json_of(ask(&sender, "", "GET", "/status", None).await).await;
    assert_eq!(status["data"], json!({"ok": true}));

    let word = password.split_whitespace().last().unwrap().to_owned();
    let body = json!({"email": "me@example.com", "password": word});
    let signed_in = json_of(ask(&sender, "", "POST", "/auth/login", Some(body)).await).await;
    let token = signed_in["data"]["accessToken"].as_str().unwrap_or_else(|| panic!("{password} {signed_in}"));
    let mut streams = Vec::new();
    for _ in 0..40 {
        let mut stream = ask(&sender, token, "GET", "/stream?topics=tables", None).await.into_body();
        until(&mut stream, "event: hello").await;
        streams.push(stream);
    }
    // Streams alone are no idle connection.
    tokio::time::sleep(Duration::from_secs(4)).await;
    let table = json!({"number": "T1", "seats": 4});
    let made = ask(&sender, token, "POST", "/tables", Some(table)).await;
    assert_eq!(made.status(), 201);
    let id = json_of(made).await["data"]["id"].as_str().unwrap().to_owned();
    for stream in &mut streams {
        let text = until(stream, &id).await;
        assert!(text.contains("event: table"), "{text}");
    }
    // Signed out: every one of them ends.
    let refresh = json!({"refreshToken": signed_in["data"]["refreshToken"]});
    let out = ask(&sender, token, "POST", "/auth/logout", Some(refresh)).await;
    assert!(out.status().is_success(), "{}", out.status());
    for stream in streams {
        timeout(SOON, stream.collect()).await.expect("the stream ends").unwrap();
    }
    // Then nothing is asked any more: the connection goes.
    let gone = async {
        while !sender.is_closed() {
            tokio::time::sleep(Duration::from_millis(100)).await;
        }
    };
    timeout(SOON, gone).await.expect("an idle connection is closed");
}

#[tokio::test(flavor = "multi_thread")]
async fn who_takes_requests_back_again_and_again_loses_the_connection_and_nobody_else_notices() {
    let folder = tempfile::tempdir().unwrap();
    init(folder.path());
    Edge::run(&["tls", "init", "--data-dir", folder.path().to_str().unwrap()]);
    let tls = free();
    let _edge = Edge::serve(folder.path(), &["--tls-listen", &tls.to_string()]).await;
    let (hasty, other) = (h2(folder.path(), tls).await, h2(folder.path(), tls).await);
    let storm = async {
        while !hasty.is_closed() {
            let body = http_body_util::Either::Right(Empty::new());
            let request = Request::get("https://blr1.local/api/v1/status").body(body).unwrap();
            let mut sender = hasty.clone();
            let asked = sender.send_request(request);
            // Dropped once it is sent: taken back.
            let _ = timeout(Duration::from_micros(200), asked).await;
        }
    };
    let _ = timeout(Duration::from_secs(5), storm).await;
    let status = json_of(ask(&other, "", "GET", "/status", None).await).await;
    assert_eq!(status["data"]["ok"], true);
}
