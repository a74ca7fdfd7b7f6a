//! `/kitchen` over HTTP.

mod overview;
mod stations;
mod stats;
mod tickets;

pub(super) use overview::{ack_station, get_all_day, list_expo_orders};
pub(super) use stations::{create_station, delete_station, get_station, list_stations, update_station};
pub(super) use stats::get_stats;
pub(super) use tickets::{
    ReadTicket, act_on_ticket, act_on_ticket_item, get_ticket, list_tickets, reprint_ticket, update_ticket,
};
pub use tickets::{ShownTicket, shown};

use super::rules::KitchenError;
use crate::http::{Code, Problem};

answered! {
    KitchenError of "record" {
        KitchenError::Transition(why) => Problem::new(Code::InvalidTransition).detail(why),
        KitchenError::Conflict(why) => Problem::new(Code::Conflict).detail(why),
    }
}
