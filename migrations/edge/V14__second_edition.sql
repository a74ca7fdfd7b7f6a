-- What the second edition asked of a branch's database. Conventions as in V1.

-- =========================================================================================================
-- What was recorded while the machine's clock was not followed (see the branch's db/clock) is marked, so that it can be told from what
-- has its time from a clock. Conventions as in V1.

-- ------------------------------------------------------------------------------------------------------------- audit
ALTER TABLE audit_log ADD COLUMN clock_suspect INTEGER NOT NULL DEFAULT 0;

-- --------------------------------------------------------------------------------------------------------- inventory
ALTER TABLE stock_movements ADD COLUMN clock_suspect INTEGER NOT NULL DEFAULT 0;
ALTER TABLE waste_logs ADD COLUMN clock_suspect INTEGER NOT NULL DEFAULT 0;

-- ------------------------------------------------------------------------------------------------------------ orders
ALTER TABLE orders ADD COLUMN clock_suspect INTEGER NOT NULL DEFAULT 0;
ALTER TABLE payments ADD COLUMN clock_suspect INTEGER NOT NULL DEFAULT 0;
ALTER TABLE refunds ADD COLUMN clock_suspect INTEGER NOT NULL DEFAULT 0;
ALTER TABLE invoices ADD COLUMN clock_suspect INTEGER NOT NULL DEFAULT 0;

-- -------------------------------------------------------------------------------------------------------------- cash
ALTER TABLE cash_sessions ADD COLUMN clock_suspect INTEGER NOT NULL DEFAULT 0;
ALTER TABLE cash_movements ADD COLUMN clock_suspect INTEGER NOT NULL DEFAULT 0;
ALTER TABLE day_closes ADD COLUMN clock_suspect INTEGER NOT NULL DEFAULT 0;

-- =========================================================================================================
-- Stock goes from branch to branch through head office, which delivers what was sent and what became of it. Conventions as in V1.

-- ----------------------------------------------------------------------------------------------------------- outlets
-- LOCAL. The other outlets of the chain, as head office told last.
CREATE TABLE chain_outlets (
  id BLOB PRIMARY KEY NOT NULL,
  code TEXT NOT NULL,
  name TEXT NOT NULL,
  currency TEXT NOT NULL
) STRICT;

-- --------------------------------------------------------------------------------------------------------- inventory
-- The receiver, where head office delivers; null where it is an outlet of the same box.
ALTER TABLE stock_transfers ADD COLUMN to_outlet_code TEXT;
ALTER TABLE stock_transfers ADD COLUMN to_outlet_name TEXT;
-- When the sender asked to have it back; head office says whether it still could.
ALTER TABLE stock_transfers ADD COLUMN recalled_at INTEGER;
-- The shelf it came from, for a receiver that has no such item yet.
ALTER TABLE stock_transfer_lines ADD COLUMN category TEXT;
-- When it turned out that the transfer had been called back before: what was taken in was booked out again.
ALTER TABLE stock_transfer_receipts ADD COLUMN undone_at INTEGER;
-- What another branch sent here, as head office delivers it: whole, in one row. Nobody here writes it.
CREATE TABLE incoming_transfers (
  id BLOB PRIMARY KEY NOT NULL,            -- the transfer's
  outlet_id BLOB NOT NULL,                 -- the receiver
  from_outlet_id BLOB NOT NULL,
  from_outlet_code TEXT NOT NULL,
  from_outlet_name TEXT NOT NULL,
  transfer_number TEXT NOT NULL,
  note TEXT,
  business_date TEXT NOT NULL,
  sent_at INTEGER NOT NULL,
  sent_by_name TEXT NOT NULL,
  lines TEXT NOT NULL,                     -- JSON: the sender's lines
  lines_count INTEGER NOT NULL,
  cost_micros INTEGER NOT NULL,
  recalled_at INTEGER,                     -- whoever has this and no receipt will not take it in any more
  recalled_by_name TEXT,
  recall_reason TEXT,
  outcome TEXT,                            -- RECEIVED or CANCELLED: head office's last word
  decided_at INTEGER
) STRICT;
CREATE INDEX incoming_transfers_by_time ON incoming_transfers (outlet_id, sent_at);
-- What became of what was sent from here, as head office delivers it. Nobody here writes it.
CREATE TABLE transfer_outcomes (
  id BLOB PRIMARY KEY NOT NULL,            -- the transfer's
  outlet_id BLOB NOT NULL,                 -- the sender
  outcome TEXT NOT NULL,                   -- RECEIVED or CANCELLED
  decided_at INTEGER NOT NULL,
  received_at INTEGER,
  by_name TEXT,
  note TEXT,
  lines TEXT NOT NULL                      -- JSON: [{"lineId": …, "quantityReceived": 2.5}]
) STRICT;

