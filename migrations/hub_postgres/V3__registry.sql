-- What head office knows beyond its outlets' rows: outlets, boxes and their keys, codes, users, audit. The twin of
-- migrations/hub_registry/V1__registry.sql, column by column.
CREATE TABLE hub_meta (
  id bigint PRIMARY KEY CHECK (id = 1),
  hub_epoch bytea NOT NULL,                 -- changes whenever head office was restored from a backup
  secret_check bytea NOT NULL,              -- stands for the secret of this head office: every process must have the same
  created_at bigint NOT NULL
);

-- ------------------------------------------------------------------------------------------------------- outlets
CREATE TABLE registry_outlets (
  id bytea PRIMARY KEY NOT NULL,
  code text NOT NULL UNIQUE,
  name text NOT NULL,
  timezone text NOT NULL,
  currency text NOT NULL,
  pepper bytea,                             -- of its PINs, sealed
  created_at bigint NOT NULL
);
-- A box that belongs or belonged to an outlet, with its key. Only a hash of the key's secret is kept.
CREATE TABLE registry_devices (
  key_id bytea PRIMARY KEY NOT NULL,
  outlet_id bytea NOT NULL,
  device_id bytea NOT NULL,
  secret_hash bytea NOT NULL,
  created_at bigint NOT NULL,
  created_by text NOT NULL,                -- who gave out the code
  ended_at bigint,
  ended_as text CHECK (ended_as IN ('FENCED', 'REVOKED', 'RENEWED'))
);
CREATE INDEX registry_devices_by_outlet ON registry_devices (outlet_id, created_at);
-- What the outlet's box last said of itself. Apart from its outlet: written often.
CREATE TABLE registry_presence (
  outlet_id bytea PRIMARY KEY NOT NULL,
  device_id bytea,
  last_seen_at bigint NOT NULL,
  version text,
  schema_v bigint,
  rows_waiting bigint,
  clock_offset_ms bigint                  -- the box's clock minus head office's
);
-- One-time codes for a new box, or (with an outlet) for its replacement.
CREATE TABLE registry_codes (
  hash bytea PRIMARY KEY NOT NULL,
  id bytea NOT NULL UNIQUE,
  outlet_id bytea,
  created_at bigint NOT NULL,
  created_by bytea,
  created_by_name text NOT NULL,
  expires_at bigint NOT NULL,
  used_at bigint,
  used_by bytea                             -- the box
);

-- --------------------------------------------------------------------------------------------------------- users
CREATE TABLE registry_users (
  id bytea PRIMARY KEY NOT NULL,
  email text NOT NULL UNIQUE,              -- lower case
  name text NOT NULL,
  password_hash text NOT NULL,
  role text NOT NULL,
  is_active bigint NOT NULL DEFAULT 1,
  created_at bigint NOT NULL,
  updated_at bigint NOT NULL,
  version bigint NOT NULL DEFAULT 1
);
CREATE TABLE registry_user_outlets (
  user_id bytea NOT NULL,
  outlet_id bytea NOT NULL,
  place bigint NOT NULL,
  PRIMARY KEY (user_id, outlet_id)
);
CREATE TABLE registry_sessions (
  id bytea PRIMARY KEY NOT NULL,
  user_id bytea NOT NULL,
  device_name text,
  created_at bigint NOT NULL,
  last_used_at bigint NOT NULL,
  expires_at bigint NOT NULL,
  revoked_at bigint,
  revoked_reason text
);
CREATE INDEX registry_sessions_by_user ON registry_sessions (user_id);
CREATE INDEX registry_sessions_revoked ON registry_sessions (revoked_at) WHERE revoked_at IS NOT NULL;
CREATE TABLE registry_refresh_tokens (
  hash bytea PRIMARY KEY NOT NULL,
  session_id bytea NOT NULL,
  expires_at bigint NOT NULL,
  spent_at bigint,
  successor_hash bytea
);
CREATE INDEX registry_refresh_tokens_by_session ON registry_refresh_tokens (session_id);
-- Failures counted under a key, kept so that a restart does not forget them.
CREATE TABLE registry_throttles (
  key text PRIMARY KEY NOT NULL,
  failures bigint NOT NULL,
  window_started_at bigint NOT NULL,
  locked_until bigint
);

-- --------------------------------------------------------------------------------------------------------- audit
-- Append-only.
CREATE TABLE registry_audit (
  id bytea PRIMARY KEY NOT NULL,
  at bigint NOT NULL,
  actor_id bytea,
  actor_name text NOT NULL,
  device text,
  action text NOT NULL,
  entity text NOT NULL,
  entity_id bytea,
  outlet_id bytea,
  detail text                              -- JSON: what changed, before and after
);
CREATE INDEX registry_audit_by_time ON registry_audit (at, id);
CREATE INDEX registry_audit_by_outlet ON registry_audit (outlet_id, at, id);
-- The first answers to keyed requests, sealed: one of them holds an enrolment code.
CREATE TABLE registry_idempotency (
  user_id bytea NOT NULL,
  key text NOT NULL,
  request_hash bytea NOT NULL,
  status bigint NOT NULL,
  body bytea NOT NULL,
  created_at bigint NOT NULL,
  PRIMARY KEY (user_id, key)
);
CREATE INDEX registry_idempotency_by_time ON registry_idempotency (created_at);
