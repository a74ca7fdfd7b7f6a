-- Devices that are paired by a code, people who are known at the till by a PIN alone, and a second factor. Conventions as in V1.

-- --------------------------------------------------------------------------------------------------------- employees
-- What a PIN opens at the till for somebody, whether they have an account or not.
ALTER TABLE employees ADD COLUMN till_role TEXT;

-- -------------------------------------------------------------------------------------------------------------- auth
-- LOCAL. The second factor of an account: its secret is sealed with a key that only this box has.
CREATE TABLE second_factors (
  account_id BLOB PRIMARY KEY NOT NULL REFERENCES accounts (id),
  outlet_id BLOB NOT NULL,
  secret BLOB NOT NULL,
  is_confirmed INTEGER NOT NULL DEFAULT 0,
  last_step INTEGER NOT NULL DEFAULT 0,    -- of the newest code that opened: none opens twice
  created_at INTEGER NOT NULL
) STRICT;

-- ----------------------------------------------------------------------------------------------------------- outlets
-- The fingerprint of the certificate authority that a device has shown to believe: it was paired over TLS.
ALTER TABLE box ADD COLUMN believed_authority TEXT;

-- ----------------------------------------------------------------------------------------------------------- devices
-- LOCAL. Tills, displays, clocks and boards that are paired with this box; a removed one is gone, the audit log remembers it.
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
-- LOCAL. Devices that ask to be paired. Both codes stand here as hashes alone; rows go a day after they end.
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
