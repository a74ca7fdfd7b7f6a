//! An order as the branch holds it: the order, its lines, and the ledgers beside it. Plain data; never a response.

use super::kinds::{DiscountKind, OrderStatus, OrderType, Source};
use super::price::{PriceLine, Priced, Terms};
use crate::resources::menu::rules::{TaxComponent, WeightUnit};
use chrono::NaiveDate;
use std::borrow::Cow;
use tiffin_common::{Bps, Cents, Millis, Overflow, Quantity, Uuid};

/// How long after its moment an order for later is late: what wakes it looks every few seconds.
const LATE_MS: i64 = 2 * 60_000;

table! {
    /// A whole order with its lines.
    #[expect(missing_docs, reason = "the columns of orders, explained in the schema")]
    pub struct OrderRecord: orders {
        pub id: Uuid,
        pub outlet_id: Uuid,
        pub order_number: String,
        pub token_number: i64,
        pub business_date: NaiveDate,
        pub order_type: OrderType,
        pub source: Source,
        pub status: OrderStatus,
        pub table_id: Option<Uuid>,
        pub table_number: Option<String>,
        pub table_session_id: Option<Uuid>,
        pub notes: Option<String>,
        pub guest_count: Option<i64>,
        pub scheduled_for: Option<Millis>,
        pub terms: Terms => flat,
        pub gross: Cents => gross_cents,
        pub subtotal: Cents => subtotal_cents,
        pub discount: Cents => discount_cents,
        pub service_charge: Cents => service_charge_cents,
        pub tax: Cents => tax_cents,
        pub rounding: Cents => rounding_cents,
        pub total: Cents => total_cents,
        pub paid: Cents => paid_cents,
        pub refunded: Cents => refunded_cents,
        pub tip: Cents => tip_cents,
        pub revenue_date: Option<NaiveDate>,
        pub credited: Cents => credited_cents,
        pub written_off: Cents => written_off_cents,
        pub invoice_id: Option<Uuid>,
        pub invoice_number: Option<String>,
        pub dispatched_at: Option<Millis>,
        pub split_from_id: Option<Uuid>,
        pub merged_into_id: Option<Uuid>,
        pub created_by: Option<Uuid>,
        pub clock_suspect: bool,
        pub version: i64,
        pub created_at: Millis,
        pub updated_at: Millis,
        pub closed_at: Option<Millis>,
        pub guest_key: Option<Uuid>,
        pub receipt_code: Option<String>,
        pub release_at: Option<Millis>,
        pub server_id: Option<Uuid>,
        pub server_name: Option<String>,
        pub channel_id: Option<Uuid>,
        pub external_id: Option<String>,
        pub is_operator_taxed: bool,
        pub commission_bps: Bps,
        pub commission: Cents => commission_cents,
        pub slip_id: Option<Uuid>,
        pub slip_number: Option<String>,
        pub lines: Vec<LineRecord> => none,
        pub guest: Guest => none,
    }
}

table! {
    /// Who ordered, or said how it was, as far as they said. It stands nowhere else.
    #[derive(Default, PartialEq, Eq)]
    pub struct Guest: guests {
        /// What to call the guest.
        pub name: Option<String>,
        /// Where to call the guest.
        pub phone: Option<String>,
        /// Where it goes.
        pub address: Option<String>,
    }
}

