-- What grows for ever is let go of. Conventions as in V1.

-- When the step was made; null before this column was.
ALTER TABLE hub_feed_marks ADD COLUMN at INTEGER;
-- Up to this version of the feed the marks, and what was deleted, are let go of.
ALTER TABLE hub_state ADD COLUMN unmarked_to INTEGER NOT NULL DEFAULT 0;
-- Set while this database was put back and the branch has not said what it holds of the changes that take effect later.
ALTER TABLE hub_state ADD COLUMN doubts_schedule INTEGER NOT NULL DEFAULT 0;
