//! What the guests of one simulated day do: who comes when, sits where, orders what, pays how. Pure: the same restaurant,
//! day number and seed give the same plan. Knows no database, no prices and no clock; `history` carries it out.

use super::data::{MenuItem, Restaurant};
use super::dice::Dice;
use chrono::{Datelike, NaiveDate, Weekday};

/// Milliseconds of a minute.
pub const MINUTE: i64 = 60_000;

/// How a guest gets the food.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Kind {
    /// At a table.
    DineIn,
    /// Called or came for a parcel.
    Takeaway,
    /// By an aggregator's rider.
    Delivery,
    /// Standing at the counter.
    Counter,
}

/// One line of an order, by places in the restaurant's lists.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct PlannedLine {
    /// Place in `menu_items`.
    pub item: usize,
    /// Portions.
    pub quantity: u32,
    /// Chosen options: place in `modifier_groups`, place in its `options`.
    pub options: Vec<(usize, usize)>,
}

/// How an order ends.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Fate {
    /// Eaten and paid.
    Paid,
    /// Cancelled before the kitchen began.
    Cancelled,
    /// Paid, and one line refunded afterwards.
    Refunded,
}

/// One order from arrival to the end. All moments are milliseconds after the business date's local midnight.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Visit {
    /// When it is placed.
    pub at: i64,
    /// How it is eaten.
    pub kind: Kind,
    /// Place in `tables`.
    pub table: Option<usize>,
    /// How many eat.
    pub guests: u32,
    /// Name and telephone, where they were asked.
    pub customer: Option<(String, String)>,
    /// First round.
    pub lines: Vec<PlannedLine>,
    /// Second round, if any.
    pub later: Vec<PlannedLine>,
    /// How it ends.
    pub fate: Fate,
    /// Void the first line before it is cooked.
    pub void_first: bool,
    /// Percent off the whole order.
    pub discount_percent: u32,
    /// Payment methods; more than one share the bill equally.
    pub payments: Vec<&'static str>,
    /// Tip in percent of the first payment.
    pub tip_percent: u32,
    /// Kitchen begins.
    pub starts_at: i64,
    /// Kitchen is done.
    pub ready_at: i64,
    /// Second round is ordered.
    pub later_at: i64,
    /// Bill and money.
    pub pays_at: i64,
}

/// What happens on one business date.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Day {
    /// The guests, by time of arrival.
    pub visits: Vec<Visit>,
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum Meal {
    Breakfast,
    Lunch,
    Tea,
    Dinner,
}

/// Share of the day's orders that each half hour from 08:00 on brings.
const HALF_HOURS: [u32; 30] = [
    8, 12, 16, 18, 14, 10, 8, 14, 34, 52, 58, 50, 34, 18, 10, 8, 12, 16, 14, 10, 10, 18, 36, 54, 66, 62, 48,
    32, 18, 8,
];

const NAMES: [&str; 24] = [
    "Aarav", "Aditi", "Akash", "Bhavana", "Chetan", "Deepa", "Farhan", "Gayatri", "Harish", "Ishita",
    "Joseph", "Kiran", "Latha", "Manoj", "Nisha", "Omkar", "Pooja", "Raghav", "Sneha", "Tarun", "Usha",
    "Varun", "Yamini", "Zoya",
];

/// The plan of business date `date`, the `index`-th of the history. About 120 to 300 orders: fewer early in the week,
/// more at the weekend, and a little more every month.
pub fn day(restaurant: &Restaurant, date: NaiveDate, index: u32, seed: u64) -> Day {
    let mut dice = Dice::new(seed, u64::from(index).wrapping_add(1));
    let weekday = match date.weekday() {
        Weekday::Mon => 150,
        Weekday::Tue => 156,
        Weekday::Wed => 164,
        Weekday::Thu => 174,
        Weekday::Fri => 216,
        Weekday::Sat => 254,
        Weekday::Sun => 240,
    };
    let grown = weekday * (1000 + index.min(365) / 3) / 1000;
    let orders = (grown * dice.between(90, 110) / 100).clamp(120, 300);
    let mut moments: Vec<i64> = (0..orders).map(|_| arrival(&mut dice)).collect();
    moments.sort_unstable();
    let mut free_at = vec![0i64; restaurant.tables.len()];
    let visits = moments.into_iter().map(|at| visit(restaurant, at, &mut free_at, &mut dice)).collect();
    Day { visits }
}

fn arrival(dice: &mut Dice) -> i64 {
    let half_hour = i64::try_from(dice.weighted(HALF_HOURS)).unwrap_or(0);
    (8 * 60 + half_hour * 30) * MINUTE + i64::from(dice.below(1_800_000))
}

fn meal_at(at: i64) -> Meal {
    match at / (60 * MINUTE) {
        ..=10 => Meal::Breakfast,
        11..=14 => Meal::Lunch,
        15..=17 => Meal::Tea,
        _ => Meal::Dinner,
    }
}

