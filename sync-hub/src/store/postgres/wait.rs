//! Waiting for the driver on threads of whatever kind: the connections live on a small runtime of the store's own, so that a
//! caller's runtime, or the lack of one, does not matter. Never to be called from that runtime itself.

use std::future::Future;
use std::pin::pin;
use std::sync::Arc;
use std::task::{Context, Poll, Wake, Waker};
use std::thread::Thread;
use tokio::runtime::{Builder, Handle, Runtime};

/// The runtime of the connections.
pub(super) struct Waiter {
    runtime: Option<Runtime>,
    handle: Handle,
}

struct Parked(Thread);

impl Wake for Parked {
    fn wake(self: Arc<Self>) {
        self.0.unpark();
    }
}

impl Waiter {
    pub(super) fn start() -> std::io::Result<Waiter> {
        let threads = std::thread::available_parallelism().map_or(1, |cores| cores.get().min(4));
        let runtime = Builder::new_multi_thread()
            .worker_threads(threads)
            .thread_name("tiffin-postgres")
            .enable_all()
            .build()?;
        let handle = runtime.handle().clone();
        Ok(Waiter { runtime: Some(runtime), handle })
    }

    pub(super) fn runtime(&self) -> &Handle {
        &self.handle
    }

    /// Blocks this thread until `work` is done.
    pub(super) fn wait<T>(&self, work: impl Future<Output = T>) -> T {
        let _timers = self.handle.enter();
        let waker = Waker::from(Arc::new(Parked(std::thread::current())));
        let mut context = Context::from_waker(&waker);
        let mut work = pin!(work);
        loop {
            match work.as_mut().poll(&mut context) {
                Poll::Ready(done) => return done,
                Poll::Pending => std::thread::park(),
            }
        }
    }
}

impl Drop for Waiter {
    fn drop(&mut self) {
        // The last clone of the store may go in an async context, where a runtime must not be waited for.
        if let Some(runtime) = self.runtime.take() {
            runtime.shutdown_background();
        }
    }
}
