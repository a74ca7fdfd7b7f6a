//! Combos on an order: what was chosen for one, and what each component's part of its price is. Pure.
//!
//! A combo is a line without money of its own, and each of its components is a line that follows it: the dish with its part of the combo's
//! price, its own taxes, station and recipe, in as many portions as the combo. So whatever sums lines, bills them, cooks them or takes their
//! stock is right without knowing of combos; what is done to a combo (a void, a refund, a split) is done to all its lines, and to none of
//! them alone.
//!
//! The price of one combo is divided among its components in proportion to what they cost alone, to the cent; what an option asks on top
//! is its component's.

use super::bill::BillCombo;
use super::drafts::{ComponentRequest, Draft, LineRequest};
use super::reading::{Reading, read_dish, read_line};
use super::record::{LineRecord, OrderRecord};
use crate::http::Checks;
use crate::resources::menu::rules::{Component, ComponentOption, Sellable};
use std::collections::HashMap;
use tiffin_common::{Cents, Overflow, Uuid};

/// Why a component's line is not to be named.
pub const PART_OF_A_COMBO: &str = "is a component of a combo: name the combo's line";

/// The lines of what was asked for of `combo`: the combo, which costs nothing by itself, and behind it its components.
pub(super) fn read_combo(
    request: &LineRequest,
    (combo, dishes): (&Sellable, &HashMap<Uuid, Sellable>),
    reading: Reading<'_>,
    checks: &mut Checks,
) -> Result<Vec<Draft>, Overflow> {
    let path = reading.path;
    checks.require(request.variant_id.is_none(), format!("{path}.variantId"), "is no variant of this dish");
    let mut head = read_line(request, combo, reading, checks)?;
    let costs_nothing = head.line.modifiers.iter().all(|modifier| modifier.price == Cents::ZERO);
    checks.require(costs_nothing, format!("{path}.modifiers"), "of a combo are notes and cost nothing");
    head.line.combo_id = Some(combo.id);
    (head.line.gross, head.line.modifiers_total) = (Cents::ZERO, Cents::ZERO);
    let mut drafts = vec![head];
    for (index, selection) in request.components.iter().enumerate() {
        let path = format!("{path}.components[{index}]");
        let found = find_option(&combo.components, selection, &path, checks);
        let Some((component, option)) = found else { continue };
        let Some(dish) = dishes.get(&option.menu_item_id) else {
            checks.add(format!("{path}.menuItemId"), "is not on the menu");
            continue;
        };
        let of_dish = LineRequest {
            menu_item_id: dish.id,
            variant_id: option.variant_id,
            sku: None,
            unit_price: None,
            modifiers: selection.modifiers.clone(),
            course: request.course.or(combo.course),
            components: Vec::new(),
            weight: None,
            ..request.clone()
        };
        let found = read_dish(&of_dish, dish, Reading { path: &path, ..reading }, checks)?;
        drafts.extend(found.map(|mut draft| {
            draft.line.extra = option.extra;
            draft.line.combo_id = Some(combo.id);
            // The combo gets its id when it is written.
            draft.line.combo_line_id = Some(Uuid::nil());
            draft.line.component = Some(component.name.clone());
            draft
        }));
    }
    check_counts(&combo.components, &request.components, path, checks);
    apportion(&mut drafts)?;
    Ok(drafts)
}

/// The component and the option of it that a selection means; the component by its name in whichever language.
fn find_option<'a>(
    components: &'a [Component],
    selection: &ComponentRequest,
    path: &str,
    checks: &mut Checks,
) -> Option<(&'a Component, &'a ComponentOption)> {
    let Some(component) = components.iter().find(|component| component.is_called(&selection.name)) else {
        checks.add(format!("{path}.name"), "is no component of this combo");
        return None;
    };
    let of_dish = |option: &&ComponentOption| option.menu_item_id == selection.menu_item_id;
    let mut options = component.options.iter().filter(of_dish).peekable();
    if options.peek().is_none() {
        checks.add(format!("{path}.menuItemId"), format!("is no option of {}", component.name));
        return None;
    }
    let (exact, only) = (selection.variant_id, options.clone().count() == 1);
    let found = options.find(|option| option.variant_id == exact || (exact.is_none() && only));
    if found.is_none() {
        checks.add(format!("{path}.variantId"), format!("is no option of {}", component.name));
    }
    found.map(|option| (component, option))
}

