-- Two machines that were put back together with their memory number other rows alike: what each had left is told apart by its last row.
-- Empty for what came before this column was.
CREATE TABLE hub_salvage_by_hash (
  outlet_id BLOB NOT NULL,
  epoch BLOB NOT NULL,
  first_seq INTEGER NOT NULL,
  last_seq INTEGER NOT NULL,
  last_hash BLOB NOT NULL,
  device_id BLOB NOT NULL,
  received_at INTEGER NOT NULL,
  body BLOB NOT NULL,
  PRIMARY KEY (outlet_id, epoch, first_seq, last_seq, last_hash)
) STRICT;
INSERT INTO hub_salvage_by_hash
  SELECT outlet_id, epoch, first_seq, last_seq, x'', device_id, received_at, body FROM hub_salvage;
DROP TABLE hub_salvage;
ALTER TABLE hub_salvage_by_hash RENAME TO hub_salvage;
