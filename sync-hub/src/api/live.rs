//! `/hub/stream`: what happens at the outlets, for screens. One watcher works out for the whole process what changed, at most once a
//! second for each outlet; every client first gets all its outlets as they stand, so that a client that was cut off misses
//! nothing. Never an order, only figures.

use super::chain::{self, Answer, ChainError, Fresh};
use super::guard::Cx;
use super::outlets::{alarms, standing};
use crate::live::Event;
use crate::merge::{self, Standings};
use crate::registry::outlets::{self, Outlet};
use crate::state::{AppState, Routes};
use crate::store::Wake;
use axum::http::{HeaderName, HeaderValue};
use axum::response::sse::{Event as Frame, KeepAlive, Sse};
use axum::response::{IntoResponse, Response};
use edge::access::{Permission, get};
use edge::db::Source;
use edge::http::Problem;
use edge::http::sse::stopped;
use edge::resources::analytics::rules::{Headline, Period};
use edge::resources::analytics::store::{self, Question};
use edge::resources::outlets as branch;
use futures_util::stream::{self, Stream, StreamExt};
use serde::Serialize;
use std::collections::{HashMap, HashSet, VecDeque};
use std::convert::Infallible;
use std::time::Duration;
use tiffin_common::{Cents, Millis, Uuid};
use tokio::sync::broadcast;
use tokio::sync::broadcast::error::RecvError;
use tokio::time::Instant;

/// How often what changed is looked at.
const TICK: Duration = Duration::from_secs(1);

/// Every so many ticks it is looked who went offline.
const ONLINE_TICKS: u32 = 5;

/// How often an idle stream says that it is alive.
const HEARTBEAT: Duration = Duration::from_secs(15);

/// The longest a stream lives: as long as an access token.
const LIFE: Duration = Duration::from_secs(15 * 60);

pub(super) fn routes() -> Routes {
    Routes::group(
        "hub",
        [get("/hub/stream", Permission::AnalyticsRead, get_stream)
            .summary("Server-sent events: outlets on and off, positions, the day's sales, alarms")
            .produces("text/event-stream")],
    )
}

/// An outlet as screens show it.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
#[serde(rename_all = "camelCase")]
struct Shown {
    outlet_id: Uuid,
    code: String,
    name: String,
    #[serde(flatten)]
    fresh: Fresh,
    rows_waiting: Option<i64>,
    standing: &'static str,
}

/// The sales of an outlet's present business date.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
#[serde(rename_all = "camelCase")]
struct Sales {
    outlet_id: Uuid,
    business_date: String,
    currency: String,
    orders_count: i64,
    net_revenue_cents: Cents,
}

/// Something somebody has to look at.
#[derive(Debug, Clone, PartialEq, Eq, Hash, Serialize)]
#[serde(rename_all = "camelCase")]
struct Alarm {
    outlet_id: Uuid,
    /// FORK, DIGEST or QUARANTINE.
    kind: &'static str,
    count: i64,
}

/// What was last told of an outlet.
#[derive(Debug, Clone, PartialEq, Eq)]
struct State {
    shown: Shown,
    sales: Option<Sales>,
    alarms: Vec<Alarm>,
}

fn today(from: &dyn Source, outlet: Uuid, now: Millis) -> Result<Sales, ChainError> {
    let outlet = branch::store::find(from, outlet)?;
    let date = outlet.business_date(now);
    let question = Question::find(from, &outlet, Period::Today.range(date), now)?;
    let figures = Headline::of(&question.sum(from)?, store::count_tables(from, outlet.id)?)?;
    Ok(Sales {
        outlet_id: outlet.id,
        business_date: date.to_string(),
        currency: outlet.currency.clone(),
        orders_count: figures.orders_count,
        net_revenue_cents: figures.net_revenue_cents,
    })
}

fn state(app: &AppState, answer: Answer<(Standings, Sales)>) -> State {
    let Answer { outlet, fresh, found } = answer;
    let waiting = chain::presence(app, &outlet).and_then(|said| said.rows_waiting);
    let (standings, sales) = found.map_or((Standings::default(), None), |(s, sales)| (s, Some(sales)));
    let outlet_id = outlet.card.id;
    let alarms = alarms(&standings).into_iter();
    State {
        alarms: alarms.map(|(kind, count)| Alarm { outlet_id, kind, count }).collect(),
        shown: Shown {
            outlet_id,
            code: outlet.card.code,
            name: outlet.card.name,
            fresh,
            rows_waiting: waiting,
            standing: standing(true, &standings),
        },
        sales,
    }
}

/// How `outlets` stand now.
fn states(app: &AppState, outlets: Vec<Outlet>) -> impl Stream<Item = Result<State, Problem>> + use<> {
    let now = app.env().clock.now();
    let answers = chain::each(app, outlets, move |from, outlet| {
        let standings = merge::standings(from, outlet.card.id)?;
        Ok((standings, today(from, outlet.card.id, now)?))
    });
    let app = app.clone();
    answers.map(move |answer| answer.map(|answer| state(&app, answer)))
}

fn event(outlet: Uuid, name: &'static str, data: &impl Serialize) -> Event {
    Event { outlet, name, data: serde_json::to_string(data).unwrap_or_default() }
}

