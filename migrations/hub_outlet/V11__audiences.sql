-- Publications that are over everywhere are let go of, and papers of the staff are kept for the box's successor. Conventions as in V1.

-- To which outlets such a publication brought a row of the catalogue by name: later changes of the row go there, too.
CREATE TABLE hub_audiences (
  outlet_id BLOB NOT NULL,
  table_no INTEGER NOT NULL,
  row_id BLOB NOT NULL,
  target_id BLOB NOT NULL,                 -- all ones: all there were; zeros: said once of every such row
  number INTEGER NOT NULL,                 -- of the first such publication
  PRIMARY KEY (outlet_id, table_no, row_id, target_id)
) STRICT;
CREATE INDEX hub_publication_rows_by_publication ON hub_publication_rows (outlet_id, publication_id);

-- The contents of the papers that employee_documents names, as far as they have come. Nobody reads them here but the outlet's box.
CREATE TABLE hub_papers (
  outlet_id BLOB NOT NULL,
  document_id BLOB NOT NULL,
  start INTEGER NOT NULL,                  -- bytes before this part
  content BLOB NOT NULL,
  PRIMARY KEY (outlet_id, document_id, start)
) STRICT;
