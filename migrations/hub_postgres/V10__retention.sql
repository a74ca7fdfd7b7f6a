-- What grows for ever is let go of. Conventions as in V2.

ALTER TABLE hub.hub_feed_marks ADD COLUMN at bigint;
ALTER TABLE hub.hub_state ADD COLUMN unmarked_to bigint NOT NULL DEFAULT 0;
ALTER TABLE hub.hub_state ADD COLUMN doubts_schedule bigint NOT NULL DEFAULT 0;
