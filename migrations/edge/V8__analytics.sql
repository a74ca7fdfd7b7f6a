-- Figures of finished days, kept so that a year is quickly read. Conventions as in V1.
-- What each of them is made of stands in edge/src/resources/analytics/store/families.rs: the same text fills these tables and
-- answers for days that are not in them.

-- ---------------------------------------------------------------------------------------------------------- analytics
-- LOCAL. The finished business days whose figures the tables below keep. The triggers at the end take a day off this list when
-- one of its rows changes later; only what is on it counts.
CREATE TABLE analytics_days (
  outlet_id BLOB NOT NULL,
  business_date TEXT NOT NULL,
  PRIMARY KEY (outlet_id, business_date)
) STRICT, WITHOUT ROWID;
-- LOCAL. Orders that count as revenue, by type and source.
CREATE TABLE analytics_sales (
  outlet_id BLOB NOT NULL,
  business_date TEXT NOT NULL,
  order_type TEXT NOT NULL,
  source TEXT NOT NULL,
  orders INTEGER NOT NULL,
  guests INTEGER NOT NULL,
  gross INTEGER NOT NULL,
  discount INTEGER NOT NULL,
  service INTEGER NOT NULL,
  tax INTEGER NOT NULL,
  rounding INTEGER NOT NULL,
  PRIMARY KEY (outlet_id, business_date, order_type, source)
) STRICT, WITHOUT ROWID;
-- LOCAL. The same by quarter of an hour: every time zone's hours are whole numbers of them.
CREATE TABLE analytics_hours (
  outlet_id BLOB NOT NULL,
  business_date TEXT NOT NULL,
  slot INTEGER NOT NULL,                   -- quarters of an hour since 1970 UTC
  orders INTEGER NOT NULL,
  guests INTEGER NOT NULL,
  gross INTEGER NOT NULL,
  discount INTEGER NOT NULL,
  PRIMARY KEY (outlet_id, business_date, slot)
) STRICT, WITHOUT ROWID;
-- LOCAL. What was given back against bills, on the day it was given back.
CREATE TABLE analytics_refunds (
  outlet_id BLOB NOT NULL,
  business_date TEXT NOT NULL,
  refunds INTEGER NOT NULL,
  amount INTEGER NOT NULL,                 -- without tax
  tax INTEGER NOT NULL,
  PRIMARY KEY (outlet_id, business_date)
) STRICT, WITHOUT ROWID;
-- LOCAL. Money that moved, by method.
CREATE TABLE analytics_money (
  outlet_id BLOB NOT NULL,
  business_date TEXT NOT NULL,
  method TEXT NOT NULL,
  payments INTEGER NOT NULL,
  amount INTEGER NOT NULL,
  tip INTEGER NOT NULL,
  refunds INTEGER NOT NULL,
  refunded INTEGER NOT NULL,
  PRIMARY KEY (outlet_id, business_date, method)
) STRICT, WITHOUT ROWID;
-- LOCAL. Tax by component and rate, and what credit notes took back of it.
CREATE TABLE analytics_taxes (
  outlet_id BLOB NOT NULL,
  business_date TEXT NOT NULL,
  name TEXT NOT NULL,
  rate_bps INTEGER NOT NULL,
  taxable INTEGER NOT NULL,
  tax INTEGER NOT NULL,
  credited_taxable INTEGER NOT NULL,
  credited_tax INTEGER NOT NULL,
  PRIMARY KEY (outlet_id, business_date, name, rate_bps)
) STRICT, WITHOUT ROWID;
-- LOCAL. What each dish sold and what its ingredients cost.
CREATE TABLE analytics_items (
  outlet_id BLOB NOT NULL,
  business_date TEXT NOT NULL,
  menu_item_id BLOB NOT NULL,
  quantity INTEGER NOT NULL,
  gross INTEGER NOT NULL,
  discount INTEGER NOT NULL,
  cost INTEGER NOT NULL,                   -- millionths of a cent
  PRIMARY KEY (outlet_id, business_date, menu_item_id)
) STRICT, WITHOUT ROWID;
-- LOCAL. Discounts by reason and who gave them; an empty id: nobody.
CREATE TABLE analytics_discounts (
  outlet_id BLOB NOT NULL,
  business_date TEXT NOT NULL,
  reason TEXT NOT NULL,
  type TEXT NOT NULL,
  by_id BLOB NOT NULL,
  approver_id BLOB NOT NULL,
  discounts INTEGER NOT NULL,
  amount INTEGER NOT NULL,
  PRIMARY KEY (outlet_id, business_date, reason, type, by_id, approver_id)
) STRICT, WITHOUT ROWID;
-- LOCAL. The stock ledger by kind of movement and item, with the ledger's signs.
CREATE TABLE analytics_stock (
  outlet_id BLOB NOT NULL,
  business_date TEXT NOT NULL,
  kind TEXT NOT NULL,
  stock_item_id BLOB NOT NULL,
  quantity INTEGER NOT NULL,
  cost INTEGER NOT NULL,
  PRIMARY KEY (outlet_id, business_date, kind, stock_item_id)
) STRICT, WITHOUT ROWID;
-- LOCAL. What was thrown away, by item and why.
CREATE TABLE analytics_waste (
  outlet_id BLOB NOT NULL,
  business_date TEXT NOT NULL,
  stock_item_id BLOB NOT NULL,
  reason TEXT NOT NULL,
  movements INTEGER NOT NULL,
  quantity INTEGER NOT NULL,
  cost INTEGER NOT NULL,
  PRIMARY KEY (outlet_id, business_date, stock_item_id, reason)
) STRICT, WITHOUT ROWID;
-- LOCAL. What was delivered, by supplier (an empty id: not known) and item.
CREATE TABLE analytics_purchases (
  outlet_id BLOB NOT NULL,
  business_date TEXT NOT NULL,
  supplier_id BLOB NOT NULL,
  stock_item_id BLOB NOT NULL,
  receipts INTEGER NOT NULL,
  quantity INTEGER NOT NULL,
  cost INTEGER NOT NULL,
  PRIMARY KEY (outlet_id, business_date, supplier_id, stock_item_id)
) STRICT, WITHOUT ROWID;
-- LOCAL. Parties at tables.
CREATE TABLE analytics_tables (
  outlet_id BLOB NOT NULL,
  business_date TEXT NOT NULL,
  sessions INTEGER NOT NULL,
  closed INTEGER NOT NULL,
  seated_ms INTEGER NOT NULL,              -- of those that are closed
  PRIMARY KEY (outlet_id, business_date)
) STRICT, WITHOUT ROWID;

