-- What can still be made of each dish, and last costs out of what head office orders. Conventions as in V1.

-- ---------------------------------------------------------------------------------------------------------- outlets
-- Whether dishes that cannot be made go out of stock by themselves; off where a kitchen keeps no stock.
ALTER TABLE outlets ADD COLUMN auto_availability INTEGER NOT NULL DEFAULT 1;

-- ---------------------------------------------------------------------------------------------------------- inventory
-- What a unit cost last is this outlet's alone: each receipt would otherwise be a proposal to head office. Every item has its row.
INSERT INTO stock_levels (stock_item_id, outlet_id, on_hand)
  SELECT id, outlet_id, 0 FROM stock_items WHERE id NOT IN (SELECT stock_item_id FROM stock_levels);
ALTER TABLE stock_levels ADD COLUMN last_unit_cost INTEGER NOT NULL DEFAULT 0; -- of the newest receipt that cost something
UPDATE stock_levels SET last_unit_cost = (SELECT s.last_unit_cost FROM stock_items s WHERE s.id = stock_item_id);
ALTER TABLE stock_items DROP COLUMN last_unit_cost;
-- The largest of the item's portion_needs. While a level stays at or above it, no dish comes or goes.
ALTER TABLE stock_levels ADD COLUMN largest_need INTEGER NOT NULL DEFAULT 0;
-- LOCAL. What one portion of a dish, or one choice of an option, takes of each stock item: recipes expanded through their
-- preparations. Made anew whenever a recipe changes, and compared with the recipes at every start.
CREATE TABLE portion_needs (
  target_id BLOB NOT NULL,                 -- the dish or the option
  stock_item_id BLOB NOT NULL REFERENCES stock_items (id),
  outlet_id BLOB NOT NULL,
  is_option INTEGER NOT NULL,
  quantity INTEGER NOT NULL CHECK (quantity > 0),
  PRIMARY KEY (target_id, stock_item_id)
) STRICT, WITHOUT ROWID;
CREATE INDEX portion_needs_by_item ON portion_needs (stock_item_id, quantity);
