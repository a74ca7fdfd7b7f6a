-- --------------------------------------------------------------------------------------------------------------- log
-- What displays and notification streams follow is read from the change log, as /stream is.
DROP TABLE kitchen_events;
DROP TABLE notification_events;
