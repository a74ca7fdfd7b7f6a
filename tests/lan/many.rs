//! HTTP/2 under TLS: many streams and requests on one connection, and what a client may not do with that.

use super::init;
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
use tiffin_tests::{Edge, free_address};
use tokio::io::{AsyncReadExt, AsyncWriteExt};
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
    let tls = free_address();
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
    let tls = free_address();
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

/// The head of a request in HPACK, by hand: GET, https, the path and the host by their places in its table, without compression.
fn head() -> Vec<u8> {
    [&[0x82, 0x87, 0x04, 14][..], b"/api/v1/status", &[0x01, 10], b"blr1.local"].concat()
}

fn frame(kind: u8, flags: u8, stream: u32, body: &[u8]) -> Vec<u8> {
    let length = u32::try_from(body.len()).unwrap().to_be_bytes();
    let mut bytes = length[1..].to_vec();
    bytes.extend([kind, flags]);
    bytes.extend(stream.to_be_bytes());
    bytes.extend(body);
    bytes
}

/// Sends `frames` in one piece and reads what comes back until the other end is done, or nothing comes for a while: kind, stream and body
/// of each frame.
async fn exchange(folder: &Path, address: SocketAddr, frames: &[Vec<u8>]) -> Vec<(u8, u32, Vec<u8>)> {
    let (mut stream, _) = dial(folder, address, &[b"h2"]).await;
    let mut all = b"PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n".to_vec();
    all.extend(frame(0x4, 0, 0, &[]));
    all.extend(frames.concat());
    // The other end may have hung up before it has read all.
    let _ = stream.write_all(&all).await;
    let (mut bytes, mut part) = (Vec::new(), [0; 16 * 1024]);
    while let Ok(Ok(count @ 1..)) = timeout(Duration::from_secs(2), stream.read(&mut part)).await {
        bytes.extend(&part[..count]);
    }
    let (mut found, mut rest) = (Vec::new(), &bytes[..]);
    while let [a, b, c, kind, _, s0, s1, s2, s3, more @ ..] = rest {
        let length = usize::try_from(u32::from_be_bytes([0, *a, *b, *c])).unwrap();
        let Some((body, after)) = more.split_at_checked(length) else { break };
        found.push((*kind, u32::from_be_bytes([*s0, *s1, *s2, *s3]), body.to_vec()));
        rest = after;
    }
    found
}

const HEADERS: u8 = 0x1;
const RESET: u8 = 0x3;
const GO_AWAY: u8 = 0x7;
const END_OF_BODY: u8 = 0x1;
const END_OF_HEADERS: u8 = 0x4;
/// `:status: 200` in HPACK's table.
const OK: u8 = 0x88;

#[tokio::test(flavor = "multi_thread")]
async fn what_one_client_does_to_a_connection_ends_there() {
    let folder = tempfile::tempdir().unwrap();
    init(folder.path());
    Edge::run(&["tls", "init", "--data-dir", folder.path().to_str().unwrap()]);
    let tls = free_address();
    let _edge = Edge::serve(folder.path(), &["--tls-listen", &tls.to_string()]).await;
    let other = h2(folder.path(), tls).await;
    let numbers = |count: u32| (0..count).map(|n| n * 2 + 1);

    // Sent and taken back a thousand times: told to calm down, and the connection ends.
    let cancel = 8_u32.to_be_bytes();
    let taken_back: Vec<Vec<u8>> = numbers(1_000)
        .flat_map(|n| [frame(HEADERS, END_OF_HEADERS | END_OF_BODY, n, &head()), frame(RESET, 0, n, &cancel)])
        .collect();
    let told = exchange(folder.path(), tls, &taken_back).await;
    let calm = |(kind, _, body): &(u8, u32, Vec<u8>)| *kind == GO_AWAY && body[4..8] == 11_u32.to_be_bytes();
    assert!(told.iter().any(calm), "{told:?}");

    // 80 at once, whose bodies are still to come: what is more than 64 is refused, each by itself.
    let open: Vec<Vec<u8>> = numbers(80).map(|n| frame(0x1, END_OF_HEADERS, n, &head())).collect();
    let told = exchange(folder.path(), tls, &open).await;
    let refused = |(kind, _, body): &(u8, u32, Vec<u8>)| *kind == RESET && body[..] == 7_u32.to_be_bytes();
    assert_eq!(told.iter().filter(|one| refused(one)).count(), 16, "{told:?}");
    assert_eq!(told.iter().filter(|(kind, _, body)| *kind == HEADERS && body[0] == OK).count(), 64);

    // A header of 128 kB reaches nobody.
    let mut long = head();
    long.extend([0x00, 1, b'x', 0x7f]);
    let mut left = 128_000 - 127;
    while left >= 128 {
        long.push(u8::try_from(left % 128 + 128).unwrap());
        left /= 128;
    }
    long.push(u8::try_from(left).unwrap());
    long.extend(vec![b'a'; 128_000]);
    let pieces = long.chunks(16_000);
    let last = pieces.len() - 1;
    let long: Vec<Vec<u8>> = pieces
        .enumerate()
        .map(|(n, piece)| match n {
            0 => frame(HEADERS, END_OF_BODY, 1, piece),
            n => frame(0x9, if n == last { END_OF_HEADERS } else { 0 }, 1, piece),
        })
        .collect();
    let told = exchange(folder.path(), tls, &long).await;
    let answers = told.iter().filter(|(kind, ..)| [HEADERS, RESET, GO_AWAY].contains(kind));
    assert!(answers.clone().count() > 0 && answers.clone().all(|(_, _, body)| body[0] != OK), "{told:?}");

    let status = json_of(ask(&other, "", "GET", "/status", None).await).await;
    assert_eq!(status["data"]["ok"], true, "nobody else notices");
}
