//! What can happen to a table and to the party at it.

mod import;

pub use import::import;

use super::rules::{self, Result, StatusMove, Table, TableError, TableFields, TableSession, TableStatus};
use super::store;
use crate::access::Actor;
use crate::db::Tx;
use crate::http::{FieldError, Paging, Stale};
use crate::paper::Row;
use crate::resources::audit::{self, Entry};
use crate::resources::menu::rules::Texts;
use crate::resources::printers::rules::{Job, JobKind, Paper, PrinterRole};
use crate::resources::{outlets, printers};
use base64::Engine as _;
use base64::engine::general_purpose::URL_SAFE_NO_PAD;
use chrono::NaiveDate;
use serde_json::json;
use std::collections::HashMap;
use tiffin_common::Uuid;

/// A new QR token: 128 random bits, safe in a URL.
fn token(tx: &Tx<'_>) -> String {
    URL_SAFE_NO_PAD.encode(tx.random::<16>())
}

/// Makes a table with a QR token.
///
/// # Errors
/// Offending fields; a number that is taken.
pub fn create(tx: &Tx<'_>, actor: &Actor, draft: TableFields) -> Result<Table> {
    let (draft, area) = of_area(tx, actor.outlet_id, None, draft.checked()?)?;
    let id = store::insert(tx, actor.outlet_id, &draft, area.order, &token(tx))?;
    say_of_area(tx, actor.outlet_id, &draft, area)?;
    store::find(tx, actor.outlet_id, id)
}

/// What a table takes over from its area, and brings to it.
#[derive(Clone, Copy)]
struct OfArea {
    /// The area's place among the areas.
    order: i64,
    /// Whether the table says itself what its area is called in other languages.
    says: bool,
}

/// A table that is to be so, with its area's place and what the area is called in other languages: the same as at the area's other tables,
/// unless it says so itself.
fn of_area(
    tx: &Tx<'_>,
    outlet: Uuid,
    before: Option<&Table>,
    mut fields: TableFields,
) -> Result<(TableFields, OfArea)> {
    let id = before.map(|table| table.id).unwrap_or_default();
    let others = match &fields.area {
        Some(area) => store::find_area(tx, outlet, area, id)?,
        None => None,
    };
    let stays = before.filter(|table| table.fields.area == fields.area);
    let (texts, place) = others.unzip();
    let order = stays.map(|table| table.area_order).or(place).unwrap_or(0);
    let known = before.map(|table| table.fields.area_texts.clone()).unwrap_or_default();
    let says = fields.area_texts != known;
    if !says {
        fields.area_texts = texts.unwrap_or_else(|| if stays.is_some() { known } else { Texts::default() });
    }
    Ok((fields, OfArea { order, says }))
}

fn say_of_area(tx: &Tx<'_>, outlet: Uuid, fields: &TableFields, of: OfArea) -> Result<()> {
    match fields.area.as_ref().filter(|_| of.says) {
        Some(area) => Ok(store::set_area_texts(tx, outlet, area, &fields.area_texts)?),
        None => Ok(()),
    }
}

/// Writes a table that is to be otherwise than it was `before`.
fn write(tx: &Tx<'_>, outlet: Uuid, before: &Table, fields: TableFields) -> Result<()> {
    let (fields, area) = of_area(tx, outlet, Some(before), fields)?;
    store::update(tx, outlet, before.id, &fields, area.order)?;
    say_of_area(tx, outlet, &fields, area)
}

/// Changes a table. Orders already taken keep the number they were taken under.
///
/// # Errors
/// No such one; a stale version; offending fields; a number that is taken.
pub fn update(
    tx: &Tx<'_>,
    actor: &Actor,
    id: Uuid,
    expected: Option<i64>,
    change: impl FnOnce(TableFields) -> TableFields,
) -> Result<Table> {
    let before = store::find(tx, actor.outlet_id, id)?;
    Stale::check(expected, before.version)?;
    let draft = change(before.fields.clone()).checked()?;
    if draft == before.fields {
        return Ok(before);
    }
    write(tx, actor.outlet_id, &before, draft)?;
    store::find(tx, actor.outlet_id, id)
}

