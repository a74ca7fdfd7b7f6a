-- Dishes that are sold by weight: their price is that of one unit, and a line of them has its weight with a quantity of 1. Conventions as in V1.

-- ---------------------------------------------------------------------------------------------------------- menu
ALTER TABLE menu_items ADD COLUMN sold_by TEXT NOT NULL DEFAULT 'PIECE'; -- or WEIGHT
ALTER TABLE menu_items ADD COLUMN weight_unit TEXT;  -- KG, G, LB or OZ; null: sold by the piece
-- -------------------------------------------------------------------------------------------------------- orders
ALTER TABLE order_items ADD COLUMN weight INTEGER;   -- millionths of its unit; null: sold by the piece
ALTER TABLE order_items ADD COLUMN weight_unit TEXT; -- what it was sold in
-- ------------------------------------------------------------------------------------------------------- kitchen
ALTER TABLE kitchen_ticket_items ADD COLUMN weight INTEGER;
ALTER TABLE kitchen_ticket_items ADD COLUMN weight_unit TEXT;
-- ----------------------------------------------------------------------------------------------------- analytics
-- LOCAL. What was sold by weight, in millionths: of grams, what was sold in KG and G; of ounces, what was sold in LB and OZ.
ALTER TABLE analytics_items ADD COLUMN grams INTEGER NOT NULL DEFAULT 0;
ALTER TABLE analytics_items ADD COLUMN ounces INTEGER NOT NULL DEFAULT 0;
-- They are summed up again.
DELETE FROM analytics_days;
