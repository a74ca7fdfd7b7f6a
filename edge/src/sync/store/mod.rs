//! The only SQL over the tables of the exchange, and over rows that come from elsewhere. Never decides anything.

mod log;
mod packs;
mod peer;
mod reviews;
mod rows;

pub use log::{LogCheck, check_log};
pub(super) use log::{
    LogRow, hash_at, head, kept_from, last_proposal, log_after, newest_epochs, old_rows, prune_log, put,
};
pub use packs::each_archived;
pub(super) use packs::{Pack, acked_before, drop_packs, is_ack_due, note_ack};
pub(super) use peer::{
    Ack, Peer, Reach, adopt, forget_feed, peer, save_ack, save_digest, save_feed, save_hello, save_reach,
    save_recovered, save_restore, set_digest_seq, set_standing,
};
pub(super) use reviews::{NewReview, find_review, review, reviews, set_resolved};
pub(super) use rows::{
    Later, account_of, accounts_of_employee, archive, counter, counters, delete_row, due, each_row, ids_of,
    is_other_schedule, is_paid_as_told, last_close, next_due, outlet_card, outlets, pending, postpone,
    postponed, raise_counter, raise_counter_row, replace_scheduled, rival, set_columns, settle_proposals,
    settled, text_of, unpostpone, write_row,
};
