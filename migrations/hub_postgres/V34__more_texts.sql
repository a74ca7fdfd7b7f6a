-- Texts of tables, areas, stations and components of combos, and how long preparations keep: edge V38.
ALTER TABLE merged.dining_tables ADD COLUMN texts text COLLATE "C" NOT NULL DEFAULT '{}';
ALTER TABLE merged.dining_tables ADD COLUMN area_texts text COLLATE "C" NOT NULL DEFAULT '{}';
ALTER TABLE merged.kitchen_stations ADD COLUMN texts text COLLATE "C" NOT NULL DEFAULT '{}';
ALTER TABLE merged.combo_components ADD COLUMN texts text COLLATE "C" NOT NULL DEFAULT '{}';
ALTER TABLE merged.recipes ADD COLUMN shelf_life_days bigint;
