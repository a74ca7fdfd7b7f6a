//! Tickets: queries of the staff and feedback of guests. What holds always:
//!
//! - Staff see the queries they raised or see to; whoever holds `tickets:manage` sees all. For anybody else a query is not
//!   there.
//! - A closed query is reopened before anything else happens to it. Queries are archived, never deleted.
//! - An order has at most one feedback, and so has a seating when no order is named. What guests write about themselves is
//!   shown to holders of `feedback:manage` only, and is in no notification.

pub mod actions;
mod api;
pub mod rules;
pub mod store;

use crate::access::{Access, Permission, delete, get, patch, post};
use crate::http::limit::Class;
use crate::state::Routes;
use api::{feedback, guests, queries};

/// `/tickets` (contract section 12).
pub fn routes() -> Routes {
    Routes::all([query_routes(), feedback_routes()])
}

fn query_routes() -> Routes {
    Routes::group(
        "tickets",
        [
            get("/tickets", Permission::TicketsRaise, queries::list_tickets)
                .summary("Staff queries the caller may see, newest first"),
            post("/tickets", Permission::TicketsRaise, queries::create_ticket).summary("Raise a staff query"),
            get("/tickets/{id}", Permission::TicketsRaise, queries::get_ticket)
                .summary("A staff query with what was said about it"),
            patch("/tickets/{id}", Permission::TicketsRaise, queries::update_ticket)
                .summary("Change, assign, settle or reopen a staff query"),
            delete("/tickets/{id}", Permission::TicketsManage, queries::delete_ticket)
                .summary("Archive a staff query"),
            get("/tickets/{id}/comments", Permission::TicketsRaise, queries::list_ticket_comments)
                .summary("What was said about a staff query, oldest first"),
            post("/tickets/{id}/comments", Permission::TicketsRaise, queries::create_ticket_comment)
                .summary("Say something about a staff query"),
        ],
    )
}

fn feedback_routes() -> Routes {
    Routes::group(
        "tickets",
        [
            post("/tickets/feedback", Access::Public, guests::create_feedback)
                .summary("A guest's feedback about an order, a table or the restaurant")
                .creates::<guests::FeedbackGiven>()
                .limited(Class::Feedback),
            get("/tickets/feedback", Permission::FeedbackManage, feedback::list_feedback)
                .summary("What guests said, newest first"),
            get("/tickets/feedback/summary", Permission::FeedbackManage, feedback::get_feedback_summary)
                .summary("What guests said, in figures"),
            get("/tickets/feedback/{id}", Permission::FeedbackManage, feedback::get_feedback)
                .summary("One guest's feedback"),
            patch("/tickets/feedback/{id}", Permission::FeedbackManage, feedback::update_feedback)
                .summary("Note how feedback is followed up"),
        ],
    )
}
