//! Known bugs, put back one at a time: the simulation must find each. A test here passes when something is wrong.

use crate::branches;
use crate::light;
use crate::mistakes::{self, Mistakes};
use crate::transfers;
use crate::troubles::Trouble;
use edge::sync::{self, Settings};
use std::time::Duration;

/// Seeds after which a bug counts as not found.
const TRIES: u64 = 12;

/// Fails unless some seed shows that something is wrong.
#[track_caller]
fn is_found(bug: &str, simulate: impl Fn(u64) -> Vec<String>) {
    is_found_first(bug, 1, simulate);
}

/// The same, beginning with the seed that found it last.
#[track_caller]
fn is_found_first(bug: &str, first: u64, simulate: impl Fn(u64) -> Vec<String>) {
    let others = (1..=TRIES).filter(|seed| *seed != first);
    let found = std::iter::once(first).chain(others).find_map(|seed| {
        let problems = simulate(seed);
        (!problems.is_empty()).then_some((seed, problems))
    });
    match found {
        Some((seed, problems)) => println!("{bug}: found with seed {seed}: {}", problems[0]),
        None => panic!("{bug}: {TRIES} seeds found nothing wrong"),
    }
}

/// Head office with some of its bugs.
macro_rules! office {
    ($bug:ident) => {
        Mistakes {
            office: |hub| hub.with_bugs(sync_hub::bugs::Bugs { $bug: true, ..Default::default() }),
            ..mistakes::NONE
        }
    };
}

/// Branches with some of theirs.
macro_rules! branch {
    ($($bug:ident),+) => {
        Mistakes {
            branch: |settings| Settings { bugs: sync::Bugs { $($bug: true,)+ ..Default::default() }, ..settings },
            ..mistakes::NONE
        }
    };
}

#[test]
fn a_cursor_that_is_committed_before_the_rows() {
    is_found("cursor before write", |seed| light::storm(seed, office!(cursor_before_write)));
}

#[test]
fn a_raw_log_and_rows_that_are_committed_apart() {
    is_found("rows apart", |seed| light::storm(seed, office!(rows_apart)));
}

#[test]
fn a_failed_push_that_waits_for_the_next_write() {
    // The row of a digest is such a write: none comes while both ends are waited for.
    let quiet = Mistakes {
        branch: |settings| {
            let settings = (branch!(no_retry_timer).branch)(settings);
            Settings { digest_every: Duration::from_secs(86_400), ..settings }
        },
        ..mistakes::NONE
    };
    let storm = |seed| branches::storm(seed, quiet, &[Trouble::Crash]);
    is_found_first("no retry timer", 3, storm);
}

#[test]
fn a_log_that_is_deleted_once_it_is_confirmed() {
    let troubles = [Trouble::OldOffice, Trouble::OldOfficeUnnoticed];
    is_found("confirmed means deleted", |seed| branches::storm(seed, branch!(ack_deletes_log), &troubles));
}

#[test]
fn a_lost_draft_that_overwrites_a_paid_order() {
    let storm = |seed| branches::storm(seed, branch!(recovery_overwrites), &[Trouble::OldBranch]);
    is_found("recovery overwrites", storm);
}

#[test]
fn a_number_that_takes_a_sale_out_of_both_ledgers() {
    let storm = |seed| branches::storm(seed, branch!(numbers_refuse_rows), &[Trouble::OldBranch]);
    is_found("numbers refuse rows", storm);
}

#[test]
fn a_box_that_goes_back_over_rows_that_came_in_between() {
    is_found("stale grant", |seed| branches::storm(seed, office!(stale_grant), &[Trouble::Stray]));
}

#[test]
fn a_memory_that_goes_on_with_its_process_start() {
    is_found("memory goes on", |seed| branches::storm(seed, branch!(memory_goes_on), &[Trouble::Memory]));
}

#[test]
fn a_memory_that_goes_on_once_its_machine_was_started_again() {
    let troubles = [Trouble::Memory, Trouble::Crash, Trouble::Cut];
    let storm = |seed| branches::storm(seed, branch!(parts_while_it_runs), &troubles);
    is_found_first("parts while it runs", 4, storm);
}

#[test]
fn a_feed_cursor_that_is_kept_before_the_rows() {
    let storm = |seed| branches::storm(seed, branch!(cursor_before_write), &[Trouble::Edits]);
    is_found("feed cursor before the rows", storm);
}

#[test]
fn a_head_office_that_does_not_take_back_what_it_has_forgotten() {
    let troubles = [Trouble::OldOffice, Trouble::OldOfficeUnnoticed];
    is_found("no refill", |seed| branches::storm(seed, office!(no_refill), &troubles));
}

#[test]
fn what_was_forgotten_and_counts_as_edited_when_it_comes_back() {
    let troubles = [Trouble::Replaced, Trouble::OldOffice, Trouble::OldOfficeUnnoticed];
    is_found("refill is an edit", |seed| branches::storm(seed, office!(refill_is_an_edit), &troubles));
}

#[test]
fn a_part_of_the_feed_that_is_told_with_no_version() {
    let storm = |seed| branches::storm(seed, branch!(part_of_no_version), &[Trouble::Parts]);
    is_found_first("part of no version", 3, storm);
}

