-- Books that agree: documents rule what a date came to, and what is put right later is an entry of its own date. Conventions as in V1.

-- -------------------------------------------------------------------------------------------------------------- orders
-- The business date of its bill; null while it has none.
ALTER TABLE orders ADD COLUMN revenue_date TEXT;
-- What credit notes took off its bill without money going back, and what a guest will never pay: neither is due any more.
ALTER TABLE orders ADD COLUMN credited_cents INTEGER NOT NULL DEFAULT 0;
ALTER TABLE orders ADD COLUMN written_off_cents INTEGER NOT NULL DEFAULT 0;
-- (unit + modifiers) * quantity without the tax that menu prices contain: discounts and service charge leave it as it is.
ALTER TABLE order_items ADD COLUMN subtotal_cents INTEGER NOT NULL DEFAULT 0;
-- The discount without tax.
ALTER TABLE order_discounts ADD COLUMN net_cents INTEGER NOT NULL DEFAULT 0;
-- Of a credit note: its part of the service charge and of the rounding.
ALTER TABLE invoices ADD COLUMN service_charge_cents INTEGER NOT NULL DEFAULT 0;
ALTER TABLE invoices ADD COLUMN rounding_cents INTEGER NOT NULL DEFAULT 0;
-- Of what came back: its list price and its discounts, without tax; and whether it was thrown away.
ALTER TABLE refund_items ADD COLUMN subtotal_cents INTEGER NOT NULL DEFAULT 0;
ALTER TABLE refund_items ADD COLUMN discount_cents INTEGER NOT NULL DEFAULT 0;
ALTER TABLE refund_items ADD COLUMN wasted INTEGER NOT NULL DEFAULT 0;

-- What was put right about a payment, or that it did not hold. The payment's own row never changes.
CREATE TABLE payment_corrections (
  id BLOB PRIMARY KEY NOT NULL,
  outlet_id BLOB NOT NULL,
  order_id BLOB NOT NULL,
  payment_id BLOB NOT NULL,
  kind TEXT NOT NULL,                      -- CORRECT, REVERSE
  old_method TEXT NOT NULL,
  new_method TEXT NOT NULL,
  old_amount_cents INTEGER NOT NULL,
  new_amount_cents INTEGER NOT NULL,
  old_tip_cents INTEGER NOT NULL,
  new_tip_cents INTEGER NOT NULL,
  old_reference TEXT,
  new_reference TEXT,
  cash_session_id BLOB,                    -- the drawer whose cash is another by it
  reason TEXT NOT NULL,
  business_date TEXT NOT NULL,
  at INTEGER NOT NULL,
  by_id BLOB,
  by_name TEXT NOT NULL,
  approver_id BLOB,
  clock_suspect INTEGER NOT NULL DEFAULT 0
) STRICT;
CREATE INDEX payment_corrections_by_order ON payment_corrections (order_id);
CREATE INDEX payment_corrections_by_date ON payment_corrections (outlet_id, business_date);
CREATE INDEX payment_corrections_by_cash_session ON payment_corrections (cash_session_id) WHERE cash_session_id IS NOT NULL;
-- What a guest will never pay of a bill: bad debt. Its tax stays owed.
CREATE TABLE write_offs (
  id BLOB PRIMARY KEY NOT NULL,
  outlet_id BLOB NOT NULL,
  order_id BLOB NOT NULL,
  amount_cents INTEGER NOT NULL,
  reason TEXT NOT NULL,
  business_date TEXT NOT NULL,
  at INTEGER NOT NULL,
  by_id BLOB,
  by_name TEXT NOT NULL,
  approver_id BLOB,
  clock_suspect INTEGER NOT NULL DEFAULT 0
) STRICT;
CREATE INDEX write_offs_by_order ON write_offs (order_id);
CREATE INDEX write_offs_by_date ON write_offs (outlet_id, business_date);

-- Not captured: head office's copies do the same.
UPDATE orders SET revenue_date = (SELECT i.business_date FROM invoices i WHERE i.id = orders.invoice_id) WHERE invoice_id IS NOT NULL;
UPDATE order_items SET subtotal_cents = gross_cents - CASE
  WHEN (SELECT o.prices_include_tax FROM orders o WHERE o.id = order_items.order_id) = 1 THEN tax_cents ELSE 0 END;
UPDATE order_discounts SET net_cents = amount_cents;

