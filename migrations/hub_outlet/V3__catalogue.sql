-- What head office publishes. Conventions as in V1: outlet_id comes first, and one text serves both stores.

-- At head office's own outlet: what was published, and how to take it back.
CREATE TABLE hub_publications (
  outlet_id BLOB NOT NULL,
  id BLOB NOT NULL,
  number INTEGER NOT NULL,                 -- 1, 2, …: the order in which they reach each outlet
  kind TEXT NOT NULL CHECK (kind IN ('EDIT', 'CATALOGUE', 'IMPORT')),
  people INTEGER NOT NULL DEFAULT 0,       -- CATALOGUE: whether the staff go along
  to_all INTEGER NOT NULL DEFAULT 0,       -- no outlets were named: it went to all there were
  made_at INTEGER NOT NULL,
  made_by BLOB,
  made_by_name TEXT NOT NULL,
  effective_at INTEGER,                    -- none: at once
  cancelled_at INTEGER,
  cancelled_by_name TEXT,
  ops BLOB NOT NULL,                       -- packed changes of the catalogue's rows; empty for the whole catalogue
  undo BLOB NOT NULL,                      -- the same the other way round
  changes TEXT NOT NULL,                   -- JSON: for people
  PRIMARY KEY (outlet_id, id)
) STRICT;
CREATE UNIQUE INDEX hub_publications_number ON hub_publications (outlet_id, number);
-- Which rows of the catalogue a publication changed.
CREATE TABLE hub_publication_rows (
  outlet_id BLOB NOT NULL,
  table_no INTEGER NOT NULL,
  row_id BLOB NOT NULL,
  publication_id BLOB NOT NULL,
  PRIMARY KEY (outlet_id, table_no, row_id, publication_id)
) STRICT;
-- How far a publication has come at each of its outlets. Copied from the outlet, which is the truth.
CREATE TABLE hub_publication_targets (
  outlet_id BLOB NOT NULL,
  publication_id BLOB NOT NULL,
  target_id BLOB NOT NULL,
  number INTEGER NOT NULL,
  state TEXT NOT NULL DEFAULT 'PENDING'
    CHECK (state IN ('PENDING', 'DELIVERED', 'ARRIVED', 'EFFECTIVE', 'CANCELLED', 'REFUSED')),
  delivered_at INTEGER,
  arrived_at INTEGER,
  effective_at INTEGER,
  refusal TEXT,
  PRIMARY KEY (outlet_id, publication_id, target_id)
) STRICT;
CREATE INDEX hub_publication_targets_open ON hub_publication_targets (outlet_id, target_id, number)
  WHERE state IN ('PENDING', 'DELIVERED', 'ARRIVED');
-- Answers that are repeated for the same idempotency key.
CREATE TABLE hub_desk_answers (
  outlet_id BLOB NOT NULL,
  account_id BLOB NOT NULL,
  key TEXT NOT NULL,
  request_hash BLOB NOT NULL,
  status INTEGER NOT NULL,
  body BLOB NOT NULL,
  publication_id BLOB,
  created_at INTEGER NOT NULL,
  PRIMARY KEY (outlet_id, account_id, key)
) STRICT;

-- At every outlet: which of its rows stands for which row of the catalogue.
CREATE TABLE hub_catalogue_links (
  outlet_id BLOB NOT NULL,
  table_no INTEGER NOT NULL,
  catalogue_id BLOB NOT NULL,
  row_id BLOB NOT NULL,
  from_at INTEGER,                         -- from when there is such a row, where it comes later
  publication_id BLOB,                     -- the publication that tied them
  PRIMARY KEY (outlet_id, table_no, catalogue_id)
) STRICT;
CREATE INDEX hub_catalogue_links_by_row ON hub_catalogue_links (outlet_id, table_no, row_id);
-- At every outlet: publications that are in its feed, so that none is put there twice.
CREATE TABLE hub_deliveries (
  outlet_id BLOB NOT NULL,
  publication_id BLOB NOT NULL,
  feed INTEGER NOT NULL,                   -- the version of the feed that they came with
  effective_at INTEGER,
  delivered_at INTEGER NOT NULL,
  state TEXT NOT NULL CHECK (state IN ('DELIVERED', 'CANCELLED', 'REFUSED')),
  refusal TEXT,
  PRIMARY KEY (outlet_id, publication_id)
) STRICT;
