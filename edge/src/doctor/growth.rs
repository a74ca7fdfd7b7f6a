//! How large the database is, how fast it grows, and for how many years there is room. By what the newest month sold: a restaurant that
//! grew grows on as it does now. Never changes anything.

use super::Finding;
use super::disk::size;
use crate::db::Room;
use rusqlite::Connection;
use tiffin_common::Millis;

/// What is called now.
const MONTH: i64 = 30;

const DAY_MS: i64 = 86_400_000;

/// Fewer orders tell nothing of what one takes.
const ENOUGH: i64 = 200;

/// With less room than for so many years somebody should see to it in time.
const YEARS: u64 = 2;

/// The database's size, growth, and how long its disk has room for it.
pub fn examine(conn: &Connection, room: &Room, now: Millis) -> Finding {
    let number = |sql: &str| conn.query_row(sql, [], |row| row.get::<_, i64>(0)).unwrap_or(0);
    let page = number("PRAGMA page_size");
    let held = (number("PRAGMA page_count") - number("PRAGMA freelist_count")).saturating_mul(page);
    let orders = number("SELECT count(*) FROM orders");
    let since = now.after(-MONTH * DAY_MS);
    let recent: i64 = conn
        .query_row("SELECT count(*) FROM orders WHERE created_at >= ?1", [since], |row| row.get(0))
        .unwrap_or(0);
    judge(held.unsigned_abs(), orders, recent, room.look().free_bytes)
}

/// `held` bytes are of `orders` orders, of which the last month brought `recent`; `free` bytes are left.
fn judge(held: u64, orders: i64, recent: i64, free: Option<u64>) -> Finding {
    let now = size(held);
    if orders < ENOUGH || recent == 0 {
        return Finding::ok(
            "disk-growth",
            format!("the database holds {now}; too few orders to say how it grows"),
        );
    }
    let a_year = held / orders.unsigned_abs() * recent.unsigned_abs() * 365 / MONTH.unsigned_abs();
    let found = format!("the database holds {now} and grows by {} a year", size(a_year));
    let Some(years) = free.map(|free| free / a_year.max(1)) else { return Finding::ok("disk-growth", found) };
    let found = match years {
        0 => format!("{found}: the room ends within a year"),
        _ => format!(
            "{found}: room for {} years",
            if years > 99 { "more than 99".into() } else { years.to_string() }
        ),
    };
    if years >= YEARS {
        return Finding::ok("disk-growth", found);
    }
    Finding::warn(
        "disk-growth",
        found,
        "Put in a larger disk, or move backups to another one (backup-dir), before the room ends.",
    )
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::doctor::Level;

    #[test]
    fn years_of_room_are_told_from_what_an_order_takes() {
        let gib = 1 << 30;
        let roomy = judge(2 * gib, 110_000, 9_000, Some(200 * gib));
        assert_eq!((roomy.level, roomy.found.contains("room for ")), (Level::Ok, true), "{roomy:?}");
        let tight = judge(2 * gib, 110_000, 9_000, Some(gib));
        assert_eq!((tight.level, tight.found.contains("within a year")), (Level::Warn, true), "{tight:?}");
        assert_eq!(judge(1 << 20, 3, 3, Some(gib)).level, Level::Ok);
        assert_eq!(judge(gib, 110_000, 0, Some(1)).level, Level::Ok, "a house that is shut");
    }
}
