//! The exchange between real processes: head offices that share one PostgreSQL and many outlets at once, and the bad network that
//! other tests put between them.

mod counted;
mod killed;
mod network;
mod office;
mod reconnect;
mod replaced;
mod site;
