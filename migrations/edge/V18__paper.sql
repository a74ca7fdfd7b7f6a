-- Paper: printers with what they can do, one queue for each, and what stands on receipts of the house.

-- ---------------------------------------------------------------------------------------------------------- printers
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

-- How often a bill or a Z report was printed: the next one is a copy and says which.
CREATE TABLE receipt_prints (
  id BLOB PRIMARY KEY NOT NULL,            -- the bill, or the closed day
  outlet_id BLOB NOT NULL,
  prints INTEGER NOT NULL
) STRICT;

-- What stands above and below the receipts of an outlet: one row for an outlet.
CREATE TABLE print_layouts (
  id BLOB PRIMARY KEY NOT NULL,            -- the outlet
  outlet_id BLOB NOT NULL,
  headers TEXT NOT NULL,                   -- JSON object: language to text
  footers TEXT NOT NULL,                   -- JSON object: language to text
  logo TEXT,                               -- a PNG in base64
  bill_code INTEGER NOT NULL CHECK (bill_code IN (0, 1)), -- a QR code of the bill
  version INTEGER NOT NULL DEFAULT 1,
  updated_at INTEGER NOT NULL
) STRICT;

-- LOCAL. Paper to be: rows that are made bytes when they are sent, by whichever printer takes them. What waited as bytes was minutes old
-- and would come out late; a ticket that is on no display raises its alarm.
DROP TABLE print_jobs;
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

-- ----------------------------------------------------------------------------------------------------------- kitchen
ALTER TABLE kitchen_stations ADD COLUMN language TEXT;    -- of the fixed words on its tickets; null: as its printer has it
