-- The floor and the kitchen: what is held, what is cooked later, who serves. Conventions as in V1.

-- ------------------------------------------------------------------------------------------------------------- outlets
-- Later courses at a table wait until they are fired.
ALTER TABLE outlets ADD COLUMN hold_courses INTEGER NOT NULL DEFAULT 0;
-- Minutes by which the kitchen is told of a scheduled order before it would have to begin.
ALTER TABLE outlets ADD COLUMN schedule_lead_minutes INTEGER NOT NULL DEFAULT 10;
ALTER TABLE outlets ADD COLUMN waiters_take_payments INTEGER NOT NULL DEFAULT 0;
-- What the screens of a till go by, as JSON; what is not named in it has its default.
ALTER TABLE outlets ADD COLUMN till TEXT NOT NULL DEFAULT '{}';

-- -------------------------------------------------------------------------------------------------------------- tables
-- How a table is drawn: its form, its size in the plan's own units, and degrees clockwise.
ALTER TABLE dining_tables ADD COLUMN shape TEXT NOT NULL DEFAULT 'SQUARE';
ALTER TABLE dining_tables ADD COLUMN width INTEGER;
ALTER TABLE dining_tables ADD COLUMN height INTEGER;
ALTER TABLE dining_tables ADD COLUMN rotation INTEGER NOT NULL DEFAULT 0;
-- The place of its area among the areas, from 1; 0: nobody has said.
ALTER TABLE dining_tables ADD COLUMN area_order INTEGER NOT NULL DEFAULT 0;

-- -------------------------------------------------------------------------------------------------------------- orders
-- When the kitchen is told, and stock is taken, of an order for later; null: it was told at once.
ALTER TABLE orders ADD COLUMN release_at INTEGER;
-- Who first sent the order to the kitchen: the employee, or the account where none is known. Null for an order of before.
ALTER TABLE orders ADD COLUMN server_id BLOB;
ALTER TABLE orders ADD COLUMN server_name TEXT;
-- The kitchen waits with the line until it is fired, whatever its course.
ALTER TABLE order_items ADD COLUMN hold INTEGER NOT NULL DEFAULT 0;
-- Few at any time: those whose moment has not come.
CREATE INDEX orders_for_later ON orders (outlet_id, release_at)
  WHERE release_at IS NOT NULL AND dispatched_at IS NULL AND closed_at IS NULL;

-- ------------------------------------------------------------------------------------------------------------- kitchen
-- LOCAL. Stations that some display followed; unwatched_since: none does since then, and the staff were told.
CREATE TABLE station_displays (
  station_id BLOB PRIMARY KEY NOT NULL,
  outlet_id BLOB NOT NULL,
  seen_at INTEGER NOT NULL,
  unwatched_since INTEGER
) STRICT;
