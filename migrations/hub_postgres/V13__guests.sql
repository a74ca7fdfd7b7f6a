-- As the branch's V14: who a guest is stands in one place.

-- The views name the columns that go; they are made anew afterwards.
DROP SCHEMA IF EXISTS branch CASCADE;
CREATE TABLE merged.guests (
  id bytea NOT NULL,
  outlet_id bytea NOT NULL,
  name text COLLATE "C",
  phone text COLLATE "C",
  address text COLLATE "C",
  erased_at bigint,
  PRIMARY KEY (outlet_id, id)
);
CREATE INDEX ON merged.guests (outlet_id, erased_at) WHERE erased_at IS NOT NULL;
-- Spread as the others are while it is empty: afterwards it has rows, and is left as it is.
DO $$
DECLARE parts int;
BEGIN
  SELECT count(*) INTO parts FROM pg_inherits WHERE inhparent = 'merged.rooms'::regclass;
  IF parts > 0 THEN
    PERFORM hub.spread_one('merged.guests', parts);
  END IF;
END $$;
INSERT INTO merged.guests (id, outlet_id, name, phone)
  SELECT id, outlet_id, customer_name, customer_phone FROM merged.orders
    WHERE customer_name IS NOT NULL OR customer_phone IS NOT NULL
  UNION ALL SELECT id, outlet_id, customer_name, customer_phone FROM merged.feedback
    WHERE customer_name IS NOT NULL OR customer_phone IS NOT NULL;
ALTER TABLE merged.orders DROP COLUMN customer_name, DROP COLUMN customer_phone;
ALTER TABLE merged.feedback DROP COLUMN customer_name, DROP COLUMN customer_phone;
