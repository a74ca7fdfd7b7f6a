-- The branch's schema as migrations 1 to 42 make it of nothing: `fresh.rs` says how it is made, and a test holds it to them.
CREATE TABLE refinery_schema_history(
             version int4 PRIMARY KEY,
             name VARCHAR(255),
             applied_on VARCHAR(255),
             checksum VARCHAR(255));
CREATE TABLE outlets (
  id BLOB PRIMARY KEY NOT NULL,
  code TEXT NOT NULL,
  name TEXT NOT NULL,
  address TEXT,
  phone TEXT,
  timezone TEXT NOT NULL,
  currency TEXT NOT NULL,
  tax_id TEXT,
  licence_number TEXT,
  business_day_starts_at TEXT NOT NULL DEFAULT '04:00',
  prices_include_tax INTEGER NOT NULL DEFAULT 0,
  service_charge_bps INTEGER NOT NULL DEFAULT 0,
  cash_rounding_cents INTEGER NOT NULL DEFAULT 0,
  tax_scheme TEXT NOT NULL DEFAULT 'REGULAR',
  stock_policy TEXT NOT NULL DEFAULT 'ALLOW_NEGATIVE' CHECK (stock_policy IN ('ALLOW_NEGATIVE', 'BLOCK')),
  qr_order_approval TEXT NOT NULL DEFAULT 'FIRST_ORDER' CHECK (qr_order_approval IN ('FIRST_ORDER', 'ALWAYS', 'NEVER')),
  attendance_grace_minutes INTEGER NOT NULL DEFAULT 5,
  attendance_max_break_minutes INTEGER NOT NULL DEFAULT 60,
  shift_times TEXT NOT NULL,               -- JSON: {"MORNING": {"start": "07:00", "end": "15:00"}, …}
  discount_limit_bps TEXT NOT NULL,        -- JSON: {"CASHIER": 500, …}
  fiscal_year_starts_on TEXT NOT NULL DEFAULT '04-01',
  version INTEGER NOT NULL DEFAULT 1,
  created_at INTEGER NOT NULL,
  updated_at INTEGER NOT NULL
, auto_availability INTEGER NOT NULL DEFAULT 1, approver_pin_min_digits INTEGER NOT NULL DEFAULT 4, void_grace_seconds INTEGER NOT NULL DEFAULT 60, blind_count INTEGER NOT NULL DEFAULT 1, pay_out_limit_cents TEXT NOT NULL DEFAULT '{"CASHIER":20000}', guest_data_days INTEGER NOT NULL DEFAULT 365, country TEXT NOT NULL DEFAULT 'ZZ', service_charge_order_types TEXT NOT NULL DEFAULT '["DINE_IN"]', service_charge_automatic INTEGER NOT NULL DEFAULT 0, service_charge_taxed INTEGER NOT NULL DEFAULT 1, hold_courses INTEGER NOT NULL DEFAULT 0, schedule_lead_minutes INTEGER NOT NULL DEFAULT 10, waiters_take_payments INTEGER NOT NULL DEFAULT 0, till TEXT NOT NULL DEFAULT '{}', quantity_tolerance_bps INTEGER NOT NULL DEFAULT 1000, price_tolerance_bps INTEGER NOT NULL DEFAULT 1000, overtime TEXT, weekly_rest_days TEXT NOT NULL DEFAULT '[]', leave_terms TEXT NOT NULL DEFAULT '{}', languages TEXT NOT NULL DEFAULT '[]') STRICT;
CREATE UNIQUE INDEX outlets_code ON outlets (code);
CREATE TABLE box (
  id INTEGER PRIMARY KEY CHECK (id = 1),
  outlet_id BLOB,
  clock_offset_ms INTEGER NOT NULL DEFAULT 0
, believed_authority TEXT) STRICT;
CREATE TABLE audit_log (
  id BLOB PRIMARY KEY NOT NULL,
  outlet_id BLOB NOT NULL,
  at INTEGER NOT NULL,
  business_date TEXT NOT NULL,
  actor_id BLOB,                           -- account
  actor_name TEXT NOT NULL,
  approver_id BLOB,                        -- employee whose PIN approved
  approver_name TEXT,
  device TEXT,
  action TEXT NOT NULL,
  entity_type TEXT NOT NULL,
  entity_id BLOB,
  before TEXT,                             -- JSON
  after TEXT,                              -- JSON
  reason TEXT
, clock_suspect INTEGER NOT NULL DEFAULT 0) STRICT;
CREATE INDEX audit_log_by_time ON audit_log (outlet_id, at);
CREATE INDEX audit_log_by_entity ON audit_log (outlet_id, entity_type, entity_id, at);
CREATE TABLE notifications (
  id BLOB PRIMARY KEY NOT NULL,
  outlet_id BLOB NOT NULL,
  type TEXT NOT NULL,
  severity TEXT NOT NULL CHECK (severity IN ('INFO', 'WARNING', 'CRITICAL')),
  title TEXT NOT NULL,
  body TEXT NOT NULL,
  audience TEXT NOT NULL DEFAULT 'STAFF',  -- STAFF, MANAGERS or OWNERS
  entity_type TEXT,
  entity_id BLOB,
  dedupe_key TEXT NOT NULL,                -- repeats while unread are counted on one row
  count INTEGER NOT NULL DEFAULT 1,
  created_at INTEGER NOT NULL,
  updated_at INTEGER NOT NULL,
  read_at INTEGER,
  read_by BLOB
) STRICT;
CREATE UNIQUE INDEX notifications_unread ON notifications (outlet_id, dedupe_key) WHERE read_at IS NULL;
CREATE INDEX notifications_by_time ON notifications (outlet_id, created_at);
CREATE TABLE employees (
  id BLOB PRIMARY KEY NOT NULL,
  outlet_id BLOB NOT NULL REFERENCES outlets (id),
  employee_code TEXT NOT NULL,
  name TEXT NOT NULL,
  phone TEXT,
  email TEXT,
  job_title TEXT NOT NULL,
  station TEXT,
  hourly_rate_cents INTEGER NOT NULL DEFAULT 0,
  employment_type TEXT NOT NULL DEFAULT 'FULL_TIME',
  hired_on TEXT,
  ended_on TEXT,
  status TEXT NOT NULL DEFAULT 'ACTIVE' CHECK (status IN ('ACTIVE', 'ON_LEAVE', 'ENDED')),
  pin_hash BLOB,                           -- argon2id(PIN, outlet salt, pepper): deterministic, so it can be looked up
  version INTEGER NOT NULL DEFAULT 1,
  created_at INTEGER NOT NULL,
  updated_at INTEGER NOT NULL,
  archived_at INTEGER
, till_role TEXT, pay_basis TEXT NOT NULL DEFAULT 'HOURLY' CHECK (pay_basis IN ('HOURLY', 'MONTHLY')), monthly_salary_cents INTEGER NOT NULL DEFAULT 0, day_minutes INTEGER) STRICT;
CREATE UNIQUE INDEX employees_code ON employees (outlet_id, employee_code);
CREATE UNIQUE INDEX employees_pin ON employees (outlet_id, pin_hash) WHERE pin_hash IS NOT NULL AND archived_at IS NULL;
CREATE TABLE employee_wages (
  id BLOB PRIMARY KEY NOT NULL,
  outlet_id BLOB NOT NULL,
  employee_id BLOB NOT NULL REFERENCES employees (id),
  hourly_rate_cents INTEGER NOT NULL,
  effective_at INTEGER NOT NULL,
  set_by BLOB
, pay_basis TEXT NOT NULL DEFAULT 'HOURLY' CHECK (pay_basis IN ('HOURLY', 'MONTHLY')), monthly_salary_cents INTEGER NOT NULL DEFAULT 0) STRICT;
CREATE INDEX employee_wages_by_employee ON employee_wages (employee_id, effective_at);
CREATE TABLE accounts (
  id BLOB PRIMARY KEY NOT NULL,
  outlet_id BLOB NOT NULL,                 -- where it was made; what it may use is in account_outlets
  email TEXT NOT NULL COLLATE NOCASE,
  name TEXT NOT NULL,
  password_hash TEXT NOT NULL,             -- argon2id, PHC string
  role TEXT NOT NULL,
  employee_id BLOB REFERENCES employees (id),
  is_active INTEGER NOT NULL DEFAULT 1,
  version INTEGER NOT NULL DEFAULT 1,
  created_at INTEGER NOT NULL,
  updated_at INTEGER NOT NULL
, channel_ids TEXT NOT NULL DEFAULT '[]') STRICT;
CREATE UNIQUE INDEX accounts_email ON accounts (email);
CREATE UNIQUE INDEX accounts_employee ON accounts (employee_id) WHERE employee_id IS NOT NULL;
CREATE TABLE account_outlets (
  id BLOB PRIMARY KEY NOT NULL,
  outlet_id BLOB NOT NULL REFERENCES outlets (id),
  account_id BLOB NOT NULL REFERENCES accounts (id),
  position INTEGER NOT NULL
) STRICT;
CREATE UNIQUE INDEX account_outlets_by_account ON account_outlets (account_id, outlet_id);
CREATE TABLE sessions (
  id BLOB PRIMARY KEY NOT NULL,
  outlet_id BLOB NOT NULL,
  account_id BLOB NOT NULL REFERENCES accounts (id),
  device_name TEXT,
  created_at INTEGER NOT NULL,
  last_used_at INTEGER NOT NULL,
  expires_at INTEGER NOT NULL,
  revoked_at INTEGER,
  revoked_reason TEXT
, pin_ended_at INTEGER) STRICT;
CREATE INDEX sessions_by_account ON sessions (account_id, created_at);
CREATE TABLE refresh_tokens (
  hash BLOB PRIMARY KEY NOT NULL,
  session_id BLOB NOT NULL REFERENCES sessions (id) ON DELETE CASCADE,
  outlet_id BLOB NOT NULL,
  created_at INTEGER NOT NULL,
  expires_at INTEGER NOT NULL,
  spent_at INTEGER,
  successor_hash BLOB
) STRICT;
CREATE INDEX refresh_tokens_by_session ON refresh_tokens (session_id);
CREATE TABLE password_resets (
  hash BLOB PRIMARY KEY NOT NULL,
  outlet_id BLOB NOT NULL,
  account_id BLOB NOT NULL REFERENCES accounts (id),
  created_at INTEGER NOT NULL,
  expires_at INTEGER NOT NULL,
  used_at INTEGER
) STRICT;
CREATE INDEX password_resets_by_account ON password_resets (account_id);
CREATE TABLE throttles (
  key TEXT PRIMARY KEY NOT NULL,
  outlet_id BLOB,
  failures INTEGER NOT NULL,
  window_started_at INTEGER NOT NULL,
  locked_until INTEGER
) STRICT;
CREATE TABLE idempotency (
  owner BLOB NOT NULL,
  key TEXT NOT NULL,
  outlet_id BLOB NOT NULL,
  request_hash BLOB NOT NULL,
  status INTEGER NOT NULL,
  body BLOB NOT NULL,
  created_at INTEGER NOT NULL,
  PRIMARY KEY (owner, key)
) STRICT;
CREATE INDEX idempotency_by_time ON idempotency (created_at);
CREATE TABLE tax_categories (
  id BLOB PRIMARY KEY NOT NULL,
  outlet_id BLOB NOT NULL,
  name TEXT NOT NULL,
  components TEXT NOT NULL,                -- JSON: [{"name": "CGST", "rateBps": 250}, …]
  version INTEGER NOT NULL DEFAULT 1,
  created_at INTEGER NOT NULL,
  updated_at INTEGER NOT NULL,
  archived_at INTEGER
, is_goods INTEGER NOT NULL DEFAULT 0) STRICT;
CREATE UNIQUE INDEX tax_categories_name ON tax_categories (outlet_id, name) WHERE archived_at IS NULL;
CREATE TABLE menu_categories (
  id BLOB PRIMARY KEY NOT NULL,
  outlet_id BLOB NOT NULL,
  name TEXT NOT NULL,
  description TEXT,
  sort_order INTEGER NOT NULL DEFAULT 0,
  is_active INTEGER NOT NULL DEFAULT 1,
  version INTEGER NOT NULL DEFAULT 1,
  created_at INTEGER NOT NULL,
  updated_at INTEGER NOT NULL,
  archived_at INTEGER
, windows TEXT NOT NULL DEFAULT '[]', texts TEXT NOT NULL DEFAULT '{}') STRICT;
CREATE UNIQUE INDEX menu_categories_name ON menu_categories (outlet_id, name) WHERE archived_at IS NULL;
CREATE TABLE menu_items (
  id BLOB PRIMARY KEY NOT NULL,
  outlet_id BLOB NOT NULL,
  category_id BLOB NOT NULL REFERENCES menu_categories (id),
  name TEXT NOT NULL,
  kitchen_name TEXT,
  description TEXT,
  sku TEXT,
  price_cents INTEGER NOT NULL,            -- the shared price; menu_prices overrides it per outlet
  tax_category_id BLOB REFERENCES tax_categories (id),
  hsn_sac TEXT,
  station_id BLOB,                         -- kitchen_stations (id); the default station where it is null
  course INTEGER,
  prep_minutes INTEGER,
  dietary TEXT,
  allergens TEXT NOT NULL DEFAULT '[]',    -- JSON array of strings
  image_url TEXT,
  available_from TEXT,                     -- 'HH:MM' local
  available_to TEXT,
  available_days TEXT,                     -- JSON array of MON…SUN; null = every day
  is_active INTEGER NOT NULL DEFAULT 1,
  sort_order INTEGER NOT NULL DEFAULT 0,
  version INTEGER NOT NULL DEFAULT 1,
  created_at INTEGER NOT NULL,
  updated_at INTEGER NOT NULL,
  archived_at INTEGER
, variant_of_id BLOB REFERENCES menu_items (id), variant_name TEXT, is_default INTEGER NOT NULL DEFAULT 0, kind TEXT NOT NULL DEFAULT 'ITEM', more_windows TEXT NOT NULL DEFAULT '[]', energy_kcal INTEGER, serving_size TEXT, texts TEXT NOT NULL DEFAULT '{}', sold_by TEXT NOT NULL DEFAULT 'PIECE', weight_unit TEXT) STRICT;
CREATE INDEX menu_items_by_category ON menu_items (outlet_id, category_id, sort_order);
CREATE UNIQUE INDEX menu_items_sku ON menu_items (outlet_id, sku) WHERE sku IS NOT NULL AND archived_at IS NULL;
CREATE TABLE modifier_groups (
  id BLOB PRIMARY KEY NOT NULL,
  outlet_id BLOB NOT NULL,
  name TEXT NOT NULL,
  min_selections INTEGER NOT NULL DEFAULT 0,
  max_selections INTEGER,
  version INTEGER NOT NULL DEFAULT 1,
  created_at INTEGER NOT NULL,
  updated_at INTEGER NOT NULL,
  archived_at INTEGER
, texts TEXT NOT NULL DEFAULT '{}') STRICT;
CREATE TABLE modifier_options (
  id BLOB PRIMARY KEY NOT NULL,
  outlet_id BLOB NOT NULL,
  group_id BLOB NOT NULL REFERENCES modifier_groups (id),
  name TEXT NOT NULL,
  price_cents INTEGER NOT NULL DEFAULT 0,
  is_default INTEGER NOT NULL DEFAULT 0,
  is_active INTEGER NOT NULL DEFAULT 1,
  sort_order INTEGER NOT NULL DEFAULT 0,
  archived_at INTEGER
, texts TEXT NOT NULL DEFAULT '{}') STRICT;
CREATE INDEX modifier_options_by_group ON modifier_options (group_id, sort_order);
CREATE TABLE menu_item_modifier_groups (
  id BLOB PRIMARY KEY NOT NULL,
  outlet_id BLOB NOT NULL,
  menu_item_id BLOB NOT NULL REFERENCES menu_items (id),
  group_id BLOB NOT NULL REFERENCES modifier_groups (id),
  sort_order INTEGER NOT NULL DEFAULT 0
) STRICT;
CREATE UNIQUE INDEX menu_item_modifier_groups_pair ON menu_item_modifier_groups (menu_item_id, group_id);
CREATE INDEX menu_item_modifier_groups_by_group ON menu_item_modifier_groups (group_id);
CREATE TABLE menu_availability (
  id BLOB PRIMARY KEY NOT NULL,
  outlet_id BLOB NOT NULL,
  menu_item_id BLOB REFERENCES menu_items (id),
  option_id BLOB REFERENCES modifier_options (id),
  status TEXT NOT NULL CHECK (status IN ('IN_STOCK', 'LIMITED', 'OUT_OF_STOCK')),
  quantity_left INTEGER,
  until INTEGER,
  reason TEXT,
  source TEXT NOT NULL DEFAULT 'MANUAL',   -- MANUAL or AUTO_RECIPE
  version INTEGER NOT NULL DEFAULT 1,
  updated_at INTEGER NOT NULL,
  updated_by BLOB,
  CHECK ((menu_item_id IS NULL) <> (option_id IS NULL))
) STRICT;
CREATE UNIQUE INDEX menu_availability_item ON menu_availability (outlet_id, menu_item_id) WHERE menu_item_id IS NOT NULL;
CREATE UNIQUE INDEX menu_availability_option ON menu_availability (outlet_id, option_id) WHERE option_id IS NOT NULL;
CREATE TABLE menu_prices (
  id BLOB PRIMARY KEY NOT NULL,
  outlet_id BLOB NOT NULL,
  menu_item_id BLOB NOT NULL REFERENCES menu_items (id),
  price_cents INTEGER,                     -- null: back to the shared price
  version INTEGER NOT NULL DEFAULT 1,
  updated_at INTEGER NOT NULL,
  updated_by BLOB
) STRICT;
CREATE UNIQUE INDEX menu_prices_item ON menu_prices (outlet_id, menu_item_id);
CREATE TABLE menu_revision (
  outlet_id BLOB PRIMARY KEY NOT NULL,
  revision INTEGER NOT NULL
) STRICT;
CREATE TABLE dining_tables (
  id BLOB PRIMARY KEY NOT NULL,
  outlet_id BLOB NOT NULL,
  number TEXT NOT NULL,
  area TEXT,
  seats INTEGER NOT NULL,
  position_x INTEGER,
  position_y INTEGER,
  status TEXT NOT NULL DEFAULT 'AVAILABLE'
    CHECK (status IN ('AVAILABLE', 'OCCUPIED', 'BILL_PRINTED', 'RESERVED', 'CLEANING', 'BLOCKED')),
  qr_token TEXT,                           -- 128 random bits, base64url; a bearer right to order at this table
  qr_rotated_at INTEGER,
  version INTEGER NOT NULL DEFAULT 1,
  created_at INTEGER NOT NULL,
  updated_at INTEGER NOT NULL,
  archived_at INTEGER
, shape TEXT NOT NULL DEFAULT 'SQUARE', width INTEGER, height INTEGER, rotation INTEGER NOT NULL DEFAULT 0, area_order INTEGER NOT NULL DEFAULT 0, texts TEXT NOT NULL DEFAULT '{}', area_texts TEXT NOT NULL DEFAULT '{}') STRICT;
CREATE UNIQUE INDEX dining_tables_number ON dining_tables (outlet_id, number) WHERE archived_at IS NULL;
CREATE UNIQUE INDEX dining_tables_qr ON dining_tables (qr_token) WHERE qr_token IS NOT NULL;
CREATE TABLE table_sessions (
  id BLOB PRIMARY KEY NOT NULL,
  outlet_id BLOB NOT NULL,
  table_id BLOB NOT NULL REFERENCES dining_tables (id),
  party_size INTEGER,
  business_date TEXT NOT NULL,
  opened_at INTEGER NOT NULL,
  opened_by BLOB,
  closed_at INTEGER,
  merged_into_id BLOB REFERENCES table_sessions (id),
  approved_at INTEGER                      -- staff accepted this party's first QR order
, session_code TEXT, code_failures INTEGER NOT NULL DEFAULT 0) STRICT;
CREATE INDEX table_sessions_by_date ON table_sessions (outlet_id, business_date);
CREATE TABLE suppliers (
  id BLOB PRIMARY KEY NOT NULL,
  outlet_id BLOB NOT NULL,
  name TEXT NOT NULL,
  contact_name TEXT,
  phone TEXT,
  email TEXT,
  address TEXT,
  tax_id TEXT,
  lead_time_days INTEGER NOT NULL DEFAULT 1,
  version INTEGER NOT NULL DEFAULT 1,
  created_at INTEGER NOT NULL,
  updated_at INTEGER NOT NULL,
  archived_at INTEGER
, agreed_prices TEXT NOT NULL DEFAULT '[]') STRICT;
CREATE UNIQUE INDEX suppliers_name ON suppliers (outlet_id, name) WHERE archived_at IS NULL;
CREATE TABLE stock_items (
  id BLOB PRIMARY KEY NOT NULL,
  outlet_id BLOB NOT NULL,
  name TEXT NOT NULL,
  category TEXT NOT NULL,
  unit TEXT NOT NULL,
  sku TEXT,
  rotation TEXT NOT NULL DEFAULT 'FEFO' CHECK (rotation IN ('FEFO', 'FIFO')),
  min_stock_threshold INTEGER NOT NULL DEFAULT 0,
  par_level INTEGER,
  supplier_id BLOB REFERENCES suppliers (id),
  unit_conversions TEXT NOT NULL DEFAULT '[]', -- JSON: [{"unit": "crate", "factor": 12}]: 1 crate = 12 units
  version INTEGER NOT NULL DEFAULT 1,
  created_at INTEGER NOT NULL,
  updated_at INTEGER NOT NULL,
  archived_at INTEGER
, preparation_id BLOB) STRICT;
CREATE UNIQUE INDEX stock_items_name ON stock_items (outlet_id, name) WHERE archived_at IS NULL;
CREATE UNIQUE INDEX stock_items_sku ON stock_items (outlet_id, sku) WHERE sku IS NOT NULL AND archived_at IS NULL;
CREATE TABLE stock_batches (
  id BLOB PRIMARY KEY NOT NULL,
  outlet_id BLOB NOT NULL,
  stock_item_id BLOB NOT NULL REFERENCES stock_items (id),
  batch_number TEXT NOT NULL,
  expiry_date TEXT,
  received_at INTEGER NOT NULL,
  unit_cost INTEGER NOT NULL,
  supplier_id BLOB REFERENCES suppliers (id),
  source_type TEXT NOT NULL,               -- OPENING, DELIVERY, ADJUSTMENT, TRANSFER
  source_id BLOB
) STRICT;
CREATE TABLE stock_batch_levels (
  batch_id BLOB PRIMARY KEY NOT NULL REFERENCES stock_batches (id),
  outlet_id BLOB NOT NULL,
  stock_item_id BLOB NOT NULL,
  quantity INTEGER NOT NULL CHECK (quantity >= 0),
  unit_cost INTEGER NOT NULL,
  expiry_date TEXT NOT NULL DEFAULT '9999-12-31',
  received_at INTEGER NOT NULL
) STRICT;
CREATE INDEX stock_batch_levels_fefo ON stock_batch_levels (stock_item_id, expiry_date, received_at, batch_id);
CREATE INDEX stock_batch_levels_fifo ON stock_batch_levels (stock_item_id, received_at, batch_id);
CREATE TABLE stock_movements (
  id BLOB PRIMARY KEY NOT NULL,
  outlet_id BLOB NOT NULL,
  stock_item_id BLOB NOT NULL REFERENCES stock_items (id),
  batch_id BLOB REFERENCES stock_batches (id), -- null: taken without stock (deficit)
  kind TEXT NOT NULL,                      -- OPENING RECEIPT SALE RETURN WASTE ADJUSTMENT STOCKTAKE TRANSFER_OUT TRANSFER_IN SETTLEMENT
  quantity_delta INTEGER NOT NULL,
  quantity_before INTEGER NOT NULL,
  quantity_after INTEGER NOT NULL,
  unit_cost INTEGER NOT NULL,
  cost_micros INTEGER NOT NULL,            -- quantity_delta × unit_cost in millionths of a cent, sign of the delta; the exact
                                           -- rest where the last part of a taking comes back or a deficit is settled
  cause_type TEXT NOT NULL,                -- ORDER, ORDER_ITEM_VOID, ADJUSTMENT, DELIVERY, …
  cause_id BLOB,
  order_id BLOB,
  order_item_id BLOB,
  reverses_id BLOB REFERENCES stock_movements (id),
  reason TEXT,
  note TEXT,
  actor_id BLOB,
  business_date TEXT NOT NULL,
  at INTEGER NOT NULL
, clock_suspect INTEGER NOT NULL DEFAULT 0) STRICT;
CREATE INDEX stock_movements_by_order_item ON stock_movements (order_item_id) WHERE order_item_id IS NOT NULL;
CREATE INDEX stock_movements_by_date ON stock_movements (outlet_id, business_date, kind);
CREATE INDEX stock_movements_reversals ON stock_movements (reverses_id) WHERE reverses_id IS NOT NULL;
CREATE TABLE recipes (
  id BLOB PRIMARY KEY NOT NULL,
  outlet_id BLOB NOT NULL,
  menu_item_id BLOB REFERENCES menu_items (id),       -- a dish …
  option_id BLOB REFERENCES modifier_options (id),    -- … or what an option adds or (negative) removes …
  name TEXT,                                          -- … or a preparation used by others (sub-recipe)
  yield_quantity INTEGER NOT NULL DEFAULT 1000000,
  yield_unit TEXT NOT NULL DEFAULT 'pcs',
  version INTEGER NOT NULL DEFAULT 1,
  created_at INTEGER NOT NULL,
  updated_at INTEGER NOT NULL,
  archived_at INTEGER
, shelf_life_days INTEGER) STRICT;
CREATE UNIQUE INDEX recipes_item ON recipes (outlet_id, menu_item_id) WHERE menu_item_id IS NOT NULL AND archived_at IS NULL;
CREATE UNIQUE INDEX recipes_option ON recipes (outlet_id, option_id) WHERE option_id IS NOT NULL AND archived_at IS NULL;
CREATE UNIQUE INDEX recipes_name ON recipes (outlet_id, name) WHERE name IS NOT NULL AND archived_at IS NULL;
CREATE TABLE recipe_ingredients (
  id BLOB PRIMARY KEY NOT NULL,
  outlet_id BLOB NOT NULL,
  recipe_id BLOB NOT NULL REFERENCES recipes (id),
  stock_item_id BLOB REFERENCES stock_items (id),
  sub_recipe_id BLOB REFERENCES recipes (id),
  quantity INTEGER NOT NULL,
  unit TEXT NOT NULL,
  sort_order INTEGER NOT NULL DEFAULT 0,
  CHECK ((stock_item_id IS NULL) <> (sub_recipe_id IS NULL))
) STRICT;
CREATE INDEX recipe_ingredients_by_recipe ON recipe_ingredients (recipe_id, sort_order);
CREATE INDEX recipe_ingredients_by_stock_item ON recipe_ingredients (stock_item_id) WHERE stock_item_id IS NOT NULL;
CREATE INDEX recipe_ingredients_by_sub_recipe ON recipe_ingredients (sub_recipe_id) WHERE sub_recipe_id IS NOT NULL;
CREATE TABLE kitchen_stations (
  id BLOB PRIMARY KEY NOT NULL,
  outlet_id BLOB NOT NULL,
  name TEXT NOT NULL,
  kind TEXT NOT NULL DEFAULT 'PREP' CHECK (kind IN ('PREP', 'EXPO')),
  is_default INTEGER NOT NULL DEFAULT 0,
  target_minutes INTEGER NOT NULL DEFAULT 15,
  printer_address TEXT,
  print_tickets INTEGER NOT NULL DEFAULT 0, -- every ticket goes on paper at once, not only those no display acknowledged
  fallback_station_id BLOB REFERENCES kitchen_stations (id),
  version INTEGER NOT NULL DEFAULT 1,
  created_at INTEGER NOT NULL,
  updated_at INTEGER NOT NULL,
  archived_at INTEGER
, language TEXT, texts TEXT NOT NULL DEFAULT '{}') STRICT;
CREATE UNIQUE INDEX kitchen_stations_name ON kitchen_stations (outlet_id, name) WHERE archived_at IS NULL;
CREATE UNIQUE INDEX kitchen_stations_default ON kitchen_stations (outlet_id) WHERE is_default = 1 AND archived_at IS NULL;
CREATE TABLE kitchen_tickets (
  id BLOB PRIMARY KEY NOT NULL,
  outlet_id BLOB NOT NULL,
  station_id BLOB NOT NULL REFERENCES kitchen_stations (id),
  ticket_number INTEGER NOT NULL,          -- per station and business date, from 1
  business_date TEXT NOT NULL,
  order_id BLOB NOT NULL,
  order_number TEXT NOT NULL,
  token_number INTEGER NOT NULL,
  order_type TEXT NOT NULL,
  table_number TEXT,
  type TEXT NOT NULL
    CHECK (type IN ('NEW', 'ADDITION', 'MODIFICATION', 'CANCELLATION', 'TRANSFER', 'REPRINT')),
  course INTEGER NOT NULL DEFAULT 1,
  status TEXT NOT NULL
    CHECK (status IN ('HELD', 'QUEUED', 'IN_PREPARATION', 'READY', 'SERVED', 'CANCELLED')),
  priority INTEGER NOT NULL DEFAULT 0,
  notes TEXT,
  copy_number INTEGER NOT NULL DEFAULT 0,  -- a reprint says COPY n
  refers_to_id BLOB REFERENCES kitchen_tickets (id), -- the ticket a slip (MODIFICATION … REPRINT) is about
  target_minutes INTEGER NOT NULL,         -- from firing to ready
  created_at INTEGER NOT NULL,
  fired_at INTEGER,
  started_at INTEGER,
  ready_at INTEGER,
  served_at INTEGER,
  cancelled_at INTEGER,
  target_ready_at INTEGER,
  acked_at INTEGER,
  escalated_at INTEGER,                    -- nobody acknowledged: sent to the printer or fallback, once
  escalated_to_id BLOB REFERENCES kitchen_stations (id), -- the fallback station whose display shows it too
  recalled_count INTEGER NOT NULL DEFAULT 0,
  version INTEGER NOT NULL DEFAULT 1,
  updated_at INTEGER NOT NULL
) STRICT;
CREATE INDEX kitchen_tickets_open ON kitchen_tickets (outlet_id, station_id, created_at)
  WHERE status IN ('HELD', 'QUEUED', 'IN_PREPARATION', 'READY');
