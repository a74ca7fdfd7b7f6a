-- Figures of finished days, kept so that a year is quickly read. Conventions as in V1.

-- ---------------------------------------------------------------------------------------------------------- analytics
