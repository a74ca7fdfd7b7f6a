//! `/kitchen/stations`.

use super::tickets::spoken_by;
use crate::access::Cx;
use crate::config::Printers;
use crate::db::{self, Source};
use crate::http::{Created, Data, Id, Json, Paged, Paging, Patch, Query, Replace, Result, Updated};
use crate::resources::kitchen::displays::{move_display, watched};
use crate::resources::kitchen::rules::{KitchenError, Station, StationFields, StationKind, StationWatch};
use crate::resources::kitchen::{actions, store};
use crate::resources::menu::rules::{Texts, TextsPatch};
use axum::extract::State;
use tiffin_common::{Millis, Uuid};

view! {
    /// A kitchen station.
    pub struct KitchenStation of station: Station {
        id: Uuid,
        name: String = station.fields.name,
        /// PREP cooks; EXPO sees every ticket and hands out.
        kind: StationKind = station.fields.kind,
        /// Gets every line without a station of its own.
        is_default: bool = station.fields.is_default,
        /// Minutes from firing to ready, for items that name none.
        target_minutes: i64 = station.fields.target_minutes,
        /// `host` or `host:port` of a printer; one of the outlet's printers may name the station instead.
        printer_address: Option<String> = station.fields.printer_address,
        /// Every ticket goes on paper at once, and the paper counts as acknowledged.
        print_tickets: bool = station.fields.print_tickets,
        /// Shows what no display here acknowledged, when there is no printer.
        fallback_station_id: Option<Uuid> = station.fields.fallback_station_id,
        /// The language that its cooks read on its displays and its paper, such as `hi`; null: as its printer has it, on displays as things
        /// are called.
        language: Option<String> = station.fields.language,
        /// Its name in other languages: `{"hi": {"name": …}}`.
        #[serde(skip_serializing_if = "Texts::is_empty")]
        texts: Texts = station.fields.texts,
        /// Displays that follow it now; told where stations are read, at the branch.
        displays: usize = 0,
        /// When a display last followed it; told where stations are read, at the branch.
        last_seen_at: Option<Millis> = None,
        /// Since when none follows it, though some did; null while one does, and where none ever did.
        unwatched_since: Option<Millis> = None,
        version: i64,
        created_at: Millis,
        updated_at: Millis,
    }
}

/// In which language the stations are read.
#[apply(request!)]
pub struct ListStations {
    /// One of the outlet's `languages`; absent: of a display the one that its station's cooks read.
    #[schemars(length(max = 40))]
    lang: Option<String>,
    #[serde(flatten)]
    paging: Paging,
}

/// Lists the stations, the oldest first.
pub async fn list_stations(cx: Cx, Query(query): Query<ListStations>) -> Result<Paged<KitchenStation>> {
    let (is_copy, paging, who) = (cx.db.is_copy(), query.paging, cx.principal.clone());
    let look = move |conn: &dyn Source, outlet| -> db::Result<_> {
        let mut page = store::list_stations(conn, outlet, paging)?;
        if let Some(language) = spoken_by(conn, outlet, &who, None, query.lang.as_deref())? {
            for fields in page.items.iter_mut().map(|station| &mut station.fields) {
                let texts = fields.texts.clone();
                texts.put(&language, &mut fields.name, None);
            }
        }
        Ok((page, noted(conn, is_copy)?))
    };
    let (page, watches) = cx.read(look).await?;
    Ok(Paged::new(page.map(|station| seen(&cx, station, &watches)), paging))
}

/// What this box has noted of displays; head office's copy has none of it.
fn noted(conn: &dyn Source, is_copy: bool) -> db::Result<Vec<StationWatch>> {
    if is_copy { Ok(Vec::new()) } else { store::list_watches(conn) }
}

/// A station with the displays that follow it.
fn seen(cx: &Cx, station: Station, watches: &[StationWatch]) -> KitchenStation {
    let (displays, last) = watched(cx.outlet_id, station.id, cx.db.env().clock.now());
    let noted = watches.iter().find(|watch| watch.station == station.id);
    let unwatched_since = noted.and_then(|watch| watch.unwatched_since).filter(|_| displays == 0);
    let last_seen_at = last.or(unwatched_since).or(noted.and_then(|watch| watch.seen_at));
    KitchenStation { displays, last_seen_at, unwatched_since, ..station.into() }
}

