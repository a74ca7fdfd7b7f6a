-- What came off a weighed line, in the line's unit: all of it, or what there is less of. Null: not weighed, or of before, when only whole lines
-- came off.
ALTER TABLE order_item_voids ADD COLUMN weight INTEGER;
