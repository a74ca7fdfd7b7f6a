//! `/hub/outlets`: how each outlet and its exchange with head office stand. Never an outlet's own records: those are read at the
//! branch's own paths.

use super::chain::{self, Fresh, covered, refused};
use super::done::Done;
use super::guard::Cx;
use super::reconcile::{ReconciledDay, reconcile};
use super::reviews::{Dismissal, Quarantined, dismiss_quarantined, list_quarantine, list_reviews};
use super::salvage::{ListSalvage, Ordered, SalvagedRow, Taking, list_salvage, take_salvage};
use crate::hub::HubError;
use crate::merge::{self, Standings};
use crate::registry::devices::{self, Device};
use crate::registry::outlets::Outlet;
use crate::registry::{RegistryError, audit};
use crate::state::{AppState, Routes};
use crate::store::StoreError;
use axum::http::StatusCode;
use axum::response::Response;
use edge::access::{Permission, get, post};
use edge::db::Source;
use edge::http::{Data, Json, Page, Paged, Paging, Path, Problem, Query};
use edge::resources::notifications::{Notification, of_box};
use edge::sync::reviews::{ListReviews, Review};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::{Value, json};
use tiffin_common::frame::Position;
use tiffin_common::{Millis, Uuid};

pub(super) fn routes() -> Routes {
    Routes::group(
        "hub",
        [
            get("/hub/outlets", Permission::OutletsRead, list_outlets)
                .summary("Every outlet and how its exchange with head office stands")
                .query::<Paging>()
                .lists::<HubOutlet>(),
            get("/hub/outlets/{id}", Permission::OutletsRead, get_outlet)
                .summary("One outlet, with its boxes and its reconciled days")
                .returns::<OutletDetail>(),
            get("/hub/outlets/{id}/quarantine", Permission::OutletsRead, list_quarantine)
                .summary("Log rows whose changes could not be made, and why")
                .query::<Paging>()
                .lists::<Quarantined>(),
            post(
                "/hub/outlets/{id}/quarantine/{epoch}/{seq}/dismiss",
                Permission::OutletsWrite,
                dismiss_quarantined,
            )
            .summary("Say that somebody has seen to such a log row")
            .takes::<Dismissal>()
            .returns::<Done>(),
            get("/hub/outlets/{id}/reviews", Permission::OutletsRead, list_reviews)
                .summary("What a box that had lost a part of its log could not put back by itself")
                .query::<ListReviews>()
                .lists::<Review>(),
            get("/hub/outlets/{id}/salvage", Permission::OutletsRead, list_salvage)
                .summary("What a box that was left behind had changed and the outlet's box has not")
                .query::<ListSalvage>()
                .lists::<SalvagedRow>(),
            post("/hub/outlets/{id}/salvage/take", Permission::OutletsWrite, take_salvage)
                .summary("Have the outlet's box take it over: some rows, or all")
                .takes::<Taking>()
                .returns::<Ordered>(),
            post("/hub/outlets/{id}/forks/{epoch}", Permission::OutletsWrite, decide_fork)
                .summary("Decides which of two boxes that speak for one outlet goes on")
                .takes::<ForkDecision>()
                .returns::<Done>(),
        ],
    )
}

/// A position in an outlet's log.
#[derive(Debug, Clone, Serialize, JsonSchema)]
struct At {
    epoch: Uuid,
    seq: i64,
    /// Hash of that row, in hexadecimal.
    hash: String,
}

impl From<Position> for At {
    fn from(at: Position) -> At {
        At { epoch: at.epoch, seq: at.seq, hash: at.hash.to_string() }
    }
}

/// An outlet as head office sees it.
#[derive(Debug, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
struct HubOutlet {
    id: Uuid,
    code: String,
    name: String,
    timezone: String,
    currency: String,
    #[serde(flatten)]
    fresh: Fresh,
    /// When its box last asked for anything.
    last_seen_at: Option<Millis>,
    /// Log rows that wait at the box, as it last said.
    rows_waiting: Option<i64>,
    /// The box's program.
    version: Option<String>,
    /// The box's schema.
    schema: Option<u32>,
    /// The box's clock minus head office's, in milliseconds.
    clock_offset_ms: Option<i64>,
    /// The end of its log as head office holds it.
    cursor: Option<At>,
    /// NORMAL, NEW (no row yet), RECOVERING (the box takes back what it lost), FORK (two boxes: somebody must decide), AHEAD (the
    /// branch is newer than head office), LACKING (head office lacks what the box no longer keeps: it has to be enrolled with --reseed) or
    /// REVOKED (no box has a key).
    standing: &'static str,
    /// OK or BAD: whether the rows were equal at both ends when they were last compared; none before the first time.
    digest: Option<&'static str>,
    /// When a comparison last agreed.
    digest_agreed_at: Option<Millis>,
    /// The newest version of what head office publishes to it.
    feed: i64,
    /// The version its log shows as applied.
    feed_arrived: i64,
    /// Log rows whose changes could not be made.
    quarantined: i64,
    /// Records (payments, bills, the audit log) that stay here though the branch's box has lost or changed them, also after somebody saw to it.
    withheld: i64,
    /// Rows of a box that was left behind which nobody has taken over.
    salvage: i64,
    /// Edits that lost against another and that nobody has settled.
    conflicts: i64,
}

