-- Stock goes from branch to branch through head office, which delivers what was sent and what became of it. Conventions as in V1.

-- ----------------------------------------------------------------------------------------------------------- outlets
-- LOCAL. The other outlets of the chain, as head office told last.
CREATE TABLE chain_outlets (
  id BLOB PRIMARY KEY NOT NULL,
  code TEXT NOT NULL,
  name TEXT NOT NULL,
  currency TEXT NOT NULL
) STRICT;

-- --------------------------------------------------------------------------------------------------------- inventory
-- The receiver, where head office delivers; null where it is an outlet of the same box.
ALTER TABLE stock_transfers ADD COLUMN to_outlet_code TEXT;
ALTER TABLE stock_transfers ADD COLUMN to_outlet_name TEXT;
-- When the sender asked to have it back; head office says whether it still could.
ALTER TABLE stock_transfers ADD COLUMN recalled_at INTEGER;
-- The shelf it came from, for a receiver that has no such item yet.
ALTER TABLE stock_transfer_lines ADD COLUMN category TEXT;
-- When it turned out that the transfer had been called back before: what was taken in was booked out again.
ALTER TABLE stock_transfer_receipts ADD COLUMN undone_at INTEGER;
-- What another branch sent here, as head office delivers it: whole, in one row. Nobody here writes it.
CREATE TABLE incoming_transfers (
  id BLOB PRIMARY KEY NOT NULL,            -- the transfer's
  outlet_id BLOB NOT NULL,                 -- the receiver
  from_outlet_id BLOB NOT NULL,
  from_outlet_code TEXT NOT NULL,
  from_outlet_name TEXT NOT NULL,
  transfer_number TEXT NOT NULL,
  note TEXT,
  business_date TEXT NOT NULL,
  sent_at INTEGER NOT NULL,
  sent_by_name TEXT NOT NULL,
  lines TEXT NOT NULL,                     -- JSON: the sender's lines
  lines_count INTEGER NOT NULL,
  cost_micros INTEGER NOT NULL,
  recalled_at INTEGER,                     -- whoever has this and no receipt will not take it in any more
  recalled_by_name TEXT,
  recall_reason TEXT,
  outcome TEXT,                            -- RECEIVED or CANCELLED: head office's last word
  decided_at INTEGER
) STRICT;
CREATE INDEX incoming_transfers_by_time ON incoming_transfers (outlet_id, sent_at);
-- What became of what was sent from here, as head office delivers it. Nobody here writes it.
CREATE TABLE transfer_outcomes (
  id BLOB PRIMARY KEY NOT NULL,            -- the transfer's
  outlet_id BLOB NOT NULL,                 -- the sender
  outcome TEXT NOT NULL,                   -- RECEIVED or CANCELLED
  decided_at INTEGER NOT NULL,
  received_at INTEGER,
  by_name TEXT,
  note TEXT,
  lines TEXT NOT NULL                      -- JSON: [{"lineId": …, "quantityReceived": 2.5}]
) STRICT;

-- -------------------------------------------------------------------------------------------------------------- sync
-- Tells the list of the chain's outlets that is here from a newer one.
ALTER TABLE sync_peer ADD COLUMN chain_mark TEXT;
