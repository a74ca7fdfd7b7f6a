//! Orders: from the first line to the last state. What holds always:
//!
//! - Numbers are made in the order's own transaction: no gap, no repeat; an id and not a number is its identity.
//! - Every amount follows from lines, discounts and the terms of the moment it was taken; everything adds up to the cent.
//! - Lines are added, taken off and changed one by one; nobody ever replaces an order, and a void is a row of its own.
//! - What a line took from stock goes back to the same batches once, or becomes waste once; the kitchen gets each line once.
//! - A closed order never changes, but where a payment did not hold; a billed one is put right by entries of their own dates.

pub mod actions;
mod api;
pub mod rules;
pub mod store;
pub mod worker;

pub use api::guests::{Guest, shown_to_guest, sitting};
pub use api::receipts::page as receipt_page;
pub use api::view::{ShownOrder, shown};

use crate::access::{Access, Permission, delete, get, patch, post};
use crate::http::limit::Class;
use crate::state::Routes;
use api::{
    amend, bills, changes, division, entries, floor, guests, list, money, place, quote, receipts,
    service_charge, slips, table_menu, tables, view,
};
use axum::http::StatusCode;

/// `/orders` and the moves of tables (contract sections 5 and 6).
pub fn routes() -> Routes {
    Routes::all([order_routes(), money_routes(), guest_routes(), table_routes()])
}

fn order_routes() -> Routes {
    Routes::group(
        "orders",
        [
            get("/orders", Permission::OrdersRead, list::list_orders)
                .summary("The outlet's orders, newest first")
                .typed::<list::OrderList>(StatusCode::OK),
            post("/orders", Permission::OrdersCreate, place::create_order)
                .summary("Take an order: deducts its stock and sends its kitchen tickets")
                .typed::<view::OrderDetail>(StatusCode::CREATED),
            post("/orders/quote", Permission::OrdersCreate, quote::quote_order)
                .summary("What an order would cost; writes nothing"),
            get("/orders/{orderId}", Permission::OrdersRead, list::get_order)
                .summary("One order with its lines and ledgers")
                .typed::<view::OrderDetail>(StatusCode::OK),
            patch("/orders/{orderId}", Permission::OrdersUpdate, amend::update_order)
                .summary("Change its type, table, guests, note or time"),
            get("/orders/{orderId}/trace", Permission::OrdersRead, changes::get_order_trace)
                .summary("Which batches and suppliers went into an order"),
            post("/orders/{orderId}/items", Permission::OrdersUpdate, place::create_order_items)
                .summary("Add lines: the kitchen gets only these"),
            patch("/orders/{orderId}/items/{itemId}", Permission::OrdersUpdate, changes::update_order_item)
                .summary("Change a line; fewer of what the kitchen was told of needs orders:void or an approver's PIN"),
            post("/orders/{orderId}/items/{itemId}/void", Permission::OrdersUpdate, changes::void_order_item)
                .summary("Take portions off a line; needs orders:void or an approver's PIN once the kitchen was told"),
            post("/orders/{orderId}/discounts", Permission::OrdersDiscount, changes::create_order_discount)
                .summary("Give a discount; above the role's limit with an approver's PIN"),
            delete(
                "/orders/{orderId}/discounts/{discountId}",
                Permission::OrdersDiscount,
                changes::delete_order_discount,
            )
            .summary("Take a discount off"),
            patch("/orders/{orderId}/status", Permission::OrdersStatus, changes::update_order_status).summary(
                "Set the state of an order; cancelling needs orders:cancel, and orders:void once the kitchen was told, or an approver's PIN",
            ),
            post(
                "/orders/{orderId}/service-charge",
                Permission::OrdersUpdate,
                service_charge::create_service_charge,
            )
            .summary("Put the outlet's service charge on an order"),
            delete(
                "/orders/{orderId}/service-charge",
                Permission::OrdersUpdate,
                service_charge::delete_service_charge,
            )
            .summary("Take the service charge off, with a reason"),
            post("/orders/{orderId}/fire", Permission::OrdersUpdate, changes::fire_course)
                .summary("Release a held course to the kitchen"),
        ],
    )
}

