//! The branch server: the whole API of one restaurant on one SQLite file. Layers, downwards only;
//! the modules of one do not use each other:
//! config, data_dir, log, paper, root → known_bugs, db → exchange, http → access, service_manager, ui → serve, state → resources, secrets →
//! clock, noted, retention, sync → lan, live, space → backup → doctor, export, health → app, restore → cli.

// Everything below knows the macros of rows and bodies.
#[macro_use]
extern crate macro_rules_attribute;
#[macro_use]
pub mod db;
#[macro_use]
pub mod http;

pub mod access;
pub mod app;
pub mod backup;
pub mod cli;
pub mod clock;
pub mod config;
pub mod data_dir;
pub mod doctor;
pub mod exchange;
pub mod export;
pub mod health;
pub mod known_bugs;
pub mod lan;
pub mod live;
pub mod log;
pub mod noted;
pub mod paper;
pub mod resources;
pub mod restore;
pub mod retention;
pub mod root;
pub mod secrets;
pub mod serve;
pub mod service_manager;
pub mod space;
pub mod state;
pub mod sync;
#[cfg(test)]
pub(crate) mod testing;
pub mod ui;
