//! The API over HTTP, one file per resource, against a branch in this process.

mod access;
mod analytics;
mod attendance;
mod audit_log;
mod auth;
mod availability;
mod bad_input;
mod bills;
mod cash;
mod division;
mod documents;
mod employees;
mod feedback;
mod frame;
mod guests;
mod inventory;
mod kitchen;
mod menu;
mod notifications;
mod orders;
mod outlets;
mod stocktakes;
mod tables;
mod tickets;
mod transfers;
mod waste_logs;
