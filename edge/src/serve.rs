//! The accept loop: bounded connections, a deadline for request headers, and a graceful stop. Never looks at a request.
//!
//! Not `axum::serve`: it has no deadline for a half-sent header and no cap on connections.

use crate::config::Network;
use crate::http::shutdown::Shutdown;
use crate::service_manager;
use axum::Router;
use axum::body::Body;
use axum::extract::ConnectInfo;
use axum::http::Request;
use hyper::body::Incoming;
use hyper::server::conn::http1;
use hyper_util::rt::{TokioIo, TokioTimer};
use hyper_util::server::graceful::{GracefulShutdown, Watcher};
use std::net::SocketAddr;
use std::sync::Arc;
use std::time::Duration;
use tokio::net::{TcpListener, TcpStream};
use tokio::sync::Semaphore;
use tower::Service;

/// Most bytes of one connection's unparsed input: bounds a request's header, and with it memory.
const BUFFER_BYTES: usize = 64 * 1024;

/// How long to wait after `accept` failed, which mostly means that file descriptors ran out.
const ACCEPT_PAUSE: Duration = Duration::from_millis(100);

/// Bounds of a running server.
#[derive(Debug, Clone, Copy)]
pub struct Bounds {
    /// Connections open at once; more wait in the operating system's queue.
    pub max_connections: usize,
    /// How long a request's header may take, and how long an idle connection is kept.
    pub header_read_timeout: Duration,
    /// How long running requests get after the signal to stop.
    pub shutdown_grace: Duration,
}

impl From<&Network> for Bounds {
    fn from(network: &Network) -> Self {
        Bounds {
            max_connections: network.max_connections,
            header_read_timeout: network.header_read_timeout,
            shutdown_grace: network.shutdown_grace,
        }
    }
}

/// Serves `app` on `listener` until `shutdown`, then lets running requests finish. The listener stays bound, so that
/// another call can go on with another app.
pub async fn run(listener: &TcpListener, app: Router, bounds: Bounds, shutdown: &Shutdown) {
    let slots = Arc::new(Semaphore::new(bounds.max_connections.min(Semaphore::MAX_PERMITS)));
    let running = GracefulShutdown::new();
    let mut protocol = http1::Builder::new();
    protocol
        .timer(TokioTimer::new())
        .header_read_timeout(bounds.header_read_timeout)
        .max_buf_size(BUFFER_BYTES);
    loop {
        let next = async {
            let slot = Arc::clone(&slots).acquire_owned().await;
            (slot, listener.accept().await)
        };
        let (slot, accepted) = tokio::select! {
            biased;
            () = shutdown.wait() => break,
            next = next => next,
        };
        match accepted {
            Ok((stream, peer)) => {
                let conversation = converse(protocol.clone(), stream, peer, app.clone(), running.watcher());
                tokio::spawn(async move {
                    conversation.await;
                    drop(slot);
                });
            }
            Err(error) => {
                tracing::warn!(%error, "cannot accept a connection");
                tokio::time::sleep(ACCEPT_PAUSE).await;
            }
        }
    }
    if tokio::time::timeout(bounds.shutdown_grace, running.shutdown()).await.is_err() {
        tracing::warn!("stopped with requests still running");
    }
}

/// Answers one connection's requests until it ends.
async fn converse(
    protocol: http1::Builder,
    stream: TcpStream,
    peer: SocketAddr,
    app: Router,
    running: Watcher,
) {
    // Answers are small and written at once: waiting to fill a packet only adds 40 ms.
    let _ = stream.set_nodelay(true);
    let service = hyper::service::service_fn(move |request: Request<Incoming>| {
        let mut app = app.clone();
        let mut request = request.map(Body::new);
        request.extensions_mut().insert(ConnectInfo(peer));
        // A `Router` is always ready.
        async move { app.call(request).await }
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
        Bounds { max_connections, header_read_timeout, shutdown_grace: Duration::from_secs(5) }
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