-- -------------------------------------------------------------------------------------------------------------- sync
-- Tells the list of the chain's outlets that is here from a newer one.
ALTER TABLE sync_peer ADD COLUMN chain_mark TEXT;

-- =========================================================================================================
-- Texts of before hold what none may hold any more: control characters but tab and newline, CR LF as the end of a line. They become what
-- they would be today, by tiffin_common's text::clean; a row that would then be another's double stays. Texts in JSON hold escapes and
-- invoices are sealed: both stay. Not captured: head office reads older log rows through the same function, and digests count so, too.

UPDATE OR IGNORE outlets SET code = tiffin_clean(code), name = tiffin_clean(name), address = tiffin_clean(address), phone =
  tiffin_clean(phone), tax_id = tiffin_clean(tax_id), licence_number = tiffin_clean(licence_number)
  WHERE tiffin_is_unclean(code) OR tiffin_is_unclean(name) OR tiffin_is_unclean(address) OR tiffin_is_unclean(phone) OR
  tiffin_is_unclean(tax_id) OR tiffin_is_unclean(licence_number);
UPDATE OR IGNORE audit_log SET actor_name = tiffin_clean(actor_name), approver_name = tiffin_clean(approver_name), device =
  tiffin_clean(device), reason = tiffin_clean(reason)
  WHERE tiffin_is_unclean(actor_name) OR tiffin_is_unclean(approver_name) OR tiffin_is_unclean(device) OR tiffin_is_unclean(reason);
UPDATE OR IGNORE notifications SET title = tiffin_clean(title), body = tiffin_clean(body)
  WHERE tiffin_is_unclean(title) OR tiffin_is_unclean(body);
UPDATE OR IGNORE employees SET employee_code = tiffin_clean(employee_code), name = tiffin_clean(name), phone = tiffin_clean(phone), email =
  tiffin_clean(email), job_title = tiffin_clean(job_title), station = tiffin_clean(station)
  WHERE tiffin_is_unclean(employee_code) OR tiffin_is_unclean(name) OR tiffin_is_unclean(phone) OR tiffin_is_unclean(email) OR
  tiffin_is_unclean(job_title) OR tiffin_is_unclean(station);
UPDATE OR IGNORE accounts SET email = tiffin_clean(email), name = tiffin_clean(name)
  WHERE tiffin_is_unclean(email) OR tiffin_is_unclean(name);
UPDATE OR IGNORE sessions SET device_name = tiffin_clean(device_name)
  WHERE tiffin_is_unclean(device_name);
UPDATE OR IGNORE tax_categories SET name = tiffin_clean(name)
  WHERE tiffin_is_unclean(name);
UPDATE OR IGNORE menu_categories SET name = tiffin_clean(name), description = tiffin_clean(description)
  WHERE tiffin_is_unclean(name) OR tiffin_is_unclean(description);
UPDATE OR IGNORE menu_items SET name = tiffin_clean(name), kitchen_name = tiffin_clean(kitchen_name), description =
  tiffin_clean(description), sku = tiffin_clean(sku), hsn_sac = tiffin_clean(hsn_sac), image_url = tiffin_clean(image_url)
  WHERE tiffin_is_unclean(name) OR tiffin_is_unclean(kitchen_name) OR tiffin_is_unclean(description) OR tiffin_is_unclean(sku) OR
  tiffin_is_unclean(hsn_sac) OR tiffin_is_unclean(image_url);
UPDATE OR IGNORE modifier_groups SET name = tiffin_clean(name)
  WHERE tiffin_is_unclean(name);
