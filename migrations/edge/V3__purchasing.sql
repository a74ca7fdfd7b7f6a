-- Purchasing: what is ordered from suppliers and what came of it. Conventions as in V1.

-- ---------------------------------------------------------------------------------------------------------- purchase_orders
