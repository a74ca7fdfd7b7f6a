-- The branch's side of the exchange with head office. Conventions as in V1.

-- ---------------------------------------------------------------------------------------------------------- sync
-- LOCAL. One row: how the exchange stands. The key of the exchange is no row: it lies with the other secrets.
CREATE TABLE sync_peer (
  id INTEGER PRIMARY KEY CHECK (id = 1),
  device_id BLOB NOT NULL,
  hub_url TEXT NOT NULL,
  hub_epoch BLOB,
  standing TEXT NOT NULL DEFAULT 'NORMAL'
    CHECK (standing IN ('NORMAL', 'RECOVERING', 'RESTORING', 'FORK', 'FENCED', 'REVOKED', 'TOO_OLD')),
  acked_epoch BLOB,                        -- the last position head office confirmed
  acked_seq INTEGER NOT NULL DEFAULT 0,
  acked_hash BLOB,
  feed INTEGER NOT NULL DEFAULT 0,         -- the newest version of the feed that is applied here
  feed_mark TEXT,
  feed_schema INTEGER NOT NULL DEFAULT 0,  -- the schema version its rows were read with: another reads all of them again
  last_push_at INTEGER,
  last_pull_at INTEGER,
  digest TEXT,                             -- OK or BAD; null before the first comparison
  digest_at INTEGER,                       -- when head office's verdict came
  digest_seq INTEGER NOT NULL DEFAULT 0,   -- the log row up to which changed buckets have been summed up
  hub_reachable INTEGER,                   -- whether the last request was answered by head office
  internet_reachable INTEGER,
  seen_at INTEGER,                         -- when head office last answered anything
  recovered_to INTEGER,                    -- the end of the lost part of the log that was taken back last
  recovered_hash BLOB,
  clock_offset_ms INTEGER,                 -- head office's clock minus this one's
  restore_phase TEXT,                      -- A, B or C while a replacement is still being filled
  restore_after TEXT,
  enrolled_at INTEGER NOT NULL
) STRICT;
-- LOCAL. Shared rows this branch changed and head office has not yet decided on.
CREATE TABLE sync_proposals (
  table_no INTEGER NOT NULL,
  row_id BLOB NOT NULL,
  seq INTEGER NOT NULL,                    -- the newest log row that changed it
  PRIMARY KEY (table_no, row_id)
) STRICT;
CREATE INDEX sync_proposals_by_seq ON sync_proposals (seq);
-- LOCAL. Changes of head office that take effect later.
CREATE TABLE sync_scheduled (
  id BLOB PRIMARY KEY NOT NULL,
  effective_at INTEGER NOT NULL,
  op BLOB NOT NULL,                        -- one packed change
  applied_at INTEGER
) STRICT;
-- LOCAL. Rows of a replacement's snapshot that wait for a row they name.
CREATE TABLE sync_postponed (
  id INTEGER PRIMARY KEY,
  op BLOB NOT NULL                         -- one packed change
) STRICT;
CREATE INDEX sync_scheduled_by_time ON sync_scheduled (effective_at) WHERE applied_at IS NULL;
-- How far head office has decided: the newest proposal of the log is found without reading the log.
CREATE INDEX sync_log_proposals ON sync_log (seq) WHERE kind = 5;
-- What a recovery could not put back by itself: both versions, for a person to look at.
CREATE TABLE sync_reviews (
  id BLOB PRIMARY KEY NOT NULL,
  outlet_id BLOB NOT NULL,
  table_name TEXT NOT NULL,
  row_id BLOB NOT NULL,
  reason TEXT NOT NULL,                    -- NUMBER_TAKEN, CHANGED_SINCE, DELETED_SINCE, NAME_TAKEN or REFUSED
  lost TEXT NOT NULL,                      -- JSON: the values that were lost
  kept TEXT,                               -- JSON: the values that stand here
  at INTEGER NOT NULL,
  resolved_at INTEGER,
  resolved_by BLOB
) STRICT;
CREATE INDEX sync_reviews_open ON sync_reviews (outlet_id, at) WHERE resolved_at IS NULL;
