//! `/devices` over HTTP.

pub mod pairing;

use super::rules::{Device, DeviceError, DeviceKind, Standing};
use super::{actions, store};
use crate::access::Cx;
use crate::db::{self, Source};
use crate::http::{Code, Data, Id, Json, Paged, Paging, Patch, Problem, Query, Replace, Result, Updated};
use crate::resources::auth::api::Desk;
use crate::resources::kitchen::{heard_of, move_display};
use axum::extract::State;
use tiffin_common::{Millis, Uuid};

view! {
    /// A paired device.
    #[schemars(rename = "Device")]
    pub struct DeviceView of device: Device {
        id: Uuid,
        /// Its account: what it does stands under this id.
        account_id: Uuid,
        /// What it is for, which decides what it may do.
        kind: DeviceKind,
        name: String,
        /// Whose tickets a KITCHEN device shows; null: all.
        station_id: Option<Uuid>,
        /// Whether it is signed in; one that is not must be paired anew.
        signed_in: bool = device.is_signed_in,
        /// When it was heard of last: a display that follows the kitchen now, others to a quarter of an hour; null before it fetched its
        /// tokens.
        last_seen_at: Option<Millis>,
        /// Since when a display that followed the kitchen does so no more; null while it does, and for what never did.
        silent_since: Option<Millis>,
        /// When somebody let it in.
        paired_at: Millis,
        /// Who let it in.
        approved_by_name: String,
        version: i64,
        updated_at: Millis,
    }
}

answered! {
    DeviceError of "device" {
        DeviceError::Decided => Problem::new(Code::Conflict).detail("Somebody decided about this code already"),
        DeviceError::TooMany => Problem::new(Code::RateLimited)
            .detail("Too many devices ask to be paired. Try again in some minutes")
            .retry_after(60),
        DeviceError::NoTokens(standing) => Problem::new(match standing {
            Standing::Pending | Standing::Approved(_) => Code::AuthorizationPending,
            Standing::TooSoon => Code::SlowDown,
            Standing::Denied => Code::AccessDenied,
            Standing::Expired | Standing::Replayed => Code::ExpiredToken,
        }),
        DeviceError::Auth(error) => error.into(),
    }
}

/// Which part of the list.
#[apply(request!)]
pub struct ListDevices {
    #[serde(flatten)]
    paging: Paging,
}

/// Lists the paired devices.
pub async fn list_devices(cx: Cx, Query(filter): Query<ListDevices>) -> Result<Paged<DeviceView>> {
    let (paging, now) = (filter.paging, cx.db.env().clock.now());
    cx.list(paging, move |conn, outlet| -> db::Result<_> {
        Ok(store::list(conn, outlet, now, paging)?.map(|device| heard(device, now)))
    })
    .await
}

/// The device, with what its stream tells of it.
fn heard(device: Device, now: Millis) -> Device {
    let (_, last) = heard_of(device.account_id, now);
    Device { last_seen_at: device.last_seen_at.max(last), ..device }
}

/// What the device that asks was paired as.
pub async fn get_own_device(cx: Cx) -> Result<Data<DeviceView>> {
    let (account, now) = (cx.principal.account_id, cx.db.env().clock.now());
    cx.get(move |conn, outlet| {
        let found = store::find_by_account(conn, outlet, account, now)?;
        found.map(|device| heard(device, now)).ok_or(DeviceError::NotFound("device"))
    })
    .await
}

patch! {
    /// A change of a device.
    pub struct UpdateDevice of Device {
        #[schemars(length(min = 1, max = 80))]
        name: Replace<String>,
        /// Whose tickets a KITCHEN device shows; null: all.
        station_id: Patch<Uuid>,
    }
}

/// Gives a device another name or station.
pub async fn update_device(
    cx: Cx,
    Id(id): Id,
    Json(body): Json<UpdateDevice>,
) -> Result<Updated<DeviceView>> {
    let (db, outlet, now) = (cx.db.clone(), cx.outlet_id, cx.db.env().clock.now());
    let find = move |conn: &dyn Source| store::find(conn, outlet, id, now);
    let before = db.read(find).await?;
    let changed = cx
        .change(move |tx, actor, expected| {
            actions::change(tx, actor, id, expected, |device| body.over(device))
        })
        .await?;
    let after = db.read(find).await?;
    if let (Some(before), Some(after)) = (before, after)
        && before.station_id != after.station_id
    {
        move_display(after.account_id);
    }
    Ok(changed)
}

/// Removes a device: its tokens are void and its streams end at once.
pub async fn delete_device(cx: Cx, State(desk): State<Desk>, Id(id): Id) -> Result<Data<DeviceView>> {
    let (actor, expected) = (cx.actor(), cx.expected_version());
    let (device, ended) = cx.db.write(move |tx| actions::remove(tx, &actor, id, expected)).await?;
    desk.void(ended.into_iter().chain([device.account_id]));
    Ok(Data::new(Device { is_signed_in: false, ..device }.into()))
}
