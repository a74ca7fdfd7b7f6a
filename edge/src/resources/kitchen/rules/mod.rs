//! What a station, a ticket and its items may be, and the words they are stored and sent in. Pure.

mod courses;
mod overview;
mod paper;
mod presence;
mod sight;
mod ticket;

pub use courses::{Courses, Plan, plan, station_for};
pub use overview::{AllDay, ExpoOrder, Lamp, LineKitchen, LineStatus, OpenDish, all_day, expo, line_states};
pub use presence::{Known, StationWatch, Turn, turn};
pub use sight::Sight;
pub use ticket::{OfOrder, Ticket, TicketItem};

use crate::config::Printers;
use crate::http::{Checks, FieldError};
use crate::paper::is_language;
use crate::resources::menu::rules::{Texts, WeightUnit};
use crate::resources::printers::rules::{Connection, Target};
use serde::Serialize;
use tiffin_common::{Millis, Quantity, Uuid, words};

words! {
    /// What a station is for.
    pub enum StationKind {
        /// Cooks; gets tickets.
        Prep = "PREP",
        /// The pass: sees the tickets of all stations.
        Expo = "EXPO",
    }
}

words! {
    /// Why there is a ticket. NEW and ADDITION are cooked; the others are slips that tell the cooks something and are
    /// done once somebody has acknowledged them.
    pub enum TicketType {
        /// The first tickets of an order.
        New = "NEW",
        /// Lines that came later: only these, never the whole order again.
        Addition = "ADDITION",
        /// A slip: a line that was seen before has another quantity or note.
        Modification = "MODIFICATION",
        /// A slip: lines that were seen before are not wanted any more.
        Cancellation = "CANCELLATION",
        /// A slip: the order has moved to another table.
        Transfer = "TRANSFER",
        /// A slip: a copy of a ticket, marked COPY n.
        Reprint = "REPRINT",
    }
}

words! {
    /// Where a ticket stands.
    pub enum TicketStatus {
        /// A later course, waiting to be fired.
        Held = "HELD",
        /// Fired, not started.
        Queued = "QUEUED",
        /// At least one item is being cooked.
        InPreparation = "IN_PREPARATION",
        /// Every item is ready.
        Ready = "READY",
        /// Gone to the guest; of a slip: acknowledged.
        Served = "SERVED",
        /// Nothing of it is wanted any more.
        Cancelled = "CANCELLED",
    }
}

words! {
    /// Where an item of a ticket stands.
    pub enum ItemStatus {
        /// Not started.
        Queued = "QUEUED",
        /// Being cooked.
        InPreparation = "IN_PREPARATION",
        /// Cooked and ready.
        Ready = "READY",
        /// Not wanted any more.
        Cancelled = "CANCELLED",
    }
}

impl TicketType {
    /// Whether its items are cooked.
    pub fn is_cooked(self) -> bool {
        matches!(self, TicketType::New | TicketType::Addition)
    }
}

/// What a cook can do with a ticket.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Verb {
    /// I have seen it.
    Ack,
    /// I begin.
    Start,
    /// It is done.
    Ready,
    /// It has gone out.
    Serve,
    /// It was not done after all.
    Recall,
}

impl Verb {
    /// The word in the path and in refusals.
    pub fn name(self) -> &'static str {
        match self {
            Verb::Ack => "ack",
            Verb::Start => "start",
            Verb::Ready => "ready",
            Verb::Serve => "serve",
            Verb::Recall => "recall",
        }
    }
}

/// How far the kitchen is with a line of an order.
#[derive(Debug, Clone, Copy)]
pub struct LineStanding {
    /// When it was told to cook the latest of it; none: it was not.
    pub told_at: Option<Millis>,
    /// Cooking has begun.
    pub is_started: bool,
    /// It should have been ready by now.
    pub is_due: bool,
    /// Its station works from paper.
    pub is_on_paper: bool,
    /// Its ticket may be on paper.
    pub is_printed: bool,
}

/// What the kitchen tells the order.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Progress {
    /// The first of its items was started.
    Started,
    /// All its items are ready; held courses count as not ready.
    AllReady,
}

table! {
    /// A kitchen station.
    #[derive(PartialEq, Eq, Serialize)]
    #[serde(rename_all = "camelCase")]
    pub struct Station: kitchen_stations {
        /// The id.
        pub id: Uuid,
        /// What a client says of it.
        #[serde(flatten)]
        pub fields: StationFields => flat,
        /// 1, 2, ….
        pub version: i64,
        /// When it was made.
        pub created_at: Millis,
        /// When it was last changed.
        pub updated_at: Millis,
    }
}

table! {
    /// What a client says of a station.
    #[derive(PartialEq, Eq, Serialize)]
    #[serde(rename_all = "camelCase")]
    pub struct StationFields: kitchen_stations {
        /// Unique among the outlet's stations.
        pub name: String,
        /// Cooks or passes.
        pub kind: StationKind,
        /// Gets every line without a station of its own.
        pub is_default: bool,
        /// Minutes from firing to ready, for items that name none.
        pub target_minutes: i64,
        /// `host` or `host:port` of a printer; one of the outlet's printers may name the station instead.
        pub printer_address: Option<String>,
        /// Every ticket goes on paper at once; the paper then counts as acknowledged.
        pub print_tickets: bool,
        /// Shows what no display here acknowledged, when there is no printer.
        pub fallback_station_id: Option<Uuid>,
        /// The language that its cooks read, such as `hi`; none: as its printer has it, on displays as things are called.
        pub language: Option<String>,
        /// Its name in other languages.
        #[serde(skip_serializing_if = "Texts::is_empty")]
        pub texts: Texts => json,
    }
}

