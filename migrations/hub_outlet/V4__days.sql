-- From what was thrown away or delivered to its movements: the days whose kept figures a change of it concerns. There are few of
-- either. The triggers that take a kept day off the list are made by the store, from the one list of what a figure is made of.
CREATE INDEX hub_waste_by_cause ON stock_movements (cause_id) WHERE kind = 'WASTE';
CREATE INDEX hub_receipts_by_batch ON stock_movements (batch_id) WHERE kind = 'RECEIPT';
