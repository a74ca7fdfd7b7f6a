-- Head office takes the rows of many orders at a time, whose entries fall on the same pages: it keeps the index by item that a branch
-- gave up (migrations/edge/V14__second_edition.sql), and files nothing.
DROP TRIGGER stock_movement_filed;
DROP TRIGGER stock_movement_unfiled;
DELETE FROM stock_filed_movements;
DELETE FROM stock_filing;
CREATE INDEX hub_movements_by_item ON stock_movements (stock_item_id, at);