impl StationFields {
    /// A station as it is made when an outlet has none.
    pub fn first() -> StationFields {
        StationFields {
            name: "Kitchen".into(),
            kind: StationKind::Prep,
            is_default: true,
            target_minutes: 15,
            printer_address: None,
            print_tickets: false,
            fallback_station_id: None,
            language: None,
            texts: Texts::default(),
        }
    }

    /// The fields with their text trimmed, when everything in them holds. `others` are the outlet's other stations, `has_printer` says
    /// whether a printer names the station, `reach` where printers may be.
    ///
    /// # Errors
    /// All offending fields.
    pub fn checked(
        mut self,
        others: &[Station],
        has_printer: bool,
        reach: &Printers,
    ) -> Result<StationFields, Vec<FieldError>> {
        self.name = self.name.trim().to_owned();
        self.language = self.language.map(|text| text.trim().to_lowercase()).filter(|text| !text.is_empty());
        self.printer_address = self.printer_address.map(|a| a.trim().to_owned()).filter(|a| !a.is_empty());
        let mut checks = Checks::new();
        let is_language = self.language.as_deref().is_none_or(is_language);
        checks.require(is_language, "language", "must be a language such as hi");
        checks.require(!self.name.is_empty(), "name", "must not be empty");
        self.texts.check("texts", 60, &mut checks);
        if let Some(address) = &self.printer_address
            && let Err(reason) = (Target { connection: Connection::Tcp, address }).check(reach)
        {
            checks.add("printerAddress", reason);
        }
        checks.require(
            !self.print_tickets || has_printer || self.printer_address.is_some(),
            "printTickets",
            "needs a printerAddress, or a printer that names the station",
        );
        checks.require(
            !self.is_default || self.kind == StationKind::Prep,
            "isDefault",
            "only a PREP station can be the default",
        );
        if let Some(fallback) = self.fallback_station_id {
            let known = others.iter().any(|station| station.id == fallback);
            checks.require(known, "fallbackStationId", "is not another station of this outlet");
        }
        checks.finish(self)
    }
}

/// What of an order may wait until it is fired.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Holding {
    /// Nothing: it is at no table, or a guest's or another system's.
    Nothing,
    /// The lines that somebody holds.
    Lines,
    /// These, and later courses.
    LaterCourses,
}

/// The order a ticket is for, as `orders` hands it over.
#[derive(Debug, Clone)]
pub struct TicketOrder<'a> {
    /// The order.
    pub order_id: Uuid,
    /// Its number.
    pub order_number: &'a str,
    /// The number that is called out.
    pub token_number: i64,
    /// DINE_IN, TAKEAWAY, DELIVERY or COUNTER.
    pub order_type: &'a str,
    /// The table, when there is one.
    pub table_number: Option<&'a str>,
    /// The business date ticket numbers count in.
    pub business_date: chrono::NaiveDate,
    /// Notes for the kitchen.
    pub notes: Option<&'a str>,
    /// What of it may wait.
    pub holding: Holding,
    /// When the guest wants it: what is ready later is late.
    pub wanted_at: Option<Millis>,
}

/// One line of an order, as the kitchen needs it.
#[derive(Debug, Clone)]
pub struct TicketLine<'a> {
    /// The order's line.
    pub order_item_id: Uuid,
    /// The dish.
    pub menu_item_id: Uuid,
    /// The variant of it.
    pub variant_id: Option<Uuid>,
    /// What cooks call it.
    pub name: &'a str,
    /// Portions.
    pub quantity: i64,
    /// How much of it, in its unit, where it is sold by weight.
    pub weight: Option<(Quantity, WeightUnit)>,
    /// Chosen options and kitchen notes.
    pub modifiers: Vec<String>,
    /// A note for this line.
    pub notes: Option<&'a str>,
    /// Whose plate.
    pub seat_number: Option<i64>,
    /// None is course 1.
    pub course: Option<i64>,
    /// None, unknown or archived: the default station.
    pub station_id: Option<Uuid>,
    /// What the combo is called that it is a component of.
    pub combo_name: Option<&'a str>,
    /// Minutes the dish takes.
    pub prep_minutes: Option<i64>,
    /// It waits until it is fired.
    pub hold: bool,
}

/// Portions of a line that now belong to another order's line (split and merge).
#[derive(Debug, Clone, Copy)]
pub struct Move {
    /// The line they came from.
    pub from: Uuid,
    /// The line they belong to now.
    pub to: Uuid,
    /// How many portions; all of them when the kitchen has fewer.
    pub quantity: i64,
}

refusals! {
    /// Why a kitchen action was refused.
    #[derive(Debug, thiserror::Error)]
    pub enum KitchenError {
        /// The ticket's state does not allow it.
        #[error("{0}")]
        Transition(String),
        /// The rest of the kitchen does not allow it.
        #[error("{0}")]
        Conflict(&'static str),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn all_offending_fields_of_a_station_are_named() {
        let fields = StationFields {
            name: "  ".into(),
            kind: StationKind::Expo,
            printer_address: Some("no host".into()),
            fallback_station_id: Some(Uuid::nil()),
            ..StationFields::first()
        };
        let nowhere = Printers::nowhere();
        let names: Vec<String> =
            fields.checked(&[], false, &nowhere).unwrap_err().into_iter().map(|f| f.name).collect();
        assert_eq!(names, ["name", "printerAddress", "isDefault", "fallbackStationId"]);
    }
}