UPDATE OR IGNORE modifier_options SET name = tiffin_clean(name)
  WHERE tiffin_is_unclean(name);
UPDATE OR IGNORE menu_availability SET reason = tiffin_clean(reason)
  WHERE tiffin_is_unclean(reason);
UPDATE OR IGNORE dining_tables SET number = tiffin_clean(number), area = tiffin_clean(area)
  WHERE tiffin_is_unclean(number) OR tiffin_is_unclean(area);
UPDATE OR IGNORE suppliers SET name = tiffin_clean(name), contact_name = tiffin_clean(contact_name), phone = tiffin_clean(phone), email =
  tiffin_clean(email), address = tiffin_clean(address), tax_id = tiffin_clean(tax_id)
  WHERE tiffin_is_unclean(name) OR tiffin_is_unclean(contact_name) OR tiffin_is_unclean(phone) OR tiffin_is_unclean(email) OR
  tiffin_is_unclean(address) OR tiffin_is_unclean(tax_id);
UPDATE OR IGNORE stock_items SET name = tiffin_clean(name), category = tiffin_clean(category), unit = tiffin_clean(unit), sku =
  tiffin_clean(sku)
  WHERE tiffin_is_unclean(name) OR tiffin_is_unclean(category) OR tiffin_is_unclean(unit) OR tiffin_is_unclean(sku);
UPDATE OR IGNORE stock_batches SET batch_number = tiffin_clean(batch_number)
  WHERE tiffin_is_unclean(batch_number);
UPDATE OR IGNORE stock_movements SET reason = tiffin_clean(reason), note = tiffin_clean(note)
  WHERE tiffin_is_unclean(reason) OR tiffin_is_unclean(note);
UPDATE OR IGNORE recipes SET name = tiffin_clean(name), yield_unit = tiffin_clean(yield_unit)
  WHERE tiffin_is_unclean(name) OR tiffin_is_unclean(yield_unit);
UPDATE OR IGNORE recipe_ingredients SET unit = tiffin_clean(unit)
  WHERE tiffin_is_unclean(unit);
UPDATE OR IGNORE kitchen_stations SET name = tiffin_clean(name), printer_address = tiffin_clean(printer_address)
  WHERE tiffin_is_unclean(name) OR tiffin_is_unclean(printer_address);
UPDATE OR IGNORE kitchen_tickets SET table_number = tiffin_clean(table_number), notes = tiffin_clean(notes)
  WHERE tiffin_is_unclean(table_number) OR tiffin_is_unclean(notes);
UPDATE OR IGNORE kitchen_ticket_items SET name = tiffin_clean(name), notes = tiffin_clean(notes)
  WHERE tiffin_is_unclean(name) OR tiffin_is_unclean(notes);
UPDATE OR IGNORE orders SET table_number = tiffin_clean(table_number), customer_name = tiffin_clean(customer_name), customer_phone =
  tiffin_clean(customer_phone), notes = tiffin_clean(notes)
  WHERE tiffin_is_unclean(table_number) OR tiffin_is_unclean(customer_name) OR tiffin_is_unclean(customer_phone) OR
  tiffin_is_unclean(notes);
UPDATE OR IGNORE order_items SET name = tiffin_clean(name), hsn_sac = tiffin_clean(hsn_sac), notes = tiffin_clean(notes)
  WHERE tiffin_is_unclean(name) OR tiffin_is_unclean(hsn_sac) OR tiffin_is_unclean(notes);
UPDATE OR IGNORE order_item_modifiers SET name = tiffin_clean(name)
  WHERE tiffin_is_unclean(name);
UPDATE OR IGNORE order_item_voids SET reason = tiffin_clean(reason)
  WHERE tiffin_is_unclean(reason);
UPDATE OR IGNORE order_status_history SET by_name = tiffin_clean(by_name), reason = tiffin_clean(reason)
  WHERE tiffin_is_unclean(by_name) OR tiffin_is_unclean(reason);
UPDATE OR IGNORE order_discounts SET reason = tiffin_clean(reason)
  WHERE tiffin_is_unclean(reason);