-- ---------------------------------------------------------------------------------------------------------------- cash
-- A pay-out of tips to those they are for.
ALTER TABLE cash_movements ADD COLUMN is_tips INTEGER NOT NULL DEFAULT 0;
CREATE INDEX cash_movements_by_date ON cash_movements (outlet_id, business_date);

-- Closed before the date ended: the next one began at once.
ALTER TABLE day_closes ADD COLUMN early INTEGER NOT NULL DEFAULT 0;
CREATE INDEX day_closes_early ON day_closes (outlet_id, business_date) WHERE early = 1;

-- ---------------------------------------------------------------------------------------------------------- analytics
DELETE FROM analytics_days;
DROP TABLE analytics_refunds;
-- LOCAL. What credit notes took back, on the day they were made; all of it without tax.
CREATE TABLE analytics_refunds (
  outlet_id BLOB NOT NULL,
  business_date TEXT NOT NULL,
  refunds INTEGER NOT NULL,
  amount INTEGER NOT NULL,                 -- of the dishes
  service INTEGER NOT NULL,
  tax INTEGER NOT NULL,
  rounding INTEGER NOT NULL,
  PRIMARY KEY (outlet_id, business_date)
) STRICT, WITHOUT ROWID;
-- A date's figures are its bills': an order without one is on no date that has ended.
DROP TRIGGER IF EXISTS analytics_order_taken;
DROP TRIGGER IF EXISTS analytics_order_changed;
CREATE TRIGGER analytics_payment_corrected AFTER INSERT ON payment_corrections
  WHEN EXISTS (SELECT 1 FROM analytics_days WHERE outlet_id = NEW.outlet_id AND business_date = NEW.business_date)
BEGIN
  DELETE FROM analytics_days WHERE outlet_id = NEW.outlet_id AND business_date = NEW.business_date;
END;

-- ------------------------------------------------------------------------------------------------------------- outlets
-- ISO 3166: picks what documents are called, how tax ids are checked, what the law wants on a bill. ZZ: none of those known.
ALTER TABLE outlets ADD COLUMN country TEXT NOT NULL DEFAULT 'ZZ';
-- Not captured: head office's copies do the same.
UPDATE outlets SET country = CASE currency WHEN 'INR' THEN 'IN' WHEN 'GBP' THEN 'GB' WHEN 'AED' THEN 'AE' WHEN 'SGD' THEN 'SG' WHEN 'USD' THEN 'US'
  WHEN 'JPY' THEN 'JP' ELSE 'ZZ' END;
UPDATE outlets SET tax_scheme = 'REGULAR' WHERE tax_scheme NOT IN ('REGULAR', 'COMPOSITION', 'UNREGISTERED', 'NONE');
-- ------------------------------------------------------------------------------------------- service charge and buyers
-- JSON array of the types of order that may bear the service charge; whether they bear it from the start, and whether it is taxed.
ALTER TABLE outlets ADD COLUMN service_charge_order_types TEXT NOT NULL DEFAULT '["DINE_IN"]';
ALTER TABLE outlets ADD COLUMN service_charge_automatic INTEGER NOT NULL DEFAULT 0;
ALTER TABLE outlets ADD COLUMN service_charge_taxed INTEGER NOT NULL DEFAULT 1;
UPDATE outlets SET service_charge_automatic = CASE country WHEN 'IN' THEN 0 ELSE 1 END;
-- Goods that are no restaurant service: beer, what is sold packed. A delivery platform does not owe their tax, and a service charge does
-- not bear it.
ALTER TABLE tax_categories ADD COLUMN is_goods INTEGER NOT NULL DEFAULT 0;
UPDATE tax_categories SET is_goods = 1 WHERE components LIKE '%"name":"VAT%'
  AND (SELECT o.currency FROM outlets o WHERE o.id = tax_categories.outlet_id) = 'INR';
ALTER TABLE order_items ADD COLUMN is_goods INTEGER NOT NULL DEFAULT 0;
-- Whether the order's service charge bears tax; what the part of it bears that rests on goods: JSON, as in tax_categories.
ALTER TABLE orders ADD COLUMN service_charge_taxed INTEGER NOT NULL DEFAULT 1;
ALTER TABLE orders ADD COLUMN service_charge_taxes TEXT NOT NULL DEFAULT '[]';
-- Goods at one rate of a tax, and the service charge on them at another.
DROP INDEX order_taxes_line;
CREATE UNIQUE INDEX order_taxes_line ON order_taxes (order_id, order_item_id, name, rate_bps);
-- The business that a bill is made out to; other guests stand in guests alone.
ALTER TABLE invoices ADD COLUMN customer_tax_id TEXT;
ALTER TABLE invoices ADD COLUMN customer_legal_name TEXT;
ALTER TABLE invoices ADD COLUMN customer_address TEXT;

