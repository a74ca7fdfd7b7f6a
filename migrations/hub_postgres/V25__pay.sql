-- As the branch's V28: pay by the hour or by the month, overtime, days that are paid without work, what was given beforehand.
ALTER TABLE merged.outlets ADD COLUMN overtime text COLLATE "C";
ALTER TABLE merged.outlets ADD COLUMN weekly_rest_days text COLLATE "C" NOT NULL DEFAULT '[]';
ALTER TABLE merged.outlets ADD COLUMN leave_terms text COLLATE "C" NOT NULL DEFAULT '{}';
ALTER TABLE merged.employees ADD COLUMN pay_basis text COLLATE "C" NOT NULL DEFAULT 'HOURLY' CHECK (pay_basis IN ('HOURLY', 'MONTHLY'));
ALTER TABLE merged.employees ADD COLUMN monthly_salary_cents bigint NOT NULL DEFAULT 0;
ALTER TABLE merged.employees ADD COLUMN day_minutes bigint;
ALTER TABLE merged.employee_wages ADD COLUMN pay_basis text COLLATE "C" NOT NULL DEFAULT 'HOURLY' CHECK (pay_basis IN ('HOURLY', 'MONTHLY'));
ALTER TABLE merged.employee_wages ADD COLUMN monthly_salary_cents bigint NOT NULL DEFAULT 0;
ALTER TABLE merged.cash_movements ADD COLUMN employee_id bytea;
CREATE TABLE merged.holidays (
  id bytea NOT NULL,
  outlet_id bytea NOT NULL,
  date text COLLATE "C" NOT NULL,
  name text COLLATE "C" NOT NULL,
  created_at bigint NOT NULL,
  PRIMARY KEY (outlet_id, id)
);
CREATE INDEX ON merged.holidays (outlet_id, date);
-- Spread as the others are while it is empty.
DO $$
DECLARE parts int;
BEGIN
  SELECT count(*) INTO parts FROM pg_inherits WHERE inhparent = 'merged.rooms'::regclass;
  IF parts > 0 THEN
    PERFORM hub.spread_one('merged.holidays', parts);
  END IF;
END $$;