UPDATE OR IGNORE order_taxes SET name = tiffin_clean(name)
  WHERE tiffin_is_unclean(name);
UPDATE OR IGNORE payments SET reference = tiffin_clean(reference), by_name = tiffin_clean(by_name)
  WHERE tiffin_is_unclean(reference) OR tiffin_is_unclean(by_name);
UPDATE OR IGNORE refunds SET reason = tiffin_clean(reason), by_name = tiffin_clean(by_name)
  WHERE tiffin_is_unclean(reason) OR tiffin_is_unclean(by_name);
UPDATE OR IGNORE cash_sessions SET drawer = tiffin_clean(drawer), opened_by_name = tiffin_clean(opened_by_name), note = tiffin_clean(note)
  WHERE tiffin_is_unclean(drawer) OR tiffin_is_unclean(opened_by_name) OR tiffin_is_unclean(note);
UPDATE OR IGNORE cash_movements SET reason = tiffin_clean(reason)
  WHERE tiffin_is_unclean(reason);
UPDATE OR IGNORE purchase_orders SET po_number = tiffin_clean(po_number), supplier_name = tiffin_clean(supplier_name), notes =
  tiffin_clean(notes), created_by_name = tiffin_clean(created_by_name), close_reason = tiffin_clean(close_reason)
  WHERE tiffin_is_unclean(po_number) OR tiffin_is_unclean(supplier_name) OR tiffin_is_unclean(notes) OR tiffin_is_unclean(created_by_name)
  OR tiffin_is_unclean(close_reason);
UPDATE OR IGNORE purchase_order_lines SET name = tiffin_clean(name), unit = tiffin_clean(unit), stock_unit = tiffin_clean(stock_unit)
  WHERE tiffin_is_unclean(name) OR tiffin_is_unclean(unit) OR tiffin_is_unclean(stock_unit);
UPDATE OR IGNORE purchase_deliveries SET invoice_ref = tiffin_clean(invoice_ref), note = tiffin_clean(note), by_name = tiffin_clean(by_name)
  WHERE tiffin_is_unclean(invoice_ref) OR tiffin_is_unclean(note) OR tiffin_is_unclean(by_name);
UPDATE OR IGNORE purchase_delivery_lines SET batch_number = tiffin_clean(batch_number), unit = tiffin_clean(unit)
  WHERE tiffin_is_unclean(batch_number) OR tiffin_is_unclean(unit);
UPDATE OR IGNORE stocktakes SET name = tiffin_clean(name), category = tiffin_clean(category), opened_by_name = tiffin_clean(opened_by_name),
  ended_by_name = tiffin_clean(ended_by_name), note = tiffin_clean(note)
  WHERE tiffin_is_unclean(name) OR tiffin_is_unclean(category) OR tiffin_is_unclean(opened_by_name) OR tiffin_is_unclean(ended_by_name) OR
  tiffin_is_unclean(note);
UPDATE OR IGNORE stocktake_lines SET counted_by_name = tiffin_clean(counted_by_name)
  WHERE tiffin_is_unclean(counted_by_name);
UPDATE OR IGNORE stock_transfers SET transfer_number = tiffin_clean(transfer_number), note = tiffin_clean(note), sent_by_name =
  tiffin_clean(sent_by_name), cancelled_by_name = tiffin_clean(cancelled_by_name), cancel_reason = tiffin_clean(cancel_reason)
  WHERE tiffin_is_unclean(transfer_number) OR tiffin_is_unclean(note) OR tiffin_is_unclean(sent_by_name) OR
  tiffin_is_unclean(cancelled_by_name) OR tiffin_is_unclean(cancel_reason);
UPDATE OR IGNORE stock_transfer_lines SET name = tiffin_clean(name), sku = tiffin_clean(sku), unit = tiffin_clean(unit), batch_number =
  tiffin_clean(batch_number)
  WHERE tiffin_is_unclean(name) OR tiffin_is_unclean(sku) OR tiffin_is_unclean(unit) OR tiffin_is_unclean(batch_number);
UPDATE OR IGNORE stock_transfer_receipts SET note = tiffin_clean(note), by_name = tiffin_clean(by_name)
  WHERE tiffin_is_unclean(note) OR tiffin_is_unclean(by_name);