CREATE INDEX kitchen_tickets_unacked ON kitchen_tickets (outlet_id, fired_at)
  WHERE acked_at IS NULL AND escalated_at IS NULL AND status = 'QUEUED';
CREATE INDEX kitchen_tickets_by_date ON kitchen_tickets (outlet_id, business_date);
CREATE TABLE kitchen_ticket_items (
  id BLOB PRIMARY KEY NOT NULL,
  outlet_id BLOB NOT NULL,
  ticket_id BLOB NOT NULL REFERENCES kitchen_tickets (id),
  order_id BLOB NOT NULL,                  -- whose line it is now: splits and merges move lines, never dishes
  order_item_id BLOB NOT NULL,
  menu_item_id BLOB NOT NULL,
  name TEXT NOT NULL,
  quantity INTEGER NOT NULL,
  modifiers TEXT NOT NULL DEFAULT '[]',    -- JSON array of strings
  notes TEXT,
  seat_number INTEGER,
  status TEXT NOT NULL CHECK (status IN ('QUEUED', 'IN_PREPARATION', 'READY', 'CANCELLED')),
  started_at INTEGER,
  ready_at INTEGER
, variant_id BLOB, combo_name TEXT, weight INTEGER, weight_unit TEXT) STRICT;
CREATE INDEX kitchen_ticket_items_by_ticket ON kitchen_ticket_items (ticket_id);
CREATE INDEX kitchen_ticket_items_by_order ON kitchen_ticket_items (order_id);
CREATE INDEX kitchen_ticket_items_by_order_item ON kitchen_ticket_items (order_item_id);
CREATE TABLE counters (
  id BLOB PRIMARY KEY NOT NULL,
  outlet_id BLOB NOT NULL,
  series TEXT NOT NULL,                    -- ORDER:2026-11-20, INVOICE:2627, CREDIT_NOTE:2627, TICKET:<station hex>:2026-11-20
  value INTEGER NOT NULL
) STRICT;
CREATE UNIQUE INDEX counters_series ON counters (outlet_id, series);
CREATE TABLE orders (
  id BLOB PRIMARY KEY NOT NULL,
  outlet_id BLOB NOT NULL,
  order_number TEXT NOT NULL,
  token_number INTEGER NOT NULL,
  business_date TEXT NOT NULL,
  order_type TEXT NOT NULL CHECK (order_type IN ('DINE_IN', 'TAKEAWAY', 'DELIVERY', 'COUNTER')),
  source TEXT NOT NULL,
  status TEXT NOT NULL CHECK (status IN
    ('PENDING', 'ACCEPTED', 'IN_PREPARATION', 'READY', 'DELIVERED', 'COMPLETED', 'CANCELLED')),
  table_id BLOB REFERENCES dining_tables (id),
  table_number TEXT,
  table_session_id BLOB REFERENCES table_sessions (id),
  notes TEXT,
  guest_count INTEGER,
  scheduled_for INTEGER,
  prices_include_tax INTEGER NOT NULL,
  service_charge_bps INTEGER NOT NULL,
  cash_rounding_cents INTEGER NOT NULL,
  gross_cents INTEGER NOT NULL,            -- lines as priced, before discounts
  subtotal_cents INTEGER NOT NULL,         -- lines without tax, before discounts
  discount_cents INTEGER NOT NULL DEFAULT 0,
  service_charge_cents INTEGER NOT NULL DEFAULT 0,
  tax_cents INTEGER NOT NULL DEFAULT 0,
  rounding_cents INTEGER NOT NULL DEFAULT 0,
  total_cents INTEGER NOT NULL,
  paid_cents INTEGER NOT NULL DEFAULT 0,
  refunded_cents INTEGER NOT NULL DEFAULT 0,
  tip_cents INTEGER NOT NULL DEFAULT 0,
  invoice_id BLOB,
  invoice_number TEXT,
  dispatched_at INTEGER,                   -- null: a QR order that staff have not accepted
  split_from_id BLOB REFERENCES orders (id),
  merged_into_id BLOB REFERENCES orders (id),
  created_by BLOB,
  version INTEGER NOT NULL DEFAULT 1,
  created_at INTEGER NOT NULL,
  updated_at INTEGER NOT NULL,
  closed_at INTEGER
, clock_suspect INTEGER NOT NULL DEFAULT 0, guest_key BLOB, receipt_code TEXT, revenue_date TEXT, credited_cents INTEGER NOT NULL DEFAULT 0, written_off_cents INTEGER NOT NULL DEFAULT 0, service_charge_taxed INTEGER NOT NULL DEFAULT 1, service_charge_taxes TEXT NOT NULL DEFAULT '[]', channel_id BLOB, external_id TEXT, is_operator_taxed INTEGER NOT NULL DEFAULT 0, commission_bps INTEGER NOT NULL DEFAULT 0, commission_cents INTEGER NOT NULL DEFAULT 0, slip_id BLOB, slip_number TEXT, release_at INTEGER, server_id BLOB, server_name TEXT) STRICT;
CREATE INDEX orders_by_time ON orders (outlet_id, created_at);
CREATE INDEX orders_by_status ON orders (outlet_id, status, created_at);
CREATE INDEX orders_open ON orders (outlet_id, created_at) WHERE status NOT IN ('COMPLETED', 'CANCELLED');
CREATE INDEX orders_by_session ON orders (table_session_id) WHERE table_session_id IS NOT NULL;
CREATE INDEX orders_by_table ON orders (outlet_id, table_number, created_at) WHERE table_number IS NOT NULL;
CREATE TABLE order_counts (
  outlet_id BLOB NOT NULL,
  status TEXT NOT NULL,
  count INTEGER NOT NULL,
  PRIMARY KEY (outlet_id, status)
) STRICT;
CREATE TRIGGER orders_counted_in AFTER INSERT ON orders BEGIN
  INSERT INTO order_counts (outlet_id, status, count) VALUES (NEW.outlet_id, NEW.status, 1)
    ON CONFLICT (outlet_id, status) DO UPDATE SET count = count + 1;
