-- Old change log: kept in little room until head office has confirmed it, and long enough after that. Conventions as in V1.

-- ---------------------------------------------------------------------------------------------------------- sync
-- LOCAL. Rows of sync_log that are older than it is kept and that head office has not confirmed, packed as a push packs them: a box
-- without head office keeps them for the day it gets one.
CREATE TABLE sync_archive (
  first_seq INTEGER PRIMARY KEY CHECK (first_seq > 0),
  last_seq INTEGER NOT NULL,
  wall_ms INTEGER NOT NULL,                -- of the row last_seq
  proposal INTEGER NOT NULL,               -- the last row among them that proposes something; 0 when none does
  body BLOB NOT NULL                       -- tiffin_common::sync::batch; its first 16 bytes: the hash of the row before first_seq
) STRICT;
-- LOCAL. How far head office had confirmed the log, noted once a day: what goes was confirmed long ago, not only written long ago.
CREATE TABLE sync_acks (
  at INTEGER PRIMARY KEY,
  hub_epoch BLOB,
  seq INTEGER NOT NULL
) STRICT;