fn visit(restaurant: &Restaurant, at: i64, free_at: &mut [i64], dice: &mut Dice) -> Visit {
    let meal = meal_at(at);
    let guests = 1 + u32::try_from(dice.weighted([22, 38, 16, 14, 5, 3, 1, 1])).unwrap_or(0);
    let wanted = match dice.weighted([55, 18, 15, 12]) {
        0 => Kind::DineIn,
        1 => Kind::Takeaway,
        2 => Kind::Delivery,
        _ => Kind::Counter,
    };
    let table = if wanted == Kind::DineIn { free_table(restaurant, at, guests, free_at) } else { None };
    // No table free: they take a parcel.
    let kind = if wanted == Kind::DineIn && table.is_none() { Kind::Takeaway } else { wanted };
    let guests = if kind == Kind::Counter { 1 } else { guests };
    let lines = lines_of(restaurant, meal, guests, dice);
    let longest = lines.iter().map(|l| restaurant.menu_items.get(l.item).map_or(0, |i| i.prep_minutes)).max();
    let starts_at = at + i64::from(dice.between(40, 240)) * 1000;
    let ready_at = starts_at + longest.unwrap_or(5) * MINUTE * i64::from(dice.between(70, 125)) / 100;
    let stays = match kind {
        Kind::DineIn if meal == Meal::Breakfast || meal == Meal::Tea => dice.between(12, 25),
        Kind::DineIn => dice.between(22, 48),
        _ => dice.between(1, 8),
    };
    let pays_at = ready_at + i64::from(stays) * MINUTE;
    if let Some(slot) = table.and_then(|t| free_at.get_mut(t)) {
        *slot = pays_at + 6 * MINUTE;
    }
    let later = if kind == Kind::DineIn && matches!(meal, Meal::Lunch | Meal::Dinner) && dice.chance(240) {
        pick_lines(
            restaurant,
            &[("desserts", dice.about(6, guests).max(1)), ("beverages", dice.about(3, guests))],
            dice,
        )
    } else {
        Vec::new()
    };
    let mut planned = Visit {
        at,
        kind,
        table,
        guests,
        customer: customer(kind, dice),
        void_first: lines.len() > 1 && dice.chance(14),
        lines,
        later,
        fate: match dice.weighted([974, 18, 8]) {
            0 => Fate::Paid,
            1 => Fate::Cancelled,
            _ => Fate::Refunded,
        },
        discount_percent: if dice.chance(40) { [5, 10, 10, 15][dice.weighted([1, 1, 1, 1]) % 4] } else { 0 },
        payments: Vec::new(),
        tip_percent: 0,
        starts_at,
        ready_at,
        later_at: ready_at + i64::from(dice.between(5, 10)) * MINUTE,
        pays_at,
    };
    pay(&mut planned, dice);
    planned
}

fn pay(visit: &mut Visit, dice: &mut Dice) {
    if visit.kind == Kind::Delivery {
        // The aggregator collected it.
        visit.payments = vec!["OTHER"];
        return;
    }
    let shares = if visit.kind == Kind::DineIn && visit.guests > 1 && dice.chance(60) { 2 } else { 1 };
    visit.payments =
        (0..shares).map(|_| ["UPI", "CARD", "CASH", "WALLET"][dice.weighted([54, 21, 20, 5]) % 4]).collect();
    if visit.kind == Kind::DineIn && dice.chance(90) {
        visit.tip_percent = dice.between(3, 10);
    }
}

fn customer(kind: Kind, dice: &mut Dice) -> Option<(String, String)> {
    let asked = match kind {
        Kind::Delivery => true,
        Kind::Takeaway => dice.chance(700),
        _ => false,
    };
    if !asked {
        return None;
    }
    let name = dice.one_of(&NAMES).copied().unwrap_or("Guest");
    Some((name.to_owned(), format!("+91 9{:09}", dice.below(1_000_000_000))))
}

/// The smallest free table that seats them.
fn free_table(restaurant: &Restaurant, at: i64, guests: u32, free_at: &[i64]) -> Option<usize> {
    let free = restaurant.tables.iter().enumerate().filter(|(place, table)| {
        table.seats >= i64::from(guests) && free_at.get(*place).is_some_and(|free| *free <= at)
    });
    free.min_by_key(|(place, table)| (table.seats, *place)).map(|(place, _)| place)
}

fn lines_of(restaurant: &Restaurant, meal: Meal, guests: u32, dice: &mut Dice) -> Vec<PlannedLine> {
    let wanted = match meal {
        Meal::Breakfast => {
            vec![("south-indian", dice.about(11, guests).max(1)), ("beverages", dice.about(8, guests))]
        }
        Meal::Tea => vec![
            ("starters", dice.about(4, guests)),
            ("south-indian", dice.about(5, guests)),
            ("beverages", dice.about(9, guests).max(1)),
            ("desserts", dice.about(2, guests)),
        ],
        Meal::Lunch => vec![
            ("starters", dice.about(2, guests)),
            ("south-indian", dice.about(3, guests)),
            ("curries", dice.about(4, guests)),
            ("tandoor", dice.about(8, guests)),
            ("rice-noodles", dice.about(6, guests).max(1)),
            ("beverages", dice.about(4, guests)),
        ],
        Meal::Dinner => vec![
            ("starters", dice.about(4, guests)),
            ("curries", dice.about(5, guests).max(1)),
            ("tandoor", dice.about(13, guests)),
            ("rice-noodles", dice.about(5, guests)),
            ("beverages", dice.about(4, guests)),
            ("desserts", dice.about(2, guests)),
        ],
    };
    pick_lines(restaurant, &wanted, dice)
}

