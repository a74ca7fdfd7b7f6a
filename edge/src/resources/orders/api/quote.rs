//! `POST /orders/quote`, and the same for guests: what an order would cost, before it is taken. Nothing is written.

use super::super::actions;
use super::super::actions::quote::Quote;
use super::super::rules::combos::{Sold, as_sold};
use super::super::rules::{LineRecord, OrderError, Result as OrderResult, Warning};
use super::guest_lines::CreateGuestOrder;
use super::guests::table_of;
use super::place::CreateOrder;
use crate::access::{Cx, Permission};
use crate::db::Db;
use crate::http::{Data, Json, Path, Result};
use crate::resources::menu::rules::WeightUnit;
use axum::extract::State;
use std::collections::BTreeMap;
use tiffin_common::{Bps, Cents, Millis, Quantity, Uuid};

/// What an order would come to.
#[apply(answer!)]
pub struct OrderQuote {
    /// Lines before discounts, without tax.
    subtotal_cents: Cents,
    /// Discounts, in the menu's prices.
    discount_cents: Cents,
    /// Service charge, in the menu's prices.
    service_charge_cents: Cents,
    /// All taxes of the order.
    tax_cents: Cents,
    /// What rounding would add or take.
    rounding_cents: Cents,
    /// What would have to be paid.
    total_amount_cents: Cents,
    /// The lines, as they were asked for.
    items: Vec<QuoteItem>,
    /// Taxes by component and rate.
    taxes: Vec<QuoteTax>,
    /// When the kitchen would get it; null: at once.
    release_at: Option<Millis>,
    /// What would be sold although it is unwise.
    warnings: Vec<Warning>,
}

view! {
    /// A line of a quote.
    pub struct QuoteItem of sold: Sold<'_> {
        /// The dish on the menu, or the combo.
        menu_item_id: Uuid = sold.line.menu_item_id,
        /// The variant of the dish, which `name` has behind it.
        variant_id: Option<Uuid> = sold.line.variant_id,
        /// The dish as billed.
        name: String = sold.line.name.clone(),
        /// How many portions.
        quantity: i64 = sold.line.quantity,
        /// How much of it, in `weightUnit`, where it is sold by weight.
        #[serde(skip_serializing_if = "Option::is_none")]
        weight: Option<Quantity> = sold.line.weight,
        /// What it was weighed in.
        #[serde(skip_serializing_if = "Option::is_none")]
        weight_unit: Option<WeightUnit> = sold.line.weight_unit,
        /// The price of one, or of one unit of its weight, without modifiers; of a combo, without what its options ask on top.
        unit_price_cents: Cents = sold.line.unit_price,
        /// The price list whose price that is; null: the outlet's own, or another than the menu's.
        price_list_id: Option<Uuid> = sold.line.price_list_id,
        /// The modifiers of one; of a combo, what its options ask on top, with their modifiers.
        modifiers_cents: Cents = sold.on_top(),
        /// (unit × weight, where it has one, + modifiers) × quantity.
        line_total_cents: Cents = sold.sum(|line| line.gross),
        /// Its part of the service charge.
        service_charge_cents: Cents = sold.sum(|line| line.service_charge),
        /// All its taxes.
        tax_cents: Cents = sold.sum(|line| line.tax),
        /// Options and wishes.
        modifiers: Vec<String> = names_of(sold.line),
        /// What was chosen for a combo.
        components: Vec<QuoteComponent> = sold.components.iter().map(QuoteComponent::from).collect(),
    }
}

view! {
    /// A component of a combo, of a quote.
    pub struct QuoteComponent of line: &LineRecord {
        /// What it was chosen for, such as Drink.
        name: String = line.component.clone().unwrap_or_default(),
        /// The dish on the menu.
        menu_item_id: Uuid,
        /// The variant of it.
        variant_id: Option<Uuid>,
        /// The dish as billed.
        item_name: String = line.name.clone(),
        /// What it asks on top of the combo's price.
        extra_cents: Cents = line.extra,
        /// Its part of the combo's price and what it asks on top, × the combo's quantity, with its modifiers.
        line_total_cents: Cents = line.gross,
        /// All its taxes.
        tax_cents: Cents = line.tax,
        /// Options and wishes.
        modifiers: Vec<String> = names_of(line),
    }
}

fn names_of(line: &LineRecord) -> Vec<String> {
    line.modifiers.iter().map(|modifier| modifier.name.clone()).collect()
}

/// A tax of a quote.
#[apply(answer!)]
pub struct QuoteTax {
    /// The component, such as CGST.
    name: String,
    /// Its rate, in basis points.
    rate_bps: Bps,
    /// What it is counted on, without tax.
    taxable_cents: Cents,
    /// What the component comes to.
    tax_cents: Cents,
}

impl OrderQuote {
    fn of(quote: Quote) -> OrderResult<OrderQuote> {
        let mut taxes: BTreeMap<(String, Bps), (Cents, Cents)> = BTreeMap::new();
        for tax in quote.priced.lines.into_iter().flat_map(|line| line.taxes) {
            let sums = taxes.entry((tax.name, tax.rate)).or_default();
            *sums = (sums.0.plus(tax.taxable)?, sums.1.plus(tax.tax)?);
        }
        let taxes = taxes.into_iter().map(|((name, rate_bps), (taxable_cents, tax_cents))| QuoteTax {
            name,
            rate_bps,
            taxable_cents,
            tax_cents,
        });
        Ok(OrderQuote {
            subtotal_cents: quote.priced.subtotal,
            discount_cents: quote.priced.discount,
            service_charge_cents: quote.priced.service_charge,
            tax_cents: quote.priced.tax,
            rounding_cents: quote.priced.rounding,
            total_amount_cents: quote.priced.total,
            items: as_sold(&quote.lines).into_iter().map(QuoteItem::from).collect(),
            taxes: taxes.collect(),
            release_at: quote.release_at,
            warnings: quote.warnings,
        })
    }
}

/// What an order would come to. Another price than the menu's is quoted to who may ask for one, or names an approver's PIN, which is
/// looked at when the order is taken.
pub async fn quote_order(cx: Cx, Json(mut body): Json<CreateOrder>) -> Result<Data<OrderQuote>> {
    let now = cx.db.env().clock.now();
    let may_override = cx.principal.holds(Permission::PriceOverride) || body.approver_pin.take().is_some();
    let command = body.command(cx.principal.role);
    let actor = cx.actor();
    cx.get(move |conn, _| -> Result<_, OrderError> {
        OrderQuote::of(actions::quote(conn, &actor, now, command, may_override)?)
    })
    .await
}

/// What a guest's order would come to.
pub async fn quote_table_order(
    State(db): State<Db>,
    Path(token): Path<String>,
    Json(body): Json<CreateGuestOrder>,
) -> Result<Data<OrderQuote>> {
    let now = db.env().clock.now();
    let lines = body.lines();
    let quote = db
        .read(move |conn| -> Result<_, OrderError> {
            let table = table_of(conn, &token)?;
            OrderQuote::of(actions::quote_guest(conn, &table, now, &lines)?)
        })
        .await?;
    Ok(Data::new(quote))
}
