-- The price lists of the branches, see the branch's migration of that name. The columns of menu and orders follow the branch's.
CREATE TABLE merged.price_lists (
  id bytea NOT NULL,
  outlet_id bytea NOT NULL,
  name text COLLATE "C" NOT NULL,
  priority bigint NOT NULL DEFAULT 0,
  order_types text COLLATE "C",
  channel_ids text COLLATE "C",
  areas text COLLATE "C",
  days text COLLATE "C",
  hours_from text COLLATE "C",
  hours_to text COLLATE "C",
  starts_on text COLLATE "C",
  ends_on text COLLATE "C",
  version bigint NOT NULL DEFAULT 1,
  created_at bigint NOT NULL,
  updated_at bigint NOT NULL,
  archived_at bigint,
  PRIMARY KEY (outlet_id, id)
);
CREATE TABLE merged.price_list_entries (
  id bytea NOT NULL,
  outlet_id bytea NOT NULL,
  price_list_id bytea NOT NULL,
  menu_item_id bytea,
  category_id bytea,
  price_cents bigint,
  adjust_bps bigint,
  sort_order bigint NOT NULL DEFAULT 0,
  PRIMARY KEY (outlet_id, id)
);
CREATE INDEX price_list_entries_by_list ON merged.price_list_entries (outlet_id, price_list_id, sort_order);
-- Spread as the others are while they are empty.
DO $$
DECLARE parts int;
BEGIN
  SELECT count(*) INTO parts FROM pg_inherits WHERE inhparent = 'merged.rooms'::regclass;
  IF parts > 0 THEN
    PERFORM hub.spread_one('merged.price_lists', parts);
    PERFORM hub.spread_one('merged.price_list_entries', parts);
  END IF;
END $$;
