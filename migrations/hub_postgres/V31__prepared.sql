-- As the branch's V35: what a portion takes of what is made ahead, beside the ingredients. The column of stock_items follows the branch's.
ALTER TABLE merged.portion_needs ADD COLUMN is_made bigint NOT NULL DEFAULT 0;
ALTER TABLE merged.portion_needs ALTER COLUMN is_made DROP DEFAULT;
-- Where the table is spread its key has another name.
DO $$
DECLARE former text;
BEGIN
  SELECT conname INTO former FROM pg_constraint WHERE conrelid = 'merged.portion_needs'::regclass AND contype = 'p';
  EXECUTE format('ALTER TABLE merged.portion_needs DROP CONSTRAINT %I', former);
END $$;
ALTER TABLE merged.portion_needs ADD PRIMARY KEY (outlet_id, target_id, stock_item_id, is_made);

-- As the branch's V35: what went back to suppliers, and what they want to be paid.
CREATE TABLE merged.purchase_returns (
  id bytea NOT NULL,
  outlet_id bytea NOT NULL,
  purchase_order_id bytea NOT NULL,
  supplier_id bytea NOT NULL,
  number text COLLATE "C" NOT NULL,
  note text COLLATE "C",
  total_cents bigint NOT NULL,
  tax_cents bigint NOT NULL,
  business_date text COLLATE "C" NOT NULL,
  at bigint NOT NULL,
  by_id bytea,
  by_name text COLLATE "C" NOT NULL,
  PRIMARY KEY (outlet_id, id)
);
CREATE TABLE merged.purchase_return_lines (
  id bytea NOT NULL,
  outlet_id bytea NOT NULL,
  return_id bytea NOT NULL,
  purchase_order_line_id bytea NOT NULL,
  line_number bigint NOT NULL,
  batch_id bytea NOT NULL,
  batch_number text COLLATE "C" NOT NULL,
  quantity bigint NOT NULL,
  unit text COLLATE "C" NOT NULL,
  unit_cost bigint NOT NULL,
  total_cents bigint NOT NULL,
  stock_quantity bigint NOT NULL,
  reason text COLLATE "C" NOT NULL,
  PRIMARY KEY (outlet_id, id)
);
CREATE TABLE merged.purchase_invoices (
  id bytea NOT NULL,
  outlet_id bytea NOT NULL,
  purchase_order_id bytea NOT NULL,
  supplier_id bytea NOT NULL,
  invoice_ref text COLLATE "C" NOT NULL,
  total_cents bigint NOT NULL,
  tax_cents bigint NOT NULL,
  business_date text COLLATE "C" NOT NULL,
  at bigint NOT NULL,
  by_id bytea,
  by_name text COLLATE "C" NOT NULL,
  accepted_difference_cents bigint,
  accepted_at bigint,
  accepted_by bytea,
  accepted_by_name text COLLATE "C",
  accepted_reason text COLLATE "C",
  PRIMARY KEY (outlet_id, id)
);
CREATE INDEX ON merged.purchase_returns (outlet_id, purchase_order_id);
CREATE INDEX ON merged.purchase_returns (outlet_id, supplier_id, business_date);
CREATE INDEX ON merged.purchase_return_lines (outlet_id, return_id, line_number);
CREATE INDEX ON merged.purchase_invoices (outlet_id, purchase_order_id);
CREATE INDEX ON merged.purchase_invoices (outlet_id, business_date);
-- Spread as the others are while they are empty.
DO $$
DECLARE parts int;
BEGIN
  SELECT count(*) INTO parts FROM pg_inherits WHERE inhparent = 'merged.rooms'::regclass;
  IF parts > 0 THEN
    PERFORM hub.spread_one('merged.purchase_returns', parts);
    PERFORM hub.spread_one('merged.purchase_return_lines', parts);
    PERFORM hub.spread_one('merged.purchase_invoices', parts);
  END IF;
END $$;
