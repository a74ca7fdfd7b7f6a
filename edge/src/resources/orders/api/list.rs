//! `GET /orders` and `GET /orders/{orderId}`: typed operations of the specification.

use super::super::actions::channels::demand_reach;
use super::super::rules::{OrderStatus, OrderType, Result as OrderResult, Source};
use super::super::store::{self, Filter};
use super::view::{Order, view};
use crate::access::{Cx, Permission};
use crate::http::{Id, Query, Result, reply, several};
use crate::resources::auth;
use axum::response::Response;
use chrono::NaiveDate;
use tiffin_common::Uuid;

/// Which orders to list.
#[apply(request!)]
pub struct ListOrders {
    /// In this state, or in one of these, with commas between them.
    #[serde(default)]
    #[schemars(length(max = 100))]
    status: Option<String>,
    /// Only those for later whose moment has not come, the next first; or only the others.
    #[serde(default)]
    scheduled: Option<bool>,
    /// The page, from 1.
    #[serde(default = "first_page")]
    #[schemars(range(min = 1, max = 1_000_000))]
    page: u32,
    /// Orders on a page.
    #[serde(default = "page_size")]
    #[schemars(range(min = 1, max = 100))]
    limit: u32,
    /// Of this business date or later.
    #[serde(default)]
    from: Option<NaiveDate>,
    /// Of this business date or earlier.
    #[serde(default)]
    to: Option<NaiveDate>,
    /// Of this type.
    #[serde(default)]
    order_type: Option<OrderType>,
    /// At this table.
    #[serde(default)]
    #[schemars(length(max = 40))]
    table_number: Option<String>,
    /// Only orders that came this way, or one of these, with commas between them.
    #[serde(default)]
    #[schemars(length(max = 100))]
    source: Option<String>,
    /// Only orders of this channel.
    #[serde(default)]
    channel_id: Option<Uuid>,
    /// Only those taken while the machine's clock was not followed, or only the others.
    #[serde(default)]
    clock_suspect: Option<bool>,
    /// Begins the order or invoice number, or is in the guest's name or phone.
    #[serde(default)]
    #[schemars(length(max = 100))]
    q: Option<String>,
}

fn first_page() -> u32 {
    1
}

fn page_size() -> u32 {
    20
}

/// A page of orders, newest first (the specification's order list response).
#[apply(answer!)]
pub struct OrderList {
    /// The orders of this page.
    data: Vec<Order>,
    /// Where the page stands.
    pagination: Pagination,
}

/// Where a page stands.
#[apply(answer!)]
pub struct Pagination {
    /// Orders in the whole list; a list with filters beside the state counts no further than 100000.
    total: i64,
    /// This page, from 1.
    page: u32,
    /// Orders on a page.
    limit: u32,
    /// Pages in all.
    total_pages: i64,
}

/// Lists the outlet's orders.
pub async fn list_orders(cx: Cx, Query(query): Query<ListOrders>) -> Result<Response> {
    let (page, limit) = (query.page, query.limit);
    let filter = Filter {
        statuses: several("status", query.status.as_deref(), OrderStatus::of_name, OrderStatus::ALL)?,
        scheduled: query.scheduled,
        from: query.from,
        to: query.to,
        order_type: query.order_type,
        table_number: query.table_number,
        sources: several("source", query.source.as_deref(), Source::of_name, Source::ALL)?,
        channel: query.channel_id,
        reach: None,
        clock_suspect: query.clock_suspect,
        q: query.q.filter(|q| !q.trim().is_empty()),
        hides_phones: !cx.principal.holds(Permission::GuestsRead),
    };
    let caller = cx.principal.clone();
    let offset = u64::from(page.saturating_sub(1)).saturating_mul(u64::from(limit));
    let actor = cx.actor();
    let found = cx.read(move |conn, outlet| -> OrderResult<_> {
        let reach = auth::actions::reach(conn, actor.role, actor.account_id)?;
        Ok(store::list(conn, outlet, &Filter { reach, ..filter }, limit, offset)?)
    });
    let found = found.await?;
    let total = found.total;
    let size = i64::from(limit.max(1));
    let total_pages = total.saturating_add(size.saturating_sub(1)) / size;
    let data = found.items.into_iter().map(|order| Order::from(order).shown_to(&caller)).collect();
    Ok(reply::bare(OrderList { data, pagination: Pagination { total, page, limit, total_pages } }))
}

/// One order with everything that belongs to it.
pub async fn get_order(cx: Cx, Id(id): Id) -> Result<Response> {
    let actor = cx.actor();
    let detail = cx.read(move |conn, outlet| -> OrderResult<_> {
        demand_reach(conn, &actor, id)?;
        view(conn, outlet, id)
    });
    let mut detail = detail.await?;
    detail.order = detail.order.shown_to(&cx.principal);
    Ok(reply::bare(detail))
}