END;
CREATE TRIGGER orders_counted_over AFTER UPDATE OF status ON orders WHEN NEW.status <> OLD.status BEGIN
  UPDATE order_counts SET count = count - 1 WHERE outlet_id = OLD.outlet_id AND status = OLD.status;
  INSERT INTO order_counts (outlet_id, status, count) VALUES (NEW.outlet_id, NEW.status, 1)
    ON CONFLICT (outlet_id, status) DO UPDATE SET count = count + 1;
END;
CREATE TRIGGER orders_counted_out AFTER DELETE ON orders BEGIN
  UPDATE order_counts SET count = count - 1 WHERE outlet_id = OLD.outlet_id AND status = OLD.status;
END;
CREATE TABLE order_items (
  id BLOB PRIMARY KEY NOT NULL,
  outlet_id BLOB NOT NULL,
  order_id BLOB NOT NULL REFERENCES orders (id),
  line_number INTEGER NOT NULL,
  menu_item_id BLOB NOT NULL REFERENCES menu_items (id),
  name TEXT NOT NULL,
  hsn_sac TEXT,
  station_id BLOB,
  unit_price_cents INTEGER NOT NULL,       -- without modifiers
  modifiers_cents INTEGER NOT NULL DEFAULT 0, -- of one unit
  quantity INTEGER NOT NULL,               -- what is still sold, voids taken off
  voided_quantity INTEGER NOT NULL DEFAULT 0,
  course INTEGER NOT NULL DEFAULT 1,
  seat_number INTEGER,
  notes TEXT,
  tax_components TEXT NOT NULL DEFAULT '[]', -- JSON as in tax_categories, at the time of ordering
  gross_cents INTEGER NOT NULL,            -- (unit + modifiers) × quantity
  discount_cents INTEGER NOT NULL DEFAULT 0,
  service_charge_cents INTEGER NOT NULL DEFAULT 0,
  tax_cents INTEGER NOT NULL DEFAULT 0,
  split_from_id BLOB REFERENCES order_items (id), -- the line whose ingredients and tickets it shares
  version INTEGER NOT NULL DEFAULT 1,
  created_at INTEGER NOT NULL,
  created_by BLOB
, subtotal_cents INTEGER NOT NULL DEFAULT 0, is_goods INTEGER NOT NULL DEFAULT 0, hold INTEGER NOT NULL DEFAULT 0, variant_id BLOB REFERENCES menu_items (id), combo_id BLOB REFERENCES menu_items (id), combo_line_id BLOB REFERENCES order_items (id), component TEXT, extra_cents INTEGER NOT NULL DEFAULT 0, price_list_id BLOB, weight INTEGER, weight_unit TEXT) STRICT;
CREATE INDEX order_items_by_order ON order_items (order_id, line_number);
CREATE INDEX order_items_by_root ON order_items (split_from_id) WHERE split_from_id IS NOT NULL;
CREATE TABLE order_item_modifiers (
  id BLOB PRIMARY KEY NOT NULL,
  outlet_id BLOB NOT NULL,
  order_id BLOB NOT NULL,
  order_item_id BLOB NOT NULL REFERENCES order_items (id),
  option_id BLOB,
  name TEXT NOT NULL,
  price_cents INTEGER NOT NULL
) STRICT;
CREATE INDEX order_item_modifiers_by_order ON order_item_modifiers (order_id);
CREATE TABLE order_item_voids (
  id BLOB PRIMARY KEY NOT NULL,
  outlet_id BLOB NOT NULL,
  order_id BLOB NOT NULL,
  order_item_id BLOB NOT NULL REFERENCES order_items (id),
  quantity INTEGER NOT NULL,
  amount_cents INTEGER NOT NULL,           -- gross value of what was taken off
  reason TEXT NOT NULL,
  was_made INTEGER NOT NULL,
  by_id BLOB,
  approver_id BLOB,
  business_date TEXT NOT NULL,
  at INTEGER NOT NULL
, kind TEXT NOT NULL DEFAULT 'VOID', cost_micros INTEGER NOT NULL DEFAULT 0, weight INTEGER) STRICT;
CREATE INDEX order_item_voids_by_order ON order_item_voids (order_id);
CREATE INDEX order_item_voids_by_date ON order_item_voids (outlet_id, business_date);
CREATE TABLE order_status_history (
  id BLOB PRIMARY KEY NOT NULL,
  outlet_id BLOB NOT NULL,
  order_id BLOB NOT NULL REFERENCES orders (id),
  from_status TEXT,
  to_status TEXT NOT NULL,
  at INTEGER NOT NULL,
  by_id BLOB,
  by_name TEXT NOT NULL,
  reason TEXT
) STRICT;
CREATE INDEX order_status_history_by_order ON order_status_history (order_id, at);
CREATE TABLE order_discounts (
  id BLOB PRIMARY KEY NOT NULL,
  outlet_id BLOB NOT NULL,
  order_id BLOB NOT NULL REFERENCES orders (id),
  order_item_id BLOB REFERENCES order_items (id),
  type TEXT NOT NULL CHECK (type IN ('PERCENT', 'FIXED')),
  value INTEGER NOT NULL,                  -- basis points or cents
  amount_cents INTEGER NOT NULL,
  reason TEXT NOT NULL,
  by_id BLOB,
  approver_id BLOB,
  business_date TEXT NOT NULL,
  at INTEGER NOT NULL,
  removed_at INTEGER
, net_cents INTEGER NOT NULL DEFAULT 0) STRICT;
CREATE INDEX order_discounts_by_order ON order_discounts (order_id);
CREATE TABLE order_taxes (
  id BLOB PRIMARY KEY NOT NULL,
  outlet_id BLOB NOT NULL,
  order_id BLOB NOT NULL REFERENCES orders (id),
  order_item_id BLOB NOT NULL REFERENCES order_items (id),
  name TEXT NOT NULL,
  rate_bps INTEGER NOT NULL,
  taxable_cents INTEGER NOT NULL,
  tax_cents INTEGER NOT NULL
) STRICT;
CREATE TABLE payments (
  id BLOB PRIMARY KEY NOT NULL,
  outlet_id BLOB NOT NULL,
  order_id BLOB NOT NULL REFERENCES orders (id),
  method TEXT NOT NULL CHECK (method IN ('CASH', 'CARD', 'UPI', 'WALLET', 'VOUCHER', 'OTHER')),
  amount_cents INTEGER NOT NULL,
  tip_cents INTEGER NOT NULL DEFAULT 0,
  tendered_cents INTEGER,
  change_cents INTEGER NOT NULL DEFAULT 0,
  reference TEXT,
  cash_session_id BLOB,
  refunded_cents INTEGER NOT NULL DEFAULT 0,
  business_date TEXT NOT NULL,
  at INTEGER NOT NULL,
  by_id BLOB,
  by_name TEXT NOT NULL
, clock_suspect INTEGER NOT NULL DEFAULT 0, channel_id BLOB) STRICT;
CREATE INDEX payments_by_order ON payments (order_id);
CREATE INDEX payments_by_date ON payments (outlet_id, business_date, method);
CREATE INDEX payments_by_cash_session ON payments (cash_session_id) WHERE cash_session_id IS NOT NULL;
CREATE TABLE refunds (
  id BLOB PRIMARY KEY NOT NULL,
  outlet_id BLOB NOT NULL,
  order_id BLOB NOT NULL REFERENCES orders (id),
  payment_id BLOB NOT NULL REFERENCES payments (id),
  credit_note_id BLOB,
  method TEXT NOT NULL,
  amount_cents INTEGER NOT NULL,
  reason TEXT NOT NULL,
  restock INTEGER NOT NULL DEFAULT 0,
  cash_session_id BLOB,
  business_date TEXT NOT NULL,
  at INTEGER NOT NULL,
  by_id BLOB,
  by_name TEXT NOT NULL,
  approver_id BLOB
, clock_suspect INTEGER NOT NULL DEFAULT 0) STRICT;
CREATE INDEX refunds_by_order ON refunds (order_id);
CREATE INDEX refunds_by_date ON refunds (outlet_id, business_date, method);
CREATE INDEX refunds_by_cash_session ON refunds (cash_session_id) WHERE cash_session_id IS NOT NULL;
CREATE TABLE refund_items (
  id BLOB PRIMARY KEY NOT NULL,
  outlet_id BLOB NOT NULL,
  order_id BLOB NOT NULL,
  credit_note_id BLOB NOT NULL,
  order_item_id BLOB NOT NULL REFERENCES order_items (id),
  quantity INTEGER NOT NULL,
  amount_cents INTEGER NOT NULL,
  restocked INTEGER NOT NULL DEFAULT 0     -- its ingredients went back into stock
, subtotal_cents INTEGER NOT NULL DEFAULT 0, discount_cents INTEGER NOT NULL DEFAULT 0, wasted INTEGER NOT NULL DEFAULT 0) STRICT;
CREATE INDEX refund_items_by_order ON refund_items (order_id);
CREATE INDEX refund_items_by_line ON refund_items (order_item_id);
CREATE TABLE invoices (
  id BLOB PRIMARY KEY NOT NULL,
  outlet_id BLOB NOT NULL,
  kind TEXT NOT NULL CHECK (kind IN ('INVOICE', 'CREDIT_NOTE')),
  fiscal_year TEXT NOT NULL,               -- '2627'
  serial INTEGER NOT NULL,
  number TEXT NOT NULL,
  order_id BLOB NOT NULL REFERENCES orders (id),
  refers_to_id BLOB REFERENCES invoices (id),
  total_cents INTEGER NOT NULL,
  tax_cents INTEGER NOT NULL,
  body TEXT NOT NULL,                      -- canonical JSON of the whole bill as it was made
  previous_hash BLOB NOT NULL,
  hash BLOB NOT NULL,
  business_date TEXT NOT NULL,
  at INTEGER NOT NULL,
  by_id BLOB
, clock_suspect INTEGER NOT NULL DEFAULT 0, signature BLOB, service_charge_cents INTEGER NOT NULL DEFAULT 0, rounding_cents INTEGER NOT NULL DEFAULT 0, customer_tax_id TEXT, customer_legal_name TEXT, customer_address TEXT) STRICT;
CREATE INDEX invoices_by_order ON invoices (order_id);
CREATE INDEX invoices_by_time ON invoices (outlet_id, at);
CREATE INDEX invoices_by_date ON invoices (outlet_id, business_date, kind);
CREATE TABLE cash_sessions (
  id BLOB PRIMARY KEY NOT NULL,
  outlet_id BLOB NOT NULL,
  drawer TEXT NOT NULL DEFAULT 'MAIN',
  status TEXT NOT NULL DEFAULT 'OPEN' CHECK (status IN ('OPEN', 'CLOSED')),
  opening_float_cents INTEGER NOT NULL,
  expected_cents INTEGER,
  counted_cents INTEGER,
  over_short_cents INTEGER,
  business_date TEXT NOT NULL,
  opened_at INTEGER NOT NULL,
  opened_by BLOB,
  opened_by_name TEXT NOT NULL,
  closed_at INTEGER,
  closed_by BLOB,
  note TEXT,
  version INTEGER NOT NULL DEFAULT 1
, clock_suspect INTEGER NOT NULL DEFAULT 0, denominations TEXT, refused_pay_outs INTEGER NOT NULL DEFAULT 0, counted_date TEXT) STRICT;
CREATE INDEX cash_sessions_by_date ON cash_sessions (outlet_id, business_date);
CREATE TABLE cash_movements (
  id BLOB PRIMARY KEY NOT NULL,
  outlet_id BLOB NOT NULL,
  cash_session_id BLOB NOT NULL REFERENCES cash_sessions (id),
  kind TEXT NOT NULL CHECK (kind IN ('PAY_IN', 'PAY_OUT', 'NO_SALE')),
  amount_cents INTEGER NOT NULL DEFAULT 0,
  reason TEXT NOT NULL,
  business_date TEXT NOT NULL,
  at INTEGER NOT NULL,
  by_id BLOB,
  approver_id BLOB
, clock_suspect INTEGER NOT NULL DEFAULT 0, is_tips INTEGER NOT NULL DEFAULT 0, employee_id BLOB) STRICT;
CREATE INDEX cash_movements_by_session ON cash_movements (cash_session_id, at);
CREATE TABLE day_closes (
  id BLOB PRIMARY KEY NOT NULL,
  outlet_id BLOB NOT NULL,
  business_date TEXT NOT NULL,
  z_number INTEGER NOT NULL,
  report TEXT NOT NULL,                    -- JSON: the Z-report as it was made
  carried_over INTEGER NOT NULL DEFAULT 0,
  at INTEGER NOT NULL,
  by_id BLOB
, clock_suspect INTEGER NOT NULL DEFAULT 0, early INTEGER NOT NULL DEFAULT 0) STRICT;
CREATE TABLE sync_log (
  seq INTEGER PRIMARY KEY CHECK (seq > 0),
  epoch BLOB NOT NULL,
  kind INTEGER NOT NULL,                   -- 1 data, 2 epoch start, 3 digest, 4 schema, 5 proposal, 6 recovered
  hlc INTEGER NOT NULL,
  wall_ms INTEGER NOT NULL,
  schema_v INTEGER NOT NULL,
  n INTEGER NOT NULL,                      -- changes (digest: entries) in the body
  body BLOB NOT NULL,
  hash BLOB NOT NULL
) STRICT;
CREATE TABLE sync_meta (
  epoch BLOB PRIMARY KEY NOT NULL,
  parent_epoch BLOB,                       -- null at the very first start
  parent_seq INTEGER NOT NULL DEFAULT 0,
  parent_hash BLOB,
  started_at INTEGER NOT NULL
) STRICT;
CREATE TABLE purchase_orders (
  id BLOB PRIMARY KEY NOT NULL,
  outlet_id BLOB NOT NULL,
  po_number TEXT NOT NULL,
  mode TEXT NOT NULL CHECK (mode IN ('MANUAL', 'AUTO')),
  status TEXT NOT NULL DEFAULT 'DRAFT' CHECK (status IN ('DRAFT', 'SENT', 'PARTIALLY_RECEIVED', 'RECEIVED', 'CLOSED')),
  supplier_id BLOB NOT NULL REFERENCES suppliers (id),
  supplier_name TEXT NOT NULL,
  expected_delivery_date TEXT NOT NULL,
  notes TEXT,
  total_cents INTEGER NOT NULL,            -- the sum of its lines
  business_date TEXT NOT NULL,
  created_by BLOB,
  created_by_name TEXT NOT NULL,
  sent_at INTEGER,
  sent_on TEXT,
  received_at INTEGER,                     -- when all of it had come
  received_on TEXT,
  closed_at INTEGER,
  close_reason TEXT,
  overdue_told_at INTEGER,                 -- when the staff were told that it is late
  version INTEGER NOT NULL DEFAULT 1,
  created_at INTEGER NOT NULL,
  updated_at INTEGER NOT NULL
) STRICT;
CREATE INDEX purchase_orders_by_date ON purchase_orders (outlet_id, business_date);
CREATE INDEX purchase_orders_by_supplier ON purchase_orders (supplier_id, sent_on);
CREATE INDEX purchase_orders_open ON purchase_orders (outlet_id, expected_delivery_date)
  WHERE status IN ('DRAFT', 'SENT', 'PARTIALLY_RECEIVED');
