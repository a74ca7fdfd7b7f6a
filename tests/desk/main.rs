//! Head office's master data over HTTP: edited at the desk, published to branches that have some of it already, proven to have arrived,
//! and decided where both ends edited.

mod combos;
mod edits;
mod people;
mod price_lists;
mod prices;
mod retention;
mod settings;
mod site;
mod sizes;
mod texts;
mod weights;
