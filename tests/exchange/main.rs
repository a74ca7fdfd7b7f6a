//! The exchange between real processes: head offices that share one PostgreSQL and many outlets at once, and the bad network that
//! other tests put between them; and its messages, as every version sends them.

mod answered;
mod cancelled;
mod counted;
mod erased;
mod golden;
mod half_filled;
mod killed;
mod lately;
mod network;
mod numbers;
mod office;
mod price_lists;
mod put_back;
mod reconnect;
mod replaced;
mod reseeded;
mod salvaged;
mod settings;
mod site;
mod size;
mod suspect;
mod transfers;
mod withdrawn;
mod zeros;
