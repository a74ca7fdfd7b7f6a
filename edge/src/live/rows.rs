//! A changed row as those who follow see it: read once and written once for all who see the same of it in one language, and for each whether
//! it is theirs to see.

use super::changes::{Change, Kind, Topic};
use super::position::Position;
use crate::db::{DbError, Source, opt};
use crate::http::sse::Shown;
use crate::http::{Problem, Result};
use crate::resources::auth::rules::Reach;
use crate::resources::menu;
use crate::resources::{kitchen, notifications, orders, tables};
use crate::state::PublicUrl;
use axum::response::sse::Event as Frame;
use std::collections::BTreeSet;
use std::ops::Range;
use std::sync::Arc;
use tiffin_common::{Millis, Uuid};

/// What somebody who is signed in follows and sees.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Eyes {
    /// The outlet.
    pub outlet: Uuid,
    /// What they follow.
    pub topics: Vec<Topic>,
    /// Whether they see guests' phones and addresses.
    pub sees_guests: bool,
    /// Whether they manage tables.
    pub manages_tables: bool,
    /// Of another system: the orders that alone it sees, with their tickets.
    pub reach: Option<Reach>,
    /// The station whose tickets alone they see.
    pub station: Option<Uuid>,
    /// Whether it is a board, which shows no guest.
    pub is_board: bool,
    /// The language that tickets are read in; none: as everything is called.
    pub language: Option<String>,
    /// The language that the menu is read in.
    pub menu_language: Option<String>,
    /// The audiences of notifications that they belong to.
    pub audiences: String,
}

impl Eyes {
    /// The language that they read rows of `kind` in; none: there is but one.
    pub fn language_of(&self, kind: Kind) -> Option<&str> {
        match kind {
            Kind::Ticket => self.language.as_deref(),
            Kind::Item | Kind::Category | Kind::Group => self.menu_language.as_deref(),
            Kind::Order | Kind::Table | Kind::PriceList | Kind::Notification => None,
        }
    }

    fn reaches(&self, channel: Option<Uuid>, taken_by: Option<Uuid>) -> bool {
        self.reach.as_ref().is_none_or(|reach| reach.holds(channel, taken_by))
    }
}

/// An event, written once for both kinds of streams.
#[derive(Debug)]
pub struct Event {
    id: String,
    name: &'static str,
    data: String,
    /// What the streams of before call it, and where in `data` stands the bare row that they send.
    before: (&'static str, Range<usize>),
}

impl Event {
    /// A row at `at`; none: it is no longer shown.
    fn row(change: &Change, shown: Option<&Shown>) -> Arc<Event> {
        let Change { at, kind, id: row, is_new } = change;
        let (name, id) = (kind.name(), at.to_string());
        let (version, json) = match shown {
            Some(shown) => (shown.version.to_string(), shown.json.as_str()),
            None => ("null".to_owned(), "null"),
        };
        let mut data = format!(
            "{{\"id\":\"{id}\",\"type\":\"{name}\",\"rowId\":\"{row}\",\"version\":{version},\"data\":"
        );
        let from = data.len();
        data.push_str(json);
        let bare = from..data.len();
        data.push('}');
        let before = match (kind, is_new) {
            (Kind::Ticket, true) => "ticket.created",
            (Kind::Ticket, false) => "ticket.updated",
            _ => name,
        };
        Arc::new(Event { id, name, data, before: (before, bare) })
    }

    /// The state of the branch at `at`.
    pub fn status(at: Position, shown: &Shown) -> Arc<Event> {
        let id = at.to_string();
        let Shown { version, json } = shown;
        let data = format!("{{\"id\":\"{id}\",\"type\":\"status\",\"version\":{version},\"data\":{json}}}");
        Arc::new(Event { id, name: "status", before: ("status", 0..data.len()), data })
    }

