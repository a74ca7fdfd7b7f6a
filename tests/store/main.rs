//! What every store of head office must do, whatever it is made of: the same tests over each. Logs are made by hand, so that what
//! a real branch never does is tried too.

#[macro_use]
mod ground;
mod conflicts;
mod convergence;
mod days;
mod feed;
mod log;
mod papers;
mod plans;
mod proof;
mod pushes;
mod recovery;
mod retention;
mod snapshots;
