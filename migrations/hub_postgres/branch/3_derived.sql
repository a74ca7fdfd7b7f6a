-- What the branch keeps beside its captured rows, worked out from them: the same sums as the branch's own (the texts that make
-- its tables anew stand in edge/src/resources/inventory/store/levels.rs).

CREATE VIEW branch.order_counts AS
  SELECT outlet_id, status, count(*) AS count FROM branch.orders GROUP BY outlet_id, status;

CREATE VIEW branch.stock_batch_levels AS
  SELECT b.id AS batch_id, b.outlet_id, b.stock_item_id, m.quantity, b.unit_cost,
    coalesce(b.expiry_date, '9999-12-31') AS expiry_date, b.received_at
  FROM (SELECT batch_id, compat.sum(quantity_delta) AS quantity FROM branch.stock_movements
        WHERE batch_id IS NOT NULL GROUP BY batch_id) m
  JOIN branch.stock_batches b ON b.id = m.batch_id WHERE m.quantity > 0;

CREATE VIEW branch.portion_needs AS
  SELECT target_id, stock_item_id, outlet_id, is_option, quantity FROM merged.portion_needs WHERE outlet_id = compat.outlet();

CREATE VIEW branch.stock_levels AS
  SELECT s.id AS stock_item_id, s.outlet_id, coalesce(m.on_hand, 0) AS on_hand, coalesce(m.deficit, 0) AS deficit,
    coalesce(m.deficit_cost_micros, 0) AS deficit_cost_micros,
    coalesce((SELECT r.unit_cost FROM branch.stock_movements r
      WHERE r.stock_item_id = s.id AND r.batch_id IS NOT NULL AND r.quantity_delta > 0 AND r.unit_cost > 0
        AND r.kind NOT IN ('SETTLEMENT', 'STOCKTAKE') AND r.reverses_id IS NULL
      ORDER BY r.at DESC, r.id DESC LIMIT 1), 0) AS last_unit_cost,
    coalesce((SELECT max(n.quantity) FROM branch.portion_needs n WHERE n.stock_item_id = s.id), 0) AS largest_need
  FROM branch.stock_items s LEFT JOIN (
    SELECT stock_item_id, compat.sum(quantity_delta) AS on_hand,
      -compat.sum(CASE WHEN batch_id IS NULL THEN quantity_delta END) AS deficit,
      -compat.sum(CASE WHEN batch_id IS NULL THEN cost_micros END) AS deficit_cost_micros
    FROM branch.stock_movements GROUP BY stock_item_id) m ON m.stock_item_id = s.id;

-- Nothing here changes the menu by itself: a revision tells a guest's phone to ask again.
CREATE VIEW branch.menu_revision AS SELECT NULL::bytea AS outlet_id, 0::bigint AS revision WHERE false;

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
