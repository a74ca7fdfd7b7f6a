-- One outlet at head office: how far its log has come and what became of it. The twin of migrations/hub_outlet/V1__outlet.sql,
-- column by column; every key leads with outlet_id.

-- How far the outlet's log has come: one row.
CREATE TABLE hub_state (
  outlet_id bytea PRIMARY KEY NOT NULL,
  epoch bytea,                              -- the end of the log, as far as it is held without a gap
  seq bigint NOT NULL DEFAULT 0,
  hash bytea,
  applied_to bigint NOT NULL DEFAULT 0,   -- behind seq while a branch is newer than head office
  lineage bigint NOT NULL DEFAULT 0,      -- counts the times the branch came back from an older state
  chunks bigint NOT NULL DEFAULT 0,       -- numbers hub_log
  head_wall bigint,                       -- the branch's wall clock at the end of the log
  hlc bigint NOT NULL DEFAULT 0,          -- the latest moment heard of, and head office's own
  schema_v bigint NOT NULL DEFAULT 0,     -- the branch's schema at the end of the log
  feed bigint NOT NULL DEFAULT 0,         -- the newest version of the feed
  pulled bigint NOT NULL DEFAULT 0,       -- the newest version that the branch's log shows as applied
  lost_epoch bytea,                         -- until the branch's log tells that it has taken back what it lost: the end of that
  lost_seq bigint,
  grant_seq bigint,                       -- the position after which the branch was told to go on, until it does
  grant_hash bytea,
  next_due bigint,                        -- when the next scheduled change takes effect
  agreed_seq bigint,                      -- the last digest that agreed, and when that was found
  agreed_at bigint,
  pushed_at bigint
);
-- The log itself, as it came: a chunk is the body of one push (without what was held already).
CREATE TABLE hub_log (
  outlet_id bytea NOT NULL,
  chunk bigint NOT NULL,
  lineage bigint NOT NULL,
  first_seq bigint NOT NULL,
  last_seq bigint NOT NULL,
  hash bytea NOT NULL,                      -- of the row last_seq
  pulled bigint NOT NULL,                 -- hub_state.pulled after it
  changes bigint NOT NULL,
  received_at bigint NOT NULL,
  body bytea NOT NULL,
  PRIMARY KEY (outlet_id, chunk)
);
CREATE INDEX hub_log_by_seq ON hub_log (outlet_id, lineage, last_seq);
-- Process starts of the branch, in all its lineages.
CREATE TABLE hub_epochs (
  outlet_id bytea NOT NULL,
  epoch bytea NOT NULL,
  parent_epoch bytea,
  parent_seq bigint NOT NULL DEFAULT 0,
  last_seq bigint NOT NULL,               -- of its rows that ever came
  last_hash bytea NOT NULL,
  kept_to bigint,                         -- the branch came back from a state before this row: what follows it was left behind
  PRIMARY KEY (outlet_id, epoch)
);
-- Rows of the log whose changes could not be made.
CREATE TABLE hub_quarantine (
  outlet_id bytea NOT NULL,
  epoch bytea NOT NULL,
  seq bigint NOT NULL,
  kind bigint NOT NULL,
  reason text NOT NULL,
  at bigint NOT NULL,
  PRIMARY KEY (outlet_id, epoch, seq)
);
-- The last comparison of each bucket: day is that of frame::Bucket as a day number, 0 for the whole table.
CREATE TABLE hub_digests (
  outlet_id bytea NOT NULL,
  table_no bigint NOT NULL,
  day bigint NOT NULL,
  seq bigint NOT NULL,
  at bigint NOT NULL,
  ok bigint NOT NULL,
  branch_rows bigint NOT NULL,
  hub_rows bigint NOT NULL,
  PRIMARY KEY (outlet_id, table_no, day)
);
CREATE INDEX hub_digests_bad ON hub_digests (outlet_id, ok, table_no);
-- Logs of boxes that may not speak for the outlet any more: kept for review, never applied.
CREATE TABLE hub_salvage (
  outlet_id bytea NOT NULL,
  epoch bytea NOT NULL,
  first_seq bigint NOT NULL,
  last_seq bigint NOT NULL,
  device_id bytea NOT NULL,
  received_at bigint NOT NULL,
  body bytea NOT NULL,
  PRIMARY KEY (outlet_id, epoch, first_seq, last_seq)
);
-- Two boxes speak for the outlet: the one left behind, by the epoch it showed.
CREATE TABLE hub_forks (
  outlet_id bytea NOT NULL,
  epoch bytea NOT NULL,
  device_id bytea NOT NULL,
  head_seq bigint NOT NULL,
  seen_at bigint NOT NULL,
  decision text CHECK (decision IN ('ACCEPT', 'REFUSE')),
  decided_at bigint,
  PRIMARY KEY (outlet_id, epoch)
);

-- Shared rows as head office has them. What a branch holds of them is in the branch's own tables, beside.
CREATE TABLE hub_master (
  outlet_id bytea NOT NULL,
  table_no bigint NOT NULL,
  row_id bytea NOT NULL,
  feed bigint NOT NULL,                   -- the version of the feed that brought its last change; 0: only the branch changed it
  deleted bigint NOT NULL DEFAULT 0,
  row bytea NOT NULL,                       -- one packed change: an insert with all of it, or a delete
  groups text NOT NULL,                    -- JSON: who changed each column last
  PRIMARY KEY (outlet_id, table_no, row_id)
);
CREATE INDEX hub_master_feed ON hub_master (outlet_id, feed);
-- A random mark for each step of the feed: a version without its mark belongs to another life of this database.
CREATE TABLE hub_feed_marks (
  outlet_id bytea NOT NULL,
  feed bigint NOT NULL,                   -- the last version of the step
  mark bytea NOT NULL,
  PRIMARY KEY (outlet_id, feed)
);
CREATE TABLE hub_scheduled (
  outlet_id bytea NOT NULL,
  id bytea NOT NULL,
  effective_at bigint NOT NULL,
  op bytea NOT NULL,                        -- one packed change
  editor text NOT NULL,
  publication bytea,
  applied_at bigint,
  cancelled_at bigint,
  PRIMARY KEY (outlet_id, id)
);
CREATE INDEX hub_scheduled_due ON hub_scheduled (outlet_id, effective_at) WHERE applied_at IS NULL AND cancelled_at IS NULL;
-- Edits that lost against another one.
CREATE TABLE hub_conflicts (
  outlet_id bytea NOT NULL,
  id bytea NOT NULL,
  table_no bigint NOT NULL,
  row_id bytea NOT NULL,
  column_group text NOT NULL,
  policy text NOT NULL,
  winner text NOT NULL CHECK (winner IN ('HEAD_OFFICE', 'BRANCH')),
  master_op bytea NOT NULL,                 -- head office's side as one packed change
  branch_op bytea NOT NULL,
  master_by text,
  master_at bigint,
  branch_by text,
  branch_at bigint NOT NULL,
  seq bigint NOT NULL,                    -- the branch's log row
  at bigint NOT NULL,
  settled_at bigint,
  settled_by text,
  settled_as text CHECK (settled_as IN ('RESTORED', 'DISMISSED')),
  PRIMARY KEY (outlet_id, id)
);
CREATE INDEX hub_conflicts_open ON hub_conflicts (outlet_id, at) WHERE settled_at IS NULL;
