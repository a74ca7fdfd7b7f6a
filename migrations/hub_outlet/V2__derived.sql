-- What is left of each batch and of each item without one, by its movements. Kept by triggers, so that it is right however a row
-- came: by replay, by repair, by a snapshot. It bounds nothing: a log may be taken back and told again.
CREATE TABLE hub_stock_sums (
  outlet_id BLOB NOT NULL,
  stock_item_id BLOB NOT NULL,
  batch_id BLOB NOT NULL,                  -- empty: taken without stock
  quantity INTEGER NOT NULL,
  cost_micros INTEGER NOT NULL,
  PRIMARY KEY (stock_item_id, batch_id)
) STRICT, WITHOUT ROWID;
INSERT INTO hub_stock_sums (outlet_id, stock_item_id, batch_id, quantity, cost_micros)
  SELECT outlet_id, stock_item_id, coalesce(batch_id, x''), sum(quantity_delta), sum(cost_micros)
  FROM stock_movements GROUP BY stock_item_id, coalesce(batch_id, x'');
CREATE TRIGGER hub_stock_in AFTER INSERT ON stock_movements BEGIN
  INSERT INTO hub_stock_sums (outlet_id, stock_item_id, batch_id, quantity, cost_micros)
    VALUES (NEW.outlet_id, NEW.stock_item_id, coalesce(NEW.batch_id, x''), NEW.quantity_delta, NEW.cost_micros)
    ON CONFLICT (stock_item_id, batch_id) DO UPDATE
      SET quantity = quantity + excluded.quantity, cost_micros = cost_micros + excluded.cost_micros;
END;
CREATE TRIGGER hub_stock_out AFTER DELETE ON stock_movements BEGIN
  UPDATE hub_stock_sums SET quantity = quantity - OLD.quantity_delta, cost_micros = cost_micros - OLD.cost_micros
    WHERE stock_item_id = OLD.stock_item_id AND batch_id = coalesce(OLD.batch_id, x'');
END;
CREATE TRIGGER hub_stock_over AFTER UPDATE ON stock_movements BEGIN
  UPDATE hub_stock_sums SET quantity = quantity - OLD.quantity_delta, cost_micros = cost_micros - OLD.cost_micros
    WHERE stock_item_id = OLD.stock_item_id AND batch_id = coalesce(OLD.batch_id, x'');
  INSERT INTO hub_stock_sums (outlet_id, stock_item_id, batch_id, quantity, cost_micros)
    VALUES (NEW.outlet_id, NEW.stock_item_id, coalesce(NEW.batch_id, x''), NEW.quantity_delta, NEW.cost_micros)
    ON CONFLICT (stock_item_id, batch_id) DO UPDATE
      SET quantity = quantity + excluded.quantity, cost_micros = cost_micros + excluded.cost_micros;
END;
