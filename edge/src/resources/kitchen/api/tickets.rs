//! `/kitchen/tickets`.

use crate::access::{Actor, Cx, Principal};
use crate::db::{self, Source, Tx};
use crate::http::sse::Shown;
use crate::http::{Created, Data, Id, Json, Paged, Paging, Query, Result, Updated, several};
use crate::resources::kitchen::actions::{self, Follow};
use crate::resources::kitchen::rules::{
    ItemStatus, KitchenError, Sight, Ticket, TicketItem, TicketStatus, TicketType, Verb,
};
use crate::resources::kitchen::store::{self, Filter};
use crate::resources::menu::rules::WeightUnit;
use crate::resources::{auth, outlets};
use tiffin_common::{Millis, Quantity, Uuid};

/// How far back closed tickets are shown unless `since` says otherwise.
const RECENT_MS: i64 = 24 * 3_600_000;

view! {
    /// A line on a kitchen ticket.
    pub struct KitchenTicketItem of item: &TicketItem {
        id: Uuid,
        order_item_id: Uuid,
        menu_item_id: Uuid,
        /// The variant of the dish, which `name` has behind it.
        variant_id: Option<Uuid>,
        name: String = item.name.clone(),
        /// What the combo is called that it is a component of: whoever assembles it waits for its other ones.
        combo_name: Option<String> = item.combo_name.clone(),
        /// How many portions to cook.
        quantity: i64,
        /// How much of it, in `weightUnit`, where it is sold by weight.
        #[serde(skip_serializing_if = "Option::is_none")]
        weight: Option<Quantity>,
        /// What it was weighed in.
        #[serde(skip_serializing_if = "Option::is_none")]
        weight_unit: Option<WeightUnit>,
        /// Options and wishes, as the kitchen reads them.
        modifiers: Vec<String> = item.modifiers.clone(),
        notes: Option<String> = item.notes.clone(),
        seat_number: Option<i64>,
        /// What is in the dish that guests must not eat unknowing.
        allergens: Vec<String> = item.allergens.clone(),
        status: ItemStatus,
        started_at: Option<Millis>,
        ready_at: Option<Millis>,
    }
}

view! {
    /// A kitchen ticket.
    pub struct KitchenTicket of ticket: Ticket, now: Millis {
        id: Uuid,
        /// Per station and business date, from 1.
        ticket_number: i64,
        business_date: chrono::NaiveDate,
        order_id: Uuid,
        order_number: String,
        token_number: i64,
        order_type: String,
        table_number: Option<String>,
        station_id: Uuid,
        station_name: String,
        /// Whether it is new, an addition, a change and so on.
        r#type: TicketType = ticket.kind,
        course: i64,
        status: TicketStatus,
        /// Higher is cooked first.
        priority: i64,
        notes: Option<String>,
        /// Who serves: the employee, or the account where none is known.
        server: Option<TicketServer> = ticket.of_order.server_id.zip(ticket.of_order.server_name.clone())
            .map(|(id, name)| TicketServer { id, name }),
        /// How many guests.
        guest_count: Option<i64> = ticket.of_order.guest_count,
        /// What to call the guest.
        customer_name: Option<String> = ticket.of_order.customer_name.clone(),
        /// When the guest wants it, of an order for later.
        scheduled_for: Option<Millis> = ticket.of_order.scheduled_for,
        /// COPY n of a reprint; of other tickets, how many copies were made.
        copy_number: i64,
        /// The ticket a MODIFICATION, CANCELLATION, TRANSFER or REPRINT is about.
        refers_to_id: Option<Uuid>,
        /// What to cook, line by line.
        items: Vec<KitchenTicketItem> = ticket.items.iter().map(KitchenTicketItem::from).collect(),
        created_at: Millis,
        /// Null while the course is held.
        fired_at: Option<Millis>,
        started_at: Option<Millis>,
        ready_at: Option<Millis>,
        served_at: Option<Millis>,
        cancelled_at: Option<Millis>,
        /// Null while the course is held, and on slips.
        target_ready_at: Option<Millis>,
        is_late: bool = ticket.is_late(now),
        acked_at: Option<Millis>,
        /// When nobody had acknowledged it in time.
        escalated_at: Option<Millis>,
        /// The station that shows it besides since then; null where it went to a printer, or where there is no other.
        escalated_to_id: Option<Uuid>,
        recalled_count: i64,
        version: i64,
        updated_at: Millis,
    }
}