pub(super) fn standing(is_enrolled: bool, standings: &Standings) -> &'static str {
    let is_forked = standings.forks.iter().any(|fork| fork.accepted.is_none());
    match standings.cursor {
        _ if !is_enrolled => "REVOKED",
        _ if is_forked => "FORK",
        _ if standings.lacking > 0 => "LACKING",
        None => "NEW",
        _ if standings.recovering => "RECOVERING",
        Some(cursor) if standings.applied_to < cursor.seq => "AHEAD",
        Some(_) => "NORMAL",
    }
}

/// What somebody has to look at: its kind, and how many.
pub(super) fn alarms(standings: &Standings) -> Vec<(&'static str, i64)> {
    let count = |n: usize| i64::try_from(n).unwrap_or(i64::MAX);
    let undecided = standings.forks.iter().filter(|fork| fork.accepted.is_none()).count();
    [
        ("FORK", count(undecided)),
        ("LACKING", standings.lacking),
        ("DIGEST", count(standings.bad.len())),
        ("QUARANTINE", standings.quarantined),
        ("SALVAGE", standings.salvage),
    ]
    .into_iter()
    .filter(|(_, count)| *count > 0)
    .collect()
}

impl HubOutlet {
    fn of(app: &AppState, outlet: &Outlet, is_enrolled: bool, standings: &Standings) -> HubOutlet {
        let said = chain::presence(app, outlet);
        let card = outlet.card.clone();
        let digest = match (standings.bad.is_empty(), standings.agreed) {
            (false, _) => Some("BAD"),
            (true, Some(_)) => Some("OK"),
            (true, None) => None,
        };
        HubOutlet {
            id: card.id,
            code: card.code,
            name: card.name,
            timezone: card.timezone,
            currency: card.currency,
            fresh: Fresh::of(said.as_ref(), standings, app.env().clock.now()),
            last_seen_at: said.as_ref().map(|said| said.last_seen_at),
            rows_waiting: said.as_ref().and_then(|said| said.rows_waiting),
            schema: said.as_ref().and_then(|said| said.schema),
            clock_offset_ms: said.as_ref().and_then(|said| said.clock_offset_ms),
            version: said.and_then(|said| said.version),
            cursor: standings.cursor.map(At::from),
            standing: standing(is_enrolled, standings),
            digest,
            digest_agreed_at: standings.agreed.map(|(at, _)| at),
            feed: standings.feed,
            feed_arrived: standings.arrived,
            quarantined: standings.quarantined,
            withheld: standings.withheld,
            salvage: standings.salvage,
            conflicts: standings.conflicts,
        }
    }
}

/// A box of an outlet.
#[derive(Debug, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
struct OutletBox {
    device_id: Uuid,
    enrolled_at: Millis,
    ended_at: Option<Millis>,
    /// FENCED, REVOKED or RENEWED; none for the one that speaks for the outlet.
    ended_as: Option<&'static str>,
}

/// A box that was left behind when another went on.
#[derive(Debug, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
struct ForkedBox {
    /// The process start it showed: names the fork.
    epoch: Uuid,
    device_id: Uuid,
    /// Number of the newest row it has.
    head_seq: i64,
    seen_at: Millis,
    /// Whether it may come back; none while nobody has decided.
    accepted: Option<bool>,
}

/// One outlet with everything that is known of its box.
#[derive(Debug, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
struct OutletDetail {
    #[serde(flatten)]
    outlet: HubOutlet,
    /// The boxes it has had, with the one it has now.
    boxes: Vec<OutletBox>,
    /// Boxes that spoke for it at the same time.
    forks: Vec<ForkedBox>,
    /// Buckets of rows that differed when they were last compared: tables, by day.
    differing: Vec<Value>,
    /// The last closed days: what the branch counted against head office's own sums.
    reconciled_days: Vec<ReconciledDay>,
    /// What its box says is wrong with itself and nobody there has ticked off, the newest first: backups, room on its disk, its clock,
    /// printers, displays.
    troubles: Vec<Notification>,
}

