-- As the branch's V18: printers, how often receipts were printed, and what stands on them.
CREATE TABLE merged.printers (
  id bytea NOT NULL,
  outlet_id bytea NOT NULL,
  name text COLLATE "C" NOT NULL,
  connection text COLLATE "C" NOT NULL CHECK (connection IN ('TCP', 'USB', 'SPOOL')),
  address text COLLATE "C" NOT NULL,
  width bigint NOT NULL CHECK (width IN (58, 80)),
  profile text COLLATE "C" NOT NULL CHECK (profile IN ('GENERIC', 'EPSON', 'MUTE')),
  code_pages text COLLATE "C" NOT NULL,
  cutter bigint NOT NULL CHECK (cutter IN (0, 1)),
  drawer bigint NOT NULL CHECK (drawer IN (0, 1)),
  auto_print text COLLATE "C" NOT NULL CHECK (auto_print IN ('NEVER', 'INVOICE', 'PAYMENT')),
  roles text COLLATE "C" NOT NULL,
  station_ids text COLLATE "C" NOT NULL,
  fallback_printer_id bytea,
  language text COLLATE "C",
  expires_minutes bigint,
  version bigint NOT NULL DEFAULT 1,
  created_at bigint NOT NULL,
  updated_at bigint NOT NULL,
  archived_at bigint,
  PRIMARY KEY (outlet_id, id)
);
CREATE TABLE merged.receipt_prints (
  id bytea NOT NULL,
  outlet_id bytea NOT NULL,
  prints bigint NOT NULL,
  PRIMARY KEY (outlet_id, id)
);
CREATE TABLE merged.print_layouts (
  id bytea NOT NULL,
  outlet_id bytea NOT NULL,
  headers text COLLATE "C" NOT NULL,
  footers text COLLATE "C" NOT NULL,
  logo text COLLATE "C",
  bill_code bigint NOT NULL CHECK (bill_code IN (0, 1)),
  version bigint NOT NULL DEFAULT 1,
  updated_at bigint NOT NULL,
  PRIMARY KEY (outlet_id, id)
);
-- Spread as the others are.
DO $$
DECLARE parts int;
BEGIN
  SELECT count(*) INTO parts FROM pg_inherits WHERE inhparent = 'merged.rooms'::regclass;
  IF parts > 0 THEN
    PERFORM hub.spread_one('merged.printers', parts);
    PERFORM hub.spread_one('merged.receipt_prints', parts);
    PERFORM hub.spread_one('merged.print_layouts', parts);
  END IF;
END $$;
-- The certificate authority of the outlet's box, with its key, sealed: the registry's.
ALTER TABLE registry_outlets ADD COLUMN tls_authority bytea;
