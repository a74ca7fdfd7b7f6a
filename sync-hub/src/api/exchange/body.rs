//! Reads a push's body: bounded, accounted for while it is in memory, and given up when the client stops sending. Never unpacks it.

use crate::exchange::{Admission, Held};
use axum::body::{Body, HttpBody};
use bytes::{Bytes, BytesMut};
use edge::http::{Code, Problem};
use http_body_util::BodyExt;
use std::time::Duration;
use tokio::time::timeout;

/// How much memory a body of unknown length asks for at a time.
const STEP: usize = 256 * 1024;

/// How long a body may wait for room.
const PATIENCE: Duration = Duration::from_secs(20);

/// A body and the memory it is accounted with.
pub(super) struct Whole {
    pub(super) bytes: Bytes,
    pub(super) held: Held,
}

/// Reads `body`. `busy` makes the answer when there is no room.
///
/// # Errors
/// 413 past `limit`; 400 when the client stops; `busy`.
pub(super) async fn read(
    admission: &Admission,
    mut body: Body,
    limit: usize,
    idle: Duration,
    busy: impl Fn() -> Problem,
) -> Result<Whole, Problem> {
    let too_large = || Problem::new(Code::PayloadTooLarge).detail("Send fewer rows at once");
    let least = usize::try_from(body.size_hint().lower()).unwrap_or(usize::MAX);
    if least > limit {
        return Err(too_large());
    }
    let room = async |bytes: usize| {
        let held = timeout(PATIENCE, admission.hold(bytes)).await.ok().flatten();
        held.ok_or_else(&busy)
    };
    let mut accounted = least.max(1);
    let mut held = room(accounted).await?;
    let mut bytes = BytesMut::new();
    loop {
        let frame = timeout(idle, body.frame()).await;
        let frame = frame.map_err(|_| cut("The body stopped in the middle"))?;
        let Some(frame) = frame else { break };
        let frame = frame.map_err(|_| cut("The body was cut off"))?;
        let Ok(data) = frame.into_data() else { continue };
        let length = bytes.len().saturating_add(data.len());
        if length > limit {
            return Err(too_large());
        }
        if length > accounted {
            let step = (length - accounted).max(STEP).min(limit - accounted);
            held.and(room(step).await?);
            accounted += step;
        }
        bytes.extend_from_slice(&data);
    }
    Ok(Whole { bytes: bytes.freeze(), held })
}

fn cut(detail: &str) -> Problem {
    Problem::new(Code::BadRequest).detail(detail)
}
