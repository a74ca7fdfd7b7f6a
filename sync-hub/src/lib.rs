//! The head-office server's library: it takes in what every branch writes, holds the same rows, provably, and publishes menus,
//! prices and staff back. Never edits a row that belongs to a branch.
//!
//! Layers, downwards only; the modules of one do not use each other:
//! bugs, config, derived, live, replay → store → merge, reads, registry, verify → exchange, hub, secrets → desk, opening → state →
//! api, backup, courier, days, noted, retention, screens, upgraded → app, doctor, export → serve → cli.

pub mod api;
pub mod app;
pub mod backup;
pub mod bugs;
pub mod cli;
pub mod config;
pub mod courier;
pub mod days;
pub mod derived;
pub mod desk;
pub mod doctor;
pub mod exchange;
pub mod export;
pub mod hub;
pub mod live;
pub mod merge;
pub mod noted;
pub mod opening;
pub mod reads;
pub mod registry;
pub mod replay;
pub mod retention;
pub mod screens;
pub mod secrets;
pub mod serve;
pub mod state;
pub mod store;
pub mod upgraded;
pub mod verify;
