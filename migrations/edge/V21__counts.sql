-- Cash: which date the count of a drawer is of. Conventions as in V1.

-- The drawer's own date, or, once that is closed, the date it was counted on. NULL: not counted, or counted before this was kept.
ALTER TABLE cash_sessions ADD COLUMN counted_date TEXT;
CREATE INDEX cash_sessions_by_count ON cash_sessions (outlet_id, coalesce(counted_date, business_date));
