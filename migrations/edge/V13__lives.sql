-- Two lives of a box may have given out one number without knowing of each other: both rows stay. The life of a row is in its id: the
-- last five bytes of a UUIDv7 made here are its process start's own. Within one life a number is given out once. Conventions as in V1.

-- -------------------------------------------------------------------------------------------------------- orders
DROP INDEX orders_number;
CREATE UNIQUE INDEX orders_number ON orders (outlet_id, business_date, token_number, order_number, substr(id, 12));
DROP INDEX invoices_series;
CREATE UNIQUE INDEX invoices_series ON invoices (outlet_id, kind, fiscal_year, serial, number, substr(id, 12));
DROP INDEX invoices_number;
CREATE UNIQUE INDEX invoices_number ON invoices (outlet_id, number, substr(id, 12));
-- ------------------------------------------------------------------------------------------------------- kitchen
DROP INDEX kitchen_tickets_number;
CREATE UNIQUE INDEX kitchen_tickets_number ON kitchen_tickets (station_id, business_date, ticket_number, substr(id, 12));
-- -------------------------------------------------------------------------------------------------------- tables
-- Each life may have a party at a table, and a drawer that it opened: their orders and payments hang on them.
DROP INDEX table_sessions_open;
CREATE UNIQUE INDEX table_sessions_open ON table_sessions (table_id, substr(id, 12)) WHERE closed_at IS NULL;
-- ---------------------------------------------------------------------------------------------------------- cash
DROP INDEX cash_sessions_open;
CREATE UNIQUE INDEX cash_sessions_open ON cash_sessions (outlet_id, drawer, substr(id, 12)) WHERE status = 'OPEN';
DROP INDEX day_closes_date;
CREATE UNIQUE INDEX day_closes_date ON day_closes (outlet_id, business_date, substr(id, 12));
DROP INDEX day_closes_number;
CREATE UNIQUE INDEX day_closes_number ON day_closes (outlet_id, z_number, substr(id, 12));
-- ----------------------------------------------------------------------------------------------------- purchasing
DROP INDEX purchase_orders_number;
CREATE UNIQUE INDEX purchase_orders_number ON purchase_orders (outlet_id, po_number, substr(id, 12));
DROP INDEX stock_transfers_number;
CREATE UNIQUE INDEX stock_transfers_number ON stock_transfers (outlet_id, transfer_number, substr(id, 12));
-- ---------------------------------------------------------------------------------------------------------- sync
-- The end of the lost log for which numbers began a new life; sixteen zeros where they did before that end was known.
ALTER TABLE sync_peer ADD COLUMN life_of BLOB;
-- What head office must have heard before its list of all shared rows counts here: the newest row that its feed brought is found
-- without reading the log.
CREATE INDEX sync_log_pulled ON sync_log (seq) WHERE kind = 7;
-- Since when head office lacks rows of the log that are no longer kept here; and the filling again that was taken up last.
ALTER TABLE sync_peer ADD COLUMN lacking_since INTEGER;
ALTER TABLE sync_peer ADD COLUMN reseed BLOB;
-- LOCAL. Buckets that are still to be sent whole.
CREATE TABLE sync_reseed (
  id INTEGER PRIMARY KEY,
  table_no INTEGER NOT NULL,
  day TEXT                                 -- of frame::Bucket; null for the whole table
) STRICT;
