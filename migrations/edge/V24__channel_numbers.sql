-- Two lives of a box may have taken the same order of a channel, and a channel may begin its numbers anew: both rows stay, so no index refuses
-- one. Whether a channel has sent its number before is asked before, by the one writer. Conventions as in V1.

-- -------------------------------------------------------------------------------------------------------- orders
DROP INDEX orders_by_external_id;
CREATE INDEX orders_by_external_id ON orders (outlet_id, channel_id, external_id) WHERE external_id IS NOT NULL;
