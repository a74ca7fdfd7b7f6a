//! What each figure is made of: for every family of figures one text that gives its rows, for the outlet `?1` from the business
//! date `?2` to `?3`. The same text fills the kept days and answers for the others, so the two cannot differ. Never rounds.

/// Orders that count as revenue: not called off, and accepted where a guest ordered by QR code.
macro_rules! counted {
    () => {
        "o.outlet_id = ?1 AND o.business_date BETWEEN ?2 AND ?3 AND o.status <> 'CANCELLED' AND o.dispatched_at IS NOT NULL"
    };
}

/// Credit notes under bills that stand: those of a bill that was withdrawn, or of an order that was called off, took back what
/// no longer counts. `CROSS JOIN` fixes the order: the date's index first.
macro_rules! credits {
    () => {
        "invoices n CROSS JOIN orders o ON o.id = n.order_id AND o.invoice_id = n.refers_to_id AND o.status <> 'CANCELLED'"
    };
}

macro_rules! credited {
    () => {
        "n.outlet_id = ?1 AND n.business_date BETWEEN ?2 AND ?3 AND n.kind = 'CREDIT_NOTE'"
    };
}

/// A family of figures.
#[derive(Debug)]
pub struct Family {
    /// Where its finished days are kept.
    pub(super) table: &'static str,
    /// What it is told apart by, beside the business date.
    pub(super) keys: &'static [&'static str],
    /// What is summed.
    pub(super) sums: &'static [&'static str],
    /// The rows it sums: `business_date`, the keys, the sums.
    pub(super) rows: &'static str,
}

/// All families: what is kept of a day.
pub(super) const ALL: [&Family; 11] =
    [&SALES, &HOURS, &REFUNDS, &MONEY, &TAXES, &ITEMS, &DISCOUNTS, &STOCK, &WASTE, &PURCHASES, &TABLES];

/// Orders that count as revenue, by type and source.
pub const SALES: Family = Family {
    table: "analytics_sales",
    keys: &["order_type", "source"],
    sums: &["orders", "guests", "gross", "discount", "service", "tax", "rounding"],
    rows: concat!(
        "SELECT o.business_date, o.order_type, o.source, 1 AS orders, coalesce(o.guest_count, 0) AS guests,
           o.subtotal_cents AS gross, o.discount_cents AS discount, o.service_charge_cents AS service, o.tax_cents AS tax,
           o.rounding_cents AS rounding
         FROM orders o WHERE ",
        counted!()
    ),
};

/// The same by the quarter of an hour they were taken in.
pub const HOURS: Family = Family {
    table: "analytics_hours",
    keys: &["slot"],
    sums: &["orders", "guests", "gross", "discount"],
    rows: concat!(
        "SELECT o.business_date, o.created_at / 900000 AS slot, 1 AS orders, coalesce(o.guest_count, 0) AS guests,
           o.subtotal_cents AS gross, o.discount_cents AS discount
         FROM orders o WHERE ",
        counted!()
    ),
};

/// Given back against bills.
pub const REFUNDS: Family = Family {
    table: "analytics_refunds",
    keys: &[],
    sums: &["refunds", "amount", "tax"],
    rows: concat!(
        "SELECT n.business_date, 1 AS refunds, n.total_cents - n.tax_cents AS amount, n.tax_cents AS tax FROM ",
        credits!(),
        " WHERE ",
        credited!()
    ),
};

/// Money that moved, by method.
pub const MONEY: Family = Family {
    table: "analytics_money",
    keys: &["method"],
    sums: &["payments", "amount", "tip", "refunds", "refunded"],
    rows: "SELECT business_date, method, 1 AS payments, amount_cents AS amount, tip_cents AS tip, 0 AS refunds, 0 AS refunded
           FROM payments WHERE outlet_id = ?1 AND business_date BETWEEN ?2 AND ?3
           UNION ALL
           SELECT business_date, method, 0, 0, 0, 1, amount_cents
           FROM refunds WHERE outlet_id = ?1 AND business_date BETWEEN ?2 AND ?3",
};

