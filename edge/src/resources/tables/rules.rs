//! What a table may be and what its status may become. Pure.

mod files;

pub use files::{ExportedTable, ImportedTable};

use crate::http::{Checks, FieldError};
use crate::resources::menu::rules::Texts;
use crate::resources::printers::rules::PrinterError;
use chrono::NaiveDate;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use tiffin_common::{Millis, Uuid, words};

/// The most guests one table or party may have.
pub const MAX_GUESTS: i64 = 500;

refusals! {
    /// Why tables refused.
    #[derive(Debug, thiserror::Error)]
    pub enum TableError {
        /// The table's state does not allow it; says why.
        #[error("{0}")]
        State(String),
        /// The printers refused.
        #[error(transparent)]
        Printer(#[from] PrinterError),
    }
}

words! {
    /// What a table is doing.
    pub enum TableStatus {
        /// Free for a party.
        Available = "AVAILABLE",
        /// A party sits at it.
        Occupied = "OCCUPIED",
        /// A party sits at it and has its bill.
        BillPrinted = "BILL_PRINTED",
        /// Kept for somebody.
        Reserved = "RESERVED",
        /// The party has left; being cleared.
        Cleaning = "CLEANING",
        /// Not in use.
        Blocked = "BLOCKED",
    }
}

impl TableStatus {
    /// Whether it says that a party sits there.
    pub fn is_taken(self) -> bool {
        matches!(self, TableStatus::Occupied | TableStatus::BillPrinted)
    }
}

table! {
    /// Where a table stands on the floor plan.
    #[derive(Copy, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
    pub struct TablePosition: dining_tables {
        /// To the right.
        #[schemars(range(min = -100_000, max = 100_000))]
        pub x: i64 => position_x,
        /// Downwards on the plan, in the plan's own units.
        #[schemars(range(min = -100_000, max = 100_000))]
        pub y: i64 => position_y,
    }
}

table! {
    /// How large a table is drawn.
    #[derive(Copy, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
    pub struct TableSize: dining_tables {
        /// From left to right, in the plan's own units.
        #[schemars(range(min = 1, max = 100_000))]
        pub width: i64,
        /// From top to bottom, in the plan's own units.
        #[schemars(range(min = 1, max = 100_000))]
        pub height: i64,
    }
}

words! {
    /// The form of a table.
    pub enum TableShape {
        /// With four corners and equal sides.
        Square = "SQUARE",
        /// With four corners.
        Rectangle = "RECTANGLE",
        /// Without corners.
        Round = "ROUND",
    }
}

/// A party at a table.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct TableSession {
    /// Id of the party's stay.
    pub id: Uuid,
    /// How many they are, when known.
    pub party_size: Option<i64>,
    /// When they sat down.
    pub opened_at: Millis,
    /// The business date of that moment.
    pub business_date: NaiveDate,
    /// When staff accepted their first QR order.
    pub approved_at: Option<Millis>,
    /// Orders not yet completed or cancelled.
    pub open_orders: i64,
    /// What the party's later orders carry, so that they need not wait.
    pub session_code: Option<String>,
    /// Wrong ones that came.
    pub code_failures: i64,
}

table! {
    /// A table.
    #[derive(PartialEq, Eq)]
    #[expect(missing_docs, reason = "the columns of dining_tables, explained in the schema")]
    pub struct Table: dining_tables {
        pub id: Uuid,
        pub outlet_id: Uuid,
        pub fields: TableFields => flat,
        pub status: TableStatus,
        pub area_order: i64,
        pub current_session: Option<TableSession> => none,
        pub qr_token: Option<String>,
        pub qr_rotated_at: Option<Millis>,
        pub version: i64,
        pub created_at: Millis,
        pub updated_at: Millis,
    }
}

table! {
    /// What a table is to be.
    #[derive(PartialEq, Eq)]
    pub struct TableFields: dining_tables {
        /// Unique in the outlet.
        pub number: String,
        /// Such as Terrace.
        pub area: Option<String>,
        /// Chairs.
        pub seats: i64,
        /// On the floor plan.
        pub position: Option<TablePosition> => flat,
        /// Its form.
        pub shape: TableShape,
        /// How large it is drawn.
        pub size: Option<TableSize> => flat,
        /// Degrees clockwise.
        pub rotation: i64,
        /// Its number in other languages.
        pub texts: Texts => json,
        /// The name of its area in other languages: the same at all tables of the area.
        pub area_texts: Texts => json,
    }
}

impl TableFields {
    /// A square table, drawn nowhere yet.
    pub fn new(number: &str, seats: i64) -> TableFields {
        let number = number.to_owned();
        TableFields {
            number,
            area: None,
            seats,
            position: None,
            shape: TableShape::Square,
            size: None,
            rotation: 0,
            texts: Texts::default(),
            area_texts: Texts::default(),
        }
    }

