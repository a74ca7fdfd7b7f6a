-- What met a deficit, by the item: every page of a snapshot asks for that of open orders, among millions of movements.
CREATE INDEX hub_settlements ON stock_movements (kind, stock_item_id) WHERE kind = 'SETTLEMENT';
