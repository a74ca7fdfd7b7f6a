-- The twin of migrations/hub_outlet/V2__derived.sql. Here the sums are kept by the store, along with the rows they are of: triggers
-- would keep the tables from being spread over servers.
CREATE TABLE hub_stock_sums (
  outlet_id bytea NOT NULL,
  stock_item_id bytea NOT NULL,
  batch_id bytea NOT NULL,                 -- empty: taken without stock
  quantity bigint NOT NULL,
  cost_micros bigint NOT NULL,
  PRIMARY KEY (outlet_id, stock_item_id, batch_id)
);