/// What lies of one outlet with its rows.
#[derive(Default)]
struct Stand {
    standings: Standings,
    reconciled_days: Vec<ReconciledDay>,
    troubles: Vec<Notification>,
}

/// Everything about one outlet that lies with its rows; how it stands alone where not `all` is wanted.
fn look(from: &dyn Source, outlet: Uuid, all: bool) -> Result<Stand, HubError> {
    let standings = merge::standings(from, outlet)?;
    if !all {
        return Ok(Stand { standings, ..Stand::default() });
    }
    let troubles = of_box(from, outlet).map_err(StoreError::from)?;
    Ok(Stand { standings, reconciled_days: reconcile(from, outlet)?, troubles })
}

/// The outlet's rows as they stand; nothing of an outlet that never sent any.
async fn stand(app: &AppState, outlet: Uuid, all: bool) -> Result<Stand, Problem> {
    let read =
        app.stores().run(move |stores| stores.read_outlet_blocking(outlet, |from| look(from, outlet, all)));
    match read.await {
        Err(HubError::Store(StoreError::NoOutlet)) => Ok(Stand::default()),
        Err(error) => Err(refused(error)),
        Ok(found) => Ok(found),
    }
}

async fn list_outlets(cx: Cx, Query(paging): Query<Paging>) -> Result<Paged<HubOutlet>, Problem> {
    let all = chain::asked(&cx, None).await?;
    let total = i64::try_from(all.len()).unwrap_or(i64::MAX);
    let page: Vec<Outlet> =
        all.into_iter().skip(paging.offset as usize).take(paging.limit as usize).collect();
    let ids: Vec<Uuid> = page.iter().map(|outlet| outlet.card.id).collect();
    let enrolled = cx.app.look(move |from| {
        let live = ids.into_iter().map(|id| Ok(devices::live(from, id)?.is_some()));
        live.collect::<Result<Vec<bool>, RegistryError>>()
    });
    let enrolled = enrolled.await?;
    let mut items = Vec::with_capacity(page.len());
    for (outlet, is_enrolled) in page.iter().zip(enrolled) {
        let Stand { standings, .. } = stand(&cx.app, outlet.card.id, false).await?;
        items.push(HubOutlet::of(&cx.app, outlet, is_enrolled, &standings));
    }
    Ok(Paged::new(Page { items, total }, paging))
}

async fn get_outlet(cx: Cx, Path(id): Path<Uuid>) -> Result<Data<OutletDetail>, Problem> {
    let (outlet, boxes) = covered(&cx, id).await?;
    let Stand { standings, reconciled_days, troubles } = stand(&cx.app, id, true).await?;
    let is_enrolled = boxes.iter().any(|device| device.ended.is_none());
    let of_box = |device: Device| OutletBox {
        device_id: device.device_id,
        enrolled_at: device.created_at,
        ended_at: device.ended.map(|(at, _)| at),
        ended_as: device.ended.map(|(_, ended)| ended.name()),
    };
    let forks = standings.forks.iter().map(|fork| ForkedBox {
        epoch: fork.epoch,
        device_id: fork.device,
        head_seq: fork.head_seq,
        seen_at: fork.seen_at,
        accepted: fork.accepted,
    });
    Ok(Data::new(OutletDetail {
        outlet: HubOutlet::of(&cx.app, &outlet, is_enrolled, &standings),
        boxes: boxes.into_iter().map(of_box).collect(),
        forks: forks.collect(),
        differing: standings.bad.iter().map(|bucket| json!(bucket)).collect(),
        reconciled_days,
        troubles,
    }))
}

/// Whether the box that was left behind may come back.
#[derive(Debug, Deserialize, JsonSchema)]
struct ForkDecision {
    /// True: it may, and takes the other's rows in first. False: what it still has is only kept for review.
    accept: bool,
}

async fn decide_fork(
    cx: Cx,
    Path((id, epoch)): Path<(Uuid, Uuid)>,
    Json(decision): Json<ForkDecision>,
) -> Result<Response, Problem> {
    covered(&cx, id).await?;
    let accept = decision.accept;
    cx.app.hub.decide_fork(id, epoch, accept).await.map_err(refused)?;
    cx.change(StatusCode::OK, move |change, actor| {
        let note = audit::Note::new("fork.decide", "fork", Some(epoch)).at(Some(id));
        audit::record(change, actor, note.detail(json!({"accept": accept})))?;
        Ok(Done {})
    })
    .await
}
