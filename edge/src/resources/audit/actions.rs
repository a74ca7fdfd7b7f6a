//! The one thing that happens to the audit log: it grows.

use super::rules::{Entry, Record};
use super::store;
use crate::access::Actor;
use crate::db::{self, Tx};

/// Puts `entry` on record as done by `actor` now.
pub fn record(tx: &Tx<'_>, actor: &Actor, entry: Entry) -> db::Result<()> {
    let record = Record {
        id: tx.new_id(),
        at: tx.now(),
        business_date: store::find_business_day(tx, actor.outlet_id)?.date_of(tx.now()),
        actor_id: actor.account_id,
        actor_name: actor.name.clone(),
        device: actor.device.clone(),
        clock_suspect: tx.is_clock_doubtful(),
        entry,
    };
    store::insert(tx, actor.outlet_id, &record)
}
