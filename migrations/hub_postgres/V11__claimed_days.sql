-- The branch's column: at head office a day is kept under the outlet's lock, so none is ever only claimed.
ALTER TABLE merged.analytics_days ADD COLUMN kept bigint NOT NULL DEFAULT 1;
