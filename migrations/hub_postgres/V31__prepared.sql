-- As the branch's V35: what a portion takes of what is made ahead, beside the ingredients. The column of stock_items follows the branch's.
ALTER TABLE merged.portion_needs ADD COLUMN is_made bigint NOT NULL DEFAULT 0;
ALTER TABLE merged.portion_needs ALTER COLUMN is_made DROP DEFAULT;
-- Where the table is spread its key has another name.
DO $$
DECLARE former text;
BEGIN
  SELECT conname INTO former FROM pg_constraint WHERE conrelid = 'merged.portion_needs'::regclass AND contype = 'p';
  EXECUTE format('ALTER TABLE merged.portion_needs DROP CONSTRAINT %I', former);
END $$;
ALTER TABLE merged.portion_needs ADD PRIMARY KEY (outlet_id, target_id, stock_item_id, is_made);
