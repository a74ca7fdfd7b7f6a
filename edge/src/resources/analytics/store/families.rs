//! What each figure is made of: for every family of figures one text that gives its rows, for the outlet `?1` from the business
//! date `?2` to `?3`. The same text fills the kept days and answers for the others, so the two cannot differ. Never rounds.

/// Bills that stand, with their orders: what a date sold is what was billed on it. `CROSS JOIN` fixes the order: the date's index
/// first.
macro_rules! bills {
    () => {
        "invoices i CROSS JOIN orders o ON o.id = i.order_id AND o.invoice_id = i.id AND o.status <> 'CANCELLED'"
    };
}

macro_rules! billed {
    () => {
        "i.outlet_id = ?1 AND i.business_date BETWEEN ?2 AND ?3 AND i.kind = 'INVOICE'"
    };
}

/// Slips that stand for a bill, with their orders: what the operator of a channel bills. An order that has a bill beside its slip, for
/// goods, counts with that.
macro_rules! slips {
    () => {
        "order_slips s CROSS JOIN orders o ON o.id = s.order_id AND o.slip_id = s.id AND o.invoice_id IS NULL AND o.status <> 'CANCELLED'"
    };
}

macro_rules! slipped {
    () => {
        "s.outlet_id = ?1 AND s.business_date BETWEEN ?2 AND ?3 AND s.kind = 'SLIP'"
    };
}

/// Orders without a bill that are on their way: they count on the present date `?2`. A guest's order that staff have not accepted
/// does not.
macro_rules! open {
    () => {
        "o.outlet_id = ?1 AND o.invoice_id IS NULL AND o.slip_id IS NULL AND o.status NOT IN ('COMPLETED', 'CANCELLED') AND o.dispatched_at IS NOT NULL"
    };
}

/// Credit notes under bills that stand: those of a bill that was withdrawn, or of an order that was called off, took back what
/// no longer counts.
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

/// Grams that `$weight` is in the unit of the order's line `l`, in millionths; 0 where that is not sold by grams.
macro_rules! grams {
    ($weight:literal) => {
        concat!(
            "CASE l.weight_unit WHEN 'KG' THEN 1000 * ",
            $weight,
            " WHEN 'G' THEN ",
            $weight,
            " ELSE 0 END"
        )
    };
}

/// Ounces, as [`grams!`].
macro_rules! ounces {
    ($weight:literal) => {
        concat!(
            "CASE l.weight_unit WHEN 'LB' THEN 16 * ",
            $weight,
            " WHEN 'OZ' THEN ",
            $weight,
            " ELSE 0 END"
        )
    };
}

pub(super) use {billed, bills, credited, credits, grams, ounces, slipped, slips};

macro_rules! sales {
    () => {
        "o.order_type, o.source, 1 AS orders, coalesce(o.guest_count, 0) AS guests, o.subtotal_cents AS gross,
           o.discount_cents AS discount, o.service_charge_cents AS service, o.tax_cents AS tax, o.rounding_cents AS rounding"
    };
}

macro_rules! hours {
    () => {
        "o.created_at / 900000 AS slot, 1 AS orders, coalesce(o.guest_count, 0) AS guests, o.subtotal_cents AS gross,
           o.discount_cents AS discount"
    };
}

/// Both, as two columns.
macro_rules! weighed {
    ($weight:literal) => {
        concat!(grams!($weight), " AS grams, ", ounces!($weight), " AS ounces")
    };
}

macro_rules! sold {
    () => {
        concat!(
            "l.menu_item_id, coalesce(l.variant_id, x'') AS variant_id, coalesce(l.combo_id, x'') AS combo_id,
           CASE WHEN l.combo_id = l.menu_item_id THEN 0 ELSE l.quantity END AS quantity,
           CASE WHEN l.combo_id = l.menu_item_id THEN l.quantity ELSE 0 END AS combos,
           l.subtotal_cents AS gross, l.discount_cents AS discount, 0 AS cost, ",
            weighed!("l.weight * l.quantity")
        )
    };
}