/// Names every component that was selected too seldom or too often.
fn check_counts(components: &[Component], chosen: &[ComponentRequest], path: &str, checks: &mut Checks) {
    for component in components {
        let count = chosen.iter().filter(|selection| component.is_called(&selection.name)).count();
        let count = i64::try_from(count).unwrap_or(i64::MAX);
        let (name, min, max) = (&component.name, component.min, component.max);
        let path = format!("{path}.components");
        if count < min {
            checks.add(path, format!("must choose at least {min} of {name}"));
        } else if count > max {
            checks.add(path, format!("must choose at most {max} of {name}"));
        }
    }
}

/// Gives the components behind the combo, the first of `drafts`, their parts of its price: each costs by now what it costs alone.
fn apportion(drafts: &mut [Draft]) -> Result<(), Overflow> {
    let Some((head, components)) = drafts.split_first_mut() else { return Ok(()) };
    if components.is_empty() {
        return Ok(());
    }
    let alone: Vec<i64> = components.iter().map(|draft| draft.line.unit_price.get().max(0)).collect();
    for (draft, part) in components.iter_mut().zip(head.line.unit_price.allocate(&alone)?) {
        let line = &mut draft.line;
        line.unit_price = part.plus(line.extra)?;
        line.gross = line.gross_of(line.quantity)?;
        if line.gross.get() > tiffin_common::money::MAX_CENTS {
            return Err(Overflow);
        }
        // What is noted for the combo each of its cooks reads.
        line.modifiers.extend(head.line.modifiers.iter().cloned());
    }
    // Where the operator of a channel bills the food, it bills the combo with it.
    head.line.is_goods = components.iter().all(|draft| draft.line.is_goods);
    Ok(())
}

/// A line of an order as it is sold: a dish, or a combo with its components.
#[derive(Debug, Clone, Copy)]
pub struct Sold<'a> {
    /// The dish, or the combo.
    pub line: &'a LineRecord,
    /// Its components.
    pub components: &'a [LineRecord],
}

/// `lines` as they were sold. Components follow their combo; one whose combo is not there is sold by itself.
pub fn as_sold(lines: &[LineRecord]) -> Vec<Sold<'_>> {
    let mut sold = Vec::with_capacity(lines.len());
    let mut rest = lines;
    while let Some((line, behind)) = rest.split_first() {
        let is_part = |other: &LineRecord| line.is_combo() && other.combo_line_id == Some(line.id);
        let count = behind.iter().take_while(|other| is_part(other)).count();
        let (components, others) = behind.split_at(count);
        sold.push(Sold { line, components });
        rest = others;
    }
    sold
}

impl Sold<'_> {
    /// A sum over the line and its components. What is too much to count was never taken.
    pub fn sum(&self, pick: fn(&LineRecord) -> Cents) -> Cents {
        Cents::sum(std::iter::once(self.line).chain(self.components).map(pick)).unwrap_or_default()
    }

    /// What is asked for one on top of its price: its modifiers; for a combo, what its options ask, with their modifiers.
    pub fn on_top(&self) -> Cents {
        self.sum(|line| line.extra.plus(line.modifiers_total).unwrap_or_default())
    }
}

impl LineRecord {
    /// Whether it is a combo: its money, taxes, stock and tickets are those of its components.
    pub fn is_combo(&self) -> bool {
        self.combo_id == Some(self.menu_item_id)
    }

    /// Whether it is a component of a combo.
    pub fn is_component(&self) -> bool {
        self.combo_line_id.is_some()
    }

    /// Whether it is the line `id`, or a component of it.
    pub fn is_of(&self, id: Uuid) -> bool {
        self.id == id || self.combo_line_id == Some(id)
    }
}

impl OrderRecord {
    /// The lines that are sold as the line `id`: it, and its components. None where there is no such line, or it is itself a component,
    /// which is sold with its combo alone.
    pub fn sold_as(&self, id: Uuid) -> Vec<LineRecord> {
        let is_sold = self.line(id).is_some_and(|line| !line.is_component());
        self.lines.iter().filter(|line| is_sold && line.is_of(id)).cloned().collect()
    }