    /// The draft with its texts trimmed.
    ///
    /// # Errors
    /// All offending fields.
    pub fn checked(mut self) -> Result<TableFields, Vec<FieldError>> {
        let mut checks = Checks::new();
        let sound = |text: &str| !text.chars().any(char::is_control);
        self.number = self.number.trim().to_owned();
        let fits = !self.number.is_empty() && self.number.chars().count() <= 20;
        checks.require(fits, "number", "must have from 1 to 20 characters");
        checks.require(sound(&self.number), "number", "must not hold control characters");
        self.area = self.area.map(|area| area.trim().to_owned()).filter(|area| !area.is_empty());
        if let Some(area) = &self.area {
            checks.require(area.chars().count() <= 60, "area", "must have at most 60 characters");
            checks.require(sound(area), "area", "must not hold control characters");
        }
        self.texts.check("texts", 20, &mut checks);
        self.area_texts.check("areaTexts", 60, &mut checks);
        if self.area.is_none() {
            self.area_texts = Texts::default();
        }
        let seats = (1..=MAX_GUESTS).contains(&self.seats);
        checks.require(seats, "seats", format!("must be from 1 to {MAX_GUESTS}"));
        if let Some(position) = self.position {
            let fits = |n: i64| (-100_000..=100_000).contains(&n);
            checks.require(fits(position.x), "position.x", "is out of range");
            checks.require(fits(position.y), "position.y", "is out of range");
        }
        if let Some(size) = self.size {
            let fits = |n: i64| (1..=100_000).contains(&n);
            checks.require(fits(size.width), "size.width", "must be from 1 to 100000");
            checks.require(fits(size.height), "size.height", "must be from 1 to 100000");
        }
        checks.require((0..360).contains(&self.rotation), "rotation", "must be from 0 to 359");
        checks.finish(self)
    }
}

/// What staff's wish for a status means.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum StatusMove {
    /// Set it.
    Set,
    /// A party sits down: open a session.
    OpenSession,
    /// The party has left without open orders: close its session.
    CloseSession,
}

/// What setting `wanted` means for a table with or without a party.
///
/// # Errors
/// Why it cannot be: the bill of nobody, or a table with open orders.
pub fn status_move(session: Option<&TableSession>, wanted: TableStatus) -> Result<StatusMove> {
    match (session, wanted) {
        (None, TableStatus::BillPrinted) => {
            Err(TableError::State("Nobody sits at the table: there is no bill".into()))
        }
        (None, TableStatus::Occupied) => Ok(StatusMove::OpenSession),
        (None, _) => Ok(StatusMove::Set),
        (Some(_), wanted) if wanted.is_taken() => Ok(StatusMove::Set),
        (Some(party), _) if party.open_orders > 0 => Err(TableError::State(format!(
            "{} open at the table: complete, cancel or move first; until then it is OCCUPIED or BILL_PRINTED",
            if party.open_orders == 1 {
                "1 order is".to_owned()
            } else {
                format!("{} orders are", party.open_orders)
            }
        ))),
        (Some(_), _) => Ok(StatusMove::CloseSession),
    }
}

/// Notes a party size that cannot be.
///
/// # Errors
/// The offending field.
pub fn check_party(size: Option<i64>) -> Result<(), Vec<FieldError>> {
    match size {
        Some(n) if !(1..=MAX_GUESTS).contains(&n) => {
            Err(vec![FieldError::new("partySize", format!("must be from 1 to {MAX_GUESTS}"))])
        }
        _ => Ok(()),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn party(open_orders: i64) -> TableSession {
        TableSession {
            id: Uuid::nil(),
            party_size: None,
            opened_at: Millis::new(0),
            business_date: NaiveDate::from_ymd_opt(2026, 11, 20).unwrap(),
            approved_at: None,
            open_orders,
            session_code: None,
            code_failures: 0,
        }
    }

    #[test]
    fn a_table_with_open_orders_stays_taken() {
        for wanted in TableStatus::ALL.iter().copied() {
            assert_eq!(status_move(Some(&party(1)), wanted).is_ok(), wanted.is_taken(), "{wanted:?}");
        }
        let left = status_move(Some(&party(0)), TableStatus::Available).unwrap();
        assert_eq!(left, StatusMove::CloseSession);
    }

    #[test]
    fn there_is_no_bill_without_a_party() {
        assert!(status_move(None, TableStatus::BillPrinted).is_err());
        assert_eq!(status_move(None, TableStatus::Occupied).unwrap(), StatusMove::OpenSession);
        assert_eq!(status_move(None, TableStatus::Reserved).unwrap(), StatusMove::Set);
    }

    #[test]
    fn a_draft_names_all_that_is_wrong_with_it() {
        let draft = TableFields {
            number: " ".into(),
            area: Some("x".repeat(61)),
            seats: 0,
            position: Some(TablePosition { x: 0, y: 1_000_000 }),
            size: Some(TableSize { width: 0, height: 80 }),
            rotation: 360,
            ..TableFields::new("", 0)
        };
        let names: Vec<String> = draft.checked().unwrap_err().into_iter().map(|f| f.name).collect();
        assert_eq!(names, ["number", "area", "seats", "position.y", "size.width", "rotation"]);
    }
}
