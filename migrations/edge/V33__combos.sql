-- Combos: dishes that are sold together at one price. What may be chosen for a combo hangs on it; on an order a combo is a line without
-- money of its own, and each of its components is a line with its part of the price, its taxes, its station and its recipe. So whatever
-- sums lines, cooks them or takes their stock is right without knowing of combos. Conventions as in V1.

-- ---------------------------------------------------------------------------------------------------------- menu
ALTER TABLE menu_items ADD COLUMN kind TEXT NOT NULL DEFAULT 'ITEM'; -- or COMBO
-- What is chosen for a combo: so many of these options.
CREATE TABLE combo_components (
  id BLOB PRIMARY KEY NOT NULL,
  outlet_id BLOB NOT NULL,
  menu_item_id BLOB NOT NULL REFERENCES menu_items (id), -- the combo
  name TEXT NOT NULL,                      -- such as 'Drink'; unique in its combo
  min_selections INTEGER NOT NULL,
  max_selections INTEGER NOT NULL,
  sort_order INTEGER NOT NULL
) STRICT;
CREATE INDEX combo_components_by_combo ON combo_components (menu_item_id, sort_order);
-- A dish that may be chosen.
CREATE TABLE combo_options (
  id BLOB PRIMARY KEY NOT NULL,
  outlet_id BLOB NOT NULL,
  component_id BLOB NOT NULL REFERENCES combo_components (id),
  menu_item_id BLOB NOT NULL REFERENCES menu_items (id),
  variant_id BLOB REFERENCES menu_items (id), -- the variant of it; null: the dish has none, or its default one
  extra_cents INTEGER NOT NULL DEFAULT 0,  -- on top of the combo's price
  sort_order INTEGER NOT NULL
) STRICT;
CREATE INDEX combo_options_by_component ON combo_options (component_id, sort_order);
CREATE INDEX combo_options_by_dish ON combo_options (menu_item_id);
-- -------------------------------------------------------------------------------------------------------- orders
ALTER TABLE order_items ADD COLUMN combo_id BLOB REFERENCES menu_items (id); -- the combo that the line is, or is a component of
ALTER TABLE order_items ADD COLUMN combo_line_id BLOB REFERENCES order_items (id); -- of a component: the line of its combo
ALTER TABLE order_items ADD COLUMN component TEXT; -- of a component: what it was chosen for
ALTER TABLE order_items ADD COLUMN extra_cents INTEGER NOT NULL DEFAULT 0; -- of a component: what of its unit price the option asks on top
-- ------------------------------------------------------------------------------------------------------- kitchen
ALTER TABLE kitchen_ticket_items ADD COLUMN combo_name TEXT; -- what the combo is called that it is a component of
-- ----------------------------------------------------------------------------------------------------- analytics
-- LOCAL. What each dish and variant sold, alone or in which combo, and what its ingredients cost; an empty id: no variant, no combo. The
-- combo itself has a row that counts how many were sold.
DROP TABLE analytics_items;
CREATE TABLE analytics_items (
  outlet_id BLOB NOT NULL,
  business_date TEXT NOT NULL,
  menu_item_id BLOB NOT NULL,
  variant_id BLOB NOT NULL,
  combo_id BLOB NOT NULL,
  quantity INTEGER NOT NULL,               -- portions of dishes
  combos INTEGER NOT NULL,
  gross INTEGER NOT NULL,
  discount INTEGER NOT NULL,
  cost INTEGER NOT NULL,                   -- millionths of a cent
  PRIMARY KEY (outlet_id, business_date, menu_item_id, variant_id, combo_id)
) STRICT, WITHOUT ROWID;
-- They are summed up again.
DELETE FROM analytics_days;
