-- What the branch keeps beside its captured rows, worked out from them: what sync-hub/src/derived.sql does on SQLite.

CREATE VIEW branch.order_counts AS
  SELECT outlet_id, status, count(*) AS count FROM branch.orders GROUP BY outlet_id, status;

CREATE VIEW branch.portion_needs AS
  SELECT target_id, stock_item_id, outlet_id, is_option, quantity FROM merged.portion_needs WHERE outlet_id = compat.outlet();

CREATE VIEW branch.stock_batch_levels AS
  SELECT s.batch_id, s.outlet_id, s.stock_item_id, s.quantity, b.unit_cost,
    coalesce(b.expiry_date, '9999-12-31') AS expiry_date, b.received_at
  FROM hub.hub_stock_sums s JOIN merged.stock_batches b ON b.outlet_id = s.outlet_id AND b.id = s.batch_id
  WHERE s.outlet_id = compat.outlet() AND s.quantity > 0;

CREATE VIEW branch.stock_levels AS
  SELECT i.id AS stock_item_id, i.outlet_id, coalesce(s.on_hand, 0) AS on_hand, coalesce(d.deficit, 0) AS deficit,
    coalesce(d.deficit_cost_micros, 0) AS deficit_cost_micros,
    coalesce((SELECT r.unit_cost FROM merged.stock_movements r
      WHERE r.outlet_id = i.outlet_id AND r.stock_item_id = i.id AND r.batch_id IS NOT NULL AND r.quantity_delta > 0
        AND r.unit_cost > 0 AND r.kind NOT IN ('SETTLEMENT', 'STOCKTAKE') AND r.reverses_id IS NULL
      ORDER BY r.at DESC, r.id DESC LIMIT 1), 0) AS last_unit_cost,
    coalesce((SELECT max(n.quantity) FROM merged.portion_needs n WHERE n.outlet_id = i.outlet_id AND n.stock_item_id = i.id), 0)
      AS largest_need
  FROM merged.stock_items i
  LEFT JOIN LATERAL (SELECT compat.sum(a.quantity) AS on_hand FROM hub.hub_stock_sums a
    WHERE a.outlet_id = i.outlet_id AND a.stock_item_id = i.id) s ON true
  LEFT JOIN LATERAL (SELECT -o.quantity AS deficit, -o.cost_micros AS deficit_cost_micros FROM hub.hub_stock_sums o
    WHERE o.outlet_id = i.outlet_id AND o.stock_item_id = i.id AND o.batch_id = '\x') d ON true
  WHERE i.outlet_id = compat.outlet();

-- Whatever changes the menu changes the position; a branch that took back what it had lost counts on above what it had.
CREATE VIEW branch.menu_revision AS
  SELECT outlet_id, lineage * 1099511627776 + applied_to AS revision FROM hub.hub_state WHERE outlet_id = compat.outlet();

-- No day is kept summed up: the figures come from the rows. Each has the shape of the branch's table.
CREATE VIEW branch.analytics_days AS
  SELECT NULL::bytea AS outlet_id, NULL::text COLLATE "C" AS business_date WHERE false;
CREATE VIEW branch.analytics_sales AS
  SELECT NULL::bytea AS outlet_id, NULL::text COLLATE "C" AS business_date, NULL::text COLLATE "C" AS order_type, NULL::text COLLATE "C" AS source, NULL::bigint AS orders, NULL::bigint AS guests, NULL::bigint AS gross, NULL::bigint AS discount, NULL::bigint AS service, NULL::bigint AS tax, NULL::bigint AS rounding WHERE false;
CREATE VIEW branch.analytics_hours AS
  SELECT NULL::bytea AS outlet_id, NULL::text COLLATE "C" AS business_date, NULL::bigint AS slot, NULL::bigint AS orders, NULL::bigint AS guests, NULL::bigint AS gross, NULL::bigint AS discount WHERE false;
CREATE VIEW branch.analytics_refunds AS
  SELECT NULL::bytea AS outlet_id, NULL::text COLLATE "C" AS business_date, NULL::bigint AS refunds, NULL::bigint AS amount, NULL::bigint AS tax WHERE false;
CREATE VIEW branch.analytics_money AS
  SELECT NULL::bytea AS outlet_id, NULL::text COLLATE "C" AS business_date, NULL::text COLLATE "C" AS method, NULL::bigint AS payments, NULL::bigint AS amount, NULL::bigint AS tip, NULL::bigint AS refunds, NULL::bigint AS refunded WHERE false;
CREATE VIEW branch.analytics_taxes AS
  SELECT NULL::bytea AS outlet_id, NULL::text COLLATE "C" AS business_date, NULL::text COLLATE "C" AS name, NULL::bigint AS rate_bps, NULL::bigint AS taxable, NULL::bigint AS tax, NULL::bigint AS credited_taxable, NULL::bigint AS credited_tax WHERE false;
CREATE VIEW branch.analytics_items AS
  SELECT NULL::bytea AS outlet_id, NULL::text COLLATE "C" AS business_date, NULL::bytea AS menu_item_id, NULL::bigint AS quantity, NULL::bigint AS gross, NULL::bigint AS discount, NULL::bigint AS cost WHERE false;
CREATE VIEW branch.analytics_discounts AS
  SELECT NULL::bytea AS outlet_id, NULL::text COLLATE "C" AS business_date, NULL::text COLLATE "C" AS reason, NULL::text COLLATE "C" AS type, NULL::bytea AS by_id, NULL::bytea AS approver_id, NULL::bigint AS discounts, NULL::bigint AS amount WHERE false;
CREATE VIEW branch.analytics_stock AS
  SELECT NULL::bytea AS outlet_id, NULL::text COLLATE "C" AS business_date, NULL::text COLLATE "C" AS kind, NULL::bytea AS stock_item_id, NULL::bigint AS quantity, NULL::bigint AS cost WHERE false;
CREATE VIEW branch.analytics_waste AS
  SELECT NULL::bytea AS outlet_id, NULL::text COLLATE "C" AS business_date, NULL::bytea AS stock_item_id, NULL::text COLLATE "C" AS reason, NULL::bigint AS movements, NULL::bigint AS quantity, NULL::bigint AS cost WHERE false;
CREATE VIEW branch.analytics_purchases AS
  SELECT NULL::bytea AS outlet_id, NULL::text COLLATE "C" AS business_date, NULL::bytea AS supplier_id, NULL::bytea AS stock_item_id, NULL::bigint AS receipts, NULL::bigint AS quantity, NULL::bigint AS cost WHERE false;
CREATE VIEW branch.analytics_tables AS
  SELECT NULL::bytea AS outlet_id, NULL::text COLLATE "C" AS business_date, NULL::bigint AS sessions, NULL::bigint AS closed, NULL::bigint AS seated_ms WHERE false;
