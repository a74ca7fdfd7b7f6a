//! The accept loop, in clear and over TLS: bounded connections, deadlines for all that a client sends, and a graceful stop. Never
//! looks at a request.
//!
//! Not `axum::serve`: it has no deadline for a half-sent header and no cap on connections.

mod bounds;
mod connections;
mod watched;

pub use self::bounds::Bounds;
use self::connections::{Connection, Connections, Phase};
use self::watched::{Answer, Left, Stream};
use crate::http::client::OverTls;
use crate::http::shutdown::Shutdown;
use crate::service_manager;
use axum::Router;
use axum::body::Body;
use axum::extract::ConnectInfo;
use axum::http::{HeaderValue, Request, header};
use hyper::body::{Body as _, Incoming};
use hyper::server::conn::{http1, http2};
use hyper_util::rt::{TokioExecutor, TokioIo, TokioTimer};
use hyper_util::server::graceful::{GracefulShutdown, Watcher};
use rustls::ServerConfig;
use std::convert::Infallible;
use std::net::SocketAddr;
use std::sync::Arc;
use std::time::Duration;
use tokio::io::{AsyncRead, AsyncWrite};
use tokio::net::{TcpListener, TcpStream};
use tokio_rustls::TlsAcceptor;
use tower::Service;

/// Most bytes of one connection's unparsed input: bounds a request's header, and with it memory.
const BUFFER_BYTES: usize = 64 * 1024;

/// How long to wait after `accept` failed, which mostly means that file descriptors ran out.
const ACCEPT_PAUSE: Duration = Duration::from_millis(100);

/// How long a TLS handshake may take; less where a header may take less.
const HANDSHAKE: Duration = Duration::from_secs(10);

/// Requests that one connection may have open at once under HTTP/2. More wait with the client: a browser with many streams needs a dozen.
const MANY: u32 = 64;

/// Requests that a client may take back before they were looked at; with one more the connection ends (CVE-2023-44487).
const TAKEN_BACK: usize = 20;

/// Frames that break the protocol before the connection ends.
const BROKEN: usize = 64;

/// How often a silent HTTP/2 client is asked whether it is there, and how long it may take to say so.
const ASK_EVERY: Duration = Duration::from_secs(20);
const ASK_TIMEOUT: Duration = Duration::from_secs(10);

/// Bytes of bodies that may be on their way unasked: of one request, of all of a connection, and of an answer that waits for the client.
const WINDOW: u32 = 256 * 1024;
const WINDOW_OF_ALL: u32 = 1024 * 1024;
const UNSENT: usize = 128 * 1024;

/// How a connection is spoken on.
#[derive(Clone)]
struct Protocols {
    one: http1::Builder,
    many: http2::Builder<TokioExecutor>,
}

impl Protocols {
    fn new() -> Protocols {
        let mut one = http1::Builder::new();
        one.header_read_timeout(None).max_buf_size(BUFFER_BYTES);
        let mut many = http2::Builder::new(TokioExecutor::new());
        many.timer(TokioTimer::new())
            .max_concurrent_streams(MANY)
            .max_pending_accept_reset_streams(TAKEN_BACK)
            .max_local_error_reset_streams(BROKEN)
            .max_header_list_size(BUFFER_BYTES as u32)
            .initial_stream_window_size(WINDOW)
            .initial_connection_window_size(WINDOW_OF_ALL)
            .max_send_buf_size(UNSENT)
            .keep_alive_interval(ASK_EVERY)
            .keep_alive_timeout(ASK_TIMEOUT);
        Protocols { one, many }
    }
}

/// One address that is listened on, and what answers there. The listener stays bound, so that another call can go on with
/// another app.
pub struct Door<'a> {
    /// Where.
    pub listener: &'a TcpListener,
    /// With TLS, or in clear.
    pub tls: Option<Arc<ServerConfig>>,
    /// What answers.
    pub app: Router,
}

/// Serves `app` on `listener` in clear until `shutdown`, then lets running requests finish.
pub async fn run(listener: &TcpListener, app: Router, bounds: Bounds, shutdown: &Shutdown) {
    run_all(vec![Door { listener, tls: None, app }], bounds, shutdown).await;
}

/// Serves all `doors` until `shutdown`, then lets running requests finish. They share the cap on connections.
pub async fn run_all(doors: Vec<Door<'_>>, bounds: Bounds, shutdown: &Shutdown) {
    let connections = Arc::new(Connections::new(&bounds));
    let house = House {
        connections: Arc::clone(&connections),
        running: GracefulShutdown::new(),
        protocols: Protocols::new(),
        handshake: HANDSHAKE.min(bounds.header_read_timeout),
        shutdown,
    };
    let receive = async {
        futures_util::future::join_all(doors.into_iter().map(|door| house.receive(door))).await;
        if tokio::time::timeout(bounds.shutdown_grace, house.running.shutdown()).await.is_err() {
            tracing::warn!("stopped with requests still running");
        }
    };
    tokio::select! {
        () = receive => {}
        () = connections.watch() => {}
    }
}

