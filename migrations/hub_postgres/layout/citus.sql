-- Spreads the tables over the servers of a Citus cluster, by outlet: all rows of an outlet lie on one server, so that its unit of work,
-- and every question about it, stays there. After `sync-hub init` and before the first box is enrolled, as the database's owner:
--   psql "$DATABASE_URL" -f citus.sql
-- What it relies on is held by tests: every primary and unique key of these tables begins with outlet_id, and there is no foreign key.
-- The hub's other tables (users, boxes, publications) stay on the coordinator.

CREATE EXTENSION IF NOT EXISTS citus;

SELECT create_distributed_table('merged.rooms', 'outlet_id');
SELECT create_distributed_table('merged.outlets', 'outlet_id', colocate_with => 'merged.rooms');
SELECT create_distributed_table('merged.audit_log', 'outlet_id', colocate_with => 'merged.rooms');
SELECT create_distributed_table('merged.notifications', 'outlet_id', colocate_with => 'merged.rooms');
SELECT create_distributed_table('merged.employees', 'outlet_id', colocate_with => 'merged.rooms');
SELECT create_distributed_table('merged.employee_wages', 'outlet_id', colocate_with => 'merged.rooms');
SELECT create_distributed_table('merged.employee_documents', 'outlet_id', colocate_with => 'merged.rooms');
SELECT create_distributed_table('merged.accounts', 'outlet_id', colocate_with => 'merged.rooms');
SELECT create_distributed_table('merged.account_outlets', 'outlet_id', colocate_with => 'merged.rooms');
SELECT create_distributed_table('merged.tax_categories', 'outlet_id', colocate_with => 'merged.rooms');
SELECT create_distributed_table('merged.menu_categories', 'outlet_id', colocate_with => 'merged.rooms');
SELECT create_distributed_table('merged.menu_items', 'outlet_id', colocate_with => 'merged.rooms');
SELECT create_distributed_table('merged.modifier_groups', 'outlet_id', colocate_with => 'merged.rooms');
SELECT create_distributed_table('merged.modifier_options', 'outlet_id', colocate_with => 'merged.rooms');
SELECT create_distributed_table('merged.menu_item_modifier_groups', 'outlet_id', colocate_with => 'merged.rooms');
SELECT create_distributed_table('merged.menu_availability', 'outlet_id', colocate_with => 'merged.rooms');
SELECT create_distributed_table('merged.menu_prices', 'outlet_id', colocate_with => 'merged.rooms');
SELECT create_distributed_table('merged.dining_tables', 'outlet_id', colocate_with => 'merged.rooms');
SELECT create_distributed_table('merged.table_sessions', 'outlet_id', colocate_with => 'merged.rooms');
SELECT create_distributed_table('merged.suppliers', 'outlet_id', colocate_with => 'merged.rooms');
SELECT create_distributed_table('merged.stock_items', 'outlet_id', colocate_with => 'merged.rooms');
SELECT create_distributed_table('merged.stock_batches', 'outlet_id', colocate_with => 'merged.rooms');
SELECT create_distributed_table('merged.stock_movements', 'outlet_id', colocate_with => 'merged.rooms');
SELECT create_distributed_table('merged.recipes', 'outlet_id', colocate_with => 'merged.rooms');
SELECT create_distributed_table('merged.recipe_ingredients', 'outlet_id', colocate_with => 'merged.rooms');
SELECT create_distributed_table('merged.stocktakes', 'outlet_id', colocate_with => 'merged.rooms');
SELECT create_distributed_table('merged.stocktake_lines', 'outlet_id', colocate_with => 'merged.rooms');
SELECT create_distributed_table('merged.stock_transfers', 'outlet_id', colocate_with => 'merged.rooms');
SELECT create_distributed_table('merged.stock_transfer_lines', 'outlet_id', colocate_with => 'merged.rooms');
SELECT create_distributed_table('merged.stock_transfer_receipts', 'outlet_id', colocate_with => 'merged.rooms');
SELECT create_distributed_table('merged.stock_transfer_receipt_lines', 'outlet_id', colocate_with => 'merged.rooms');
SELECT create_distributed_table('merged.waste_logs', 'outlet_id', colocate_with => 'merged.rooms');
SELECT create_distributed_table('merged.kitchen_stations', 'outlet_id', colocate_with => 'merged.rooms');
SELECT create_distributed_table('merged.kitchen_tickets', 'outlet_id', colocate_with => 'merged.rooms');
SELECT create_distributed_table('merged.kitchen_ticket_items', 'outlet_id', colocate_with => 'merged.rooms');
SELECT create_distributed_table('merged.counters', 'outlet_id', colocate_with => 'merged.rooms');
SELECT create_distributed_table('merged.orders', 'outlet_id', colocate_with => 'merged.rooms');
SELECT create_distributed_table('merged.order_items', 'outlet_id', colocate_with => 'merged.rooms');
SELECT create_distributed_table('merged.order_item_modifiers', 'outlet_id', colocate_with => 'merged.rooms');
SELECT create_distributed_table('merged.order_item_voids', 'outlet_id', colocate_with => 'merged.rooms');
SELECT create_distributed_table('merged.order_status_history', 'outlet_id', colocate_with => 'merged.rooms');
SELECT create_distributed_table('merged.order_discounts', 'outlet_id', colocate_with => 'merged.rooms');
SELECT create_distributed_table('merged.order_taxes', 'outlet_id', colocate_with => 'merged.rooms');
SELECT create_distributed_table('merged.payments', 'outlet_id', colocate_with => 'merged.rooms');
SELECT create_distributed_table('merged.refunds', 'outlet_id', colocate_with => 'merged.rooms');
SELECT create_distributed_table('merged.refund_items', 'outlet_id', colocate_with => 'merged.rooms');
SELECT create_distributed_table('merged.invoices', 'outlet_id', colocate_with => 'merged.rooms');
SELECT create_distributed_table('merged.cash_sessions', 'outlet_id', colocate_with => 'merged.rooms');
SELECT create_distributed_table('merged.cash_movements', 'outlet_id', colocate_with => 'merged.rooms');
SELECT create_distributed_table('merged.day_closes', 'outlet_id', colocate_with => 'merged.rooms');
SELECT create_distributed_table('merged.purchase_orders', 'outlet_id', colocate_with => 'merged.rooms');
SELECT create_distributed_table('merged.purchase_order_lines', 'outlet_id', colocate_with => 'merged.rooms');
SELECT create_distributed_table('merged.purchase_deliveries', 'outlet_id', colocate_with => 'merged.rooms');
SELECT create_distributed_table('merged.purchase_delivery_lines', 'outlet_id', colocate_with => 'merged.rooms');
SELECT create_distributed_table('merged.shifts', 'outlet_id', colocate_with => 'merged.rooms');
SELECT create_distributed_table('merged.shift_swaps', 'outlet_id', colocate_with => 'merged.rooms');
SELECT create_distributed_table('merged.attendances', 'outlet_id', colocate_with => 'merged.rooms');
SELECT create_distributed_table('merged.attendance_records', 'outlet_id', colocate_with => 'merged.rooms');
SELECT create_distributed_table('merged.attendance_corrections', 'outlet_id', colocate_with => 'merged.rooms');
SELECT create_distributed_table('merged.leave_requests', 'outlet_id', colocate_with => 'merged.rooms');
SELECT create_distributed_table('merged.leave_entitlements', 'outlet_id', colocate_with => 'merged.rooms');
SELECT create_distributed_table('merged.tickets', 'outlet_id', colocate_with => 'merged.rooms');
SELECT create_distributed_table('merged.ticket_comments', 'outlet_id', colocate_with => 'merged.rooms');
SELECT create_distributed_table('merged.feedback', 'outlet_id', colocate_with => 'merged.rooms');
SELECT create_distributed_table('merged.sync_reviews', 'outlet_id', colocate_with => 'merged.rooms');
SELECT create_distributed_table('merged.portion_needs', 'outlet_id', colocate_with => 'merged.rooms');
SELECT create_distributed_table('hub.hub_state', 'outlet_id', colocate_with => 'merged.rooms');
