-- Spreads tables over hash partitions by outlet: `sync-hub init --partitions 16` on a database that is still empty. A delete of an
-- old outlet, a vacuum and an index then touch one part, and reports of different outlets do not share pages.
-- By hand, after `sync-hub init` and before the first box is enrolled:
--   SELECT hub.spread(16, ARRAY[…the tables of layout/citus.sql that are in schema hub…]);
-- Tables of later versions are spread by the migration that makes them, as many times as merged.rooms is.

CREATE OR REPLACE FUNCTION hub.spread_one(whole regclass, parts int) RETURNS void LANGUAGE plpgsql AS $$
DECLARE
  schema text;
  name text;
  filled boolean;
BEGIN
  SELECT n.nspname, c.relname INTO schema, name FROM pg_class c JOIN pg_namespace n ON n.oid = c.relnamespace WHERE c.oid = whole;
  EXECUTE format('SELECT EXISTS (SELECT 1 FROM %s)', whole) INTO filled;
  IF filled THEN
    RAISE EXCEPTION 'table %.% has rows: the layout is chosen before the first', schema, name;
  END IF;
  EXECUTE format('ALTER TABLE %I.%I RENAME TO %I', schema, name, name || '_whole');
  EXECUTE format('CREATE TABLE %I.%I (LIKE %I.%I INCLUDING ALL) PARTITION BY HASH (outlet_id)', schema, name, schema, name || '_whole');
  EXECUTE format('DROP TABLE %I.%I CASCADE', schema, name || '_whole');
  FOR part IN 0 .. parts - 1 LOOP
    EXECUTE format('CREATE TABLE parts.%I PARTITION OF %I.%I FOR VALUES WITH (MODULUS %s, REMAINDER %s)',
      name || '_' || part, schema, name, parts, part);
  END LOOP;
END
$$;

-- Every table whose rows are one outlet's: all of schema merged, and of schema hub those that are named.
CREATE OR REPLACE FUNCTION hub.spread(parts int, of_hub text[]) RETURNS bigint LANGUAGE plpgsql AS $$
DECLARE
  whole regclass;
  done bigint := 0;
BEGIN
  FOR whole IN
    SELECT c.oid FROM pg_class c
    WHERE c.relkind = 'r' AND NOT c.relispartition AND (c.relnamespace = 'merged'::regnamespace
      OR (c.relnamespace = 'hub'::regnamespace AND c.relname = ANY (of_hub)))
  LOOP
    PERFORM hub.spread_one(whole, parts);
    done := done + 1;
  END LOOP;
  RETURN done;
END
$$;