    /// The line of the combo that `line` is a component of.
    pub fn combo_of(&self, line: &LineRecord) -> Option<&LineRecord> {
        line.combo_line_id.and_then(|id| self.line(id))
    }

    /// What a bill with `quantity` portions of `line` says of the combo that it is a component of.
    ///
    /// # Errors
    /// [`Overflow`].
    pub fn bill_combo(&self, line: &LineRecord, quantity: i64) -> Result<Option<BillCombo>, Overflow> {
        let Some(combo) = self.combo_of(line) else { return Ok(None) };
        Ok(Some(BillCombo {
            order_item_id: combo.id,
            name: combo.name.clone(),
            unit_price_cents: combo.unit_price,
            price_cents: combo.unit_price.times(quantity)?,
            extra_cents: line.extra.plus(line.modifiers_total)?.times(quantity)?,
        }))
    }
}

/// The place in the request, for each of `lines`, of the line it was asked for with: components stand with their combo.
pub fn places(lines: &[LineRecord]) -> impl Iterator<Item = usize> {
    lines.iter().scan(0_usize, |count, line| {
        *count = count.saturating_add(usize::from(!line.is_component()));
        Some(count.saturating_sub(1))
    })
}

#[cfg(test)]
pub(super) mod tests {
    use super::super::drafts::Selling;
    use super::super::lines::resolve;
    use super::super::price::{Reduction, Terms, price};
    use super::super::{DiscountKind, PriceLine};
    use super::*;
    use crate::resources::menu::rules::{Availability, ItemKind, SoldBy, TaxComponent, Window};
    use proptest::prelude::*;
    use tiffin_common::Bps;

    const COMBO: Uuid = Uuid::from_u128(1);

    /// A dish at that price and rate of tax, with nothing else.
    pub fn dish(id: Uuid, price: i64, rate: i64) -> Sellable {
        Sellable {
            id,
            category_id: Uuid::nil(),
            name: format!("Dish {id}"),
            kitchen_name: None,
            hsn_sac: None,
            station_id: None,
            course: None,
            prep_minutes: None,
            price: Cents::new(price),
            price_list_id: None,
            honoured: Vec::new(),
            tax_components: vec![TaxComponent { name: "Tax".into(), rate: Bps::new(rate), kind: None }],
            is_goods: false,
            availability: Availability::IN_STOCK,
            unavailable: None,
            groups: Vec::new(),
            variants: Vec::new(),
            variant_id: None,
            kind: ItemKind::Item,
            sold_by: SoldBy::Piece,
            weight_unit: None,
            components: Vec::new(),
            window: Window::default(),
        }
    }

    fn option_of(dish: &Sellable, extra: i64) -> ComponentOption {
        ComponentOption {
            id: dish.id,
            menu_item_id: dish.id,
            variant_id: None,
            name: dish.name.clone(),
            extra: Cents::new(extra),
            price: dish.price,
            is_available: true,
        }
    }

