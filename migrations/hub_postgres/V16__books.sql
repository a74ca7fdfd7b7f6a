-- As the branch's V16: books that agree.

-- The views name the columns of before; they are made anew afterwards.
DROP SCHEMA IF EXISTS branch CASCADE;
ALTER TABLE merged.orders ADD COLUMN revenue_date text COLLATE "C",
  ADD COLUMN credited_cents bigint NOT NULL DEFAULT 0, ADD COLUMN written_off_cents bigint NOT NULL DEFAULT 0;
ALTER TABLE merged.order_items ADD COLUMN subtotal_cents bigint NOT NULL DEFAULT 0;
ALTER TABLE merged.order_discounts ADD COLUMN net_cents bigint NOT NULL DEFAULT 0;
ALTER TABLE merged.invoices ADD COLUMN service_charge_cents bigint NOT NULL DEFAULT 0, ADD COLUMN rounding_cents bigint NOT NULL DEFAULT 0;
ALTER TABLE merged.refund_items ADD COLUMN subtotal_cents bigint NOT NULL DEFAULT 0,
  ADD COLUMN discount_cents bigint NOT NULL DEFAULT 0, ADD COLUMN wasted bigint NOT NULL DEFAULT 0;
ALTER TABLE merged.day_closes ADD COLUMN early bigint NOT NULL DEFAULT 0;
CREATE INDEX ON merged.day_closes (outlet_id, business_date) WHERE early = 1;
ALTER TABLE merged.cash_movements ADD COLUMN is_tips bigint NOT NULL DEFAULT 0;
CREATE INDEX ON merged.cash_movements (outlet_id, business_date);
CREATE TABLE merged.payment_corrections (
  id bytea NOT NULL,
  outlet_id bytea NOT NULL,
  order_id bytea NOT NULL,
  payment_id bytea NOT NULL,
  kind text COLLATE "C" NOT NULL,
  old_method text COLLATE "C" NOT NULL,
  new_method text COLLATE "C" NOT NULL,
  old_amount_cents bigint NOT NULL,
  new_amount_cents bigint NOT NULL,
  old_tip_cents bigint NOT NULL,
  new_tip_cents bigint NOT NULL,
  old_reference text COLLATE "C",
  new_reference text COLLATE "C",
  cash_session_id bytea,
  reason text COLLATE "C" NOT NULL,
  business_date text COLLATE "C" NOT NULL,
  at bigint NOT NULL,
  by_id bytea,
  by_name text COLLATE "C" NOT NULL,
  approver_id bytea,
  clock_suspect bigint NOT NULL DEFAULT 0,
  PRIMARY KEY (outlet_id, id)
);
CREATE INDEX ON merged.payment_corrections (outlet_id, order_id);
CREATE INDEX ON merged.payment_corrections (outlet_id, business_date);
CREATE INDEX ON merged.payment_corrections (outlet_id, cash_session_id) WHERE cash_session_id IS NOT NULL;
CREATE TABLE merged.write_offs (
  id bytea NOT NULL,
  outlet_id bytea NOT NULL,
  order_id bytea NOT NULL,
  amount_cents bigint NOT NULL,
  reason text COLLATE "C" NOT NULL,
  business_date text COLLATE "C" NOT NULL,
  at bigint NOT NULL,
  by_id bytea,
  by_name text COLLATE "C" NOT NULL,
  approver_id bytea,
  clock_suspect bigint NOT NULL DEFAULT 0,
  PRIMARY KEY (outlet_id, id)
);
CREATE INDEX ON merged.write_offs (outlet_id, order_id);
CREATE INDEX ON merged.write_offs (outlet_id, business_date);

UPDATE merged.orders o SET revenue_date = i.business_date FROM merged.invoices i
  WHERE i.outlet_id = o.outlet_id AND i.id = o.invoice_id;
UPDATE merged.order_items l SET subtotal_cents = l.gross_cents - CASE WHEN o.prices_include_tax = 1 THEN l.tax_cents ELSE 0 END
  FROM merged.orders o WHERE o.outlet_id = l.outlet_id AND o.id = l.order_id;
UPDATE merged.order_discounts SET net_cents = amount_cents;

ALTER TABLE merged.outlets ADD COLUMN country text COLLATE "C" NOT NULL DEFAULT 'ZZ';
UPDATE merged.outlets SET country = CASE currency WHEN 'INR' THEN 'IN' WHEN 'GBP' THEN 'GB' WHEN 'AED' THEN 'AE' WHEN 'SGD' THEN 'SG' WHEN 'USD' THEN 'US'
  WHEN 'JPY' THEN 'JP' ELSE 'ZZ' END;
UPDATE merged.outlets SET tax_scheme = 'REGULAR' WHERE tax_scheme NOT IN ('REGULAR', 'COMPOSITION', 'UNREGISTERED', 'NONE');

DELETE FROM merged.analytics_days;
DELETE FROM merged.analytics_refunds;
ALTER TABLE merged.analytics_refunds ADD COLUMN service bigint NOT NULL, ADD COLUMN rounding bigint NOT NULL;
-- Spread as the others are while they are empty.
DO $$
DECLARE parts int;
BEGIN
  SELECT count(*) INTO parts FROM pg_inherits WHERE inhparent = 'merged.rooms'::regclass;
  IF parts > 0 THEN
    PERFORM hub.spread_one('merged.payment_corrections', parts);
    PERFORM hub.spread_one('merged.write_offs', parts);
  END IF;
END $$;
