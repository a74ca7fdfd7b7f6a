//! An order as it is asked for, and what can be told of it before it is taken: its table, where it comes from, whether its lines may be
//! held.

use super::super::rules::kinds::{OrderType, Source};
use super::super::rules::{Guest, LineRequest, OrderError, Result};
use super::dispatch;
use crate::db;
use crate::http::Checks;
use crate::resources::channels::Channel;
use crate::resources::channels::rules::ChannelKind;
use crate::resources::menu::Occasion;
use crate::resources::tables::{self, Table, TableError};
use tiffin_common::{Millis, Uuid};

/// An order as asked for.
#[derive(Debug, Clone)]
pub struct PlaceOrder {
    /// How it reaches its guest.
    pub order_type: OrderType,
    /// Where it comes from.
    pub source: Source,
    /// Its table, by id.
    pub table_id: Option<Uuid>,
    /// Its table, by number.
    pub table_number: Option<String>,
    /// Who orders.
    pub guest: Guest,
    /// For the kitchen.
    pub notes: Option<String>,
    /// How many guests.
    pub guest_count: Option<i64>,
    /// When the guest wants it; the kitchen is told when its slowest dish has to begin.
    pub scheduled_for: Option<Millis>,
    /// What was ordered.
    pub lines: Vec<LineRequest>,
    /// The phone that ordered.
    pub guest_key: Option<Uuid>,
    /// The channel it comes through.
    pub channel_id: Option<Uuid>,
    /// The channel's own number for it.
    pub external_id: Option<String>,
    /// That channel, once it was looked up.
    pub channel: Option<Channel>,
}

impl PlaceOrder {
    /// What its prices hang on, at that table.
    pub(super) fn occasion(&self, table: Option<&Table>) -> Occasion {
        Occasion {
            order_type: Some(self.order_type),
            channel_id: self.channel.as_ref().map(|channel| channel.id),
            channel_list_id: self.channel.as_ref().and_then(|channel| channel.fields.price_list_id),
            area: table.and_then(|table| table.fields.area.clone()),
        }
    }
}

/// The table that was named, by id or number.
pub(super) fn find_table(conn: &dyn db::Source, outlet: Uuid, command: &PlaceOrder) -> Result<Option<Table>> {
    let by_id = match command.table_id {
        Some(id) => match tables::store::find(conn, outlet, id) {
            Err(TableError::NotFound("table")) => {
                return Err(OrderError::field("tableId", "is no table of this outlet"));
            }
            found => Some(found?),
        },
        None => None,
    };
    let by_number = match &command.table_number {
        Some(number) => {
            let found = tables::store::find_by_number(conn, outlet, number)?;
            Some(found.ok_or_else(|| OrderError::field("tableNumber", "is no table of this outlet"))?)
        }
        None => None,
    };
    if let (Some(one), Some(other)) = (&by_id, &by_number)
        && one.id != other.id
    {
        return Err(OrderError::field("tableNumber", "is not the table that tableId names"));
    }
    Ok(by_id.or(by_number))
}

/// Lines are held at tables by staff alone.
pub(super) fn check_holds(command: &PlaceOrder, has_table: bool) -> Result<()> {
    let channel = command.channel.as_ref().map(|channel| channel.id);
    if has_table && dispatch::may_hold(command.order_type, command.source, channel) {
        return Ok(());
    }
    let mut checks = Checks::new();
    for (index, line) in command.lines.iter().enumerate() {
        checks.require(!line.hold, format!("items[{index}].hold"), "is for what staff order at a table");
    }
    checks.finish(()).map_err(OrderError::Invalid)
}

/// Where an order comes from: what brings an aggregator's says so, whatever other system hands it on.
pub(super) fn source_of(command: &PlaceOrder) -> Source {
    match &command.channel {
        Some(channel) if channel.fields.kind == ChannelKind::Aggregator => Source::Aggregator,
        _ => command.source,
    }
}