UPDATE OR IGNORE waste_logs SET name = tiffin_clean(name), unit = tiffin_clean(unit), batch_number = tiffin_clean(batch_number), reason =
  tiffin_clean(reason), note = tiffin_clean(note), by_name = tiffin_clean(by_name), reversed_by_name = tiffin_clean(reversed_by_name),
  reversal_reason = tiffin_clean(reversal_reason)
  WHERE tiffin_is_unclean(name) OR tiffin_is_unclean(unit) OR tiffin_is_unclean(batch_number) OR tiffin_is_unclean(reason) OR
  tiffin_is_unclean(note) OR tiffin_is_unclean(by_name) OR tiffin_is_unclean(reversed_by_name) OR tiffin_is_unclean(reversal_reason);
UPDATE OR IGNORE shifts SET station = tiffin_clean(station), notes = tiffin_clean(notes)
  WHERE tiffin_is_unclean(station) OR tiffin_is_unclean(notes);
UPDATE OR IGNORE shift_swaps SET note = tiffin_clean(note), decided_by_name = tiffin_clean(decided_by_name), decision_reason =
  tiffin_clean(decision_reason)
  WHERE tiffin_is_unclean(note) OR tiffin_is_unclean(decided_by_name) OR tiffin_is_unclean(decision_reason);
UPDATE OR IGNORE leave_requests SET reason = tiffin_clean(reason), decided_by_name = tiffin_clean(decided_by_name), decision_reason =
  tiffin_clean(decision_reason)
  WHERE tiffin_is_unclean(reason) OR tiffin_is_unclean(decided_by_name) OR tiffin_is_unclean(decision_reason);
UPDATE OR IGNORE employee_documents SET title = tiffin_clean(title), file_name = tiffin_clean(file_name), uploaded_by_name =
  tiffin_clean(uploaded_by_name)
  WHERE tiffin_is_unclean(title) OR tiffin_is_unclean(file_name) OR tiffin_is_unclean(uploaded_by_name);
UPDATE OR IGNORE attendances SET employee_name = tiffin_clean(employee_name)
  WHERE tiffin_is_unclean(employee_name);
UPDATE OR IGNORE attendance_records SET device = tiffin_clean(device)
  WHERE tiffin_is_unclean(device);
UPDATE OR IGNORE attendance_corrections SET reason = tiffin_clean(reason), by_name = tiffin_clean(by_name), approver_name =
  tiffin_clean(approver_name)
  WHERE tiffin_is_unclean(reason) OR tiffin_is_unclean(by_name) OR tiffin_is_unclean(approver_name);
UPDATE OR IGNORE tickets SET subject = tiffin_clean(subject), body = tiffin_clean(body), category = tiffin_clean(category), raised_by_name =
  tiffin_clean(raised_by_name)
  WHERE tiffin_is_unclean(subject) OR tiffin_is_unclean(body) OR tiffin_is_unclean(category) OR tiffin_is_unclean(raised_by_name);
UPDATE OR IGNORE ticket_comments SET body = tiffin_clean(body), by_name = tiffin_clean(by_name)
  WHERE tiffin_is_unclean(body) OR tiffin_is_unclean(by_name);
UPDATE OR IGNORE feedback SET table_number = tiffin_clean(table_number), comment = tiffin_clean(comment), customer_name =
  tiffin_clean(customer_name), customer_phone = tiffin_clean(customer_phone), note = tiffin_clean(note)
  WHERE tiffin_is_unclean(table_number) OR tiffin_is_unclean(comment) OR tiffin_is_unclean(customer_name) OR
  tiffin_is_unclean(customer_phone) OR tiffin_is_unclean(note);
UPDATE OR IGNORE ai_conversations SET title = tiffin_clean(title)
  WHERE tiffin_is_unclean(title);
UPDATE OR IGNORE ai_messages SET text = tiffin_clean(text)
  WHERE tiffin_is_unclean(text);

-- =========================================================================================================
-- What shuts a door that stood open. Conventions as in V1.