macro_rules! came_back {
    () => {
        concat!(
            "l.menu_item_id, coalesce(l.variant_id, x''), coalesce(l.combo_id, x''),
           CASE WHEN l.combo_id = l.menu_item_id THEN 0 ELSE -r.quantity END,
           CASE WHEN l.combo_id = l.menu_item_id THEN -r.quantity ELSE 0 END, -r.subtotal_cents, -r.discount_cents, 0, ",
            weighed!("l.weight * -r.quantity")
        )
    };
}

macro_rules! given {
    () => {
        "d.reason, d.type, coalesce(d.by_id, x'') AS by_id, coalesce(d.approver_id, x'') AS approver_id, 1 AS discounts,
           d.net_cents AS amount"
    };
}

/// A party that left after its date was closed: that date's figures stay as they are.
macro_rules! left_later {
    () => {
        "EXISTS (SELECT 1 FROM day_closes d WHERE d.outlet_id = s.outlet_id AND d.business_date = s.business_date
           AND d.at < s.closed_at)"
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
    /// The same of open orders, for the outlet `?1` on its present date `?2`; none where they do not count. Never kept.
    pub(super) open: Option<&'static str>,
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
        "SELECT i.business_date, ",
        sales!(),
        " FROM ",
        bills!(),
        " WHERE ",
        billed!(),
        " UNION ALL SELECT s.business_date, ",
        sales!(),
        " FROM ",
        slips!(),
        " WHERE ",
        slipped!()
    ),
    open: Some(concat!(
        "SELECT CAST(?2 AS TEXT) AS business_date, ",
        sales!(),
        " FROM orders o WHERE ",
        open!()
    )),
};

/// The same by the quarter of an hour they were taken in.
pub const HOURS: Family = Family {
    table: "analytics_hours",
    keys: &["slot"],
    sums: &["orders", "guests", "gross", "discount"],
    rows: concat!(
        "SELECT i.business_date, ",
        hours!(),
        " FROM ",
        bills!(),
        " WHERE ",
        billed!(),
        " UNION ALL SELECT s.business_date, ",
        hours!(),
        " FROM ",
        slips!(),
        " WHERE ",
        slipped!()
    ),
    open: Some(concat!(
        "SELECT CAST(?2 AS TEXT) AS business_date, ",
        hours!(),
        " FROM orders o WHERE ",
        open!()
    )),
};

/// What credit notes took back of bills: of the dishes, of the service charge, of taxes and rounding.
pub const REFUNDS: Family = Family {
    table: "analytics_refunds",
    keys: &[],
    sums: &["refunds", "amount", "service", "tax", "rounding"],
    rows: concat!(
        "SELECT n.business_date, 1 AS refunds, n.total_cents - n.tax_cents - n.service_charge_cents - n.rounding_cents AS amount,
           n.service_charge_cents AS service, n.tax_cents AS tax, n.rounding_cents AS rounding FROM ",
        credits!(),
        " WHERE ",
        credited!(),
        " UNION ALL SELECT s.business_date, 1, s.total_cents, 0, 0, 0 FROM order_slips s
          WHERE s.outlet_id = ?1 AND s.business_date BETWEEN ?2 AND ?3 AND s.kind = 'RETURN'"
    ),
    open: None,
};

