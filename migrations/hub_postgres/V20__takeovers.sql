-- The twin of migrations/hub_outlet/V17__takeovers.sql.
CREATE TABLE hub_takeovers (
  outlet_id bytea NOT NULL,
  id bytea NOT NULL,
  row_ids text,
  at bigint NOT NULL,
  by_name text NOT NULL,
  done_at bigint,
  PRIMARY KEY (outlet_id, id)
);