-- ------------------------------------------------------------------------------------------------------------- outlets
-- Digits that a PIN needs to approve with: an outlet of before goes on with the PINs it has.
ALTER TABLE outlets ADD COLUMN approver_pin_min_digits INTEGER NOT NULL DEFAULT 4;

-- -------------------------------------------------------------------------------------------------------------- tables
-- Four digits that a party's later orders carry; null for a party of before, whose orders all wait.
ALTER TABLE table_sessions ADD COLUMN session_code TEXT;
ALTER TABLE table_sessions ADD COLUMN code_failures INTEGER NOT NULL DEFAULT 0;

-- -------------------------------------------------------------------------------------------------------------- orders
ALTER TABLE orders ADD COLUMN guest_key BLOB;            -- of the phone that ordered: the hash of its token

-- =========================================================================================================
-- Where an item's movements are. Conventions as in V1.

-- ---------------------------------------------------------------------------------------------------------- inventory
-- An index of the ledger by item was written on another page for every ingredient of every order, 41 of the 103 pages of an order.
-- Finished dates are filed instead, a date at a time and in the order of the items; what is not filed yet is found by its date.
-- LOCAL. The movements of finished dates by item.
CREATE TABLE stock_filed_movements (
  stock_item_id BLOB NOT NULL,
  at INTEGER NOT NULL,
  movement_id BLOB NOT NULL,
  PRIMARY KEY (stock_item_id, at, movement_id)
) STRICT, WITHOUT ROWID;
-- LOCAL. The last business date that is filed; none before the first.
CREATE TABLE stock_filing (
  outlet_id BLOB PRIMARY KEY NOT NULL,
  through TEXT NOT NULL
) STRICT, WITHOUT ROWID;

INSERT INTO stock_filed_movements (stock_item_id, at, movement_id)
  SELECT stock_item_id, at, id FROM stock_movements ORDER BY stock_item_id, at, id;
INSERT INTO stock_filing (outlet_id, through)
  SELECT outlet_id, max(business_date) FROM stock_movements GROUP BY outlet_id;

-- What comes to a date that is filed (from head office, by a clock that was put back) is filed at once.
CREATE TRIGGER stock_movement_filed AFTER INSERT ON stock_movements
  WHEN NEW.business_date <= (SELECT through FROM stock_filing WHERE outlet_id = NEW.outlet_id)
BEGIN
  INSERT INTO stock_filed_movements (stock_item_id, at, movement_id) VALUES (NEW.stock_item_id, NEW.at, NEW.id);
END;
CREATE TRIGGER stock_movement_unfiled AFTER DELETE ON stock_movements
  WHEN OLD.business_date <= (SELECT through FROM stock_filing WHERE outlet_id = OLD.outlet_id)
BEGIN
  DELETE FROM stock_filed_movements
    WHERE stock_item_id = OLD.stock_item_id AND at = OLD.at AND movement_id = OLD.id;
END;

DROP INDEX stock_movements_by_item;
-- Deliveries, counts and settlements are looked up by item while they are new, and are few.
CREATE INDEX stock_movements_by_item ON stock_movements (stock_item_id, at) WHERE kind <> 'SALE';

-- =========================================================================================================
-- A finished day is claimed, summed up beside the writer, and kept where nothing of it has changed since. Conventions as in V8.

-- ---------------------------------------------------------------------------------------------------------- analytics
-- 0 while the day is only claimed: its figures are not kept yet.
ALTER TABLE analytics_days ADD COLUMN kept INTEGER NOT NULL DEFAULT 1;

-- ================================================================================================================
-- Who is who, and what belongs to whom. Conventions as in V1.

-- ---------------------------------------------------------------------------------------------------------------- auth
-- When the turn of whoever entered a PIN on the device ended: tokens of before are void.
ALTER TABLE sessions ADD COLUMN pin_ended_at INTEGER;

-- --------------------------------------------------------------------------------------------------------- idempotency
-- Whose a key is: a device's at an outlet, not an account's.
ALTER TABLE idempotency RENAME COLUMN account_id TO owner;

-- -------------------------------------------------------------------------------------------------------------- orders
-- What stands on the bill beside the number, which can be guessed; null for an order of before.
ALTER TABLE orders ADD COLUMN receipt_code TEXT;

