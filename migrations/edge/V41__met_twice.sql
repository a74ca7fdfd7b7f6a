-- Two boxes may meet what was sold without stock, or sell the same batch, before one takes over what the other had: the ledger then has met
-- more than was owed, until that is evened out. A level may say so, or nothing could be taken over.
CREATE TABLE stock_levels_of_ledger (
  stock_item_id BLOB PRIMARY KEY NOT NULL REFERENCES stock_items (id),
  outlet_id BLOB NOT NULL,
  on_hand INTEGER NOT NULL,                -- sum of all movements; negative while there is a deficit
  deficit INTEGER NOT NULL DEFAULT 0,      -- the negative sum of the movements without a batch
  deficit_cost_micros INTEGER NOT NULL DEFAULT 0,
  last_unit_cost INTEGER NOT NULL DEFAULT 0, -- of the newest receipt that cost something
  largest_need INTEGER NOT NULL DEFAULT 0
) STRICT;
INSERT INTO stock_levels_of_ledger
  SELECT stock_item_id, outlet_id, on_hand, deficit, deficit_cost_micros, last_unit_cost, largest_need FROM stock_levels;
DROP TABLE stock_levels;
ALTER TABLE stock_levels_of_ledger RENAME TO stock_levels;
