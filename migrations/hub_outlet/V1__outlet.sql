-- One outlet at head office: beside the branch's own tables (migrations/edge), how far its log has come and what became of it.
-- Every table carries outlet_id first, as on PostgreSQL, so that one text serves both. Times are milliseconds since 1970 UTC.

-- How far the outlet's log has come: one row.
CREATE TABLE hub_state (
  outlet_id BLOB PRIMARY KEY NOT NULL,
  epoch BLOB,                              -- the end of the log, as far as it is held without a gap
  seq INTEGER NOT NULL DEFAULT 0,
  hash BLOB,
  applied_to INTEGER NOT NULL DEFAULT 0,   -- behind seq while a branch is newer than head office
  lineage INTEGER NOT NULL DEFAULT 0,      -- counts the times the branch came back from an older state
  chunks INTEGER NOT NULL DEFAULT 0,       -- numbers hub_log
  head_wall INTEGER,                       -- the branch's wall clock at the end of the log
  hlc INTEGER NOT NULL DEFAULT 0,          -- the latest moment heard of, and head office's own
  schema_v INTEGER NOT NULL DEFAULT 0,     -- the branch's schema at the end of the log
  feed INTEGER NOT NULL DEFAULT 0,         -- the newest version of the feed
  pulled INTEGER NOT NULL DEFAULT 0,       -- the newest version that the branch's log shows as applied
  lost_epoch BLOB,                         -- until the branch's log tells that it has taken back what it lost: the end of that
  lost_seq INTEGER,
  grant_seq INTEGER,                       -- the position after which the branch was told to go on, until it does
  grant_hash BLOB,
  next_due INTEGER,                        -- when the next scheduled change takes effect
  agreed_seq INTEGER,                      -- the last digest that agreed, and when that was found
  agreed_at INTEGER,
  pushed_at INTEGER
) STRICT;
-- The log itself, as it came: a chunk is the body of one push (without what was held already).
CREATE TABLE hub_log (
  outlet_id BLOB NOT NULL,
  chunk INTEGER NOT NULL,
  lineage INTEGER NOT NULL,
  first_seq INTEGER NOT NULL,
  last_seq INTEGER NOT NULL,
  hash BLOB NOT NULL,                      -- of the row last_seq
  pulled INTEGER NOT NULL,                 -- hub_state.pulled after it
  changes INTEGER NOT NULL,
  received_at INTEGER NOT NULL,
  body BLOB NOT NULL,
  PRIMARY KEY (outlet_id, chunk)
) STRICT;
CREATE INDEX hub_log_by_seq ON hub_log (outlet_id, lineage, last_seq);
-- Process starts of the branch, in all its lineages.
CREATE TABLE hub_epochs (
  outlet_id BLOB NOT NULL,
  epoch BLOB NOT NULL,
  parent_epoch BLOB,
  parent_seq INTEGER NOT NULL DEFAULT 0,
  last_seq INTEGER NOT NULL,               -- of its rows that ever came
  last_hash BLOB NOT NULL,
  kept_to INTEGER,                         -- the branch came back from a state before this row: what follows it was left behind
  PRIMARY KEY (outlet_id, epoch)
) STRICT;
-- Rows of the log whose changes could not be made.
CREATE TABLE hub_quarantine (
  outlet_id BLOB NOT NULL,
  epoch BLOB NOT NULL,
  seq INTEGER NOT NULL,
  kind INTEGER NOT NULL,
  reason TEXT NOT NULL,
  at INTEGER NOT NULL,
  PRIMARY KEY (outlet_id, epoch, seq)
) STRICT;
-- The last comparison of each bucket: day is that of frame::Bucket as a day number, 0 for the whole table.
CREATE TABLE hub_digests (
  outlet_id BLOB NOT NULL,
  table_no INTEGER NOT NULL,
  day INTEGER NOT NULL,
  seq INTEGER NOT NULL,
  at INTEGER NOT NULL,
  ok INTEGER NOT NULL,
  branch_rows INTEGER NOT NULL,
  hub_rows INTEGER NOT NULL,
  PRIMARY KEY (outlet_id, table_no, day)
) STRICT;
CREATE INDEX hub_digests_bad ON hub_digests (outlet_id, ok, table_no);
-- Logs of boxes that may not speak for the outlet any more: kept for review, never applied.
CREATE TABLE hub_salvage (
  outlet_id BLOB NOT NULL,
  epoch BLOB NOT NULL,
  first_seq INTEGER NOT NULL,
  last_seq INTEGER NOT NULL,
  device_id BLOB NOT NULL,
  received_at INTEGER NOT NULL,
  body BLOB NOT NULL,
  PRIMARY KEY (outlet_id, epoch, first_seq, last_seq)
) STRICT;
-- Two boxes speak for the outlet: the one left behind, by the epoch it showed.
CREATE TABLE hub_forks (
  outlet_id BLOB NOT NULL,
  epoch BLOB NOT NULL,
  device_id BLOB NOT NULL,
  head_seq INTEGER NOT NULL,
  seen_at INTEGER NOT NULL,
  decision TEXT CHECK (decision IN ('ACCEPT', 'REFUSE')),
  decided_at INTEGER,
  PRIMARY KEY (outlet_id, epoch)
) STRICT;

