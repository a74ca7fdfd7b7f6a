//! Everything that goes over HTTP, and what needs both programs: the change log against the tables.

#[cfg(test)]
mod capture;
