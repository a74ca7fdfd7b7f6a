-- Sale by weight: edge V37.
DROP SCHEMA IF EXISTS branch CASCADE;
ALTER TABLE merged.menu_items ADD COLUMN sold_by text COLLATE "C" NOT NULL DEFAULT 'PIECE';
ALTER TABLE merged.menu_items ADD COLUMN weight_unit text COLLATE "C";
ALTER TABLE merged.order_items ADD COLUMN weight bigint;
ALTER TABLE merged.order_items ADD COLUMN weight_unit text COLLATE "C";
ALTER TABLE merged.kitchen_ticket_items ADD COLUMN weight bigint;
ALTER TABLE merged.kitchen_ticket_items ADD COLUMN weight_unit text COLLATE "C";
ALTER TABLE merged.analytics_items ADD COLUMN grams bigint NOT NULL DEFAULT 0;
ALTER TABLE merged.analytics_items ADD COLUMN ounces bigint NOT NULL DEFAULT 0;
DELETE FROM merged.analytics_days;