CREATE TABLE purchase_order_lines (
  id BLOB PRIMARY KEY NOT NULL,
  outlet_id BLOB NOT NULL,
  purchase_order_id BLOB NOT NULL REFERENCES purchase_orders (id),
  line_number INTEGER NOT NULL,
  stock_item_id BLOB NOT NULL REFERENCES stock_items (id),
  name TEXT NOT NULL,
  quantity INTEGER NOT NULL,               -- of the unit it is ordered in
  unit TEXT NOT NULL,
  unit_cost INTEGER NOT NULL,              -- of one such unit
  total_cents INTEGER NOT NULL,
  stock_quantity INTEGER NOT NULL CHECK (stock_quantity > 0), -- the same in the item's unit
  stock_unit TEXT NOT NULL,
  received_stock_quantity INTEGER NOT NULL DEFAULT 0          -- in the item's unit: the sum of the deliveries' lines
, is_extra INTEGER NOT NULL DEFAULT 0 CHECK (is_extra IN (0, 1))) STRICT;
CREATE UNIQUE INDEX purchase_order_lines_item ON purchase_order_lines (purchase_order_id, stock_item_id);
CREATE TABLE purchase_deliveries (
  id BLOB PRIMARY KEY NOT NULL,
  outlet_id BLOB NOT NULL,
  purchase_order_id BLOB NOT NULL REFERENCES purchase_orders (id),
  supplier_id BLOB NOT NULL REFERENCES suppliers (id),
  invoice_ref TEXT,                        -- the number of the supplier's invoice or delivery note
  note TEXT,
  total_cents INTEGER NOT NULL,
  business_date TEXT NOT NULL,
  at INTEGER NOT NULL,
  by_id BLOB,
  by_name TEXT NOT NULL
) STRICT;
CREATE INDEX purchase_deliveries_by_order ON purchase_deliveries (purchase_order_id);
CREATE TABLE purchase_delivery_lines (
  id BLOB PRIMARY KEY NOT NULL,
  outlet_id BLOB NOT NULL,
  delivery_id BLOB NOT NULL REFERENCES purchase_deliveries (id),
  purchase_order_line_id BLOB NOT NULL REFERENCES purchase_order_lines (id),
  line_number INTEGER NOT NULL,
  batch_id BLOB NOT NULL REFERENCES stock_batches (id),
  batch_number TEXT NOT NULL,
  expiry_date TEXT,
  quantity INTEGER NOT NULL,               -- of the unit it was delivered in
  unit TEXT NOT NULL,
  unit_cost INTEGER NOT NULL,              -- of one such unit
  total_cents INTEGER NOT NULL,
  stock_quantity INTEGER NOT NULL          -- the same in the item's unit: what the ledger received
) STRICT;
CREATE INDEX purchase_delivery_lines_by_delivery ON purchase_delivery_lines (delivery_id, line_number);
CREATE INDEX purchase_delivery_lines_by_batch ON purchase_delivery_lines (batch_id);
CREATE TABLE stocktakes (
  id BLOB PRIMARY KEY NOT NULL,
  outlet_id BLOB NOT NULL,
  name TEXT NOT NULL,
  status TEXT NOT NULL DEFAULT 'OPEN' CHECK (status IN ('OPEN', 'CLOSED', 'CANCELLED')),
  category TEXT,                           -- the shelf it is of; null: the whole store, or a list of items
  blind INTEGER NOT NULL DEFAULT 0,        -- counters do not see what is expected
  uncounted TEXT CHECK (uncounted IN ('KEEP', 'ZERO')), -- what the close did with what nobody had counted
  business_date TEXT NOT NULL,
  opened_at INTEGER NOT NULL,
  opened_by BLOB,
  opened_by_name TEXT NOT NULL,
  ended_at INTEGER,                        -- closed or cancelled
  ended_by BLOB,
  ended_by_name TEXT,
  note TEXT,
  variance_micros INTEGER,                 -- cost of the corrections, in millionths of a cent; less than nothing: lost
  version INTEGER NOT NULL DEFAULT 1
) STRICT;
CREATE INDEX stocktakes_by_time ON stocktakes (outlet_id, opened_at);
CREATE INDEX stocktakes_open ON stocktakes (outlet_id) WHERE status = 'OPEN';
CREATE TABLE stocktake_lines (
  id BLOB PRIMARY KEY NOT NULL,
  outlet_id BLOB NOT NULL,
  stocktake_id BLOB NOT NULL REFERENCES stocktakes (id),
  stock_item_id BLOB NOT NULL REFERENCES stock_items (id),
  batch_id BLOB REFERENCES stock_batches (id), -- null: the item, without what has expired
  expected_quantity INTEGER,               -- at the moment of the count
  counted_quantity INTEGER,
  counted_at INTEGER,
  counted_by BLOB,
  counted_by_name TEXT,
  times_counted INTEGER NOT NULL DEFAULT 0,
  variance_quantity INTEGER,               -- set by the close, as are the movements' cost
  variance_micros INTEGER
) STRICT;
CREATE UNIQUE INDEX stocktake_lines_item ON stocktake_lines (stocktake_id, stock_item_id) WHERE batch_id IS NULL;
CREATE UNIQUE INDEX stocktake_lines_batch ON stocktake_lines (stocktake_id, stock_item_id, batch_id) WHERE batch_id IS NOT NULL;
CREATE TABLE stock_transfers (
  id BLOB PRIMARY KEY NOT NULL,
  outlet_id BLOB NOT NULL,                 -- the sender
  to_outlet_id BLOB NOT NULL,
  transfer_number TEXT NOT NULL,
  note TEXT,
  business_date TEXT NOT NULL,
  sent_at INTEGER NOT NULL,
  sent_by BLOB,
  sent_by_name TEXT NOT NULL,
  cancelled_at INTEGER,
  cancelled_by BLOB,
  cancelled_by_name TEXT,
  cancel_reason TEXT
, to_outlet_code TEXT, to_outlet_name TEXT, recalled_at INTEGER) STRICT;
CREATE INDEX stock_transfers_out ON stock_transfers (outlet_id, sent_at);
CREATE INDEX stock_transfers_in ON stock_transfers (to_outlet_id, sent_at);
CREATE INDEX stock_transfers_by_date ON stock_transfers (outlet_id, business_date);
CREATE TABLE stock_transfer_lines (
  id BLOB PRIMARY KEY NOT NULL,
  outlet_id BLOB NOT NULL,
  transfer_id BLOB NOT NULL REFERENCES stock_transfers (id),
  line_number INTEGER NOT NULL,
  stock_item_id BLOB NOT NULL REFERENCES stock_items (id),
  name TEXT NOT NULL,
  sku TEXT,
  unit TEXT NOT NULL,
  batch_id BLOB NOT NULL REFERENCES stock_batches (id),
  batch_number TEXT NOT NULL,
  expiry_date TEXT,
  unit_cost INTEGER NOT NULL,
  quantity INTEGER NOT NULL CHECK (quantity > 0),
  cost_micros INTEGER NOT NULL,
  movement_id BLOB NOT NULL REFERENCES stock_movements (id)
, category TEXT) STRICT;
CREATE UNIQUE INDEX stock_transfer_lines_by_transfer ON stock_transfer_lines (transfer_id, line_number);
CREATE TABLE stock_transfer_receipts (
  id BLOB PRIMARY KEY NOT NULL,
  outlet_id BLOB NOT NULL,                 -- the receiver
  transfer_id BLOB NOT NULL,
  from_outlet_id BLOB NOT NULL,
  note TEXT,
  business_date TEXT NOT NULL,
  at INTEGER NOT NULL,
  by_id BLOB,
  by_name TEXT NOT NULL
, undone_at INTEGER) STRICT;
CREATE TABLE stock_transfer_receipt_lines (
  id BLOB PRIMARY KEY NOT NULL,
  outlet_id BLOB NOT NULL,
  receipt_id BLOB NOT NULL REFERENCES stock_transfer_receipts (id),
  transfer_line_id BLOB NOT NULL,
  stock_item_id BLOB REFERENCES stock_items (id), -- null: nothing of it came
  batch_id BLOB REFERENCES stock_batches (id),
  quantity_received INTEGER NOT NULL CHECK (quantity_received >= 0) -- in the sender's unit
) STRICT;
CREATE UNIQUE INDEX stock_transfer_receipt_lines_line ON stock_transfer_receipt_lines (receipt_id, transfer_line_id);
CREATE TABLE waste_logs (
  id BLOB PRIMARY KEY NOT NULL,
  outlet_id BLOB NOT NULL,
  stock_item_id BLOB REFERENCES stock_items (id),
  menu_item_id BLOB REFERENCES menu_items (id),
  name TEXT NOT NULL,                      -- of the item or dish, as it was called
  quantity INTEGER NOT NULL,               -- of a dish: portions
  unit TEXT NOT NULL,
  batch_number TEXT,
  reason TEXT NOT NULL,
  note TEXT,
  station_id BLOB,
  order_id BLOB,                           -- taken off a bill after it was made
  order_item_id BLOB,
  cost_micros INTEGER NOT NULL,            -- the movements', in millionths of a cent, more than nothing
  business_date TEXT NOT NULL,
  at INTEGER NOT NULL,
  by_id BLOB,
  by_name TEXT NOT NULL,
  reversed_at INTEGER,
  reversed_by BLOB,
  reversed_by_name TEXT,
  reversal_reason TEXT, clock_suspect INTEGER NOT NULL DEFAULT 0, variant_id BLOB REFERENCES menu_items (id),
  CHECK ((stock_item_id IS NULL) <> (menu_item_id IS NULL))
) STRICT;
CREATE INDEX waste_logs_by_time ON waste_logs (outlet_id, business_date, at);
CREATE TABLE shifts (
  id BLOB PRIMARY KEY NOT NULL,
  outlet_id BLOB NOT NULL,
  employee_id BLOB NOT NULL REFERENCES employees (id),
  date TEXT NOT NULL,                      -- the local date it begins on
  shift_type TEXT NOT NULL CHECK (shift_type IN ('MORNING', 'EVENING', 'NIGHT', 'OFF')),
  start_time TEXT,                         -- 'HH:MM' by the outlet's clock
  end_time TEXT,                           -- 'HH:MM'; not after start_time when it ends the next day
  station TEXT,
  notes TEXT,
  status TEXT NOT NULL DEFAULT 'DRAFT' CHECK (status IN ('DRAFT', 'PUBLISHED')),
  published_at INTEGER,
  off_reason TEXT,                         -- why it was turned OFF, by whom
  leave_request_id BLOB,                   -- the leave that turned it OFF
  version INTEGER NOT NULL DEFAULT 1,
  created_at INTEGER NOT NULL,
  created_by BLOB,
  updated_at INTEGER NOT NULL,
  updated_by BLOB,
  archived_at INTEGER,
  CHECK ((shift_type = 'OFF') = (start_time IS NULL) AND (start_time IS NULL) = (end_time IS NULL))
) STRICT;
CREATE INDEX shifts_by_date ON shifts (outlet_id, date) WHERE archived_at IS NULL;
CREATE INDEX shifts_by_employee ON shifts (employee_id, date) WHERE archived_at IS NULL;
CREATE UNIQUE INDEX shifts_off ON shifts (employee_id, date) WHERE shift_type = 'OFF' AND archived_at IS NULL;
CREATE TABLE shift_swaps (
  id BLOB PRIMARY KEY NOT NULL,
  outlet_id BLOB NOT NULL,
  kind TEXT NOT NULL CHECK (kind IN ('SWAP', 'GIVE_AWAY')),
  status TEXT NOT NULL DEFAULT 'REQUESTED'
    CHECK (status IN ('REQUESTED', 'ACCEPTED', 'APPROVED', 'REJECTED', 'CANCELLED')),
  from_shift_id BLOB NOT NULL REFERENCES shifts (id),
  from_employee_id BLOB NOT NULL REFERENCES employees (id),
  to_employee_id BLOB NOT NULL REFERENCES employees (id),
  to_shift_id BLOB REFERENCES shifts (id),
  note TEXT,
  requested_at INTEGER NOT NULL,
  requested_by BLOB,                       -- account
  accepted_at INTEGER,
  accepted_by BLOB,
  decided_at INTEGER,
  decided_by BLOB,
  decided_by_name TEXT,
  decision_reason TEXT,
  version INTEGER NOT NULL DEFAULT 1
) STRICT;
CREATE INDEX shift_swaps_by_time ON shift_swaps (outlet_id, requested_at);
CREATE INDEX shift_swaps_open ON shift_swaps (outlet_id, from_shift_id, to_shift_id)
  WHERE status IN ('REQUESTED', 'ACCEPTED');
