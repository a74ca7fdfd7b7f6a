//! Transfers between outlets. What came of one is noted in the unit of work that brought it; what follows from it is worked out from
//! the rows of both outlets, one after the other, and told to each as a shared row of its feed. Every step may be repeated, and may
//! find that another process has made it. Never has two outlets in one unit of work.
//!
//! The receiver's log decides: a receipt before the recall, or the recall without a receipt, after which its box takes nothing in.
//! What was decided once stays so.

use super::error::HubError;
use super::master::Master;
use super::rows::{self, Cell, Image};
use super::state::State;
use super::{Desk, Edit, edit};
use crate::store::OutletTx;
use edge::db::{Columns, Source, Sql, list};
use edge::resources::inventory::rules::transfers::{Transfer, TransferLine, TransferStatus};
use edge::resources::inventory::store::transfers;
use edge::resources::outlets;
use edge::{insert, select, table};
use tiffin_common::frame::{DecodeError, Op, OpKind};
use tiffin_common::registry::{Table, table_named};
use tiffin_common::{Millis, Uuid};

/// Who changes the delivered rows, for people to read.
const EDITOR: &str = "head office";

table! {
    /// Something came of a transfer, and both outlets are to hear what follows.
    pub struct Parcel: hub_parcels {
        /// The transfer.
        pub transfer: Uuid => transfer_id,
        /// The outlet that sent it.
        pub sender: Uuid => sender_id,
        /// Another one whenever something comes.
        pub stamp: Uuid,
    }
}

/// What its sender's rows say of a transfer.
#[derive(Debug, Clone)]
pub struct Sent {
    /// The outlet it goes to.
    pub receiver: Uuid,
    /// The row that the receiver is to have.
    image: Image,
    transfer: Uuid,
    /// What the sender was told already.
    told: Option<Verdict>,
}

/// What became of a transfer, as its sender is to hear it.
#[derive(Debug, Clone)]
pub struct Decision(Image);

/// How a transfer ended, and when that was decided.
#[derive(Debug, Clone, Copy)]
struct Verdict {
    outcome: TransferStatus,
    at: Millis,
}

