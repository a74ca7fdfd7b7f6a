-- Where an item's movements are. Conventions as in V1.

-- An index of the ledger by item was written on another page for every ingredient of every order, 41 of the 103 pages of an order.
-- Finished dates are filed instead, a date at a time and in the order of the items; what is not filed yet is found by its date.
-- LOCAL. The movements of finished dates by item.
CREATE TABLE stock_filed_movements (
  stock_item_id BLOB NOT NULL,
  at INTEGER NOT NULL,
  movement_id BLOB NOT NULL,
  PRIMARY KEY (stock_item_id, at, movement_id)
) STRICT, WITHOUT ROWID;
-- LOCAL. The last business date that is filed; none before the first.
CREATE TABLE stock_filing (
  outlet_id BLOB PRIMARY KEY NOT NULL,
  through TEXT NOT NULL
) STRICT, WITHOUT ROWID;

INSERT INTO stock_filed_movements (stock_item_id, at, movement_id)
  SELECT stock_item_id, at, id FROM stock_movements ORDER BY stock_item_id, at, id;
INSERT INTO stock_filing (outlet_id, through)
  SELECT outlet_id, max(business_date) FROM stock_movements GROUP BY outlet_id;

-- What comes to a date that is filed (from head office, by a clock that was put back) is filed at once.
CREATE TRIGGER stock_movement_filed AFTER INSERT ON stock_movements
  WHEN NEW.business_date <= (SELECT through FROM stock_filing WHERE outlet_id = NEW.outlet_id)
BEGIN
  INSERT INTO stock_filed_movements (stock_item_id, at, movement_id) VALUES (NEW.stock_item_id, NEW.at, NEW.id);
END;
CREATE TRIGGER stock_movement_unfiled AFTER DELETE ON stock_movements
  WHEN OLD.business_date <= (SELECT through FROM stock_filing WHERE outlet_id = OLD.outlet_id)
BEGIN
  DELETE FROM stock_filed_movements
    WHERE stock_item_id = OLD.stock_item_id AND at = OLD.at AND movement_id = OLD.id;
END;

DROP INDEX stock_movements_by_item;
-- Deliveries, counts and settlements are looked up by item while they are new, and are few.
CREATE INDEX stock_movements_by_item ON stock_movements (stock_item_id, at) WHERE kind <> 'SALE';
