//! `POST /orders` and `POST /orders/{orderId}/items`.

use super::super::actions::{self, command::PlaceOrder};
use super::super::rules::{
    ComponentRequest, Guest, LineRequest, ModifierRequest, OrderError, OrderType, Source,
};
use super::view::{OrderDetail, view};
use crate::access::{Actor, Again, Cx, Made, Role};
use crate::db::Tx;
use crate::http::{Created, Data, Id, Json, Result};
use crate::resources::auth::api::pins;
use crate::state::Secrets;
use axum::extract::State;
use axum::response::Response;
use schemars::JsonSchema;
use serde::Deserialize;
use tiffin_common::{Cents, Millis, Quantity, Uuid};

/// A line as asked for.
#[apply(request!)]
pub struct CreateOrderItem {
    /// The dish, from the menu.
    menu_item_id: Uuid,
    /// The variant of a dish that is sold in several sizes; its default one where absent.
    #[serde(default)]
    variant_id: Option<Uuid>,
    /// The variant by its sku, for who does not know its id.
    #[serde(default)]
    #[schemars(length(max = 60))]
    sku: Option<String>,
    /// How many portions of it; 1 of a dish that is sold by weight.
    #[schemars(range(min = 1, max = 10_000))]
    quantity: i64,
    /// How much of a dish that is sold by weight, in its `weightUnit`: more than 0. The line costs `unitPriceCents` × `weight`, rounded half
    /// up to the cent, and its modifiers once. Of no other dish.
    #[serde(default)]
    #[schemars(range(min = 0, max = 10_000))]
    weight: Option<Quantity>,
    /// The price of one, or of one unit of its weight, without modifiers: that of `GET /menu` for such an order, now or within the last two minutes by the box's clock,
    /// unless the caller may override it.
    #[schemars(range(min = 0, max = 1_000_000_000_000i64))]
    unit_price_cents: Cents,
    /// The dish's name as the client knows it; the menu's is billed.
    #[serde(default)]
    #[schemars(length(max = 200))]
    #[expect(dead_code, reason = "part of the specification's request; the menu's name is billed")]
    name: Option<String>,
    /// Options and kitchen notes.
    #[serde(default)]
    #[schemars(length(max = 50))]
    modifiers: Option<Vec<CreateOrderModifier>>,
    /// What is chosen for a combo: as often as its components ask. `unitPriceCents` is the combo's, without what options ask on top.
    #[serde(default)]
    #[schemars(length(max = 100))]
    components: Option<Vec<CreateOrderComponent>>,
    /// For the kitchen.
    #[serde(default)]
    #[schemars(length(max = 500))]
    notes: Option<String>,
    /// When in the meal it comes; the dish's own course where absent.
    #[serde(default)]
    #[schemars(range(min = 1, max = 20))]
    course: Option<i64>,
    /// Whose it is.
    #[serde(default)]
    #[schemars(range(min = 1, max = 1_000))]
    seat_number: Option<i64>,
    /// The kitchen waits with it until its course is fired. At a table alone.
    #[serde(default)]
    hold: bool,
}

/// A selection for a combo.
#[apply(request!)]
pub struct CreateOrderComponent {
    /// The component it is for, such as Drink.
    #[schemars(length(min = 1, max = 60))]
    name: String,
    /// The dish, one of the component's options.
    menu_item_id: Uuid,
    /// The variant of it, as the option has it.
    #[serde(default)]
    variant_id: Option<Uuid>,
    /// Options and kitchen notes of the dish.
    #[serde(default)]
    #[schemars(length(max = 50))]
    modifiers: Option<Vec<CreateOrderModifier>>,
}

impl From<CreateOrderComponent> for ComponentRequest {
    fn from(component: CreateOrderComponent) -> Self {
        let modifiers = component.modifiers.unwrap_or_default();
        ComponentRequest {
            name: component.name,
            menu_item_id: component.menu_item_id,
            variant_id: component.variant_id,
            modifiers: modifiers.into_iter().map(ModifierRequest::from).collect(),
        }
    }
}

/// A modifier as asked for: an option by id or name, or a note for the kitchen.
#[apply(filters!)]
pub struct CreateOrderModifier {
    /// The option of the dish; where absent, `name` says which.
    option_id: Option<Uuid>,
    /// The option's name, or a note.
    #[schemars(length(max = 200))]
    name: Option<String>,
    /// What it costs; an option costs what the menu says.
    #[schemars(range(min = 0, max = 1_000_000_000_000i64))]
    price_cents: Option<Cents>,
}

impl From<CreateOrderModifier> for ModifierRequest {
    fn from(modifier: CreateOrderModifier) -> Self {
        ModifierRequest { option_id: modifier.option_id, name: modifier.name, price: modifier.price_cents }
    }
}

impl From<CreateOrderItem> for LineRequest {
    fn from(item: CreateOrderItem) -> Self {
        LineRequest {
            menu_item_id: item.menu_item_id,
            variant_id: item.variant_id,
            sku: text(item.sku),
            quantity: item.quantity,
            weight: item.weight,
            unit_price: Some(item.unit_price_cents),
            modifiers: item.modifiers.unwrap_or_default().into_iter().map(ModifierRequest::from).collect(),
            components: item.components.unwrap_or_default().into_iter().map(ComponentRequest::from).collect(),
            notes: text(item.notes),
            course: item.course,
            seat_number: item.seat_number,
            hold: item.hold,
        }
    }
}

/// A text, trimmed; none when blank.
pub(super) fn text(text: Option<String>) -> Option<String> {
    text.map(|text| text.trim().to_owned()).filter(|text| !text.is_empty())
}

