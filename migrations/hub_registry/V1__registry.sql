-- What head office knows beyond its outlets' rows: outlets, boxes and their keys, codes, users, audit. Conventions as in
-- migrations/edge/V1: ids are 16-byte blobs, times integer milliseconds, flags 0 or 1. The PostgreSQL twin is
-- migrations/hub_postgres/V3__registry.sql.
CREATE TABLE hub_meta (
  id INTEGER PRIMARY KEY CHECK (id = 1),
  hub_epoch BLOB NOT NULL,                 -- changes whenever head office was restored from a backup
  secret_check BLOB NOT NULL,              -- stands for the secret of this head office: every process must have the same
  created_at INTEGER NOT NULL
) STRICT;

-- ------------------------------------------------------------------------------------------------------- outlets
CREATE TABLE registry_outlets (
  id BLOB PRIMARY KEY NOT NULL,
  code TEXT NOT NULL UNIQUE,
  name TEXT NOT NULL,
  timezone TEXT NOT NULL,
  currency TEXT NOT NULL,
  pepper BLOB,                             -- of its PINs, sealed
  created_at INTEGER NOT NULL
) STRICT;
-- A box that belongs or belonged to an outlet, with its key. Only a hash of the key's secret is kept.
CREATE TABLE registry_devices (
  key_id BLOB PRIMARY KEY NOT NULL,
  outlet_id BLOB NOT NULL,
  device_id BLOB NOT NULL,
  secret_hash BLOB NOT NULL,
  created_at INTEGER NOT NULL,
  created_by TEXT NOT NULL,                -- who gave out the code
  ended_at INTEGER,
  ended_as TEXT CHECK (ended_as IN ('FENCED', 'REVOKED', 'RENEWED'))
) STRICT;
CREATE INDEX registry_devices_by_outlet ON registry_devices (outlet_id, created_at);
-- What the outlet's box last said of itself. Apart from its outlet: written often.
CREATE TABLE registry_presence (
  outlet_id BLOB PRIMARY KEY NOT NULL,
  device_id BLOB,
  last_seen_at INTEGER NOT NULL,
  version TEXT,
  schema_v INTEGER,
  rows_waiting INTEGER,
  clock_offset_ms INTEGER                  -- the box's clock minus head office's
) STRICT;
-- One-time codes for a new box, or (with an outlet) for its replacement.
CREATE TABLE registry_codes (
  hash BLOB PRIMARY KEY NOT NULL,
  id BLOB NOT NULL UNIQUE,
  outlet_id BLOB,
  created_at INTEGER NOT NULL,
  created_by BLOB,
  created_by_name TEXT NOT NULL,
  expires_at INTEGER NOT NULL,
  used_at INTEGER,
  used_by BLOB                             -- the box
) STRICT;

-- --------------------------------------------------------------------------------------------------------- users
CREATE TABLE registry_users (
  id BLOB PRIMARY KEY NOT NULL,
  email TEXT NOT NULL UNIQUE,              -- lower case
  name TEXT NOT NULL,
  password_hash TEXT NOT NULL,
  role TEXT NOT NULL,
  is_active INTEGER NOT NULL DEFAULT 1,
  created_at INTEGER NOT NULL,
  updated_at INTEGER NOT NULL,
  version INTEGER NOT NULL DEFAULT 1
) STRICT;
CREATE TABLE registry_user_outlets (
  user_id BLOB NOT NULL,
  outlet_id BLOB NOT NULL,
  place INTEGER NOT NULL,
  PRIMARY KEY (user_id, outlet_id)
) STRICT;
CREATE TABLE registry_sessions (
  id BLOB PRIMARY KEY NOT NULL,
  user_id BLOB NOT NULL,
  device_name TEXT,
  created_at INTEGER NOT NULL,
  last_used_at INTEGER NOT NULL,
  expires_at INTEGER NOT NULL,
  revoked_at INTEGER,
  revoked_reason TEXT
) STRICT;
CREATE INDEX registry_sessions_by_user ON registry_sessions (user_id);
CREATE INDEX registry_sessions_revoked ON registry_sessions (revoked_at) WHERE revoked_at IS NOT NULL;
CREATE TABLE registry_refresh_tokens (
  hash BLOB PRIMARY KEY NOT NULL,
  session_id BLOB NOT NULL,
  expires_at INTEGER NOT NULL,
  spent_at INTEGER,
  successor_hash BLOB
) STRICT;
CREATE INDEX registry_refresh_tokens_by_session ON registry_refresh_tokens (session_id);
-- Failures counted under a key, kept so that a restart does not forget them.
CREATE TABLE registry_throttles (
  key TEXT PRIMARY KEY NOT NULL,
  failures INTEGER NOT NULL,
  window_started_at INTEGER NOT NULL,
  locked_until INTEGER
) STRICT;

-- --------------------------------------------------------------------------------------------------------- audit
-- Append-only.
CREATE TABLE registry_audit (
  id BLOB PRIMARY KEY NOT NULL,
  at INTEGER NOT NULL,
  actor_id BLOB,
  actor_name TEXT NOT NULL,
  device TEXT,
  action TEXT NOT NULL,
  entity TEXT NOT NULL,
  entity_id BLOB,
  outlet_id BLOB,
  detail TEXT                              -- JSON: what changed, before and after
) STRICT;
CREATE INDEX registry_audit_by_time ON registry_audit (at, id);
CREATE INDEX registry_audit_by_outlet ON registry_audit (outlet_id, at, id);
-- The first answers to keyed requests, sealed: one of them holds an enrolment code.
CREATE TABLE registry_idempotency (
  user_id BLOB NOT NULL,
  key TEXT NOT NULL,
  request_hash BLOB NOT NULL,
  status INTEGER NOT NULL,
  body BLOB NOT NULL,
  created_at INTEGER NOT NULL,
  PRIMARY KEY (user_id, key)
) STRICT;
CREATE INDEX registry_idempotency_by_time ON registry_idempotency (created_at);
