//! A ticket as rows of paper: what a cook reads from afar is large, what must not be missed is white on black. Pure.

use super::{Ticket, TicketItem, TicketStatus, TicketType};
use crate::paper::Row;

impl Ticket {
    /// The ticket as paper; `time` is the local time it was fired.
    pub fn paper(&self, time: &str) -> Vec<Row> {
        let mut rows = Vec::with_capacity(16);
        if self.kind == TicketType::Reprint {
            rows.push(Row::Reverse(format!("COPY {}", self.copy_number)));
        } else if self.kind != TicketType::New {
            rows.push(Row::Large(self.kind.name().into()));
        }
        rows.push(Row::Large(format!("#{} {}", self.ticket_number, self.station_name)));
        rows.push(Row::Large(match &self.table_number {
            Some(table) => format!("Table {table}"),
            None => format!("{} {}", self.order_type, self.token_number),
        }));
        let course = if self.course > 1 { format!("Course {}", self.course) } else { String::new() };
        rows.push(Row::Pair(format!("{}  {time}", self.order_number), course));
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
}

fn item_rows(item: &TicketItem, is_cancelled: bool, rows: &mut Vec<Row>) {
    let sign = if is_cancelled { "-" } else { "" };
    rows.push(Row::Large(format!("{sign}{} x {}", item.quantity, item.name)));
    rows.extend(item.modifiers.iter().map(|modifier| Row::Plain(format!("   + {modifier}"))));
    rows.extend(item.notes.iter().map(|notes| Row::Reverse(format!(" {notes} "))));
    rows.extend(item.seat_number.map(|seat| Row::Plain(format!("   seat {seat}"))));
}
