-- The store room: stocktakes, transfers to other outlets, waste. Conventions as in V1.

-- ---------------------------------------------------------------------------------------------------------- inventory
