-- What met a deficit, by the item: every page of a snapshot asks for that of open orders, among millions of movements.
CREATE INDEX ON merged.stock_movements (outlet_id, stock_item_id) WHERE kind = 'SETTLEMENT';
