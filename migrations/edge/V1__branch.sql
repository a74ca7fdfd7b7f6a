-- The branch database. Every table carries outlet_id; ids are 16-byte UUIDv7, times integer milliseconds since 1970 UTC,
-- money integer cents, quantities integer millionths of the unit, unit costs integer millionths of a cent,
-- business dates and times of day text ('YYYY-MM-DD', 'HH:MM').
-- A table whose comment begins with LOCAL belongs to this box alone: it is not captured in the change log.

-- ---------------------------------------------------------------------------------------------------------- outlets
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
) STRICT;
CREATE UNIQUE INDEX outlets_code ON outlets (code);

-- LOCAL. One row: which outlet this box is, and how far its clock is off, as a person said.
CREATE TABLE box (
  id INTEGER PRIMARY KEY CHECK (id = 1),
  outlet_id BLOB,
  clock_offset_ms INTEGER NOT NULL DEFAULT 0
) STRICT;

-- ---------------------------------------------------------------------------------------------------------- audit
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
) STRICT;
CREATE INDEX audit_log_by_time ON audit_log (outlet_id, at);
CREATE INDEX audit_log_by_entity ON audit_log (outlet_id, entity_type, entity_id, at);

-- ---------------------------------------------------------------------------------------------------------- notifications
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
-- LOCAL. What the stream sends, in order; an event names the row, the row is read when it is sent.
CREATE TABLE notification_events (
  seq INTEGER PRIMARY KEY AUTOINCREMENT,
  outlet_id BLOB NOT NULL,
  notification_id BLOB NOT NULL,
  at INTEGER NOT NULL
) STRICT;

-- ---------------------------------------------------------------------------------------------------------- employees
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
) STRICT;
CREATE UNIQUE INDEX employees_code ON employees (outlet_id, employee_code);
CREATE UNIQUE INDEX employees_pin ON employees (outlet_id, pin_hash) WHERE pin_hash IS NOT NULL AND archived_at IS NULL;
CREATE TABLE employee_wages (
  id BLOB PRIMARY KEY NOT NULL,
  outlet_id BLOB NOT NULL,
  employee_id BLOB NOT NULL REFERENCES employees (id),
  hourly_rate_cents INTEGER NOT NULL,
  effective_at INTEGER NOT NULL,
  set_by BLOB
) STRICT;
CREATE INDEX employee_wages_by_employee ON employee_wages (employee_id, effective_at);

-- ---------------------------------------------------------------------------------------------------------- auth
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
) STRICT;
CREATE UNIQUE INDEX accounts_email ON accounts (email);
CREATE UNIQUE INDEX accounts_employee ON accounts (employee_id) WHERE employee_id IS NOT NULL;
CREATE TABLE account_outlets (
  id BLOB PRIMARY KEY NOT NULL,
  outlet_id BLOB NOT NULL REFERENCES outlets (id),
  account_id BLOB NOT NULL REFERENCES accounts (id),
  position INTEGER NOT NULL
) STRICT;
CREATE UNIQUE INDEX account_outlets_by_account ON account_outlets (account_id, outlet_id);
-- LOCAL. A signed-in device: the family of its refresh tokens.
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
) STRICT;
CREATE INDEX sessions_by_account ON sessions (account_id, created_at);
-- LOCAL. Refresh tokens, hashed; a successor is derived from its predecessor, so that a retry gets the same one.
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
-- LOCAL. One-time codes for a password reset, hashed.
CREATE TABLE password_resets (
  hash BLOB PRIMARY KEY NOT NULL,
  outlet_id BLOB NOT NULL,
  account_id BLOB NOT NULL REFERENCES accounts (id),
  created_at INTEGER NOT NULL,
  expires_at INTEGER NOT NULL,
  used_at INTEGER
) STRICT;
CREATE INDEX password_resets_by_account ON password_resets (account_id);
-- LOCAL. Failed sign-ins and PINs; a restart does not forget them.
CREATE TABLE throttles (
  key TEXT PRIMARY KEY NOT NULL,
  outlet_id BLOB,
  failures INTEGER NOT NULL,
  window_started_at INTEGER NOT NULL,
  locked_until INTEGER
) STRICT;