/// Draws tables otherwise, each by its change, and puts the areas in this order. Answers the tables that changed.
///
/// # Errors
/// All offending fields, with the place of their table.
pub fn draw<C: FnOnce(TableFields) -> TableFields>(
    tx: &Tx<'_>,
    actor: &Actor,
    changes: impl Iterator<Item = (Option<Uuid>, C)>,
    areas: Option<&[String]>,
) -> Result<Vec<Table>> {
    let all: HashMap<Uuid, Table> =
        store::list_all(tx, actor.outlet_id)?.into_iter().map(|table| (table.id, table)).collect();
    let (mut wrong, mut drawn) = (Vec::new(), Vec::new());
    for (index, (id, change)) in changes.enumerate() {
        let Some(table) = id.and_then(|id| all.get(&id)) else {
            wrong.push(FieldError::new(format!("tables[{index}].id"), "is no table of this outlet"));
            continue;
        };
        match change(table.fields.clone()).checked() {
            Ok(fields) => drawn.push((table, fields)),
            Err(fields) => wrong.extend(
                fields.into_iter().map(|f| FieldError::new(format!("tables[{index}].{}", f.name), f.reason)),
            ),
        }
    }
    if !wrong.is_empty() {
        return Err(TableError::Invalid(wrong));
    }
    let ids: Vec<Uuid> = drawn.iter().map(|(table, _)| table.id).collect();
    for (table, fields) in drawn {
        write(tx, actor.outlet_id, table, fields)?;
    }
    for (place, area) in (1..).zip(areas.unwrap_or_default()) {
        store::set_area_order(tx, actor.outlet_id, area, place)?;
    }
    let entry = Entry::new("table.plan", "table", None).after(&json!({"tables": ids.len(), "areas": areas}));
    audit::actions::record(tx, actor, entry)?;
    ids.into_iter().map(|id| store::find(tx, actor.outlet_id, id)).collect()
}

/// Archives a table nobody sits at. Its QR token dies.
///
/// # Errors
/// No such one; a stale version; a party sits at it.
pub fn archive(tx: &Tx<'_>, actor: &Actor, id: Uuid, expected: Option<i64>) -> Result<Table> {
    let before = store::find(tx, actor.outlet_id, id)?;
    Stale::check(expected, before.version)?;
    if before.current_session.is_some() {
        return Err(TableError::State("A party sits at the table".into()));
    }
    store::set_archived(tx, actor.outlet_id, id)?;
    let entry =
        Entry::new("table.archive", "table", Some(id)).before(&json!({"number": before.fields.number}));
    audit::actions::record(tx, actor, entry)?;
    Ok(before)
}

/// Sets the status of a table. OCCUPIED seats a party of unknown size; a free status lets a party without open orders go.
///
/// # Errors
/// No such one; a stale version; a state that does not allow it.
pub fn set_status(
    tx: &Tx<'_>,
    actor: &Actor,
    id: Uuid,
    expected: Option<i64>,
    status: TableStatus,
) -> Result<Table> {
    let before = store::find(tx, actor.outlet_id, id)?;
    Stale::check(expected, before.version)?;
    match (rules::status_move(before.current_session.as_ref(), status)?, &before.current_session) {
        (StatusMove::OpenSession, _) => open(tx, actor, id, None, today(tx, actor)?).map(drop)?,
        (StatusMove::CloseSession, Some(session)) => {
            store::set_session_closed(tx, actor.outlet_id, session.id, None)?;
        }
        (StatusMove::CloseSession, None) | (StatusMove::Set, _) => {}
    }
    store::set_status(tx, actor.outlet_id, id, status)?;
    store::find(tx, actor.outlet_id, id)
}

/// Seats a party: opens the table's session.
///
/// # Errors
/// No such one; offending fields; a blocked table, or one that is taken.
pub fn seat(tx: &Tx<'_>, actor: &Actor, id: Uuid, party_size: Option<i64>) -> Result<Table> {
    rules::check_party(party_size)?;
    let table = store::find(tx, actor.outlet_id, id)?;
    usable(&table)?;
    if table.current_session.is_some() {
        return Err(TableError::State(format!("A party already sits at table {}", table.fields.number)));
    }
    open(tx, actor, id, party_size, today(tx, actor)?)?;
    store::find(tx, actor.outlet_id, id)
}