/// What all doors share.
struct House<'a> {
    connections: Arc<Connections>,
    running: GracefulShutdown,
    protocols: Protocols,
    handshake: Duration,
    shutdown: &'a Shutdown,
}

impl House<'_> {
    /// Takes connections at one door until the signal to stop.
    async fn receive(&self, door: Door<'_>) {
        let tls = door.tls.map(TlsAcceptor::from);
        loop {
            let next = async {
                let (stream, peer) = door.listener.accept().await?;
                std::io::Result::Ok((stream, peer, self.connections.admit(peer.ip()).await))
            };
            let accepted = tokio::select! {
                biased;
                () = self.shutdown.wait() => return,
                next = next => next,
            };
            match accepted {
                Ok((stream, peer, place)) => {
                    let connection = Arc::clone(&place.connection);
                    let conversation =
                        self.converse(tls.clone(), stream, (peer, Arc::clone(&connection)), door.app.clone());
                    tokio::spawn(async move {
                        tokio::select! {
                            () = conversation => {}
                            () = connection.ended() => {}
                        }
                        drop(place);
                    });
                }
                Err(error) => {
                    tracing::warn!(%error, "cannot accept a connection");
                    tokio::time::sleep(ACCEPT_PAUSE).await;
                }
            }
        }
    }

    /// Answers one connection's requests until it ends.
    fn converse(
        &self,
        tls: Option<TlsAcceptor>,
        stream: TcpStream,
        (peer, connection): (SocketAddr, Arc<Connection>),
        app: Router,
    ) -> impl Future<Output = ()> + use<> {
        let (protocols, watcher) = (self.protocols.clone(), self.running.watcher());
        let (handshake, shutdown) = (self.handshake, self.shutdown.clone());
        async move {
            // Answers are small and written at once: waiting to fill a packet only adds 40 ms.
            let _ = stream.set_nodelay(true);
            let Some(tls) = tls else {
                return answer(protocols, Stream { inner: stream, connection }, (peer, false), app, watcher)
                    .await;
            };
            let shaken = tokio::select! {
                biased;
                () = shutdown.wait() => return,
                shaken = tokio::time::timeout(handshake, tls.accept(stream)) => shaken,
            };
            match shaken {
                Ok(Ok(stream)) => {
                    if stream.get_ref().1.alpn_protocol() == Some(b"h2") {
                        connection.carry_many();
                    }
                    answer(protocols, Stream { inner: stream, connection }, (peer, true), app, watcher).await;
                }
                // Mostly a client that does not trust the certificate; it says so to its user.
                Ok(Err(error)) => tracing::debug!(%error, "no TLS connection came about"),
                Err(_) => tracing::debug!("a TLS handshake took too long"),
            }
        }
    }
}

/// Answers the requests that come on `stream`, each with its peer and whether TLS protects it.
async fn answer<S: AsyncRead + AsyncWrite + Unpin + Send + 'static>(
    protocols: Protocols,
    stream: Stream<S>,
    (peer, is_over_tls): (SocketAddr, bool),
    app: Router,
    running: Watcher,
) {
    let connection = Arc::clone(&stream.connection);
    let service = hyper::service::service_fn(move |request: Request<Incoming>| {
        let (mut app, connection, left) = (app.clone(), Arc::clone(&connection), Left::default());
        let expects_leave = request.headers().contains_key(header::EXPECT);
        let has_body = !request.body().is_end_stream();
        let running = connection.begin(has_body);
        let mut request = request.map(|body| match has_body {
            true => Body::new(watched::Request::new(body, Arc::clone(&connection), left.clone())),
            false => Body::empty(),
        });
        name_host(&mut request);
        request.extensions_mut().insert(ConnectInfo(peer));
        request.extensions_mut().insert(connection.carried());
        if is_over_tls {
            request.extensions_mut().insert(OverTls);
        }
        async move {
            // A `Router` is always ready.
            let mut response = match app.call(request).await {
                Ok(response) => response,
                Err(never) => match never {},
            };
            // Of one request among many, the rest of the body is sent back by itself.
            if !connection.carries_many() {
                if has_body && !left.is_drained(expects_leave).await {
                    // What is left of the body would be taken for the next request.
                    response.headers_mut().insert(header::CONNECTION, HeaderValue::from_static("close"));
                }
                connection.turn(Phase::Answer);
            }
            Ok::<_, Infallible>(response.map(|inner| Answer::new(inner, running)))
        }
    });
    let carries_many = stream.connection.carries_many();
    let io = TokioIo::new(stream);
    let ended = match carries_many {
        true => running.watch(protocols.many.serve_connection(io, service)).await,
        false => running.watch(protocols.one.serve_connection(io, service)).await,
    };
    // A client that goes away in the middle is no event.
    if let Err(error) = ended {
        tracing::debug!(%error, "connection ended");
    }
}

