-- Transfers between outlets.

CREATE TABLE merged.incoming_transfers (
  id bytea NOT NULL,
  outlet_id bytea NOT NULL,
  from_outlet_id bytea NOT NULL,
  from_outlet_code text COLLATE "C" NOT NULL,
  from_outlet_name text COLLATE "C" NOT NULL,
  transfer_number text COLLATE "C" NOT NULL,
  note text COLLATE "C",
  business_date text COLLATE "C" NOT NULL,
  sent_at bigint NOT NULL,
  sent_by_name text COLLATE "C" NOT NULL,
  lines text COLLATE "C" NOT NULL,
  lines_count bigint NOT NULL,
  cost_micros bigint NOT NULL,
  recalled_at bigint,
  recalled_by_name text COLLATE "C",
  recall_reason text COLLATE "C",
  outcome text COLLATE "C",
  decided_at bigint,
  PRIMARY KEY (outlet_id, id)
);
CREATE INDEX ON merged.incoming_transfers (outlet_id, sent_at);
CREATE TABLE merged.transfer_outcomes (
  id bytea NOT NULL,
  outlet_id bytea NOT NULL,
  outcome text COLLATE "C" NOT NULL,
  decided_at bigint NOT NULL,
  received_at bigint,
  by_name text COLLATE "C",
  note text COLLATE "C",
  lines text COLLATE "C" NOT NULL,
  PRIMARY KEY (outlet_id, id)
);
-- Transfers of which something came, until what follows from it has been told to both outlets.
CREATE TABLE hub_parcels (
  outlet_id bytea NOT NULL,
  transfer_id bytea NOT NULL,
  sender_id bytea NOT NULL,
  stamp bytea NOT NULL,                    -- another one whenever something comes
  PRIMARY KEY (outlet_id, transfer_id)
);
