-- As the branch's V25: figures by dish and variant, summed up again. The columns of menu, orders, kitchen and waste follow the branch's.
DROP SCHEMA IF EXISTS branch CASCADE;
DROP TABLE merged.analytics_items;
CREATE TABLE merged.analytics_items (
  outlet_id bytea NOT NULL,
  business_date text COLLATE "C" NOT NULL,
  menu_item_id bytea NOT NULL,
  variant_id bytea NOT NULL,
  quantity bigint NOT NULL,
  gross bigint NOT NULL,
  discount bigint NOT NULL,
  cost bigint NOT NULL,
  PRIMARY KEY (outlet_id, business_date, menu_item_id, variant_id)
);
DELETE FROM merged.analytics_days;
-- Spread as the others are while it is empty.
DO $$
DECLARE parts int;
BEGIN
  SELECT count(*) INTO parts FROM pg_inherits WHERE inhparent = 'merged.rooms'::regclass;
  IF parts > 0 THEN
    PERFORM hub.spread_one('merged.analytics_items', parts);
  END IF;
END $$;