-- ---------------------------------------------------------------------------------------------------------- idempotency
-- LOCAL. The first answer to each Idempotency-Key, kept 7 days.
CREATE TABLE idempotency (
  account_id BLOB NOT NULL,
  key TEXT NOT NULL,
  outlet_id BLOB NOT NULL,
  request_hash BLOB NOT NULL,
  status INTEGER NOT NULL,
  body BLOB NOT NULL,
  created_at INTEGER NOT NULL,
  PRIMARY KEY (account_id, key)
) STRICT;
CREATE INDEX idempotency_by_time ON idempotency (created_at);

-- ---------------------------------------------------------------------------------------------------------- menu
CREATE TABLE tax_categories (
  id BLOB PRIMARY KEY NOT NULL,
  outlet_id BLOB NOT NULL,
  name TEXT NOT NULL,
  components TEXT NOT NULL,                -- JSON: [{"name": "CGST", "rateBps": 250}, …]
  version INTEGER NOT NULL DEFAULT 1,
  created_at INTEGER NOT NULL,
  updated_at INTEGER NOT NULL,
  archived_at INTEGER
) STRICT;
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
) STRICT;
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
) STRICT;
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
) STRICT;
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
) STRICT;
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
-- What an outlet can sell now: outlet-owned, kept apart from the shared item. One row per item or option that was ever set.
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
-- A price of this outlet alone: outlet-owned.
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
-- LOCAL. Counts every change of anything the menu tree shows: its ETag.
CREATE TABLE menu_revision (
  outlet_id BLOB PRIMARY KEY NOT NULL,
  revision INTEGER NOT NULL
) STRICT;

-- ---------------------------------------------------------------------------------------------------------- tables
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
) STRICT;
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
) STRICT;
CREATE UNIQUE INDEX table_sessions_open ON table_sessions (table_id) WHERE closed_at IS NULL;
CREATE INDEX table_sessions_by_date ON table_sessions (outlet_id, business_date);

-- ---------------------------------------------------------------------------------------------------------- inventory
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
) STRICT;
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
  last_unit_cost INTEGER NOT NULL DEFAULT 0,
  version INTEGER NOT NULL DEFAULT 1,
  created_at INTEGER NOT NULL,
  updated_at INTEGER NOT NULL,
  archived_at INTEGER
) STRICT;
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
CREATE UNIQUE INDEX stock_batches_number ON stock_batches (stock_item_id, batch_number);
-- LOCAL. What is left of each batch that has something left: the sum of its movements, kept so that picking need not add up
-- the ledger; an empty batch has no row, so that no index has to be written when a quantity changes. Expiry and cost are
-- repeated here so that a pick is one index range; a batch that keeps for ever expires on 9999-12-31.
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
-- LOCAL. Per item: the ledger's running total, and what was sold without stock with the cost it was booked at (the sums of the
-- movements without a batch, settled by the next receipt).
CREATE TABLE stock_levels (
  stock_item_id BLOB PRIMARY KEY NOT NULL REFERENCES stock_items (id),
  outlet_id BLOB NOT NULL,
  on_hand INTEGER NOT NULL,                -- sum of all movements; negative while there is a deficit
  deficit INTEGER NOT NULL DEFAULT 0 CHECK (deficit >= 0),
  deficit_cost_micros INTEGER NOT NULL DEFAULT 0
) STRICT;
-- The ledger. Only ever inserted into. No index by batch: it would scatter a page write for every ingredient of every order;
-- the rare look at a batch goes by its item.
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
) STRICT;
CREATE INDEX stock_movements_by_item ON stock_movements (stock_item_id, at);
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
) STRICT;
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

