-- What the kitchen makes ahead lies in the store room like anything else: as batches of a stock item that says of which preparation it is
-- the stock. Conventions as in V1.

-- ------------------------------------------------------------------------------------------------------ inventory
ALTER TABLE stock_items ADD COLUMN preparation_id BLOB; -- of which it is the stock; null: nobody makes it here
CREATE INDEX stock_items_by_preparation ON stock_items (preparation_id) WHERE preparation_id IS NOT NULL;
-- LOCAL. As before, and what a portion takes of what is made ahead, in whose place its ingredients do.
ALTER TABLE portion_needs RENAME TO portion_needs_before;
DROP INDEX portion_needs_by_item;
CREATE TABLE portion_needs (
  target_id BLOB NOT NULL,                 -- the dish or the option
  stock_item_id BLOB NOT NULL REFERENCES stock_items (id),
  outlet_id BLOB NOT NULL,
  is_option INTEGER NOT NULL,
  quantity INTEGER NOT NULL CHECK (quantity > 0),
  is_made INTEGER NOT NULL,                -- 1: the stock of a preparation, taken before what it is made of
  PRIMARY KEY (target_id, stock_item_id, is_made)
) STRICT, WITHOUT ROWID;
INSERT INTO portion_needs SELECT target_id, stock_item_id, outlet_id, is_option, quantity, 0 FROM portion_needs_before;
DROP TABLE portion_needs_before;
CREATE INDEX portion_needs_by_item ON portion_needs (stock_item_id, quantity);
