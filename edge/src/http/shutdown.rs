//! The signal that the server is about to stop. Streams end on it, or a graceful stop would wait for them for ever.

use tokio::sync::watch;

/// A handle on the signal; all clones are one signal. It is given once and never taken back.
#[derive(Debug, Clone)]
pub struct Shutdown(watch::Sender<bool>);

impl Default for Shutdown {
    fn default() -> Self {
        Shutdown(watch::Sender::new(false))
    }
}

impl Shutdown {
    /// A signal that has not been given.
    pub fn new() -> Self {
        Self::default()
    }

    /// Gives the signal.
    pub fn trigger(&self) {
        self.0.send_replace(true);
    }

    /// Whether it was given.
    pub fn is_triggered(&self) -> bool {
        *self.0.borrow()
    }

    /// The signal as a plain channel, for those who only listen.
    pub fn receiver(&self) -> watch::Receiver<bool> {
        self.0.subscribe()
    }

    /// Waits until it is given. Streams select on this.
    pub async fn wait(&self) {
        let mut receiver = self.0.subscribe();
        // The sender lives in `self`, so waiting cannot fail.
        let _ = receiver.wait_for(|given| *given).await;
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[tokio::test]
    async fn everyone_hears_it_also_those_who_listen_late() {
        let signal = Shutdown::new();
        let early = tokio::spawn({
            let signal = signal.clone();
            async move { signal.wait().await }
        });
        assert!(!signal.is_triggered());
        signal.trigger();
        early.await.unwrap();
        signal.clone().wait().await;
        assert!(signal.is_triggered());
    }
}
