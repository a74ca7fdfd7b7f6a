//! Questions about money that moved: payments, tax, discounts, voids, drawers, what is still open.

use super::super::answer::{Statement, Table, cell, whole};
use super::super::call::Call;
use super::super::figures::{Figures, count, listed, money, several};
use super::super::plan::Plan;
use super::costs::spoken;
use super::report::Report;
use super::topic::{Heard, Topic, sentence, within};
use tiffin_common::Cents;

/// States in which an order still needs something.
const OPEN: [&str; 5] = ["PENDING", "ACCEPTED", "IN_PREPARATION", "READY", "DELIVERED"];

pub(super) static TOPICS: &[Topic] = &[
    Topic {
        name: "payments",
        asks: |plan| vec![within(Call::get("/analytics/reports/payments"), &plan.period)],
        tells: payments,
        ..Topic::PLAIN
    },
    Topic {
        name: "tax",
        asks: |plan| vec![within(Call::get("/analytics/reports/tax"), &plan.period)],
        tells: tax,
        ..Topic::PLAIN
    },
    Topic {
        name: "discounts",
        asks: |plan| vec![within(Call::get("/analytics/reports/discounts"), &plan.period)],
        tells: discounts,
        ..Topic::PLAIN
    },
    Topic {
        name: "voids",
        asks: |plan| vec![within(Call::get("/analytics/reports/voids"), &plan.period)],
        tells: voids,
        ..Topic::PLAIN
    },
    Topic { name: "cash drawers", asks: drawers_of, tells: drawers, ..Topic::PLAIN },
    Topic {
        name: "open orders",
        asks: |_| OPEN.map(|status| Call::get("/orders").with("status", status).with("limit", 1)).into(),
        tells: open_orders,
        ..Topic::PLAIN
    },
];

fn payments(heard: &Heard<'_>) -> Option<Statement> {
    let report = Report::of(heard.body(0))?;
    let when = &heard.plan.period.name;
    let net = Cents::new(report.total("netCents")?);
    let (mut statement, mut parts) =
        (Statement::default().fact(money("Payments, net", net, heard.currency)), Vec::new());
    for row in report.rows() {
        let (method, amount) = (row.text("method")?, row.cents("netCents")?);
        parts.push(format!(
            "{method} {} ({})",
            heard.currency.show(amount),
            several(row.count("paymentsCount")?, "payments")
        ));
        statement = statement.fact(money(method, amount, heard.currency));
    }
    statement.text = if parts.is_empty() {
        format!("Nothing was paid {when}.")
    } else {
        format!(
            "{} came in {when}, tips included and refunds taken off: {}.",
            heard.currency.show(net),
            listed(&parts)
        )
    };
    Some(statement.table(report.table(&[
        "method",
        "paymentsCount",
        "amountCents",
        "tipCents",
        "refundedCents",
        "netCents",
    ])?))
}

fn tax(heard: &Heard<'_>) -> Option<Statement> {
    let report = Report::of(heard.body(0))?;
    let when = &heard.plan.period.name;
    let total = Cents::new(report.total("netTaxCents")?);
    let (mut statement, mut parts) =
        (Statement::default().fact(money("Tax", total, heard.currency)), Vec::new());
    for row in report.rows() {
        let (name, rate, amount) = (row.text("name")?, row.decimal("rate")?, row.cents("netTaxCents")?);
        parts.push(format!("{name} {rate} % {}", heard.currency.show(amount)));
        statement = statement.fact(money(&format!("{name} {rate} %"), amount, heard.currency));
    }
    statement.text = if parts.is_empty() {
        format!("No tax was charged {when}.")
    } else {
        format!("Tax {when}, less that of credit notes: {} ({}).", heard.currency.show(total), listed(&parts))
    };
    Some(statement.table(report.table(&["name", "rate", "netTaxableCents", "netTaxCents"])?))
}

fn discounts(heard: &Heard<'_>) -> Option<Statement> {
    let report = Report::of(heard.body(0))?;
    let (total, number) = (Cents::new(report.total("amountCents")?), report.total("discountsCount")?);
    let mut parts = Vec::new();
    for row in report.rows().take(5) {
        let by = row
            .text("givenBy")
            .filter(|by| !by.is_empty())
            .map_or_else(String::new, |by| format!(" by {by}"));
        parts.push(format!(
            "“{}”{by} {}",
            row.text("reason")?,
            heard.currency.show(row.cents("amountCents")?)
        ));
    }
    let when = &heard.plan.period.name;
    let text = if number == 0 {
        format!("No discounts were given {when}.")
    } else {
        format!(
            "{} {when}, {} in all: {}.",
            several(number, "discounts"),
            heard.currency.show(total),
            listed(&parts)
        )
    };
    let facts = [money("Discounts", total, heard.currency), count("Discounts given", number, "discounts")];
    Some(Statement::text(text).facts(facts).table(report.table(&[
        "reason",
        "type",
        "givenBy",
        "approvedBy",
        "discountsCount",
        "amountCents",
    ])?))
}

