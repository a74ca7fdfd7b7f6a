//! A row whose two versions somebody has to look at, and which of them a list shows. Never reads or writes one.

use crate::http::Paging;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::Value;
use tiffin_common::registry::Table;
use tiffin_common::{Millis, Uuid, words};

words! {
    /// Why a row's two versions have to be looked at.
    pub enum Reason {
        /// Its number was given to another row meanwhile: both are there, `lost` is the one that came back, `kept` the other.
        NumberTaken = "NUMBER_TAKEN",
        /// It was changed here meanwhile.
        ChangedSince = "CHANGED_SINCE",
        /// It was deleted here meanwhile.
        DeletedSince = "DELETED_SINCE",
        /// Another row has its name.
        NameTaken = "NAME_TAKEN",
        /// Its order was paid both here and there.
        PaidTwice = "PAID_TWICE",
        /// The store did not take it.
        Refused = "REFUSED",
    }
}

table! {
    /// A row whose two versions somebody has to look at.
    #[derive(Serialize, JsonSchema)]
    #[serde(rename_all = "camelCase")]
    pub struct Review: sync_reviews {
        pub(super) id: Uuid,
        /// The table, such as `invoices`.
        pub(super) table_name: String,
        pub(super) row_id: Uuid,
        /// NUMBER_TAKEN (both rows stand: `lost` is the one that came back, `kept` the other with its number), CHANGED_SINCE, DELETED_SINCE, NAME_TAKEN, PAID_TWICE or REFUSED.
        #[schemars(with = "String")]
        pub(super) reason: Reason,
        /// The values that did not make it, by column.
        pub(super) lost: Value => json,
        /// The values that stand; null where there is no such row.
        pub(super) kept: Option<Value> => json,
        pub(super) at: Millis,
        pub(super) resolved_at: Option<Millis>,
        /// The account that settled it.
        pub(super) resolved_by: Option<Uuid>,
    }
}

/// Which reviews are listed.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Deserialize, JsonSchema)]
#[serde(rename_all = "SCREAMING_SNAKE_CASE")]
enum ReviewState {
    /// Those nobody has settled.
    #[default]
    Open,
    /// All of them.
    All,
}

/// Filters of the list.
#[apply(request!)]
pub struct ListReviews {
    /// OPEN unless it is named.
    #[serde(default)]
    state: ReviewState,
    /// Which page.
    #[serde(flatten)]
    pub paging: Paging,
}

impl ListReviews {
    pub(super) fn only_open(&self) -> bool {
        self.state == ReviewState::Open
    }
}

/// The columns that are a number of a row: the printed one first, then that by which a channel or a supplier knows it.
pub(super) fn numbers_of(table: &Table) -> &'static [[&'static str; 2]] {
    match table.name {
        "orders" => &[["business_date", "order_number"], ["channel_id", "external_id"]],
        "invoices" => &[["fiscal_year", "number"]],
        "day_closes" => &[["outlet_id", "business_date"]],
        "purchase_deliveries" => &[["supplier_id", "invoice_ref"]],
        "purchase_returns" => &[["outlet_id", "number"]],
        "purchase_invoices" => &[["supplier_id", "invoice_ref"]],
        _ => &[],
    }
}

/// Columns that tell nothing by themselves; all of what the box tells people, which it tells again.
pub(super) fn is_bookkeeping(table: &Table, column: usize) -> bool {
    let tells_nothing = |name: &&str| ["version", "updated_at", "count"].contains(name);
    table.name == "notifications" || table.columns.get(column).is_some_and(tells_nothing)
}
