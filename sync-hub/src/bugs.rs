//! Known bugs of head office, put back one at a time by tests that must find them. A release has none; see `edge::known_bugs!`.

edge::known_bugs! {
    /// Which of them are put back.
    Bugs {
        /// The cursor is committed before the rows.
        cursor_before_write
        /// Rows at or below the cursor are taken for known without a look at their hash.
        no_duplicate_check
        /// The raw log and the rows are two transactions.
        rows_apart
        /// A version of the feed is drawn before the transaction that needs it.
        sequence_feed
        /// What a head office that was put back has forgotten is not taken back from the branches.
        no_refill
        /// What is taken back so counts as an edit of head office's people.
        refill_is_an_edit
        /// What a branch made of a change that was cancelled stays.
        cancel_is_silent
        /// Whoever greets a head office that was put back ends its doubt about what takes effect later.
        any_greeting_counts
        /// Of two edits the one with the later wall clock stays.
        wall_clock_wins
        /// What a box left behind still had is taken and not kept.
        salvage_is_dropped
        /// What head office had of a row before a column came says that it holds nothing there.
        new_columns_are_empty
        /// A box that was told to go back may do so although rows came in between.
        stale_grant
        /// A transfer that its sender called back is cancelled, whatever its receiver says.
        recall_decides
        /// Whenever something comes of a transfer its receiver gets it once more.
        delivered_twice
        /// A place among those who wait is not given back when its client hangs up.
        leaky_gate
    }
}