/// Where staff may say an order came from.
#[derive(Debug, Clone, Copy, Deserialize, JsonSchema)]
#[serde(rename_all = "UPPERCASE")]
pub enum StaffSource {
    Pos,
    Waiter,
    Kiosk,
    Phone,
    Aggregator,
    Api,
}

impl From<StaffSource> for Source {
    fn from(source: StaffSource) -> Self {
        match source {
            StaffSource::Pos => Source::Pos,
            StaffSource::Waiter => Source::Waiter,
            StaffSource::Kiosk => Source::Kiosk,
            StaffSource::Phone => Source::Phone,
            StaffSource::Aggregator => Source::Aggregator,
            StaffSource::Api => Source::Api,
        }
    }
}

/// A new order (the specification's order creation request).
#[apply(request!)]
pub struct CreateOrder {
    /// How it reaches its guest.
    order_type: OrderType,
    /// What is ordered.
    #[schemars(length(min = 1, max = 200))]
    items: Vec<CreateOrderItem>,
    /// Its table, by number. A table order without one is served at the counter.
    #[serde(default)]
    #[schemars(length(min = 1, max = 40))]
    table_number: Option<String>,
    /// Its table, by id.
    #[serde(default)]
    table_id: Option<Uuid>,
    /// Name of the guest.
    #[serde(default)]
    #[schemars(length(max = 120))]
    customer_name: Option<String>,
    /// The guest's phone.
    #[serde(default)]
    #[schemars(length(max = 40))]
    customer_phone: Option<String>,
    /// Where it is brought.
    #[serde(default)]
    #[schemars(length(max = 300))]
    delivery_address: Option<String>,
    /// For the kitchen.
    #[serde(default)]
    #[schemars(length(max = 1_000))]
    notes: Option<String>,
    /// How many guests.
    #[serde(default)]
    #[schemars(range(min = 1, max = 1_000))]
    guest_count: Option<i64>,
    /// When the guest wants it, at most 60 days ahead: the kitchen gets it, and its stock is taken, when its slowest dish has to begin.
    #[serde(default)]
    scheduled_for: Option<Millis>,
    /// The channel it comes through; of another system that is there for one alone, that one.
    #[serde(default)]
    channel_id: Option<Uuid>,
    /// The channel's own number for it: sent again, it is answered with the order that it has made.
    #[serde(default)]
    #[schemars(length(min = 1, max = 100))]
    external_id: Option<String>,
    /// Where it came from; what the caller's role suggests where absent.
    #[serde(default)]
    source: Option<StaffSource>,
    /// The PIN of somebody who may sell at another price.
    #[serde(default)]
    #[schemars(length(min = 1, max = 12))]
    pub(super) approver_pin: Option<String>,
}

impl CreateOrder {
    pub(super) fn command(self, role: Role) -> PlaceOrder {
        let usual = match role {
            Role::Integration => Source::Api,
            Role::Waiter => Source::Waiter,
            Role::Terminal => Source::Kiosk,
            _ => Source::Pos,
        };
        PlaceOrder {
            guest_key: None,
            channel_id: self.channel_id,
            external_id: text(self.external_id),
            channel: None,
            order_type: self.order_type,
            source: self.source.map_or(usual, Source::from),
            table_id: self.table_id,
            table_number: text(self.table_number),
            guest: Guest {
                name: text(self.customer_name),
                phone: text(self.customer_phone),
                address: text(self.delivery_address),
            },
            notes: text(self.notes),
            guest_count: self.guest_count,
            scheduled_for: self.scheduled_for,
            lines: self.items.into_iter().map(LineRequest::from).collect(),
        }
    }
}

/// Takes an order.
pub async fn create_order(
    cx: Cx,
    State(secrets): State<Secrets>,
    Json(mut body): Json<CreateOrder>,
) -> Result<Response> {
    let pin = pins::approver(&cx, &secrets, body.approver_pin.take()).await?;
    let command = body.command(cx.principal.role);
    cx.run_again(Again::By(placed_before), move |tx, actor| -> Result<_, OrderError> {
        if let Some(known) = actions::channels::find_sent(tx, actor, &command)? {
            return Ok((view(tx, actor.outlet_id, known)?, Made::Before));
        }
        Ok((OrderDetail::fresh(actions::place(tx, actor, command, &pin)?), Made::New))
    })
    .await
}

/// An order that the box before this one took.
fn placed_before(tx: &Tx<'_>, actor: &Actor, id: Uuid) -> Result<OrderDetail, OrderError> {
    actions::channels::demand_reach(tx, actor, id)?;
    view(tx, actor.outlet_id, id)
}

/// More lines of an order.
#[apply(request!)]
pub struct AddOrderItems {
    /// What is added.
    #[schemars(length(min = 1, max = 200))]
    items: Vec<CreateOrderItem>,
    /// The PIN of somebody who may sell at another price.
    #[serde(default)]
    #[schemars(length(min = 1, max = 12))]
    approver_pin: Option<String>,
}

/// Adds lines to an order.
pub async fn create_order_items(
    cx: Cx,
    State(secrets): State<Secrets>,
    Id(id): Id,
    Json(body): Json<AddOrderItems>,
) -> Result<Created<OrderDetail>> {
    let pin = pins::approver(&cx, &secrets, body.approver_pin).await?;
    let lines: Vec<LineRequest> = body.items.into_iter().map(LineRequest::from).collect();
    let again = |tx: &Tx<'_>, actor: &Actor, id| placed_before(tx, actor, id).map(Data::new);
    cx.create_again(again, move |tx, actor| -> Result<_, OrderError> {
        let (_, warnings) = actions::add_lines(tx, actor, id, &lines, &pin)?;
        Ok(OrderDetail { warnings, ..view(tx, actor.outlet_id, id)? })
    })
    .await
}
