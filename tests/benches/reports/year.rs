//! A year of trade written as rows, without its change log: 300 orders a day of three lines each, six stock movements a line.

use edge::db::{DbError, Tx};

/// The first business date.
pub const FIRST: &str = "2025-11-20";
/// The last; the branch's clock stands on the day after.
pub const LAST: &str = "2026-11-19";

const DAYS: i64 = 365;
const ORDERS_A_DAY: i64 = 300;
const DISHES: i64 = 58;
const STOCK_ITEMS: i64 = 86;

/// A 16-byte id: a letter and a number.
fn id(letter: char, number: &str) -> String {
    format!("CAST(printf('{letter}%015d', {number}) AS BLOB)")
}

/// Copies of one row of `table` for `count` numbers `n`, with these columns set.
fn copies(tx: &Tx<'_>, table: &str, count: i64, set: &[(&str, String)]) -> Result<usize, DbError> {
    let mut statement = tx.prepare(&format!("SELECT name FROM pragma_table_info('{table}')"))?;
    let columns: Vec<String> = statement.query_map([], |row| row.get(0))?.collect::<Result<_, _>>()?;
    let values: Vec<&str> = columns
        .iter()
        .map(|column| set.iter().find(|(name, _)| name == column).map_or(column.as_str(), |(_, value)| value))
        .collect();
    let sql = format!(
        "WITH RECURSIVE numbers(n) AS (SELECT 0 UNION ALL SELECT n + 1 FROM numbers WHERE n < {count} - 1)
         INSERT INTO {table} ({}) SELECT {} FROM numbers CROSS JOIN (SELECT * FROM {table} ORDER BY rowid LIMIT 1)",
        columns.join(", "),
        values.join(", ")
    );
    tx.execute(&sql, []).map(|()| tx.changed())
}

/// Copies the first order of the branch, its line, taxes and payment, and the first stock movement, into a year of their like.
pub fn build(tx: &Tx<'_>) -> Result<String, DbError> {
    let capture = "SELECT name, sql FROM sqlite_master WHERE type = 'trigger' AND name GLOB 'capture_*'";
    let triggers: Vec<(String, String)> = {
        let mut statement = tx.prepare(capture)?;
        statement.query_map([], |row| Ok((row.get(0)?, row.get(1)?)))?.collect::<Result<_, _>>()?
    };
    for (name, _) in &triggers {
        tx.execute_batch(&format!("DROP TRIGGER \"{name}\""))?;
    }
    let orders = DAYS * ORDERS_A_DAY;
    let date = |order: &str| format!("date('{FIRST}', '+' || ({order} / {ORDERS_A_DAY}) || ' days')");
    let at = |order: &str| {
        format!("(unixepoch({}) + 36000 + ({order} % {ORDERS_A_DAY}) * 144) * 1000", date(order))
    };
    let text = |text: &str| format!("'{text}' || n");
    copies(
        tx,
        "menu_items",
        DISHES,
        &[("id", id('m', "n")), ("name", text("Dish ")), ("sku", "NULL".into())],
    )?;
    copies(tx, "stock_items", STOCK_ITEMS, &[("id", id('s', "n")), ("name", text("Stock "))])?;
    copies(
        tx,
        "orders",
        orders,
        &[
            ("id", id('o', "n")),
            ("order_number", text("Y-")),
            ("token_number", "100000 + n".into()),
            ("business_date", date("n")),
            ("created_at", at("n")),
            ("status", "'COMPLETED'".into()),
            ("guest_count", "1 + n % 5".into()),
        ],
    )?;
    let lines = copies(
        tx,
        "order_items",
        orders * 3,
        &[
            ("id", id('l', "n")),
            ("order_id", id('o', "n / 3")),
            ("line_number", "1 + n % 3".into()),
            ("menu_item_id", id('m', &format!("(n * 7) % {DISHES}"))),
        ],
    )?;
    copies(
        tx,
        "order_taxes",
        orders * 6,
        &[
            ("id", id('t', "n")),
            ("order_id", id('o', "n / 6")),
            ("order_item_id", id('l', "n / 2")),
            ("name", "iif(n % 2, 'SGST', 'CGST')".into()),
        ],
    )?;
    copies(
        tx,
        "payments",
        orders,
        &[
            ("id", id('p', "n")),
            ("order_id", id('o', "n")),
            ("method", "CASE n % 3 WHEN 0 THEN 'CASH' WHEN 1 THEN 'CARD' ELSE 'UPI' END".into()),
            ("business_date", date("n")),
            ("at", at("n")),
        ],
    )?;
    let movements = copies(
        tx,
        "stock_movements",
        orders * 18,
        &[
            ("id", id('v', "n")),
            ("stock_item_id", id('s', &format!("(n * 5) % {STOCK_ITEMS}"))),
            ("batch_id", "NULL".into()),
            (
                "kind",
                "CASE WHEN n % 97 = 0 THEN 'WASTE' WHEN n % 191 = 0 THEN 'RETURN' ELSE 'SALE' END".into(),
            ),
            ("quantity_delta", "-250000".into()),
            ("cost_micros", "-1250000 - n % 1000".into()),
            ("order_id", id('o', "n / 18")),
            ("order_item_id", id('l', "n / 6")),
            ("business_date", date("n / 18")),
            ("at", at("n / 18")),
        ],
    )?;
    for (_, sql) in &triggers {
        tx.execute_batch(sql)?;
    }
    Ok(format!("{orders} orders, {lines} lines, {movements} movements"))
}