/// What there is to tell of `now`, when `before` was told.
fn news(before: Option<&State>, now: &State) -> Vec<Event> {
    let id = now.shown.outlet_id;
    let mut events = Vec::new();
    if before.is_none_or(|before| before.shown != now.shown) {
        events.push(event(id, "outlet", &now.shown));
    }
    if let Some(sales) = &now.sales
        && before.is_none_or(|before| before.sales.as_ref() != Some(sales))
    {
        events.push(event(id, "sales", sales));
    }
    for alarm in &now.alarms {
        if before.is_none_or(|before| !before.alarms.contains(alarm)) {
            events.push(event(id, "alarm", alarm));
        }
    }
    events
}

/// Watches the outlets for as long as the process lives. Works only while somebody listens.
pub async fn watch(app: AppState) {
    let mut stopping = app.stopping.0.clone();
    let mut wakes = app.stores().store().wakes();
    let (mut told, mut changed) = (HashMap::<Uuid, State>::new(), HashSet::<Uuid>::new());
    let (mut ticks, mut everybody) = (tokio::time::interval(TICK), true);
    let mut count = 0_u32;
    loop {
        tokio::select! {
            () = stopped(&mut stopping) => return,
            wake = wakes.recv() => match wake {
                Ok(Wake::Pushed(outlet) | Wake::Feed(outlet) | Wake::Parcels(outlet)) => {
                    changed.insert(outlet);
                }
                Ok(Wake::Registry) | Err(RecvError::Lagged(_)) => everybody = true,
                Err(RecvError::Closed) => return,
            },
            _ = ticks.tick() => {
                if !app.live.is_heard() {
                    told.clear();
                    continue;
                }
                count = count.wrapping_add(1);
                everybody |= count.is_multiple_of(ONLINE_TICKS);
                if let Err(error) = tell(&app, &mut told, &mut changed, everybody).await {
                    tracing::warn!(%error, "what changed at the outlets cannot be told");
                }
                everybody = false;
            }
        }
    }
}

async fn tell(
    app: &AppState,
    told: &mut HashMap<Uuid, State>,
    changed: &mut HashSet<Uuid>,
    everybody: bool,
) -> Result<(), Problem> {
    if changed.is_empty() && !everybody {
        return Ok(());
    }
    let mut all = app.look(|from| Ok(outlets::list(from)?)).await?;
    if !told.is_empty() {
        // Of the others only those whose box came or went.
        let now = app.env().clock.now();
        all.retain(|outlet| {
            let said = chain::presence(app, outlet);
            let online = Fresh::of(said.as_ref(), &Standings::default(), now).is_online();
            let before = told.get(&outlet.card.id);
            changed.contains(&outlet.card.id)
                || before.is_none_or(|before| before.shown.fresh.is_online() != online)
        });
    }
    changed.clear();
    let states = states(app, all);
    futures_util::pin_mut!(states);
    while let Some(now) = states.next().await {
        let now = now?;
        for event in news(told.get(&now.shown.outlet_id), &now) {
            app.live.tell(event);
        }
        told.insert(now.shown.outlet_id, now);
    }
    Ok(())
}

/// One client.
struct Client {
    queue: VecDeque<Event>,
    events: broadcast::Receiver<Event>,
    visible: Option<Vec<Uuid>>,
    stopping: tokio::sync::watch::Receiver<bool>,
    ends_at: Instant,
}

impl Client {
    async fn next(&mut self) -> Option<Event> {
        if let Some(event) = self.queue.pop_front() {
            return Some(event);
        }
        loop {
            let event = tokio::select! {
                () = stopped(&mut self.stopping) => return None,
                () = tokio::time::sleep_until(self.ends_at) => return None,
                event = self.events.recv() => event,
            };
            match event {
                Ok(event) if self.sees(event.outlet) => return Some(event),
                Ok(_) => {}
                // It comes back and gets everything as it stands.
                Err(_) => return None,
            }
        }
    }

    fn sees(&self, outlet: Uuid) -> bool {
        self.visible.as_ref().is_none_or(|visible| visible.contains(&outlet))
    }
}

async fn get_stream(cx: Cx) -> Result<Response, Problem> {
    // Heard from before the look, so that nothing falls between.
    let events = cx.app.live.listen();
    let outlets = chain::asked(&cx, None).await?;
    let mut queue = VecDeque::new();
    let states = states(&cx.app, outlets);
    futures_util::pin_mut!(states);
    while let Some(state) = states.next().await {
        queue.extend(news(None, &state?));
    }
    let client = Client {
        queue,
        events,
        visible: cx.visible(),
        stopping: cx.app.stopping.0.clone(),
        ends_at: Instant::now() + LIFE,
    };
    let frames = stream::unfold(client, |mut client| async move {
        let event = client.next().await?;
        let frame = Frame::default().event(event.name).data(event.data);
        Some((Ok::<_, Infallible>(frame), client))
    });
    let heartbeat =
        KeepAlive::new().interval(HEARTBEAT).event(Frame::default().event("heartbeat").data("{}"));
    let mut response = Sse::new(frames).keep_alive(heartbeat).into_response();
    // Proxies that gather a body before passing it on would hold events back.
    response
        .headers_mut()
        .insert(HeaderName::from_static("x-accel-buffering"), HeaderValue::from_static("no"));
    Ok(response)
}
