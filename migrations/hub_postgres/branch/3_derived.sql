-- What the branch keeps beside its captured rows, worked out from them: what sync-hub/src/derived.sql does on SQLite.

CREATE VIEW branch.order_counts AS
  SELECT outlet_id, status, count(*) AS count FROM branch.orders GROUP BY outlet_id, status;

CREATE VIEW branch.portion_needs AS
  SELECT target_id, stock_item_id, outlet_id, is_option, quantity, is_made FROM merged.portion_needs WHERE outlet_id = compat.outlet();

-- Head office files nothing: it has an index of the movements by item.
CREATE VIEW branch.stock_filed_movements AS
  SELECT stock_item_id, at, id AS movement_id FROM merged.stock_movements WHERE false;
CREATE VIEW branch.stock_filing AS SELECT outlet_id, business_date AS through FROM merged.stock_movements WHERE false;

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