fn today(tx: &Tx<'_>, actor: &Actor) -> Result<NaiveDate> {
    Ok(outlets::store::find(tx, actor.outlet_id)?.business_date(tx.now()))
}

fn usable(table: &Table) -> Result<()> {
    if table.status == TableStatus::Blocked {
        return Err(TableError::State(format!("Table {} is blocked", table.fields.number)));
    }
    Ok(())
}

fn open(
    tx: &Tx<'_>,
    actor: &Actor,
    table: Uuid,
    party_size: Option<i64>,
    business_date: NaiveDate,
) -> Result<Uuid> {
    let by = actor.account_id;
    let session = store::insert_session(tx, actor.outlet_id, table, party_size, business_date, by)?;
    store::set_status(tx, actor.outlet_id, table, TableStatus::Occupied)?;
    Ok(session)
}

/// The session an order at a table belongs to: the open one, else a new one. The table is OCCUPIED afterwards, also when
/// its bill was printed: the party goes on ordering.
///
/// # Errors
/// No such one; a blocked table.
pub fn join_session(
    tx: &Tx<'_>,
    actor: &Actor,
    table_id: Uuid,
    guest_count: Option<i64>,
    business_date: NaiveDate,
) -> Result<Uuid> {
    let table = store::find(tx, actor.outlet_id, table_id)?;
    join_session_of(tx, actor, &table, guest_count, business_date)
}

/// [`join_session`] of a table the caller has just read.
///
/// # Errors
/// A blocked table.
pub fn join_session_of(
    tx: &Tx<'_>,
    actor: &Actor,
    table: &Table,
    guest_count: Option<i64>,
    business_date: NaiveDate,
) -> Result<Uuid> {
    usable(table)?;
    let Some(session) = &table.current_session else {
        return open(tx, actor, table.id, guest_count, business_date);
    };
    if session.party_size.is_none() && guest_count.is_some() {
        store::set_party_size(tx, actor.outlet_id, session.id, guest_count)?;
    }
    store::set_status(tx, actor.outlet_id, table.id, TableStatus::Occupied)?;
    Ok(session.id)
}

/// Counts a wrong code of a party: after a few of them no code is looked at any more.
pub fn code_failed(tx: &Tx<'_>, actor: &Actor, session_id: Uuid) -> Result<()> {
    Ok(store::set_code_failed(tx, actor.outlet_id, session_id)?)
}

/// Called after an order of the session was completed or cancelled: when none is open any more the session ends, and the
/// table is to be cleared (or simply free, when nothing was ever served). Returns whether the session ended.
pub fn leave_session(tx: &Tx<'_>, actor: &Actor, session_id: Uuid) -> Result<bool> {
    let Some(table) = store::find_by_session(tx, actor.outlet_id, session_id)? else { return Ok(false) };
    if table.current_session.as_ref().is_some_and(|session| session.open_orders > 0) {
        return Ok(false);
    }
    store::set_session_closed(tx, actor.outlet_id, session_id, None)?;
    let served = store::has_completed_order(tx, session_id)?;
    let status = if served { TableStatus::Cleaning } else { TableStatus::Available };
    store::set_status(tx, actor.outlet_id, table.id, status)?;
    Ok(true)
}

/// The party has its bill.
pub fn bill_printed(tx: &Tx<'_>, actor: &Actor, session_id: Uuid) -> Result<()> {
    if let Some(table) = store::find_by_session(tx, actor.outlet_id, session_id)? {
        store::set_status(tx, actor.outlet_id, table.id, TableStatus::BillPrinted)?;
    }
    Ok(())
}

/// Staff accepted the party's first QR order: by `qrOrderApproval` FIRST_ORDER its next ones need no acceptance.
pub fn approve_session(tx: &Tx<'_>, actor: &Actor, session_id: Uuid) -> Result<()> {
    Ok(store::set_approved(tx, actor.outlet_id, session_id)?)
}

