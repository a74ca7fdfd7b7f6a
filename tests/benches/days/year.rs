//! A year of trade of every outlet, written as rows at head office: 60 orders a day of three lines each, six taxes and eighteen stock
//! movements. Copies of what a branch sent, without a log.

use tiffin_common::Uuid;
use tiffin_tests::postgres::Database;

/// The first business date.
pub const FIRST: &str = "2025-11-20";
/// The last; head office's clock stands on the day after.
pub const LAST: &str = "2026-11-19";

const DAYS: u32 = 365;
const ORDERS_A_DAY: u32 = 60;

/// A 16-byte id that stands for a letter and a number.
fn id(letter: char, number: &str) -> String {
    format!("'\\x' || md5('{letter}' || ({number}))")
}

/// One of the outlet's ids in `table`, by `number`.
fn one_of(database: &Database, table: &str, outlet: &str, number: &str) -> String {
    let sql = format!("SELECT id FROM merged.{table} WHERE outlet_id = '{outlet}' ORDER BY id LIMIT 40");
    let ids: Vec<String> = database.sql(&sql).lines().map(|id| format!("'{id}'")).collect();
    format!("(ARRAY[{}])[1 + ({number}) % {}]", ids.join(", "), ids.len())
}

/// Copies rows of each outlet; the outlets, and what was made.
pub fn build(database: &Database) -> (Vec<Uuid>, String) {
    let outlets = database.sql("SELECT outlet_id FROM merged.outlets ORDER BY outlet_id");
    let outlets: Vec<&str> = outlets.lines().collect();
    for outlet in &outlets {
        of_outlet(database, outlet);
    }
    database.sql("ANALYZE");
    let count = |table: &str| database.sql(&format!("SELECT count(*) FROM merged.{table}"));
    let made = format!("{} orders, {} movements", count("orders"), count("stock_movements"));
    let ids = outlets.iter().map(|hex| Uuid::try_parse(hex.trim_start_matches("\\x")).unwrap());
    (ids.collect(), made)
}

fn of_outlet(database: &Database, outlet: &str) {
    let orders = DAYS * ORDERS_A_DAY;
    let own = format!("outlet_id = '{outlet}'");
    let date = |order: &str| format!("(date '{FIRST}' + ({order}) / {ORDERS_A_DAY})::text");
    let at = |order: &str| {
        let seconds = format!(
            "extract(epoch FROM date '{FIRST}')::bigint + 36000 + ({order}) / {ORDERS_A_DAY} * 86400"
        );
        format!("({seconds} + ({order}) % {ORDERS_A_DAY} * 720) * 1000")
    };
    let copies = |table: &str, which: &str, count: u32, set: &[(&str, String)]| {
        let set: Vec<(&str, &str)> = set.iter().map(|(name, value)| (*name, value.as_str())).collect();
        database.copies_of(table, &format!("{own} AND {which}"), count, &set);
    };
    copies(
        "orders",
        "true",
        orders,
        &[
            ("id", id('o', "n")),
            ("business_date", date("n")),
            ("created_at", at("n")),
            ("status", "'COMPLETED'".to_owned()),
        ],
    );
    copies(
        "order_items",
        "true",
        orders * 3,
        &[
            ("id", id('l', "n")),
            ("order_id", id('o', "n / 3")),
            ("line_number", "1 + n % 3".to_owned()),
            ("menu_item_id", one_of(database, "menu_items", outlet, "n * 7")),
        ],
    );
    copies(
        "order_taxes",
        "true",
        orders * 6,
        &[("id", id('t', "n")), ("order_id", id('o', "n / 6")), ("order_item_id", id('l', "n / 2"))],
    );
    copies(
        "payments",
        "true",
        orders,
        &[
            ("id", id('p', "n")),
            ("order_id", id('o', "n")),
            ("business_date", date("n")),
            ("at", at("n")),
            ("method", "(ARRAY['CASH', 'CARD', 'UPI'])[1 + n % 3]".to_owned()),
        ],
    );
    copies(
        "stock_movements",
        "kind = 'SALE'",
        orders * 18,
        &[
            ("id", id('v', "n")),
            ("stock_item_id", one_of(database, "stock_items", outlet, "n * 5")),
            ("cost_micros", "-1250000 - n % 1000".to_owned()),
            ("order_id", id('o', "n / 18")),
            ("order_item_id", id('l', "n / 6")),
            ("business_date", date("n / 18")),
            ("at", at("n / 18")),
        ],
    );
}
