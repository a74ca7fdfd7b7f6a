//! Purchase orders: what is ordered from suppliers, what came of it, and how they keep their word. What holds always:
//!
//! - A draft may be changed; what was sent may not. What comes is taken in, also beyond the order, until it is closed.
//! - What has come of a line is the sum of its deliveries' lines, and those are the ledger's receipts.
//! - An invoice of a supplier is taken in once, and entered once; it is held against what came of it.
//! - No more of a batch goes back than came of it.
//! - Numbers run 001, 002 … per outlet and business date.
//!
//! Beside the five files of every resource: `worker` (what happens without a request).

pub mod actions;
mod api;
pub mod rules;
pub mod store;
pub mod worker;

use crate::access::{Permission as P, delete, get, patch, post};
use crate::state::Routes;
use api::{PurchaseOrderDetail, auto, deliveries, invoices, orders, suppliers};
use axum::http::StatusCode;

/// `/purchase-orders`, and what the specification puts under `/inventory` (contract section 8).
pub fn routes() -> Routes {
    Routes::all([inventory_routes(), order_routes()])
}

fn inventory_routes() -> Routes {
    Routes::group(
        "inventory",
        [
            post("/inventory/purchase-orders", P::PurchasingWrite, orders::create_purchase_order)
                .summary("Write a purchase order")
                .typed::<PurchaseOrderDetail>(StatusCode::CREATED),
            get(
                "/inventory/suppliers/{id}/performance",
                P::PurchasingRead,
                suppliers::get_supplier_performance,
            )
            .summary("How a supplier keeps their word: promised against actual"),
            get("/inventory/suppliers/{id}/prices", P::PurchasingRead, suppliers::list_supplier_prices)
                .summary("What a supplier takes, agreed and last, by item"),
        ],
    )
}

fn order_routes() -> Routes {
    Routes::group(
        "purchase-orders",
        [
            get("/purchase-orders", P::PurchasingRead, orders::list_purchase_orders)
                .summary("The outlet's purchase orders, newest first"),
            post("/purchase-orders/auto", P::PurchasingWrite, auto::create_auto_purchase_orders)
                .summary("Draft purchase orders for what is low, one per supplier"),
            get("/purchase-orders/{id}", P::PurchasingRead, orders::get_purchase_order)
                .summary("A purchase order with its items and deliveries"),
            patch("/purchase-orders/{id}", P::PurchasingWrite, orders::update_purchase_order)
                .summary("Change a draft"),
            post("/purchase-orders/{id}/send", P::PurchasingWrite, orders::send_purchase_order)
                .summary("Note that the supplier has it"),
            post("/purchase-orders/{id}/deliveries", P::PurchasingWrite, deliveries::create_delivery)
                .summary("Take a delivery into stock, all of the order or a part"),
            post("/purchase-orders/{id}/returns", P::PurchasingWrite, invoices::create_return)
                .summary("Send something of a delivery back: a debit note"),
            post("/purchase-orders/{id}/invoice", P::PurchasingWrite, invoices::enter_invoice)
                .summary("Enter the supplier's invoice, which is held against what came"),
            post(
                "/purchase-orders/{id}/invoices/{invoiceId}/accept",
                P::PurchasingApprove,
                invoices::accept_invoice,
            )
            .summary("Accept that an invoice is for more or less than came"),
            delete(
                "/purchase-orders/{id}/invoices/{invoiceId}",
                P::PurchasingWrite,
                invoices::delete_invoice,
            )
            .summary("Take an invoice away that was entered wrongly"),
            post("/purchase-orders/{id}/close", P::PurchasingWrite, orders::close_purchase_order)
                .summary("Close a purchase order, whatever came"),
        ],
    )
}
