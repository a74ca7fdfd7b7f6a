//! What tells a connection's entry how far its request is: the stream, the request's body, the answer's. Never changes a byte.

use super::bounds::body_time;
use super::connections::{Connection, Phase, Running};
use axum::BoxError;
use bytes::Bytes;
use hyper::body::{Body, Frame, Incoming, SizeHint};
use std::io::{IoSlice, Result};
use std::pin::Pin;
use std::sync::{Arc, Mutex, PoisonError};
use std::task::{Context, Poll};
use std::time::Duration;
use tokio::io::{AsyncRead, AsyncWrite, ReadBuf};
use tokio::time::{Instant, Sleep};

/// A body of this many bytes that nobody wanted is read all the same, so that the connection can go on.
const SMALL: u64 = 64 * 1024;

/// How long that may take.
const DRAIN: Duration = Duration::from_secs(2);

/// The stream of a connection.
pub(super) struct Stream<S> {
    pub(super) inner: S,
    pub(super) connection: Arc<Connection>,
}

impl<S: AsyncRead + Unpin> AsyncRead for Stream<S> {
    fn poll_read(mut self: Pin<&mut Self>, cx: &mut Context<'_>, buf: &mut ReadBuf<'_>) -> Poll<Result<()>> {
        let before = buf.filled().len();
        let polled = Pin::new(&mut self.inner).poll_read(cx, buf);
        if buf.filled().len() > before {
            self.connection.heard();
        }
        polled
    }
}

impl<S: AsyncWrite + Unpin> Stream<S> {
    fn told<T>(&self, polled: Poll<Result<T>>) -> Poll<Result<T>> {
        self.connection.wrote(polled.is_ready());
        polled
    }
}

impl<S: AsyncWrite + Unpin> AsyncWrite for Stream<S> {
    fn poll_write(mut self: Pin<&mut Self>, cx: &mut Context<'_>, buf: &[u8]) -> Poll<Result<usize>> {
        let polled = Pin::new(&mut self.inner).poll_write(cx, buf);
        self.told(polled)
    }

