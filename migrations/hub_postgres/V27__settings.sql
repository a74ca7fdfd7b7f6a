-- As migrations/hub_outlet/V16: the kinds of a publication have one more.
ALTER TABLE hub_publications DROP CONSTRAINT hub_publications_kind_check;
ALTER TABLE hub_publications ADD CONSTRAINT hub_publications_kind_check CHECK (kind IN ('EDIT', 'CATALOGUE', 'IMPORT', 'SETTINGS'));
