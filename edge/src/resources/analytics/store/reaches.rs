//! How a changed row reaches the business dates whose figures it is part of: the one list of it, for whoever drops kept days by the
//! rows that changed. Must name every table that `families` reads; a test beside it compares the two.

/// Business dates that a row of a table is part of.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum Day {
    /// The row's own `business_date`.
    Own,
    /// Those of the rows of `table` whose `key` is the row's `column`.
    Of {
        /// The table that has the dates.
        table: &'static str,
        /// Its column; there is an index that leads to it.
        key: &'static str,
        /// The changed row's column.
        column: &'static str,
        /// Which of those rows alone count.
        only: Option<&'static str>,
    },
}

/// A table and the business dates that its rows are part of.
#[derive(Debug)]
pub struct Reach {
    /// The table.
    pub table: &'static str,
    /// The dates.
    pub days: &'static [Day],
}

/// The documents of an order.
const fn documents(column: &'static str) -> Day {
    Day::Of { table: "invoices", key: "order_id", column, only: None }
}

/// The slips of an order.
const fn slips(column: &'static str) -> Day {
    Day::Of { table: "order_slips", key: "order_id", column, only: None }
}

/// Movements that name the row.
const fn movements(key: &'static str, only: Option<&'static str>) -> Day {
    Day::Of { table: "stock_movements", key, column: "id", only }
}

/// Every table that a figure is made of. A figure is a sum over combinations of rows, each with one row that has its date; a
/// row that comes, goes or changes thus changes the figures of the dates that it reaches through the rows it is combined with, and
/// no others.
pub const REACHES: [Reach; 14] = [
    // An order counts on the date of its bill; a refund while its order stands under the bill it credits.
    Reach { table: "orders", days: &[documents("id"), slips("id")] },
    // What a line's ingredients cost counts on the date they were taken.
    Reach {
        table: "order_items",
        days: &[documents("order_id"), slips("order_id"), movements("order_item_id", None)],
    },
    Reach { table: "order_discounts", days: &[documents("order_id"), slips("order_id")] },
    Reach {
        table: "refund_items",
        days: &[
            Day::Of { table: "invoices", key: "id", column: "credit_note_id", only: None },
            Day::Of { table: "order_slips", key: "id", column: "credit_note_id", only: None },
        ],
    },
    Reach { table: "invoices", days: &[Day::Own] },
    Reach { table: "order_slips", days: &[Day::Own] },
    Reach { table: "payments", days: &[Day::Own] },
    Reach { table: "refunds", days: &[Day::Own] },
    Reach { table: "payment_corrections", days: &[Day::Own] },
    Reach { table: "stock_movements", days: &[Day::Own] },
    Reach { table: "waste_logs", days: &[movements("cause_id", Some("kind = 'WASTE'"))] },
    Reach { table: "stock_batches", days: &[movements("batch_id", Some("kind = 'RECEIPT'"))] },
    Reach { table: "table_sessions", days: &[Day::Own] },
    // Who left after the close is in no average of its date.
    Reach { table: "day_closes", days: &[Day::Own] },
];

/// The business dates that a row of `table` is part of; none when it is part of no figure.
pub fn reaches(table: &str) -> &'static [Day] {
    REACHES.iter().find(|reach| reach.table == table).map_or(&[], |reach| reach.days)
}
