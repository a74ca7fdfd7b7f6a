//! Head office over HTTP, on SQLite: people, boxes, what may be done at once.

mod enrolment;
mod people;
