//! The public routes behind a table's QR code. The token is the only right a guest has: to this table's menu, to order here,
//! and to see what the present party ordered. Never a name or phone of anybody.

use super::super::actions::{self, qr::Code, qr::GuestOrder as GuestCommand, qr::Wish};
use super::super::rules::combos::{Sold, as_sold};
use super::super::rules::{LineRecord, LineRequest, OrderError, OrderRecord, OrderStatus};
use super::super::store;
use super::guest_lines::CreateGuestOrder;
use super::place::text;
use crate::access::{Actor, once::keep_once};
use crate::db::{Db, Source};
use crate::http::idempotency::{self, Idempotency};
use crate::http::sse::Shown;
use crate::http::{Data, Json, Path, Problem, Query, Result};
use crate::resources::menu::rules::WeightUnit;
use crate::resources::tables::{self, Table};
use axum::Extension;
use axum::extract::State;
use axum::http::StatusCode;
use axum::response::Response;
use tiffin_common::{Cents, Millis, Quantity, Uuid, id_of_hash};

/// The table of a token. A token that was never given, or has been rotated, opens nothing.
pub(super) fn table_of(conn: &dyn Source, token: &str) -> Result<Table, OrderError> {
    tables::store::find_by_token(conn, token)?.ok_or(OrderError::NotFound("table"))
}

/// Who looks.
#[apply(filters!)]
pub struct GuestQuery {
    /// The phone's own token.
    #[schemars(length(min = 16, max = 64))]
    guest_token: Option<String>,
}

/// What is kept of a phone's token.
fn key_of(token: &str) -> Uuid {
    id_of_hash(blake3::hash(token.as_bytes()).as_bytes())
}

view! {
    /// An order, for the guests of its table.
    pub struct GuestOrder of order: &OrderRecord, code: Option<String> {
        /// Id of the order.
        id: Uuid,
        /// The order's number, as called and printed.
        order_number: String = order.order_number.clone(),
        /// What is called out.
        token_number: i64,
        /// Where the order stands; PENDING waits for the staff.
        status: OrderStatus,
        /// Staff have yet to accept it.
        awaits_approval: bool = order.awaits_approval(),
        /// What was ordered, line by line.
        items: Vec<GuestOrderItem> =
            as_sold(&order.lines).into_iter().filter(|sold| sold.line.quantity > 0).map(GuestOrderItem::from).collect(),
        /// Lines before discounts, without tax.
        subtotal_cents: Cents = order.subtotal,
        /// All taxes of the order.
        tax_cents: Cents = order.tax,
        /// What it comes to.
        total_amount_cents: Cents = order.total,
        /// Still to be paid.
        due_cents: Cents = order.shown_due(),
        /// Printed on the bill, too: with it and the number a guest says how it was.
        receipt_code: Option<String> = order.receipt_code.clone(),
        /// When it was taken.
        created_at: Millis,
        /// The party's four digits, which later orders carry so that they need not wait; for the phone whose order staff accepted.
        #[serde(skip_serializing_if = "Option::is_none")]
        session_code: Option<String> = code,
    }
}

view! {
    /// A line, for the guests of its table.
    pub struct GuestOrderItem of sold: Sold<'_> {
        /// Name of the dish.
        name: String = sold.line.name.clone(),
        /// How many portions of it.
        quantity: i64 = sold.line.quantity,
        /// How much of it, in `weightUnit`, where it is sold by weight.
        #[serde(skip_serializing_if = "Option::is_none")]
        weight: Option<Quantity> = sold.line.weight,
        /// What it was weighed in.
        #[serde(skip_serializing_if = "Option::is_none")]
        weight_unit: Option<WeightUnit> = sold.line.weight_unit,
        /// Options and wishes.
        modifiers: Vec<String> = names_of(sold.line),
        /// Of a combo, what was chosen for it.
        components: Vec<GuestOrderComponent> = sold.components.iter().map(GuestOrderComponent::from).collect(),
        /// (unit × weight, where it has one, + modifiers) × quantity; of a combo, with what its options ask on top.
        line_total_cents: Cents = sold.sum(|line| line.gross),
    }
}

view! {
    /// A component of a combo, for the guests of its table.
    pub struct GuestOrderComponent of line: &LineRecord {
        /// What it was chosen for, such as Drink.
        name: String = line.component.clone().unwrap_or_default(),
        /// Name of the dish.
        item_name: String = line.name.clone(),
        /// What it asks on top of the combo's price.
        extra_cents: Cents = line.extra,
        /// Options and wishes.
        modifiers: Vec<String> = names_of(line),
    }
}

fn names_of(line: &LineRecord) -> Vec<String> {
    line.modifiers.iter().map(|modifier| modifier.name.clone()).collect()
}

