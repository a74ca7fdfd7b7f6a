-- The roster: shifts, swaps, leave. Conventions as in V1.

-- ---------------------------------------------------------------------------------------------------------- shifts
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

-- ---------------------------------------------------------------------------------------------------------- leave_requests
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
-- An employee's own entitlement where it differs from the usual one.
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
