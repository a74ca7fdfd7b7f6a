//! What the routes of the exchange have in common: which box asks, what it sent, and what a refusal is to it. Never does the work.

use crate::exchange::{Turn, Work};
use crate::hub::HubError;
use crate::registry::devices::{Device, Ended};
use crate::registry::store_problem;
use crate::state::AppState;
use axum::body::Bytes;
use axum::extract::rejection::BytesRejection;
use axum::http::{HeaderMap, StatusCode, Uri};
use edge::http::{Code, Problem};
use serde::de::DeserializeOwned;
use std::time::Duration;
use tiffin_common::sync::OLDEST;
use tokio::time::timeout;

/// How long a request may wait for its turn.
const PATIENCE: Duration = Duration::from_secs(30);

/// Schema versions that a box may be behind head office: as far as the simulation plays older programs. A release may bring several.
const SCHEMAS_BEHIND: u32 = 6;

/// The box that sends `headers`, whatever became of its key.
pub(super) async fn known(app: &AppState, headers: &HeaderMap) -> Result<Device, Problem> {
    app.keyring.identify(app.stores(), &app.admission, app.env(), headers).await
}

/// The box that sends `headers`; one whose place another has taken as well.
pub(super) async fn identify(app: &AppState, headers: &HeaderMap) -> Result<Device, Problem> {
    let device = known(app, headers).await?;
    match device.ended {
        Some((_, Ended::Revoked | Ended::Renewed)) => {
            Err(Problem::new(Code::Unauthorized).detail("This box's key was withdrawn; enrol it again"))
        }
        _ => Ok(device),
    }
}

/// The box that asks, unless another has taken its place.
pub(super) async fn live(app: &AppState, headers: &HeaderMap) -> Result<Device, Problem> {
    let device = identify(app, headers).await?;
    match device.ended {
        Some((_, Ended::Fenced)) => Err(fenced()),
        _ => {
            app.presences.seen(device.outlet_id, device.device_id, app.env().clock.now());
            Ok(device)
        }
    }
}

pub(super) fn fenced() -> Problem {
    Problem::new(Code::Fenced).detail("Another box has taken this one's place")
}

pub(super) fn read_json<T: DeserializeOwned>(body: &Bytes) -> Result<T, Problem> {
    serde_json::from_slice(body).map_err(|error| {
        let place = format!("line {}, column {}", error.line(), error.column());
        match error.is_data() {
            true => Problem::new(Code::PayloadValidation).detail(format!("The body does not fit ({place})")),
            false => Problem::new(Code::BadRequest).detail(format!("The body is not valid JSON ({place})")),
        }
    })
}

pub(super) fn whole(body: Result<Bytes, BytesRejection>) -> Result<Bytes, Problem> {
    body.map_err(|rejection| match rejection.status() {
        StatusCode::PAYLOAD_TOO_LARGE => Problem::new(Code::PayloadTooLarge),
        _ => Problem::new(Code::BadRequest).detail("The body could not be read"),
    })
}

/// The oldest box that is served.
#[derive(Debug, Clone, Copy)]
struct Oldest {
    protocol: u32,
    schema: u32,
}

impl Oldest {
    /// Refuses what is older. A box that is newer than head office is served: it says all that an older one says, what it adds is passed
    /// over, and rows of a schema that head office does not have yet are kept until it is upgraded.
    fn check(self, protocol: u32, schema: u32) -> Result<(), Problem> {
        if protocol >= self.protocol && schema >= self.schema {
            return Ok(());
        }
        let detail = format!(
            "Head office takes protocol {} or newer and schema {} or newer",
            self.protocol, self.schema
        );
        Err(Problem::new(Code::UpgradeRequired).detail(detail))
    }
}

/// Refuses boxes that are too old.
pub(super) fn check_version(protocol: u32, schema: u32) -> Result<(), Problem> {
    let oldest = tiffin_migrations::edge_schema_version().saturating_sub(SCHEMAS_BEHIND);
    Oldest { protocol: OLDEST, schema: oldest }.check(protocol, schema)
}

/// The right to read something now.
pub(super) async fn reading(app: &AppState) -> Result<Turn, Problem> {
    let place = app.admission.enter(Work::Reading, app.env())?;
    let turn = timeout(PATIENCE, place.turn()).await.ok().flatten();
    turn.ok_or_else(|| app.admission.turn_away(Work::Reading, app.env()))
}

pub(super) fn read_query<T: DeserializeOwned>(uri: &Uri) -> Result<T, Problem> {
    serde_urlencoded::from_str(uri.query().unwrap_or_default())
        .map_err(|_| Problem::new(Code::BadRequest).detail("A query parameter is invalid"))
}

/// What a refusal of the hub is to a box.
pub(super) fn hub_problem(error: HubError) -> Problem {
    match error {
        HubError::Store(error) => store_problem(error),
        HubError::Decode(error) => Problem::new(Code::BadRequest).detail(error.to_string()),
        HubError::Refused(refused) => {
            let detail = format!("The rows do not follow from what head office holds: {:?}", refused.reason);
            Problem::new(Code::Conflict).detail(detail).with_member("refused", refused)
        }
        HubError::NotFound(what) => Problem::not_found(what),
        HubError::Invalid(reason) => Problem::new(Code::PayloadValidation).detail(reason),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_protocol_from_the_oldest_to_a_newer_one_is_served() {
        // As on the day on which head office speaks 4 and still takes 2.
        let oldest = Oldest { protocol: 2, schema: 10 };
        for protocol in 2..=5 {
            for schema in 10..=13 {
                assert!(oldest.check(protocol, schema).is_ok(), "protocol {protocol}, schema {schema}");
            }
        }
        for (protocol, schema) in [(1, 12), (0, 12), (4, 9), (1, 9)] {
            let problem = oldest.check(protocol, schema).unwrap_err();
            assert_eq!(problem.code(), Code::UpgradeRequired, "protocol {protocol}, schema {schema}");
        }
    }
}
