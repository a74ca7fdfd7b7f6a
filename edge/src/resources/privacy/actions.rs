//! Finding what is known of a guest, and ending it. Finding only reads and may take a while; what it found is ended in one transaction.

use super::rules::{Erased, Number, PrivacyError, Result, Traces};
use super::store::{self, Text};
use crate::access::Actor;
use crate::db::{self, Source, Tx};
use crate::http::idempotency;
use crate::resources::audit::{self, Entry};
use crate::resources::orders::rules::{Guest, OrderError};
use crate::resources::{orders, outlets, printers};
use serde_json::json;
use tiffin_common::digest::first_id;
use tiffin_common::{Millis, Uuid};

/// Guests that are forgotten by age in one step.
const MOST: u32 = 200;

/// The milliseconds of a day.
const DAY_MS: i64 = 86_400_000;

/// Whose traces are meant.
#[derive(Debug, Clone)]
pub enum Whom {
    /// Everything under this number.
    Phone(Number),
    /// What belongs to this order.
    Order(Uuid),
}

/// What is known of guests, and where.
#[derive(Debug, Clone)]
pub struct Found {
    outlet: Uuid,
    /// Their orders and feedbacks.
    ids: Vec<Uuid>,
    /// What is blanked in words about these.
    near: Traces,
    /// What is blanked anywhere.
    far: Traces,
    texts: Vec<Text>,
    /// Kept answers, and whether they are about these orders and feedbacks.
    answers: Vec<(i64, bool)>,
}

/// What is known of a guest at `outlet`.
///
/// # Errors
/// [`PrivacyError::NotFound`] for an order that is not there, or another outlet's. A number that nobody gave finds nothing.
pub fn find(conn: &dyn Source, outlet: Uuid, whom: &Whom) -> Result<Found> {
    let (ids, asked): (Vec<Uuid>, Guest) = match whom {
        Whom::Phone(number) => {
            let all = orders::store::list_reachable_guests(conn, outlet)?.into_iter();
            let theirs = all.filter(|(_, guest)| {
                guest.phone.as_deref().and_then(Number::of).is_some_and(|other| other.is(number))
            });
            (theirs.map(|(id, _)| id).collect(), number.guest())
        }
        Whom::Order(id) => {
            let order = orders::store::find_head(conn, outlet, *id).map_err(|error| match error {
                OrderError::Db(error) => PrivacyError::Db(error),
                _ => PrivacyError::NotFound("order"),
            })?;
            (vec![order.id], Guest::default())
        }
    };
    Ok(look(conn, outlet, store::list_related(conn, outlet, ids)?, Some(asked))?)
}

/// What is known of the guests of these orders and feedbacks. With `asked`, who asks for it: then kept answers are looked through, too.
fn look(conn: &dyn Source, outlet: Uuid, ids: Vec<Uuid>, asked: Option<Guest>) -> db::Result<Found> {
    let mut guests: Vec<Guest> = Vec::new();
    for some in ids.chunks(store::AT_ONCE) {
        guests.extend(orders::store::list_guests(conn, outlet, some)?.into_iter().map(|(_, guest)| guest));
    }
    let is_wish = asked.is_some();
    guests.extend(asked);
    let near = Traces::of(&guests);
    let far = near.unmistakable();
    let texts = store::list_texts(conn, outlet, &ids, (&near, &far))?;
    let mut answers = Vec::new();
    if is_wish {
        let names: Vec<String> = ids.iter().map(Uuid::to_string).collect();
        idempotency::each_answer(conn, outlet, |row, body| {
            let is_theirs = names.iter().any(|name| body.contains(name));
            if (if is_theirs { &near } else { &far }).blanked(body).is_some() {
                answers.push((row, is_theirs));
            }
        })?;
    }
    Ok(Found { outlet, ids, near, far, texts, answers })
}

/// Erases what was found, by the wish of who was found, and puts on record that it was, without a word about them.
pub fn erase(tx: &Tx<'_>, actor: &Actor, found: &Found) -> Result<Erased> {
    let erased = store::count_erased(tx, found.outlet, &found.ids)?;
    for id in &found.ids {
        orders::store::set_guest_erased(tx, found.outlet, *id, tx.now())?;
    }
    blank(tx, found)?;
    forget_printed(tx, found)?;
    let Erased { orders, feedback, documents_kept } = erased;
    let entry = Entry::new("privacy.erase", "guest", None)
        .after(&json!({"orders": orders, "feedback": feedback, "documentsKept": documents_kept}));
    audit::actions::record(tx, actor, entry)?;
    Ok(erased)
}

/// Blanks the words that were found, as they are now.
fn blank(tx: &Tx<'_>, found: &Found) -> db::Result<()> {
    for text in &found.texts {
        let traces = if text.is_near { &found.near } else { &found.far };
        if let Some(words) =
            store::find_text(tx, found.outlet, text)?.and_then(|words| traces.blanked(&words))
        {
            store::set_text(tx, found.outlet, text, &words)?;
        }
    }
    for (row, is_near) in &found.answers {
        let traces = if *is_near { &found.near } else { &found.far };
        idempotency::set_answer(tx, found.outlet, *row, |body| traces.blanked(body))?;
    }
    Ok(())
}

/// Forgets the paper of the orders that were found. Paper of who is forgotten by age is long gone.
fn forget_printed(tx: &Tx<'_>, found: &Found) -> db::Result<()> {
    found.ids.iter().try_for_each(|order| printers::actions::forget_printed(tx, found.outlet, *order))
}

/// Erases once more who was erased after the backup was taken that `tx` was restored from: `list` has orders and feedbacks with when.
pub fn erase_again(tx: &Tx<'_>, list: &[(Uuid, Millis)]) -> db::Result<()> {
    for outlet in outlets::store::list(tx)? {
        for some in list.chunks(store::AT_ONCE) {
            let ids: Vec<Uuid> = some.iter().map(|(id, _)| *id).collect();
            let ids = store::list_related(tx, outlet.id, ids)?;
            let found = look(tx, outlet.id, ids, Some(Guest::default()))?;
            for (id, at) in some {
                orders::store::set_guest_erased(tx, outlet.id, *id, *at)?;
            }
            blank(tx, &found)?;
            forget_printed(tx, &found)?;
        }
    }
    Ok(())
}

/// Who was erased by wish, of all outlets of this box: orders and feedbacks with when.
pub fn list_erased(conn: &dyn Source) -> db::Result<Vec<(Uuid, Millis)>> {
    let outlets = outlets::store::list(conn)?;
    let of = |outlet: &outlets::rules::Outlet| orders::store::list_erased(conn, outlet.id);
    Ok(outlets.iter().map(of).collect::<db::Result<Vec<_>>>()?.concat())
}

/// Some of the guests who are older than their outlet keeps them.
pub fn find_old(conn: &dyn Source, now: Millis) -> db::Result<Option<Found>> {
    for outlet in outlets::store::list(conn)? {
        let bound = first_id(now.after(-outlet.guest_data_days.saturating_mul(DAY_MS)));
        let ids = orders::store::list_old_guests(conn, outlet.id, bound, MOST)?;
        if !ids.is_empty() {
            return look(conn, outlet.id, ids, None).map(Some);
        }
    }
    Ok(None)
}

/// Forgets whom [`find_old`] found.
pub fn forget(tx: &Tx<'_>, found: &Found) -> db::Result<()> {
    found.ids.iter().try_for_each(|id| orders::store::delete_guest(tx, found.outlet, *id))?;
    blank(tx, found)
}
