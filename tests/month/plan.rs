//! What happens in the month, minute by minute, drawn from a seed before anything is done. Never looks at the product.

use super::calendar::{DAY, at};
use edge::cli::sample::dice::Dice;
use tiffin_tests::figures::DISHES;

/// What becomes of an order.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Fate {
    Plain,
    /// Ten percent off everything.
    Discounted,
    /// Before anybody cooked.
    Cancelled,
    /// Its first line is taken off before it was made …
    VoidedUnmade,
    /// … or after.
    VoidedMade,
    /// Paid, and part of the money given back on the next business day.
    Refunded,
}

/// A party, or somebody at the counter.
#[derive(Debug, Clone)]
pub struct Visit {
    pub opened: i64,
    pub closed: i64,
    /// Table 1 to 12; none at the counter.
    pub table: Option<usize>,
    pub guests: i64,
    /// Dish, option, portions.
    pub lines: Vec<(&'static str, Option<&'static str>, i64)>,
    pub fate: Fate,
    pub method: &'static str,
    pub tip: i64,
}

/// One attendance of one employee.
#[derive(Debug, Clone, Copy)]
pub struct Duty {
    pub employee: usize,
    pub clock_in: i64,
    pub clock_out: i64,
    /// From, to.
    pub pause: Option<(i64, i64)>,
}

/// Something that happens.
#[derive(Debug, Clone)]
pub enum Event {
    /// The day's staff sign in, what has expired goes, goods come.
    Morning(i64),
    Open(usize),
    Close(usize),
    GiveBack(usize),
    Punch(usize, &'static str),
    /// The missing clock-out is entered.
    Remember(usize),
    /// A clock-in ten minutes later than it was punched.
    Correct(usize),
    Raise {
        employee: usize,
        cents: i64,
    },
    Waste(i64),
    Count(i64),
    Spill,
    Leave,
    DayClose(i64),
}

/// The month.
#[derive(Debug, Default)]
pub struct Plan {
    pub visits: Vec<Visit>,
    pub duties: Vec<Duty>,
    /// In the order of time.
    pub events: Vec<(i64, Event)>,
}

/// Name, PIN, cents an hour, shift type and its first hour.
pub const STAFF: [(&str, &str, i64, &str, i64); 3] = [
    ("Asha", "2580", 15_000, "MORNING", 7),
    ("Bilal", "1379", 12_000, "EVENING", 15),
    ("Chen", "8642", 13_100, "NIGHT", 23),
];

/// Days Asha is away.
pub const AWAY: std::ops::RangeInclusive<i64> = 10..=12;

/// Whose attendance is corrected, and whose clock-out forgotten: employee and day.
const CORRECTED: (usize, i64) = (2, 5);
const FORGOTTEN: (usize, i64) = (1, 18);

impl Plan {
    /// The month that `seed` gives.
    pub fn draw(seed: u64) -> Plan {
        let mut plan = Plan::default();
        for day in 1..=31 {
            let mut dice = Dice::new(seed, u64::try_from(day).unwrap());
            plan.trade(day, &mut dice);
            plan.staff(day, &mut dice);
            plan.note(at(day, 6, 0), Event::Morning(day));
            plan.note(at(day, 16, 5), Event::Waste(day));
            if day % 7 == 0 {
                plan.note(at(day, 10, 30), Event::Count(day));
            }
            plan.note(at(day + 1, 3, 50), Event::DayClose(day));
        }
        plan.note(at(9, 12, 5), Event::Leave);
        plan.note(at(13, 16, 20), Event::Spill);
        plan.note(at(16, 12, 10), Event::Raise { employee: 1, cents: 13_550 });
        plan.note(at(22, 11, 10), Event::Raise { employee: 0, cents: 16_225 });
        plan.events.sort_by_key(|(minute, _)| *minute);
        plan
    }

    fn note(&mut self, minute: i64, event: Event) {
        self.events.push((minute, event));
    }

    /// Fourteen orders, 55 minutes apart: the last long after midnight, on the same business day.
    fn trade(&mut self, day: i64, dice: &mut Dice) {
        for slot in 0..14 {
            let opened = at(day, 11, 0) + slot * 55 + i64::from(dice.below(10));
            let table = (!dice.chance(400)).then(|| dice.below(12) as usize + 1);
            let fate = match dice.below(100) {
                0..8 => Fate::Discounted,
                8..13 if table.is_none() => Fate::Cancelled,
                13..18 => Fate::VoidedUnmade,
                18..23 => Fate::VoidedMade,
                23..28 => Fate::Refunded,
                _ => Fate::Plain,
            };
            // Once a week the last guests' bill stays open over night.
            let closed = if slot == 13 && day % 7 == 3 { at(day + 1, 9, 15) } else { opened + 40 };
            let lines = lines(dice, fate);
            let index = self.visits.len();
            let method = *dice.one_of(&["CASH", "CARD", "UPI"]).unwrap();
            let tip = if dice.chance(250) { 500 } else { 0 };
            let guests = i64::from(dice.between(1, 4));
            self.visits.push(Visit { opened, closed, table, guests, lines, fate, method, tip });
            self.note(opened, Event::Open(index));
            if fate != Fate::Cancelled {
                self.note(closed, Event::Close(index));
            }
            if fate == Fate::Refunded && day < 31 {
                self.note(at(day + 1, 10, 5), Event::GiveBack(index));
            }
        }
    }

    fn staff(&mut self, day: i64, dice: &mut Dice) {
        for (employee, (_, _, _, _, hour)) in STAFF.iter().enumerate() {
            let start = at(day, *hour, 0);
            let clock_in = start - 6 + i64::from(dice.below(18));
            let clock_out = start + 8 * 60 - 5 + i64::from(dice.below(20));
            let rest = start + 4 * 60 + i64::from(dice.below(30));
            if employee == 0 && AWAY.contains(&day) {
                continue;
            }
            let pause = (employee < 2 || day % 2 == 0).then_some((rest, rest + 25));
            let index = self.duties.len();

            self.duties.push(Duty { employee, clock_in, clock_out, pause });
            self.note(clock_in, Event::Punch(index, "CLOCK_IN"));
            if let Some((from, to)) = pause {
                self.note(from, Event::Punch(index, "BREAK_START"));
                self.note(to, Event::Punch(index, "BREAK_END"));
            }
            if (employee, day) == FORGOTTEN {
                self.note(at(day + 1, 10, 10), Event::Remember(index));
            } else {
                self.note(clock_out, Event::Punch(index, "CLOCK_OUT"));
            }
            if (employee, day) == CORRECTED {
                self.note(clock_out + DAY / 4, Event::Correct(index));
            }
        }
    }
}

fn lines(dice: &mut Dice, fate: Fate) -> Vec<(&'static str, Option<&'static str>, i64)> {
    let mut dishes = DISHES.to_vec();
    let mut lines = Vec::new();
    for _ in 0..dice.between(2, 3) {
        let dish = dishes.remove(dice.below(u32::try_from(dishes.len()).unwrap()) as usize);
        let option = (dish == "Paneer Tikka" && dice.chance(500)).then_some("Extra paneer");
        // A voided line is taken off as a whole.
        let most =
            if matches!(fate, Fate::VoidedUnmade | Fate::VoidedMade) && lines.is_empty() { 1 } else { 3 };
        lines.push((dish, option, i64::from(dice.between(1, most))));
    }
    lines
}
