-- A head office that lacks what this box no longer keeps, and how it is filled again.

-- ---------------------------------------------------------------------------------------------------------- sync
-- Since when head office lacks rows of the log that are no longer kept here; and the filling again that was taken up last.
ALTER TABLE sync_peer ADD COLUMN lacking_since INTEGER;
ALTER TABLE sync_peer ADD COLUMN reseed BLOB;
-- LOCAL. Buckets that are still to be sent whole.
CREATE TABLE sync_reseed (
  id INTEGER PRIMARY KEY,
  table_no INTEGER NOT NULL,
  day TEXT                                 -- of frame::Bucket; null for the whole table
) STRICT;
