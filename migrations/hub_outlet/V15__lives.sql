-- A head office that was put back takes from the branches what it had published since. Conventions as in V1.

-- The life of head office in which the row was written last; another one: this file is an older copy.
ALTER TABLE hub_state ADD COLUMN hub_epoch BLOB;
-- Where the feed leapt over versions that an older copy had forgotten: the last version before them that every life has.
ALTER TABLE hub_feed_marks ADD COLUMN after INTEGER;
