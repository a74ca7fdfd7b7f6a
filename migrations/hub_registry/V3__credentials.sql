-- What lets people in again, and what they show beside their password. Conventions as in V1.

-- One-time codes for a new password, of which only hashes are kept.
CREATE TABLE registry_resets (
  hash BLOB PRIMARY KEY NOT NULL,
  user_id BLOB NOT NULL,
  created_at INTEGER NOT NULL,
  expires_at INTEGER NOT NULL
) STRICT;
-- The secret of an authenticator, sealed; whether a code of it has opened; the half minute whose code opened last.
ALTER TABLE registry_users ADD COLUMN totp_secret BLOB;
ALTER TABLE registry_users ADD COLUMN totp_confirmed INTEGER NOT NULL DEFAULT 0;
ALTER TABLE registry_users ADD COLUMN totp_step INTEGER NOT NULL DEFAULT 0;
