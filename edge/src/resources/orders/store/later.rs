//! Orders for later: which of them have to go to the kitchen now. Only reads.

use crate::db::{self, Source, list};
use rusqlite::params;
use tiffin_common::{Millis, Uuid};

/// An order whose moment has not come; the condition of the index that holds the few there are.
pub const FOR_LATER: &str = "release_at IS NOT NULL AND dispatched_at IS NULL AND closed_at IS NULL";

/// Orders for later whose moment has come at `now`, the earliest first; at most 50.
pub fn list_due(conn: &dyn Source, outlet: Uuid, now: Millis) -> db::Result<Vec<Uuid>> {
    let sql = due();
    list(conn, &sql, params![outlet, now], |row| row.get(0))
}

fn due() -> String {
    format!(
        "SELECT id FROM orders WHERE outlet_id = ?1 AND release_at <= ?2 AND {FOR_LATER} ORDER BY release_at LIMIT 50"
    )
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::testing::Fixture;

    #[test]
    fn whatever_was_ever_ordered_those_for_later_are_at_hand() {
        let plan = Fixture::new().plan(&due()).join("; ");
        assert!(plan.contains("USING INDEX orders_for_later (outlet_id=? AND release_at"), "{plan}");
    }
}
