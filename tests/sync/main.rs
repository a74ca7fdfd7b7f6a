//! What needs both programs: the change log against the tables.

mod capture;
mod worker;