CREATE TABLE leave_requests (
  id BLOB PRIMARY KEY NOT NULL,
  outlet_id BLOB NOT NULL,
  employee_id BLOB NOT NULL REFERENCES employees (id),
  leave_type TEXT NOT NULL CHECK (leave_type IN ('ANNUAL', 'SICK', 'CASUAL', 'UNPAID', 'OTHER')),
  from_date TEXT NOT NULL,
  to_date TEXT NOT NULL,                   -- included
  half_day INTEGER NOT NULL DEFAULT 0,
  reason TEXT NOT NULL,
  status TEXT NOT NULL DEFAULT 'PENDING' CHECK (status IN ('PENDING', 'APPROVED', 'REJECTED', 'CANCELLED')),
  was_forced INTEGER NOT NULL DEFAULT 0,   -- approved although the balance did not suffice
  requested_at INTEGER NOT NULL,
  requested_by BLOB,                       -- account
  decided_at INTEGER,
  decided_by BLOB,
  decided_by_name TEXT,
  decision_reason TEXT,
  version INTEGER NOT NULL DEFAULT 1,
  CHECK (from_date <= to_date AND (NOT half_day OR from_date = to_date))
) STRICT;
CREATE INDEX leave_requests_by_time ON leave_requests (outlet_id, requested_at);
CREATE INDEX leave_requests_standing ON leave_requests (outlet_id, to_date) WHERE status IN ('PENDING', 'APPROVED');
CREATE TABLE leave_entitlements (
  id BLOB PRIMARY KEY NOT NULL,
  outlet_id BLOB NOT NULL,
  employee_id BLOB NOT NULL REFERENCES employees (id),
  year INTEGER NOT NULL,
  leave_type TEXT NOT NULL CHECK (leave_type IN ('ANNUAL', 'SICK', 'CASUAL')),
  half_days INTEGER NOT NULL CHECK (half_days >= 0),
  version INTEGER NOT NULL DEFAULT 1,
  updated_at INTEGER NOT NULL,
  updated_by BLOB
) STRICT;
CREATE UNIQUE INDEX leave_entitlements_by_year ON leave_entitlements (employee_id, year, leave_type);
CREATE TABLE employee_documents (
  id BLOB PRIMARY KEY NOT NULL,
  outlet_id BLOB NOT NULL,
  employee_id BLOB NOT NULL REFERENCES employees (id),
  kind TEXT NOT NULL,
  title TEXT NOT NULL,
  file_name TEXT NOT NULL,
  media_type TEXT NOT NULL,
  size_bytes INTEGER NOT NULL,
  hash BLOB NOT NULL,                      -- BLAKE3 of the content
  uploaded_by BLOB,
  uploaded_by_name TEXT NOT NULL,
  created_at INTEGER NOT NULL
) STRICT;
CREATE INDEX employee_documents_by_employee ON employee_documents (employee_id, created_at);
CREATE TABLE employee_document_contents (
  document_id BLOB PRIMARY KEY NOT NULL REFERENCES employee_documents (id) ON DELETE CASCADE,
  outlet_id BLOB NOT NULL,
  content BLOB NOT NULL
) STRICT;
CREATE TABLE attendances (
  id BLOB PRIMARY KEY NOT NULL,
  outlet_id BLOB NOT NULL,
  employee_id BLOB NOT NULL REFERENCES employees (id),
  employee_name TEXT NOT NULL,             -- as it was
  business_date TEXT NOT NULL,             -- of its CLOCK_IN
  shift_id BLOB,                           -- no reference: the roster may take the shift out later
  scheduled_start INTEGER,                 -- the plan as it was when the CLOCK_IN was judged
  scheduled_end INTEGER,
  state TEXT NOT NULL CHECK (state IN ('IN', 'BREAK', 'OUT')),
  started_at INTEGER NOT NULL,
  ended_at INTEGER,
  is_disordered INTEGER NOT NULL DEFAULT 0, -- its times run backwards: a clock was set meanwhile
  created_at INTEGER NOT NULL,
  updated_at INTEGER NOT NULL
) STRICT;
CREATE INDEX attendances_by_date ON attendances (outlet_id, business_date);
CREATE INDEX attendances_by_employee ON attendances (employee_id, started_at);
CREATE INDEX attendances_open ON attendances (outlet_id, started_at) WHERE state <> 'OUT';
CREATE TABLE attendance_records (
  id BLOB PRIMARY KEY NOT NULL,
  outlet_id BLOB NOT NULL,
  attendance_id BLOB NOT NULL REFERENCES attendances (id),
  employee_id BLOB NOT NULL REFERENCES employees (id),
  event_type TEXT NOT NULL CHECK (event_type IN ('CLOCK_IN', 'CLOCK_OUT', 'BREAK_START', 'BREAK_END')),
  at INTEGER NOT NULL,                     -- the raw punch, by the server's clock; never changed
  effective_at INTEGER NOT NULL,           -- after corrections
  status TEXT NOT NULL CHECK (status IN ('ON_TIME', 'LATE', 'EARLY')),
  business_date TEXT NOT NULL,             -- of effective_at
  is_manual INTEGER NOT NULL DEFAULT 0,    -- added by a manager
  clock_suspect INTEGER NOT NULL DEFAULT 0,
  device TEXT,
  by_id BLOB,                              -- the account of the device
  version INTEGER NOT NULL DEFAULT 1,
  created_at INTEGER NOT NULL,
  updated_at INTEGER NOT NULL
) STRICT;
CREATE INDEX attendance_records_by_date ON attendance_records (outlet_id, business_date, effective_at);
CREATE INDEX attendance_records_by_attendance ON attendance_records (attendance_id, effective_at);
CREATE INDEX attendance_records_by_employee ON attendance_records (employee_id, id);
CREATE TABLE attendance_corrections (
  id BLOB PRIMARY KEY NOT NULL,
  outlet_id BLOB NOT NULL,
  record_id BLOB NOT NULL REFERENCES attendance_records (id),
  old_at INTEGER,                          -- null: the record was added by this correction
  new_at INTEGER NOT NULL,
  reason TEXT NOT NULL,
  by_id BLOB,
  by_name TEXT NOT NULL,
  approver_id BLOB,                        -- employee whose PIN approved
  approver_name TEXT,
  business_date TEXT NOT NULL,
  at INTEGER NOT NULL
) STRICT;
CREATE INDEX attendance_corrections_by_record ON attendance_corrections (record_id, at);
CREATE TABLE tickets (
  id BLOB PRIMARY KEY NOT NULL,
  outlet_id BLOB NOT NULL,
  subject TEXT NOT NULL,
  body TEXT NOT NULL,
  category TEXT NOT NULL,                  -- MAINTENANCE, PAYROLL, … in the words of the house
  priority TEXT NOT NULL CHECK (priority IN ('LOW', 'NORMAL', 'HIGH', 'URGENT')),
  status TEXT NOT NULL DEFAULT 'OPEN' CHECK (status IN ('OPEN', 'IN_PROGRESS', 'WAITING', 'RESOLVED', 'CLOSED')),
  assignee_id BLOB REFERENCES employees (id),
  raised_by BLOB,                          -- account
  raised_by_name TEXT NOT NULL,
  version INTEGER NOT NULL DEFAULT 1,
  created_at INTEGER NOT NULL,
  updated_at INTEGER NOT NULL,
  resolved_at INTEGER,                     -- when it last became RESOLVED or CLOSED
  archived_at INTEGER
) STRICT;
CREATE INDEX tickets_by_time ON tickets (outlet_id, created_at) WHERE archived_at IS NULL;
CREATE TABLE ticket_comments (
  id BLOB PRIMARY KEY NOT NULL,
  outlet_id BLOB NOT NULL,
  ticket_id BLOB NOT NULL REFERENCES tickets (id),
  body TEXT NOT NULL,
  by_id BLOB,                              -- account
  by_name TEXT NOT NULL,
  at INTEGER NOT NULL
) STRICT;
CREATE INDEX ticket_comments_by_ticket ON ticket_comments (ticket_id, at);
CREATE TABLE feedback (
  id BLOB PRIMARY KEY NOT NULL,
  outlet_id BLOB NOT NULL,
  order_id BLOB REFERENCES orders (id),
  order_number TEXT,
  table_session_id BLOB REFERENCES table_sessions (id),
  table_number TEXT,
  rating INTEGER NOT NULL CHECK (rating BETWEEN 1 AND 5),
  food INTEGER,
  service INTEGER,
  cleanliness INTEGER,
  nps INTEGER,
  comment TEXT,
  callback_wanted INTEGER NOT NULL DEFAULT 0,
  status TEXT NOT NULL DEFAULT 'NEW' CHECK (status IN ('NEW', 'IN_PROGRESS', 'RESOLVED')),
  note TEXT,                               -- of those who follow it up
  assignee_id BLOB REFERENCES employees (id),
  business_date TEXT NOT NULL,
  version INTEGER NOT NULL DEFAULT 1,
  created_at INTEGER NOT NULL,
  updated_at INTEGER NOT NULL
) STRICT;
CREATE UNIQUE INDEX feedback_order ON feedback (order_id) WHERE order_id IS NOT NULL;
CREATE UNIQUE INDEX feedback_seating ON feedback (table_session_id)
  WHERE table_session_id IS NOT NULL AND order_id IS NULL;
