-- What staff and guests say, and mail. Conventions as in V1.

-- ---------------------------------------------------------------------------------------------------------- tickets
-- A query of the staff: a broken tap, a wrong payslip.
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
-- What a guest says. One per order, or, without an order, one per seating.
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
  customer_name TEXT,
  customer_phone TEXT,
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

-- ---------------------------------------------------------------------------------------------------------- notifications
-- LOCAL. Mail that waits to be sent. A row is deleted when its mail has gone or its time is over: its text may hold a one-time
-- code. A mail that does not go becomes a notification.
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
