//! `POST push`: a place, a body, a turn, and only then the rows. What was begun is finished although its client hangs up, and its
//! place is given back only then. Never reads the rows.

use super::body;
use super::request::{fenced, hub_problem, identify};
use crate::exchange::{Held, Work};
use crate::hub::{HubError, Limits};
use crate::registry::devices::{Device, Ended};
use crate::state::AppState;
use axum::body::Body;
use axum::extract::{Request, State};
use axum::http::{HeaderMap, header};
use axum::response::Response;
use bytes::Bytes;
use edge::http::reply::bare;
use edge::http::{Code, Problem};
use tiffin_common::sync::{CLASS_HEADER, Class, FRAMES_TYPE, PushReply};
use tokio::time::{Instant, timeout_at};

/// Rows take so many times the bytes of their body, mostly.
const UNPACKED: usize = 16;

/// The least memory for a body's rows.
const LEAST: usize = 8 << 20;

pub(super) async fn post_push(State(app): State<AppState>, request: Request) -> Result<Response, Problem> {
    let until = Instant::now() + app.config.exchange.push_timeout;
    let (parts, body) = request.into_parts();
    let device = identify(&app, &parts.headers).await?;
    let class = class_of(&parts.headers)?;
    let is_fenced = matches!(device.ended, Some((_, Ended::Fenced)));
    if is_fenced && class != Class::Salvage {
        return Err(fenced());
    }
    check_type(&parts.headers)?;
    timeout_at(until, take(&app, &device, class, body))
        .await
        .unwrap_or_else(|_| Err(app.admission.turn_away(Work::Push(class), app.env())))
}

async fn take(app: &AppState, device: &Device, class: Class, body: Body) -> Result<Response, Problem> {
    let busy = || app.admission.turn_away(Work::Push(class), app.env());
    let place = app.admission.enter(Work::Push(class), app.env())?;
    let bounds = &app.config.exchange;
    let whole = body::read(&app.admission, body, bounds.push_limit_bytes, bounds.push_idle, busy).await?;
    let turn = place.turn().await.ok_or_else(busy)?;
    let (work, device, bytes) = (app.clone(), device.clone(), whole.bytes);
    let held = whole.held;
    let pushed = tokio::spawn(async move {
        // They go with the work: a client that hangs up makes no room for another push.
        let _held = (turn, held);
        push(&work, &device, class, bytes).await
    });
    let reply = pushed.await.map_err(|error| {
        tracing::error!(%error, "a push was given up");
        Problem::new(Code::Internal)
    })?;
    reply.map(bare)
}

async fn push(app: &AppState, device: &Device, class: Class, bytes: Bytes) -> Result<PushReply, Problem> {
    let (outlet, most) = (device.outlet_id, app.hub.limits().max_rows_bytes);
    let allowance = bytes.len().saturating_mul(UNPACKED).clamp(LEAST, most.max(LEAST));
    let mut pushed = within(app, device, class, bytes.clone(), allowance).await;
    if matches!(pushed, Err(HubError::Decode(_))) && allowance < most {
        // A single action that unpacks to more than its body makes one expect: it still has to arrive.
        pushed = within(app, device, class, bytes, most).await;
    }
    let reply = pushed.map_err(hub_problem)?;
    if let Some(cursor) = &reply.cursor
        && class != Class::Salvage
    {
        app.presences.pushed(outlet, device.device_id, cursor.seq, app.env().clock.now());
    }
    Ok(reply)
}

/// Pushes with so much memory for the rows.
async fn within(
    app: &AppState,
    device: &Device,
    class: Class,
    bytes: Bytes,
    allowance: usize,
) -> Result<PushReply, HubError> {
    let _held: Option<Held> = app.admission.hold_decoded(allowance).await;
    let hub = app.hub.clone();
    let limits = Limits { max_rows_bytes: allowance, ..hub.limits() };
    hub.with_limits(limits).push(device.outlet_id, device.device_id, class, bytes).await
}

fn class_of(headers: &HeaderMap) -> Result<Class, Problem> {
    let Some(value) = headers.get(CLASS_HEADER) else { return Ok(Class::Backlog) };
    value.to_str().ok().and_then(Class::of_name).ok_or_else(|| {
        let reason = "must be live, backlog or salvage";
        Problem::new(Code::BadRequest)
            .detail(format!("{CLASS_HEADER} {reason}"))
            .with_field(CLASS_HEADER, reason)
    })
}

fn check_type(headers: &HeaderMap) -> Result<(), Problem> {
    let is_plain = headers.get(header::CONTENT_ENCODING).is_none();
    let given = headers.get(header::CONTENT_TYPE).and_then(|value| value.to_str().ok());
    if is_plain && given.is_some_and(|given| given.eq_ignore_ascii_case(FRAMES_TYPE)) {
        return Ok(());
    }
    Err(Problem::new(Code::UnsupportedMediaType)
        .detail(format!("Send {FRAMES_TYPE}, not encoded any further")))
}
