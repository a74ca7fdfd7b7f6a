-- What the house's texts use and PostgreSQL lacks, or does otherwise than SQLite. First in the search path, so that these are found
-- before PostgreSQL's own of the same name. Made anew, with schema branch, whenever this folder's text changes. An ordinary role makes
-- all of it: no aggregate whose state is of type internal, which only a superuser may make.
CREATE SCHEMA compat;

-- The outlet of the transaction. Without one there is no answer; after the transaction it is none's.
CREATE FUNCTION compat.outlet() RETURNS bytea LANGUAGE sql STABLE PARALLEL SAFE
  AS $$ SELECT decode(current_setting('tiffin.outlet'), 'hex') $$;

-- A sum of integers is an integer; one that is too large is an error, as in SQLite.
CREATE AGGREGATE compat.sum(bigint) (SFUNC = int8pl, STYPE = bigint, COMBINEFUNC = int8pl, PARALLEL = SAFE);
CREATE FUNCTION compat.count_true(bigint, boolean) RETURNS bigint LANGUAGE sql IMMUTABLE PARALLEL SAFE
  AS $$ SELECT CASE WHEN $2 IS NULL THEN $1 ELSE coalesce($1, 0) + $2::int END $$;
CREATE AGGREGATE compat.sum(boolean) (SFUNC = compat.count_true, STYPE = bigint);

-- min and max of several values; null where any is.
CREATE FUNCTION compat.max(bigint, bigint) RETURNS bigint LANGUAGE sql IMMUTABLE PARALLEL SAFE
  AS $$ SELECT CASE WHEN $1 >= $2 THEN $1 WHEN $1 < $2 THEN $2 END $$;
CREATE FUNCTION compat.min(bigint, bigint) RETURNS bigint LANGUAGE sql IMMUTABLE PARALLEL SAFE
  AS $$ SELECT CASE WHEN $1 <= $2 THEN $1 WHEN $1 > $2 THEN $2 END $$;
CREATE FUNCTION compat.max(text, text) RETURNS text LANGUAGE sql IMMUTABLE PARALLEL SAFE
  AS $$ SELECT CASE WHEN $1 COLLATE "C" >= $2 COLLATE "C" THEN $1 WHEN $1 COLLATE "C" < $2 COLLATE "C" THEN $2 END $$;
CREATE FUNCTION compat.min(text, text) RETURNS text LANGUAGE sql IMMUTABLE PARALLEL SAFE
  AS $$ SELECT CASE WHEN $1 COLLATE "C" <= $2 COLLATE "C" THEN $1 WHEN $1 COLLATE "C" > $2 COLLATE "C" THEN $2 END $$;
-- The largest and smallest id of a group.
CREATE FUNCTION compat.larger(bytea, bytea) RETURNS bytea LANGUAGE sql IMMUTABLE STRICT PARALLEL SAFE
  AS $$ SELECT CASE WHEN $1 >= $2 THEN $1 ELSE $2 END $$;
CREATE FUNCTION compat.smaller(bytea, bytea) RETURNS bytea LANGUAGE sql IMMUTABLE STRICT PARALLEL SAFE
  AS $$ SELECT CASE WHEN $1 <= $2 THEN $1 ELSE $2 END $$;
CREATE AGGREGATE compat.max(bytea) (SFUNC = compat.larger, STYPE = bytea, PARALLEL = SAFE);
CREATE AGGREGATE compat.min(bytea) (SFUNC = compat.smaller, STYPE = bytea, PARALLEL = SAFE);

CREATE FUNCTION compat.iif(boolean, anycompatible, anycompatible) RETURNS anycompatible LANGUAGE sql IMMUTABLE PARALLEL SAFE
  AS $$ SELECT CASE WHEN $1 THEN $2 ELSE $3 END $$;
CREATE FUNCTION compat.iif(bigint, anycompatible, anycompatible) RETURNS anycompatible LANGUAGE sql IMMUTABLE PARALLEL SAFE
  AS $$ SELECT CASE WHEN $1 <> 0 THEN $2 ELSE $3 END $$;
CREATE FUNCTION compat.ifnull(anycompatible, anycompatible) RETURNS anycompatible LANGUAGE sql IMMUTABLE PARALLEL SAFE
  AS $$ SELECT coalesce($1, $2) $$;

-- Text. Only the letters of ASCII have a case, as in SQLite.
CREATE FUNCTION compat.lower(text) RETURNS text LANGUAGE sql IMMUTABLE PARALLEL SAFE
  AS $$ SELECT pg_catalog.lower($1 COLLATE "C") $$;
CREATE FUNCTION compat.upper(text) RETURNS text LANGUAGE sql IMMUTABLE PARALLEL SAFE
  AS $$ SELECT pg_catalog.upper($1 COLLATE "C") $$;
