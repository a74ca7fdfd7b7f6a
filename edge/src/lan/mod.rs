//! The box in its local network: the addresses and the name it is found by, TLS of its own making, the pages that a person with
//! a phone or tablet needs (setup, certificate, sheet, pairing). Never decides anything about orders, money or stock.

pub mod addresses;
pub mod certificate;
pub mod guests;
mod html;
pub mod mdns;
pub mod pages;
pub mod pairing;
pub mod reach;
pub mod receipts;
pub mod screens;
pub mod setup;
pub mod sheet;
pub mod tls;

pub use pages::{Pages, disown};
pub use reach::Reach;
