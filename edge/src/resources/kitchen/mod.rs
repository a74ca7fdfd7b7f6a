//! The kitchen: stations, tickets, and paper (contract section 7). A ticket is a row of the order's
//! own transaction, goes to one station, and is cooked once: splits, merges and moves never make another.
//!
//! Beside the five files of every resource: `displays` (how many follow a station) and `worker` (what happens without a request).

pub mod actions;
mod api;
mod displays;
pub mod rules;
mod store;
pub mod worker;

pub use actions::{language_of, sight};
pub use api::{ShownTicket, shown};
pub use displays::{Watching, heard_of, move_display};
pub use rules::{Holding, KitchenError, Move, Progress, TicketLine, TicketOrder, TicketType};

use crate::access::{Cx, Permission, delete, get, patch, post};
use crate::http::{Path, Query};
use crate::state::Routes;
use actions::Follow;
use rules::Verb;
use tiffin_common::Uuid;

/// `/kitchen`.
pub fn routes(follow: Follow) -> Routes {
    Routes::all([stations(), tickets(follow)])
}

fn stations() -> Routes {
    Routes::group(
        "kitchen",
        [
            get("/kitchen/stations", Permission::KitchenRead, api::list_stations)
                .summary("The kitchen's stations"),
            post("/kitchen/stations", Permission::KitchenWrite, api::create_station)
                .summary("Make a station"),
            get("/kitchen/stations/{id}", Permission::KitchenRead, api::get_station).summary("One station"),
            patch("/kitchen/stations/{id}", Permission::KitchenWrite, api::update_station)
                .summary("Change a station"),
            delete("/kitchen/stations/{id}", Permission::KitchenWrite, api::delete_station)
                .summary("Archive a station without open tickets"),
            post("/kitchen/stations/{id}/ack-all", Permission::KitchenOperate, api::ack_station)
                .summary("Acknowledge whatever nobody has acknowledged at the station"),
            get("/kitchen/all-day", Permission::KitchenRead, api::get_all_day)
                .summary("What is to be cooked, dish by dish"),
            get("/kitchen/orders", Permission::KitchenRead, api::list_expo_orders)
                .summary("The orders at the pass, with a lamp per station"),
            get("/kitchen/stats", Permission::KitchenRead, api::get_stats)
                .summary("Preparation times by station and item"),
        ],
    )
}

fn tickets(follow: Follow) -> Routes {
    let act = move |verb: Verb| {
        move |cx: Cx, Path(id): Path<Uuid>, Query(reading): Query<api::ReadTicket>| async move {
            api::act_on_ticket(cx, id, reading, verb, follow).await
        }
    };
    let act_on_item = move |verb: Verb| {
        move |cx: Cx, Path(ids): Path<(Uuid, Uuid)>, Query(reading): Query<api::ReadTicket>| async move {
            api::act_on_ticket_item(cx, ids, reading, verb, follow).await
        }
    };
    let operate = Permission::KitchenOperate;
    let verbs = [
        post("/kitchen/tickets/{id}/ack", operate, act(Verb::Ack)).summary("A display has shown the ticket"),
        post("/kitchen/tickets/{id}/start", operate, act(Verb::Start)).summary("Cooking begins"),
        post("/kitchen/tickets/{id}/ready", operate, act(Verb::Ready)).summary("Every item is done"),
        post("/kitchen/tickets/{id}/serve", Permission::KitchenServe, act(Verb::Serve))
            .summary("It has gone out"),
        post("/kitchen/tickets/{id}/recall", operate, act(Verb::Recall))
            .summary("Back to the cooks; the order's history stays"),
        post("/kitchen/tickets/{id}/items/{itemId}/start", operate, act_on_item(Verb::Start))
            .summary("Cooking of one item begins"),
        post("/kitchen/tickets/{id}/items/{itemId}/ready", operate, act_on_item(Verb::Ready))
            .summary("One item is done"),
    ];
    let rest = [
        get("/kitchen/tickets", Permission::KitchenRead, api::list_tickets)
            .summary("Tickets in the order they are to be cooked"),
        get("/kitchen/tickets/{id}", Permission::KitchenFollow, api::get_ticket).summary("One ticket"),
        patch("/kitchen/tickets/{id}", operate, api::update_ticket).summary("Change a ticket's priority"),
        post("/kitchen/tickets/{id}/reprint", operate, api::reprint_ticket)
            .summary("A copy marked COPY n, never cooked"),
    ];
    Routes::all([Routes::group("kitchen", rest), Routes::group("kitchen", verbs)])
}
