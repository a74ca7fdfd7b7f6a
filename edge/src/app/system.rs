//! Routes about the process itself: is it up, is it ready, how does it do, what does it offer. Never a token, never a
//! secret, never another outlet's data.

use super::figures;
use crate::access::{Access, Cx, Permission, get as route, openapi, post};
use crate::db::{ClockDoubt, Db, DbError, MADE, RoomLeft, Source, opt};
use crate::exchange::{SyncStatus, log_rows};
use crate::http::client::{ClientAddress, Device};
use crate::http::metrics::Figures;
use crate::http::observe::Frame;
use crate::http::sse::Shown;
use crate::http::{Code, Data, Json, Problem, Result, Updated};
use crate::live::LookAtStatus;
use crate::resources::devices::rules::{Device as Paired, DeviceKind};
use crate::resources::kitchen::rules::StationWatch;
use crate::resources::printers::rules::Printer;
use crate::resources::printers::store as printers;
use crate::resources::{devices, kitchen, outlets};
use crate::state::{AppState, BackupStatus, BackupWatch, CertificateWatch, PublicUrl, Routes};
use axum::Router;
use axum::extract::{Extension, State};
use axum::http::{HeaderMap, header};
use axum::response::IntoResponse;
use axum::routing::get;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use std::sync::{Arc, OnceLock};
use tiffin_common::{Millis, Uuid};

/// System routes of the API itself.
pub(super) fn api_routes() -> Routes {
    let status = route("/status", Access::Public, get_status)
        .summary("What works at this branch right now; without a token only that it answers");
    // Who answers for the books of the day.
    let clock = post("/status/clock", Permission::DayClose, set_clock)
        .summary("Say what time it is, where the machine's clock is wrong");
    Routes::group("system", [status, clock])
}

/// System routes beside the API, whose routes `api` answers.
pub(super) fn routes(public_url: &PublicUrl, api: fn() -> Routes) -> Router<AppState> {
    let document = Document { text: Arc::default(), public_url: public_url.clone(), api };
    let openapi = get(async move || document.answer());
    Router::new()
        .route("/health", get(get_health))
        .route("/ready", get(get_ready))
        .route("/metrics", get(get_metrics))
        .route("/api/v1/openapi.json", openapi.clone())
        .route("/v1/openapi.json", openapi)
}

/// The OpenAPI document, written when first asked for: a start must not wait for it.
#[derive(Clone)]
struct Document {
    text: Arc<OnceLock<bytes::Bytes>>,
    public_url: PublicUrl,
    api: fn() -> Routes,
}

impl Document {
    fn answer(&self) -> impl IntoResponse + use<> {
        let write =
            || openapi::document(&(self.api)(), &openapi::BRANCH, &self.public_url.0).to_string().into();
        ([(header::CONTENT_TYPE, "application/json")], self.text.get_or_init(write).clone())
    }
}

/// `{"status": …}`: up, ready.
#[derive(Debug, Serialize)]
pub struct Word {
    status: &'static str,
}

/// The process is up.
pub async fn get_health() -> Data<Word> {
    Data::new(Word { status: "up" })
}

/// The writer must answer: it stands for the whole database, whose migrations ran before it started.
async fn get_ready(State(db): State<Db>) -> Result<Data<Word>> {
    db.write(|_| Ok::<_, DbError>(())).await.map_err(|error| {
        if matches!(error, DbError::Full) {
            return Problem::from(error);
        }
        tracing::warn!(%error, "not ready");
        Problem::new(Code::Unavailable).detail("The database does not take writes").retry_after(5)
    })?;
    Ok(Data::new(Word { status: "ready" }))
}

/// What works, so that screens can say it honestly.
#[apply(answer!)]
struct Status {
    /// This branch answers. Who sends no token is told nothing more.
    ok: bool,
    #[serde(flatten)]
    details: Option<StatusDetails>,
}