/// What was taken off orders that went on; orders that were called off are another topic's.
fn voids(heard: &Heard<'_>) -> Option<Statement> {
    let report = Report::of(heard.body(0))?;
    report.total("voidsCount")?;
    let (mut total, mut number, mut portions) = (Cents::ZERO, 0i64, 0i64);
    let mut parts = Vec::new();
    let mut table = Table::new(&[
        ("Reason", ""),
        ("Made", ""),
        ("By", ""),
        ("Voids", "voids"),
        ("Portions", "portions"),
        ("Amount", "cents"),
    ]);
    for row in report.rows().filter(|row| row.text("kind") != Some("CANCEL")) {
        let (reason, amount) = (row.text("reason")?, row.cents("amountCents")?);
        let (count, quantity) = (row.count("voidsCount")?, row.count("quantity")?);
        total = total.plus(amount).ok()?;
        number = number.checked_add(count)?;
        portions = portions.checked_add(quantity)?;
        if parts.len() < 5 {
            parts.push(format!("“{reason}” {}", heard.currency.show(amount)));
        }
        table.push([
            cell(reason),
            cell(row.text("made")?),
            cell(row.text("voidedBy")?),
            whole(count),
            whole(quantity),
            whole(amount.get()),
        ]);
    }
    let when = &heard.plan.period.name;
    let text = if number == 0 {
        format!("Nothing was voided {when}, cancelled orders apart.")
    } else {
        format!(
            "{} {when}, {} worth {} on the menu: {}. Cancelled orders are not among them.",
            several(number, "voids"),
            several(portions, "portions"),
            heard.currency.show(total),
            listed(&parts)
        )
    };
    let facts = [
        count("Voids", number, "voids"),
        count("Portions voided", portions, "portions"),
        money("Voided", total, heard.currency),
    ];
    Some(Statement::text(text).facts(facts).table(table))
}

fn drawers_of(plan: &Plan) -> Vec<Call> {
    vec![within(Call::get("/cash-sessions"), &plan.period).with("limit", 100)]
}

fn drawers(heard: &Heard<'_>) -> Option<Statement> {
    let plan = heard.plan;
    let sessions = heard.body(0).as_array()?;
    let mut table = Table::new(&[
        ("Drawer", ""),
        ("Date", ""),
        ("Status", ""),
        ("Expected", "cents"),
        ("Counted", "cents"),
        ("Over or short", "cents"),
    ]);
    let (mut sum, mut parts, mut open) = (Cents::ZERO, Vec::new(), 0i64);
    for session in sessions {
        let date = session.text("/countedDate").or_else(|| session.text("/businessDate"))?;
        let drawer = session.text("/drawer")?;
        let figures = ["/expectedCents", "/countedCents", "/overShortCents"]
            .map(|at| session.count(at).and_then(whole));
        table.push(
            [cell(drawer), cell(date), cell(spoken(session.text("/status")?))].into_iter().chain(figures),
        );
        match session.cents("/overShortCents") {
            None => open = open.checked_add(1)?,
            Some(amount) => {
                sum = sum.plus(amount).ok()?;
                let words = match amount.get() {
                    0 => "exact".to_owned(),
                    1.. => format!("{} over", heard.currency.show(amount)),
                    _ => format!("{} short", heard.currency.show(Cents::new(amount.get().checked_abs()?))),
                };
                parts.push(format!("{drawer} on {date} {words}"));
            }
        }
    }
    let mut text = if parts.is_empty() {
        format!("No drawer was counted {}.", plan.period.name)
    } else {
        format!("Counted drawers {}: {}.", plan.period.name, listed(&parts))
    };
    if open > 0 {
        text.push_str(&format!(" {} still open.", several(open, "drawers")));
    }
    let facts = [money("Over or short", sum, heard.currency), count("Drawers still open", open, "drawers")];
    Some(Statement::text(text).facts(facts).table(table))
}

fn open_orders(heard: &Heard<'_>) -> Option<Statement> {
    let (mut sum, mut parts, mut facts) = (0i64, Vec::new(), Vec::new());
    for (call, status) in OPEN.iter().enumerate() {
        let number = heard.body(call).count("/pagination/total")?;
        sum = sum.checked_add(number)?;
        facts.push(count(&sentence(&spoken(status)), number, "orders"));
        if number > 0 {
            parts.push(format!("{number} {}", spoken(status)));
        }
    }
    let text = if sum == 0 {
        "No order is open.".to_owned()
    } else {
        format!(
            "{} {} open: {}.",
            several(sum, "orders"),
            if sum == 1 { "is" } else { "are" },
            listed(&parts)
        )
    };
    Some(Statement::text(text).fact(count("Open orders", sum, "orders")).facts(facts))
}
