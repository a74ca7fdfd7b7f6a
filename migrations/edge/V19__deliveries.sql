-- Deliveries: how far they may be off what was ordered, what was agreed with whom, what came without being ordered. Conventions as in V1.

ALTER TABLE outlets ADD COLUMN quantity_tolerance_bps INTEGER NOT NULL DEFAULT 1000;
ALTER TABLE outlets ADD COLUMN price_tolerance_bps INTEGER NOT NULL DEFAULT 1000;
-- JSON: what was agreed to be paid for which item, each once.
ALTER TABLE suppliers ADD COLUMN agreed_prices TEXT NOT NULL DEFAULT '[]';
-- It came, and somebody confirmed it, without being ordered: its quantity is what came first.
ALTER TABLE purchase_order_lines ADD COLUMN is_extra INTEGER NOT NULL DEFAULT 0 CHECK (is_extra IN (0, 1));
CREATE INDEX purchase_deliveries_by_supplier ON purchase_deliveries (supplier_id, business_date);
CREATE INDEX purchase_deliveries_by_date ON purchase_deliveries (outlet_id, business_date);
