-- Pay: by the hour or by the month, overtime, days that are paid without work, what was given beforehand. Conventions as in V1.

-- ------------------------------------------------------------------------------------------------------------- outlets
-- JSON: {dailyMinutes, weeklyMinutes, multiplierBps}; NULL: as the country has it.
ALTER TABLE outlets ADD COLUMN overtime TEXT;
-- JSON array of the days of the week on which the house rests.
ALTER TABLE outlets ADD COLUMN weekly_rest_days TEXT NOT NULL DEFAULT '[]';
-- JSON: the terms of leave; what is absent has its default.
ALTER TABLE outlets ADD COLUMN leave_terms TEXT NOT NULL DEFAULT '{}';

-- ----------------------------------------------------------------------------------------------------------- employees
-- The wage of an hour pays a MONTHLY employee's overtime alone.
ALTER TABLE employees ADD COLUMN pay_basis TEXT NOT NULL DEFAULT 'HOURLY' CHECK (pay_basis IN ('HOURLY', 'MONTHLY'));
ALTER TABLE employees ADD COLUMN monthly_salary_cents INTEGER NOT NULL DEFAULT 0;
-- Minutes of an ordinary day; NULL: the outlet's.
ALTER TABLE employees ADD COLUMN day_minutes INTEGER;
ALTER TABLE employee_wages ADD COLUMN pay_basis TEXT NOT NULL DEFAULT 'HOURLY' CHECK (pay_basis IN ('HOURLY', 'MONTHLY'));
ALTER TABLE employee_wages ADD COLUMN monthly_salary_cents INTEGER NOT NULL DEFAULT 0;

-- ------------------------------------------------------------------------------------------------------ leave_requests
CREATE TABLE holidays (
  id BLOB PRIMARY KEY NOT NULL,
  outlet_id BLOB NOT NULL,
  date TEXT NOT NULL,
  name TEXT NOT NULL,
  created_at INTEGER NOT NULL
) STRICT;
CREATE UNIQUE INDEX holidays_by_date ON holidays (outlet_id, date);

-- ---------------------------------------------------------------------------------------------------------------- cash
-- Whom a pay-out was given to: on account of their pay, or their tips.
ALTER TABLE cash_movements ADD COLUMN employee_id BLOB;
