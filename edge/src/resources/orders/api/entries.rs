//! Money that moved, over HTTP: the rows behind the figures of a day.

use super::super::rules::OrderError;
use super::super::rules::PaymentMethod;
use super::super::rules::entries::{Entry, EntryFilter, EntryKind};
use super::super::store;
use crate::access::Cx;
use crate::http::{Paged, Paging, Query, Result};
use crate::resources::outlets;
use chrono::NaiveDate;
use tiffin_common::{Cents, Millis, Uuid};

view! {
    /// An entry of money. Amounts have their sign: what went back, or was taken back, is less than nothing.
    pub struct MoneyEntry of entry: Entry {
        /// What it is.
        kind: EntryKind,
        /// Id of the payment, correction, refund or write-off.
        id: Uuid,
        /// The order it belongs to.
        order_id: Uuid,
        /// The order's number, as called and printed.
        order_number: String,
        /// How the money moved; none of a write-off.
        method: Option<PaymentMethod>,
        /// How much, without tip.
        amount_cents: Cents = entry.amount,
        /// What was given on top, which is no part of the amount.
        tip_cents: Cents = entry.tip,
        /// Of the terminal or app; never a card number.
        reference: Option<String>,
        /// The drawer's session whose cash is another by it.
        cash_session_id: Option<Uuid>,
        /// The trading day it counts on.
        business_date: NaiveDate,
        /// When it was entered.
        at: Millis,
        /// Who entered it.
        by: String,
    }
}

/// Which entries; of the present business date where no dates are given.
#[apply(filters!)]
pub struct ListMoney {
    /// Of this business date or later.
    from: Option<NaiveDate>,
    /// Of this business date or earlier.
    to: Option<NaiveDate>,
    /// Of this kind.
    kind: Option<EntryKind>,
    /// Moved in this way.
    method: Option<PaymentMethod>,
    /// Through this drawer's session.
    cash_session_id: Option<Uuid>,
    /// Only those of no drawer.
    outside_drawers: bool,
    /// Only those that a channel pays out, or only the others.
    channel_payouts: Option<bool>,
    #[serde(flatten)]
    paging: Paging,
}

/// Lists entries of money, newest first.
pub async fn list_money(cx: Cx, Query(query): Query<ListMoney>) -> Result<Paged<MoneyEntry>> {
    let now = cx.db.env().clock.now();
    let ListMoney { from, to, kind, method, cash_session_id, outside_drawers, channel_payouts, paging } =
        query;
    cx.list(paging, move |conn, outlet| -> Result<_, OrderError> {
        let today = outlets::store::find(conn, outlet)?.business_date(now);
        let from = from.or(to).unwrap_or(today);
        let to = to.unwrap_or(from.max(today));
        let filter =
            EntryFilter { from, to, kind, method, drawer: cash_session_id, outside_drawers, channel_payouts };
        Ok(store::list_entries(conn, outlet, &filter, paging)?)
    })
    .await
}
