//! Known bugs, put back one at a time: the simulation must find each. A test here passes when something is wrong.

use crate::branches::{self, Trouble};
use crate::light;
use edge::sync;
use sync_hub::merge::Faults;

/// Seeds after which a bug counts as not found.
const TRIES: u64 = 12;

/// Fails unless some seed shows that something is wrong.
#[track_caller]
fn is_found(bug: &str, simulate: impl Fn(u64) -> Vec<String>) {
    let found = (1..=TRIES).find_map(|seed| {
        let problems = simulate(seed);
        (!problems.is_empty()).then_some((seed, problems))
    });
    match found {
        Some((seed, problems)) => println!("{bug}: found with seed {seed}: {}", problems[0]),
        None => panic!("{bug}: {TRIES} seeds found nothing wrong"),
    }
}

#[test]
fn a_cursor_that_is_committed_before_the_rows() {
    let faults = Faults { cursor_before_write: true, ..Faults::default() };
    is_found("cursor before write", |seed| light::storm(seed, faults));
}

#[test]
fn a_raw_log_and_rows_that_are_committed_apart() {
    let faults = Faults { rows_apart: true, ..Faults::default() };
    is_found("rows apart", |seed| light::storm(seed, faults));
}

/// The simulation with branches, with a bug of theirs.
fn at_a_branch(bug: &str, faults: sync::Faults, troubles: &[Trouble]) {
    is_found(bug, |seed| branches::storm(seed, faults, Faults::default(), troubles));
}

#[test]
fn a_failed_push_that_waits_for_the_next_write() {
    let faults = sync::Faults { no_retry_timer: true, ..Default::default() };
    at_a_branch("no retry timer", faults, &[Trouble::Crash]);
}

#[test]
fn a_log_that_is_deleted_once_it_is_confirmed() {
    let faults = sync::Faults { ack_deletes_log: true, ..Default::default() };
    at_a_branch("confirmed means deleted", faults, &[Trouble::OldOffice, Trouble::OldOfficeUnnoticed]);
}

#[test]
fn a_lost_draft_that_overwrites_a_paid_order() {
    let faults = sync::Faults { recovery_overwrites: true, ..Default::default() };
    at_a_branch("recovery overwrites", faults, &[Trouble::OldBranch]);
}

#[test]
fn a_feed_cursor_that_is_kept_before_the_rows() {
    let faults = sync::Faults { cursor_before_write: true, ..Default::default() };
    at_a_branch("feed cursor before the rows", faults, &[Trouble::Edits]);
}

#[test]
fn a_feed_in_the_order_of_a_sequence() {
    let hub = Faults { sequence_feed: true, ..Faults::default() };
    is_found("sequence-ordered feed", |seed| {
        branches::storm(seed, sync::Faults::default(), hub, &[Trouble::Edits])
    });
}

#[test]
fn duplicates_that_are_taken_for_known_unseen() {
    let faults = Faults { no_duplicate_check: true, ..Faults::default() };
    assert!(
        crate::world::outside(crate::protocol::another_history_is_taken(faults)),
        "no duplicate check: not found"
    );
}
