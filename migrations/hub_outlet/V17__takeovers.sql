-- What somebody decided is taken over of the log of a box that may not speak for the outlet any more.
CREATE TABLE hub_takeovers (
  outlet_id BLOB NOT NULL,
  id BLOB NOT NULL,
  row_ids TEXT,                            -- JSON: the ids of rows; null: all that had come by then
  at INTEGER NOT NULL,
  by_name TEXT NOT NULL,
  done_at INTEGER,                         -- when the outlet's own log told that its box has them
  PRIMARY KEY (outlet_id, id)
) STRICT;
