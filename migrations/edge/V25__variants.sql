-- Variants of a dish: half and full. A variant is a row of menu_items of its own, so that its price, sku, stock state, recipe and the
-- outlet's own price are kept, sent, published and merged as a dish's are; what it does not say itself (taxes, station, choices, hours) is its
-- dish's. Conventions as in V1.

-- ---------------------------------------------------------------------------------------------------------- menu
ALTER TABLE menu_items ADD COLUMN variant_of_id BLOB REFERENCES menu_items (id); -- the dish; null: a dish itself
ALTER TABLE menu_items ADD COLUMN variant_name TEXT; -- such as 'Half'; the row's name has the dish's before it
ALTER TABLE menu_items ADD COLUMN is_default INTEGER NOT NULL DEFAULT 0; -- the variant that is meant when none is named
CREATE INDEX menu_items_by_dish ON menu_items (variant_of_id, sort_order) WHERE variant_of_id IS NOT NULL;
-- -------------------------------------------------------------------------------------------------------- orders
ALTER TABLE order_items ADD COLUMN variant_id BLOB REFERENCES menu_items (id);
-- ------------------------------------------------------------------------------------------------------- kitchen
ALTER TABLE kitchen_ticket_items ADD COLUMN variant_id BLOB;
-- ---------------------------------------------------------------------------------------------------- waste_logs
ALTER TABLE waste_logs ADD COLUMN variant_id BLOB REFERENCES menu_items (id);
-- ----------------------------------------------------------------------------------------------------- analytics
-- LOCAL. What each dish, and each variant of it, sold and what its ingredients cost; an empty id: no variant.
DROP TABLE analytics_items;
CREATE TABLE analytics_items (
  outlet_id BLOB NOT NULL,
  business_date TEXT NOT NULL,
  menu_item_id BLOB NOT NULL,
  variant_id BLOB NOT NULL,
  quantity INTEGER NOT NULL,
  gross INTEGER NOT NULL,
  discount INTEGER NOT NULL,
  cost INTEGER NOT NULL,                   -- millionths of a cent
  PRIMARY KEY (outlet_id, business_date, menu_item_id, variant_id)
) STRICT, WITHOUT ROWID;
-- They are summed up again.
DELETE FROM analytics_days;
