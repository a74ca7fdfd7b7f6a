-- ---------------------------------------------------------------------------------------------------------- printers
-- Where billCode puts no code of the bill: whether the code of its page for the guest's phone stands there.
ALTER TABLE print_layouts ADD COLUMN guest_code INTEGER NOT NULL DEFAULT 1;

-- ------------------------------------------------------------------------------------------------------------ orders
-- A guest's phone asks for a bill by the code that is printed on it.
CREATE INDEX orders_by_receipt_code ON orders (receipt_code) WHERE receipt_code IS NOT NULL;
