-- Records that a box has lost or changed behind its own back. Conventions as in V1.

-- They stay here as they are; the comparison of digests counts the box's own instead, so that it tells of anything else.
CREATE TABLE hub_withheld (
  outlet_id BLOB NOT NULL,
  table_no INTEGER NOT NULL,
  day INTEGER NOT NULL,                    -- as in hub_digests
  row_id BLOB NOT NULL,
  theirs BLOB,                             -- the digest of the box's row; null where it has none
  seq INTEGER NOT NULL,                    -- the log row that told so last
  at INTEGER NOT NULL,
  PRIMARY KEY (outlet_id, table_no, day, row_id)
) STRICT;
