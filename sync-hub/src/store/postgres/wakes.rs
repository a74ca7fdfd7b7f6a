//! What changed, told between the processes of one database by NOTIFY and LISTEN, on a connection of its own. Never the only
//! way to learn of something: who waits looks again from time to time.

use super::Connect;
use crate::store::Wake;
use std::collections::HashSet;
use std::future::poll_fn;
use std::time::Duration;
use tiffin_common::Uuid;
use tokio::sync::{broadcast, mpsc};
use tokio_postgres::AsyncMessage;

const CHANNEL: &str = "tiffin_wakes";
/// Wakes that a slow listener may be behind; further ones tell it that some were missed.
const KEPT: usize = 1_024;
/// Time between attempts to reach the database again.
const PAUSE: Duration = Duration::from_secs(1);

/// Both ends within this process.
pub(super) struct Wakes {
    here: broadcast::Sender<Wake>,
    out: mpsc::UnboundedSender<Wake>,
}

impl Wakes {
    /// Starts telling and listening on `runtime`. `me` tells this process's words from others'.
    pub(super) fn start(runtime: &tokio::runtime::Handle, connect: Connect, me: Uuid) -> Wakes {
        let (here, _) = broadcast::channel(KEPT);
        let (out, queue) = mpsc::unbounded_channel();
        runtime.spawn(exchange(connect, me, here.clone(), queue));
        Wakes { here, out }
    }

    pub(super) fn wake(&self, wake: Wake) {
        // Nobody listening is fine, here and there.
        let _ = self.here.send(wake);
        let _ = self.out.send(wake);
    }

    pub(super) fn listen(&self) -> broadcast::Receiver<Wake> {
        self.here.subscribe()
    }
}

/// Ends when the store is gone, and with it the sender of `queue`.
async fn exchange(
    connect: Connect,
    me: Uuid,
    here: broadcast::Sender<Wake>,
    mut queue: mpsc::UnboundedReceiver<Wake>,
) {
    loop {
        match connect.one().await {
            Ok((client, mut connection)) => {
                let (heard, mut hears) = mpsc::unbounded_channel();
                let pump = tokio::spawn(async move {
                    while let Some(Ok(message)) = poll_fn(|cx| connection.poll_message(cx)).await {
                        if let AsyncMessage::Notification(note) = message {
                            let _ = heard.send(note.payload().to_owned());
                        }
                    }
                });
                let listening = client.batch_execute(&format!("LISTEN {CHANNEL}")).await.is_ok();
                let ended = listening && serve(&client, me, &here, &mut queue, &mut hears).await;
                pump.abort();
                if ended {
                    return;
                }
            }
            Err(error) => tracing::warn!(%error, "other processes of this hub cannot be heard"),
        }
        tokio::time::sleep(PAUSE).await;
        if queue.is_closed() {
            return;
        }
    }
}

/// Answers true when the store is gone, false when the connection is.
async fn serve(
    client: &tokio_postgres::Client,
    me: Uuid,
    here: &broadcast::Sender<Wake>,
    queue: &mut mpsc::UnboundedReceiver<Wake>,
    hears: &mut mpsc::UnboundedReceiver<String>,
) -> bool {
    loop {
        tokio::select! {
            wake = queue.recv() => {
                let Some(wake) = wake else { return true };
                // A storm of pushes becomes few statements: what came meanwhile goes with this one, each thing once.
                let mut all = HashSet::from([word(wake)]);
                while let Ok(wake) = queue.try_recv() {
                    all.insert(word(wake));
                }
                for word in all {
                    let sql = format!("NOTIFY {CHANNEL}, '{me} {word}'");
                    if client.batch_execute(&sql).await.is_err() {
                        return false;
                    }
                }
            }
            payload = hears.recv() => {
                let Some(payload) = payload else { return false };
                let Some((from, word)) = payload.split_once(' ') else { continue };
                if from != me.to_string() && let Some(wake) = read(word) {
                    let _ = here.send(wake);
                }
            }
        }
    }
}

fn word(wake: Wake) -> String {
    match wake {
        Wake::Pushed(outlet) => format!("pushed {outlet}"),
        Wake::Feed(outlet) => format!("feed {outlet}"),
        Wake::Parcels(outlet) => format!("parcels {outlet}"),
        Wake::Registry => "registry".to_owned(),
    }
}

fn read(word: &str) -> Option<Wake> {
    match word.split_once(' ') {
        Some(("pushed", outlet)) => outlet.parse().ok().map(Wake::Pushed),
        Some(("feed", outlet)) => outlet.parse().ok().map(Wake::Feed),
        Some(("parcels", outlet)) => outlet.parse().ok().map(Wake::Parcels),
        None if word == "registry" => Some(Wake::Registry),
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn words_come_back() {
        let outlet = Uuid::from_u128(7);
        for wake in [Wake::Pushed(outlet), Wake::Feed(outlet), Wake::Parcels(outlet), Wake::Registry] {
            assert_eq!(read(&word(wake)), Some(wake));
        }
        assert_eq!(read("pushed nobody"), None);
        assert_eq!(read("something newer"), None);
    }
}
