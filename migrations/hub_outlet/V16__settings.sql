-- Head office publishes the settings of outlets, too: the kinds of a publication have one more. SQLite changes a CHECK only with its table.
CREATE TABLE hub_publications_anew (
  outlet_id BLOB NOT NULL,
  id BLOB NOT NULL,
  number INTEGER NOT NULL,                 -- 1, 2, …: the order in which they reach each outlet
  kind TEXT NOT NULL CHECK (kind IN ('EDIT', 'CATALOGUE', 'IMPORT', 'SETTINGS')),
  people INTEGER NOT NULL DEFAULT 0,       -- CATALOGUE: whether the staff go along
  to_all INTEGER NOT NULL DEFAULT 0,       -- no outlets were named: it went to all there were
  made_at INTEGER NOT NULL,
  made_by BLOB,
  made_by_name TEXT NOT NULL,
  effective_at INTEGER,                    -- none: at once
  cancelled_at INTEGER,
  cancelled_by_name TEXT,
  ops BLOB NOT NULL,                       -- packed changes of the catalogue's rows; empty for the whole catalogue; SETTINGS: of each outlet's row
  undo BLOB NOT NULL,                      -- the same the other way round; SETTINGS: empty
  changes TEXT NOT NULL,                   -- JSON: for people
  PRIMARY KEY (outlet_id, id)
) STRICT;
INSERT INTO hub_publications_anew SELECT outlet_id, id, number, kind, people, to_all, made_at, made_by, made_by_name, effective_at,
  cancelled_at, cancelled_by_name, ops, undo, changes FROM hub_publications;
DROP TABLE hub_publications;
ALTER TABLE hub_publications_anew RENAME TO hub_publications;
CREATE UNIQUE INDEX hub_publications_number ON hub_publications (outlet_id, number);