-- A kept day whose rows change is no longer kept, from the same transaction on. Every action that changes an order's lines,
-- discounts or taxes writes the order itself, so the order stands for them. Today is never kept: the probe of a small table
-- is all that a guest's order pays.
CREATE TRIGGER analytics_order_taken AFTER INSERT ON orders
  WHEN EXISTS (SELECT 1 FROM analytics_days WHERE outlet_id = NEW.outlet_id AND business_date = NEW.business_date)
BEGIN
  DELETE FROM analytics_days WHERE outlet_id = NEW.outlet_id AND business_date = NEW.business_date;
END;
CREATE TRIGGER analytics_order_changed AFTER UPDATE ON orders
  WHEN EXISTS (SELECT 1 FROM analytics_days WHERE outlet_id = NEW.outlet_id AND business_date = NEW.business_date)
BEGIN
  DELETE FROM analytics_days WHERE outlet_id = NEW.outlet_id AND business_date = NEW.business_date;
END;
-- A refund counts while its order stands under the bill it credits: that may end on another day.
CREATE TRIGGER analytics_refund_undone AFTER UPDATE OF status, invoice_id ON orders
  WHEN OLD.invoice_id IS NOT NULL AND (NEW.invoice_id IS NOT OLD.invoice_id OR NEW.status = 'CANCELLED')
BEGIN
  DELETE FROM analytics_days WHERE outlet_id = NEW.outlet_id
    AND business_date IN (SELECT business_date FROM invoices WHERE order_id = NEW.id);
END;
CREATE TRIGGER analytics_billed AFTER INSERT ON invoices
  WHEN EXISTS (SELECT 1 FROM analytics_days WHERE outlet_id = NEW.outlet_id AND business_date = NEW.business_date)
BEGIN
  DELETE FROM analytics_days WHERE outlet_id = NEW.outlet_id AND business_date = NEW.business_date;
END;
CREATE TRIGGER analytics_paid AFTER INSERT ON payments
  WHEN EXISTS (SELECT 1 FROM analytics_days WHERE outlet_id = NEW.outlet_id AND business_date = NEW.business_date)
BEGIN
  DELETE FROM analytics_days WHERE outlet_id = NEW.outlet_id AND business_date = NEW.business_date;
END;
CREATE TRIGGER analytics_refunded AFTER INSERT ON refunds
  WHEN EXISTS (SELECT 1 FROM analytics_days WHERE outlet_id = NEW.outlet_id AND business_date = NEW.business_date)
BEGIN
  DELETE FROM analytics_days WHERE outlet_id = NEW.outlet_id AND business_date = NEW.business_date;
END;
CREATE TRIGGER analytics_stock_moved AFTER INSERT ON stock_movements
  WHEN EXISTS (SELECT 1 FROM analytics_days WHERE outlet_id = NEW.outlet_id AND business_date = NEW.business_date)
BEGIN
  DELETE FROM analytics_days WHERE outlet_id = NEW.outlet_id AND business_date = NEW.business_date;
END;
CREATE TRIGGER analytics_party_seated AFTER INSERT ON table_sessions
  WHEN EXISTS (SELECT 1 FROM analytics_days WHERE outlet_id = NEW.outlet_id AND business_date = NEW.business_date)
BEGIN
  DELETE FROM analytics_days WHERE outlet_id = NEW.outlet_id AND business_date = NEW.business_date;
END;
CREATE TRIGGER analytics_party_changed AFTER UPDATE ON table_sessions
  WHEN EXISTS (SELECT 1 FROM analytics_days WHERE outlet_id = NEW.outlet_id AND business_date = NEW.business_date)
BEGIN
  DELETE FROM analytics_days WHERE outlet_id = NEW.outlet_id AND business_date = NEW.business_date;
END;
