-- ------------------------------------------------------------------------------------------------------------ menu
-- A dish's own picture, as JPEG in two sizes. What was handed in is not kept.
CREATE TABLE menu_pictures (
  id BLOB PRIMARY KEY NOT NULL,
  outlet_id BLOB NOT NULL,
  menu_item_id BLOB NOT NULL UNIQUE REFERENCES menu_items (id),
  small BLOB NOT NULL,                     -- at most 320 pixels on a side
  large BLOB NOT NULL,                     -- at most 1200
  hash BLOB NOT NULL,                      -- BLAKE3 of the large one
  updated_at INTEGER NOT NULL,
  updated_by BLOB
) STRICT;
