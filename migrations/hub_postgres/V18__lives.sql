-- A head office that was put back takes from the branches what it had published since.

-- The life of head office in which the row was written last; another one: this database is an older copy.
ALTER TABLE hub.hub_state ADD COLUMN hub_epoch bytea;
-- Where the feed leapt over versions that an older copy had forgotten: the last version before them that every life has.
ALTER TABLE hub.hub_feed_marks ADD COLUMN after bigint;
