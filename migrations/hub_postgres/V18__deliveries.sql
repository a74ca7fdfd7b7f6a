-- As the branch's V19.
ALTER TABLE merged.outlets ADD COLUMN quantity_tolerance_bps bigint NOT NULL DEFAULT 1000;
ALTER TABLE merged.outlets ADD COLUMN price_tolerance_bps bigint NOT NULL DEFAULT 1000;
ALTER TABLE merged.suppliers ADD COLUMN agreed_prices text COLLATE "C" NOT NULL DEFAULT '[]';
ALTER TABLE merged.purchase_order_lines ADD COLUMN is_extra bigint NOT NULL DEFAULT 0 CHECK (is_extra IN (0, 1));
CREATE INDEX ON merged.purchase_deliveries (outlet_id, supplier_id, business_date);
CREATE INDEX ON merged.purchase_deliveries (outlet_id, business_date);