/// A ticket as `GET /kitchen/tickets/{id}` shows it, for who follows tickets.
#[derive(Debug)]
pub struct ShownTicket {
    /// The ticket.
    pub shown: Shown,
    /// The same on a board.
    pub on_board: Shown,
    /// Whose it is.
    pub station: Uuid,
    /// Who shows it besides, since nobody there had acknowledged it.
    pub escalated_to: Option<Uuid>,
    /// The channel that its order came through, and the account that took it.
    pub origin: (Option<Uuid>, Option<Uuid>),
}

/// The ticket of that id as its GET shows it at `now`, to be read in `language`; none where the outlet has no such ticket.
pub fn shown(
    conn: &dyn Source,
    outlet: Uuid,
    id: Uuid,
    (now, language): (Millis, Option<&str>),
) -> db::Result<Option<ShownTicket>> {
    let Some(ticket) = store::find_ticket(conn, outlet, id)? else { return Ok(None) };
    let ticket = actions::worded(conn, outlet, language, ticket)?;
    let (station, escalated_to, version) = (ticket.station_id, ticket.escalated_to_id, ticket.version);
    let origin = auth::store::find_origin(conn, outlet, ticket.order_id)?.unwrap_or_default();
    let on_board = KitchenTicket::of(Sight::Board.of_ticket(ticket.clone()), now);
    let (shown, on_board) =
        (Shown::of(version, &KitchenTicket::of(ticket, now)), Shown::of(version, &on_board));
    Ok(Some(ShownTicket { shown, on_board, station, escalated_to, origin }))
}

/// Who serves the guests of a ticket.
#[apply(answer!)]
pub struct TicketServer {
    /// The employee; the account where none is known.
    id: Uuid,
    /// What to call them.
    name: String,
}

/// Filters of the list. With none of `status`, `since` and `orderId`: what is open.
#[apply(filters!)]
pub struct ListTickets {
    /// One station; what was escalated to it too. All when it is an EXPO station.
    station_id: Option<Uuid>,
    /// Only tickets of this status, or of one of these, with commas between them.
    #[schemars(length(max = 80))]
    status: Option<String>,
    /// Changed at or after this moment, of that business date or the one before.
    since: Option<Millis>,
    /// With lines of this order, in any state.
    order_id: Option<Uuid>,
    /// One of the outlet's `languages`; absent: the one that the station's cooks read, where one station is asked about, or a display of one
    /// asks.
    #[schemars(length(max = 40))]
    lang: Option<String>,
    #[serde(flatten)]
    paging: Paging,
}

/// In which language.
#[apply(filters!)]
pub struct ReadTicket {
    /// One of the outlet's `languages`; absent: of a display the one that its station's cooks read.
    #[schemars(length(max = 40))]
    lang: Option<String>,
}

impl ReadTicket {
    /// `ticket` as it is to be read by `actor`.
    fn of(&self, conn: &dyn Source, actor: &Actor, ticket: Ticket) -> db::Result<Ticket> {
        let (outlet, who) = (actor.outlet_id, (actor.role, actor.account_id));
        let language = actions::language_of(conn, outlet, who, None, self.lang.as_deref())?;
        actions::worded(conn, outlet, language.as_deref(), ticket)
    }

    /// The same as it is answered after a change.
    fn after(
        &self,
        tx: &Tx<'_>,
        actor: &Actor,
        changed: Result<Ticket, KitchenError>,
    ) -> Result<KitchenTicket, KitchenError> {
        Ok(KitchenTicket::of(self.of(tx, actor, changed?)?, tx.now()))
    }
}

/// How much of the kitchen whoever asks sees.
pub fn sight_of(conn: &dyn Source, outlet: Uuid, who: &Principal) -> db::Result<Sight> {
    actions::sight(conn, outlet, Some(who.role), Some(who.account_id))
}

/// The language that whoever asks reads, who may ask about one station or in one language.
pub fn spoken_by(
    conn: &dyn Source,
    outlet: Uuid,
    who: &Principal,
    asked: Option<Uuid>,
    lang: Option<&str>,
) -> db::Result<Option<String>> {
    actions::language_of(conn, outlet, (Some(who.role), Some(who.account_id)), asked, lang)
}

