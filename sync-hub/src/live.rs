//! Tells the streams of this process what happens at the outlets. Never works it out: `api::live` does.

use tiffin_common::Uuid;
use tokio::sync::broadcast;

/// Events that a stream may lag behind before it is ended: its client comes back and gets everything as it stands.
const BEHIND: usize = 1_024;

/// Something that happened at an outlet.
#[derive(Debug, Clone)]
pub struct Event {
    /// The outlet.
    pub outlet: Uuid,
    /// The event's name.
    pub name: &'static str,
    /// Its JSON.
    pub data: String,
}

/// Tells the clients of this process. Clones share it.
#[derive(Clone)]
pub struct Live(broadcast::Sender<Event>);

impl Default for Live {
    fn default() -> Self {
        Live(broadcast::Sender::new(BEHIND))
    }
}

impl Live {
    /// Hears of everything from now on.
    pub fn listen(&self) -> broadcast::Receiver<Event> {
        self.0.subscribe()
    }

    /// Whether anybody listens.
    pub fn is_heard(&self) -> bool {
        self.0.receiver_count() > 0
    }

    /// Tells everybody who listens.
    pub fn tell(&self, event: Event) {
        // Nobody listening is no error.
        let _heard = self.0.send(event);
    }
}