/// HTTP/2 names the host as the authority of the address: what looks at the header finds it there, too.
fn name_host(request: &mut Request<Body>) {
    if request.headers().contains_key(header::HOST) {
        return;
    }
    let authority = request.uri().authority().map(|authority| authority.as_str());
    if let Some(host) = authority.and_then(|host| HeaderValue::from_str(host).ok()) {
        request.headers_mut().insert(header::HOST, host);
    }
}

/// Gives the signal to stop at SIGTERM or SIGINT.
///
/// # Errors
/// When the operating system refuses the handlers.
pub fn stop_on_signals(shutdown: Shutdown) -> std::io::Result<()> {
    use tokio::signal::unix::{SignalKind, signal};
    let mut terminate = signal(SignalKind::terminate())?;
    let mut interrupt = signal(SignalKind::interrupt())?;
    tokio::spawn(async move {
        tokio::select! {
            _ = terminate.recv() => {}
            _ = interrupt.recv() => {}
        }
        tracing::info!("stopping");
        service_manager::stopping();
        shutdown.trigger();
    });
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;
    use axum::routing::get;
    use tokio::io::{AsyncReadExt, AsyncWriteExt};
    use tokio::sync::Notify;

    fn bounds(max_connections: usize) -> Bounds {
        let header_read_timeout = Duration::from_millis(200);
        Bounds {
            max_connections,
            limit_connections: None,
            trusted_proxies: Vec::new(),
            header_read_timeout,
            idle_timeout: Duration::from_secs(30),
            shutdown_grace: Duration::from_secs(5),
        }
    }

    async fn start(app: Router, bounds: Bounds) -> (SocketAddr, Shutdown, tokio::task::JoinHandle<()>) {
        let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
        let address = listener.local_addr().unwrap();
        let shutdown = Shutdown::new();
        let signal = shutdown.clone();
        (address, shutdown, tokio::spawn(async move { run(&listener, app, bounds, &signal).await }))
    }

    async fn send(address: SocketAddr, text: &str) -> TcpStream {
        let mut stream = TcpStream::connect(address).await.unwrap();
        stream.write_all(text.as_bytes()).await.unwrap();
        stream
    }

    async fn rest(mut stream: TcpStream) -> String {
        let mut text = String::new();
        let _ = stream.read_to_string(&mut text).await;
        text
    }

    const REQUEST: &str = "GET / HTTP/1.1\r\nhost: localhost\r\nconnection: close\r\n\r\n";

    #[tokio::test]
    async fn the_peer_is_known_to_handlers() {
        let handler = async |ConnectInfo(peer): ConnectInfo<SocketAddr>| peer.ip().to_string();
        let (address, shutdown, server) = start(Router::new().route("/", get(handler)), bounds(8)).await;
        assert!(rest(send(address, REQUEST).await).await.ends_with("127.0.0.1"));
        shutdown.trigger();
        server.await.unwrap();
    }

    #[tokio::test]
    async fn a_half_sent_header_is_cut_off_and_frees_its_place() {
        let app = Router::new().route("/", get(async || "here"));
        let (address, ..) = start(app, bounds(1)).await;
        let stuck = send(address, "GET / HTTP/1.1\r\nhos").await;
        // There is one place: the second client is answered only once the first is cut off.
        assert!(rest(send(address, REQUEST).await).await.ends_with("here"));
        assert!(!rest(stuck).await.contains("200"));
    }

    #[tokio::test]
    async fn a_graceful_stop_finishes_running_requests_and_takes_no_new_ones() {
        let (entered, go) = (Arc::new(Notify::new()), Arc::new(Notify::new()));
        let handler = {
            let (entered, go) = (Arc::clone(&entered), Arc::clone(&go));
            async move || {
                entered.notify_one();
                go.notified().await;
                "done"
            }
        };
        let (address, shutdown, server) = start(Router::new().route("/", get(handler)), bounds(8)).await;
        let running = send(address, REQUEST).await;
        entered.notified().await;
        shutdown.trigger();
        go.notify_one();
        assert!(rest(running).await.ends_with("done"));
        server.await.unwrap();
        assert!(TcpStream::connect(address).await.is_err());
    }
}
