//! How far head office has, for review, what this box may not say of the outlet any more. Head office may have been put back to an older copy
//! since it was told, so it is asked each time. Never sends anything.

use super::exchange::Exchange;
use super::store;
use super::trouble::Trouble;
use crate::db::{DbError, Source};
use tiffin_common::sync::At;

/// What the review lane has of this box's log.
#[derive(Debug, Default)]
pub(super) struct Review {
    /// The last row that was sent; 0 when none was.
    sent: i64,
    /// The row after which it begins, where not after what head office once confirmed.
    after: Option<i64>,
    /// How often it began anew since it was asked where to begin.
    anew: u8,
}

/// How often it may: after what was confirmed, and with all that is kept.
const MOST_ANEW: u8 = 2;

/// Rows that were sent for review, and what head office answered.
#[derive(Debug, Clone, Copy)]
struct Heard {
    /// The row before the first and the last.
    sent: (i64, i64),
    /// No row up to this one is missing there, as far as it knows.
    held: i64,
    /// The last row that it once confirmed as the outlet's.
    acked: i64,
    /// The row after which the log is kept here.
    kept: i64,
}

/// Rows after `from`, up to `to`, were sent for review, and head office answered with `cursor`; answers after which row to go on.
pub(super) async fn hear(
    exchange: &Exchange,
    review: &mut Review,
    (from, to, cursor): (i64, i64, Option<At>),
) -> Result<i64, Trouble> {
    let look = |from: &dyn Source| -> Result<i64, DbError> {
        let before = store::find_first_kept(from)?.map_or(0, |first| first - 1);
        // Where the hash of the row before the first is not known, the first cannot be proved.
        Ok(if store::find_hash(from, before)?.is_some() { before } else { before + 1 })
    };
    let kept = exchange.db().read(look).await?;
    let acked = exchange.open().await?.map_or(0, |(_, peer)| peer.acked_to());
    let is_believed = exchange.0.settings.bugs.review_is_remembered();
    let held = cursor.filter(|_| !is_believed).map_or(to, |at| at.seq);
    let next = review.hear(Heard { sent: (from, to), held, acked, kept });
    next.ok_or(Trouble::Nonsense("what it lacks for review does not become less"))
}

impl Review {
    /// After which row to send. The last that was sent goes once more: head office answers whether it still has what came before it.
    pub(super) fn begin(&mut self, acked: i64) -> i64 {
        self.anew = 0;
        match self.sent {
            0 => self.after.unwrap_or(acked),
            sent => sent - 1,
        }
    }

    /// Takes head office's answer; answers after which row to go on, none where what it lacks does not become less.
    fn hear(&mut self, heard: Heard) -> Option<i64> {
        let Heard { sent: (from, to), held, acked, kept } = heard;
        if held > from {
            self.sent = held.min(to);
            return Some(self.sent);
        }
        // What is missing before the first row that is kept here nobody can send.
        if held <= kept {
            self.sent = to;
            return Some(to);
        }
        let after = if acked < held { acked } else { kept };
        *self = Review { sent: 0, after: Some(after), anew: self.anew + 1 };
        (self.anew <= MOST_ANEW).then_some(after)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const ACKED: i64 = 40;

    fn heard(sent: (i64, i64), held: i64) -> Heard {
        Heard { sent, held, acked: ACKED, kept: 10 }
    }

    #[test]
    fn what_was_sent_is_not_sent_again_but_for_the_last_row() {
        let mut review = Review::default();
        assert_eq!(review.begin(ACKED), 40);
        assert_eq!(review.hear(heard((40, 60), 60)), Some(60));
        assert_eq!(review.hear(heard((60, 90), 90)), Some(90));
        assert_eq!(review.begin(ACKED), 89);
    }

    #[test]
    fn of_a_body_that_was_cut_the_rest_follows() {
        let mut review = Review::default();
        assert_eq!(review.hear(heard((40, 60), 52)), Some(52));
    }

    #[test]
    fn what_an_older_copy_lacks_is_sent_again_from_where_it_lacks_it() {
        let mut review = Review::default();
        review.hear(heard((40, 90), 90));
        assert_eq!(review.hear(heard((89, 95), 60)), Some(40), "it still has what it once confirmed");
        assert_eq!(review.hear(heard((40, 70), 70)), Some(70));
        let mut review = Review::default();
        assert_eq!(review.hear(heard((40, 90), 40)), Some(10), "it does not: all that is kept");
        assert_eq!(review.begin(ACKED), 10);
        assert_eq!(review.hear(heard((10, 50), 10)), Some(50), "and what is not kept is not asked for again");
        assert_eq!(review.hear(heard((50, 90), 90)), Some(90));
        assert_eq!(review.hear(heard((89, 90), 10)), Some(90));
    }
    #[test]
    fn a_head_office_that_never_has_enough_is_left_alone_for_a_while() {
        let mut review = Review::default();
        review.hear(heard((40, 90), 90));
        review.begin(ACKED);
        assert_eq!(review.hear(heard((89, 90), 60)), Some(40));
        assert_eq!(review.hear(heard((40, 90), 40)), Some(10));
        assert_eq!(review.hear(heard((20, 90), 20)), None);
        assert_eq!(review.begin(ACKED), 10);
    }
}
