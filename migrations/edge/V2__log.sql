-- The change log: one row for every action that changed captured tables, written in the action's own transaction.
-- Only edge/src/log writes these tables. Table and column numbers, body and hash: tiffin_common::{registry, frame}.

-- LOCAL. seq is contiguous for the life of the database; hash = 128 bits of BLAKE3(hash before, header, body).
CREATE TABLE sync_log (
  seq INTEGER PRIMARY KEY CHECK (seq > 0),
  epoch BLOB NOT NULL,
  kind INTEGER NOT NULL,                   -- 1 data, 2 epoch start, 3 digest, 4 schema, 5 proposal, 6 recovered
  hlc INTEGER NOT NULL,
  wall_ms INTEGER NOT NULL,
  schema_v INTEGER NOT NULL,
  n INTEGER NOT NULL,                      -- changes (digest: entries) in the body
  body BLOB NOT NULL,
  hash BLOB NOT NULL
) STRICT;

-- LOCAL. Every process start is an epoch; each names the position it continued from.
CREATE TABLE sync_meta (
  epoch BLOB PRIMARY KEY NOT NULL,
  parent_epoch BLOB,                       -- null at the very first start
  parent_seq INTEGER NOT NULL DEFAULT 0,
  parent_hash BLOB,
  started_at INTEGER NOT NULL
) STRICT;
