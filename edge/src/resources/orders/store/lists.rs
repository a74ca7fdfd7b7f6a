//! Lists of orders, newest first. A page costs the same with a thousand orders and with a million: it walks an index that
//! has the list's order, and the total of a list that is unfiltered or filtered by state alone is read from `order_counts`,
//! which triggers keep. A search text is matched against the rows of the other filters; its total stops at [`MOST_COUNTED`].

use super::super::rules::OrderRecord;
use super::super::rules::kinds::{OrderStatus, OrderType, Source};
use super::guests::list_guests;
use super::later::FOR_LATER;
use crate::db::{self, Columns, each, list as rows, one, table};
use crate::http::Page;
use crate::resources::auth::rules::Reach;
use chrono::NaiveDate;
use rusqlite::types::Value;
use tiffin_common::Uuid;

/// Said of states none of which is final, so that what is open is at hand.
const OPEN: &str = " AND status NOT IN ('COMPLETED', 'CANCELLED')";

/// A total above this is given as this, where it would have to be counted row by row.
pub const MOST_COUNTED: i64 = 100_000;

/// Which orders a list shows; none of a field: any.
#[derive(Debug, Clone, Default)]
pub struct Filter {
    /// In one of these states; empty: in any.
    pub statuses: Vec<OrderStatus>,
    /// Only those for later whose moment has not come, or only the others.
    pub scheduled: Option<bool>,
    /// Of this business date or later.
    pub from: Option<NaiveDate>,
    /// Of this business date or earlier.
    pub to: Option<NaiveDate>,
    /// Of this type.
    pub order_type: Option<OrderType>,
    /// At this table.
    pub table_number: Option<String>,
    /// That came one of these ways; empty: any.
    pub sources: Vec<Source>,
    /// By a clock that was not followed, or not so.
    pub clock_suspect: Option<bool>,
    /// Begins the order number, or is in the customer's name, phone or the invoice number.
    pub q: Option<String>,
    /// Of this channel.
    pub channel: Option<Uuid>,
    /// Within another system's reach.
    pub reach: Option<Reach>,
    /// Whether `q` looks at no phone: who may not see them finds nobody by them.
    pub hides_phones: bool,
}