    /// One that only tells where the stream stands.
    pub fn mark(at: Position, name: &'static str) -> Arc<Event> {
        let id = at.to_string();
        let data = format!("{{\"position\":\"{id}\"}}");
        Arc::new(Event { id, name, before: (name, 0..data.len()), data })
    }

    /// As it is sent; by a stream of before: the bare row.
    pub fn frame(&self, is_bare: bool) -> Frame {
        let (name, data) = match (is_bare, &self.before) {
            (true, (name, bare)) => (*name, self.data.get(bare.clone()).unwrap_or_default()),
            (false, _) => (self.name, self.data.as_str()),
        };
        Frame::default().id(&self.id).event(name).data(data)
    }
}

/// Who of those who see rows of its kind sees this one.
#[derive(Debug)]
enum Seen {
    Everybody,
    /// Who reaches an order that came through this channel and was taken by this account.
    Order(Option<Uuid>, Option<Uuid>),
    /// The same of a ticket, at its station, or where it was escalated to.
    Ticket {
        station: Uuid,
        escalated_to: Option<Uuid>,
        origin: (Option<Uuid>, Option<Uuid>),
    },
    Audience(String),
}

/// A row that changed, written as everybody sees it.
#[derive(Debug)]
pub struct Written {
    kind: Kind,
    outlet: Uuid,
    seen: Seen,
    /// For whoever sees all of it.
    whole: Arc<Event>,
    /// For everybody else.
    plain: Arc<Event>,
}

impl Written {
    /// The event that `eyes` get; none where it is not theirs to see.
    pub fn to(&self, eyes: &Eyes) -> Option<Arc<Event>> {
        if self.outlet != eyes.outlet || !eyes.topics.contains(&self.kind.topic()) {
            return None;
        }
        let is_seen = match &self.seen {
            Seen::Everybody => true,
            Seen::Order(channel, by) => eyes.reaches(*channel, *by),
            Seen::Ticket { station: own, escalated_to: other, origin: (channel, by) } => {
                eyes.station.is_none_or(|station| station == *own || Some(station) == *other)
                    && eyes.reaches(*channel, *by)
            }
            Seen::Audience(audience) => eyes.audiences.contains(audience.as_str()),
        };
        let sees_all = match self.kind {
            Kind::Order => eyes.sees_guests,
            Kind::Table => eyes.manages_tables,
            Kind::Ticket => !eyes.is_board,
            _ => true,
        };
        is_seen.then(|| Arc::clone(if sees_all { &self.whole } else { &self.plain }))
    }
}

/// A row that changed in each language that somebody reads it in.
#[derive(Debug)]
pub struct Worded {
    kind: Kind,
    written: Vec<(Option<String>, Written)>,
}

impl Worded {
    /// The event that `eyes` get; none where it is not theirs to see.
    pub fn to(&self, eyes: &Eyes) -> Option<Arc<Event>> {
        let wanted = eyes.language_of(self.kind);
        let (_, row) = self.written.iter().find(|(language, _)| language.as_deref() == wanted)?;
        row.to(eyes)
    }
}

/// What rows are written with.
#[derive(Debug, Clone)]
pub struct Pen {
    /// The address in links.
    pub public_url: PublicUrl,
    /// The moment of reading.
    pub now: Millis,
}

/// A row that is shown: to whom, to those who see all of it, and to everybody else where that differs.
type Found = (Seen, Shown, Option<Shown>);

impl Pen {
    /// `change` in each language that is read by those of `staff` who follow rows of its kind.
    pub fn write_for<'e>(
        &self,
        conn: &dyn Source,
        change: &Change,
        staff: impl Iterator<Item = &'e Eyes>,
    ) -> Result<Worded> {
        let kind = change.kind;
        let following = staff.filter(|eyes| eyes.topics.contains(&kind.topic()));
        let languages: BTreeSet<Option<&str>> = following.map(|eyes| eyes.language_of(kind)).collect();
        let mut written = Vec::with_capacity(languages.len());
        for language in languages {
            let row = self.write(conn, change, language)?;
            written.extend(row.map(|row| (language.map(str::to_owned), row)));
        }
        Ok(Worded { kind, written })
    }

