-- Figures of finished days, kept so that a year of many outlets is quickly read: the branch's tables of migrations/edge/V8, column by
-- column. Derived, like portion_needs. The store takes a day off the list in the transaction that changes one of its rows; triggers
-- would keep the tables from being spread over servers. What each is made of stands in edge/src/resources/analytics/store.
CREATE TABLE merged.analytics_days (
  outlet_id bytea NOT NULL,
  business_date text COLLATE "C" NOT NULL,
  PRIMARY KEY (outlet_id, business_date)
);
CREATE TABLE merged.analytics_sales (
  outlet_id bytea NOT NULL,
  business_date text COLLATE "C" NOT NULL,
  order_type text COLLATE "C" NOT NULL,
  source text COLLATE "C" NOT NULL,
  orders bigint NOT NULL,
  guests bigint NOT NULL,
  gross bigint NOT NULL,
  discount bigint NOT NULL,
  service bigint NOT NULL,
  tax bigint NOT NULL,
  rounding bigint NOT NULL,
  PRIMARY KEY (outlet_id, business_date, order_type, source)
);
CREATE TABLE merged.analytics_hours (
  outlet_id bytea NOT NULL,
  business_date text COLLATE "C" NOT NULL,
  slot bigint NOT NULL,
  orders bigint NOT NULL,
  guests bigint NOT NULL,
  gross bigint NOT NULL,
  discount bigint NOT NULL,
  PRIMARY KEY (outlet_id, business_date, slot)
);
CREATE TABLE merged.analytics_refunds (
  outlet_id bytea NOT NULL,
  business_date text COLLATE "C" NOT NULL,
  refunds bigint NOT NULL,
  amount bigint NOT NULL,
  tax bigint NOT NULL,
  PRIMARY KEY (outlet_id, business_date)
);
CREATE TABLE merged.analytics_money (
  outlet_id bytea NOT NULL,
  business_date text COLLATE "C" NOT NULL,
  method text COLLATE "C" NOT NULL,
  payments bigint NOT NULL,
  amount bigint NOT NULL,
  tip bigint NOT NULL,
  refunds bigint NOT NULL,
  refunded bigint NOT NULL,
  PRIMARY KEY (outlet_id, business_date, method)
);
CREATE TABLE merged.analytics_taxes (
  outlet_id bytea NOT NULL,
  business_date text COLLATE "C" NOT NULL,
  name text COLLATE "C" NOT NULL,
  rate_bps bigint NOT NULL,
  taxable bigint NOT NULL,
  tax bigint NOT NULL,
  credited_taxable bigint NOT NULL,
  credited_tax bigint NOT NULL,
  PRIMARY KEY (outlet_id, business_date, name, rate_bps)
);
CREATE TABLE merged.analytics_items (
  outlet_id bytea NOT NULL,
  business_date text COLLATE "C" NOT NULL,
  menu_item_id bytea NOT NULL,
  quantity bigint NOT NULL,
  gross bigint NOT NULL,
  discount bigint NOT NULL,
  cost bigint NOT NULL,
  PRIMARY KEY (outlet_id, business_date, menu_item_id)
);
CREATE TABLE merged.analytics_discounts (
  outlet_id bytea NOT NULL,
  business_date text COLLATE "C" NOT NULL,
  reason text COLLATE "C" NOT NULL,
  type text COLLATE "C" NOT NULL,
  by_id bytea NOT NULL,
  approver_id bytea NOT NULL,
  discounts bigint NOT NULL,
  amount bigint NOT NULL,
  PRIMARY KEY (outlet_id, business_date, reason, type, by_id, approver_id)
);
CREATE TABLE merged.analytics_stock (
  outlet_id bytea NOT NULL,
  business_date text COLLATE "C" NOT NULL,
  kind text COLLATE "C" NOT NULL,
  stock_item_id bytea NOT NULL,
  quantity bigint NOT NULL,
  cost bigint NOT NULL,
  PRIMARY KEY (outlet_id, business_date, kind, stock_item_id)
);
CREATE TABLE merged.analytics_waste (
  outlet_id bytea NOT NULL,
  business_date text COLLATE "C" NOT NULL,
  stock_item_id bytea NOT NULL,
  reason text COLLATE "C" NOT NULL,
  movements bigint NOT NULL,
  quantity bigint NOT NULL,
  cost bigint NOT NULL,
  PRIMARY KEY (outlet_id, business_date, stock_item_id, reason)
);
CREATE TABLE merged.analytics_purchases (
  outlet_id bytea NOT NULL,
  business_date text COLLATE "C" NOT NULL,
  supplier_id bytea NOT NULL,
  stock_item_id bytea NOT NULL,
  receipts bigint NOT NULL,
  quantity bigint NOT NULL,
  cost bigint NOT NULL,
  PRIMARY KEY (outlet_id, business_date, supplier_id, stock_item_id)
);
CREATE TABLE merged.analytics_tables (
  outlet_id bytea NOT NULL,
  business_date text COLLATE "C" NOT NULL,
  sessions bigint NOT NULL,
  closed bigint NOT NULL,
  seated_ms bigint NOT NULL,
  PRIMARY KEY (outlet_id, business_date)
);

-- From what was thrown away or delivered to its movements: the days that a change of it concerns. There are few of either.
CREATE INDEX ON merged.stock_movements (outlet_id, cause_id) WHERE kind = 'WASTE';
CREATE INDEX ON merged.stock_movements (outlet_id, batch_id) WHERE kind = 'RECEIPT';
