//! What may be thrown away, and why. Pure. Never says from which batch.

use super::Portions;
use crate::resources::menu::rules::WeightUnit;
use chrono::NaiveDate;
use tiffin_common::{Millis, Overflow, Quantity, Uuid, words};

words! {
    /// Why something was thrown away.
    pub enum WasteReason {
        /// Went bad before its date.
        Spoilage = "SPOILAGE",
        /// Past its date: expired batches go first.
        Expired = "EXPIRED",
        /// Burnt, cut wrongly, made twice.
        PrepError = "PREP_ERROR",
        /// Made and not sold.
        Overproduction = "OVERPRODUCTION",
        /// Fell down.
        Dropped = "DROPPED",
        /// A guest sent it back.
        CustomerReturn = "CUSTOMER_RETURN",
        /// Taken off a bill after it was made.
        VoidAfterPrep = "VOID_AFTER_PREP",
        /// Eaten by the staff.
        StaffMeal = "STAFF_MEAL",
        /// Gone without a trace.
        TheftLoss = "THEFT_LOSS",
        /// Something else; the note says what.
        Other = "OTHER",
    }
}

/// The cause that movements of waste name, with the entry's id.
pub const CAUSE: &str = "WASTE_LOG";

/// The unit of a dish.
pub const PORTIONS: &str = "portions";

/// What is thrown away by hand.
#[derive(Debug, Clone)]
pub struct Waste {
    /// What it is.
    pub what: Wasted,
    /// How much of it; of a dish: portions.
    pub quantity: Quantity,
    /// Why.
    pub reason: WasteReason,
    /// More words.
    pub note: Option<String>,
}

/// A stock item, or a dish by its recipe.
#[derive(Debug, Clone)]
pub enum Wasted {
    /// A stock item.
    Item {
        /// The item.
        id: Uuid,
        /// Unit of the quantity; the item's where absent.
        unit: Option<String>,
        /// Only this batch.
        batch_number: Option<String>,
    },
    /// A dish.
    Dish {
        /// The dish.
        id: Uuid,
        /// The variant of it.
        variant_id: Option<Uuid>,
        /// As it is called.
        name: String,
        /// Where it is made.
        station_id: Option<Uuid>,
        /// What it is counted in: portions, or what it is weighed in.
        unit: &'static str,
    },
}

/// Portions of an order line that were made and are thrown away.
#[derive(Debug, Clone, Copy)]
pub struct MadeDish<'a> {
    /// Which part of the line.
    pub portions: Portions,
    /// The line on the bill: not that of `portions` where it was split off another.
    pub order_item_id: Uuid,
    /// The dish.
    pub menu_item_id: Uuid,
    /// The variant of it.
    pub variant_id: Option<Uuid>,
    /// As it is called on the bill.
    pub name: &'a str,
    /// Where it was made.
    pub station_id: Option<Uuid>,
    /// What a portion of it weighs, where it was sold by weight.
    pub weight: Option<(Quantity, WeightUnit)>,
}

impl MadeDish<'_> {
    /// How much of it is thrown away, and in which unit: portions, or what they weigh.
    ///
    /// # Errors
    /// [`Overflow`].
    pub fn amount(&self) -> Result<(Quantity, &'static str), Overflow> {
        let portions = self.portions.quantity;
        match self.weight {
            Some((weight, unit)) => Ok((weight.times(portions)?, unit.symbol())),
            None => Ok((Quantity::units(portions)?, PORTIONS)),
        }
    }
}

table! {
    /// An entry of what was thrown away; one that was wrong is undone, and stays.
    #[expect(missing_docs, reason = "the columns of waste_logs, explained in the schema")]
    pub struct WasteLog: waste_logs {
        pub id: Uuid,
        pub stock_item_id: Option<Uuid>,
        pub menu_item_id: Option<Uuid>,
        pub variant_id: Option<Uuid>,
        pub name: String,
        pub quantity: Quantity,
        pub unit: String,
        pub batch_number: Option<String>,
        pub reason: WasteReason,
        pub note: Option<String>,
        pub station_id: Option<Uuid>,
        pub order_id: Option<Uuid>,
        pub order_item_id: Option<Uuid>,
        pub cost_micros: i64,
        pub business_date: NaiveDate,
        pub at: Millis,
        pub by_id: Option<Uuid>,
        pub by_name: String,
        pub clock_suspect: bool,
        pub reversed_at: Option<Millis>,
        pub reversed_by_name: Option<String>,
        pub reversal_reason: Option<String>,
    }
}

/// Waste of one stock item for one reason at one station, entries that were undone taken off.
#[derive(Debug, Clone)]
pub struct WasteSum {
    /// Why.
    pub reason: WasteReason,
    /// The stock item.
    pub stock_item_id: Uuid,
    /// Its name.
    pub name: String,
    /// Its unit.
    pub unit: String,
    /// Where the dish is made; none: thrown away in the store.
    pub station_id: Option<Uuid>,
    /// How much.
    pub quantity: Quantity,
    /// What it cost, in millionths of a cent.
    pub cost_micros: i64,
}