table! {
    /// A line of an order.
    #[expect(missing_docs, reason = "the columns of order_items, explained in the schema")]
    pub struct LineRecord: order_items {
        pub id: Uuid,
        pub line_number: i64,
        pub menu_item_id: Uuid,
        pub variant_id: Option<Uuid>,
        pub name: String,
        pub hsn_sac: Option<String>,
        pub station_id: Option<Uuid>,
        pub unit_price: Cents => unit_price_cents,
        pub modifiers_total: Cents => modifiers_cents,
        pub quantity: i64,
        pub voided_quantity: i64,
        pub course: i64,
        pub seat_number: Option<i64>,
        pub notes: Option<String>,
        pub tax_components: Vec<TaxComponent> => json,
        pub gross: Cents => gross_cents,
        pub subtotal: Cents => subtotal_cents,
        pub discount: Cents => discount_cents,
        pub service_charge: Cents => service_charge_cents,
        pub tax: Cents => tax_cents,
        pub split_from_id: Option<Uuid>,
        pub version: i64,
        pub created_at: Millis,
        pub created_by: Option<Uuid>,
        pub hold: bool,
        pub is_goods: bool,
        pub price_list_id: Option<Uuid>,
        pub combo_id: Option<Uuid>,
        pub combo_line_id: Option<Uuid>,
        pub component: Option<String>,
        pub extra: Cents => extra_cents,
        pub weight: Option<Quantity>,
        pub weight_unit: Option<WeightUnit>,
        pub modifiers: Vec<ModifierRecord> => none,
    }
}

table! {
    /// A chosen option or a kitchen note of a line.
    pub struct ModifierRecord: order_item_modifiers {
        /// Its id.
        pub id: Uuid,
        /// The option; none: a note for the kitchen.
        pub option_id: Option<Uuid>,
        /// What it says.
        pub name: String,
        /// The price of one.
        pub price: Cents => price_cents,
    }
}

table! {
    /// A discount that has not been removed.
    #[expect(missing_docs, reason = "the columns of order_discounts, explained in the schema")]
    pub struct DiscountRecord: order_discounts {
        pub id: Uuid,
        pub order_item_id: Option<Uuid>,
        pub kind: DiscountKind => type,
        pub value: i64,
        pub amount: Cents => amount_cents,
        pub net: Cents => net_cents,
        pub reason: String,
        pub by_id: Option<Uuid>,
        pub approver_id: Option<Uuid>,
        pub business_date: NaiveDate,
        pub at: Millis,
    }
}

impl LineRecord {
    /// The line whose ingredients and kitchen tickets this one shares: itself, unless it was split off.
    pub fn root(&self) -> Uuid {
        self.split_from_id.unwrap_or(self.id)
    }

    /// (unit + modifiers) × quantity; nothing for a combo, whose money is its components'. The price of what is sold by weight is that of
    /// one unit, and its modifiers count once.
    ///
    /// # Errors
    /// [`Overflow`].
    pub fn gross_of(&self, quantity: i64) -> Result<Cents, Overflow> {
        if self.is_combo() {
            return Ok(Cents::ZERO);
        }
        self.price_of_one()?.plus(self.modifiers_total)?.times(quantity)
    }

    /// What the line brings to the bill.
    pub fn price_line(&self) -> PriceLine<'_> {
        let is_taxed = self.quantity > 0 && !self.is_combo();
        let taxes: &[TaxComponent] = if is_taxed { &self.tax_components } else { &[] };
        PriceLine { gross: self.gross, taxes, is_goods: self.is_goods, by_operator: false, part_of: None }
    }

    /// What is counted down with it, where it is: the dish, and the variant of it.
    pub fn counted(&self) -> impl Iterator<Item = Uuid> {
        std::iter::once(self.menu_item_id).chain(self.variant_id)
    }

    /// The ids of the chosen options.
    pub fn option_ids(&self) -> Vec<Uuid> {
        self.modifiers.iter().filter_map(|modifier| modifier.option_id).collect()
    }
}

impl OrderRecord {
    /// What is still to be paid. Refunds do not reopen it: a credit note lowers the bill by what it gives back. Nor is due what
    /// credit notes took off without money, and what was written off.
    pub fn due(&self) -> Cents {
        let due = self.total.minus(self.paid).and_then(|due| due.minus(self.credited));
        due.and_then(|due| due.minus(self.written_off)).unwrap_or(Cents::ZERO).max(Cents::ZERO)
    }

    /// What is still to be paid, as it is shown: nothing of an order that was called off.
    pub fn shown_due(&self) -> Cents {
        if self.status == OrderStatus::Cancelled { Cents::ZERO } else { self.due() }
    }