/// Money that moved, by method. What was put right about a payment counts on its own date: it takes the payment off as it was
/// entered, and adds it as it is.
pub const MONEY: Family = Family {
    table: "analytics_money",
    keys: &["method"],
    sums: &["payments", "amount", "tip", "refunds", "refunded"],
    rows: "SELECT business_date, method, 1 AS payments, amount_cents AS amount, tip_cents AS tip, 0 AS refunds, 0 AS refunded
           FROM payments WHERE outlet_id = ?1 AND business_date BETWEEN ?2 AND ?3
           UNION ALL
           SELECT business_date, old_method, CASE WHEN kind = 'REVERSE' OR old_method <> new_method THEN -1 ELSE 0 END,
             -old_amount_cents, -old_tip_cents, 0, 0
           FROM payment_corrections WHERE outlet_id = ?1 AND business_date BETWEEN ?2 AND ?3
           UNION ALL
           SELECT business_date, new_method, CASE WHEN kind <> 'REVERSE' AND old_method <> new_method THEN 1 ELSE 0 END,
             new_amount_cents, new_tip_cents, 0, 0
           FROM payment_corrections WHERE outlet_id = ?1 AND business_date BETWEEN ?2 AND ?3
           UNION ALL
           SELECT business_date, method, 0, 0, 0, 1, amount_cents
           FROM refunds WHERE outlet_id = ?1 AND business_date BETWEEN ?2 AND ?3",
    open: None,
};

/// Tax by component and rate: of the bills made on a date, and what the credit notes made on it took back. Of documents alone.
pub const TAXES: Family = Family {
    table: "analytics_taxes",
    keys: &["name", "rate_bps"],
    sums: &["taxable", "tax", "credited_taxable", "credited_tax"],
    rows: "SELECT n.business_date, j.value ->> 'name' AS name, CAST(j.value ->> 'rateBps' AS INTEGER) AS rate_bps,
             CASE n.kind WHEN 'INVOICE' THEN CAST(j.value ->> 'taxableCents' AS INTEGER) ELSE 0 END AS taxable,
             CASE n.kind WHEN 'INVOICE' THEN CAST(j.value ->> 'taxCents' AS INTEGER) ELSE 0 END AS tax,
             CASE n.kind WHEN 'INVOICE' THEN 0 ELSE CAST(j.value ->> 'taxableCents' AS INTEGER) END AS credited_taxable,
             CASE n.kind WHEN 'INVOICE' THEN 0 ELSE CAST(j.value ->> 'taxCents' AS INTEGER) END AS credited_tax
           FROM invoices n CROSS JOIN json_each(n.body, '$.taxes') j
           WHERE n.outlet_id = ?1 AND n.business_date BETWEEN ?2 AND ?3",
    open: None,
};

/// What each dish, and each variant of it, sold, alone and in which combo, without tax, less what came back; what its ingredients cost, on
/// the date they were taken or given back. A portion of a dish is one portion wherever it was sold, so figures by dish, by variant, by combo
/// and by component are sums over the same rows; a combo's own line counts how many combos there were, and nothing else.
pub const ITEMS: Family = Family {
    table: "analytics_items",
    keys: &["menu_item_id", "variant_id", "combo_id"],
    sums: &["quantity", "combos", "gross", "discount", "cost", "grams", "ounces"],
    rows: concat!(
        "SELECT i.business_date, ",
        sold!(),
        " FROM ",
        bills!(),
        " CROSS JOIN order_items l ON l.order_id = o.id WHERE ",
        billed!(),
        " UNION ALL SELECT s.business_date, ",
        sold!(),
        " FROM ",
        slips!(),
        " CROSS JOIN order_items l ON l.order_id = o.id WHERE ",
        slipped!(),
        " UNION ALL
         SELECT n.business_date, ",
        came_back!(),
        " FROM ",
        credits!(),
        " CROSS JOIN refund_items r ON r.order_id = n.order_id AND r.credit_note_id = n.id
          CROSS JOIN order_items l ON l.id = r.order_item_id AND l.order_id = r.order_id WHERE ",
        credited!(),
        " UNION ALL
         SELECT s.business_date, ",
        came_back!(),
        " FROM order_slips s
          CROSS JOIN refund_items r ON r.order_id = s.order_id AND r.credit_note_id = s.id
          CROSS JOIN order_items l ON l.id = r.order_item_id AND l.order_id = r.order_id
          WHERE s.outlet_id = ?1 AND s.business_date BETWEEN ?2 AND ?3 AND s.kind = 'RETURN'
         UNION ALL
         SELECT m.business_date, l.menu_item_id, coalesce(l.variant_id, x''), coalesce(l.combo_id, x''), 0, 0, 0, 0, -m.cost_micros, 0, 0
         FROM stock_movements m CROSS JOIN order_items l ON l.id = m.order_item_id
         WHERE m.outlet_id = ?1 AND m.business_date BETWEEN ?2 AND ?3 AND m.kind IN ('SALE', 'RETURN')"
    ),
    open: Some(concat!(
        "SELECT CAST(?2 AS TEXT) AS business_date, ",
        sold!(),
        " FROM orders o CROSS JOIN order_items l ON l.order_id = o.id WHERE ",
        open!()
    )),
};

