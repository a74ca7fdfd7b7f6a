-- A head office that was put back takes from the branches what it had published since. Conventions as in V1.

-- The life of head office in which the row was written last; another one: this file is an older copy.
ALTER TABLE hub_state ADD COLUMN hub_epoch BLOB;
-- Where the feed leapt over versions that an older copy had forgotten: the last version before them that every life has.
ALTER TABLE hub_feed_marks ADD COLUMN after INTEGER;
-- The last row of the log that the branch no longer keeps and that is not here; null while nothing is lacking.
ALTER TABLE hub_state ADD COLUMN lacks_to INTEGER;
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
