-- Two machines that were put back together with their memory number other rows alike: what each had left is told apart by its last row.
-- Empty for what came before this column was.
ALTER TABLE hub.hub_salvage ADD COLUMN last_hash bytea NOT NULL DEFAULT ''::bytea;
ALTER TABLE hub.hub_salvage ALTER COLUMN last_hash DROP DEFAULT;
ALTER TABLE hub.hub_salvage DROP CONSTRAINT hub_salvage_pkey;
ALTER TABLE hub.hub_salvage ADD PRIMARY KEY (outlet_id, epoch, first_seq, last_seq, last_hash);
