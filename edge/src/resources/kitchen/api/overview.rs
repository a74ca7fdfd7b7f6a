//! The kitchen as a whole: `/kitchen/all-day`, `/kitchen/orders`, and everything acknowledged at once.

use super::tickets::{sight_of, spoken_by};
use crate::access::Cx;
use crate::http::{Data, Id, Query, Result, Updated};
use crate::resources::kitchen::rules::{self, AllDay, ExpoOrder, KitchenError};
use crate::resources::kitchen::{actions, store};
use tiffin_common::Uuid;

/// Whose work is asked about.
#[apply(filters!)]
pub struct WholeKitchen {
    /// One station; all when absent or an EXPO station.
    station_id: Option<Uuid>,
    /// One of the outlet's `languages`; absent: the one that the station's cooks read, where one station is asked about, or a display of one
    /// asks.
    #[schemars(length(max = 40))]
    lang: Option<String>,
}

/// In which language the pass is read.
#[apply(filters!)]
pub struct ReadPass {
    /// One of the outlet's `languages`; absent: of a display the one that its station's cooks read.
    #[schemars(length(max = 40))]
    lang: Option<String>,
}

/// What is to be cooked, dish by dish.
pub async fn get_all_day(cx: Cx, Query(query): Query<WholeKitchen>) -> Result<Data<AllDay>> {
    let who = cx.principal.clone();
    cx.get(move |conn, outlet| -> Result<_, KitchenError> {
        let station = actions::station_in(conn, outlet, sight_of(conn, outlet, &who)?, query.station_id)?;
        let mut open = store::list_open(conn, outlet, station)?;
        if let Some(language) = spoken_by(conn, outlet, &who, query.station_id, query.lang.as_deref())? {
            actions::put_in(conn, outlet, &language, &mut open)?;
        }
        Ok(rules::all_day(&open))
    })
    .await
}

/// The orders at the pass, the oldest first, with a lamp per station.
pub async fn list_expo_orders(cx: Cx, Query(query): Query<ReadPass>) -> Result<Data<Vec<ExpoOrder>>> {
    let (now, who) = (cx.db.env().clock.now(), cx.principal.clone());
    cx.get(move |conn, outlet| -> Result<_, KitchenError> {
        let sight = sight_of(conn, outlet, &who)?;
        let mut open = store::list_open(conn, outlet, sight.station())?;
        if let Some(language) = spoken_by(conn, outlet, &who, None, query.lang.as_deref())? {
            actions::put_in(conn, outlet, &language, &mut open)?;
        }
        let orders = rules::expo(&open, now);
        Ok(orders.into_iter().map(|order| sight.of_order(order)).collect::<Vec<_>>())
    })
    .await
}

/// What was acknowledged.
#[apply(answer!)]
pub struct Acknowledged {
    /// The station whose tickets were acknowledged.
    station_id: Uuid,
    /// Tickets and slips that nobody had acknowledged.
    tickets: usize,
}

/// Acknowledges whatever nobody has acknowledged at a station.
pub async fn ack_station(cx: Cx, Id(id): Id) -> Result<Updated<Acknowledged>> {
    cx.update(move |tx, actor| {
        actions::ack_all(tx, actor, id).map(|tickets| Acknowledged { station_id: id, tickets })
    })
    .await
}