/// Discounts by reason and who gave them, without tax.
pub const DISCOUNTS: Family = Family {
    table: "analytics_discounts",
    keys: &["reason", "type", "by_id", "approver_id"],
    sums: &["discounts", "amount"],
    rows: concat!(
        "SELECT i.business_date, ",
        given!(),
        " FROM ",
        bills!(),
        " CROSS JOIN order_discounts d ON d.order_id = o.id AND d.removed_at IS NULL WHERE ",
        billed!(),
        " UNION ALL SELECT s.business_date, ",
        given!(),
        " FROM ",
        slips!(),
        " CROSS JOIN order_discounts d ON d.order_id = o.id AND d.removed_at IS NULL WHERE ",
        slipped!()
    ),
    open: Some(concat!(
        "SELECT CAST(?2 AS TEXT) AS business_date, ",
        given!(),
        " FROM orders o CROSS JOIN order_discounts d ON d.order_id = o.id AND d.removed_at IS NULL WHERE ",
        open!()
    )),
};

/// Open orders of the outlet `?1`: how many, and what they come to without tax, and their taxes.
pub(super) const OPEN: &str = concat!(
    "SELECT count(*) AS orders, coalesce(sum(o.subtotal_cents), 0) AS gross, coalesce(sum(o.tax_cents), 0) AS tax FROM orders o WHERE ",
    open!()
);

/// The stock ledger by kind of movement and item, with the ledger's signs.
pub const STOCK: Family = Family {
    table: "analytics_stock",
    keys: &["kind", "stock_item_id"],
    sums: &["quantity", "cost"],
    rows: "SELECT business_date, kind, stock_item_id, quantity_delta AS quantity, cost_micros AS cost
           FROM stock_movements WHERE outlet_id = ?1 AND business_date BETWEEN ?2 AND ?3",
    open: None,
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
    open: None,
};

/// What was delivered, by supplier and item, less what went back.
pub const PURCHASES: Family = Family {
    table: "analytics_purchases",
    keys: &["supplier_id", "stock_item_id"],
    sums: &["receipts", "quantity", "cost"],
    rows: "SELECT m.business_date, coalesce(b.supplier_id, x'') AS supplier_id, m.stock_item_id,
             CASE WHEN m.quantity_delta > 0 THEN 1 ELSE 0 END AS receipts,
             m.quantity_delta AS quantity, m.cost_micros AS cost
           FROM stock_movements m CROSS JOIN stock_batches b ON b.id = m.batch_id
           WHERE m.outlet_id = ?1 AND m.business_date BETWEEN ?2 AND ?3 AND m.kind = 'RECEIPT'",
    open: None,
};

/// Parties at tables; those that were put together with another are part of the other.
pub const TABLES: Family = Family {
    table: "analytics_tables",
    keys: &[],
    sums: &["sessions", "closed", "seated_ms"],
    rows: concat!(
        "SELECT s.business_date, 1 AS sessions, CASE WHEN s.closed_at IS NULL OR ",
        left_later!(),
        " THEN 0 ELSE 1 END AS closed, CASE WHEN s.closed_at IS NULL OR ",
        left_later!(),
        " THEN 0 ELSE s.closed_at - s.opened_at END AS seated_ms
           FROM table_sessions s
           WHERE s.outlet_id = ?1 AND s.business_date BETWEEN ?2 AND ?3 AND s.merged_into_id IS NULL"
    ),
    open: None,
};
