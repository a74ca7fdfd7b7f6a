-- The nightly backups: any number of processes share this database, and one of them takes each. A head office on SQLite, which is one
-- process, reads the same off its folder of backups.
CREATE TABLE hub_nights (
  id bigint PRIMARY KEY CHECK (id = 1),
  taken_at bigint,                         -- the newest
  machine text,                            -- where it was taken, and where it lies there
  path text,
  bytes bigint,
  failed_at bigint,                        -- the newest failure since, and its reason
  failure text
);
