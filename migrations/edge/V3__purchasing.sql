-- Purchasing: what is ordered from suppliers and what came of it. Conventions as in V1.

-- ---------------------------------------------------------------------------------------------------------- purchase_orders
-- Dates ending in _on are business dates. Names are as they were when the order was written.
CREATE TABLE purchase_orders (
  id BLOB PRIMARY KEY NOT NULL,
  outlet_id BLOB NOT NULL,
  po_number TEXT NOT NULL,
  mode TEXT NOT NULL CHECK (mode IN ('MANUAL', 'AUTO')),
  status TEXT NOT NULL DEFAULT 'DRAFT' CHECK (status IN ('DRAFT', 'SENT', 'PARTIALLY_RECEIVED', 'RECEIVED', 'CLOSED')),
  supplier_id BLOB NOT NULL REFERENCES suppliers (id),
  supplier_name TEXT NOT NULL,
  expected_delivery_date TEXT NOT NULL,
  notes TEXT,
  total_cents INTEGER NOT NULL,            -- the sum of its lines
  business_date TEXT NOT NULL,
  created_by BLOB,
  created_by_name TEXT NOT NULL,
  sent_at INTEGER,
  sent_on TEXT,
  received_at INTEGER,                     -- when all of it had come
  received_on TEXT,
  closed_at INTEGER,
  close_reason TEXT,
  overdue_told_at INTEGER,                 -- when the staff were told that it is late
  version INTEGER NOT NULL DEFAULT 1,
  created_at INTEGER NOT NULL,
  updated_at INTEGER NOT NULL
) STRICT;
CREATE UNIQUE INDEX purchase_orders_number ON purchase_orders (outlet_id, po_number);
CREATE INDEX purchase_orders_by_date ON purchase_orders (outlet_id, business_date);
CREATE INDEX purchase_orders_by_supplier ON purchase_orders (supplier_id, sent_on);
CREATE INDEX purchase_orders_open ON purchase_orders (outlet_id, expected_delivery_date)
  WHERE status IN ('DRAFT', 'SENT', 'PARTIALLY_RECEIVED');
CREATE TABLE purchase_order_lines (
  id BLOB PRIMARY KEY NOT NULL,
  outlet_id BLOB NOT NULL,
  purchase_order_id BLOB NOT NULL REFERENCES purchase_orders (id),
  line_number INTEGER NOT NULL,
  stock_item_id BLOB NOT NULL REFERENCES stock_items (id),
  name TEXT NOT NULL,
  quantity INTEGER NOT NULL,               -- of the unit it is ordered in
  unit TEXT NOT NULL,
  unit_cost INTEGER NOT NULL,              -- of one such unit
  total_cents INTEGER NOT NULL,
  stock_quantity INTEGER NOT NULL CHECK (stock_quantity > 0), -- the same in the item's unit
  stock_unit TEXT NOT NULL,
  received_stock_quantity INTEGER NOT NULL DEFAULT 0          -- in the item's unit: the sum of the deliveries' lines
) STRICT;
CREATE UNIQUE INDEX purchase_order_lines_item ON purchase_order_lines (purchase_order_id, stock_item_id);
CREATE TABLE purchase_deliveries (
  id BLOB PRIMARY KEY NOT NULL,
  outlet_id BLOB NOT NULL,
  purchase_order_id BLOB NOT NULL REFERENCES purchase_orders (id),
  supplier_id BLOB NOT NULL REFERENCES suppliers (id),
  invoice_ref TEXT,                        -- the number of the supplier's invoice or delivery note
  note TEXT,
  total_cents INTEGER NOT NULL,
  business_date TEXT NOT NULL,
  at INTEGER NOT NULL,
  by_id BLOB,
  by_name TEXT NOT NULL
) STRICT;
CREATE UNIQUE INDEX purchase_deliveries_invoice ON purchase_deliveries (supplier_id, invoice_ref COLLATE NOCASE)
  WHERE invoice_ref IS NOT NULL;
CREATE INDEX purchase_deliveries_by_order ON purchase_deliveries (purchase_order_id);
CREATE TABLE purchase_delivery_lines (
  id BLOB PRIMARY KEY NOT NULL,
  outlet_id BLOB NOT NULL,
  delivery_id BLOB NOT NULL REFERENCES purchase_deliveries (id),
  purchase_order_line_id BLOB NOT NULL REFERENCES purchase_order_lines (id),
  line_number INTEGER NOT NULL,
  batch_id BLOB NOT NULL REFERENCES stock_batches (id),
  batch_number TEXT NOT NULL,
  expiry_date TEXT,
  quantity INTEGER NOT NULL,               -- of the unit it was delivered in
  unit TEXT NOT NULL,
  unit_cost INTEGER NOT NULL,              -- of one such unit
  total_cents INTEGER NOT NULL,
  stock_quantity INTEGER NOT NULL          -- the same in the item's unit: what the ledger received
) STRICT;
CREATE INDEX purchase_delivery_lines_by_delivery ON purchase_delivery_lines (delivery_id, line_number);
CREATE INDEX purchase_delivery_lines_by_batch ON purchase_delivery_lines (batch_id);
