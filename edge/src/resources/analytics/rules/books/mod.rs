//! The accountant's reports: the register, India's returns, the journal and what Tally reads of it. Each is made of documents and ledgers
//! alone and sums to them. Never reads anything.

pub mod channels;
pub mod gst;
pub mod journal;
pub mod people;
pub mod portal;
mod register;
mod returns;
mod tally;

pub use register::register;
pub use returns::{cmp08, gstr3b};
pub use tally::tally_xml;
