//! Lines of dishes that are sold by weight: what was weighed, what that costs, and what a bill says of it. Pure. Never a weight that nobody
//! weighed.
//!
//! Such a line has a weight and a quantity of 1, or of 0 where it was taken off. Its unit price is that of one unit of the weight, and its
//! modifiers count once. It comes off, moves and comes back as a whole.

use super::drafts::LineRequest;
use super::record::LineRecord;
use crate::http::{Checks, FieldError};
use crate::resources::menu::rules::weights::{MAX_WEIGHT, Weights};
use crate::resources::menu::rules::{Sellable, WeightUnit};
use tiffin_common::quantity::MILLION;
use tiffin_common::{Cents, Overflow, Quantity};

/// What is weighed out of a dish that is sold by weight, where somebody weighs it; of no other dish. The line's fields stand at `line`.
pub(super) fn read_weight(
    request: &LineRequest,
    dish: &Sellable,
    (line, weighs): (&str, bool),
    checks: &mut Checks,
) -> Option<Quantity> {
    let path = |field: &str| format!("{line}.{field}");
    let Some(unit) = dish.weighed_in() else {
        checks.require(request.weight.is_none(), path("weight"), "is for dishes that are sold by weight");
        return None;
    };
    if !weighs {
        checks.add(path("menuItemId"), "is sold by weight: the staff weigh it");
        return request.weight;
    }
    checks.require(request.quantity == 1, path("quantity"), "must be 1: the dish is sold by weight");
    match request.weight {
        Some(weight) => check_weight(weight, unit, path("weight"), checks),
        None => checks.add(path("weight"), format!("is required: the dish is sold by the {}", unit.symbol())),
    }
    request.weight
}

fn check_weight(weight: Quantity, unit: WeightUnit, path: String, checks: &mut Checks) {
    let fits = (1..=MAX_WEIGHT * MILLION).contains(&weight.get());
    checks.require(fits, path, format!("must be more than 0 and at most {MAX_WEIGHT} {}", unit.symbol()));
}

impl LineRecord {
    /// How much of it there is: portions, or what they weigh.
    pub fn amount(&self) -> String {
        match self.weight.zip(self.weight_unit) {
            Some((weight, unit)) => unit.said(weight),
            None => self.quantity.to_string(),
        }
    }

    /// What it weighs once `quantity` and `weight` are as somebody wants them; none: they stay.
    ///
    /// # Errors
    /// The offending fields.
    pub fn weighed_anew(
        &self,
        quantity: Option<i64>,
        weight: Option<Quantity>,
    ) -> Result<Option<Quantity>, Vec<FieldError>> {
        let mut checks = Checks::new();
        let Some(unit) = self.weight_unit else {
            checks.require(weight.is_none(), "weight", "is for dishes that are sold by weight");
            return checks.finish(None);
        };
        let is_one = quantity.is_none_or(|quantity| quantity == 1);
        checks.require(is_one, "quantity", "must be 1: the dish is sold by weight");
        if let Some(weight) = weight {
            check_weight(weight, unit, "weight".into(), &mut checks);
        }
        checks.finish(weight.or(self.weight))
    }

    /// What one costs without modifiers: its unit price, or that × its weight, rounded half up to the cent.
    pub(super) fn price_of_one(&self) -> Result<Cents, Overflow> {
        match self.weight {
            Some(weight) => self.unit_price.ratio(weight.get(), MILLION),
            None => Ok(self.unit_price),
        }
    }

    /// The unit price on a bill: with the options; of what was weighed without them, as they count once.
    ///
    /// # Errors
    /// [`Overflow`].
    pub fn billed_price(&self) -> Result<Cents, Overflow> {
        if self.weight.is_some() { Ok(self.unit_price) } else { self.unit_price.plus(self.modifiers_total) }
    }

    /// What the options of what was weighed cost on a bill, where they cost something.
    pub fn billed_apart(&self) -> Option<Cents> {
        self.weight.map(|_| self.modifiers_total).filter(|total| *total != Cents::ZERO)
    }

