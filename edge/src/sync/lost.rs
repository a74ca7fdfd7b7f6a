//! Fetches a part of the log that this box has lost and head office holds. Never believes a row that does not follow from the one before.

use super::Hub;
use super::trouble::Trouble;
use tiffin_common::frame::Position;
use tiffin_common::sync::FramesQuery;
use tiffin_common::sync::batch::{Dictionary, Frame};

/// Log rows asked for at a time.
const FRAMES: u32 = 4_096;

/// The rows after `ancestor` to `lost_to`; head office packs them with `dictionary`.
pub(super) async fn fetch(
    hub: &Hub,
    ancestor: Option<Position>,
    lost_to: Position,
    dictionary: Dictionary,
) -> Result<Vec<Frame>, Trouble> {
    let (mut after, mut hash) = ancestor.map_or((0, Default::default()), |at| (at.seq, at.hash));
    let mut lost: Vec<Frame> = Vec::new();
    while after < lost_to.seq {
        let query = FramesQuery {
            epoch: lost_to.epoch,
            to: lost_to.seq,
            after,
            limit: Some(FRAMES),
            dictionary: dictionary.number(),
        };
        let batch = hub.frames(&query).await?;
        if batch.frames.is_empty() || batch.previous != hash {
            return Err(Trouble::Nonsense("the lost rows do not follow from what this box holds"));
        }
        for frame in batch.frames {
            hash = hash.next(&frame.header, &frame.body);
            if frame.header.seq != after + 1 || frame.hash != hash {
                return Err(Trouble::Nonsense("the lost rows do not chain"));
            }
            after = frame.header.seq;
            lost.push(frame);
        }
    }
    if hash != lost_to.hash {
        return Err(Trouble::Nonsense("the lost rows end elsewhere"));
    }
    Ok(lost)
}