-- ---------------------------------------------------------------------------------------------------------- kitchen
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
) STRICT;
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
CREATE UNIQUE INDEX kitchen_tickets_number ON kitchen_tickets (station_id, business_date, ticket_number);
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
) STRICT;
CREATE INDEX kitchen_ticket_items_by_ticket ON kitchen_ticket_items (ticket_id);
CREATE INDEX kitchen_ticket_items_by_order ON kitchen_ticket_items (order_id);
CREATE INDEX kitchen_ticket_items_by_order_item ON kitchen_ticket_items (order_item_id);
-- LOCAL. What the stream sends, in order; an event names the ticket, the ticket is read when it is sent.
CREATE TABLE kitchen_events (
  seq INTEGER PRIMARY KEY AUTOINCREMENT,
  outlet_id BLOB NOT NULL,
  station_id BLOB NOT NULL,
  ticket_id BLOB NOT NULL,
  event TEXT NOT NULL,                     -- ticket.created, ticket.updated
  at INTEGER NOT NULL
) STRICT;
-- LOCAL. Paper: one queue per printer, entries expire; the order never waits for it.
CREATE TABLE print_jobs (
  id BLOB PRIMARY KEY NOT NULL,
  outlet_id BLOB NOT NULL,
  printer_address TEXT NOT NULL,
  ticket_id BLOB,
  payload BLOB NOT NULL,
  created_at INTEGER NOT NULL,
  expires_at INTEGER NOT NULL,
  attempts INTEGER NOT NULL DEFAULT 0,
  next_attempt_at INTEGER NOT NULL,
  status TEXT NOT NULL DEFAULT 'QUEUED' CHECK (status IN ('QUEUED', 'PRINTED', 'EXPIRED')),
  last_error TEXT
) STRICT;
CREATE INDEX print_jobs_open ON print_jobs (printer_address, created_at) WHERE status = 'QUEUED';

-- ---------------------------------------------------------------------------------------------------------- orders
-- Highest number given, per outlet and series. Captured, so that a replaced box continues above it.
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
  customer_name TEXT,
  customer_phone TEXT,
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
) STRICT;
CREATE UNIQUE INDEX orders_number ON orders (outlet_id, business_date, token_number);
CREATE INDEX orders_by_time ON orders (outlet_id, created_at);
CREATE INDEX orders_by_status ON orders (outlet_id, status, created_at);
CREATE INDEX orders_open ON orders (outlet_id, created_at) WHERE status NOT IN ('COMPLETED', 'CANCELLED');
CREATE INDEX orders_by_session ON orders (table_session_id) WHERE table_session_id IS NOT NULL;
CREATE INDEX orders_by_table ON orders (outlet_id, table_number, created_at) WHERE table_number IS NOT NULL;
-- LOCAL. Orders of an outlet in each state: the total of a list without counting its rows. Kept by triggers, so that rows
-- that come by restore or sync are counted too.
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
) STRICT;
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
) STRICT;
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
) STRICT;
CREATE INDEX order_discounts_by_order ON order_discounts (order_id);
-- Tax per line and component, of the state the order is in; replaced when the order changes before its invoice.
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
CREATE UNIQUE INDEX order_taxes_line ON order_taxes (order_id, order_item_id, name);
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
) STRICT;
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
) STRICT;
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
) STRICT;
CREATE INDEX refund_items_by_order ON refund_items (order_id);
CREATE INDEX refund_items_by_line ON refund_items (order_item_id);
-- Invoices and credit notes: numbered in gapless series, each holding the hash of the one before.
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
) STRICT;
CREATE UNIQUE INDEX invoices_series ON invoices (outlet_id, kind, fiscal_year, serial);
CREATE UNIQUE INDEX invoices_number ON invoices (outlet_id, number);
CREATE INDEX invoices_by_order ON invoices (order_id);
CREATE INDEX invoices_by_time ON invoices (outlet_id, at);
CREATE INDEX invoices_by_date ON invoices (outlet_id, business_date, kind);

-- ---------------------------------------------------------------------------------------------------------- cash
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
) STRICT;
CREATE UNIQUE INDEX cash_sessions_open ON cash_sessions (outlet_id, drawer) WHERE status = 'OPEN';
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
) STRICT;
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
) STRICT;
CREATE UNIQUE INDEX day_closes_date ON day_closes (outlet_id, business_date);
CREATE UNIQUE INDEX day_closes_number ON day_closes (outlet_id, z_number);