    /// Grams of it, all its portions; none: it was not weighed.
    ///
    /// # Errors
    /// [`Overflow`].
    pub fn grams(&self) -> Result<Option<Quantity>, Overflow> {
        let Some((weight, unit)) = self.weight.zip(self.weight_unit) else { return Ok(None) };
        Weights::of(weight.times(self.quantity)?, unit)?.within(WeightUnit::G).map(Some)
    }
}

#[cfg(test)]
mod tests {
    use super::super::combos::tests::dish;
    use super::super::drafts::Selling;
    use super::super::lines::resolve;
    use super::super::price::{Terms, price};
    use super::super::refunds::part;
    use super::*;
    use crate::resources::menu::rules::SoldBy;
    use proptest::prelude::*;
    use std::collections::HashMap;
    use tiffin_common::Uuid;

    const ID: Uuid = Uuid::from_u128(1);

    fn read(
        price: i64,
        weights: &[i64],
        quantity: i64,
        weighs: bool,
    ) -> Result<Vec<LineRecord>, Vec<FieldError>> {
        let sweet =
            Sellable { sold_by: SoldBy::Weight, weight_unit: Some(WeightUnit::Kg), ..dish(ID, price, 500) };
        let request = |weight: &i64| LineRequest {
            menu_item_id: ID,
            variant_id: None,
            sku: None,
            quantity,
            weight: (*weight != 0).then(|| Quantity::from_millionths(*weight)),
            unit_price: None,
            modifiers: Vec::new(),
            components: Vec::new(),
            notes: None,
            course: None,
            seat_number: None,
            hold: false,
        };
        let requests: Vec<LineRequest> = weights.iter().map(request).collect();
        let selling = Selling { may_override: false, sells_on: false, is_for_later: false, weighs };
        let drafts = resolve(&requests, &HashMap::from([(ID, sweet)]), selling, "items")?;
        Ok(drafts.into_iter().map(|draft| draft.line).collect())
    }

    fn names(found: Result<Vec<LineRecord>, Vec<FieldError>>) -> Vec<String> {
        found.unwrap_err().into_iter().map(|field| field.name).collect()
    }

    #[test]
    fn a_weight_is_needed_and_weighed_by_staff() {
        assert_eq!(names(read(100, &[0], 1, true)), ["items[0].weight"]);
        assert_eq!(names(read(100, &[-1], 2, true)), ["items[0].quantity", "items[0].weight"]);
        assert_eq!(names(read(100, &[MAX_WEIGHT * MILLION + 1], 1, true)), ["items[0].weight"]);
        assert_eq!(names(read(100, &[1, MILLION], 1, false)), ["items[0].menuItemId", "items[1].menuItemId"]);
        let dearest = names(read(1_000_000_000_000, &[MILLION + 1], 1, true));
        assert_eq!(dearest, ["items[0].quantity"], "too much to count");
        let line = &read(90_000, &[1_250_000], 1, true).unwrap()[0];
        assert_eq!(
            (line.gross, line.grams().unwrap()),
            (Cents::new(112_500), Some(Quantity::units(1_250).unwrap()))
        );
    }

    proptest! {
        #[test]
        fn a_line_is_price_times_weight_half_up_and_its_modifiers_once(
            price_of in 0i64..5_000_000, weights in proptest::collection::vec(1i64..=MAX_WEIGHT * MILLION, 1..9),
            modifiers in 0i64..90_000,
        ) {
            let mut lines = read(price_of, &weights, 1, true).unwrap();
            let mut sum = 0i128;
            for (line, weight) in lines.iter_mut().zip(&weights) {
                line.modifiers_total = Cents::new(modifiers);
                line.gross = line.gross_of(1).unwrap();
                // Half a cent more, and what is whole of it.
                let own = (2 * i128::from(price_of) * i128::from(*weight) + 1_000_000) / 2_000_000 + i128::from(modifiers);
                prop_assert_eq!(i128::from(line.gross.get()), own);
                prop_assert_eq!(line.gross_of(0).unwrap(), Cents::ZERO);
                // It comes back whole, to the cent.
                prop_assert_eq!(part(line.gross, 0, 1, 1).unwrap(), line.gross);
                sum += own;
            }
            let all: Vec<_> = lines.iter().map(LineRecord::price_line).collect();
            prop_assert_eq!(i128::from(price(&Terms::default(), &all, &[]).unwrap().subtotal.get()), sum);
        }
    }
}
