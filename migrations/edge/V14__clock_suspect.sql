-- What was recorded while the machine's clock was not followed (see the branch's db/clock) is marked, so that it can be told from what
-- has its time from a clock. Conventions as in V1.

-- ------------------------------------------------------------------------------------------------------------- audit
ALTER TABLE audit_log ADD COLUMN clock_suspect INTEGER NOT NULL DEFAULT 0;

-- --------------------------------------------------------------------------------------------------------- inventory
ALTER TABLE stock_movements ADD COLUMN clock_suspect INTEGER NOT NULL DEFAULT 0;
ALTER TABLE waste_logs ADD COLUMN clock_suspect INTEGER NOT NULL DEFAULT 0;

-- ------------------------------------------------------------------------------------------------------------ orders
ALTER TABLE orders ADD COLUMN clock_suspect INTEGER NOT NULL DEFAULT 0;
ALTER TABLE payments ADD COLUMN clock_suspect INTEGER NOT NULL DEFAULT 0;
ALTER TABLE refunds ADD COLUMN clock_suspect INTEGER NOT NULL DEFAULT 0;
ALTER TABLE invoices ADD COLUMN clock_suspect INTEGER NOT NULL DEFAULT 0;

-- -------------------------------------------------------------------------------------------------------------- cash
ALTER TABLE cash_sessions ADD COLUMN clock_suspect INTEGER NOT NULL DEFAULT 0;
ALTER TABLE cash_movements ADD COLUMN clock_suspect INTEGER NOT NULL DEFAULT 0;
ALTER TABLE day_closes ADD COLUMN clock_suspect INTEGER NOT NULL DEFAULT 0;
