//! How the lines of an order are shown: a dish, or a combo with its components. Never anything of the order as a whole.

use super::super::rules::LineRecord;
use super::super::rules::combos::Sold;
use crate::resources::kitchen::rules::LineKitchen;
use crate::resources::menu::rules::WeightUnit;
use schemars::JsonSchema;
use serde::Serialize;
use std::collections::BTreeMap;
use tiffin_common::{Cents, Millis, Quantity, Uuid};

view! {
    /// A line of an order: a dish, or a combo, whose figures are those of its components together.
    pub struct OrderItem of sold: Sold<'_>, at_kitchen: &BTreeMap<Uuid, LineKitchen> {
        /// Id of the line.
        pub id: Uuid = sold.line.id,
        /// Its place in the order, from 1; components of a combo have places of their own behind it.
        pub line_number: i64 = sold.line.line_number,
        /// The dish that was ordered, or the combo.
        pub menu_item_id: Uuid = sold.line.menu_item_id,
        /// The variant of the dish, which `name` has behind it.
        pub variant_id: Option<Uuid> = sold.line.variant_id,
        /// The dish as billed.
        pub name: String = sold.line.name.clone(),
        /// What is still sold.
        pub quantity: i64 = sold.line.quantity,
        /// How much of it, in `weightUnit`, where it is sold by weight.
        #[serde(skip_serializing_if = "Option::is_none")]
        pub weight: Option<Quantity> = sold.line.weight,
        /// What it was weighed in.
        #[serde(skip_serializing_if = "Option::is_none")]
        pub weight_unit: Option<WeightUnit> = sold.line.weight_unit,
        /// What was taken off.
        pub voided_quantity: i64 = sold.line.voided_quantity,
        /// The price of one, or of one unit of its weight, without modifiers; of a combo, without what its options ask on top.
        pub unit_price_cents: Cents = sold.line.unit_price,
        /// The price list whose price that was; null: the outlet's own, or another than the menu's.
        pub price_list_id: Option<Uuid> = sold.line.price_list_id,
        /// The modifiers of one; of a combo, what its options ask on top, with their modifiers.
        pub modifiers_cents: Cents = sold.on_top(),
        /// (unit × weight, where it has one, + modifiers) × quantity.
        pub line_total_cents: Cents = sold.sum(|line| line.gross),
        /// The same at list price, without tax.
        pub subtotal_cents: Cents = sold.sum(|line| line.subtotal),
        /// Its own discounts and its part of the order's, without tax.
        pub discount_cents: Cents = sold.sum(|line| line.discount),
        /// Its part of the service charge, without tax.
        pub service_charge_cents: Cents = sold.sum(|line| line.service_charge),
        /// All taxes of the line.
        pub tax_cents: Cents = sold.sum(|line| line.tax),
        /// When in the meal it comes.
        pub course: i64 = sold.line.course,
        /// Whose it is.
        pub seat_number: Option<i64> = sold.line.seat_number,
        /// For the kitchen.
        pub notes: Option<String> = sold.line.notes.clone(),
        /// Somebody holds it: the kitchen waits until it is fired.
        pub hold: bool = sold.line.hold,
        /// How far the kitchen is with it; null where it has no ticket of it. A combo is as far as the component that is least far.
        pub kitchen: Option<LineKitchen> = std::iter::once(sold.line)
            .chain(sold.components)
            .filter_map(|line| at_kitchen.get(&line.id).cloned())
            .reduce(LineKitchen::with),
        /// Its GST code; a combo has none: its components have theirs.
        pub hsn_sac: Option<String> = sold.line.hsn_sac.clone().filter(|_| !sold.line.is_combo()),
        /// Options and kitchen notes.
        pub modifiers: Vec<OrderItemModifier> = modifiers_of(sold.line).collect(),
        /// What was chosen for a combo.
        pub components: Vec<OrderItemComponent> = sold
            .components
            .iter()
            .map(|line| OrderItemComponent::of(line, at_kitchen.get(&line.id).cloned()))
            .collect(),
        /// Changes with every change.
        pub version: i64 = sold.line.version,
        /// When it was ordered.
        pub created_at: Millis = sold.line.created_at,
    }
}

view! {
    /// A component of a combo: a dish with its part of the combo's price, and its own taxes. It is voided, moved and given back with its
    /// combo alone.
    pub struct OrderItemComponent of line: &LineRecord, at_kitchen: Option<LineKitchen> {
        /// Id of its own line, which taxes, tickets and stock name.
        pub id: Uuid,
        /// What it was chosen for, such as Drink.
        pub name: String = line.component.clone().unwrap_or_default(),
        /// The dish that was chosen.
        pub menu_item_id: Uuid,
        /// The variant of it.
        pub variant_id: Option<Uuid>,
        /// The dish as billed.
        pub item_name: String = line.name.clone(),
        /// What it asks on top of the combo's price.
        pub extra_cents: Cents = line.extra,
        /// Its part of the price of one combo, with what it asks on top, without modifiers.
        pub unit_price_cents: Cents = line.unit_price,
        /// Its modifiers, for one combo.
        pub modifiers_cents: Cents = line.modifiers_total,
        /// (unit + modifiers) × the combo's quantity.
        pub line_total_cents: Cents = line.gross,
        /// The same at list price, without tax.
        pub subtotal_cents: Cents = line.subtotal,
        /// Its part of all discounts, without tax.
        pub discount_cents: Cents = line.discount,
        /// Its part of the service charge, without tax.
        pub service_charge_cents: Cents = line.service_charge,
        /// All its taxes.
        pub tax_cents: Cents = line.tax,
        /// How far the kitchen is with it; null where it has no ticket of it.
        pub kitchen: Option<LineKitchen> = at_kitchen,
        /// Its GST code.
        pub hsn_sac: Option<String> = line.hsn_sac.clone(),
        /// Options and kitchen notes.
        pub modifiers: Vec<OrderItemModifier> = modifiers_of(line).collect(),
    }
}

/// A chosen option or a note for the kitchen.
#[derive(Debug, Clone, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct OrderItemModifier {
    /// Id of the modifier on this line.
    pub id: Uuid,
    /// The line it belongs to.
    pub order_item_id: Uuid,
    /// The option; none: a note for the kitchen.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub option_id: Option<Uuid>,
    /// What it says.
    pub name: String,
    /// The price of one.
    pub price_cents: Cents,
}

pub(super) fn modifiers_of(line: &LineRecord) -> impl Iterator<Item = OrderItemModifier> {
    line.modifiers.iter().map(|modifier| OrderItemModifier {
        id: modifier.id,
        order_item_id: line.id,
        option_id: modifier.option_id,
        name: modifier.name.clone(),
        price_cents: modifier.price,
    })
}
