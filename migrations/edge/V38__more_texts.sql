-- What tables and their areas, kitchen stations and what is chosen for combos are called in other languages, as in V36; and how long what
-- the kitchen makes ahead keeps.

-- ----------------------------------------------------------------------------------------------------------------- tables
ALTER TABLE dining_tables ADD COLUMN texts TEXT NOT NULL DEFAULT '{}';      -- a name stands for its number
ALTER TABLE dining_tables ADD COLUMN area_texts TEXT NOT NULL DEFAULT '{}'; -- of its area: the same at all tables of the area

-- ---------------------------------------------------------------------------------------------------------------- kitchen
ALTER TABLE kitchen_stations ADD COLUMN texts TEXT NOT NULL DEFAULT '{}';

-- ------------------------------------------------------------------------------------------------------------------- menu
ALTER TABLE combo_components ADD COLUMN texts TEXT NOT NULL DEFAULT '{}';

-- --------------------------------------------------------------------------------------------------------------- inventory
ALTER TABLE recipes ADD COLUMN shelf_life_days INTEGER; -- of a preparation: a batch may be used on the day it is made, and so many more
