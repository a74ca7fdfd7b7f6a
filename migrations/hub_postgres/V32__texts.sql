-- Texts by language: edge V36.
ALTER TABLE merged.outlets ADD COLUMN languages text COLLATE "C" NOT NULL DEFAULT '[]';
ALTER TABLE merged.menu_categories ADD COLUMN texts text COLLATE "C" NOT NULL DEFAULT '{}';
ALTER TABLE merged.menu_items ADD COLUMN energy_kcal bigint;
ALTER TABLE merged.menu_items ADD COLUMN serving_size text COLLATE "C";
ALTER TABLE merged.menu_items ADD COLUMN texts text COLLATE "C" NOT NULL DEFAULT '{}';
ALTER TABLE merged.modifier_groups ADD COLUMN texts text COLLATE "C" NOT NULL DEFAULT '{}';
ALTER TABLE merged.modifier_options ADD COLUMN texts text COLLATE "C" NOT NULL DEFAULT '{}';
