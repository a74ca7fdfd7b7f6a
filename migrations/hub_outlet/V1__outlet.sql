-- One outlet at head office: beside the branch's own tables (migrations/edge), how far its log has come and what became of it.
-- Every table carries outlet_id first, as on PostgreSQL, so that one text serves both.
CREATE TABLE hub_state (
  outlet_id BLOB PRIMARY KEY NOT NULL
) STRICT;
