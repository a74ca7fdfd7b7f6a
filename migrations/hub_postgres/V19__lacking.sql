-- The last row of the log that the branch no longer keeps and that is not here; null while nothing is lacking.
ALTER TABLE hub.hub_state ADD COLUMN lacks_to bigint;
