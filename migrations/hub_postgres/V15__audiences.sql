-- As migrations/hub_outlet/V11. Conventions as in V2.

CREATE TABLE hub_audiences (
  outlet_id bytea NOT NULL,
  table_no bigint NOT NULL,
  row_id bytea NOT NULL,
  target_id bytea NOT NULL,                -- all ones: all there were; zeros: said once of every such row
  number bigint NOT NULL,                  -- of the first such publication
  PRIMARY KEY (outlet_id, table_no, row_id, target_id)
);
CREATE INDEX hub_publication_rows_by_publication ON hub_publication_rows (outlet_id, publication_id);

CREATE TABLE hub_papers (
  outlet_id bytea NOT NULL,
  document_id bytea NOT NULL,
  start bigint NOT NULL,                   -- bytes before this part
  content bytea NOT NULL,
  PRIMARY KEY (outlet_id, document_id, start)
);