fn registered(name: &'static str) -> Result<&'static Table, HubError> {
    table_named(name).ok_or_else(|| HubError::Invalid(format!("there is no table {name}")))
}

/// Notes the transfers that `ops` are about.
pub(super) fn note(sql: &dyn Sql, at: &Desk, state: &mut State, ops: &[Op<'_>]) -> edge::db::Result<()> {
    for op in ops {
        let Some(table) = rows::table_of(op) else { continue };
        let value = |name: &str| op.value(table, name)?.id();
        let found = match table.name {
            "stock_transfers" => op.row_id().map(|id| (id, at.outlet)),
            "stock_transfer_receipts" => value("transfer_id").zip(value("from_outlet_id")),
            "incoming_transfers" => op.row_id().zip(value("from_outlet_id")),
            _ => None,
        };
        let Some((transfer, sender)) = found.filter(|_| op.kind != OpKind::Delete) else { continue };
        let stamp = at.env.ids.next(at.now());
        insert!(
            sql,
            hub_parcels { outlet_id: at.outlet, transfer_id: transfer, sender_id: sender, stamp: stamp },
            "ON CONFLICT (outlet_id, transfer_id) DO UPDATE SET stamp = excluded.stamp"
        )?;
        state.parcels = true;
    }
    Ok(())
}

/// The outlet's parcels, at most some hundred.
pub fn parcels(from: &dyn Source, outlet: Uuid) -> Result<Vec<Parcel>, HubError> {
    let sql = select!(Parcel, "WHERE outlet_id = ?1 ORDER BY transfer_id LIMIT 200");
    Ok(list(from, sql, [outlet], Parcel::read)?)
}

/// Both outlets have heard: the parcel is done, unless something came meanwhile.
pub fn done(tx: &dyn OutletTx, outlet: Uuid, parcel: &Parcel) -> Result<(), HubError> {
    const DONE: &str = "DELETE FROM hub_parcels WHERE outlet_id = ?1 AND transfer_id = ?2 AND stamp = ?3";
    tx.execute(DONE, &[&outlet, &parcel.transfer, &parcel.stamp])?;
    Ok(())
}

fn text(value: &str) -> Cell {
    Cell::Text(value.to_owned())
}

fn maybe(value: Option<&str>) -> Cell {
    value.map_or(Cell::Null, text)
}

fn moment(value: Option<Millis>) -> Cell {
    value.map_or(Cell::Null, |at| Cell::Integer(at.get()))
}

/// The transfer as its sender's rows have it; none where head office has nothing to deliver.
///
/// # Errors
/// A row that cannot be read.
pub fn sent(from: &dyn Source, sender: Uuid, id: Uuid) -> Result<Option<Sent>, HubError> {
    let found = transfers::find(from, sender, id)?;
    let Some(transfer) = found.filter(|t| t.outlet_id == sender && t.is_for_delivery()) else {
        return Ok(None);
    };
    let lines = transfers::list_lines(from, &transfer)?;
    let own = outlets::store::find(from, sender)?;
    let outcomes = registered("transfer_outcomes")?;
    let known = known(from, sender, outcomes, id)?;
    let image = delivery(&transfer, &lines, &own.row.code, &own.row.name)?;
    let told = known.and_then(|row| verdict(outcomes, &row));
    Ok(Some(Sent { receiver: transfer.to_outlet_id, image, transfer: id, told }))
}

/// The receiver's row of a transfer.
fn delivery(transfer: &Transfer, lines: &[TransferLine], code: &str, name: &str) -> Result<Image, HubError> {
    let table = registered("incoming_transfers")?;
    let json = serde_json::to_string(lines).map_err(|_| DecodeError("lines that are no JSON"))?;
    let mut image = Image::default();
    for (column, cell) in [
        ("id", Cell::Id(transfer.id)),
        ("outlet_id", Cell::Id(transfer.to_outlet_id)),
        ("from_outlet_id", Cell::Id(transfer.outlet_id)),
        ("from_outlet_code", text(code)),
        ("from_outlet_name", text(name)),
        ("transfer_number", text(&transfer.transfer_number)),
        ("note", maybe(transfer.note.as_deref())),
        ("business_date", text(&transfer.business_date.to_string())),
        ("sent_at", moment(Some(transfer.sent_at))),
        ("sent_by_name", text(&transfer.sent_by_name)),
        ("lines", text(&json)),
        ("lines_count", Cell::Integer(transfer.lines_count)),
        ("cost_micros", Cell::Integer(transfer.cost_micros)),
        ("recalled_at", moment(transfer.recalled_at)),
    ] {
        image.put(table, column, cell);
    }
    if transfer.recalled_at.is_some() {
        image.put(table, "recalled_by_name", maybe(transfer.cancelled_by_name.as_deref()));
        image.put(table, "recall_reason", maybe(transfer.cancel_reason.as_deref()));
    }
    Ok(image)
}

/// The row as head office wants it, or else as the branch has it.
fn known(
    from: &dyn Source,
    outlet: Uuid,
    table: &'static Table,
    id: Uuid,
) -> Result<Option<Image>, HubError> {
    match Master::load(from, outlet, table, id)?.and_then(|master| master.row) {
        Some(row) => Ok(Some(row)),
        None => rows::replica(from, table, id),
    }
}

/// What a delivered row says of the end.
fn verdict(table: &Table, row: &Image) -> Option<Verdict> {
    let Some(Cell::Text(word)) = table.column("outcome").map(|column| row.get(column)) else {
        return None;
    };
    let outcome =
        [TransferStatus::Received, TransferStatus::Cancelled].into_iter().find(|w| w.name() == word)?;
    Some(Verdict { outcome, at: Millis::new(row.integer(table, "decided_at")) })
}

/// What the receiver's rows say of the end: it stays what it was, or is what its log tells first.
fn decide(from: &dyn Source, at: &Desk, sent: &Sent) -> Result<Option<Verdict>, HubError> {
    let table = registered("incoming_transfers")?;
    let wanted = Master::load(from, at.outlet, table, sent.transfer)?.and_then(|master| master.row);
    let held = rows::replica(from, table, sent.transfer)?;
    let of = |row: &Option<Image>| row.as_ref().and_then(|row| verdict(table, row));
    if let Some(known) = sent.told.or_else(|| of(&wanted)).or_else(|| of(&held)) {
        return Ok(Some(known));
    }
    let is_recalled = |row: &Image| row.integer(table, "recalled_at") != 0;
    let decides = at.bugs.recall_decides() && is_recalled(&sent.image);
    let is_received = transfers::find_receipt(from, at.outlet, sent.transfer)?
        .is_some_and(|receipt| receipt.undone_at.is_none() && !decides);
    let is_recalled = decides || held.as_ref().is_some_and(is_recalled);
    let outcome = match (is_received, is_recalled) {
        (true, _) => TransferStatus::Received,
        (false, true) => TransferStatus::Cancelled,
        (false, false) => return Ok(None),
    };
    Ok(Some(Verdict { outcome, at: at.now() }))
}

/// Brings the receiver's row of the transfer up to date; answers whether its feed moved, and what its sender is to hear.
///
/// # Errors
/// As [`edit`](super::set_master::set_master).
pub fn deliver(tx: &mut dyn OutletTx, at: &Desk, sent: &Sent) -> Result<(bool, Option<Decision>), HubError> {
    let table = registered("incoming_transfers")?;
    let mut image = sent.image.clone();
    if let Some(held) = rows::replica(&*tx, table, sent.transfer)? {
        // The receiver may know more than a head office that was put back has heard of the sender again.
        for name in ["recalled_at", "recalled_by_name", "recall_reason"] {
            let Some(column) = table.column(name) else { continue };
            if *image.get(column) == Cell::Null {
                image.put(table, name, held.get(column).clone());
            }
        }
    }
    let verdict = decide(&*tx, at, sent)?;
    if let Some(verdict) = verdict {
        image.put(table, "outcome", text(verdict.outcome.name()));
        image.put(table, "decided_at", moment(Some(verdict.at)));
    }
    let delivered = match at.bugs.delivered_twice() {
        true => at.env.ids.next(at.now()),
        false => sent.transfer,
    };
    image.put(table, "id", Cell::Id(delivered));
    let fed = put(tx, at, table, delivered, &image)?;
    let decision = match verdict.filter(|_| sent.told.is_none()) {
        Some(verdict) => decision(&*tx, at, sent, verdict)?,
        None => None,
    };
    Ok((fed, decision))
}

/// What the sender is to hear; none while the receipt is not here (again), which then brings it.
fn decision(
    from: &dyn Source,
    at: &Desk,
    sent: &Sent,
    verdict: Verdict,
) -> Result<Option<Decision>, HubError> {
    let incoming = registered("incoming_transfers")?;
    let sender = incoming.column("from_outlet_id").map(|column| sent.image.get(column).clone());
    let table = registered("transfer_outcomes")?;
    let mut image = Image::default();
    image.put(table, "id", Cell::Id(sent.transfer));
    image.put(table, "outlet_id", sender.unwrap_or(Cell::Null));
    image.put(table, "outcome", text(verdict.outcome.name()));
    image.put(table, "decided_at", moment(Some(verdict.at)));
    image.put(table, "lines", text("[]"));
    if verdict.outcome == TransferStatus::Received {
        let Some(receipt) = transfers::find_receipt(from, at.outlet, sent.transfer)? else { return Ok(None) };
        let came = transfers::list_came_here(from, at.outlet, sent.transfer)?;
        let came = serde_json::to_string(&came).map_err(|_| DecodeError("lines that are no JSON"))?;
        image.put(table, "received_at", moment(Some(receipt.at)));
        image.put(table, "by_name", text(&receipt.by_name));
        image.put(table, "note", maybe(receipt.note.as_deref()));
        image.put(table, "lines", text(&came));
    }
    Ok(Some(Decision(image)))
}

/// Tells the sender, unless it has heard; answers whether its feed moved.
///
/// # Errors
/// As [`edit`](super::set_master::set_master).
pub fn conclude(tx: &mut dyn OutletTx, at: &Desk, id: Uuid, decision: &Decision) -> Result<bool, HubError> {
    let table = registered("transfer_outcomes")?;
    if known(&*tx, at.outlet, table, id)?.is_some() {
        return Ok(false);
    }
    put(tx, at, table, id, &decision.0)
}

/// Makes the delivered row what `image` says; answers whether the outlet's feed moved.
fn put(
    tx: &mut dyn OutletTx,
    at: &Desk,
    table: &'static Table,
    id: Uuid,
    image: &Image,
) -> Result<bool, HubError> {
    let mut state = State::open(&*tx, at)?;
    edit::adopt(tx, at, &state, table, id)?;
    let edit = Edit { changes: image.packed(table), editor: EDITOR.to_owned(), ..Edit::default() };
    edit::make(tx, at, &mut state, &edit)?;
    let fed = state.is_fed();
    if fed {
        state.save(&*tx, &at.env)?;
    }
    Ok(fed)
}
