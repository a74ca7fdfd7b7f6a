//! The only SQL over the tables of the exchange, and over rows that come from elsewhere. Never decides anything.

mod log;
mod packs;
mod peer;
mod reviews;
mod rows;
mod scheduled;

pub use log::{LogCheck, check_log};
pub(super) use log::{
    LogRow, delete_confirmed, delete_log, find_first_kept, find_hash, find_head, find_last_of,
    find_last_told, is_in_log, is_own_epoch, list_after, list_epochs, list_old, set_packed,
};
pub use packs::each_archived;
pub(super) use packs::{Pack, delete_packs, find_acked, insert_ack, is_ack_due};
pub(super) use peer::{
    Ack, Peer, Reach, find_peer, insert_peer, set_acked, set_chain_mark, set_digest, set_digest_seq,
    set_feed, set_feed_forgotten, set_hello, set_lacking, set_life_of, set_reach, set_recovered,
    set_reseeded, set_restore, set_standing,
};
pub(super) use reviews::{NewReview, find_review, insert_review, list_reviews, set_resolved};
pub(super) use rows::{
    count_postponed, delete_postponed, delete_reseed, delete_row, delete_settled, each_row, find_account,
    find_counter, find_last_close, find_outlet_card, find_reseed, find_rival, find_shared, find_still_taken,
    find_text, find_told, insert_postponed, insert_reseed, is_paid_as_told, list_accounts, list_buckets,
    list_counters, list_ids, list_outlets, list_pending, list_postponed, set_archived, set_columns,
    set_counter, set_counter_row, set_row,
};
pub(super) use scheduled::{
    Later, find_next_due, is_other_schedule, list_due, list_scheduled, list_withdrawn, set_applied,
    set_scheduled,
};