/// What whoever is signed in is told of the branch.
#[apply(answer!)]
struct StatusDetails {
    /// The outlet this box serves; null until it is set up.
    outlet: Option<StatusOutlet>,
    /// The version of this software.
    version: &'static str,
    /// This box's time.
    clock: Millis,
    /// Why the machine's clock is not followed: the time goes on from what was recorded; null while all is well.
    clock_doubt: Option<ClockDoubt>,
    /// Exchange with head office.
    sync: SyncStatus,
    /// Room on this box's disk.
    disk: RoomLeft,
    /// The backups; null where there is nothing to back up.
    backup: Option<BackupStatus>,
    /// The printers that have had paper in the last days, and what waits for them.
    printers: Vec<StatusPrinter>,
    /// The paired devices, by name.
    devices: Vec<StatusDevice>,
    /// Kitchen stations that some display followed and none does.
    unwatched_stations: Vec<UnwatchedStation>,
}

/// How a printer does.
#[apply(answer!)]
struct StatusPrinter {
    /// Its name; its address where only a station names it.
    name: String,
    /// Where it is.
    address: String,
    /// Pieces of paper that wait for it.
    waiting: i64,
    /// Since when the oldest of them waits.
    waiting_since: Option<Millis>,
    /// What keeps it from printing; null while it prints.
    trouble: Option<String>,
    /// When paper last came out.
    last_printed_at: Option<Millis>,
}

view! {
    /// How a paired device does.
    pub struct StatusDevice of device: Paired {
        id: Uuid,
        name: String,
        /// What it is for, which decides what it may do.
        kind: DeviceKind,
        /// Whether it is signed in; one that is not must be paired anew.
        signed_in: bool = device.is_signed_in,
        /// When it was heard of last, to a quarter of an hour.
        last_seen_at: Option<Millis>,
        /// Since when a display that followed the kitchen does so no more.
        silent_since: Option<Millis>,
    }
}

view! {
    /// A kitchen station that no display follows any more.
    pub struct UnwatchedStation of watch: StationWatch {
        id: Uuid = watch.station,
        name: String,
        /// Since when none follows it: when the last display that did was last heard of.
        since: Option<Millis> = watch.unwatched_since,
    }
}

/// The outlet that this box serves.
#[apply(answer!)]
struct StatusOutlet {
    id: Uuid,
    code: String,
    name: String,
}

async fn get_status(
    State(db): State<Db>,
    State(backups): State<BackupWatch>,
    signed_in: Option<Extension<Device>>,
) -> Result<Data<Status>> {
    let details = match signed_in {
        Some(_) => Some(status_details(&db, backups).await?),
        None => None,
    };
    Ok(Data::new(Status { ok: true, details }))
}

/// Looks at what works, for who follows it: what they are shown, and that of it whose change is told. Time and room left change with every
/// look.
pub(super) fn look_at_status(state: &AppState) -> LookAtStatus {
    let (db, backups) = (state.db.clone(), state.backups.clone());
    Arc::new(move || {
        let (db, backups) = (db.clone(), backups.clone());
        Box::pin(async move {
            let details = status_details(&db, backups).await?;
            let version = details.clock.get();
            let status = Status { ok: true, details: Some(details) };
            let mut told = serde_json::to_value(&status).unwrap_or_default();
            if let Some(all) = told.as_object_mut() {
                all.remove("clock");
                let room = all.get("disk").and_then(|disk| disk.get("state")).cloned();
                all.insert("disk".to_owned(), room.unwrap_or_default());
            }
            Ok((Shown::of(version, &status), told.to_string()))
        })
    })
}