-- Shared rows as head office has them. What a branch holds of them is in the branch's own tables, beside.
CREATE TABLE hub_master (
  outlet_id BLOB NOT NULL,
  table_no INTEGER NOT NULL,
  row_id BLOB NOT NULL,
  feed INTEGER NOT NULL,                   -- the version of the feed that brought its last change; 0: only the branch changed it
  deleted INTEGER NOT NULL DEFAULT 0,
  row BLOB NOT NULL,                       -- one packed change: an insert with all of it, or a delete
  groups TEXT NOT NULL,                    -- JSON: who changed each column last
  PRIMARY KEY (outlet_id, table_no, row_id)
) STRICT;
CREATE INDEX hub_master_feed ON hub_master (outlet_id, feed);
-- A random mark for each step of the feed: a version without its mark belongs to another life of this database.
CREATE TABLE hub_feed_marks (
  outlet_id BLOB NOT NULL,
  feed INTEGER NOT NULL,                   -- the last version of the step
  mark BLOB NOT NULL,
  PRIMARY KEY (outlet_id, feed)
) STRICT;
CREATE TABLE hub_scheduled (
  outlet_id BLOB NOT NULL,
  id BLOB NOT NULL,
  effective_at INTEGER NOT NULL,
  op BLOB NOT NULL,                        -- one packed change
  editor TEXT NOT NULL,
  publication BLOB,
  applied_at INTEGER,
  cancelled_at INTEGER,
  PRIMARY KEY (outlet_id, id)
) STRICT;
CREATE INDEX hub_scheduled_due ON hub_scheduled (outlet_id, effective_at) WHERE applied_at IS NULL AND cancelled_at IS NULL;
-- Edits that lost against another one.
CREATE TABLE hub_conflicts (
  outlet_id BLOB NOT NULL,
  id BLOB NOT NULL,
  table_no INTEGER NOT NULL,
  row_id BLOB NOT NULL,
  column_group TEXT NOT NULL,
  policy TEXT NOT NULL,
  winner TEXT NOT NULL CHECK (winner IN ('HEAD_OFFICE', 'BRANCH')),
  master_op BLOB NOT NULL,                 -- head office's side as one packed change
  branch_op BLOB NOT NULL,
  master_by TEXT,
  master_at INTEGER,
  branch_by TEXT,
  branch_at INTEGER NOT NULL,
  seq INTEGER NOT NULL,                    -- the branch's log row
  at INTEGER NOT NULL,
  settled_at INTEGER,
  settled_by TEXT,
  settled_as TEXT CHECK (settled_as IN ('RESTORED', 'DISMISSED')),
  PRIMARY KEY (outlet_id, id)
) STRICT;
CREATE INDEX hub_conflicts_open ON hub_conflicts (outlet_id, at) WHERE settled_at IS NULL;
