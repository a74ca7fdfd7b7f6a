-- Two lives of a box may have given out one number, and their ids may end alike: a machine that is put back together with its memory goes on
-- as the process start it was. Both rows stay, so no index refuses one; within a life each number is drawn from its counter, and whether a
-- table, a drawer or a day is taken is asked before, by the one writer. The columns stay what they were: what reads them goes the same ways.
-- Conventions as in V1.

-- -------------------------------------------------------------------------------------------------------- orders
DROP INDEX orders_number;
CREATE INDEX orders_number ON orders (outlet_id, business_date, token_number, order_number, substr(id, 12));
DROP INDEX invoices_series;
CREATE INDEX invoices_series ON invoices (outlet_id, kind, fiscal_year, serial, number, substr(id, 12));
DROP INDEX invoices_number;
CREATE INDEX invoices_number ON invoices (outlet_id, number, substr(id, 12));
-- ----------------------------------------------------------------------------------------------------- inventory
-- What was delivered in a lost life hangs on its batch.
DROP INDEX stock_batches_number;
CREATE INDEX stock_batches_number ON stock_batches (stock_item_id, batch_number);
-- ------------------------------------------------------------------------------------------------------- kitchen
DROP INDEX kitchen_tickets_number;
CREATE INDEX kitchen_tickets_number ON kitchen_tickets (station_id, business_date, ticket_number, substr(id, 12));
-- -------------------------------------------------------------------------------------------------------- tables
DROP INDEX table_sessions_open;
CREATE INDEX table_sessions_open ON table_sessions (table_id, substr(id, 12)) WHERE closed_at IS NULL;
-- ---------------------------------------------------------------------------------------------------------- cash
DROP INDEX cash_sessions_open;
CREATE INDEX cash_sessions_open ON cash_sessions (outlet_id, drawer, substr(id, 12)) WHERE status = 'OPEN';
DROP INDEX day_closes_date;
CREATE INDEX day_closes_date ON day_closes (outlet_id, business_date, substr(id, 12));
DROP INDEX day_closes_number;
CREATE INDEX day_closes_number ON day_closes (outlet_id, z_number, substr(id, 12));
-- ----------------------------------------------------------------------------------------------------- purchasing
DROP INDEX purchase_orders_number;
CREATE INDEX purchase_orders_number ON purchase_orders (outlet_id, po_number, substr(id, 12));
DROP INDEX stock_transfers_number;
CREATE INDEX stock_transfers_number ON stock_transfers (outlet_id, transfer_number, substr(id, 12));
-- --------------------------------------------------------------------------------------------------- idempotency
-- What was done under a key, for the box that comes after this one, or for this one put back: the answers themselves stay here. Kept 7 days.
CREATE TABLE answered_requests (
  id BLOB PRIMARY KEY NOT NULL,
  outlet_id BLOB NOT NULL,
  request BLOB NOT NULL,                   -- key, method, path and body, by a hash with the pepper
  status INTEGER NOT NULL,
  made BLOB                                -- the first id in the answer
) STRICT;
CREATE INDEX answered_requests_by_request ON answered_requests (request);