    /// `change`, as it is seen and read in `language`; none where there is nothing to tell: the row has gone for good.
    fn write(&self, conn: &dyn Source, change: &Change, language: Option<&str>) -> Result<Option<Written>> {
        let Change { kind, id, .. } = *change;
        let Some(outlet) = kind.outlet_of(conn, id)? else { return Ok(None) };
        let written = |seen, shown: Option<&Shown>, plain: Option<&Shown>| {
            let whole = Event::row(change, shown);
            let plain = plain.map_or_else(|| Arc::clone(&whole), |plain| Event::row(change, Some(plain)));
            Written { kind, outlet, seen, whole, plain }
        };
        Ok(match self.find(conn, outlet, (kind, id), language)? {
            Some((seen, shown, plain)) => Some(written(seen, Some(&shown), plain.as_ref())),
            // Archived: everybody who had it lets go of it. Tickets, orders and notifications are never archived.
            None if kind == Kind::Table || kind.topic() == Topic::Menu => {
                Some(written(Seen::Everybody, None, None))
            }
            None => None,
        })
    }

    fn find(
        &self,
        conn: &dyn Source,
        outlet: Uuid,
        (kind, id): (Kind, Uuid),
        language: Option<&str>,
    ) -> Result<Option<Found>> {
        let at = || menu::store::find_local_now(conn, outlet, self.now);
        let to_all = |shown: Option<Shown>| shown.map(|shown| (Seen::Everybody, shown, None));
        Ok(match kind {
            Kind::Order => orders::shown(conn, outlet, id)?.map(|order| {
                let plain = (order.without_reach != order.whole).then_some(order.without_reach);
                (Seen::Order(order.channel_id, order.created_by), order.whole, plain)
            }),
            Kind::Table => tables::shown(conn, outlet, id, &self.public_url)?
                .map(|(whole, plain)| (Seen::Everybody, whole, Some(plain))),
            Kind::Ticket => kitchen::shown(conn, outlet, id, (self.now, language))?.map(|ticket| {
                let kitchen::ShownTicket { station, escalated_to, origin, shown, on_board } = ticket;
                (Seen::Ticket { station, escalated_to, origin }, shown, Some(on_board))
            }),
            Kind::Item => to_all(menu::shown_item(conn, outlet, id, (&at()?, language))?),
            Kind::Category => to_all(menu::shown_category(conn, outlet, id, language)?),
            Kind::Group => to_all(menu::shown_group(conn, outlet, id, (&at()?, language))?),
            Kind::PriceList => to_all(menu::shown_price_list(conn, outlet, id, &at()?)?),
            Kind::Notification => notifications::shown(conn, outlet, id)?
                .map(|(audience, shown)| (Seen::Audience(audience), shown, None)),
        })
    }
}

/// The party whose order changed; none where something else did.
pub fn party_of(conn: &dyn Source, change: &Change) -> Result<Option<Uuid>> {
    if change.kind != Kind::Order {
        return Ok(None);
    }
    let sql = "SELECT table_session_id FROM orders WHERE id = ?1";
    Ok(opt(conn, sql, [change.id], |row| row.get(0))?.flatten())
}

/// The event that a guest's phone gets of an order that changed; none where it is no order of the party.
pub fn to_guest(conn: &dyn Source, change: &Change, guest: &orders::Guest) -> Result<Option<Arc<Event>>> {
    let shown = orders::shown_to_guest(conn, guest, change.id)?;
    Ok(shown.map(|shown| Event::row(change, Some(&shown))))
}

/// The store's failure in words, for the log.
pub fn why(problem: Problem) -> DbError {
    DbError::Unavailable(format!("{problem:?}"))
}