CREATE INDEX feedback_by_time ON feedback (outlet_id, created_at);
CREATE INDEX feedback_by_date ON feedback (outlet_id, business_date);
CREATE TABLE mail_jobs (
  id BLOB PRIMARY KEY NOT NULL,
  outlet_id BLOB NOT NULL,
  recipient TEXT NOT NULL,
  subject TEXT NOT NULL,
  body TEXT NOT NULL,
  instead TEXT NOT NULL,                   -- JSON: the notification when it cannot be sent
  created_at INTEGER NOT NULL,
  expires_at INTEGER NOT NULL,
  attempts INTEGER NOT NULL DEFAULT 0,
  next_attempt_at INTEGER NOT NULL
) STRICT;
CREATE INDEX mail_jobs_due ON mail_jobs (next_attempt_at);
CREATE TABLE analytics_days (
  outlet_id BLOB NOT NULL,
  business_date TEXT NOT NULL, kept INTEGER NOT NULL DEFAULT 1,
  PRIMARY KEY (outlet_id, business_date)
) STRICT, WITHOUT ROWID;
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
CREATE TABLE analytics_stock (
  outlet_id BLOB NOT NULL,
  business_date TEXT NOT NULL,
  kind TEXT NOT NULL,
  stock_item_id BLOB NOT NULL,
  quantity INTEGER NOT NULL,
  cost INTEGER NOT NULL,
  PRIMARY KEY (outlet_id, business_date, kind, stock_item_id)
) STRICT, WITHOUT ROWID;
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
CREATE TABLE analytics_tables (
  outlet_id BLOB NOT NULL,
  business_date TEXT NOT NULL,
  sessions INTEGER NOT NULL,
  closed INTEGER NOT NULL,
  seated_ms INTEGER NOT NULL,              -- of those that are closed
  PRIMARY KEY (outlet_id, business_date)
) STRICT, WITHOUT ROWID;
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
CREATE TABLE ai_conversations (
  id BLOB PRIMARY KEY NOT NULL,
  outlet_id BLOB NOT NULL REFERENCES outlets (id),
  account_id BLOB NOT NULL,
  title TEXT NOT NULL,
  context TEXT,                            -- JSON: how the last question was understood, for "and yesterday?"
  created_at INTEGER NOT NULL,
  updated_at INTEGER NOT NULL
) STRICT;
CREATE INDEX ai_conversations_newest ON ai_conversations (outlet_id, account_id, updated_at);
CREATE TABLE ai_messages (
  id BLOB PRIMARY KEY NOT NULL,
  outlet_id BLOB NOT NULL,
  conversation_id BLOB NOT NULL REFERENCES ai_conversations (id) ON DELETE CASCADE,
  role TEXT NOT NULL CHECK (role IN ('USER', 'ASSISTANT')),
  text TEXT NOT NULL,
  answer TEXT,                             -- JSON: facts, table, sources and engine of an answer
  at INTEGER NOT NULL
) STRICT;
CREATE INDEX ai_messages_of ON ai_messages (conversation_id, id);
CREATE TABLE sync_peer (
  id INTEGER PRIMARY KEY CHECK (id = 1),
  device_id BLOB NOT NULL,
  hub_url TEXT NOT NULL,
  hub_epoch BLOB,
  standing TEXT NOT NULL DEFAULT 'NORMAL'
    CHECK (standing IN ('NORMAL', 'RECOVERING', 'RESTORING', 'FORK', 'FENCED', 'REVOKED', 'TOO_OLD')),
  acked_epoch BLOB,                        -- the last position head office confirmed
  acked_seq INTEGER NOT NULL DEFAULT 0,
  acked_hash BLOB,
  feed INTEGER NOT NULL DEFAULT 0,         -- the newest version of the feed that is applied here
  feed_mark TEXT,
  feed_schema INTEGER NOT NULL DEFAULT 0,  -- the schema version its rows were read with: another reads all of them again
  last_push_at INTEGER,
  last_pull_at INTEGER,
  digest TEXT,                             -- OK or BAD; null before the first comparison
  digest_at INTEGER,                       -- when head office's verdict came
  digest_seq INTEGER NOT NULL DEFAULT 0,   -- the log row up to which changed buckets have been summed up
  hub_reachable INTEGER,                   -- whether the last request was answered by head office
  internet_reachable INTEGER,
  seen_at INTEGER,                         -- when head office last answered anything
  recovered_to INTEGER,                    -- the end of the lost part of the log that was taken back last
  recovered_hash BLOB,
  clock_offset_ms INTEGER,                 -- head office's clock minus this one's
  restore_phase TEXT,                      -- A, B or C while a replacement is still being filled
  restore_after TEXT,
  enrolled_at INTEGER NOT NULL
, life_of BLOB, lacking_since INTEGER, reseed BLOB, chain_mark TEXT) STRICT;
CREATE TABLE sync_proposals (
  table_no INTEGER NOT NULL,
  row_id BLOB NOT NULL,
  seq INTEGER NOT NULL,                    -- the newest log row that changed it
  PRIMARY KEY (table_no, row_id)
) STRICT;
CREATE INDEX sync_proposals_by_seq ON sync_proposals (seq);
CREATE TABLE sync_scheduled (
  id BLOB PRIMARY KEY NOT NULL,
  effective_at INTEGER NOT NULL,
  op BLOB NOT NULL,                        -- one packed change
  applied_at INTEGER
) STRICT;
CREATE TABLE sync_postponed (
  id INTEGER PRIMARY KEY,
  op BLOB NOT NULL                         -- one packed change
) STRICT;
CREATE INDEX sync_scheduled_by_time ON sync_scheduled (effective_at) WHERE applied_at IS NULL;
CREATE INDEX sync_log_proposals ON sync_log (seq) WHERE kind = 5;
CREATE TABLE sync_reviews (
  id BLOB PRIMARY KEY NOT NULL,
  outlet_id BLOB NOT NULL,
  table_name TEXT NOT NULL,
  row_id BLOB NOT NULL,
  reason TEXT NOT NULL,                    -- NUMBER_TAKEN, CHANGED_SINCE, DELETED_SINCE, NAME_TAKEN or REFUSED
  lost TEXT NOT NULL,                      -- JSON: the values that were lost
  kept TEXT,                               -- JSON: the values that stand here
  at INTEGER NOT NULL,
  resolved_at INTEGER,
  resolved_by BLOB
) STRICT;
CREATE INDEX sync_reviews_open ON sync_reviews (outlet_id, at) WHERE resolved_at IS NULL;
CREATE TABLE sync_archive (
  first_seq INTEGER PRIMARY KEY CHECK (first_seq > 0),
  last_seq INTEGER NOT NULL,
  wall_ms INTEGER NOT NULL,                -- of the row last_seq
  proposal INTEGER NOT NULL,               -- the last row among them that proposes something; 0 when none does
  body BLOB NOT NULL                       -- tiffin_common::sync::batch; its first 16 bytes: the hash of the row before first_seq
) STRICT;
CREATE TABLE sync_acks (
  at INTEGER PRIMARY KEY,
  hub_epoch BLOB,
  seq INTEGER NOT NULL
) STRICT;
CREATE INDEX sync_log_pulled ON sync_log (seq) WHERE kind = 7;
CREATE TABLE sync_reseed (
  id INTEGER PRIMARY KEY,
  table_no INTEGER NOT NULL,
  day TEXT                                 -- of frame::Bucket; null for the whole table
) STRICT;
CREATE TABLE chain_outlets (
  id BLOB PRIMARY KEY NOT NULL,
  code TEXT NOT NULL,
  name TEXT NOT NULL,
  currency TEXT NOT NULL
) STRICT;
CREATE TABLE incoming_transfers (
  id BLOB PRIMARY KEY NOT NULL,            -- the transfer's
  outlet_id BLOB NOT NULL,                 -- the receiver
  from_outlet_id BLOB NOT NULL,
  from_outlet_code TEXT NOT NULL,
  from_outlet_name TEXT NOT NULL,
  transfer_number TEXT NOT NULL,
  note TEXT,
  business_date TEXT NOT NULL,
  sent_at INTEGER NOT NULL,
  sent_by_name TEXT NOT NULL,
  lines TEXT NOT NULL,                     -- JSON: the sender's lines
  lines_count INTEGER NOT NULL,
  cost_micros INTEGER NOT NULL,
  recalled_at INTEGER,                     -- whoever has this and no receipt will not take it in any more
  recalled_by_name TEXT,
  recall_reason TEXT,
  outcome TEXT,                            -- RECEIVED or CANCELLED: head office's last word
  decided_at INTEGER
) STRICT;
CREATE INDEX incoming_transfers_by_time ON incoming_transfers (outlet_id, sent_at);
CREATE TABLE transfer_outcomes (
  id BLOB PRIMARY KEY NOT NULL,            -- the transfer's
  outlet_id BLOB NOT NULL,                 -- the sender
  outcome TEXT NOT NULL,                   -- RECEIVED or CANCELLED
  decided_at INTEGER NOT NULL,
  received_at INTEGER,
  by_name TEXT,
  note TEXT,
  lines TEXT NOT NULL                      -- JSON: [{"lineId": …, "quantityReceived": 2.5}]
) STRICT;
CREATE TABLE stock_filed_movements (
  stock_item_id BLOB NOT NULL,
  at INTEGER NOT NULL,
  movement_id BLOB NOT NULL,
  PRIMARY KEY (stock_item_id, at, movement_id)
) STRICT, WITHOUT ROWID;
CREATE TABLE stock_filing (
  outlet_id BLOB PRIMARY KEY NOT NULL,
  through TEXT NOT NULL
) STRICT, WITHOUT ROWID;
CREATE TRIGGER stock_movement_filed AFTER INSERT ON stock_movements
  WHEN NEW.business_date <= (SELECT through FROM stock_filing WHERE outlet_id = NEW.outlet_id)
