-- One outlet's rows under the branch's names: the outlet is that of the transaction (tiffin.outlet). Simple enough for
-- PostgreSQL to look through: its indexes and partitions are used as if the outlet stood in the query.
CREATE SCHEMA branch;

DO $$
DECLARE
  name text;
  columns text;
BEGIN
  FOR name IN
    SELECT c.relname FROM pg_class c
    WHERE c.relnamespace = 'merged'::regnamespace AND c.relkind IN ('r', 'p') AND NOT c.relispartition AND c.relname NOT IN ('rooms', 'portion_needs')
  LOOP
    SELECT string_agg(quote_ident(a.attname), ', ' ORDER BY a.attnum) INTO columns FROM pg_attribute a
    WHERE a.attrelid = ('merged.' || quote_ident(name))::regclass AND a.attnum > 0 AND NOT a.attisdropped
      -- The branch's own table of outlets has no such column: its id is the outlet.
      AND NOT (name = 'outlets' AND a.attname = 'outlet_id');
    EXECUTE format('CREATE VIEW branch.%I AS SELECT %s FROM merged.%I WHERE outlet_id = compat.outlet()', name, columns, name);
  END LOOP;
END
$$;