    /// Waits for staff to accept it: a guest's order, not yet sent to the kitchen.
    pub fn awaits_approval(&self) -> bool {
        self.dispatched_at.is_none() && self.release_at.is_none() && self.status == OrderStatus::Pending
    }

    /// Is for later: its moment has not come, the kitchen does not have it and nothing was taken from stock.
    pub fn waits_for_its_time(&self) -> bool {
        self.dispatched_at.is_none() && self.release_at.is_some() && !self.status.is_final()
    }

    /// Was for later, and went to the kitchen too late: the box was off when its moment came.
    pub fn is_released_late(&self) -> bool {
        let late = |planned: Millis, told: Millis| told > planned.after(LATE_MS);
        self.release_at.zip(self.dispatched_at).is_some_and(|(planned, told)| late(planned, told))
    }

    /// The order without its food: what the house bills where the operator of its channel bills the rest.
    ///
    /// # Errors
    /// [`Overflow`].
    pub fn goods(&self) -> Result<OrderRecord, Overflow> {
        self.only(|line| line.is_goods)
    }

    /// The order without its goods: what is on the slip of an order whose operator bills the food.
    ///
    /// # Errors
    /// [`Overflow`].
    pub fn food(&self) -> Result<OrderRecord, Overflow> {
        self.only(|line| !line.is_goods)
    }

    /// What of the order the house bills: all of it, but for the food where the operator of its channel bills that.
    ///
    /// # Errors
    /// [`Overflow`].
    pub fn billed(&self) -> Result<Cow<'_, OrderRecord>, Overflow> {
        if self.is_operator_taxed { self.goods().map(Cow::Owned) } else { Ok(Cow::Borrowed(self)) }
    }

    fn only(&self, counts: fn(&LineRecord) -> bool) -> Result<OrderRecord, Overflow> {
        let mut part = self.clone();
        part.lines.retain(counts);
        let sum = |pick: fn(&LineRecord) -> Cents| Cents::sum(part.lines.iter().map(pick));
        let (subtotal, discount, tax) =
            (sum(|line| line.subtotal)?, sum(|line| line.discount)?, sum(|line| line.tax)?);
        (part.subtotal, part.discount, part.tax) = (subtotal, discount, tax);
        (part.service_charge, part.rounding) = (Cents::ZERO, Cents::ZERO);
        part.total = subtotal.minus(discount)?.plus(tax)?;
        Ok(part)
    }

    /// The line of that id.
    pub fn line(&self, id: Uuid) -> Option<&LineRecord> {
        self.lines.iter().find(|line| line.id == id)
    }

    /// What the lines bring to the bill.
    pub fn price_lines(&self) -> Vec<PriceLine<'_>> {
        let by_operator = |line: &LineRecord| self.is_operator_taxed && !line.is_goods;
        let part_of = |line: &LineRecord| {
            let combo = line.combo_line_id?;
            self.lines.iter().position(|other| other.id == combo)
        };
        let brings = |line| PriceLine {
            by_operator: by_operator(line),
            part_of: part_of(line),
            ..LineRecord::price_line(line)
        };
        self.lines.iter().map(brings).collect()
    }

    /// Takes over what [`price`](super::price::price) found, and what the channel keeps of it.
    ///
    /// # Errors
    /// [`Overflow`].
    pub fn set_price(&mut self, priced: &Priced) -> Result<(), Overflow> {
        self.commission = priced.subtotal.minus(priced.discount)?.share(self.commission_bps)?;
        self.gross = priced.gross;
        self.subtotal = priced.subtotal;
        self.discount = priced.discount;
        self.service_charge = priced.service_charge;
        self.tax = priced.tax;
        self.rounding = priced.rounding;
        self.total = priced.total;
        for (line, of) in self.lines.iter_mut().zip(&priced.lines) {
            line.subtotal = of.subtotal;
            line.discount = of.discount;
            line.service_charge = of.service_charge;
            line.tax = of.tax;
        }
        Ok(())
    }
}