BEGIN
  INSERT INTO stock_filed_movements (stock_item_id, at, movement_id) VALUES (NEW.stock_item_id, NEW.at, NEW.id);
END;
CREATE TRIGGER stock_movement_unfiled AFTER DELETE ON stock_movements
  WHEN OLD.business_date <= (SELECT through FROM stock_filing WHERE outlet_id = OLD.outlet_id)
BEGIN
  DELETE FROM stock_filed_movements
    WHERE stock_item_id = OLD.stock_item_id AND at = OLD.at AND movement_id = OLD.id;
END;
CREATE INDEX stock_movements_by_item ON stock_movements (stock_item_id, at) WHERE kind <> 'SALE';
CREATE TABLE guests (
  id BLOB PRIMARY KEY NOT NULL,
  outlet_id BLOB NOT NULL,
  name TEXT,
  phone TEXT,
  address TEXT,
  erased_at INTEGER                        -- erased by wish: nothing of the above is there any more
) STRICT;
CREATE INDEX guests_erased ON guests (outlet_id, erased_at) WHERE erased_at IS NOT NULL;
CREATE TABLE signing_keys (
  id BLOB PRIMARY KEY NOT NULL,
  outlet_id BLOB NOT NULL,
  life INTEGER NOT NULL,                   -- of the box's numbers, as it was then
  public_key BLOB NOT NULL,                -- Ed25519
  begun_at INTEGER NOT NULL
) STRICT;
CREATE TABLE second_factors (
  account_id BLOB PRIMARY KEY NOT NULL REFERENCES accounts (id),
  outlet_id BLOB NOT NULL,
  secret BLOB NOT NULL,
  is_confirmed INTEGER NOT NULL DEFAULT 0,
  last_step INTEGER NOT NULL DEFAULT 0,    -- of the newest code that opened: none opens twice
  created_at INTEGER NOT NULL
) STRICT;
CREATE TABLE devices (
  id BLOB PRIMARY KEY NOT NULL,
  outlet_id BLOB NOT NULL,
  account_id BLOB NOT NULL REFERENCES accounts (id),
  kind TEXT NOT NULL CHECK (kind IN ('POS', 'KITCHEN', 'CLOCK', 'BOARD')),
  name TEXT NOT NULL,
  station_id BLOB,                         -- of a KITCHEN device: whose tickets it shows
  session_id BLOB,                         -- its sign-in, once it has fetched its tokens
  approved_by BLOB,
  approved_by_name TEXT NOT NULL,
  paired_at INTEGER NOT NULL,
  followed_at INTEGER,                     -- when it came that followed the kitchen since, or fell silent
  silent_since INTEGER,                    -- since when it follows the kitchen no more
  version INTEGER NOT NULL DEFAULT 1,
  updated_at INTEGER NOT NULL
) STRICT;
CREATE UNIQUE INDEX devices_by_account ON devices (account_id);
CREATE INDEX devices_by_outlet ON devices (outlet_id, name);
CREATE TABLE device_pairings (
  id BLOB PRIMARY KEY NOT NULL,
  outlet_id BLOB NOT NULL,
  kind TEXT NOT NULL CHECK (kind IN ('POS', 'KITCHEN', 'CLOCK', 'BOARD')),
  name TEXT NOT NULL,
  address TEXT NOT NULL,
  user_code_hash BLOB NOT NULL,
  device_code_hash BLOB NOT NULL,
  created_at INTEGER NOT NULL,
  expires_at INTEGER NOT NULL,
  interval_ms INTEGER NOT NULL,
  polled_at INTEGER,
  decided_at INTEGER,
  device_id BLOB,                          -- what approving it made; decided without one, it was refused
  redeemed_at INTEGER                      -- when it fetched its tokens
) STRICT;
CREATE UNIQUE INDEX device_pairings_by_user_code ON device_pairings (user_code_hash);
CREATE UNIQUE INDEX device_pairings_by_device_code ON device_pairings (device_code_hash);
CREATE INDEX device_pairings_by_end ON device_pairings (expires_at);
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
CREATE INDEX cash_movements_by_date ON cash_movements (outlet_id, business_date);
CREATE INDEX day_closes_early ON day_closes (outlet_id, business_date) WHERE early = 1;
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
CREATE TRIGGER analytics_payment_corrected AFTER INSERT ON payment_corrections
  WHEN EXISTS (SELECT 1 FROM analytics_days WHERE outlet_id = NEW.outlet_id AND business_date = NEW.business_date)
BEGIN
  DELETE FROM analytics_days WHERE outlet_id = NEW.outlet_id AND business_date = NEW.business_date;
END;
CREATE UNIQUE INDEX order_taxes_line ON order_taxes (order_id, order_item_id, name, rate_bps);
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
, price_list_id BLOB) STRICT;
CREATE UNIQUE INDEX channels_by_name ON channels (outlet_id, name) WHERE archived_at IS NULL;
CREATE INDEX orders_by_channel ON orders (outlet_id, revenue_date) WHERE channel_id IS NOT NULL;
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
CREATE TRIGGER analytics_day_closed AFTER INSERT ON day_closes
  WHEN EXISTS (SELECT 1 FROM analytics_days WHERE outlet_id = NEW.outlet_id AND business_date = NEW.business_date)
BEGIN
  DELETE FROM analytics_days WHERE outlet_id = NEW.outlet_id AND business_date = NEW.business_date;
END;
CREATE INDEX orders_for_later ON orders (outlet_id, release_at)
  WHERE release_at IS NOT NULL AND dispatched_at IS NULL AND closed_at IS NULL;
