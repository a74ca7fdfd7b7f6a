-- What boxes did under which idempotency key, for those that come after them.
CREATE TABLE merged.answered_requests (
  id bytea NOT NULL,
  outlet_id bytea NOT NULL,
  request bytea NOT NULL,
  status bigint NOT NULL,
  made bytea,
  PRIMARY KEY (outlet_id, id)
);
-- Spread as the others are while it is empty.
DO $$
DECLARE parts int;
BEGIN
  SELECT count(*) INTO parts FROM pg_inherits WHERE inhparent = 'merged.rooms'::regclass;
  IF parts > 0 THEN
    PERFORM hub.spread_one('merged.answered_requests', parts);
  END IF;
END $$;