    /// The lines of `quantity` combos at `price`, with one of each of these dishes: price alone, extra, rate of tax.
    fn sold(price: i64, dishes: &[(i64, i64, i64)], quantity: i64) -> Vec<LineRecord> {
        let ids = (2..).map(Uuid::from_u128);
        let dishes: Vec<_> =
            dishes.iter().zip(ids).map(|(one, id)| (dish(id, one.0, one.2), one.1)).collect();
        let all = Component {
            id: COMBO,
            name: "All".into(),
            min: 1,
            max: 50,
            texts: serde_json::from_str(r#"{"hi": {"name": "सब"}}"#).unwrap(),
            options: dishes.iter().map(|(dish, extra)| option_of(dish, *extra)).collect(),
        };
        let combo = Sellable { kind: ItemKind::Combo, components: vec![all], ..dish(COMBO, price, 900) };
        let selection = |(dish, _): &(Sellable, i64)| ComponentRequest {
            name: " all ".into(),
            menu_item_id: dish.id,
            variant_id: None,
            modifiers: Vec::new(),
        };
        let request = LineRequest {
            menu_item_id: COMBO,
            variant_id: None,
            sku: None,
            quantity,
            weight: None,
            unit_price: None,
            modifiers: Vec::new(),
            components: dishes.iter().map(selection).collect(),
            notes: None,
            course: None,
            seat_number: None,
            hold: false,
        };
        let menu = dishes.into_iter().map(|(dish, _)| (dish.id, dish)).chain([(COMBO, combo)]).collect();
        let selling = Selling { may_override: false, sells_on: false, is_for_later: false, weighs: true };
        let drafts = resolve(&[request], &menu, selling, "items").unwrap();
        drafts.into_iter().map(|draft| draft.line).collect()
    }

    fn bill(lines: &[LineRecord], included: bool, cut: i64) -> super::super::Priced {
        let terms = Terms { prices_include_tax: included, ..Terms::default() };
        let part_of = |line: &LineRecord| line.is_component().then_some(0);
        let lines: Vec<PriceLine<'_>> =
            lines.iter().map(|line| PriceLine { part_of: part_of(line), ..line.price_line() }).collect();
        let cut = Reduction { line: Some(0), kind: DiscountKind::Percent, value: cut };
        price(&terms, &lines, &[cut]).unwrap()
    }

    #[test]
    fn components_share_the_price_as_they_cost_alone_and_extras_are_their_own() {
        let lines = sold(40_000, &[(38_000, 5_000, 500), (9_000, 0, 500), (3_000, 0, 0)], 2);
        let units: Vec<i64> = lines.iter().map(|line| line.unit_price.get()).collect();
        assert_eq!(units, [40_000, 35_400, 7_200, 2_400]);
        let all = as_sold(&lines);
        assert_eq!((all.len(), all[0].components.len()), (1, 3));
        assert_eq!((all[0].sum(|line| line.gross), all[0].on_top()), (Cents::new(90_000), Cents::new(5_000)));
        assert_eq!(bill(&lines, false, 0).tax, Cents::new(4_260));
        assert_eq!(places(&lines).collect::<Vec<_>>(), [0, 0, 0, 0]);
        // Dishes that cost nothing alone share equally.
        let free: Vec<i64> =
            sold(100, &[(0, 0, 0), (0, 0, 0), (0, 7, 0)], 1).iter().map(|l| l.gross.get()).collect();
        assert_eq!(free, [0, 34, 33, 40]);
    }

    proptest! {
        #[test]
        fn the_parts_of_a_combo_are_the_combo_whatever_comes_off(
            combo in 0i64..200_000, dishes in proptest::collection::vec((0i64..90_000, 0i64..9_000, 0i64..2_800), 1..7),
            quantity in 1i64..9, off in 0i64..9, included in any::<bool>(), cut in 0i64..=10_000,
        ) {
            let off = off.min(quantity);
            let mut lines = sold(combo, &dishes, quantity);
            let extras: i64 = dishes.iter().map(|dish| dish.1).sum();
            let gross = |lines: &[LineRecord]| as_sold(lines)[0].sum(|line| line.gross).get();
            prop_assert_eq!(gross(&lines), (combo + extras) * quantity);
            let taken: i64 = lines.iter().map(|line| line.gross_of(off).unwrap().get()).sum();
            for line in &mut lines {
                line.quantity = quantity - off;
                line.gross = line.gross_of(line.quantity).unwrap();
            }
            prop_assert_eq!(gross(&lines) + taken, (combo + extras) * quantity);

            let bill = bill(&lines, included, cut);
            let sum = |pick: fn(&super::super::PricedLine) -> Cents| Cents::sum(bill.lines.iter().map(pick)).unwrap();
            prop_assert_eq!(sum(|line| line.tax), bill.tax);
            let charged = bill.subtotal.minus(bill.discount).unwrap().plus(bill.tax).unwrap();
            prop_assert_eq!(charged, bill.total);
            if included {
                prop_assert_eq!(bill.total.plus(bill.reductions[0]).unwrap().get(), gross(&lines));
            } else {
                prop_assert_eq!(bill.subtotal.get(), gross(&lines));
            }
            // Given back portion by portion, each line takes back exactly what it was charged.
            for line in bill.lines.iter().skip(1).filter(|_| quantity > off) {
                let worth = line.subtotal.minus(line.discount).unwrap().plus(line.tax).unwrap();
                let parts = (0..quantity - off).map(|n| super::super::refunds::part(worth, n, n + 1, quantity - off).unwrap());
                prop_assert_eq!(Cents::sum(parts).unwrap(), worth);
            }
        }
    }
}
