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
-- A transfer's receipt has the transfer's id: that it comes once needs no second index, which another life's rows could break.
DROP INDEX stock_transfer_receipts_transfer;
CREATE INDEX stock_transfer_receipts_transfer ON stock_transfer_receipts (transfer_id);

-- ------------------------------------------------------------------------------------------------ purchase_orders
-- Two lives of a box may have taken in the same invoice: both rows stay, and are listed. That one comes once is asked by who takes it in.
DROP INDEX purchase_deliveries_invoice;
CREATE INDEX purchase_deliveries_invoice ON purchase_deliveries (supplier_id, invoice_ref COLLATE NOCASE) WHERE invoice_ref IS NOT NULL;
-- What went back to a supplier: a debit note. Its lines' movements (kind RECEIPT, below nothing) name it as their cause.
CREATE TABLE purchase_returns (
  id BLOB PRIMARY KEY NOT NULL,
  outlet_id BLOB NOT NULL,
  purchase_order_id BLOB NOT NULL,
  supplier_id BLOB NOT NULL,
  number TEXT NOT NULL,
  note TEXT,
  total_cents INTEGER NOT NULL,            -- the sum of its lines, without tax
  tax_cents INTEGER NOT NULL,              -- what the supplier's invoices charged on that
  business_date TEXT NOT NULL,
  at INTEGER NOT NULL,
  by_id BLOB,
  by_name TEXT NOT NULL
) STRICT;
CREATE INDEX purchase_returns_by_order ON purchase_returns (purchase_order_id);
CREATE INDEX purchase_returns_by_supplier ON purchase_returns (supplier_id, business_date);
CREATE TABLE purchase_return_lines (
  id BLOB PRIMARY KEY NOT NULL,
  outlet_id BLOB NOT NULL,
  return_id BLOB NOT NULL,
  purchase_order_line_id BLOB NOT NULL,
  line_number INTEGER NOT NULL,
  batch_id BLOB NOT NULL,
  batch_number TEXT NOT NULL,
  quantity INTEGER NOT NULL,               -- of the unit it goes back in
  unit TEXT NOT NULL,
  unit_cost INTEGER NOT NULL,              -- what the supplier owes for one such unit
  total_cents INTEGER NOT NULL,
  stock_quantity INTEGER NOT NULL,         -- the same in the item's unit
  reason TEXT NOT NULL
) STRICT;
CREATE INDEX purchase_return_lines_by_return ON purchase_return_lines (return_id, line_number);
-- What a supplier wants to be paid. Whether it is what came is worked out when it is read; who accepted a difference stands here.
CREATE TABLE purchase_invoices (
  id BLOB PRIMARY KEY NOT NULL,
  outlet_id BLOB NOT NULL,
  purchase_order_id BLOB NOT NULL,
  supplier_id BLOB NOT NULL,
  invoice_ref TEXT NOT NULL,
  total_cents INTEGER NOT NULL,            -- with tax
  tax_cents INTEGER NOT NULL,
  business_date TEXT NOT NULL,
  at INTEGER NOT NULL,
  by_id BLOB,
  by_name TEXT NOT NULL,
  accepted_difference_cents INTEGER,       -- another difference than this one is not accepted
  accepted_at INTEGER,
  accepted_by BLOB,
  accepted_by_name TEXT,
  accepted_reason TEXT
) STRICT;
CREATE INDEX purchase_invoices_by_order ON purchase_invoices (purchase_order_id);
CREATE INDEX purchase_invoices_by_ref ON purchase_invoices (supplier_id, invoice_ref COLLATE NOCASE);
CREATE INDEX purchase_invoices_by_date ON purchase_invoices (outlet_id, business_date);