fn money_routes() -> Routes {
    Routes::group(
        "orders",
        [
            post("/orders/{orderId}/payments", Permission::PaymentsTake, money::create_payment)
                .summary("Take a payment, in part or whole"),
            post("/orders/{orderId}/refunds", Permission::PaymentsTake, money::create_refund)
                .summary("Give money back with a credit note; needs refunds:make or an approver's PIN"),
            post("/orders/{orderId}/payments/{paymentId}/correct", Permission::PaymentsTake, money::correct_payment).summary(
                "Put method, tip or reference of a payment right; all but a new tip needs refunds:make or an approver's PIN",
            ),
            post("/orders/{orderId}/payments/{paymentId}/reverse", Permission::PaymentsTake, money::reverse_payment).summary(
                "Take a payment back that did not hold: it is due again; needs refunds:make or an approver's PIN",
            ),
            post("/orders/{orderId}/credit-note", Permission::PaymentsTake, money::create_credit_note).summary(
                "Take something off a bill that is not paid; needs refunds:make or an approver's PIN",
            ),
            post("/orders/{orderId}/write-off", Permission::PaymentsTake, money::write_order_off).summary(
                "Give up what is due of a bill: bad debt, its tax stays; needs refunds:make or an approver's PIN",
            ),
            post("/orders/{orderId}/invoice", Permission::PaymentsTake, bills::create_invoice)
                .summary("Make the bill; from then on the lines are frozen")
                .or_found(),
            post("/orders/{orderId}/slip/return", Permission::PaymentsTake, slips::create_slip_return).summary(
                "Enter what the operator of a channel gave back; needs refunds:make or an approver's PIN",
            ),
            post("/orders/{orderId}/invoice/withdraw", Permission::PaymentsTake, bills::withdraw_invoice)
                .summary("Take an unpaid bill back; needs refunds:make or an approver's PIN"),
            get("/orders/{orderId}/receipt", Permission::OrdersRead, receipts::get_receipt)
                .summary("The bill on paper; a preview where it has not been made")
                .returns::<receipts::ReceiptPage>()
                .or_produces(&["text/html", "text/plain", "application/octet-stream"]),
            post("/orders/{orderId}/receipt/print", Permission::OrdersUpdate, receipts::print_receipt)
                .summary("Print the bill; every one after the first says COPY n"),
            get("/orders/payments", Permission::AnalyticsRead, entries::list_money).summary(
                "Money that moved, entry by entry: payments, corrections, refunds, write-offs; newest first",
            ),
            get("/orders/invoices", Permission::PaymentsRead, bills::list_invoices)
                .summary("Bills and credit notes, newest first"),
            get("/orders/invoices/verify", Permission::PaymentsRead, bills::verify_invoices)
                .summary("Prove that no bill is missing and none was changed")
                .may_conflict(),
            get("/orders/invoices/{id}", Permission::PaymentsRead, bills::get_invoice)
                .summary("One bill or credit note as it was made"),
            get("/orders/invoices/{id}/receipt", Permission::PaymentsRead, receipts::get_document)
                .summary("A bill or credit note on paper")
                .returns::<receipts::ReceiptPage>()
                .or_produces(&["text/html", "text/plain", "application/octet-stream"]),
            post("/orders/invoices/{id}/print", Permission::OrdersUpdate, receipts::print_document)
                .summary("Print a bill or credit note; every one after the first says COPY n"),
            post("/orders/{orderId}/split", Permission::OrdersUpdate, division::split_order)
                .summary("Divide an order by items, by seats, or what is due equally"),
            post("/orders/{orderId}/merge", Permission::OrdersUpdate, division::merge_orders)
                .summary("Put other orders into this one"),
        ],
    )
}

fn guest_routes() -> Routes {
    Routes::group(
        "orders",
        [
            get("/orders/tables/{token}/menu", Access::Public, table_menu::get_table_menu)
                .summary("The menu behind a table's QR code; answers 304 to a current If-None-Match")
                .returns::<table_menu::GuestMenu>()
                .limited(Class::QrMenu),
            post("/orders/tables/{token}/orders", Access::Public, guests::create_table_order)
                .summary("A guest orders at the menu's prices")
                .creates::<guests::GuestOrder>()
                .limited(Class::QrOrder),
            post("/orders/tables/{token}/quote", Access::Public, quote::quote_table_order)
                .summary("What a guest's order would cost; writes nothing")
                .limited(Class::QrMenu),
            post("/orders/tables/{token}/call", Access::Public, guests::call_staff)
                .summary("A guest calls the waiter, or asks for the bill")
                .limited(Class::QrCall),
            get("/orders/tables/{token}/orders", Access::Public, guests::list_table_orders)
                .summary("What the present party at the table ordered")
                .limited(Class::QrOrder),
        ],
    )
}

fn table_routes() -> Routes {
    Routes::group(
        "tables",
        [
            get("/floor", Permission::TablesRead, floor::get_floor)
                .summary("Tables with their parties and open orders, and how far the kitchen is"),
            post("/tables/{id}/transfer", Permission::TablesOperate, tables::transfer_table)
                .summary("Move a party to a free table"),
            post("/tables/{id}/merge", Permission::TablesOperate, tables::merge_tables)
                .summary("Put parties together at one table"),
        ],
    )
}
