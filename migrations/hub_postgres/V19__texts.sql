-- As the branch's V14, for the rows of all outlets and for what head office keeps itself: every text, but JSON (it holds escapes) and
-- invoices (they are sealed). A table in which a row would become another's double stays as it is.
DO $$
DECLARE found record;
BEGIN
  FOR found IN
    SELECT c.oid::regclass AS relation,
           string_agg(format('%1$I = regexp_replace(regexp_replace(%1$I COLLATE "C", E''\r\n?'', E''\n'', ''g''), E''[\x01-\x08\x0b\x0c\x0e-\x1f\x7f-\u009f]'', '''', ''g'')', a.attname), ', ') AS sets,
           string_agg(format('%I COLLATE "C" ~ E''[\x01-\x08\x0b-\x1f\x7f-\u009f]''', a.attname), ' OR ') AS wrong
    FROM pg_attribute a JOIN pg_class c ON c.oid = a.attrelid
    WHERE c.relnamespace IN ('merged'::regnamespace, 'hub'::regnamespace) AND c.relkind IN ('r', 'p') AND NOT c.relispartition
      AND a.attnum > 0 AND NOT a.attisdropped AND a.atttypid = 'text'::regtype
      AND c.relname NOT IN ('invoices', 'refinery_schema_history', 'remade')
    GROUP BY c.oid
  LOOP
    BEGIN
      EXECUTE format('UPDATE %s SET %s WHERE %s', found.relation, found.sets, found.wrong);
    EXCEPTION WHEN unique_violation THEN
      RAISE WARNING 'texts of % stay as they are', found.relation;
    END;
  END LOOP;
END $$;
