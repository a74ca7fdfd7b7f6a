-- What guests and cooks read in other languages, and what a serving of a dish has. Conventions as in V1.

-- ------------------------------------------------------------------------------------------------------------- outlets
-- JSON array of tags; the first is the language that names are in.
ALTER TABLE outlets ADD COLUMN languages TEXT NOT NULL DEFAULT '[]';

-- ---------------------------------------------------------------------------------------------------------------- menu
-- JSON by language: {"hi": {"name": …, "description": …}}.
ALTER TABLE menu_categories ADD COLUMN texts TEXT NOT NULL DEFAULT '{}';
ALTER TABLE menu_items ADD COLUMN energy_kcal INTEGER; -- of one serving
ALTER TABLE menu_items ADD COLUMN serving_size TEXT;   -- such as '250 g'
ALTER TABLE menu_items ADD COLUMN texts TEXT NOT NULL DEFAULT '{}';
ALTER TABLE modifier_groups ADD COLUMN texts TEXT NOT NULL DEFAULT '{}';
ALTER TABLE modifier_options ADD COLUMN texts TEXT NOT NULL DEFAULT '{}';
