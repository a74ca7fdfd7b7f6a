//! `/kitchen` over HTTP.

mod stations;
mod stats;
mod tickets;

pub use stations::{CreateStation, KitchenStation, UpdateStation};
pub(super) use stations::{create_station, delete_station, get_station, list_stations, update_station};
pub(super) use stats::get_stats;
pub use stats::{GetStats, KitchenStats};
pub use tickets::{KitchenTicket, ListTickets, UpdateTicket};
pub(super) use tickets::{
    act_on_ticket, act_on_ticket_item, get_ticket, list_tickets, reprint_ticket, station_of, update_ticket,
};

use super::rules::KitchenError;
use crate::http::{Code, Problem};

impl From<KitchenError> for Problem {
    fn from(error: KitchenError) -> Self {
        match error {
            KitchenError::NotFound(what) => Problem::not_found(what),
            KitchenError::Stale(version) => {
                Problem::new(Code::StaleVersion).detail(format!("The record is at version {version}"))
            }
            KitchenError::Invalid(fields) => Problem::invalid(fields),
            KitchenError::Transition(why) => Problem::new(Code::InvalidTransition).detail(why),
            KitchenError::Conflict(why) => Problem::new(Code::Conflict).detail(why),
            KitchenError::Db(error) => error.into(),
        }
    }
}