-- ------------------------------------------------------------------------------------------------------------ channels
-- Whom orders come through.
CREATE TABLE channels (
  id BLOB PRIMARY KEY NOT NULL,
  outlet_id BLOB NOT NULL,
  name TEXT NOT NULL,
  kind TEXT NOT NULL CHECK (kind IN ('AGGREGATOR', 'DELIVERY', 'WEBSITE', 'OTHER')),
  taxed_by TEXT NOT NULL CHECK (taxed_by IN ('RESTAURANT', 'OPERATOR')),
  operator_tax_id TEXT,
  commission_bps INTEGER NOT NULL DEFAULT 0,
  version INTEGER NOT NULL DEFAULT 1,
  created_at INTEGER NOT NULL,
  updated_at INTEGER NOT NULL,
  archived_at INTEGER
) STRICT;
CREATE UNIQUE INDEX channels_by_name ON channels (outlet_id, name) WHERE archived_at IS NULL;
-- JSON array of the channels whose orders another system's account is there for.
ALTER TABLE accounts ADD COLUMN channel_ids TEXT NOT NULL DEFAULT '[]';
-- Through which channel it came, and the channel's own number for it; what the channel was then.
ALTER TABLE orders ADD COLUMN channel_id BLOB;
ALTER TABLE orders ADD COLUMN external_id TEXT;
ALTER TABLE orders ADD COLUMN is_operator_taxed INTEGER NOT NULL DEFAULT 0;
ALTER TABLE orders ADD COLUMN commission_bps INTEGER NOT NULL DEFAULT 0;
ALTER TABLE orders ADD COLUMN commission_cents INTEGER NOT NULL DEFAULT 0;
-- The slip of an order whose operator makes the bill.
ALTER TABLE orders ADD COLUMN slip_id BLOB;
ALTER TABLE orders ADD COLUMN slip_number TEXT;
CREATE INDEX orders_by_channel ON orders (outlet_id, revenue_date) WHERE channel_id IS NOT NULL;
CREATE UNIQUE INDEX orders_by_external_id ON orders (outlet_id, channel_id, external_id) WHERE external_id IS NOT NULL;
-- The channel that pays it out; null: the guest paid the house.
ALTER TABLE payments ADD COLUMN channel_id BLOB;
-- What stands instead of a bill where the operator of a channel owes the tax and makes the bill, in series of their own.
CREATE TABLE order_slips (
  id BLOB PRIMARY KEY NOT NULL,
  outlet_id BLOB NOT NULL,
  kind TEXT NOT NULL CHECK (kind IN ('SLIP', 'RETURN')),
  fiscal_year TEXT NOT NULL,
  serial INTEGER NOT NULL,
  number TEXT NOT NULL,
  order_id BLOB NOT NULL,
  channel_id BLOB NOT NULL,
  refers_to_id BLOB,                       -- of a RETURN: the slip it takes back of
  total_cents INTEGER NOT NULL,            -- without tax; of a RETURN: what it takes back
  business_date TEXT NOT NULL,
  at INTEGER NOT NULL,
  by_id BLOB,
  by_name TEXT NOT NULL,
  reason TEXT,
  clock_suspect INTEGER NOT NULL DEFAULT 0
) STRICT;
CREATE INDEX order_slips_by_order ON order_slips (order_id);
CREATE INDEX order_slips_by_date ON order_slips (outlet_id, business_date);
CREATE TRIGGER analytics_slipped AFTER INSERT ON order_slips
  WHEN EXISTS (SELECT 1 FROM analytics_days WHERE outlet_id = NEW.outlet_id AND business_date = NEW.business_date)
BEGIN
  DELETE FROM analytics_days WHERE outlet_id = NEW.outlet_id AND business_date = NEW.business_date;
END;
-- Who leaves after the close is in no average of the date.
CREATE TRIGGER analytics_day_closed AFTER INSERT ON day_closes
  WHEN EXISTS (SELECT 1 FROM analytics_days WHERE outlet_id = NEW.outlet_id AND business_date = NEW.business_date)
BEGIN
  DELETE FROM analytics_days WHERE outlet_id = NEW.outlet_id AND business_date = NEW.business_date;
END;