/// Takes a party to a free table. Its orders are orders' to renumber.
///
/// # Errors
/// No such table; a blocked table, or one where another party sits.
pub fn move_session(tx: &Tx<'_>, actor: &Actor, session_id: Uuid, to_table_id: Uuid) -> Result<Table> {
    let from =
        store::find_by_session(tx, actor.outlet_id, session_id)?.ok_or(TableError::NotFound("table"))?;
    let to = store::find(tx, actor.outlet_id, to_table_id)?;
    usable(&to)?;
    if from.id == to.id {
        return Ok(to);
    }
    if to.current_session.is_some() {
        return Err(TableError::State(format!(
            "A party sits at table {}: merge the tables instead",
            to.fields.number
        )));
    }
    store::set_table(tx, actor.outlet_id, session_id, to.id)?;
    store::set_status(tx, actor.outlet_id, from.id, TableStatus::Available)?;
    let taken = if from.status.is_taken() { from.status } else { TableStatus::Occupied };
    store::set_status(tx, actor.outlet_id, to.id, taken)?;
    store::find(tx, actor.outlet_id, to.id)
}

/// Joins the parties of `from` to that of `into`; their tables become free. Their orders are orders' to move first.
///
/// # Errors
/// A session that is not open.
pub fn merge_sessions(tx: &Tx<'_>, actor: &Actor, into: Uuid, from: &[Uuid]) -> Result<Table> {
    let outlet = actor.outlet_id;
    let target = store::find_by_session(tx, outlet, into)?.ok_or(TableError::NotFound("table"))?;
    let size = |session: &Option<TableSession>| session.as_ref().and_then(|s| s.party_size);
    let mut guests = size(&target.current_session);
    for session in from.iter().filter(|session| **session != into) {
        let table = store::find_by_session(tx, outlet, *session)?.ok_or(TableError::NotFound("table"))?;
        if let Some(more) = size(&table.current_session) {
            guests = Some(guests.unwrap_or(0).saturating_add(more));
        }
        store::set_session_closed(tx, outlet, *session, Some(into))?;
        store::set_status(tx, outlet, table.id, TableStatus::Available)?;
    }
    store::set_party_size(tx, outlet, into, guests)?;
    store::set_status(tx, outlet, target.id, TableStatus::Occupied)?;
    store::find(tx, outlet, target.id)
}

/// Gives a table a new QR token; the old one opens nothing any more.
///
/// # Errors
/// No such one.
pub fn rotate_qr(tx: &Tx<'_>, actor: &Actor, id: Uuid) -> Result<Table> {
    let before = store::find(tx, actor.outlet_id, id)?;
    store::set_token(tx, actor.outlet_id, id, &token(tx))?;
    let entry =
        Entry::new("table.qr.rotate", "table", Some(id)).after(&json!({"number": before.fields.number}));
    audit::actions::record(tx, actor, entry)?;
    store::find(tx, actor.outlet_id, id)
}

/// Queues the QR code of a table, or of all, for the printer that was named, or the first for reports. `url` is what a token opens.
///
/// # Errors
/// No such table; an offending `printerId`; a conflict where there is no printer for reports.
pub fn print_codes(
    tx: &Tx<'_>,
    actor: &Actor,
    table: Option<Uuid>,
    wanted: Option<Uuid>,
    url: impl Fn(&str) -> String,
) -> Result<Job> {
    let printer = printers::actions::choose(tx, actor.outlet_id, wanted, PrinterRole::Report)?;
    let tables = match table {
        Some(id) => vec![store::find(tx, actor.outlet_id, id)?],
        None => {
            let everything = Paging { limit: u32::MAX, offset: 0 };
            store::list_tables(tx, actor.outlet_id, None, &[], everything)?.items
        }
    };
    let mut rows = Vec::with_capacity(tables.len().saturating_mul(3));
    for table in &tables {
        let Some(token) = &table.qr_token else { continue };
        rows.extend([Row::Title(table.fields.number.clone()), Row::Qr(url(token)), Row::Rule]);
    }
    let paper = Paper {
        kind: JobKind::Report,
        rows,
        language: None,
        ticket_id: None,
        order_id: None,
        copy_number: 0,
    };
    let job = printers::actions::print(tx, actor.outlet_id, &printer.destination(), paper)?;
    audit::actions::record(tx, actor, Entry::new("table.print_codes", "table", table))?;
    Ok(job)
}

#[cfg(test)]
mod tests;
