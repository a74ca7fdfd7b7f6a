-- What head office knows beyond its outlets' rows: outlets, boxes and their keys, codes, users, audit.
CREATE TABLE hub_meta (
  id INTEGER PRIMARY KEY CHECK (id = 1),
  hub_epoch BLOB NOT NULL
) STRICT;
