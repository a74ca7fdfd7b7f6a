-- Sale by weight: the columns follow the branch's V37. What dishes sold is summed up again, with what they weighed.
DELETE FROM merged.analytics_days;
