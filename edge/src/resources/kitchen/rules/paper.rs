//! A ticket as rows of paper: what a cook reads from afar is large, what must not be missed is white on black. Pure.

use super::{Ticket, TicketItem, TicketStatus, TicketType};
use crate::paper::Row;
use tiffin_common::Millis;

impl Ticket {
    /// The ticket as paper; `local` writes a moment as the time of the house.
    pub fn paper(&self, local: impl Fn(Millis) -> String) -> Vec<Row> {
        let mut rows = Vec::with_capacity(16);
        if self.kind == TicketType::Reprint {
            rows.push(Row::Reverse(format!("COPY {}", self.copy_number)));
        } else if self.kind != TicketType::New {
            rows.push(Row::Large(self.kind.name().into()));
        }
        rows.push(Row::Large(format!("#{} {}", self.ticket_number, self.station_name)));
        rows.push(Row::Large(match &self.table_number {
            Some(table) => format!("Table {table}"),
            None => format!("{} {}", self.order_type.replace('_', " "), self.token_number),
        }));
        rows.push(Row::Pair(self.order_number.clone(), local(self.fired_at.unwrap_or(self.created_at))));
        self.people(local, &mut rows);
        rows.push(Row::Rule);
        let is_whole = self.kind == TicketType::Cancellation;
        for item in self.items.iter().filter(|item| is_whole || item.is_live()) {
            item_rows(item, is_whole, &mut rows);
        }
        if let Some(notes) = &self.notes {
            rows.push(Row::Rule);
            rows.extend(notes.lines().map(|line| Row::Reverse(line.to_owned())));
        }
        if self.status == TicketStatus::Cancelled {
            rows.push(Row::Large("CANCELLED".into()));
        }
        rows
    }

    /// Who eats, who serves, and when.
    fn people(&self, local: impl Fn(Millis) -> String, rows: &mut Vec<Row>) {
        let of = &self.of_order;
        let mut say = |name: &str, what: String| rows.push(Row::Pair(name.to_owned(), what));
        if self.course > 1 || self.table_number.is_some() {
            say("Course", self.course.to_string());
        }
        if let Some(count) = of.guest_count {
            say("Guests", count.to_string());
        }
        if let Some(server) = &of.server_name {
            say("Server", server.clone());
        }
        if let Some(guest) = of.customer_name.as_ref().filter(|_| self.table_number.is_none()) {
            say("Guest", guest.clone());
        }
        if let Some(moment) = of.scheduled_for {
            rows.push(Row::Strong("Wanted at".into(), local(moment)));
        }
    }
}

fn item_rows(item: &TicketItem, is_cancelled: bool, rows: &mut Vec<Row>) {
    let sign = if is_cancelled { "-" } else { "" };
    rows.push(Row::Large(format!("{sign}{} x {}", item.amount(), item.name)));
    rows.extend(item.combo_name.iter().map(|combo| Row::Plain(format!("   ({combo})"))));
    rows.extend(item.modifiers.iter().map(|modifier| Row::Plain(format!("   + {modifier}"))));
    rows.extend(item.notes.iter().map(|notes| Row::Reverse(format!(" {notes} "))));
    rows.extend(item.seat_number.map(|seat| Row::Pair("   Seat".into(), seat.to_string())));
    if !item.allergens.is_empty() {
        rows.push(Row::Strong("   Allergens".into(), item.allergens.join(", ")));
    }
}