/// So many portions of each category, the popular dishes more often; the same dish twice becomes one line.
fn pick_lines(restaurant: &Restaurant, wanted: &[(&str, u32)], dice: &mut Dice) -> Vec<PlannedLine> {
    let mut lines: Vec<PlannedLine> = Vec::new();
    for (category, portions) in wanted {
        for _ in 0..*portions {
            let weights =
                restaurant.menu_items.iter().map(|i| if i.category == *category { i.popularity } else { 0 });
            let item = dice.weighted(weights);
            match lines.iter_mut().find(|line| line.item == item) {
                Some(line) => line.quantity += 1,
                None => {
                    let options = restaurant.menu_items.get(item).map(|i| options_of(restaurant, i, dice));
                    lines.push(PlannedLine { item, quantity: 1, options: options.unwrap_or_default() });
                }
            }
        }
    }
    lines
}

fn options_of(restaurant: &Restaurant, item: &MenuItem, dice: &mut Dice) -> Vec<(usize, usize)> {
    let mut chosen = Vec::new();
    for key in &item.modifier_groups {
        let Some(place) = restaurant.modifier_groups.iter().position(|g| g.key == *key) else { continue };
        let Some(group) = restaurant.modifier_groups.get(place) else { continue };
        if group.max_selections == Some(1) {
            // Optional choices are mostly left as they are.
            if group.min_selections > 0 || dice.chance(350) {
                chosen.push((place, dice.weighted(group.options.iter().map(|o| o.popularity))));
            }
            continue;
        }
        let most = group.max_selections.and_then(|max| usize::try_from(max).ok()).unwrap_or(usize::MAX);
        let wanted =
            group.options.iter().enumerate().filter(|(_, o)| dice.chance(o.popularity.saturating_mul(6)));
        chosen.extend(wanted.take(most).map(|(at, _)| (place, at)));
    }
    chosen
}

#[cfg(test)]
mod tests {
    use super::super::data;
    use super::*;

    fn date(text: &str) -> NaiveDate {
        text.parse().unwrap()
    }

    #[test]
    fn a_plan_depends_on_the_seed_and_the_day_only() {
        let all = data::load().unwrap();
        let plan = |index, seed| day(&all, date("2026-11-20"), index, seed);
        assert_eq!(plan(3, 9), plan(3, 9));
        assert_ne!(plan(3, 9), plan(4, 9));
        assert_ne!(plan(3, 9), plan(3, 10));
    }

    #[test]
    fn days_have_believable_trade() {
        let all = data::load().unwrap();
        for index in 0..28 {
            let of = date("2026-03-02") + chrono::Days::new(u64::from(index));
            let visits = day(&all, of, index, 1).visits;
            assert!((120..=300).contains(&visits.len()), "{}", visits.len());
            assert!(visits.is_sorted_by_key(|v| v.at));
            for v in &visits {
                assert!(
                    !v.lines.is_empty()
                        && v.at < v.starts_at
                        && v.starts_at < v.ready_at
                        && v.ready_at < v.pays_at
                );
                assert!(v.at >= 8 * 60 * MINUTE && v.pays_at < 26 * 60 * MINUTE, "{v:?}");
                assert_eq!(v.table.is_some(), v.kind == Kind::DineIn);
                assert!(!v.payments.is_empty());
            }
            let dinner = visits.iter().filter(|v| v.at >= 18 * 60 * MINUTE).count();
            let lunch =
                visits.iter().filter(|v| (11 * 60 * MINUTE..15 * 60 * MINUTE).contains(&v.at)).count();
            assert!(dinner * 4 > visits.len() && lunch * 4 > visits.len());
        }
    }

    #[test]
    fn no_table_holds_two_parties_at_once() {
        let all = data::load().unwrap();
        let visits = day(&all, date("2026-11-21"), 5, 2).visits;
        for table in 0..all.tables.len() {
            let seated: Vec<_> = visits.iter().filter(|v| v.table == Some(table)).collect();
            assert!(seated.windows(2).all(|pair| pair[0].pays_at < pair[1].at));
        }
    }

    #[test]
    fn options_keep_to_their_group() {
        let all = data::load().unwrap();
        for line in day(&all, date("2026-11-21"), 5, 2).visits.iter().flat_map(|v| &v.lines) {
            for key in &all.menu_items[line.item].modifier_groups {
                let place = all.modifier_groups.iter().position(|g| g.key == *key).unwrap();
                let group = &all.modifier_groups[place];
                let chosen = i64::try_from(line.options.iter().filter(|(g, _)| *g == place).count()).unwrap();
                assert!(
                    chosen >= group.min_selections && group.max_selections.is_none_or(|max| chosen <= max)
                );
            }
        }
    }
}
