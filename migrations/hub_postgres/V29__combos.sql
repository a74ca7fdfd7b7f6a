-- Combos, see the branch's V33: what may be chosen for them, and figures by dish, variant and combo, summed up again. The columns of menu,
-- orders and kitchen follow the branch's.
DROP SCHEMA IF EXISTS branch CASCADE;
CREATE TABLE merged.combo_components (
  id bytea NOT NULL,
  outlet_id bytea NOT NULL,
  menu_item_id bytea NOT NULL,
  name text COLLATE "C" NOT NULL,
  min_selections bigint NOT NULL,
  max_selections bigint NOT NULL,
  sort_order bigint NOT NULL,
  PRIMARY KEY (outlet_id, id)
);
CREATE INDEX ON merged.combo_components (outlet_id, menu_item_id, sort_order);
CREATE TABLE merged.combo_options (
  id bytea NOT NULL,
  outlet_id bytea NOT NULL,
  component_id bytea NOT NULL,
  menu_item_id bytea NOT NULL,
  variant_id bytea,
  extra_cents bigint NOT NULL DEFAULT 0,
  sort_order bigint NOT NULL,
  PRIMARY KEY (outlet_id, id)
);
CREATE INDEX ON merged.combo_options (outlet_id, component_id, sort_order);
DROP TABLE merged.analytics_items;
CREATE TABLE merged.analytics_items (
  outlet_id bytea NOT NULL,
  business_date text COLLATE "C" NOT NULL,
  menu_item_id bytea NOT NULL,
  variant_id bytea NOT NULL,
  combo_id bytea NOT NULL,
  quantity bigint NOT NULL,
  combos bigint NOT NULL,
  gross bigint NOT NULL,
  discount bigint NOT NULL,
  cost bigint NOT NULL,
  PRIMARY KEY (outlet_id, business_date, menu_item_id, variant_id, combo_id)
);
DELETE FROM merged.analytics_days;
-- Spread as the others are while they are empty.
DO $$
DECLARE parts int;
BEGIN
  SELECT count(*) INTO parts FROM pg_inherits WHERE inhparent = 'merged.rooms'::regclass;
  IF parts > 0 THEN
    PERFORM hub.spread_one('merged.combo_components', parts);
    PERFORM hub.spread_one('merged.combo_options', parts);
    PERFORM hub.spread_one('merged.analytics_items', parts);
  END IF;
END $$;
