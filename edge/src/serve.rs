//! The accept loop, in clear and over TLS: bounded connections, deadlines for all that a client sends, and a graceful stop. Never
//! looks at a request.
//!
//! Not `axum::serve`: it has no deadline for a half-sent header and no cap on connections.

mod connections;
mod watched;

pub use self::connections::Bounds;
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
use hyper::server::conn::http1;
use hyper_util::rt::TokioIo;
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
    let mut protocol = http1::Builder::new();
    protocol.header_read_timeout(None).max_buf_size(BUFFER_BYTES);
    let connections = Arc::new(Connections::new(&bounds));
    let house = House {
        connections: Arc::clone(&connections),
        running: GracefulShutdown::new(),
        protocol,
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
    protocol: http1::Builder,
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
        let (protocol, watcher) = (self.protocol.clone(), self.running.watcher());
        let (handshake, shutdown) = (self.handshake, self.shutdown.clone());
        async move {
            // Answers are small and written at once: waiting to fill a packet only adds 40 ms.
            let _ = stream.set_nodelay(true);
            let Some(tls) = tls else {
                return answer(protocol, Stream { inner: stream, connection }, (peer, false), app, watcher)
                    .await;
            };
            let shaken = tokio::select! {
                biased;
                () = shutdown.wait() => return,
                shaken = tokio::time::timeout(handshake, tls.accept(stream)) => shaken,
            };
            match shaken {
                Ok(Ok(stream)) => {
                    answer(protocol, Stream { inner: stream, connection }, (peer, true), app, watcher).await;
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
    protocol: http1::Builder,
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
        connection.turn(if has_body { Phase::Body } else { Phase::Answer });
        let mut request = request.map(|body| match has_body {
            true => Body::new(watched::Request::new(body, Arc::clone(&connection), left.clone())),
            false => Body::empty(),
        });
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
            if has_body && !left.is_drained(expects_leave).await {
                // What is left of the body would be taken for the next request.
                response.headers_mut().insert(header::CONNECTION, HeaderValue::from_static("close"));
            }
            connection.turn(Phase::Answer);
            Ok::<_, Infallible>(response.map(|inner| Answer { inner, connection }))
        }
    });
    let connection = running.watch(protocol.serve_connection(TokioIo::new(stream), service));
    // A client that goes away in the middle is no event.
    if let Err(error) = connection.await {
        tracing::debug!(%error, "connection ended");
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