impl Filter {
    /// The condition, its values, and the order whose index serves it.
    fn sql(&self, outlet: Uuid) -> (String, Vec<Value>, &'static str) {
        let mut condition = "outlet_id = ?1".to_owned();
        if let Some(is_suspect) = self.clock_suspect {
            condition.push_str(if is_suspect { " AND clock_suspect = 1" } else { " AND clock_suspect = 0" });
        }
        let mut values = vec![Value::Blob(outlet.as_bytes().to_vec())];
        let mut add = |text: &str, value: String| {
            values.push(Value::Text(value));
            condition.push_str(&text.replace('#', &format!("?{}", values.len())));
        };
        if let [status] = self.statuses.as_slice() {
            add(" AND status = #", status.name().to_owned());
        }
        if let Some(from) = self.from {
            add(" AND business_date >= #", from.to_string());
        }
        if let Some(to) = self.to {
            add(" AND business_date <= #", to.to_string());
        }
        if let Some(order_type) = self.order_type {
            add(" AND order_type = #", order_type.name().to_owned());
        }
        if let Some(table) = &self.table_number {
            add(" AND table_number = #", table.clone());
        }
        if let Some(q) = &self.q {
            let q = q.replace('\\', "\\\\").replace('%', "\\%").replace('_', "\\_");
            let phone = match self.hides_phones {
                true => "",
                false => " OR g.phone LIKE '%' || # || '%' ESCAPE '\\'",
            };
            let by_number =
                " AND (order_number LIKE # || '%' ESCAPE '\\' OR invoice_number LIKE # || '%' ESCAPE '\\'";
            let by_guest = " OR EXISTS (SELECT 1 FROM guests g WHERE g.outlet_id = orders.outlet_id
                AND g.id = orders.id AND (g.name LIKE '%' || # || '%' ESCAPE '\\'";
            add(&format!("{by_number}{by_guest}{phone})))"), q);
        }
        self.add_reach(&mut condition, &mut values);
        let by_date = self.statuses.is_empty()
            && self.table_number.is_none()
            && (self.from.is_some() || self.to.is_some());
        let order = match (self.scheduled, by_date) {
            (Some(true), _) => "release_at, id",
            (_, true) => "business_date DESC, token_number DESC",
            (_, false) => "created_at DESC, id DESC",
        };
        if let [_, _, ..] = self.statuses.as_slice() {
            // Walked by time: several states have no order of their own.
            let names: Vec<String> = self.statuses.iter().map(|of| format!("'{}'", of.name())).collect();
            let open = if self.statuses.iter().any(|of| of.is_final()) { "" } else { OPEN };
            condition.push_str(&format!(" AND +status IN ({}){open}", names.join(", ")));
        }
        if !self.sources.is_empty() {
            let names: Vec<String> = self.sources.iter().map(|of| format!("'{}'", of.name())).collect();
            condition.push_str(&format!(" AND source IN ({})", names.join(", ")));
        }
        match self.scheduled {
            Some(true) => condition.push_str(&format!(" AND {FOR_LATER}")),
            Some(false) => condition.push_str(&format!(" AND NOT ({FOR_LATER})")),
            None => {}
        }
        (condition, values, order)
    }

    fn add_reach(&self, condition: &mut String, values: &mut Vec<Value>) {
        let mut add = |column: &str, ids: &[Uuid]| {
            let mut places = Vec::with_capacity(ids.len());
            for id in ids {
                values.push(Value::Blob(id.as_bytes().to_vec()));
                places.push(format!("?{}", values.len()));
            }
            condition.push_str(&format!(" AND {column} IN ({})", places.join(", ")));
        };
        if let Some(channel) = self.channel {
            add("channel_id", &[channel]);
        }
        match &self.reach {
            Some(Reach { account, channels }) if channels.is_empty() => add("created_by", &[*account]),
            Some(reach) => add("channel_id", &reach.channels),
            None => {}
        }
    }

    fn is_counted(&self) -> bool {
        let Filter {
            statuses: _,
            scheduled,
            from,
            to,
            order_type,
            table_number,
            sources,
            clock_suspect,
            channel,
            reach,
            q,
            hides_phones: _,
        } = self;
        scheduled.is_none()
            && from.is_none()
            && to.is_none()
            && order_type.is_none()
            && table_number.is_none()
            && sources.is_empty()
            && clock_suspect.is_none()
            && channel.is_none()
            && reach.is_none()
            && q.is_none()
    }
}

/// One page of orders with their guests, without their lines.
pub fn list(
    conn: &dyn db::Source,
    outlet: Uuid,
    filter: &Filter,
    limit: u32,
    offset: u64,
) -> db::Result<Page<OrderRecord>> {
    let (condition, mut values, order) = filter.sql(outlet);
    let total = if filter.is_counted() {
        counted(conn, outlet, &filter.statuses)?
    } else {
        let sql = format!(
            "SELECT count(*) FROM (SELECT 1 FROM orders WHERE {condition} LIMIT {MOST_COUNTED}) AS counted"
        );
        one(conn, &sql, each(values.iter()), |row| row.get(0))?
    };
    let offset = i64::try_from(offset).unwrap_or(i64::MAX);
    if offset >= total {
        return Ok(Page { items: Vec::new(), total });
    }
    let limit_at = values.len().saturating_add(1);
    let offset_at = limit_at.saturating_add(1);
    let rest = format!("WHERE {condition} ORDER BY {order} LIMIT ?{limit_at} OFFSET ?{offset_at}");
    let sql = table::select::<OrderRecord>("", "", &rest);
    values.extend([Value::Integer(i64::from(limit)), Value::Integer(offset)]);
    let mut items = rows(conn, &sql, each(values.iter()), OrderRecord::read)?;
    let ids: Vec<Uuid> = items.iter().map(|order| order.id).collect();
    for (id, guest) in list_guests(conn, outlet, &ids)? {
        items.iter_mut().filter(|order| order.id == id).for_each(|order| order.guest = guest.clone());
    }
    Ok(Page { items, total })
}

fn counted(conn: &dyn db::Source, outlet: Uuid, statuses: &[OrderStatus]) -> db::Result<i64> {
    let sql = "SELECT status, count FROM order_counts WHERE outlet_id = ?1";
    let counts = rows(conn, sql, [outlet], |row| {
        Ok((row.get::<_, OrderStatus>("status")?, row.get::<_, i64>("count")?))
    })?;
    let wanted = |of: OrderStatus| statuses.is_empty() || statuses.contains(&of);
    Ok(counts.iter().filter(|(of, _)| wanted(*of)).map(|(_, count)| count).sum())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::testing::Fixture;

    fn plan(fixture: &Fixture, filter: Filter) -> String {
        let outlet = fixture.outlet_id;
        let read = fixture.db.read_blocking(move |conn| -> db::Result<Vec<String>> {
            let (condition, values, order) = filter.sql(outlet);
            let rest = format!("WHERE {condition} ORDER BY {order} LIMIT 20");
            let sql = format!("EXPLAIN QUERY PLAN {}", table::select::<OrderRecord>("", "", &rest));
            rows(conn, &sql, each(values.iter()), |row| row.get("detail"))
        });
        read.unwrap().join("; ")
    }

    #[test]
    fn every_page_walks_an_index_in_its_order() {
        let fixture = Fixture::new();
        let date: NaiveDate = "2026-11-20".parse().unwrap();
        let filters = [
            Filter::default(),
            Filter { statuses: vec![OrderStatus::Completed], ..Filter::default() },
            Filter { statuses: vec![OrderStatus::Pending, OrderStatus::Ready], ..Filter::default() },
            Filter { statuses: vec![OrderStatus::Ready, OrderStatus::Completed], ..Filter::default() },
            Filter { scheduled: Some(true), ..Filter::default() },
            Filter { from: Some(date), to: Some(date), ..Filter::default() },
            Filter { table_number: Some("T1".into()), ..Filter::default() },
            Filter { order_type: Some(OrderType::DineIn), ..Filter::default() },
        ];
        for filter in filters {
            let plan = plan(&fixture, filter.clone());
            assert!(plan.contains("USING INDEX orders_"), "{filter:?}: {plan}");
            // Orders of one millisecond are sorted among themselves.
            let sorts = |step: &str| step.contains("TEMP B-TREE") && !step.contains("OF ORDER BY");
            assert!(!plan.split("; ").any(sorts), "{filter:?}: {plan}");
        }
    }
}