/// Takes a guest's order.
pub async fn create_table_order(
    State(db): State<Db>,
    idempotency: Option<Extension<Idempotency>>,
    Path(token): Path<String>,
    Json(body): Json<CreateGuestOrder>,
) -> Result<Response> {
    let (known, code) = (token.clone(), body.session_code);
    let table = db.read(move |conn| table_of(conn, &known).map_err(Problem::from)).await?;
    let actor = Actor::guest(table.outlet_id);
    let code = match code {
        None => Code::Idle,
        Some(code) => {
            let (actor, table) = (actor.clone(), table.clone());
            db.write(move |tx| actions::qr::check_code(tx, &actor, &table, &code)).await?
        }
    };
    if code == Code::Wrong {
        return Err(Problem::field("sessionCode", "is not the party's code"));
    }
    let command = GuestCommand {
        lines: body.items.into_iter().map(LineRequest::from).collect(),
        customer_name: text(body.customer_name),
        guest_key: body.guest_token.as_deref().map(key_of),
        knows_code: code == Code::Right,
    };
    let key = idempotency.map(|Extension(key)| key);
    // The phone's own; one without a token shares its table's.
    let owner = idempotency::owner(table.outlet_id, command.guest_key.unwrap_or(table.id).as_bytes());
    keep_once(&db, key, owner, actor, StatusCode::CREATED, move |tx, actor| -> Result<_, OrderError> {
        // The token may have been rotated since it was looked up.
        let table = table_of(tx, &token)?;
        let placed = actions::place_guest(tx, actor, table, command)?;
        Ok(Data::new(GuestOrder::of(&placed.order, None)))
    })
    .await
}

/// What a guest calls for.
#[apply(request!)]
pub struct CallStaff {
    /// Somebody shall come, or the bill.
    what: Wish,
}

/// That staff were told.
#[apply(answer!)]
pub struct StaffCalled {
    /// What they were told.
    what: Wish,
}

/// A guest calls.
pub async fn call_staff(
    State(db): State<Db>,
    Path(token): Path<String>,
    Json(body): Json<CallStaff>,
) -> Result<Data<StaffCalled>> {
    let what = body.what;
    db.write(move |tx| -> Result<(), OrderError> {
        let table = table_of(tx, &token)?;
        actions::qr::call(tx, &Actor::guest(table.outlet_id), &table, what)
    })
    .await?;
    Ok(Data::new(StaffCalled { what }))
}

/// A phone at a table whose party's orders are followed.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub struct Guest {
    /// The outlet.
    pub outlet: Uuid,
    /// The party's table.
    pub table: Uuid,
    /// What is kept of the phone's token.
    pub phone: Option<Uuid>,
    token: String,
    session: Uuid,
}

impl Guest {
    /// Whether it is a phone of that party.
    pub fn is_of(&self, session: Uuid) -> bool {
        self.session == session
    }

    /// Whether the code still opens the table and the same party sits there.
    pub fn still_sits(&self, conn: &dyn Source) -> Result<bool, OrderError> {
        let table = tables::store::find_by_token(conn, &self.token)?;
        let is_there = |table: Table| table.current_session.is_some_and(|session| session.id == self.session);
        Ok(table.is_some_and(is_there))
    }
}

/// The party behind a table's code, as the phone with `guest_token` follows it.
///
/// # Errors
/// No such code; [`OrderError::State`] when nobody sits there yet.
pub fn sitting(conn: &dyn Source, token: &str, guest_token: Option<&str>) -> Result<Guest, OrderError> {
    let table = table_of(conn, token)?;
    let Some(session) = table.current_session else {
        return Err(OrderError::State(
            "Nobody has ordered at this table yet: there is nothing to follow".into(),
        ));
    };
    let (outlet, phone) = (table.outlet_id, guest_token.map(key_of));
    Ok(Guest { outlet, table: table.id, phone, token: token.to_owned(), session: session.id })
}

/// An order as the list of its table's guests shows it to that phone; none where it is no order of the party.
pub fn shown_to_guest(conn: &dyn Source, guest: &Guest, order: Uuid) -> Result<Option<Shown>, OrderError> {
    let order = match store::find(conn, guest.outlet, order) {
        Ok(order) if order.table_session_id == Some(guest.session) => order,
        Ok(_) | Err(OrderError::NotFound(_)) => return Ok(None),
        Err(error) => return Err(error),
    };
    let table = tables::store::find_by_session(conn, guest.outlet, guest.session)?;
    let code = table.and_then(|table| table.current_session).and_then(|session| session.session_code);
    Ok(Some(Shown::of(order.version, &for_phone(&order, guest.phone, code.as_ref()))))
}

/// An order for the guests of its table; with the party's code for the phone whose order staff accepted.
fn for_phone(order: &OrderRecord, phone: Option<Uuid>, code: Option<&String>) -> GuestOrder {
    let is_theirs = phone.is_some() && order.guest_key == phone && order.dispatched_at.is_some();
    GuestOrder::of(order, code.filter(|_| is_theirs).cloned())
}

/// The orders of the present seating.
pub async fn list_table_orders(
    State(db): State<Db>,
    Path(token): Path<String>,
    Query(query): Query<GuestQuery>,
) -> Result<Data<Vec<GuestOrder>>> {
    let orders = db
        .read(move |conn| -> Result<Vec<GuestOrder>> {
            let table = table_of(conn, &token)?;
            let Some(session) = store::find_open_session(conn, table.outlet_id, table.id)? else {
                return Ok(Vec::new());
            };
            let orders = store::list_of_session(conn, table.outlet_id, session, false)?;
            let asks = query.guest_token.as_deref().map(key_of);
            let code = table.current_session.and_then(|session| session.session_code);
            Ok(orders.iter().map(|order| for_phone(order, asks, code.as_ref())).collect())
        })
        .await?;
    Ok(Data::new(orders))
}
