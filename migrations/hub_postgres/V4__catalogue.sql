-- The twin of migrations/hub_outlet/V3__catalogue.sql, column by column.
-- What head office publishes. Conventions as in V1: outlet_id comes first, and one text serves both stores.

-- At head office's own outlet: what was published, and how to take it back.
CREATE TABLE hub_publications (
  outlet_id bytea NOT NULL,
  id bytea NOT NULL,
  number bigint NOT NULL,                 -- 1, 2, …: the order in which they reach each outlet
  kind text NOT NULL CHECK (kind IN ('EDIT', 'CATALOGUE', 'IMPORT')),
  people bigint NOT NULL DEFAULT 0,       -- CATALOGUE: whether the staff go along
  to_all bigint NOT NULL DEFAULT 0,       -- no outlets were named: it went to all there were
  made_at bigint NOT NULL,
  made_by bytea,
  made_by_name text NOT NULL,
  effective_at bigint,                    -- none: at once
  cancelled_at bigint,
  cancelled_by_name text,
  ops bytea NOT NULL,                       -- packed changes of the catalogue's rows; empty for the whole catalogue
  undo bytea NOT NULL,                      -- the same the other way round
  changes text NOT NULL,                   -- JSON: for people
  PRIMARY KEY (outlet_id, id)
);
CREATE UNIQUE INDEX hub_publications_number ON hub_publications (outlet_id, number);
-- Which rows of the catalogue a publication changed.
CREATE TABLE hub_publication_rows (
  outlet_id bytea NOT NULL,
  table_no bigint NOT NULL,
  row_id bytea NOT NULL,
  publication_id bytea NOT NULL,
  PRIMARY KEY (outlet_id, table_no, row_id, publication_id)
);
-- How far a publication has come at each of its outlets. Copied from the outlet, which is the truth.
CREATE TABLE hub_publication_targets (
  outlet_id bytea NOT NULL,
  publication_id bytea NOT NULL,
  target_id bytea NOT NULL,
  number bigint NOT NULL,
  state text NOT NULL DEFAULT 'PENDING'
    CHECK (state IN ('PENDING', 'DELIVERED', 'ARRIVED', 'EFFECTIVE', 'CANCELLED', 'REFUSED')),
  delivered_at bigint,
  arrived_at bigint,
  effective_at bigint,
  refusal text,
  PRIMARY KEY (outlet_id, publication_id, target_id)
);
CREATE INDEX hub_publication_targets_open ON hub_publication_targets (outlet_id, target_id, number)
  WHERE state IN ('PENDING', 'DELIVERED', 'ARRIVED');
-- Answers that are repeated for the same idempotency key.
CREATE TABLE hub_desk_answers (
  outlet_id bytea NOT NULL,
  account_id bytea NOT NULL,
  key text NOT NULL,
  request_hash bytea NOT NULL,
  status bigint NOT NULL,
  body bytea NOT NULL,
  publication_id bytea,
  created_at bigint NOT NULL,
  PRIMARY KEY (outlet_id, account_id, key)
);

-- At every outlet: which of its rows stands for which row of the catalogue.
CREATE TABLE hub_catalogue_links (
  outlet_id bytea NOT NULL,
  table_no bigint NOT NULL,
  catalogue_id bytea NOT NULL,
  row_id bytea NOT NULL,
  from_at bigint,                         -- from when there is such a row, where it comes later
  publication_id bytea,                     -- the publication that tied them
  PRIMARY KEY (outlet_id, table_no, catalogue_id)
);
CREATE INDEX hub_catalogue_links_by_row ON hub_catalogue_links (outlet_id, table_no, row_id);
-- At every outlet: publications that are in its feed, so that none is put there twice.
CREATE TABLE hub_deliveries (
  outlet_id bytea NOT NULL,
  publication_id bytea NOT NULL,
  feed bigint NOT NULL,                   -- the version of the feed that they came with
  effective_at bigint,
  delivered_at bigint NOT NULL,
  state text NOT NULL CHECK (state IN ('DELIVERED', 'CANCELLED', 'REFUSED')),
  refusal text,
  PRIMARY KEY (outlet_id, publication_id)
);