#[test]
fn a_list_of_all_rows_that_counts_before_head_office_has_heard_of_all() {
    let troubles = [Trouble::OldOffice, Trouble::OldOfficeUnnoticed];
    // Whoever waits for the greeting gives the push its time, too.
    let both = branch!(reset_before_told, list_before_greeting);
    is_found_first("reset before told", 5, |seed| branches::storm(seed, both, &troubles));
}

#[test]
fn a_change_that_is_taken_back_without_a_word_to_who_holds_it() {
    is_found_first("cancel is silent", 4, |seed| {
        branches::storm(seed, office!(cancel_is_silent), &[Trouble::Cancels])
    });
}

#[test]
fn a_change_that_takes_effect_by_the_branchs_own_clock() {
    is_found("own clock", |seed| branches::storm(seed, branch!(own_clock), &[Trouble::Cancels]));
}

#[test]
fn a_late_greeting_that_ends_the_doubt() {
    let troubles = [Trouble::Cancels, Trouble::Parts];
    is_found_first("any greeting counts", 8, |seed| {
        branches::storm(seed, office!(any_greeting_counts), &troubles)
    });
}

#[test]
fn a_feed_in_the_order_of_a_sequence() {
    // A digest would show what the feed has passed over, and bring it again.
    let sequence = Mistakes {
        branch: |settings| Settings { digest_every: Duration::from_secs(86_400), ..settings },
        ..office!(sequence_feed)
    };
    let storm = |seed| branches::storm(seed, sequence, &[Trouble::Edits]);
    is_found_first("sequence-ordered feed", 3, storm);
}

#[test]
fn a_head_office_that_misses_what_its_own_upgrade_brought() {
    let storm = |seed| branches::storm(seed, office!(new_columns_are_empty), &[Trouble::Upgrade]);
    is_found_first("new columns are empty", 4, storm);
}

#[test]
fn duplicates_that_are_taken_for_known_unseen() {
    let taken = crate::protocol::another_history_is_taken(office!(no_duplicate_check));
    assert!(crate::world::outside(taken), "no duplicate check: not found");
}

#[test]
fn rows_of_the_feed_that_are_written_over_what_was_edited_here() {
    let storm = |seed| branches::storm(seed, branch!(pull_overwrites_pending), &[Trouble::Both]);
    is_found("pull overwrites pending", storm);
}

#[test]
fn a_feed_that_goes_on_past_what_was_edited_here() {
    let storm = |seed| branches::storm(seed, branch!(pull_past_pending), &[Trouble::Both]);
    is_found("pull past pending", storm);
}

#[test]
fn an_edit_that_wins_by_the_clock_on_the_wall() {
    is_found("wall clock wins", |seed| branches::storm(seed, office!(wall_clock_wins), &[Trouble::Ahead]));
}

#[test]
fn a_box_that_gives_out_the_numbers_of_the_one_before_it() {
    let storm = |seed| branches::storm(seed, branch!(replaced_box_counts_on), &[Trouble::Replaced]);
    is_found("replaced box counts on", storm);
}

#[test]
fn what_a_box_left_behind_had_and_nobody_keeps() {
    let storm = |seed| branches::storm(seed, office!(salvage_is_dropped), &[Trouble::Replaced]);
    is_found("salvage is dropped", storm);
}

#[test]
fn what_was_sent_for_review_before_head_office_was_put_back() {
    let troubles = [Trouble::Replaced, Trouble::OldOffice, Trouble::OldOfficeUnnoticed];
    is_found("review is remembered", |seed| branches::storm(seed, branch!(review_is_remembered), &troubles));
}

#[test]
fn a_lack_that_nobody_is_told_of() {
    is_found("lack is silent", |seed| branches::storm(seed, branch!(lack_is_silent), &[Trouble::Months]));
}

#[test]
fn a_log_that_is_let_go_of_by_the_boxs_own_clock() {
    let storm = |seed| branches::storm(seed, branch!(prunes_by_own_clock), &[Trouble::Races]);
    is_found("prunes by own clock", storm);
}

#[test]
fn an_alarm_that_is_written_with_every_push() {
    let storm = |seed| branches::storm(seed, branch!(alarm_with_every_push), &[Trouble::DamageAgain]);
    is_found("alarm with every push", storm);
}

#[test]
fn a_transfer_that_ends_as_its_sender_says() {
    let sending = |seed| transfers::sending(seed, office!(recall_decides), &[Trouble::Cut]);
    is_found("recall decides", sending);
}

#[test]
fn a_transfer_that_is_delivered_twice() {
    let sending = |seed| transfers::sending(seed, office!(delivered_twice), &[Trouble::Crash]);
    is_found("delivered twice", sending);
}

#[test]
fn a_transfer_that_comes_to_the_shelves_of_two_lives() {
    let troubles = [Trouble::Replaced, Trouble::Restocked];
    let sending = |seed| transfers::sending(seed, branch!(transfers_come_twice), &troubles);
    is_found_first("transfers come twice", 2, sending);
}
