-- LOCAL. Changes of head office that were to take effect later and that it listed no more before they did here: it took them back, or made
-- them itself. A head office that was put back hears which they are.
CREATE TABLE sync_withdrawn (
  id BLOB PRIMARY KEY NOT NULL,
  at INTEGER NOT NULL                      -- when it was noticed here
) STRICT;
