//! Rows of the kitchen's tables: stations, tickets with their items, and the events displays follow. The only SQL that writes them.

mod displays;
mod standing;
mod stations;
mod tickets;
mod times;

pub(super) use displays::{list_watches, set_unwatched, set_watched};
pub(super) use standing::{find_courses, find_line_standing, find_progress, is_started};
pub(super) use stations::{
    find_display, find_station, insert_station, list_all_stations, list_displays_at, list_station_names,
    list_station_texts, list_stations, set_no_default, set_station_archived, update_station,
};
pub(super) use tickets::{
    Filter, find_oldest_unacked, find_ticket, has_open_tickets, insert_ticket, list_combos, list_held,
    list_of_order, list_of_order_item, list_open, list_tickets, list_unacked, list_unacked_at,
    set_paper_acked, update_ticket,
};
pub(super) use times::{ItemTimes, StationTimes, list_item_times, list_station_times};

#[cfg(test)]
mod tests {
    use super::*;
    use crate::db::{DbError, list};
    use crate::testing::Fixture;

    #[test]
    fn a_ticket_is_read_in_a_language_by_what_it_names_alone() {
        let fixture = Fixture::new();
        for sql in [tickets::COMBOS, stations::TEXTS] {
            let read = fixture.db.read_blocking(|conn| -> Result<Vec<String>, DbError> {
                let id: &[u8] = &[1; 16];
                let sql = format!("EXPLAIN QUERY PLAN {sql}");
                list(conn, &sql, rusqlite::params![id, "[]"], |row| row.get("detail"))
            });
            let plan = read.unwrap().join("; ");
            assert!(plan.contains("SEARCH ") && plan.contains("(id=?)"), "{sql}: {plan}");
        }
    }
}
