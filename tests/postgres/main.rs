//! The hub on PostgreSQL: what only that store has. Starts clusters of its own; never passes without one.

mod cluster;
mod days;
mod exchange;
mod layouts;
mod links;
mod schema;
mod store;
mod texts;