    fn poll_flush(mut self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<Result<()>> {
        let polled = Pin::new(&mut self.inner).poll_flush(cx);
        self.told(polled)
    }

    fn poll_shutdown(mut self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<Result<()>> {
        Pin::new(&mut self.inner).poll_shutdown(cx)
    }

    fn poll_write_vectored(
        mut self: Pin<&mut Self>,
        cx: &mut Context<'_>,
        bufs: &[IoSlice<'_>],
    ) -> Poll<Result<usize>> {
        let polled = Pin::new(&mut self.inner).poll_write_vectored(cx, bufs);
        self.told(polled)
    }

    fn is_write_vectored(&self) -> bool {
        self.inner.is_write_vectored()
    }
}

/// Where a body that nobody read to its end is left.
#[derive(Clone, Default)]
pub(super) struct Left(Arc<Mutex<Option<(Incoming, bool)>>>);

impl Left {
    /// Whether the connection can carry another request: the body was read, or its rest was small and has come.
    pub(super) async fn is_drained(&self, expects_leave: bool) -> bool {
        let left = self.0.lock().unwrap_or_else(PoisonError::into_inner).take();
        let Some((mut body, is_begun)) = left else { return true };
        // Who asked for leave to send has not begun to: an answer without it says that nothing is wanted.
        if body.size_hint().lower() > SMALL || (expects_leave && !is_begun) {
            return false;
        }
        let drain = async {
            let mut read = 0_u64;
            while let Some(frame) = std::future::poll_fn(|cx| Pin::new(&mut body).poll_frame(cx)).await {
                let Ok(frame) = frame else { return false };
                read = read.saturating_add(frame.data_ref().map_or(0, |data| data.len() as u64));
                if read > SMALL {
                    return false;
                }
            }
            true
        };
        tokio::time::timeout(DRAIN, drain).await.unwrap_or(false)
    }
}

/// A request's body.
pub(super) struct Request {
    inner: Option<Incoming>,
    is_begun: bool,
    connection: Arc<Connection>,
    left: Left,
    /// Where a connection carries many, each body has its own time.
    time: Option<Time>,
}

/// How long a body may go on.
struct Time {
    began: Instant,
    received: u64,
    wakes: Pin<Box<Sleep>>,
}

impl Time {
    fn begin() -> Time {
        let began = Instant::now();
        let wakes = Box::pin(tokio::time::sleep_until(began + Duration::from_millis(body_time(0))));
        Time { began, received: 0, wakes }
    }

    fn took(&mut self, bytes: usize) {
        self.received = self.received.saturating_add(bytes as u64);
        let ends = self.began + Duration::from_millis(body_time(self.received));
        self.wakes.as_mut().reset(ends);
    }

    fn is_over(&mut self, cx: &mut Context<'_>) -> bool {
        self.wakes.as_mut().poll(cx).is_ready()
    }
}

/// A body came too slowly.
#[derive(Debug, thiserror::Error)]
#[error("the body took too long")]
struct TooSlow;

impl Request {
    pub(super) fn new(inner: Incoming, connection: Arc<Connection>, left: Left) -> Request {
        let time = connection.carries_many().then(Time::begin);
        Request { inner: Some(inner), is_begun: false, connection, left, time }
    }
}

impl Body for Request {
    type Data = Bytes;
    type Error = BoxError;

    fn poll_frame(
        self: Pin<&mut Self>,
        cx: &mut Context<'_>,
    ) -> Poll<Option<std::result::Result<Frame<Bytes>, BoxError>>> {
        let this = self.get_mut();
        let Some(inner) = &mut this.inner else { return Poll::Ready(None) };
        let polled = Pin::new(&mut *inner).poll_frame(cx);
        let is_over = match &polled {
            Poll::Ready(Some(Ok(frame))) => {
                let bytes = frame.data_ref().map_or(0, Bytes::len);
                match &mut this.time {
                    Some(time) => time.took(bytes),
                    None => this.connection.took(bytes),
                }
                inner.is_end_stream()
            }
            Poll::Ready(_) => true,
            Poll::Pending if this.time.as_mut().is_some_and(|time| time.is_over(cx)) => {
                this.inner = None;
                return Poll::Ready(Some(Err(TooSlow.into())));
            }
            Poll::Pending => return Poll::Pending,
        };
        this.is_begun = true;
        if is_over {
            this.inner = None;
            if this.time.is_none() {
                this.connection.turn(Phase::Answer);
            }
        }
        polled.map(|frame| frame.map(|frame| frame.map_err(Into::into)))
    }

    fn is_end_stream(&self) -> bool {
        self.inner.as_ref().is_none_or(Body::is_end_stream)
    }

    fn size_hint(&self) -> SizeHint {
        self.inner.as_ref().map_or(SizeHint::with_exact(0), Body::size_hint)
    }
}

impl Drop for Request {
    fn drop(&mut self) {
        if let Some(inner) = self.inner.take() {
            *self.left.0.lock().unwrap_or_else(PoisonError::into_inner) = Some((inner, self.is_begun));
        }
    }
}

/// An answer's body.
pub(super) struct Answer {
    inner: axum::body::Body,
    running: Running,
}

impl Answer {
    pub(super) fn new(inner: axum::body::Body, running: Running) -> Answer {
        running.waits_for_client(true);
        Answer { inner, running }
    }
}

impl Body for Answer {
    type Data = Bytes;
    type Error = axum::Error;

    fn poll_frame(
        mut self: Pin<&mut Self>,
        cx: &mut Context<'_>,
    ) -> Poll<Option<std::result::Result<Frame<Bytes>, axum::Error>>> {
        let polled = Pin::new(&mut self.inner).poll_frame(cx);
        self.running.waits_for_client(polled.is_ready());
        polled
    }

    fn is_end_stream(&self) -> bool {
        self.inner.is_end_stream()
    }

    fn size_hint(&self) -> SizeHint {
        self.inner.size_hint()
    }
}
