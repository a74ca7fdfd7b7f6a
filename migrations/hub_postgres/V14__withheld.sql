-- As migrations/hub_outlet/V10, and the keys of migrations/edge/V14. Conventions as in V2.

CREATE TABLE hub_withheld (
  outlet_id bytea NOT NULL,
  table_no bigint NOT NULL,
  day bigint NOT NULL,                     -- as in hub_digests
  row_id bytea NOT NULL,
  theirs bytea,                            -- the digest of the box's row; null where it has none
  seq bigint NOT NULL,                     -- the log row that told so last
  at bigint NOT NULL,
  PRIMARY KEY (outlet_id, table_no, day, row_id)
);
CREATE TABLE merged.signing_keys (
  id bytea NOT NULL,
  outlet_id bytea NOT NULL,
  life bigint NOT NULL,
  public_key bytea NOT NULL,
  begun_at bigint NOT NULL,
  PRIMARY KEY (outlet_id, id)
);
