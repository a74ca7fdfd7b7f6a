-- Prices by channel, area, hour and date, and more than one window of hours for a dish, and for a category. Conventions as in V1.

-- ---------------------------------------------------------------------------------------------------------- menu
ALTER TABLE menu_items ADD COLUMN more_windows TEXT NOT NULL DEFAULT '[]'; -- JSON [{days, from, to}]: the hours beside available_…
ALTER TABLE menu_categories ADD COLUMN windows TEXT NOT NULL DEFAULT '[]'; -- JSON [{days, from, to}]; none: always
-- Null in a condition: whatever it is. The list of the highest priority that holds and names a dish says its price, then the older one.
CREATE TABLE price_lists (
  id BLOB PRIMARY KEY NOT NULL,
  outlet_id BLOB NOT NULL,
  name TEXT NOT NULL,
  priority INTEGER NOT NULL DEFAULT 0,
  order_types TEXT,                        -- JSON array
  channel_ids TEXT,                        -- JSON array of channels (id)
  areas TEXT,                              -- JSON array of areas of the dining room
  days TEXT,                               -- JSON array of MON…SUN: those it begins on
  hours_from TEXT,                         -- 'HH:MM' local
  hours_to TEXT,
  starts_on TEXT,                          -- the first day it begins on
  ends_on TEXT,                            -- the last
  version INTEGER NOT NULL DEFAULT 1,
  created_at INTEGER NOT NULL,
  updated_at INTEGER NOT NULL,
  archived_at INTEGER
) STRICT;
CREATE INDEX price_lists_by_outlet ON price_lists (outlet_id) WHERE archived_at IS NULL;
-- A price, or a change of the outlet's price, of a dish, a variant or all of a category.
CREATE TABLE price_list_entries (
  id BLOB PRIMARY KEY NOT NULL,
  outlet_id BLOB NOT NULL,
  price_list_id BLOB NOT NULL REFERENCES price_lists (id),
  menu_item_id BLOB REFERENCES menu_items (id), -- a dish or a variant
  category_id BLOB REFERENCES menu_categories (id),
  price_cents INTEGER,
  adjust_bps INTEGER,
  sort_order INTEGER NOT NULL DEFAULT 0
) STRICT;
CREATE INDEX price_list_entries_by_list ON price_list_entries (price_list_id, sort_order);
-- ------------------------------------------------------------------------------------------------------ channels
ALTER TABLE channels ADD COLUMN price_list_id BLOB; -- price_lists (id): the one that is for it, whatever channels that names
-- -------------------------------------------------------------------------------------------------------- orders
ALTER TABLE order_items ADD COLUMN price_list_id BLOB; -- price_lists (id): whose price was charged; null: the outlet's own, or another