CREATE TABLE station_displays (
  station_id BLOB PRIMARY KEY NOT NULL,
  outlet_id BLOB NOT NULL,
  seen_at INTEGER NOT NULL,
  unwatched_since INTEGER
) STRICT;
CREATE TABLE printers (
  id BLOB PRIMARY KEY NOT NULL,
  outlet_id BLOB NOT NULL,
  name TEXT NOT NULL,
  connection TEXT NOT NULL CHECK (connection IN ('TCP', 'USB', 'SPOOL')),
  address TEXT NOT NULL,                   -- host:port, /dev/usb/lp*, the name of a CUPS queue
  width INTEGER NOT NULL CHECK (width IN (58, 80)),       -- millimetres
  profile TEXT NOT NULL CHECK (profile IN ('GENERIC', 'EPSON', 'MUTE')),
  code_pages TEXT NOT NULL,                -- JSON array of words
  cutter INTEGER NOT NULL CHECK (cutter IN (0, 1)),
  drawer INTEGER NOT NULL CHECK (drawer IN (0, 1)),
  auto_print TEXT NOT NULL CHECK (auto_print IN ('NEVER', 'INVOICE', 'PAYMENT')),
  roles TEXT NOT NULL,                     -- JSON array of words
  station_ids TEXT NOT NULL,               -- JSON array of ids
  fallback_printer_id BLOB,
  language TEXT,
  expires_minutes INTEGER,
  version INTEGER NOT NULL DEFAULT 1,
  created_at INTEGER NOT NULL,
  updated_at INTEGER NOT NULL,
  archived_at INTEGER
) STRICT;
CREATE UNIQUE INDEX printers_by_name ON printers (outlet_id, name) WHERE archived_at IS NULL;
CREATE UNIQUE INDEX printers_by_address ON printers (outlet_id, address) WHERE archived_at IS NULL;
CREATE TABLE receipt_prints (
  id BLOB PRIMARY KEY NOT NULL,            -- the bill, or the closed day
  outlet_id BLOB NOT NULL,
  prints INTEGER NOT NULL
) STRICT;
CREATE TABLE print_layouts (
  id BLOB PRIMARY KEY NOT NULL,            -- the outlet
  outlet_id BLOB NOT NULL,
  headers TEXT NOT NULL,                   -- JSON object: language to text
  footers TEXT NOT NULL,                   -- JSON object: language to text
  logo TEXT,                               -- a PNG in base64
  bill_code INTEGER NOT NULL CHECK (bill_code IN (0, 1)), -- a QR code of the bill
  version INTEGER NOT NULL DEFAULT 1,
  updated_at INTEGER NOT NULL
, guest_code INTEGER NOT NULL DEFAULT 1) STRICT;
CREATE TABLE print_jobs (
  id BLOB PRIMARY KEY NOT NULL,
  outlet_id BLOB NOT NULL,
  printer_id BLOB,                         -- null where only a station names the address
  printer_address TEXT NOT NULL,           -- names the queue
  kind TEXT NOT NULL CHECK (kind IN ('RECEIPT', 'KITCHEN', 'REPORT', 'DRAWER', 'TEST')),
  ticket_id BLOB,
  order_id BLOB,
  document TEXT NOT NULL,                  -- JSON: rows of paper
  language TEXT,                           -- of their fixed words; null: as the printer has it
  copy_number INTEGER NOT NULL,            -- COPY n; 0 for the first
  created_at INTEGER NOT NULL,
  expires_at INTEGER NOT NULL,
  attempts INTEGER NOT NULL,
  sends INTEGER NOT NULL,                  -- how often bytes left without the printer saying that all came out
  next_attempt_at INTEGER NOT NULL,
  status TEXT NOT NULL CHECK (status IN ('QUEUED', 'SENT', 'DONE', 'FAILED', 'EXPIRED')),
  confirmed INTEGER CHECK (confirmed IN (0, 1)),          -- of DONE: the printer said so
  cuts_before INTEGER,                     -- what its counter of cuts said before the bytes left
  fell_back_from TEXT,                     -- the printer it was meant for
  last_error TEXT,
  done_at INTEGER
) STRICT;
CREATE INDEX print_jobs_open ON print_jobs (printer_address, created_at) WHERE status IN ('QUEUED', 'SENT');
CREATE INDEX print_jobs_by_outlet ON print_jobs (outlet_id, created_at);
CREATE INDEX print_jobs_by_ticket ON print_jobs (ticket_id) WHERE ticket_id IS NOT NULL;
CREATE INDEX print_jobs_by_order ON print_jobs (order_id) WHERE order_id IS NOT NULL;
CREATE INDEX purchase_deliveries_by_supplier ON purchase_deliveries (supplier_id, business_date);
CREATE INDEX purchase_deliveries_by_date ON purchase_deliveries (outlet_id, business_date);
CREATE INDEX orders_number ON orders (outlet_id, business_date, token_number, order_number, substr(id, 12));
CREATE INDEX invoices_series ON invoices (outlet_id, kind, fiscal_year, serial, number, substr(id, 12));
CREATE INDEX invoices_number ON invoices (outlet_id, number, substr(id, 12));
CREATE INDEX stock_batches_number ON stock_batches (stock_item_id, batch_number);
CREATE INDEX kitchen_tickets_number ON kitchen_tickets (station_id, business_date, ticket_number, substr(id, 12));
CREATE INDEX table_sessions_open ON table_sessions (table_id, substr(id, 12)) WHERE closed_at IS NULL;
CREATE INDEX cash_sessions_open ON cash_sessions (outlet_id, drawer, substr(id, 12)) WHERE status = 'OPEN';
CREATE INDEX day_closes_date ON day_closes (outlet_id, business_date, substr(id, 12));
CREATE INDEX day_closes_number ON day_closes (outlet_id, z_number, substr(id, 12));
CREATE INDEX purchase_orders_number ON purchase_orders (outlet_id, po_number, substr(id, 12));
CREATE INDEX stock_transfers_number ON stock_transfers (outlet_id, transfer_number, substr(id, 12));
CREATE TABLE answered_requests (
  id BLOB PRIMARY KEY NOT NULL,
  outlet_id BLOB NOT NULL,
  request BLOB NOT NULL,                   -- key, method, path and body, by a hash with the pepper
  status INTEGER NOT NULL,
  made BLOB                                -- the first id in the answer
) STRICT;
CREATE INDEX answered_requests_by_request ON answered_requests (request);
CREATE INDEX cash_sessions_by_count ON cash_sessions (outlet_id, coalesce(counted_date, business_date));
CREATE INDEX orders_by_receipt_code ON orders (receipt_code) WHERE receipt_code IS NOT NULL;
CREATE INDEX orders_by_external_id ON orders (outlet_id, channel_id, external_id) WHERE external_id IS NOT NULL;
CREATE INDEX menu_items_by_dish ON menu_items (variant_of_id, sort_order) WHERE variant_of_id IS NOT NULL;
CREATE TABLE holidays (
  id BLOB PRIMARY KEY NOT NULL,
  outlet_id BLOB NOT NULL,
  date TEXT NOT NULL,
  name TEXT NOT NULL,
  created_at INTEGER NOT NULL
) STRICT;
CREATE UNIQUE INDEX holidays_by_date ON holidays (outlet_id, date);
CREATE TABLE menu_pictures (
  id BLOB PRIMARY KEY NOT NULL,
  outlet_id BLOB NOT NULL,
  menu_item_id BLOB NOT NULL UNIQUE REFERENCES menu_items (id),
  small BLOB NOT NULL,                     -- at most 320 pixels on a side
  large BLOB NOT NULL,                     -- at most 1200
  hash BLOB NOT NULL,                      -- BLAKE3 of the large one
  updated_at INTEGER NOT NULL,
  updated_by BLOB
) STRICT;
CREATE TABLE combo_components (
  id BLOB PRIMARY KEY NOT NULL,
  outlet_id BLOB NOT NULL,
  menu_item_id BLOB NOT NULL REFERENCES menu_items (id), -- the combo
  name TEXT NOT NULL,                      -- such as 'Drink'; unique in its combo
  min_selections INTEGER NOT NULL,
  max_selections INTEGER NOT NULL,
  sort_order INTEGER NOT NULL
, texts TEXT NOT NULL DEFAULT '{}') STRICT;
CREATE INDEX combo_components_by_combo ON combo_components (menu_item_id, sort_order);
CREATE TABLE combo_options (
  id BLOB PRIMARY KEY NOT NULL,
  outlet_id BLOB NOT NULL,
  component_id BLOB NOT NULL REFERENCES combo_components (id),
  menu_item_id BLOB NOT NULL REFERENCES menu_items (id),
  variant_id BLOB REFERENCES menu_items (id), -- the variant of it; null: the dish has none, or its default one
  extra_cents INTEGER NOT NULL DEFAULT 0,  -- on top of the combo's price
  sort_order INTEGER NOT NULL
) STRICT;
CREATE INDEX combo_options_by_component ON combo_options (component_id, sort_order);
CREATE INDEX combo_options_by_dish ON combo_options (menu_item_id);
CREATE TABLE analytics_items (
  outlet_id BLOB NOT NULL,
  business_date TEXT NOT NULL,
  menu_item_id BLOB NOT NULL,
  variant_id BLOB NOT NULL,
  combo_id BLOB NOT NULL,
  quantity INTEGER NOT NULL,               -- portions of dishes
  combos INTEGER NOT NULL,
  gross INTEGER NOT NULL,
  discount INTEGER NOT NULL,
  cost INTEGER NOT NULL, grams INTEGER NOT NULL DEFAULT 0, ounces INTEGER NOT NULL DEFAULT 0,                   -- millionths of a cent
  PRIMARY KEY (outlet_id, business_date, menu_item_id, variant_id, combo_id)
) STRICT, WITHOUT ROWID;
CREATE TABLE price_lists (
  id BLOB PRIMARY KEY NOT NULL,
  outlet_id BLOB NOT NULL,
  name TEXT NOT NULL,
  priority INTEGER NOT NULL DEFAULT 0,
  order_types TEXT,                        -- JSON array
  channel_ids TEXT,                        -- JSON array of channels (id)
  areas TEXT,                              -- JSON array of areas of the dining room
  days TEXT,                               -- JSON array of MON…SUN: those it begins on
  hours_from TEXT,                         -- 'HH:MM' local
  hours_to TEXT,
  starts_on TEXT,                          -- the first day it begins on
  ends_on TEXT,                            -- the last
  version INTEGER NOT NULL DEFAULT 1,
  created_at INTEGER NOT NULL,
  updated_at INTEGER NOT NULL,
  archived_at INTEGER
) STRICT;
CREATE INDEX price_lists_by_outlet ON price_lists (outlet_id) WHERE archived_at IS NULL;
CREATE TABLE price_list_entries (
  id BLOB PRIMARY KEY NOT NULL,
  outlet_id BLOB NOT NULL,
  price_list_id BLOB NOT NULL REFERENCES price_lists (id),
  menu_item_id BLOB REFERENCES menu_items (id), -- a dish or a variant
  category_id BLOB REFERENCES menu_categories (id),
  price_cents INTEGER,
  adjust_bps INTEGER,
  sort_order INTEGER NOT NULL DEFAULT 0
) STRICT;
CREATE INDEX price_list_entries_by_list ON price_list_entries (price_list_id, sort_order);
CREATE INDEX stock_items_by_preparation ON stock_items (preparation_id) WHERE preparation_id IS NOT NULL;
CREATE TABLE portion_needs (
  target_id BLOB NOT NULL,                 -- the dish or the option
  stock_item_id BLOB NOT NULL REFERENCES stock_items (id),
  outlet_id BLOB NOT NULL,
  is_option INTEGER NOT NULL,
  quantity INTEGER NOT NULL CHECK (quantity > 0),
  is_made INTEGER NOT NULL,                -- 1: the stock of a preparation, taken before what it is made of
  PRIMARY KEY (target_id, stock_item_id, is_made)
) STRICT, WITHOUT ROWID;
CREATE INDEX portion_needs_by_item ON portion_needs (stock_item_id, quantity);
CREATE INDEX stock_transfer_receipts_transfer ON stock_transfer_receipts (transfer_id);
CREATE INDEX purchase_deliveries_invoice ON purchase_deliveries (supplier_id, invoice_ref COLLATE NOCASE) WHERE invoice_ref IS NOT NULL;
CREATE TABLE purchase_returns (
  id BLOB PRIMARY KEY NOT NULL,
  outlet_id BLOB NOT NULL,
  purchase_order_id BLOB NOT NULL,
  supplier_id BLOB NOT NULL,
  number TEXT NOT NULL,
  note TEXT,
  total_cents INTEGER NOT NULL,            -- the sum of its lines, without tax
  tax_cents INTEGER NOT NULL,              -- what the supplier's invoices charged on that
  business_date TEXT NOT NULL,
  at INTEGER NOT NULL,
  by_id BLOB,
  by_name TEXT NOT NULL
) STRICT;
CREATE INDEX purchase_returns_by_order ON purchase_returns (purchase_order_id);
CREATE INDEX purchase_returns_by_supplier ON purchase_returns (supplier_id, business_date);
CREATE TABLE purchase_return_lines (
  id BLOB PRIMARY KEY NOT NULL,
  outlet_id BLOB NOT NULL,
  return_id BLOB NOT NULL,
  purchase_order_line_id BLOB NOT NULL,
  line_number INTEGER NOT NULL,
  batch_id BLOB NOT NULL,
  batch_number TEXT NOT NULL,
  quantity INTEGER NOT NULL,               -- of the unit it goes back in
  unit TEXT NOT NULL,
  unit_cost INTEGER NOT NULL,              -- what the supplier owes for one such unit
  total_cents INTEGER NOT NULL,
  stock_quantity INTEGER NOT NULL,         -- the same in the item's unit
  reason TEXT NOT NULL
) STRICT;
CREATE INDEX purchase_return_lines_by_return ON purchase_return_lines (return_id, line_number);
CREATE TABLE purchase_invoices (
  id BLOB PRIMARY KEY NOT NULL,
  outlet_id BLOB NOT NULL,
  purchase_order_id BLOB NOT NULL,
  supplier_id BLOB NOT NULL,
  invoice_ref TEXT NOT NULL,
  total_cents INTEGER NOT NULL,            -- with tax
  tax_cents INTEGER NOT NULL,
  business_date TEXT NOT NULL,
  at INTEGER NOT NULL,
  by_id BLOB,
  by_name TEXT NOT NULL,
  accepted_difference_cents INTEGER,       -- another difference than this one is not accepted
  accepted_at INTEGER,
  accepted_by BLOB,
  accepted_by_name TEXT,
  accepted_reason TEXT
) STRICT;
CREATE INDEX purchase_invoices_by_order ON purchase_invoices (purchase_order_id);
CREATE INDEX purchase_invoices_by_ref ON purchase_invoices (supplier_id, invoice_ref COLLATE NOCASE);
CREATE INDEX purchase_invoices_by_date ON purchase_invoices (outlet_id, business_date);
CREATE INDEX menu_items_with_hours ON menu_items (outlet_id)
    WHERE archived_at IS NULL
      AND (available_from IS NOT NULL OR available_to IS NOT NULL OR available_days IS NOT NULL OR more_windows <> '[]');
CREATE TABLE "stock_levels" (
  stock_item_id BLOB PRIMARY KEY NOT NULL REFERENCES stock_items (id),
  outlet_id BLOB NOT NULL,
  on_hand INTEGER NOT NULL,                -- sum of all movements; negative while there is a deficit
  deficit INTEGER NOT NULL DEFAULT 0,      -- the negative sum of the movements without a batch
  deficit_cost_micros INTEGER NOT NULL DEFAULT 0,
  last_unit_cost INTEGER NOT NULL DEFAULT 0, -- of the newest receipt that cost something
  largest_need INTEGER NOT NULL DEFAULT 0
) STRICT;
CREATE TABLE sync_withdrawn (
  id BLOB PRIMARY KEY NOT NULL,
  at INTEGER NOT NULL                      -- when it was noticed here
) STRICT;