CREATE FUNCTION compat.instr(text, text) RETURNS bigint LANGUAGE sql IMMUTABLE PARALLEL SAFE
  AS $$ SELECT strpos($1, $2)::bigint $$;
CREATE FUNCTION compat.substr(text, bigint) RETURNS text LANGUAGE sql IMMUTABLE PARALLEL SAFE
  AS $$ SELECT pg_catalog.substr($1, $2::int) $$;
CREATE FUNCTION compat.substr(text, bigint, bigint) RETURNS text LANGUAGE sql IMMUTABLE PARALLEL SAFE
  AS $$ SELECT pg_catalog.substr($1, $2::int, $3::int) $$;
CREATE FUNCTION compat.hex(bytea) RETURNS text LANGUAGE sql IMMUTABLE PARALLEL SAFE
  AS $$ SELECT pg_catalog.upper(encode($1, 'hex')) $$;
CREATE FUNCTION compat.unhex(text) RETURNS bytea LANGUAGE sql IMMUTABLE PARALLEL SAFE
  AS $$ SELECT decode($1, 'hex') $$;
-- Characters of the second text are passed over.
CREATE FUNCTION compat.unhex(text, text) RETURNS bytea LANGUAGE sql IMMUTABLE PARALLEL SAFE
  AS $$ SELECT decode(translate($1, $2, ''), 'hex') $$;

-- `a GLOB b` is written `a <~> b`: the pattern as a regular expression.
CREATE FUNCTION compat.glob(text, text) RETURNS boolean LANGUAGE sql IMMUTABLE PARALLEL SAFE
  AS $$ SELECT $1 ~ ('^' || replace(replace(regexp_replace($2, '([.+(){}|\\$])', '\\\1', 'g'), '*', '.*'), '?', '.') || '$') $$;
CREATE OPERATOR compat.<~> (LEFTARG = text, RIGHTARG = text, FUNCTION = compat.glob);

-- A plus before a column keeps SQLite from using its index. Here it does nothing.
CREATE FUNCTION compat.same(bytea) RETURNS bytea LANGUAGE sql IMMUTABLE PARALLEL SAFE AS $$ SELECT $1 $$;
CREATE FUNCTION compat.same(text) RETURNS text LANGUAGE sql IMMUTABLE PARALLEL SAFE AS $$ SELECT $1 $$;
CREATE OPERATOR compat.+ (RIGHTARG = bytea, FUNCTION = compat.same);
CREATE OPERATOR compat.+ (RIGHTARG = text, FUNCTION = compat.same);

-- JSON is text. A value that is no text stays JSON.
CREATE FUNCTION compat.json_at(text, text) RETURNS jsonb LANGUAGE sql IMMUTABLE PARALLEL SAFE
  AS $$ SELECT jsonb_path_query_first($1::jsonb, $2::jsonpath) $$;
CREATE FUNCTION compat.json_extract(text, text) RETURNS text LANGUAGE sql IMMUTABLE PARALLEL SAFE
  AS $$ SELECT compat.json_at($1, $2) #>> '{}' $$;
CREATE FUNCTION compat.json_field(text, text) RETURNS text LANGUAGE sql IMMUTABLE PARALLEL SAFE
  AS $$ SELECT CASE WHEN $2 LIKE '$%' THEN compat.json_extract($1, $2) ELSE $1::jsonb ->> $2 END $$;
CREATE OPERATOR compat.->> (LEFTARG = text, RIGHTARG = text, FUNCTION = compat.json_field);
CREATE FUNCTION compat.json_members(jsonb, OUT key text, OUT value text) RETURNS SETOF record
  LANGUAGE sql IMMUTABLE PARALLEL SAFE AS $$
    SELECT (n - 1)::text, v #>> '{}' FROM jsonb_array_elements(CASE jsonb_typeof($1) WHEN 'array' THEN $1 ELSE '[]' END)
      WITH ORDINALITY AS e (v, n)
    UNION ALL
    SELECT k, v #>> '{}' FROM jsonb_each(CASE jsonb_typeof($1) WHEN 'object' THEN $1 ELSE '{}' END) AS e (k, v)
  $$;
CREATE FUNCTION compat.json_each(text, OUT key text, OUT value text) RETURNS SETOF record
  LANGUAGE sql IMMUTABLE PARALLEL SAFE AS $$ SELECT * FROM compat.json_members($1::jsonb) $$;
CREATE FUNCTION compat.json_each(text, text, OUT key text, OUT value text) RETURNS SETOF record
  LANGUAGE sql IMMUTABLE PARALLEL SAFE AS $$ SELECT * FROM compat.json_members(compat.json_at($1, $2)) $$;
CREATE FUNCTION compat.json_array_length(text) RETURNS bigint LANGUAGE sql IMMUTABLE PARALLEL SAFE
  AS $$ SELECT jsonb_array_length($1::jsonb)::bigint $$;
