//! What boxes last said of themselves, gathered in memory and written down every few seconds: one transaction for all, not one for
//! each request. Never decides anything.

use crate::registry::outlets::Presence;
use std::collections::HashMap;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use tiffin_common::sync::HelloRequest;
use tiffin_common::{Millis, Uuid};

/// How long after its last word an outlet counts as online, in milliseconds: longer than the longest pull.
pub const ONLINE_MS: i64 = 90_000;

/// See the module. Clones share it.
#[derive(Clone, Default)]
pub struct Presences(Arc<Mutex<Known>>);

#[derive(Default)]
struct Known {
    /// Everything that was said since the start.
    all: HashMap<Uuid, Heard>,
    /// What is not written down yet.
    fresh: HashMap<Uuid, Presence>,
}

#[derive(Default)]
struct Heard {
    presence: Presence,
    /// The end of the box's log, as it said.
    head_seq: Option<i64>,
}

impl Presences {
    fn known(&self) -> MutexGuard<'_, Known> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn note(&self, outlet: Uuid, now: Millis, alter: impl FnOnce(&mut Heard)) {
        let mut known = self.known();
        let heard = known.all.entry(outlet).or_default();
        heard.presence.last_seen_at = now;
        alter(heard);
        let presence = heard.presence.clone();
        known.fresh.insert(outlet, presence);
    }

    /// The box of `outlet` asked for something.
    pub fn seen(&self, outlet: Uuid, device: Uuid, now: Millis) {
        self.note(outlet, now, |heard| heard.presence.device_id = Some(device));
    }

    /// The box greeted.
    pub fn greeted(&self, outlet: Uuid, hello: &HelloRequest, now: Millis) {
        self.note(outlet, now, |heard| {
            heard.head_seq = hello.head.map(|head| head.seq);
            heard.presence = Presence {
                device_id: Some(hello.device_id),
                last_seen_at: now,
                version: Some(hello.version.clone()),
                schema: Some(hello.schema),
                rows_waiting: Some(hello.backlog.max(0)),
                clock_offset_ms: Some(hello.wall.since(now)),
            };
        });
    }

    /// Head office holds the outlet's log up to `cursor_seq`.
    pub fn pushed(&self, outlet: Uuid, device: Uuid, cursor_seq: i64, now: Millis) {
        self.note(outlet, now, |heard| {
            heard.presence.device_id = Some(device);
            let head = heard.head_seq.map_or(cursor_seq, |head| head.max(cursor_seq));
            heard.head_seq = Some(head);
            heard.presence.rows_waiting = Some(head.saturating_sub(cursor_seq));
        });
    }

    /// What was said by `outlet` since the start.
    pub fn of(&self, outlet: Uuid) -> Option<Presence> {
        self.known().all.get(&outlet).map(|heard| heard.presence.clone())
    }

    /// Takes what is not written down yet.
    pub fn take(&self) -> HashMap<Uuid, Presence> {
        std::mem::take(&mut self.known().fresh)
    }

    /// Gives back what could not be written down; what was said since counts.
    pub fn put_back(&self, taken: HashMap<Uuid, Presence>) {
        let mut known = self.known();
        for (outlet, presence) in taken {
            known.fresh.entry(outlet).or_insert(presence);
        }
    }
}
