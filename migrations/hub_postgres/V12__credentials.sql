-- As migrations/hub_registry/V3. Conventions as in V3.

CREATE TABLE registry_resets (
  hash bytea PRIMARY KEY NOT NULL,
  user_id bytea NOT NULL,
  created_at bigint NOT NULL,
  expires_at bigint NOT NULL
);
ALTER TABLE hub.registry_users ADD COLUMN totp_secret bytea;
ALTER TABLE hub.registry_users ADD COLUMN totp_confirmed bigint NOT NULL DEFAULT 0;
ALTER TABLE hub.registry_users ADD COLUMN totp_step bigint NOT NULL DEFAULT 0;
