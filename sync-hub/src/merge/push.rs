//! The unit of work of a push.

use super::Desk;
use crate::hub::HubError;
use crate::store::{OutletTx, StoreError};
use bytes::Bytes;
use tiffin_common::Uuid;
use tiffin_common::frame::DecodeError;
use tiffin_common::sync::batch::{self, Batch};
use tiffin_common::sync::{Class, Pacing, PushReply};

/// Reads a push's body: its rows, and whether all of them were readable.
///
/// # Errors
/// When not even the first is.
pub fn read(body: &[u8], most: usize) -> Result<(Batch, bool), DecodeError> {
    let (batch, cut) = batch::decode(body, most)?;
    if batch.frames.is_empty() && cut {
        Err(DecodeError("no row of it is readable"))
    } else {
        Ok((batch, cut))
    }
}

/// A push, read.
#[derive(Clone)]
pub struct Push {
    pub(crate) at: Desk,
    pub(crate) device: Uuid,
    pub(crate) class: Class,
    pub(crate) body: Bytes,
    pub(crate) batch: (Batch, bool),
    pub(crate) pacing: Pacing,
}

impl Push {
    /// With a mistake put in: what is done in a transaction before the other.
    pub(crate) fn first_of_two(&self) -> Option<Push> {
        None
    }

    /// The rest of it.
    pub(crate) fn second_of_two(self) -> Push {
        self
    }
}

/// What came of a push.
pub struct Pushed {
    /// The answer.
    pub reply: PushReply,
    /// Whether rows were taken.
    pub moved: bool,
    /// Whether the outlet's feed has something new.
    pub fed: bool,
}

/// Takes the rows.
///
/// # Errors
/// See [`crate::hub::Hub::push`].
pub fn push(_tx: &mut dyn OutletTx, _push: &Push) -> Result<Pushed, HubError> {
    Err(StoreError::GivenUp.into())
}