/// One station.
pub async fn get_station(cx: Cx, Id(id): Id) -> Result<Data<KitchenStation>> {
    let is_copy = cx.db.is_copy();
    let look = move |conn: &dyn Source, outlet| -> db::Result<_> {
        Ok((store::find_station(conn, outlet, id)?, noted(conn, is_copy)?))
    };
    let (found, watches) = cx.read(look).await?;
    let station = found.ok_or(KitchenError::NotFound("station"))?;
    Ok(Data::new(seen(&cx, station, &watches)))
}

/// A new station.
#[apply(request!)]
pub struct CreateStation {
    #[schemars(length(min = 1, max = 60))]
    name: String,
    /// PREP cooks; EXPO sees every ticket and hands out.
    #[serde(default)]
    kind: Option<StationKind>,
    #[serde(default)]
    is_default: bool,
    /// 15 unless set.
    #[serde(default)]
    #[schemars(range(min = 1, max = 240))]
    target_minutes: Option<i64>,
    #[serde(default)]
    #[schemars(length(max = 260))]
    printer_address: Option<String>,
    #[serde(default)]
    print_tickets: bool,
    #[serde(default)]
    fallback_station_id: Option<Uuid>,
    /// The language that its cooks read on its displays and its paper, such as `hi`; its printer's unless set.
    #[serde(default)]
    #[schemars(length(max = 12))]
    language: Option<String>,
    /// Its name in other languages: `{"hi": {"name": …}}`.
    #[serde(default)]
    texts: TextsPatch,
}

/// Makes a station.
pub async fn create_station(
    cx: Cx,
    State(reach): State<Printers>,
    Json(body): Json<CreateStation>,
) -> Result<Created<KitchenStation>> {
    let defaults = StationFields::first();
    let fields = StationFields {
        name: body.name,
        kind: body.kind.unwrap_or(defaults.kind),
        is_default: body.is_default,
        target_minutes: body.target_minutes.unwrap_or(defaults.target_minutes),
        printer_address: body.printer_address,
        print_tickets: body.print_tickets,
        fallback_station_id: body.fallback_station_id,
        language: body.language,
        texts: body.texts.apply(Texts::default()),
    };
    cx.create(move |tx, actor| actions::create_station(tx, actor, fields, &reach)).await
}

patch! {
    /// A change of a station.
    pub struct UpdateStation of StationFields {
        #[schemars(length(min = 1, max = 60))]
        name: Replace<String>,
        kind: Replace<StationKind>,
        is_default: Replace<bool>,
        #[schemars(range(min = 1, max = 240))]
        target_minutes: Replace<i64>,
        #[schemars(length(max = 260))]
        printer_address: Patch<String>,
        print_tickets: Replace<bool>,
        fallback_station_id: Patch<Uuid>,
        /// The language that its cooks read on its displays and its paper, such as `hi`; null: as its printer has it, on displays as things
        /// are called.
        #[schemars(length(max = 12))]
        language: Patch<String>,
        /// Its name in other languages: one that is absent stays, null takes one away.
        texts: TextsPatch,
    }
}

/// Changes a station.
pub async fn update_station(
    cx: Cx,
    Id(id): Id,
    State(reach): State<Printers>,
    Json(body): Json<UpdateStation>,
) -> Result<Updated<KitchenStation>> {
    let (db, outlet) = (cx.db.clone(), cx.outlet_id);
    let find = move |conn: &dyn Source| -> db::Result<_> {
        Ok(store::find_station(conn, outlet, id)?.and_then(|station| station.fields.language))
    };
    let before = db.read(find).await?;
    let changed = cx
        .change(move |tx, actor, expected| {
            actions::update_station(tx, actor, id, expected, |fields| body.over(fields), &reach)
        })
        .await?;
    // Who stands there reads everything anew.
    if before != db.read(find).await? {
        let displays = db.read(move |conn| store::list_displays_at(conn, outlet, id)).await?;
        displays.into_iter().for_each(move_display);
    }
    Ok(changed)
}

/// Archives a station; answers how it was.
pub async fn delete_station(cx: Cx, Id(id): Id) -> Result<Updated<KitchenStation>> {
    cx.change(move |tx, actor, expected| actions::archive_station(tx, actor, id, expected)).await
}
