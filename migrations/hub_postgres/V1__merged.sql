-- Head office on PostgreSQL: the rows of all outlets, merged. Conventions as in migrations/edge/V1, and:
-- 16-byte ids and other bytes are bytea, integers bigint, booleans bigint 0 or 1, text is compared by bytes as SQLite does.
-- Every key begins with the outlet, there are no foreign keys and no unique keys but the primary ones: a log is replayed row by
-- row, and outlets can be spread over partitions or servers (layout/). A test compares these tables with the branch's own.
-- Schema hub has what head office keeps beside them, schema branch (branch/*.sql) shows one outlet's rows under the branch's names.

CREATE COLLATION hub.nocase (provider = icu, locale = 'und-u-ks-level2', deterministic = false);

-- The outlets that there is room for. A unit of work locks its outlet's row.
CREATE TABLE merged.rooms (
  outlet_id bytea PRIMARY KEY
);

CREATE TABLE merged.outlets (
  id bytea NOT NULL,
  outlet_id bytea NOT NULL,
  code text COLLATE "C" NOT NULL,
  name text COLLATE "C" NOT NULL,
  address text COLLATE "C",
  phone text COLLATE "C",
  timezone text COLLATE "C" NOT NULL,
  currency text COLLATE "C" NOT NULL,
  tax_id text COLLATE "C",
  licence_number text COLLATE "C",
  business_day_starts_at text COLLATE "C" NOT NULL DEFAULT '04:00',
  prices_include_tax bigint NOT NULL DEFAULT 0,
  service_charge_bps bigint NOT NULL DEFAULT 0,
  cash_rounding_cents bigint NOT NULL DEFAULT 0,
  tax_scheme text COLLATE "C" NOT NULL DEFAULT 'REGULAR',
  stock_policy text COLLATE "C" NOT NULL DEFAULT 'ALLOW_NEGATIVE' CHECK (stock_policy IN ('ALLOW_NEGATIVE', 'BLOCK')),
  qr_order_approval text COLLATE "C" NOT NULL DEFAULT 'FIRST_ORDER' CHECK (qr_order_approval IN ('FIRST_ORDER', 'ALWAYS', 'NEVER')),
  attendance_grace_minutes bigint NOT NULL DEFAULT 5,
  attendance_max_break_minutes bigint NOT NULL DEFAULT 60,
  shift_times text COLLATE "C" NOT NULL,
  discount_limit_bps text COLLATE "C" NOT NULL,
  fiscal_year_starts_on text COLLATE "C" NOT NULL DEFAULT '04-01',
  version bigint NOT NULL DEFAULT 1,
  created_at bigint NOT NULL,
  updated_at bigint NOT NULL,
  auto_availability bigint NOT NULL DEFAULT 1,
  PRIMARY KEY (outlet_id, id)
);
CREATE TABLE merged.audit_log (
  id bytea NOT NULL,
  outlet_id bytea NOT NULL,
  at bigint NOT NULL,
  business_date text COLLATE "C" NOT NULL,
  actor_id bytea,
  actor_name text COLLATE "C" NOT NULL,
  approver_id bytea,
  approver_name text COLLATE "C",
  device text COLLATE "C",
  action text COLLATE "C" NOT NULL,
  entity_type text COLLATE "C" NOT NULL,
  entity_id bytea,
  before text COLLATE "C",
  after text COLLATE "C",
  reason text COLLATE "C",
  PRIMARY KEY (outlet_id, id)
);
CREATE INDEX ON merged.audit_log (outlet_id, at);
CREATE INDEX ON merged.audit_log (outlet_id, entity_type, entity_id, at);
CREATE TABLE merged.notifications (
  id bytea NOT NULL,
  outlet_id bytea NOT NULL,
  type text COLLATE "C" NOT NULL,
  severity text COLLATE "C" NOT NULL CHECK (severity IN ('INFO', 'WARNING', 'CRITICAL')),
  title text COLLATE "C" NOT NULL,
  body text COLLATE "C" NOT NULL,
  audience text COLLATE "C" NOT NULL DEFAULT 'STAFF',
  entity_type text COLLATE "C",
  entity_id bytea,
  dedupe_key text COLLATE "C" NOT NULL,
  count bigint NOT NULL DEFAULT 1,
  created_at bigint NOT NULL,
  updated_at bigint NOT NULL,
  read_at bigint,
  read_by bytea,
  PRIMARY KEY (outlet_id, id)
);
CREATE INDEX ON merged.notifications (outlet_id, created_at);
CREATE TABLE merged.employees (
  id bytea NOT NULL,
  outlet_id bytea NOT NULL,
  employee_code text COLLATE "C" NOT NULL,
  name text COLLATE "C" NOT NULL,
  phone text COLLATE "C",
  email text COLLATE "C",
  job_title text COLLATE "C" NOT NULL,
  station text COLLATE "C",
  hourly_rate_cents bigint NOT NULL DEFAULT 0,
  employment_type text COLLATE "C" NOT NULL DEFAULT 'FULL_TIME',
  hired_on text COLLATE "C",
  ended_on text COLLATE "C",
  status text COLLATE "C" NOT NULL DEFAULT 'ACTIVE' CHECK (status IN ('ACTIVE', 'ON_LEAVE', 'ENDED')),
  pin_hash bytea,
  version bigint NOT NULL DEFAULT 1,
  created_at bigint NOT NULL,
  updated_at bigint NOT NULL,
  archived_at bigint,
  PRIMARY KEY (outlet_id, id)
);
CREATE TABLE merged.employee_wages (
  id bytea NOT NULL,
  outlet_id bytea NOT NULL,
  employee_id bytea NOT NULL,
  hourly_rate_cents bigint NOT NULL,
  effective_at bigint NOT NULL,
  set_by bytea,
  PRIMARY KEY (outlet_id, id)
);
CREATE INDEX ON merged.employee_wages (outlet_id, employee_id, effective_at);
CREATE TABLE merged.employee_documents (
  id bytea NOT NULL,
  outlet_id bytea NOT NULL,
  employee_id bytea NOT NULL,
  kind text COLLATE "C" NOT NULL,
  title text COLLATE "C" NOT NULL,
  file_name text COLLATE "C" NOT NULL,
  media_type text COLLATE "C" NOT NULL,
  size_bytes bigint NOT NULL,
  hash bytea NOT NULL,
  uploaded_by bytea,
  uploaded_by_name text COLLATE "C" NOT NULL,
  created_at bigint NOT NULL,
  PRIMARY KEY (outlet_id, id)
);
CREATE INDEX ON merged.employee_documents (outlet_id, employee_id, created_at);
CREATE TABLE merged.accounts (
  id bytea NOT NULL,
  outlet_id bytea NOT NULL,
  email text COLLATE hub.nocase NOT NULL,
  name text COLLATE "C" NOT NULL,
  password_hash text COLLATE "C" NOT NULL,
  role text COLLATE "C" NOT NULL,
  employee_id bytea,
  is_active bigint NOT NULL DEFAULT 1,
  version bigint NOT NULL DEFAULT 1,
  created_at bigint NOT NULL,
  updated_at bigint NOT NULL,
  PRIMARY KEY (outlet_id, id)
);
CREATE TABLE merged.account_outlets (
  id bytea NOT NULL,
  outlet_id bytea NOT NULL,
  account_id bytea NOT NULL,
  position bigint NOT NULL,
  PRIMARY KEY (outlet_id, id)
);
CREATE TABLE merged.tax_categories (
  id bytea NOT NULL,
  outlet_id bytea NOT NULL,
  name text COLLATE "C" NOT NULL,
  components text COLLATE "C" NOT NULL,
  version bigint NOT NULL DEFAULT 1,
  created_at bigint NOT NULL,
  updated_at bigint NOT NULL,
  archived_at bigint,
  PRIMARY KEY (outlet_id, id)
);
CREATE TABLE merged.menu_categories (
  id bytea NOT NULL,
  outlet_id bytea NOT NULL,
  name text COLLATE "C" NOT NULL,
  description text COLLATE "C",
  sort_order bigint NOT NULL DEFAULT 0,
  is_active bigint NOT NULL DEFAULT 1,
  version bigint NOT NULL DEFAULT 1,
  created_at bigint NOT NULL,
  updated_at bigint NOT NULL,
  archived_at bigint,
  PRIMARY KEY (outlet_id, id)
);
CREATE TABLE merged.menu_items (
  id bytea NOT NULL,
  outlet_id bytea NOT NULL,
  category_id bytea NOT NULL,
  name text COLLATE "C" NOT NULL,
  kitchen_name text COLLATE "C",
  description text COLLATE "C",
  sku text COLLATE "C",
  price_cents bigint NOT NULL,
  tax_category_id bytea,
  hsn_sac text COLLATE "C",
  station_id bytea,
  course bigint,
  prep_minutes bigint,
  dietary text COLLATE "C",
  allergens text COLLATE "C" NOT NULL DEFAULT '[]',
  image_url text COLLATE "C",
  available_from text COLLATE "C",
  available_to text COLLATE "C",
  available_days text COLLATE "C",
  is_active bigint NOT NULL DEFAULT 1,
  sort_order bigint NOT NULL DEFAULT 0,
  version bigint NOT NULL DEFAULT 1,
  created_at bigint NOT NULL,
  updated_at bigint NOT NULL,
  archived_at bigint,
  PRIMARY KEY (outlet_id, id)
);
CREATE TABLE merged.modifier_groups (
  id bytea NOT NULL,
  outlet_id bytea NOT NULL,
  name text COLLATE "C" NOT NULL,
  min_selections bigint NOT NULL DEFAULT 0,
  max_selections bigint,
  version bigint NOT NULL DEFAULT 1,
  created_at bigint NOT NULL,
  updated_at bigint NOT NULL,
  archived_at bigint,
  PRIMARY KEY (outlet_id, id)
);
CREATE TABLE merged.modifier_options (
  id bytea NOT NULL,
  outlet_id bytea NOT NULL,
  group_id bytea NOT NULL,
  name text COLLATE "C" NOT NULL,
  price_cents bigint NOT NULL DEFAULT 0,
  is_default bigint NOT NULL DEFAULT 0,
  is_active bigint NOT NULL DEFAULT 1,
  sort_order bigint NOT NULL DEFAULT 0,
  archived_at bigint,
  PRIMARY KEY (outlet_id, id)
);
CREATE TABLE merged.menu_item_modifier_groups (
  id bytea NOT NULL,
  outlet_id bytea NOT NULL,
  menu_item_id bytea NOT NULL,
  group_id bytea NOT NULL,
  sort_order bigint NOT NULL DEFAULT 0,
  PRIMARY KEY (outlet_id, id)
);
CREATE TABLE merged.menu_availability (
  id bytea NOT NULL,
  outlet_id bytea NOT NULL,
  menu_item_id bytea,
  option_id bytea,
  status text COLLATE "C" NOT NULL CHECK (status IN ('IN_STOCK', 'LIMITED', 'OUT_OF_STOCK')),
  quantity_left bigint,
  until bigint,
  reason text COLLATE "C",
  source text COLLATE "C" NOT NULL DEFAULT 'MANUAL',
  version bigint NOT NULL DEFAULT 1,
  updated_at bigint NOT NULL,
  updated_by bytea,
  CHECK ((menu_item_id IS NULL) <> (option_id IS NULL)),
  PRIMARY KEY (outlet_id, id)
);
CREATE TABLE merged.menu_prices (
  id bytea NOT NULL,
  outlet_id bytea NOT NULL,
  menu_item_id bytea NOT NULL,
  price_cents bigint,
  version bigint NOT NULL DEFAULT 1,
  updated_at bigint NOT NULL,
  updated_by bytea,
  PRIMARY KEY (outlet_id, id)
);
CREATE TABLE merged.dining_tables (
  id bytea NOT NULL,
  outlet_id bytea NOT NULL,
  number text COLLATE "C" NOT NULL,
  area text COLLATE "C",
  seats bigint NOT NULL,
  position_x bigint,
  position_y bigint,
  status text COLLATE "C" NOT NULL DEFAULT 'AVAILABLE' CHECK (status IN ('AVAILABLE', 'OCCUPIED', 'BILL_PRINTED', 'RESERVED', 'CLEANING', 'BLOCKED')),
  qr_token text COLLATE "C",
  qr_rotated_at bigint,
  version bigint NOT NULL DEFAULT 1,
  created_at bigint NOT NULL,
  updated_at bigint NOT NULL,
  archived_at bigint,
  PRIMARY KEY (outlet_id, id)
);
CREATE TABLE merged.table_sessions (
  id bytea NOT NULL,
  outlet_id bytea NOT NULL,
  table_id bytea NOT NULL,
  party_size bigint,
  business_date text COLLATE "C" NOT NULL,
  opened_at bigint NOT NULL,
  opened_by bytea,
  closed_at bigint,
  merged_into_id bytea,
  approved_at bigint,
  PRIMARY KEY (outlet_id, id)
);
CREATE INDEX ON merged.table_sessions (outlet_id, business_date);
CREATE TABLE merged.suppliers (
  id bytea NOT NULL,
  outlet_id bytea NOT NULL,
  name text COLLATE "C" NOT NULL,
  contact_name text COLLATE "C",
  phone text COLLATE "C",
  email text COLLATE "C",
  address text COLLATE "C",
  tax_id text COLLATE "C",
  lead_time_days bigint NOT NULL DEFAULT 1,
  version bigint NOT NULL DEFAULT 1,
  created_at bigint NOT NULL,
  updated_at bigint NOT NULL,
  archived_at bigint,
  PRIMARY KEY (outlet_id, id)
);
CREATE TABLE merged.stock_items (
  id bytea NOT NULL,
  outlet_id bytea NOT NULL,
  name text COLLATE "C" NOT NULL,
  category text COLLATE "C" NOT NULL,
  unit text COLLATE "C" NOT NULL,
  sku text COLLATE "C",
  rotation text COLLATE "C" NOT NULL DEFAULT 'FEFO' CHECK (rotation IN ('FEFO', 'FIFO')),
  min_stock_threshold bigint NOT NULL DEFAULT 0,
  par_level bigint,
  supplier_id bytea,
  unit_conversions text COLLATE "C" NOT NULL DEFAULT '[]',
  version bigint NOT NULL DEFAULT 1,
  created_at bigint NOT NULL,
  updated_at bigint NOT NULL,
  archived_at bigint,
  PRIMARY KEY (outlet_id, id)
);
CREATE TABLE merged.stock_batches (
  id bytea NOT NULL,
  outlet_id bytea NOT NULL,
  stock_item_id bytea NOT NULL,
  batch_number text COLLATE "C" NOT NULL,
  expiry_date text COLLATE "C",
  received_at bigint NOT NULL,
  unit_cost bigint NOT NULL,
  supplier_id bytea,
  source_type text COLLATE "C" NOT NULL,
  source_id bytea,
  PRIMARY KEY (outlet_id, id)
);
CREATE INDEX ON merged.stock_batches (outlet_id, stock_item_id, batch_number);
CREATE TABLE merged.stock_movements (
  id bytea NOT NULL,
  outlet_id bytea NOT NULL,
  stock_item_id bytea NOT NULL,
  batch_id bytea,
  kind text COLLATE "C" NOT NULL,
  quantity_delta bigint NOT NULL,
  quantity_before bigint NOT NULL,
  quantity_after bigint NOT NULL,
  unit_cost bigint NOT NULL,
  cost_micros bigint NOT NULL,
  cause_type text COLLATE "C" NOT NULL,
  cause_id bytea,
  order_id bytea,
  order_item_id bytea,
  reverses_id bytea,
  reason text COLLATE "C",
  note text COLLATE "C",
  actor_id bytea,
  business_date text COLLATE "C" NOT NULL,
  at bigint NOT NULL,
  PRIMARY KEY (outlet_id, id)
);
CREATE INDEX ON merged.stock_movements (outlet_id, stock_item_id, at);
CREATE INDEX ON merged.stock_movements (outlet_id, order_item_id) WHERE order_item_id IS NOT NULL;
CREATE INDEX ON merged.stock_movements (outlet_id, business_date, kind);
CREATE INDEX ON merged.stock_movements (outlet_id, reverses_id) WHERE reverses_id IS NOT NULL;
CREATE TABLE merged.recipes (
  id bytea NOT NULL,
  outlet_id bytea NOT NULL,
  menu_item_id bytea,
  option_id bytea,
  name text COLLATE "C",
  yield_quantity bigint NOT NULL DEFAULT 1000000,
  yield_unit text COLLATE "C" NOT NULL DEFAULT 'pcs',
  version bigint NOT NULL DEFAULT 1,
  created_at bigint NOT NULL,
  updated_at bigint NOT NULL,
  archived_at bigint,
  PRIMARY KEY (outlet_id, id)
);
CREATE TABLE merged.recipe_ingredients (
  id bytea NOT NULL,
  outlet_id bytea NOT NULL,
  recipe_id bytea NOT NULL,
  stock_item_id bytea,
  sub_recipe_id bytea,
  quantity bigint NOT NULL,
  unit text COLLATE "C" NOT NULL,
  sort_order bigint NOT NULL DEFAULT 0,
  CHECK ((stock_item_id IS NULL) <> (sub_recipe_id IS NULL)),
  PRIMARY KEY (outlet_id, id)
);
CREATE INDEX ON merged.recipe_ingredients (outlet_id, recipe_id, sort_order);
CREATE TABLE merged.stocktakes (
  id bytea NOT NULL,
  outlet_id bytea NOT NULL,
  name text COLLATE "C" NOT NULL,
  status text COLLATE "C" NOT NULL DEFAULT 'OPEN' CHECK (status IN ('OPEN', 'CLOSED', 'CANCELLED')),
  category text COLLATE "C",
  blind bigint NOT NULL DEFAULT 0,
  uncounted text COLLATE "C" CHECK (uncounted IN ('KEEP', 'ZERO')),
  business_date text COLLATE "C" NOT NULL,
  opened_at bigint NOT NULL,
  opened_by bytea,
  opened_by_name text COLLATE "C" NOT NULL,
  ended_at bigint,
  ended_by bytea,
  ended_by_name text COLLATE "C",
  note text COLLATE "C",
  variance_micros bigint,
  version bigint NOT NULL DEFAULT 1,
  PRIMARY KEY (outlet_id, id)
);
CREATE INDEX ON merged.stocktakes (outlet_id, opened_at);
CREATE TABLE merged.stocktake_lines (
  id bytea NOT NULL,
  outlet_id bytea NOT NULL,
  stocktake_id bytea NOT NULL,
  stock_item_id bytea NOT NULL,
  batch_id bytea,
  expected_quantity bigint,
  counted_quantity bigint,
  counted_at bigint,
  counted_by bytea,
  counted_by_name text COLLATE "C",
  times_counted bigint NOT NULL DEFAULT 0,
  variance_quantity bigint,
  variance_micros bigint,
  PRIMARY KEY (outlet_id, id)
);
CREATE INDEX ON merged.stocktake_lines (outlet_id, stocktake_id, stock_item_id) WHERE batch_id IS NULL;
CREATE INDEX ON merged.stocktake_lines (outlet_id, stocktake_id, stock_item_id, batch_id) WHERE batch_id IS NOT NULL;
CREATE TABLE merged.stock_transfers (
  id bytea NOT NULL,
  outlet_id bytea NOT NULL,
  to_outlet_id bytea NOT NULL,
  transfer_number text COLLATE "C" NOT NULL,
  note text COLLATE "C",
  business_date text COLLATE "C" NOT NULL,
  sent_at bigint NOT NULL,
  sent_by bytea,
  sent_by_name text COLLATE "C" NOT NULL,
  cancelled_at bigint,
  cancelled_by bytea,
  cancelled_by_name text COLLATE "C",
  cancel_reason text COLLATE "C",
  PRIMARY KEY (outlet_id, id)
);
CREATE INDEX ON merged.stock_transfers (outlet_id, sent_at);
CREATE INDEX ON merged.stock_transfers (outlet_id, business_date);
CREATE TABLE merged.stock_transfer_lines (
  id bytea NOT NULL,
  outlet_id bytea NOT NULL,
  transfer_id bytea NOT NULL,
  line_number bigint NOT NULL,
  stock_item_id bytea NOT NULL,
  name text COLLATE "C" NOT NULL,
  sku text COLLATE "C",
  unit text COLLATE "C" NOT NULL,
  batch_id bytea NOT NULL,
  batch_number text COLLATE "C" NOT NULL,
  expiry_date text COLLATE "C",
  unit_cost bigint NOT NULL,
  quantity bigint NOT NULL CHECK (quantity > 0),
  cost_micros bigint NOT NULL,
  movement_id bytea NOT NULL,
  PRIMARY KEY (outlet_id, id)
);
CREATE INDEX ON merged.stock_transfer_lines (outlet_id, transfer_id, line_number);
CREATE TABLE merged.stock_transfer_receipts (
  id bytea NOT NULL,
  outlet_id bytea NOT NULL,
  transfer_id bytea NOT NULL,
  from_outlet_id bytea NOT NULL,
  note text COLLATE "C",
  business_date text COLLATE "C" NOT NULL,
  at bigint NOT NULL,
  by_id bytea,
  by_name text COLLATE "C" NOT NULL,
  PRIMARY KEY (outlet_id, id)
);
CREATE INDEX ON merged.stock_transfer_receipts (outlet_id, transfer_id);
CREATE TABLE merged.stock_transfer_receipt_lines (
  id bytea NOT NULL,
  outlet_id bytea NOT NULL,
  receipt_id bytea NOT NULL,
  transfer_line_id bytea NOT NULL,
  stock_item_id bytea,
  batch_id bytea,
  quantity_received bigint NOT NULL CHECK (quantity_received >= 0),
  PRIMARY KEY (outlet_id, id)
);
CREATE INDEX ON merged.stock_transfer_receipt_lines (outlet_id, receipt_id, transfer_line_id);
CREATE TABLE merged.waste_logs (
  id bytea NOT NULL,
  outlet_id bytea NOT NULL,
  stock_item_id bytea,
  menu_item_id bytea,
  name text COLLATE "C" NOT NULL,
  quantity bigint NOT NULL,
  unit text COLLATE "C" NOT NULL,
  batch_number text COLLATE "C",
  reason text COLLATE "C" NOT NULL,
  note text COLLATE "C",
  station_id bytea,
  order_id bytea,
  order_item_id bytea,
  cost_micros bigint NOT NULL,
  business_date text COLLATE "C" NOT NULL,
  at bigint NOT NULL,
  by_id bytea,
  by_name text COLLATE "C" NOT NULL,
  reversed_at bigint,
  reversed_by bytea,
  reversed_by_name text COLLATE "C",
  reversal_reason text COLLATE "C",
  CHECK ((stock_item_id IS NULL) <> (menu_item_id IS NULL)),
  PRIMARY KEY (outlet_id, id)
);
CREATE INDEX ON merged.waste_logs (outlet_id, business_date, at);
CREATE TABLE merged.kitchen_stations (
  id bytea NOT NULL,
  outlet_id bytea NOT NULL,
  name text COLLATE "C" NOT NULL,
  kind text COLLATE "C" NOT NULL DEFAULT 'PREP' CHECK (kind IN ('PREP', 'EXPO')),
  is_default bigint NOT NULL DEFAULT 0,
  target_minutes bigint NOT NULL DEFAULT 15,
  printer_address text COLLATE "C",
  print_tickets bigint NOT NULL DEFAULT 0,
  fallback_station_id bytea,
  version bigint NOT NULL DEFAULT 1,
  created_at bigint NOT NULL,
  updated_at bigint NOT NULL,
  archived_at bigint,
  PRIMARY KEY (outlet_id, id)
);
CREATE TABLE merged.kitchen_tickets (
  id bytea NOT NULL,
  outlet_id bytea NOT NULL,
  station_id bytea NOT NULL,
  ticket_number bigint NOT NULL,
  business_date text COLLATE "C" NOT NULL,
  order_id bytea NOT NULL,
  order_number text COLLATE "C" NOT NULL,
  token_number bigint NOT NULL,
  order_type text COLLATE "C" NOT NULL,
  table_number text COLLATE "C",
  type text COLLATE "C" NOT NULL CHECK (type IN ('NEW', 'ADDITION', 'MODIFICATION', 'CANCELLATION', 'TRANSFER', 'REPRINT')),
  course bigint NOT NULL DEFAULT 1,
  status text COLLATE "C" NOT NULL CHECK (status IN ('HELD', 'QUEUED', 'IN_PREPARATION', 'READY', 'SERVED', 'CANCELLED')),
  priority bigint NOT NULL DEFAULT 0,
  notes text COLLATE "C",
  copy_number bigint NOT NULL DEFAULT 0,
  refers_to_id bytea,
  target_minutes bigint NOT NULL,
  created_at bigint NOT NULL,
  fired_at bigint,
  started_at bigint,
  ready_at bigint,
  served_at bigint,
  cancelled_at bigint,
  target_ready_at bigint,
  acked_at bigint,
  escalated_at bigint,
  escalated_to_id bytea,
  recalled_count bigint NOT NULL DEFAULT 0,
  version bigint NOT NULL DEFAULT 1,
  updated_at bigint NOT NULL,
  PRIMARY KEY (outlet_id, id)
);
CREATE INDEX ON merged.kitchen_tickets (outlet_id, station_id, created_at) WHERE status IN ('HELD', 'QUEUED', 'IN_PREPARATION', 'READY');
CREATE INDEX ON merged.kitchen_tickets (outlet_id, business_date);
CREATE TABLE merged.kitchen_ticket_items (
  id bytea NOT NULL,
  outlet_id bytea NOT NULL,
  ticket_id bytea NOT NULL,
  order_id bytea NOT NULL,
  order_item_id bytea NOT NULL,
  menu_item_id bytea NOT NULL,
  name text COLLATE "C" NOT NULL,
  quantity bigint NOT NULL,
  modifiers text COLLATE "C" NOT NULL DEFAULT '[]',
  notes text COLLATE "C",
  seat_number bigint,
  status text COLLATE "C" NOT NULL CHECK (status IN ('QUEUED', 'IN_PREPARATION', 'READY', 'CANCELLED')),
  started_at bigint,
  ready_at bigint,
  PRIMARY KEY (outlet_id, id)
);
CREATE INDEX ON merged.kitchen_ticket_items (outlet_id, ticket_id);
CREATE INDEX ON merged.kitchen_ticket_items (outlet_id, order_id);
CREATE INDEX ON merged.kitchen_ticket_items (outlet_id, order_item_id);
CREATE TABLE merged.counters (
  id bytea NOT NULL,
  outlet_id bytea NOT NULL,
  series text COLLATE "C" NOT NULL,
  value bigint NOT NULL,
  PRIMARY KEY (outlet_id, id)
);
CREATE TABLE merged.orders (
  id bytea NOT NULL,
  outlet_id bytea NOT NULL,
  order_number text COLLATE "C" NOT NULL,
  token_number bigint NOT NULL,
  business_date text COLLATE "C" NOT NULL,
  order_type text COLLATE "C" NOT NULL CHECK (order_type IN ('DINE_IN', 'TAKEAWAY', 'DELIVERY', 'COUNTER')),
  source text COLLATE "C" NOT NULL,
  status text COLLATE "C" NOT NULL CHECK (status IN ('PENDING', 'ACCEPTED', 'IN_PREPARATION', 'READY', 'DELIVERED', 'COMPLETED', 'CANCELLED')),
  table_id bytea,
  table_number text COLLATE "C",
  table_session_id bytea,
  customer_name text COLLATE "C",
  customer_phone text COLLATE "C",
  notes text COLLATE "C",
  guest_count bigint,
  scheduled_for bigint,
  prices_include_tax bigint NOT NULL,
  service_charge_bps bigint NOT NULL,
  cash_rounding_cents bigint NOT NULL,
  gross_cents bigint NOT NULL,
  subtotal_cents bigint NOT NULL,
  discount_cents bigint NOT NULL DEFAULT 0,
  service_charge_cents bigint NOT NULL DEFAULT 0,
  tax_cents bigint NOT NULL DEFAULT 0,
  rounding_cents bigint NOT NULL DEFAULT 0,
  total_cents bigint NOT NULL,
  paid_cents bigint NOT NULL DEFAULT 0,
  refunded_cents bigint NOT NULL DEFAULT 0,
  tip_cents bigint NOT NULL DEFAULT 0,
  invoice_id bytea,
  invoice_number text COLLATE "C",
  dispatched_at bigint,
  split_from_id bytea,
  merged_into_id bytea,
  created_by bytea,
  version bigint NOT NULL DEFAULT 1,
  created_at bigint NOT NULL,
  updated_at bigint NOT NULL,
  closed_at bigint,
  PRIMARY KEY (outlet_id, id)
);
CREATE INDEX ON merged.orders (outlet_id, business_date, token_number);
CREATE INDEX ON merged.orders (outlet_id, created_at);
CREATE INDEX ON merged.orders (outlet_id, status, created_at);
CREATE INDEX ON merged.orders (outlet_id, created_at) WHERE status NOT IN ('COMPLETED', 'CANCELLED');
CREATE INDEX ON merged.orders (outlet_id, table_session_id) WHERE table_session_id IS NOT NULL;
CREATE INDEX ON merged.orders (outlet_id, table_number, created_at) WHERE table_number IS NOT NULL;
CREATE TABLE merged.order_items (
  id bytea NOT NULL,
  outlet_id bytea NOT NULL,
  order_id bytea NOT NULL,
  line_number bigint NOT NULL,
  menu_item_id bytea NOT NULL,
  name text COLLATE "C" NOT NULL,
  hsn_sac text COLLATE "C",
  station_id bytea,
  unit_price_cents bigint NOT NULL,
  modifiers_cents bigint NOT NULL DEFAULT 0,
  quantity bigint NOT NULL,
  voided_quantity bigint NOT NULL DEFAULT 0,
  course bigint NOT NULL DEFAULT 1,
  seat_number bigint,
  notes text COLLATE "C",
  tax_components text COLLATE "C" NOT NULL DEFAULT '[]',
  gross_cents bigint NOT NULL,
  discount_cents bigint NOT NULL DEFAULT 0,
  service_charge_cents bigint NOT NULL DEFAULT 0,
  tax_cents bigint NOT NULL DEFAULT 0,
  split_from_id bytea,
  version bigint NOT NULL DEFAULT 1,
  created_at bigint NOT NULL,
  created_by bytea,
  PRIMARY KEY (outlet_id, id)
);
CREATE INDEX ON merged.order_items (outlet_id, order_id, line_number);
CREATE INDEX ON merged.order_items (outlet_id, split_from_id) WHERE split_from_id IS NOT NULL;
CREATE TABLE merged.order_item_modifiers (
  id bytea NOT NULL,
  outlet_id bytea NOT NULL,
  order_id bytea NOT NULL,
  order_item_id bytea NOT NULL,
  option_id bytea,
  name text COLLATE "C" NOT NULL,
  price_cents bigint NOT NULL,
  PRIMARY KEY (outlet_id, id)
);
CREATE INDEX ON merged.order_item_modifiers (outlet_id, order_id);
CREATE TABLE merged.order_item_voids (
  id bytea NOT NULL,
  outlet_id bytea NOT NULL,
  order_id bytea NOT NULL,
  order_item_id bytea NOT NULL,
  quantity bigint NOT NULL,
  amount_cents bigint NOT NULL,
  reason text COLLATE "C" NOT NULL,
  was_made bigint NOT NULL,
  by_id bytea,
  approver_id bytea,
  business_date text COLLATE "C" NOT NULL,
  at bigint NOT NULL,
  PRIMARY KEY (outlet_id, id)
);
CREATE INDEX ON merged.order_item_voids (outlet_id, order_id);
CREATE INDEX ON merged.order_item_voids (outlet_id, business_date);
CREATE TABLE merged.order_status_history (
  id bytea NOT NULL,
  outlet_id bytea NOT NULL,
  order_id bytea NOT NULL,
  from_status text COLLATE "C",
  to_status text COLLATE "C" NOT NULL,
  at bigint NOT NULL,
  by_id bytea,
  by_name text COLLATE "C" NOT NULL,
  reason text COLLATE "C",
  PRIMARY KEY (outlet_id, id)
);
CREATE INDEX ON merged.order_status_history (outlet_id, order_id, at);
CREATE TABLE merged.order_discounts (
  id bytea NOT NULL,
  outlet_id bytea NOT NULL,
  order_id bytea NOT NULL,
  order_item_id bytea,
  type text COLLATE "C" NOT NULL CHECK (type IN ('PERCENT', 'FIXED')),
  value bigint NOT NULL,
  amount_cents bigint NOT NULL,
  reason text COLLATE "C" NOT NULL,
  by_id bytea,
  approver_id bytea,
  business_date text COLLATE "C" NOT NULL,
  at bigint NOT NULL,
  removed_at bigint,
  PRIMARY KEY (outlet_id, id)
);
CREATE INDEX ON merged.order_discounts (outlet_id, order_id);
CREATE TABLE merged.order_taxes (
  id bytea NOT NULL,
  outlet_id bytea NOT NULL,
  order_id bytea NOT NULL,
  order_item_id bytea NOT NULL,
  name text COLLATE "C" NOT NULL,
  rate_bps bigint NOT NULL,
  taxable_cents bigint NOT NULL,
  tax_cents bigint NOT NULL,
  PRIMARY KEY (outlet_id, id)
);
CREATE INDEX ON merged.order_taxes (outlet_id, order_id, order_item_id, name);
CREATE TABLE merged.payments (
  id bytea NOT NULL,
  outlet_id bytea NOT NULL,
  order_id bytea NOT NULL,
  method text COLLATE "C" NOT NULL CHECK (method IN ('CASH', 'CARD', 'UPI', 'WALLET', 'VOUCHER', 'OTHER')),
  amount_cents bigint NOT NULL,
  tip_cents bigint NOT NULL DEFAULT 0,
  tendered_cents bigint,
  change_cents bigint NOT NULL DEFAULT 0,
  reference text COLLATE "C",
  cash_session_id bytea,
  refunded_cents bigint NOT NULL DEFAULT 0,
  business_date text COLLATE "C" NOT NULL,
  at bigint NOT NULL,
  by_id bytea,
  by_name text COLLATE "C" NOT NULL,
  PRIMARY KEY (outlet_id, id)
);
CREATE INDEX ON merged.payments (outlet_id, order_id);
CREATE INDEX ON merged.payments (outlet_id, business_date, method);
CREATE INDEX ON merged.payments (outlet_id, cash_session_id) WHERE cash_session_id IS NOT NULL;
CREATE TABLE merged.refunds (
  id bytea NOT NULL,
  outlet_id bytea NOT NULL,
  order_id bytea NOT NULL,
  payment_id bytea NOT NULL,
  credit_note_id bytea,
  method text COLLATE "C" NOT NULL,
  amount_cents bigint NOT NULL,
  reason text COLLATE "C" NOT NULL,
  restock bigint NOT NULL DEFAULT 0,
  cash_session_id bytea,
  business_date text COLLATE "C" NOT NULL,
  at bigint NOT NULL,
  by_id bytea,
  by_name text COLLATE "C" NOT NULL,
  approver_id bytea,
  PRIMARY KEY (outlet_id, id)
);
CREATE INDEX ON merged.refunds (outlet_id, order_id);
CREATE INDEX ON merged.refunds (outlet_id, business_date, method);
CREATE INDEX ON merged.refunds (outlet_id, cash_session_id) WHERE cash_session_id IS NOT NULL;
CREATE TABLE merged.refund_items (
  id bytea NOT NULL,
  outlet_id bytea NOT NULL,
  order_id bytea NOT NULL,
  credit_note_id bytea NOT NULL,
  order_item_id bytea NOT NULL,
  quantity bigint NOT NULL,
  amount_cents bigint NOT NULL,
  restocked bigint NOT NULL DEFAULT 0,
  PRIMARY KEY (outlet_id, id)
);
CREATE INDEX ON merged.refund_items (outlet_id, order_id);
CREATE INDEX ON merged.refund_items (outlet_id, order_item_id);
CREATE TABLE merged.invoices (
  id bytea NOT NULL,
  outlet_id bytea NOT NULL,
  kind text COLLATE "C" NOT NULL CHECK (kind IN ('INVOICE', 'CREDIT_NOTE')),
  fiscal_year text COLLATE "C" NOT NULL,
  serial bigint NOT NULL,
  number text COLLATE "C" NOT NULL,
  order_id bytea NOT NULL,
  refers_to_id bytea,
  total_cents bigint NOT NULL,
  tax_cents bigint NOT NULL,
  body text COLLATE "C" NOT NULL,
  previous_hash bytea NOT NULL,
  hash bytea NOT NULL,
  business_date text COLLATE "C" NOT NULL,
  at bigint NOT NULL,
  by_id bytea,
  PRIMARY KEY (outlet_id, id)
);
CREATE INDEX ON merged.invoices (outlet_id, number);
CREATE INDEX ON merged.invoices (outlet_id, order_id);
CREATE INDEX ON merged.invoices (outlet_id, at);
CREATE INDEX ON merged.invoices (outlet_id, business_date, kind);
CREATE TABLE merged.cash_sessions (
  id bytea NOT NULL,
  outlet_id bytea NOT NULL,
  drawer text COLLATE "C" NOT NULL DEFAULT 'MAIN',
  status text COLLATE "C" NOT NULL DEFAULT 'OPEN' CHECK (status IN ('OPEN', 'CLOSED')),
  opening_float_cents bigint NOT NULL,
  expected_cents bigint,
  counted_cents bigint,
  over_short_cents bigint,
  business_date text COLLATE "C" NOT NULL,
  opened_at bigint NOT NULL,
  opened_by bytea,
  opened_by_name text COLLATE "C" NOT NULL,
  closed_at bigint,
  closed_by bytea,
  note text COLLATE "C",
  version bigint NOT NULL DEFAULT 1,
  PRIMARY KEY (outlet_id, id)
);
CREATE INDEX ON merged.cash_sessions (outlet_id, business_date);
CREATE TABLE merged.cash_movements (
  id bytea NOT NULL,
  outlet_id bytea NOT NULL,
  cash_session_id bytea NOT NULL,
  kind text COLLATE "C" NOT NULL CHECK (kind IN ('PAY_IN', 'PAY_OUT', 'NO_SALE')),
  amount_cents bigint NOT NULL DEFAULT 0,
  reason text COLLATE "C" NOT NULL,
  business_date text COLLATE "C" NOT NULL,
  at bigint NOT NULL,
  by_id bytea,
  approver_id bytea,
  PRIMARY KEY (outlet_id, id)
);
CREATE INDEX ON merged.cash_movements (outlet_id, cash_session_id, at);
CREATE TABLE merged.day_closes (
  id bytea NOT NULL,
  outlet_id bytea NOT NULL,
  business_date text COLLATE "C" NOT NULL,
  z_number bigint NOT NULL,
  report text COLLATE "C" NOT NULL,
  carried_over bigint NOT NULL DEFAULT 0,
  at bigint NOT NULL,
  by_id bytea,
  PRIMARY KEY (outlet_id, id)
);
CREATE INDEX ON merged.day_closes (outlet_id, business_date);
CREATE TABLE merged.purchase_orders (
  id bytea NOT NULL,
  outlet_id bytea NOT NULL,
  po_number text COLLATE "C" NOT NULL,
  mode text COLLATE "C" NOT NULL CHECK (mode IN ('MANUAL', 'AUTO')),
  status text COLLATE "C" NOT NULL DEFAULT 'DRAFT' CHECK (status IN ('DRAFT', 'SENT', 'PARTIALLY_RECEIVED', 'RECEIVED', 'CLOSED')),
  supplier_id bytea NOT NULL,
  supplier_name text COLLATE "C" NOT NULL,
  expected_delivery_date text COLLATE "C" NOT NULL,
  notes text COLLATE "C",
  total_cents bigint NOT NULL,
  business_date text COLLATE "C" NOT NULL,
  created_by bytea,
  created_by_name text COLLATE "C" NOT NULL,
  sent_at bigint,
  sent_on text COLLATE "C",
  received_at bigint,
  received_on text COLLATE "C",
  closed_at bigint,
  close_reason text COLLATE "C",
  overdue_told_at bigint,
  version bigint NOT NULL DEFAULT 1,
  created_at bigint NOT NULL,
  updated_at bigint NOT NULL,
  PRIMARY KEY (outlet_id, id)
);
CREATE INDEX ON merged.purchase_orders (outlet_id, business_date);
CREATE INDEX ON merged.purchase_orders (outlet_id, supplier_id, sent_on);
CREATE INDEX ON merged.purchase_orders (outlet_id, expected_delivery_date) WHERE status IN ('DRAFT', 'SENT', 'PARTIALLY_RECEIVED');
CREATE TABLE merged.purchase_order_lines (
  id bytea NOT NULL,
  outlet_id bytea NOT NULL,
  purchase_order_id bytea NOT NULL,
  line_number bigint NOT NULL,
  stock_item_id bytea NOT NULL,
  name text COLLATE "C" NOT NULL,
  quantity bigint NOT NULL,
  unit text COLLATE "C" NOT NULL,
  unit_cost bigint NOT NULL,
  total_cents bigint NOT NULL,
  stock_quantity bigint NOT NULL CHECK (stock_quantity > 0),
  stock_unit text COLLATE "C" NOT NULL,
  received_stock_quantity bigint NOT NULL DEFAULT 0,
  PRIMARY KEY (outlet_id, id)
);
CREATE INDEX ON merged.purchase_order_lines (outlet_id, purchase_order_id, stock_item_id);
CREATE TABLE merged.purchase_deliveries (
  id bytea NOT NULL,
  outlet_id bytea NOT NULL,
  purchase_order_id bytea NOT NULL,
  supplier_id bytea NOT NULL,
  invoice_ref text COLLATE "C",
  note text COLLATE "C",
  total_cents bigint NOT NULL,
  business_date text COLLATE "C" NOT NULL,
  at bigint NOT NULL,
  by_id bytea,
  by_name text COLLATE "C" NOT NULL,
  PRIMARY KEY (outlet_id, id)
);
CREATE INDEX ON merged.purchase_deliveries (outlet_id, supplier_id, invoice_ref COLLATE hub.nocase) WHERE invoice_ref IS NOT NULL;
CREATE INDEX ON merged.purchase_deliveries (outlet_id, purchase_order_id);
CREATE TABLE merged.purchase_delivery_lines (
  id bytea NOT NULL,
  outlet_id bytea NOT NULL,
  delivery_id bytea NOT NULL,
  purchase_order_line_id bytea NOT NULL,
  line_number bigint NOT NULL,
  batch_id bytea NOT NULL,
  batch_number text COLLATE "C" NOT NULL,
  expiry_date text COLLATE "C",
  quantity bigint NOT NULL,
  unit text COLLATE "C" NOT NULL,
  unit_cost bigint NOT NULL,
  total_cents bigint NOT NULL,
  stock_quantity bigint NOT NULL,
  PRIMARY KEY (outlet_id, id)
);
CREATE INDEX ON merged.purchase_delivery_lines (outlet_id, delivery_id, line_number);
CREATE INDEX ON merged.purchase_delivery_lines (outlet_id, batch_id);
CREATE TABLE merged.shifts (
  id bytea NOT NULL,
  outlet_id bytea NOT NULL,
  employee_id bytea NOT NULL,
  date text COLLATE "C" NOT NULL,
  shift_type text COLLATE "C" NOT NULL CHECK (shift_type IN ('MORNING', 'EVENING', 'NIGHT', 'OFF')),
  start_time text COLLATE "C",
  end_time text COLLATE "C",
  station text COLLATE "C",
  notes text COLLATE "C",
  status text COLLATE "C" NOT NULL DEFAULT 'DRAFT' CHECK (status IN ('DRAFT', 'PUBLISHED')),
  published_at bigint,
  off_reason text COLLATE "C",
  leave_request_id bytea,
  version bigint NOT NULL DEFAULT 1,
  created_at bigint NOT NULL,
  created_by bytea,
  updated_at bigint NOT NULL,
  updated_by bytea,
  archived_at bigint,
  CHECK ((shift_type = 'OFF') = (start_time IS NULL) AND (start_time IS NULL) = (end_time IS NULL)),
  PRIMARY KEY (outlet_id, id)
);
CREATE INDEX ON merged.shifts (outlet_id, date) WHERE archived_at IS NULL;
CREATE INDEX ON merged.shifts (outlet_id, employee_id, date) WHERE archived_at IS NULL;
CREATE TABLE merged.shift_swaps (
  id bytea NOT NULL,
  outlet_id bytea NOT NULL,
  kind text COLLATE "C" NOT NULL CHECK (kind IN ('SWAP', 'GIVE_AWAY')),
  status text COLLATE "C" NOT NULL DEFAULT 'REQUESTED' CHECK (status IN ('REQUESTED', 'ACCEPTED', 'APPROVED', 'REJECTED', 'CANCELLED')),
  from_shift_id bytea NOT NULL,
  from_employee_id bytea NOT NULL,
  to_employee_id bytea NOT NULL,
  to_shift_id bytea,
  note text COLLATE "C",
  requested_at bigint NOT NULL,
  requested_by bytea,
  accepted_at bigint,
  accepted_by bytea,
  decided_at bigint,
  decided_by bytea,
  decided_by_name text COLLATE "C",
  decision_reason text COLLATE "C",
  version bigint NOT NULL DEFAULT 1,
  PRIMARY KEY (outlet_id, id)
);
CREATE INDEX ON merged.shift_swaps (outlet_id, requested_at);
CREATE INDEX ON merged.shift_swaps (outlet_id, from_shift_id, to_shift_id) WHERE status IN ('REQUESTED', 'ACCEPTED');
CREATE TABLE merged.attendances (
  id bytea NOT NULL,
  outlet_id bytea NOT NULL,
  employee_id bytea NOT NULL,
  employee_name text COLLATE "C" NOT NULL,
  business_date text COLLATE "C" NOT NULL,
  shift_id bytea,
  scheduled_start bigint,
  scheduled_end bigint,
  state text COLLATE "C" NOT NULL CHECK (state IN ('IN', 'BREAK', 'OUT')),
  started_at bigint NOT NULL,
  ended_at bigint,
  is_disordered bigint NOT NULL DEFAULT 0,
  created_at bigint NOT NULL,
  updated_at bigint NOT NULL,
  PRIMARY KEY (outlet_id, id)
);
CREATE INDEX ON merged.attendances (outlet_id, business_date);
CREATE INDEX ON merged.attendances (outlet_id, employee_id, started_at);
CREATE INDEX ON merged.attendances (outlet_id, started_at) WHERE state <> 'OUT';
CREATE TABLE merged.attendance_records (
  id bytea NOT NULL,
  outlet_id bytea NOT NULL,
  attendance_id bytea NOT NULL,
  employee_id bytea NOT NULL,
  event_type text COLLATE "C" NOT NULL CHECK (event_type IN ('CLOCK_IN', 'CLOCK_OUT', 'BREAK_START', 'BREAK_END')),
  at bigint NOT NULL,
  effective_at bigint NOT NULL,
  status text COLLATE "C" NOT NULL CHECK (status IN ('ON_TIME', 'LATE', 'EARLY')),
  business_date text COLLATE "C" NOT NULL,
  is_manual bigint NOT NULL DEFAULT 0,
  clock_suspect bigint NOT NULL DEFAULT 0,
  device text COLLATE "C",
  by_id bytea,
  version bigint NOT NULL DEFAULT 1,
  created_at bigint NOT NULL,
  updated_at bigint NOT NULL,
  PRIMARY KEY (outlet_id, id)
);
CREATE INDEX ON merged.attendance_records (outlet_id, business_date, effective_at);
CREATE INDEX ON merged.attendance_records (outlet_id, attendance_id, effective_at);
CREATE INDEX ON merged.attendance_records (outlet_id, employee_id, id);
CREATE TABLE merged.attendance_corrections (
  id bytea NOT NULL,
  outlet_id bytea NOT NULL,
  record_id bytea NOT NULL,
  old_at bigint,
  new_at bigint NOT NULL,
  reason text COLLATE "C" NOT NULL,
  by_id bytea,
  by_name text COLLATE "C" NOT NULL,
  approver_id bytea,
  approver_name text COLLATE "C",
  business_date text COLLATE "C" NOT NULL,
  at bigint NOT NULL,
  PRIMARY KEY (outlet_id, id)
);
CREATE INDEX ON merged.attendance_corrections (outlet_id, record_id, at);
CREATE TABLE merged.leave_requests (
  id bytea NOT NULL,
  outlet_id bytea NOT NULL,
  employee_id bytea NOT NULL,
  leave_type text COLLATE "C" NOT NULL CHECK (leave_type IN ('ANNUAL', 'SICK', 'CASUAL', 'UNPAID', 'OTHER')),
  from_date text COLLATE "C" NOT NULL,
  to_date text COLLATE "C" NOT NULL,
  half_day bigint NOT NULL DEFAULT 0,
  reason text COLLATE "C" NOT NULL,
  status text COLLATE "C" NOT NULL DEFAULT 'PENDING' CHECK (status IN ('PENDING', 'APPROVED', 'REJECTED', 'CANCELLED')),
  was_forced bigint NOT NULL DEFAULT 0,
  requested_at bigint NOT NULL,
  requested_by bytea,
  decided_at bigint,
  decided_by bytea,
  decided_by_name text COLLATE "C",
  decision_reason text COLLATE "C",
  version bigint NOT NULL DEFAULT 1,
  CHECK (from_date <= to_date AND (half_day = 0 OR from_date = to_date)),
  PRIMARY KEY (outlet_id, id)
);
CREATE INDEX ON merged.leave_requests (outlet_id, requested_at);
CREATE INDEX ON merged.leave_requests (outlet_id, to_date) WHERE status IN ('PENDING', 'APPROVED');
CREATE TABLE merged.leave_entitlements (
  id bytea NOT NULL,
  outlet_id bytea NOT NULL,
  employee_id bytea NOT NULL,
  year bigint NOT NULL,
  leave_type text COLLATE "C" NOT NULL CHECK (leave_type IN ('ANNUAL', 'SICK', 'CASUAL')),
  half_days bigint NOT NULL CHECK (half_days >= 0),
  version bigint NOT NULL DEFAULT 1,
  updated_at bigint NOT NULL,
  updated_by bytea,
  PRIMARY KEY (outlet_id, id)
);
CREATE TABLE merged.tickets (
  id bytea NOT NULL,
  outlet_id bytea NOT NULL,
  subject text COLLATE "C" NOT NULL,
  body text COLLATE "C" NOT NULL,
  category text COLLATE "C" NOT NULL,
  priority text COLLATE "C" NOT NULL CHECK (priority IN ('LOW', 'NORMAL', 'HIGH', 'URGENT')),
  status text COLLATE "C" NOT NULL DEFAULT 'OPEN' CHECK (status IN ('OPEN', 'IN_PROGRESS', 'WAITING', 'RESOLVED', 'CLOSED')),
  assignee_id bytea,
  raised_by bytea,
  raised_by_name text COLLATE "C" NOT NULL,
  version bigint NOT NULL DEFAULT 1,
  created_at bigint NOT NULL,
  updated_at bigint NOT NULL,
  resolved_at bigint,
  archived_at bigint,
  PRIMARY KEY (outlet_id, id)
);
CREATE INDEX ON merged.tickets (outlet_id, created_at) WHERE archived_at IS NULL;
CREATE TABLE merged.ticket_comments (
  id bytea NOT NULL,
  outlet_id bytea NOT NULL,
  ticket_id bytea NOT NULL,
  body text COLLATE "C" NOT NULL,
  by_id bytea,
  by_name text COLLATE "C" NOT NULL,
  at bigint NOT NULL,
  PRIMARY KEY (outlet_id, id)
);
CREATE INDEX ON merged.ticket_comments (outlet_id, ticket_id, at);
CREATE TABLE merged.feedback (
  id bytea NOT NULL,
  outlet_id bytea NOT NULL,
  order_id bytea,
  order_number text COLLATE "C",
  table_session_id bytea,
  table_number text COLLATE "C",
  rating bigint NOT NULL CHECK (rating BETWEEN 1 AND 5),
  food bigint,
  service bigint,
  cleanliness bigint,
  nps bigint,
  comment text COLLATE "C",
  customer_name text COLLATE "C",
  customer_phone text COLLATE "C",
  callback_wanted bigint NOT NULL DEFAULT 0,
  status text COLLATE "C" NOT NULL DEFAULT 'NEW' CHECK (status IN ('NEW', 'IN_PROGRESS', 'RESOLVED')),
  note text COLLATE "C",
  assignee_id bytea,
  business_date text COLLATE "C" NOT NULL,
  version bigint NOT NULL DEFAULT 1,
  created_at bigint NOT NULL,
  updated_at bigint NOT NULL,
  PRIMARY KEY (outlet_id, id)
);
CREATE INDEX ON merged.feedback (outlet_id, order_id) WHERE order_id IS NOT NULL;
CREATE INDEX ON merged.feedback (outlet_id, created_at);
CREATE INDEX ON merged.feedback (outlet_id, business_date);
CREATE TABLE merged.sync_reviews (
  id bytea NOT NULL,
  outlet_id bytea NOT NULL,
  table_name text COLLATE "C" NOT NULL,
  row_id bytea NOT NULL,
  reason text COLLATE "C" NOT NULL,
  lost text COLLATE "C" NOT NULL,
  kept text COLLATE "C",
  at bigint NOT NULL,
  resolved_at bigint,
  resolved_by bytea,
  PRIMARY KEY (outlet_id, id)
);
CREATE INDEX ON merged.sync_reviews (outlet_id, at) WHERE resolved_at IS NULL;

-- Derived, and kept by the replay whenever a recipe changes: what one portion of a dish, or one choice of an option, takes of each
-- stock item.
CREATE TABLE merged.portion_needs (
  target_id bytea NOT NULL,
  stock_item_id bytea NOT NULL,
  outlet_id bytea NOT NULL,
  is_option bigint NOT NULL,
  quantity bigint NOT NULL CHECK (quantity > 0),
  PRIMARY KEY (outlet_id, target_id, stock_item_id)
);
CREATE INDEX ON merged.portion_needs (outlet_id, stock_item_id, quantity);