/// Lists tickets in the order they are to be cooked.
pub async fn list_tickets(cx: Cx, Query(query): Query<ListTickets>) -> Result<Paged<KitchenTicket>> {
    let statuses = several("status", query.status.as_deref(), TicketStatus::of_name, TicketStatus::ALL)?;
    let (now, paging, who) = (cx.db.env().clock.now(), query.paging, cx.principal.clone());
    let page = cx
        .read(move |conn, outlet| -> Result<_, KitchenError> {
            let sight = sight_of(conn, outlet, &who)?;
            let station = actions::station_in(conn, outlet, sight, query.station_id)?;
            let is_closed = |s: &TicketStatus| matches!(s, TicketStatus::Served | TicketStatus::Cancelled);
            let wants_closed = statuses.iter().any(is_closed);
            let since = query.since.or(wants_closed.then(|| now.after(-RECENT_MS)));
            let since = match since {
                Some(moment) => {
                    let date = outlets::store::find(conn, outlet)?.business_date(moment);
                    Some((moment, date.pred_opt().unwrap_or(date)))
                }
                None => None,
            };
            let filter = Filter { station, statuses, since, order: query.order_id };
            let mut page = store::list_tickets(conn, outlet, &filter, paging)?;
            if let Some(language) = spoken_by(conn, outlet, &who, query.station_id, query.lang.as_deref())? {
                actions::put_in(conn, outlet, &language, &mut page.items)?;
            }
            Ok(page.map(|ticket| sight.of_ticket(ticket)))
        })
        .await?;
    Ok(Paged::new(page.map(|ticket| KitchenTicket::of(ticket, now)), paging))
}

/// One ticket.
pub async fn get_ticket(
    cx: Cx,
    Id(id): Id,
    Query(reading): Query<ReadTicket>,
) -> Result<Data<KitchenTicket>> {
    let (now, who, actor) = (cx.db.env().clock.now(), cx.principal.clone(), cx.actor());
    let look = cx.read(move |conn, outlet| -> Result<_, KitchenError> {
        let found = actions::seen(conn, outlet, sight_of(conn, outlet, &who)?, id)?;
        let reach = auth::actions::reach(conn, actor.role, actor.account_id)?;
        match auth::actions::is_within(conn, outlet, reach.as_ref(), found.order_id)? {
            true => Ok(reading.of(conn, &actor, found)?),
            false => Err(KitchenError::NotFound("ticket")),
        }
    });
    let ticket = look.await?;
    Ok(Data::new(KitchenTicket::of(ticket, now)))
}

/// A change of a ticket.
#[apply(request!)]
pub struct UpdateTicket {
    /// Higher is cooked first; 0 is ordinary.
    #[schemars(range(min = -9, max = 9))]
    priority: i64,
}

/// Puts a ticket before or behind others.
pub async fn update_ticket(
    cx: Cx,
    Id(id): Id,
    Query(reading): Query<ReadTicket>,
    Json(body): Json<UpdateTicket>,
) -> Result<Updated<KitchenTicket>> {
    cx.change(move |tx, actor, expected| {
        reading.after(tx, actor, actions::set_priority(tx, actor, id, expected, body.priority))
    })
    .await
}

/// Does `verb` to a ticket.
pub async fn act_on_ticket(
    cx: Cx,
    id: Uuid,
    reading: ReadTicket,
    verb: Verb,
    follow: Follow,
) -> Result<Updated<KitchenTicket>> {
    cx.update(move |tx, actor| reading.after(tx, actor, actions::act(tx, actor, id, verb, follow))).await
}

/// Does `verb` to one item of a ticket.
pub async fn act_on_ticket_item(
    cx: Cx,
    ids: (Uuid, Uuid),
    reading: ReadTicket,
    verb: Verb,
    follow: Follow,
) -> Result<Updated<KitchenTicket>> {
    cx.update(move |tx, actor| reading.after(tx, actor, actions::act_on_item(tx, actor, ids, verb, follow)))
        .await
}

/// Makes a copy of a ticket.
pub async fn reprint_ticket(
    cx: Cx,
    Id(id): Id,
    Query(reading): Query<ReadTicket>,
) -> Result<Created<KitchenTicket>> {
    cx.create(move |tx, actor| reading.after(tx, actor, actions::reprint(tx, actor, id))).await
}
