//! A branch's internet: a forwarder on loopback that can be cut, as a router that loses its uplink would be: what is open hangs
//! up, what is new gets no answer. Never looks at what it carries.

use std::net::SocketAddr;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::Duration;
use tokio::io::copy_bidirectional;
use tokio::net::{TcpListener, TcpStream};
use tokio::sync::watch;
use tokio::task::JoinHandle;

/// The uplink of one branch. Clones share it.
#[derive(Clone)]
pub struct Link {
    address: SocketAddr,
    up: watch::Sender<bool>,
    carried: Arc<AtomicU64>,
}

impl Link {
    /// A link to `hub`, which is up.
    pub async fn open(hub: SocketAddr) -> std::io::Result<Link> {
        let listener = TcpListener::bind("127.0.0.1:0").await?;
        let link =
            Link { address: listener.local_addr()?, up: watch::Sender::new(true), carried: Arc::default() };
        tokio::spawn(carry(listener, hub, link.clone()));
        Ok(link)
    }

    /// Where the branch finds head office.
    pub fn url(&self) -> String {
        format!("http://{}", self.address)
    }

    /// Whether there is internet.
    pub fn is_up(&self) -> bool {
        *self.up.borrow()
    }

    /// Takes the internet away.
    pub fn cut(&self) {
        self.up.send_replace(false);
    }

    /// Gives it back.
    pub fn restore(&self) {
        self.up.send_replace(true);
    }

    /// Bytes that went up since the start.
    pub fn bytes_up(&self) -> u64 {
        self.carried.load(Ordering::Relaxed)
    }
}

async fn carry(listener: TcpListener, hub: SocketAddr, link: Link) {
    while let Ok((near, _)) = listener.accept().await {
        let link = link.clone();
        tokio::spawn(async move {
            let mut up = link.up.subscribe();
            if !*up.borrow() {
                return;
            }
            let Ok(far) = TcpStream::connect(hub).await else { return };
            tokio::select! {
                _ = up.wait_for(|up| !up) => {}
                _ = converse(near, far, &link.carried) => {}
            }
        });
    }
}

async fn converse(mut near: TcpStream, far: TcpStream, carried: &AtomicU64) {
    let mut far = Counted { stream: far, carried };
    // Either side may hang up at any moment; that is what a link is for.
    let _ = copy_bidirectional(&mut near, &mut far).await;
}

/// Counts what is written to the far side.
struct Counted<'a> {
    stream: TcpStream,
    carried: &'a AtomicU64,
}

mod counted {
    use super::Counted;
    use std::io::Result;
    use std::pin::Pin;
    use std::sync::atomic::Ordering;
    use std::task::{Context, Poll};
    use tokio::io::{AsyncRead, AsyncWrite, ReadBuf};

    impl AsyncRead for Counted<'_> {
        fn poll_read(
            mut self: Pin<&mut Self>,
            cx: &mut Context<'_>,
            buf: &mut ReadBuf<'_>,
        ) -> Poll<Result<()>> {
            Pin::new(&mut self.stream).poll_read(cx, buf)
        }
    }

    impl AsyncWrite for Counted<'_> {
        fn poll_write(mut self: Pin<&mut Self>, cx: &mut Context<'_>, bytes: &[u8]) -> Poll<Result<usize>> {
            let written = Pin::new(&mut self.stream).poll_write(cx, bytes);
            if let Poll::Ready(Ok(count)) = written {
                self.carried.fetch_add(count as u64, Ordering::Relaxed);
            }
            written
        }

        fn poll_flush(mut self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<Result<()>> {
            Pin::new(&mut self.stream).poll_flush(cx)
        }

        fn poll_shutdown(mut self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<Result<()>> {
            Pin::new(&mut self.stream).poll_shutdown(cx)
        }
    }
}

/// Cuts `link` again and again: the first time after `after`, each time for `length`, with time between to watch a backlog drain.
pub fn outages(link: Link, after: Duration, length: Duration) -> JoinHandle<()> {
    tokio::spawn(async move {
        tokio::time::sleep(after).await;
        loop {
            link.cut();
            tokio::time::sleep(length).await;
            link.restore();
            tokio::time::sleep(length * 2).await;
        }
    })
}
