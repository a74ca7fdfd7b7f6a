-- A head office that was put back takes from the branches what it had published since.

-- The life of head office in which the row was written last; another one: this database is an older copy.
ALTER TABLE hub.hub_state ADD COLUMN hub_epoch bytea;
-- Where the feed leapt over versions that an older copy had forgotten: the last version before them that every life has.
ALTER TABLE hub.hub_feed_marks ADD COLUMN after bigint;
-- The last row of the log that the branch no longer keeps and that is not here; null while nothing is lacking.
ALTER TABLE hub.hub_state ADD COLUMN lacks_to bigint;
-- What somebody decided is taken over of the log of a box that may not speak for the outlet any more.
CREATE TABLE hub_takeovers (
  outlet_id bytea NOT NULL,
  id bytea NOT NULL,
  row_ids text,
  at bigint NOT NULL,
  by_name text NOT NULL,
  done_at bigint,
  PRIMARY KEY (outlet_id, id)
);
