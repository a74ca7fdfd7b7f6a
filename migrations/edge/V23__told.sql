-- What head office must have heard before its list of all shared rows counts here.

-- ---------------------------------------------------------------------------------------------------------- sync
-- The newest row of the log that head office's feed brought is found without reading the log.
CREATE INDEX sync_log_pulled ON sync_log (seq) WHERE kind = 7;