async fn status_details(db: &Db, backups: BackupWatch) -> Result<StatusDetails> {
    let (clock, disk) = (db.env().clock.now(), db.room());
    let (outlet, sync, backup, (printers, devices, unwatched)) = db
        .read(move |conn| -> Result<_, DbError> {
            const OWN: &str = "SELECT id, code, name FROM outlets
                ORDER BY id = (SELECT outlet_id FROM box) DESC, id LIMIT 1";
            let read = |row: &crate::db::Row<'_>| {
                Ok(StatusOutlet { id: row.get(0)?, code: row.get(1)?, name: row.get(2)? })
            };
            let backup = backups.0.map(|look| look(clock));
            let outlet = opt(conn, OWN, [], read)?;
            let machines = match &outlet {
                Some(outlet) => {
                    let unwatched = kitchen::actions::list_missed(conn, outlet.id)?;
                    (list_printers(conn, outlet.id)?, devices::store::list_all(conn, clock)?, unwatched)
                }
                None => Default::default(),
            };
            Ok((outlet, SyncStatus::read(conn, clock)?, backup, machines))
        })
        .await?;
    let clock_doubt = db.env().clock_doubt();
    let version = env!("CARGO_PKG_VERSION");
    let devices = devices.into_iter().map(StatusDevice::from).collect();
    let unwatched_stations = unwatched.into_iter().map(UnwatchedStation::from).collect();
    Ok(StatusDetails {
        outlet,
        version,
        clock,
        clock_doubt,
        sync,
        disk,
        backup,
        printers,
        devices,
        unwatched_stations,
    })
}

fn list_printers(conn: &dyn Source, outlet: Uuid) -> Result<Vec<StatusPrinter>, DbError> {
    let known = printers::list_all(conn, outlet)?;
    let standings = printers::list_standings(conn, outlet)?;
    let is_idle = |printer: &&Printer| !standings.iter().any(|s| s.address == printer.fields.address);
    let idle: Vec<StatusPrinter> = known
        .iter()
        .filter(is_idle)
        .map(|printer| StatusPrinter {
            name: printer.fields.name.clone(),
            address: printer.fields.address.clone(),
            waiting: 0,
            waiting_since: None,
            trouble: None,
            last_printed_at: None,
        })
        .collect();
    let standings = standings.into_iter().map(|standing| {
        let named = known.iter().find(|printer| printer.fields.address == standing.address);
        StatusPrinter {
            name: named.map_or_else(|| standing.address.clone(), |printer| printer.fields.name.clone()),
            address: standing.address,
            waiting: standing.waiting,
            waiting_since: standing.since,
            trouble: standing.last_error,
            last_printed_at: standing.last_done_at,
        }
    });
    Ok(standings.chain(idle).collect())
}

/// What time it is.
#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
struct SetClock {
    /// The present moment.
    now: Millis,
}

/// The box's time from now on.
#[apply(answer!)]
struct ClockSet {
    /// The box's time.
    clock: Millis,
    /// How far the machine's clock is off, in milliseconds: kept until it is right.
    offset_ms: i64,
}

async fn set_clock(cx: Cx, Json(body): Json<SetClock>) -> Result<Updated<ClockSet>> {
    if body.now < MADE {
        return Err(Problem::field("now", "is before this program was made"));
    }
    cx.update(move |tx, actor| -> Result<_> {
        let offset_ms = outlets::actions::set_clock(tx, actor, body.now)?;
        Ok(ClockSet { clock: body.now, offset_ms })
    })
    .await
}

async fn get_metrics(
    State(db): State<Db>,
    State(frame): State<Frame>,
    State(backups): State<BackupWatch>,
    State(certificate): State<CertificateWatch>,
    Extension(client): Extension<ClientAddress>,
    headers: HeaderMap,
) -> Result<impl IntoResponse> {
    frame.may_read_metrics(&client, &headers)?;
    let (writer, room) = (db.writer_stats(), db.room());
    let now = db.env().clock.now();
    let look = move |from: &dyn Source| -> Result<_, DbError> {
        let backup = backups.0.map(|look| look(now));
        Ok((log_rows(from)?, SyncStatus::read(from, now)?, backup))
    };
    let (rows, sync, backup) = db.read(look).await?;
    let mut figures = Figures::default();
    figures::writer(&mut figures, &writer, rows);
    figures::process(&mut figures);
    figures::exchange(&mut figures, &sync);
    figures::disk(&mut figures, room);
    figures::clock(&mut figures, db.env());
    figures::certificate(&mut figures, &certificate);
    figures::backups(&mut figures, backup.as_ref());
    Ok(frame.metrics.answer(figures))
}
