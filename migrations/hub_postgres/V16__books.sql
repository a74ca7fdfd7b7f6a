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
ALTER TABLE merged.outlets ADD COLUMN service_charge_order_types text COLLATE "C" NOT NULL DEFAULT '["DINE_IN"]',
  ADD COLUMN service_charge_automatic bigint NOT NULL DEFAULT 0, ADD COLUMN service_charge_taxed bigint NOT NULL DEFAULT 1;
UPDATE merged.outlets SET service_charge_automatic = CASE country WHEN 'IN' THEN 0 ELSE 1 END;
ALTER TABLE merged.tax_categories ADD COLUMN is_goods bigint NOT NULL DEFAULT 0;
UPDATE merged.tax_categories t SET is_goods = 1 FROM merged.outlets o
  WHERE t.components LIKE '%"name":"VAT%' AND o.outlet_id = t.outlet_id AND o.id = t.outlet_id AND o.currency = 'INR';
ALTER TABLE merged.order_items ADD COLUMN is_goods bigint NOT NULL DEFAULT 0;
ALTER TABLE merged.orders ADD COLUMN service_charge_taxed bigint NOT NULL DEFAULT 1,
  ADD COLUMN service_charge_taxes text COLLATE "C" NOT NULL DEFAULT '[]';
ALTER TABLE merged.invoices ADD COLUMN customer_tax_id text COLLATE "C", ADD COLUMN customer_legal_name text COLLATE "C",
  ADD COLUMN customer_address text COLLATE "C";

CREATE TABLE merged.channels (
  id bytea NOT NULL,
  outlet_id bytea NOT NULL,
  name text COLLATE "C" NOT NULL,
  kind text COLLATE "C" NOT NULL CHECK (kind IN ('AGGREGATOR', 'DELIVERY', 'WEBSITE', 'OTHER')),
  taxed_by text COLLATE "C" NOT NULL CHECK (taxed_by IN ('RESTAURANT', 'OPERATOR')),
  operator_tax_id text COLLATE "C",
  commission_bps bigint NOT NULL DEFAULT 0,
  version bigint NOT NULL DEFAULT 1,
  created_at bigint NOT NULL,
  updated_at bigint NOT NULL,
  archived_at bigint,
  PRIMARY KEY (outlet_id, id)
);
ALTER TABLE merged.accounts ADD COLUMN channel_ids text COLLATE "C" NOT NULL DEFAULT '[]';
ALTER TABLE merged.orders ADD COLUMN channel_id bytea, ADD COLUMN external_id text COLLATE "C",
  ADD COLUMN is_operator_taxed bigint NOT NULL DEFAULT 0, ADD COLUMN commission_bps bigint NOT NULL DEFAULT 0,
  ADD COLUMN commission_cents bigint NOT NULL DEFAULT 0, ADD COLUMN slip_id bytea, ADD COLUMN slip_number text COLLATE "C";
CREATE INDEX ON merged.orders (outlet_id, revenue_date) WHERE channel_id IS NOT NULL;
CREATE INDEX ON merged.orders (outlet_id, channel_id, external_id) WHERE external_id IS NOT NULL;
ALTER TABLE merged.payments ADD COLUMN channel_id bytea;
CREATE TABLE merged.order_slips (
  id bytea NOT NULL,
  outlet_id bytea NOT NULL,
  kind text COLLATE "C" NOT NULL CHECK (kind IN ('SLIP', 'RETURN')),
  fiscal_year text COLLATE "C" NOT NULL,
  serial bigint NOT NULL,
  number text COLLATE "C" NOT NULL,
  order_id bytea NOT NULL,
  channel_id bytea NOT NULL,
  refers_to_id bytea,
  total_cents bigint NOT NULL,
  business_date text COLLATE "C" NOT NULL,
  at bigint NOT NULL,
  by_id bytea,
  by_name text COLLATE "C" NOT NULL,
  reason text COLLATE "C",
  clock_suspect bigint NOT NULL DEFAULT 0,
  PRIMARY KEY (outlet_id, id)
);
CREATE INDEX ON merged.order_slips (outlet_id, order_id);
CREATE INDEX ON merged.order_slips (outlet_id, business_date);

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
    PERFORM hub.spread_one('merged.channels', parts);
    PERFORM hub.spread_one('merged.order_slips', parts);
  END IF;
END $$;
