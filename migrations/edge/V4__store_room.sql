-- The store room: stocktakes, transfers to other outlets, waste. Conventions as in V1.

-- ---------------------------------------------------------------------------------------------------------- inventory
CREATE TABLE stocktakes (
  id BLOB PRIMARY KEY NOT NULL,
  outlet_id BLOB NOT NULL,
  name TEXT NOT NULL,
  status TEXT NOT NULL DEFAULT 'OPEN' CHECK (status IN ('OPEN', 'CLOSED', 'CANCELLED')),
  category TEXT,                           -- the shelf it is of; null: the whole store, or a list of items
  blind INTEGER NOT NULL DEFAULT 0,        -- counters do not see what is expected
  uncounted TEXT CHECK (uncounted IN ('KEEP', 'ZERO')), -- what the close did with what nobody had counted
  business_date TEXT NOT NULL,
  opened_at INTEGER NOT NULL,
  opened_by BLOB,
  opened_by_name TEXT NOT NULL,
  ended_at INTEGER,                        -- closed or cancelled
  ended_by BLOB,
  ended_by_name TEXT,
  note TEXT,
  variance_micros INTEGER,                 -- cost of the corrections, in millionths of a cent; less than nothing: lost
  version INTEGER NOT NULL DEFAULT 1
) STRICT;
CREATE INDEX stocktakes_by_time ON stocktakes (outlet_id, opened_at);
CREATE INDEX stocktakes_open ON stocktakes (outlet_id) WHERE status = 'OPEN';
-- A line for each item in it, and one more for each batch that was counted apart. A line without counted_quantity has not been
-- counted (or its count was replaced by one of the whole item, or of a batch).
CREATE TABLE stocktake_lines (
  id BLOB PRIMARY KEY NOT NULL,
  outlet_id BLOB NOT NULL,
  stocktake_id BLOB NOT NULL REFERENCES stocktakes (id),
  stock_item_id BLOB NOT NULL REFERENCES stock_items (id),
  batch_id BLOB REFERENCES stock_batches (id), -- null: the item, without what has expired
  expected_quantity INTEGER,               -- at the moment of the count
  counted_quantity INTEGER,
  counted_at INTEGER,
  counted_by BLOB,
  counted_by_name TEXT,
  times_counted INTEGER NOT NULL DEFAULT 0,
  variance_quantity INTEGER,               -- set by the close, as are the movements' cost
  variance_micros INTEGER
) STRICT;
CREATE UNIQUE INDEX stocktake_lines_item ON stocktake_lines (stocktake_id, stock_item_id) WHERE batch_id IS NULL;
CREATE UNIQUE INDEX stocktake_lines_batch ON stocktake_lines (stocktake_id, stock_item_id, batch_id) WHERE batch_id IS NOT NULL;
-- What one outlet sent to another. Only the sender writes it: that it came is told by a receipt, which only the receiver writes.
CREATE TABLE stock_transfers (
  id BLOB PRIMARY KEY NOT NULL,
  outlet_id BLOB NOT NULL,                 -- the sender
  to_outlet_id BLOB NOT NULL,
  transfer_number TEXT NOT NULL,
  note TEXT,
  business_date TEXT NOT NULL,
  sent_at INTEGER NOT NULL,
  sent_by BLOB,
  sent_by_name TEXT NOT NULL,
  cancelled_at INTEGER,
  cancelled_by BLOB,
  cancelled_by_name TEXT,
  cancel_reason TEXT
) STRICT;
CREATE UNIQUE INDEX stock_transfers_number ON stock_transfers (outlet_id, transfer_number);
CREATE INDEX stock_transfers_out ON stock_transfers (outlet_id, sent_at);
CREATE INDEX stock_transfers_in ON stock_transfers (to_outlet_id, sent_at);
CREATE INDEX stock_transfers_by_date ON stock_transfers (outlet_id, business_date);
-- One line for each batch that was taken from, with all that the receiver must know of it.
CREATE TABLE stock_transfer_lines (
  id BLOB PRIMARY KEY NOT NULL,
  outlet_id BLOB NOT NULL,
  transfer_id BLOB NOT NULL REFERENCES stock_transfers (id),
  line_number INTEGER NOT NULL,
  stock_item_id BLOB NOT NULL REFERENCES stock_items (id),
  name TEXT NOT NULL,
  sku TEXT,
  unit TEXT NOT NULL,
  batch_id BLOB NOT NULL REFERENCES stock_batches (id),
  batch_number TEXT NOT NULL,
  expiry_date TEXT,
  unit_cost INTEGER NOT NULL,
  quantity INTEGER NOT NULL CHECK (quantity > 0),
  cost_micros INTEGER NOT NULL,
  movement_id BLOB NOT NULL REFERENCES stock_movements (id)
) STRICT;
CREATE UNIQUE INDEX stock_transfer_lines_by_transfer ON stock_transfer_lines (transfer_id, line_number);
-- No reference to the transfer: that is another outlet's row, and may reach a copy of the receiver's later.
CREATE TABLE stock_transfer_receipts (
  id BLOB PRIMARY KEY NOT NULL,
  outlet_id BLOB NOT NULL,                 -- the receiver
  transfer_id BLOB NOT NULL,
  from_outlet_id BLOB NOT NULL,
  note TEXT,
  business_date TEXT NOT NULL,
  at INTEGER NOT NULL,
  by_id BLOB,
  by_name TEXT NOT NULL
) STRICT;
CREATE UNIQUE INDEX stock_transfer_receipts_transfer ON stock_transfer_receipts (transfer_id);
CREATE TABLE stock_transfer_receipt_lines (
  id BLOB PRIMARY KEY NOT NULL,
  outlet_id BLOB NOT NULL,
  receipt_id BLOB NOT NULL REFERENCES stock_transfer_receipts (id),
  transfer_line_id BLOB NOT NULL,
  stock_item_id BLOB REFERENCES stock_items (id), -- null: nothing of it came
  batch_id BLOB REFERENCES stock_batches (id),
  quantity_received INTEGER NOT NULL CHECK (quantity_received >= 0) -- in the sender's unit
) STRICT;
CREATE UNIQUE INDEX stock_transfer_receipt_lines_line ON stock_transfer_receipt_lines (receipt_id, transfer_line_id);
-- What was thrown away. Its movements (kind WASTE) name it as their cause. An entry that was wrong stays, marked as reversed.
CREATE TABLE waste_logs (
  id BLOB PRIMARY KEY NOT NULL,
  outlet_id BLOB NOT NULL,
  stock_item_id BLOB REFERENCES stock_items (id),
  menu_item_id BLOB REFERENCES menu_items (id),
  name TEXT NOT NULL,                      -- of the item or dish, as it was called
  quantity INTEGER NOT NULL,               -- of a dish: portions
  unit TEXT NOT NULL,
  batch_number TEXT,
  reason TEXT NOT NULL,
  note TEXT,
  station_id BLOB,
  order_id BLOB,                           -- taken off a bill after it was made
  order_item_id BLOB,
  cost_micros INTEGER NOT NULL,            -- the movements', in millionths of a cent, more than nothing
  business_date TEXT NOT NULL,
  at INTEGER NOT NULL,
  by_id BLOB,
  by_name TEXT NOT NULL,
  reversed_at INTEGER,
  reversed_by BLOB,
  reversed_by_name TEXT,
  reversal_reason TEXT,
  CHECK ((stock_item_id IS NULL) <> (menu_item_id IS NULL))
) STRICT;
CREATE INDEX waste_logs_by_time ON waste_logs (outlet_id, business_date, at);
