CREATE TEMP VIEW stock_batch_levels AS
  SELECT s.batch_id, s.outlet_id, s.stock_item_id, s.quantity, b.unit_cost,
    coalesce(b.expiry_date, '9999-12-31') AS expiry_date, b.received_at
  FROM main.hub_stock_sums s CROSS JOIN main.stock_batches b ON b.id = s.batch_id WHERE s.quantity > 0;
CREATE TEMP VIEW stock_levels AS
  SELECT i.id AS stock_item_id, i.outlet_id,
    coalesce((SELECT sum(s.quantity) FROM main.hub_stock_sums s WHERE s.stock_item_id = i.id), 0) AS on_hand,
    coalesce((SELECT -s.quantity FROM main.hub_stock_sums s WHERE s.stock_item_id = i.id AND s.batch_id = x''), 0) AS deficit,
    coalesce((SELECT -s.cost_micros FROM main.hub_stock_sums s WHERE s.stock_item_id = i.id AND s.batch_id = x''), 0)
      AS deficit_cost_micros,
    coalesce((SELECT r.unit_cost FROM main.stock_movements r
      WHERE r.stock_item_id = i.id AND r.batch_id IS NOT NULL AND r.quantity_delta > 0 AND r.unit_cost > 0
        AND r.kind NOT IN ('SETTLEMENT', 'STOCKTAKE') AND r.reverses_id IS NULL
      ORDER BY r.at DESC, r.id DESC LIMIT 1), 0) AS last_unit_cost,
    coalesce((SELECT max(n.quantity) FROM main.portion_needs n WHERE n.stock_item_id = i.id), 0) AS largest_need
  FROM main.stock_items i;
-- Whatever changes the menu changes the position; a branch that took back what it had lost counts on above what it had.
CREATE TEMP VIEW menu_revision AS
  SELECT outlet_id, lineage * 1099511627776 + applied_to AS revision FROM main.hub_state;