-- ================================================================================================================
-- What takes food off a bill and money out of a drawer is seen. Conventions as in V1.

-- ------------------------------------------------------------------------------------------------------------- outlets
-- Seconds for which what the kitchen was told of comes off freely, while nothing is started or printed.
ALTER TABLE outlets ADD COLUMN void_grace_seconds INTEGER NOT NULL DEFAULT 60;
-- Whoever counts a drawer is not told what should be in it.
ALTER TABLE outlets ADD COLUMN blind_count INTEGER NOT NULL DEFAULT 1;
-- JSON: {"CASHIER": 20000}: what a role may take out of a drawer alone.
ALTER TABLE outlets ADD COLUMN pay_out_limit_cents TEXT NOT NULL DEFAULT '{"CASHIER":20000}';

-- -------------------------------------------------------------------------------------------------------------- orders
-- VOID, LESS (a smaller quantity) or CANCEL (with the whole order).
ALTER TABLE order_item_voids ADD COLUMN kind TEXT NOT NULL DEFAULT 'VOID';
-- What was thrown away had cost, in millionths of a cent; 0: it went back into stock.
ALTER TABLE order_item_voids ADD COLUMN cost_micros INTEGER NOT NULL DEFAULT 0;

-- ---------------------------------------------------------------------------------------------------------------- cash
ALTER TABLE cash_sessions ADD COLUMN denominations TEXT;       -- JSON: [{"valueCents": 50000, "count": 3}]: how it was counted
-- Pay-outs of more than the drawer held: after two of them somebody has to approve.
ALTER TABLE cash_sessions ADD COLUMN refused_pay_outs INTEGER NOT NULL DEFAULT 0;

-- ================================================================================================================
-- Who a guest is stands in one place, where it can be erased. Conventions as in V1.

-- ------------------------------------------------------------------------------------------------------------- outlets
-- Days after which who a guest was is forgotten.
ALTER TABLE outlets ADD COLUMN guest_data_days INTEGER NOT NULL DEFAULT 365;

-- -------------------------------------------------------------------------------------------------------------- orders
-- Who ordered, or said how it was; id is the order's or the feedback's. No row: nobody said who they are, or it is forgotten.
CREATE TABLE guests (
  id BLOB PRIMARY KEY NOT NULL,
  outlet_id BLOB NOT NULL,
  name TEXT,
  phone TEXT,
  address TEXT,
  erased_at INTEGER                        -- erased by wish: nothing of the above is there any more
) STRICT;
CREATE INDEX guests_erased ON guests (outlet_id, erased_at) WHERE erased_at IS NOT NULL;

-- Not captured: head office's copies do the same, and both read older log rows so (tiffin_common's frame/moved).
INSERT INTO guests (id, outlet_id, name, phone)
  SELECT id, outlet_id, customer_name, customer_phone FROM orders
    WHERE customer_name IS NOT NULL OR customer_phone IS NOT NULL
  UNION ALL SELECT id, outlet_id, customer_name, customer_phone FROM feedback
    WHERE customer_name IS NOT NULL OR customer_phone IS NOT NULL;
ALTER TABLE orders DROP COLUMN customer_name;
ALTER TABLE orders DROP COLUMN customer_phone;
ALTER TABLE feedback DROP COLUMN customer_name;
ALTER TABLE feedback DROP COLUMN customer_phone;

-- ================================================================================================================
-- Which box made a bill can be proved. Conventions as in V1.

-- -------------------------------------------------------------------------------------------------------------- orders
-- The public halves of the keys that the outlet's boxes sign with; a row comes with the first document of its key.
CREATE TABLE signing_keys (
  id BLOB PRIMARY KEY NOT NULL,
  outlet_id BLOB NOT NULL,
  life INTEGER NOT NULL,                   -- of the box's numbers, as it was then
  public_key BLOB NOT NULL,                -- Ed25519
  begun_at INTEGER NOT NULL
) STRICT;
-- Of the document's hash by one of them; null on documents of before.
ALTER TABLE invoices ADD COLUMN signature BLOB;
