-- Attendance, and the papers of the staff. Conventions as in V1.

-- ---------------------------------------------------------------------------------------------------------- employees
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
-- LOCAL. The files themselves: too large for the log, and nobody else's business. In the database, not in a folder, so that a
-- file and its record are written by one transaction and kept by one backup.
CREATE TABLE employee_document_contents (
  document_id BLOB PRIMARY KEY NOT NULL REFERENCES employee_documents (id) ON DELETE CASCADE,
  outlet_id BLOB NOT NULL,
  content BLOB NOT NULL
) STRICT;

-- ---------------------------------------------------------------------------------------------------------- attendance
-- One stay of an employee, from a CLOCK_IN to its CLOCK_OUT. What it holds follows from its records, after corrections.
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
