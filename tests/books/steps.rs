//! What may be done to orders, money and days, in any order. Never looks at the product: a step names what it is about by a number
//! that finds something whenever there is anything.

use proptest::prelude::*;

/// One action.
#[derive(Debug, Clone)]
pub enum Step {
    /// An order: how it is taken (0 table, 1 counter, 2 takeaway, 3 delivery, 4 through the
    /// channel whose operator bills the food, 5 through one whose orders the house bills), dishes and portions.
    Place(u8, Vec<(u8, i64)>),
    /// One more line.
    Add {
        order: u8,
        dish: u8,
        quantity: i64,
    },
    /// A line becomes so many portions.
    Change {
        order: u8,
        line: u8,
        quantity: i64,
    },
    /// A portion comes off.
    Void {
        order: u8,
        line: u8,
        made: bool,
    },
    /// A share of the order, or of a line; all of it is a comp.
    Percent {
        order: u8,
        line: Option<u8>,
        percent: i64,
    },
    /// An amount off the order.
    Fixed {
        order: u8,
        cents: i64,
    },
    /// The newest discount is taken off.
    Undiscount {
        order: u8,
    },
    /// A line goes to an order of its own.
    Split {
        order: u8,
        line: u8,
    },
    Merge {
        order: u8,
        other: u8,
    },
    Bill {
        order: u8,
    },
    Withdraw {
        order: u8,
    },
    /// So many quarters of what is due.
    Pay {
        order: u8,
        method: u8,
        quarters: i64,
        tip: i64,
    },
    Correct {
        order: u8,
        payment: u8,
        method: u8,
        tip: i64,
    },
    Reverse {
        order: u8,
        payment: u8,
    },
    /// So many quarters of what was paid, or a portion of a line.
    Refund {
        order: u8,
        quarters: i64,
        line: Option<u8>,
        restock: bool,
    },
    /// A portion of each line at once.
    RefundOfEach {
        order: u8,
    },
    /// What the operator gave back: a portion of a line, so many quarters of what was paid, or (4) all that is left.
    SlipReturn {
        order: u8,
        part: i64,
        line: Option<u8>,
    },
    /// So many quarters of what is due, or a portion of a line.
    Credit {
        order: u8,
        quarters: i64,
        line: Option<u8>,
    },
    WriteOff {
        order: u8,
    },
    Complete {
        order: u8,
    },
    Cancel {
        order: u8,
    },
    /// The drawer is opened, or counted: right, or short.
    Drawer {
        short: i64,
    },
    PayOut {
        cents: i64,
        tips: bool,
    },
    /// Minutes pass.
    Wait(i64),
    /// The present date is closed before its end.
    CloseEarly,
    /// The date ends; whether it is closed then.
    NextDay {
        close: bool,
    },
}

/// How the outlet charges, and when the first order is taken.
#[derive(Debug, Clone)]
pub struct Terms {
    pub prices_include_tax: bool,
    pub service_charge_bps: i64,
    pub cash_rounding: i64,
    pub begin: &'static str,
}

pub fn terms() -> impl Strategy<Value = Terms> {
    let begin = ["2026-11-20T12:30:00.000Z", "2026-11-29T12:30:00.000Z", "2027-03-30T12:30:00.000Z"];
    (
        any::<bool>(),
        proptest::sample::select(vec![0i64, 500, 1_000]),
        proptest::sample::select(vec![0i64, 5, 100]),
        proptest::sample::select(begin.to_vec()),
    )
        .prop_map(|(prices_include_tax, service_charge_bps, cash_rounding, begin)| Terms {
            prices_include_tax,
            service_charge_bps,
            cash_rounding,
            begin,
        })
}

/// One of the newest orders.
fn order() -> impl Strategy<Value = u8> {
    0u8..5
}

fn changes() -> impl Strategy<Value = Step> {
    let dishes = proptest::collection::vec((0u8..8, 1i64..4), 1..4);
    prop_oneof![
        7 => (0u8..6, dishes).prop_map(|(kind, dishes)| Step::Place(kind, dishes)),
        2 => (order(), 0u8..8, 1i64..4).prop_map(|(order, dish, quantity)| Step::Add { order, dish, quantity }),
        1 => (order(), 0u8..4, 1i64..5).prop_map(|(order, line, quantity)| Step::Change { order, line, quantity }),
        2 => (order(), 0u8..4, any::<bool>()).prop_map(|(order, line, made)| Step::Void { order, line, made }),
        2 => (order(), proptest::option::of(0u8..3), proptest::sample::select(vec![10i64, 33, 50, 100]))
            .prop_map(|(order, line, percent)| Step::Percent { order, line, percent }),
        1 => (order(), 1i64..20_000).prop_map(|(order, cents)| Step::Fixed { order, cents }),
        1 => order().prop_map(|order| Step::Undiscount { order }),
        1 => (order(), 0u8..3).prop_map(|(order, line)| Step::Split { order, line }),
        1 => (order(), order()).prop_map(|(order, other)| Step::Merge { order, other }),
        1 => order().prop_map(|order| Step::Cancel { order }),
    ]
}

fn money() -> impl Strategy<Value = Step> {
    let tip = || proptest::sample::select(vec![0i64, 0, 500, 1_234]);
    prop_oneof![
        4 => order().prop_map(|order| Step::Bill { order }),
        1 => order().prop_map(|order| Step::Withdraw { order }),
        8 => (order(), 0u8..5, 1i64..5, tip())
            .prop_map(|(order, method, quarters, tip)| Step::Pay { order, method, quarters, tip }),
        2 => (order(), 0u8..3, 0u8..5, tip())
            .prop_map(|(order, payment, method, tip)| Step::Correct { order, payment, method, tip }),
        2 => (order(), 0u8..3).prop_map(|(order, payment)| Step::Reverse { order, payment }),
        3 => (order(), 1i64..5, proptest::option::of(0u8..3), any::<bool>())
            .prop_map(|(order, quarters, line, restock)| Step::Refund { order, quarters, line, restock }),
        2 => order().prop_map(|order| Step::RefundOfEach { order }),
        3 => (order(), 1i64..5, proptest::option::of(0u8..3))
            .prop_map(|(order, part, line)| Step::SlipReturn { order, part, line }),
        3 => (order(), 1i64..5, proptest::option::of(0u8..3))
            .prop_map(|(order, quarters, line)| Step::Credit { order, quarters, line }),
        1 => order().prop_map(|order| Step::WriteOff { order }),
        4 => order().prop_map(|order| Step::Complete { order }),
        2 => proptest::sample::select(vec![0i64, 0, 700]).prop_map(|short| Step::Drawer { short }),
        1 => (1i64..5_000, any::<bool>()).prop_map(|(cents, tips)| Step::PayOut { cents, tips }),
    ]
}

fn time() -> impl Strategy<Value = Step> {
    prop_oneof![
        3 => (1i64..600).prop_map(Step::Wait),
        1 => Just(Step::CloseEarly),
        2 => any::<bool>().prop_map(|close| Step::NextDay { close }),
    ]
}

fn step() -> impl Strategy<Value = Step> {
    prop_oneof![5 => changes(), 8 => money(), 2 => time()]
}

/// Steps, one a line where they are shown.
pub struct Steps(pub Vec<Step>);

impl std::fmt::Debug for Steps {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        self.0.iter().try_for_each(|step| write!(f, "\n    {step:?}"))
    }
}

pub fn some() -> impl Strategy<Value = Steps> {
    proptest::collection::vec(step(), 20..90).prop_map(Steps)
}
