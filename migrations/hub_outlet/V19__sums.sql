-- What is left of each batch, and which days' figures are kept, is written once for a push by who applies it: a trigger makes each row
-- a statement that can fail in its middle, of which SQLite copies every page beforehand.
DROP TRIGGER hub_stock_in;
DROP TRIGGER hub_stock_out;
DROP TRIGGER hub_stock_over;
