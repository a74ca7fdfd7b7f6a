-- The pictures of dishes, see the branch's migration of that name.
CREATE TABLE merged.menu_pictures (
  id bytea NOT NULL,
  outlet_id bytea NOT NULL,
  menu_item_id bytea NOT NULL,
  small bytea NOT NULL,
  large bytea NOT NULL,
  hash bytea NOT NULL,
  updated_at bigint NOT NULL,
  updated_by bytea,
  PRIMARY KEY (outlet_id, id)
);
-- Spread as the others are while it is empty.
DO $$
DECLARE parts int;
BEGIN
  SELECT count(*) INTO parts FROM pg_inherits WHERE inhparent = 'merged.rooms'::regclass;
  IF parts > 0 THEN
    PERFORM hub.spread_one('merged.menu_pictures', parts);
  END IF;
END $$;