/// Tax by component and rate; what credit notes took back of it on their own date.
pub const TAXES: Family = Family {
    table: "analytics_taxes",
    keys: &["name", "rate_bps"],
    sums: &["taxable", "tax", "credited_taxable", "credited_tax"],
    rows: concat!(
        "SELECT o.business_date, t.name, t.rate_bps, t.taxable_cents AS taxable, t.tax_cents AS tax, 0 AS credited_taxable,
           0 AS credited_tax
         FROM orders o CROSS JOIN order_taxes t ON t.order_id = o.id WHERE ",
        counted!(),
        " UNION ALL
         SELECT n.business_date, j.value ->> 'name', CAST(j.value ->> 'rateBps' AS INTEGER), 0, 0,
           CAST(j.value ->> 'taxableCents' AS INTEGER), CAST(j.value ->> 'taxCents' AS INTEGER)
         FROM ",
        credits!(),
        " CROSS JOIN json_each(n.body, '$.taxes') j WHERE ",
        credited!()
    ),
};

/// What each dish sold, without tax; what its ingredients cost, on the date they were taken or given back.
pub const ITEMS: Family = Family {
    table: "analytics_items",
    keys: &["menu_item_id"],
    sums: &["quantity", "gross", "discount", "cost"],
    rows: concat!(
        "SELECT o.business_date, l.menu_item_id, l.quantity,
           l.gross_cents - iif(o.prices_include_tax, l.tax_cents, 0) AS gross, l.discount_cents AS discount, 0 AS cost
         FROM orders o CROSS JOIN order_items l ON l.order_id = o.id WHERE ",
        counted!(),
        " UNION ALL
         SELECT m.business_date, l.menu_item_id, 0, 0, 0, -m.cost_micros
         FROM stock_movements m CROSS JOIN order_items l ON l.id = m.order_item_id
         WHERE m.outlet_id = ?1 AND m.business_date BETWEEN ?2 AND ?3 AND m.kind IN ('SALE', 'RETURN')"
    ),
};

/// Discounts by reason and who gave them.
pub const DISCOUNTS: Family = Family {
    table: "analytics_discounts",
    keys: &["reason", "type", "by_id", "approver_id"],
    sums: &["discounts", "amount"],
    rows: concat!(
        "SELECT o.business_date, d.reason, d.type, coalesce(d.by_id, x'') AS by_id, coalesce(d.approver_id, x'') AS approver_id,
           1 AS discounts, d.amount_cents AS amount
         FROM orders o CROSS JOIN order_discounts d ON d.order_id = o.id AND d.removed_at IS NULL WHERE ",
        counted!()
    ),
};

/// The stock ledger by kind of movement and item, with the ledger's signs.
pub const STOCK: Family = Family {
    table: "analytics_stock",
    keys: &["kind", "stock_item_id"],
    sums: &["quantity", "cost"],
    rows: "SELECT business_date, kind, stock_item_id, quantity_delta AS quantity, cost_micros AS cost
           FROM stock_movements WHERE outlet_id = ?1 AND business_date BETWEEN ?2 AND ?3",
};

/// What was thrown away; what was reversed counts under the reason it had been thrown away for.
pub const WASTE: Family = Family {
    table: "analytics_waste",
    keys: &["stock_item_id", "reason"],
    sums: &["movements", "quantity", "cost"],
    rows:
        "SELECT m.business_date, m.stock_item_id, coalesce(w.reason, m.reason, '') AS reason, 1 AS movements,
             -m.quantity_delta AS quantity, -m.cost_micros AS cost
           FROM stock_movements m LEFT JOIN waste_logs w ON w.id = m.cause_id
           WHERE m.outlet_id = ?1 AND m.business_date BETWEEN ?2 AND ?3 AND m.kind = 'WASTE'",
};

/// What was delivered, by supplier and item.
pub const PURCHASES: Family = Family {
    table: "analytics_purchases",
    keys: &["supplier_id", "stock_item_id"],
    sums: &["receipts", "quantity", "cost"],
    rows:
        "SELECT m.business_date, coalesce(b.supplier_id, x'') AS supplier_id, m.stock_item_id, 1 AS receipts,
             m.quantity_delta AS quantity, m.cost_micros AS cost
           FROM stock_movements m CROSS JOIN stock_batches b ON b.id = m.batch_id
           WHERE m.outlet_id = ?1 AND m.business_date BETWEEN ?2 AND ?3 AND m.kind = 'RECEIPT'",
};

/// Parties at tables; those that were put together with another are part of the other.
pub const TABLES: Family = Family {
    table: "analytics_tables",
    keys: &[],
    sums: &["sessions", "closed", "seated_ms"],
    rows: "SELECT business_date, 1 AS sessions, closed_at IS NOT NULL AS closed,
             coalesce(closed_at - opened_at, 0) AS seated_ms
           FROM table_sessions
           WHERE outlet_id = ?1 AND business_date BETWEEN ?2 AND ?3 AND merged_into_id IS NULL",
};
