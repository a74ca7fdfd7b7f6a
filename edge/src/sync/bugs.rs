//! Known bugs of the exchange, put back one at a time by tests that must find them. A release has none; see `known_bugs!`.

crate::known_bugs! {
    /// Which of them are put back.
    Bugs {
        /// A failed push waits for the next commit.
        no_retry_timer
        /// The log is deleted as soon as head office has confirmed it.
        ack_deletes_log
        /// The feed goes on past rows with own edits that head office has not decided on.
        pull_past_pending
        /// Rows of the feed are written over such edits.
        pull_overwrites_pending
        /// What of the feed could be written before a row with own edits is told to head office with the version before it.
        part_of_no_version
        /// Head office's list of all rows counts before it has heard what is edited here and what it has forgotten itself.
        reset_before_told
        /// What takes effect later is what a head office that was put back lists, before it hears what is held here.
        list_before_greeting
        /// Changes that take effect later do so by this box's clock.
        own_clock
        /// What a recovery brings back is written over what was done meanwhile.
        recovery_overwrites
        /// A bill or order whose number was given to another one is not taken back, and so nothing that hangs on it.
        numbers_refuse_rows
        /// A transfer that was taken in here is taken in once more where a recovery brings that back.
        transfers_come_twice
        /// The version of the feed is kept before its rows.
        cursor_before_write
        /// A box that takes another's place goes on with the numbers that head office has seen.
        replaced_box_counts_on
        /// A machine that was put back together with its memory goes on with its process start.
        memory_goes_on
        /// Such a machine parts its log only as long as it was not started again.
        parts_while_it_runs
        /// Where head office lacks what is no longer kept here nothing is said of it.
        lack_is_silent
        /// What is old enough to be let go of is so by this box's clock.
        prunes_by_own_clock
        /// A box that another took the place of goes by what it remembers of what it has sent for review.
        review_is_remembered
        /// Each answer that says that rows differ is told to the managers.
        alarm_with_every_push
    }
}
