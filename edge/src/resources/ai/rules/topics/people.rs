//! Questions about the staff: who is here, late, absent, planned, on leave, and how long they worked.

use super::super::answer::{Statement, Table, cell, whole};
use super::super::call::Call;
use super::super::figures::{Figures, count, duration, listed, money, several};
use super::super::names::matching;
use super::super::plan::Plan;
use super::topic::{Days, Heard, Subject, Topic, within};
use serde_json::Value;
use std::collections::HashSet;

pub(super) static TOPICS: &[Topic] = &[
    Topic {
        name: "absent staff",
        asks: |plan| vec![roster(plan), punches(plan)],
        tells: absent,
        ..Topic::PLAIN
    },
    Topic {
        name: "late staff",
        asks: |plan| vec![punches(plan).with("status", "LATE")],
        tells: late,
        ..Topic::PLAIN
    },
    Topic {
        name: "staff on shift",
        asks: |_| vec![Call::get("/attendance/present").with("limit", 100)],
        tells: present,
        ..Topic::PLAIN
    },
    Topic {
        name: "overtime",
        days: Days::Week,
        asks: |plan| vec![within(Call::get("/attendance/timesheets"), &plan.period)],
        tells: overtime,
        ..Topic::PLAIN
    },
    Topic {
        name: "hours worked",
        subject: Subject::Optional,
        days: Days::Week,
        asks: |plan| vec![within(Call::get("/attendance/timesheets"), &plan.period)],
        then: None,
        tells: worked,
    },
    Topic {
        name: "roster",
        subject: Subject::Optional,
        days: Days::Ahead,
        asks: |plan| vec![roster(plan)],
        then: None,
        tells: planned,
    },
    Topic {
        name: "leave",
        days: Days::Ahead,
        asks: |plan| {
            let approved = within(Call::get("/leave-requests"), &plan.period)
                .with("status", "APPROVED")
                .with("limit", 100);
            vec![approved, Call::get("/leave-requests").with("status", "PENDING").with("limit", 100)]
        },
        tells: leave,
        ..Topic::PLAIN
    },
];

fn roster(plan: &Plan) -> Call {
    let call = Call::get("/workforce/roster").with("startDate", plan.period.from.to_string());
    call.with("endDate", plan.period.to.to_string())
}

fn punches(plan: &Plan) -> Call {
    within(Call::get("/attendance"), &plan.period).with("limit", 100)
}

fn number(list: &[String]) -> Option<i64> {
    i64::try_from(list.len()).ok()
}

/// Planned shifts that are no day off: who, role, date, start, end.
struct Planned<'a> {
    id: &'a str,
    name: &'a str,
    date: &'a str,
    start: &'a str,
    end: &'a str,
}

fn shifts(roster: &Value) -> Option<Vec<Planned<'_>>> {
    let mut found = Vec::new();
    for row in roster.get("matrix")?.as_array()? {
        for shift in row.each("/shifts") {
            let (Some(start), Some(end)) = (shift.text("/startTime"), shift.text("/endTime")) else {
                continue;
            };
            let (id, name) = (row.text("/employeeId")?, row.text("/employeeName")?);
            found.push(Planned { id, name, date: shift.text("/date")?, start, end });
        }
    }
    Some(found)
}

fn absent(heard: &Heard<'_>) -> Option<Statement> {
    let planned = shifts(heard.body(0))?;
    let came: HashSet<(&str, &str)> = heard
        .body(1)
        .as_array()?
        .iter()
        .filter(|punch| punch.text("/eventType") == Some("CLOCK_IN"))
        .filter_map(|punch| Some((punch.text("/employeeId")?, punch.text("/attendanceDate")?)))
        .collect();
    let now = heard.local_now();
    let begun = |shift: &&Planned<'_>| (shift.date, shift.start) <= (now.0.as_str(), now.1.as_str());
    let begun: Vec<&Planned<'_>> = planned.iter().filter(begun).collect();
    let missing: Vec<&&Planned<'_>> =
        begun.iter().filter(|shift| !came.contains(&(shift.id, shift.date))).collect();
    let mut table = Table::new(&[("Employee", ""), ("Date", ""), ("From", ""), ("To", "")]);
    for shift in &missing {
        table.push([cell(shift.name), cell(shift.date), cell(shift.start), cell(shift.end)]);
    }
    let names: Vec<String> =
        missing.iter().map(|shift| format!("{} ({} from {})", shift.name, shift.date, shift.start)).collect();
    let when = &heard.plan.period.name;
    let size = i64::try_from(begun.len()).ok()?;
    let text = match (names.is_empty(), size) {
        (_, 0) => format!("Nobody was to be here yet {when}."),
        (true, _) => format!("Everybody who was to be here {when} came ({}).", several(size, "shifts")),
        (false, _) => format!(
            "Absent {when}: {}. That is {} of {} that have begun.",
            listed(&names),
            names.len(),
            several(size, "shifts")
        ),
    };
    Some(
        Statement::text(text)
            .facts([count("Absent", number(&names)?, "people"), count("Shifts begun", size, "shifts")])
            .table(table),
    )
}

fn late(heard: &Heard<'_>) -> Option<Statement> {
    let mut table = Table::new(&[("Employee", ""), ("Date", ""), ("Clocked in at", "")]);
    let mut names = Vec::new();
    for punch in heard.body(0).as_array()?.iter().filter(|punch| punch.text("/eventType") == Some("CLOCK_IN"))
    {
        let (name, date) = (punch.text("/employeeName")?, punch.text("/businessDate")?);
        let at = heard.clock(punch.text("/timestamp")?)?;
        table.push([cell(name), cell(date), cell(at.clone())]);
        names.push(format!("{name} ({date} at {at})"));
    }
    let when = &heard.plan.period.name;
    let text = if names.is_empty() {
        format!("Nobody came late {when}.")
    } else {
        format!("Late {when}: {}.", listed(&names))
    };
    Some(Statement::text(text).fact(count("Late arrivals", number(&names)?, "arrivals")).table(table))
}

fn present(heard: &Heard<'_>) -> Option<Statement> {
    let mut table = Table::new(&[("Employee", ""), ("Since", ""), ("On break since", "")]);
    let mut names = Vec::new();
    for person in heard.body(0).as_array()? {
        let (name, since) = (person.text("/employeeName")?, heard.clock(person.text("/since")?)?);
        let pause = person.text("/onBreakSince").and_then(|at| heard.clock(at));
        names.push(format!("{name} (since {since}{})", if pause.is_some() { ", on a break" } else { "" }));
        table.push([cell(name), cell(since), pause.and_then(cell)]);
    }
    let size = number(&names)?;
    let text = match size {
        0 => "Nobody is clocked in.".to_owned(),
        _ => format!(
            "{} on shift: {}.",
            if size == 1 { "1 person is".to_owned() } else { format!("{size} people are") },
            listed(&names)
        ),
    };
    Some(Statement::text(text).fact(count("On shift", size, "people")).table(table))
}

fn sheet(heard: &Heard<'_>) -> Option<Table> {
    let mut table = Table::new(&[
        ("Employee", ""),
        ("Scheduled", "minutes"),
        ("Worked", "minutes"),
        ("Breaks", "minutes"),
        ("Late", "minutes"),
        ("Overtime", "minutes"),
        ("Cost", "cents"),
    ]);
    for person in heard.body(0).get("employees")?.as_array()? {
        let figures = [
            "scheduledMinutes",
            "workedMinutes",
            "breakMinutes",
            "lateMinutes",
            "overtimeMinutes",
            "costCents",
        ];
        let cells = figures.map(|key| person.count(&format!("/totals/{key}")).and_then(whole));
        table.push([cell(person.text("/employeeName")?)].into_iter().chain(cells));
    }
    Some(table)
}

fn overtime(heard: &Heard<'_>) -> Option<Statement> {
    let (mut statement, mut parts) = (Statement::default(), Vec::new());
    let mut over: Vec<(i64, &str)> = Vec::new();
    for person in heard.body(0).get("employees")?.as_array()? {
        over.push((person.count("/totals/overtimeMinutes")?, person.text("/employeeName")?));
    }
    over.sort_by_key(|(minutes, _)| std::cmp::Reverse(*minutes));
    for (minutes, name) in over.iter().filter(|(minutes, _)| *minutes > 0) {
        parts.push(format!("{name} {}", duration(*minutes)));
        statement = statement.fact(count(&format!("{name}, overtime"), *minutes, "minutes"));
    }
    let total = heard.body(0).count("/totals/overtimeMinutes")?;
    let when = &heard.plan.period.name;
    statement.text = if parts.is_empty() {
        format!("Nobody has overtime {when}.")
    } else {
        format!("Overtime {when}, {} in all: {}.", duration(total), listed(&parts))
    };
    Some(statement.fact(count("Overtime", total, "minutes")).table(sheet(heard)?))
}

fn worked(heard: &Heard<'_>) -> Option<Statement> {
    let (plan, people) = (heard.plan, heard.body(0).get("employees")?.as_array()?);
    let found = matching(&plan.subject, people, |person| person.text("/employeeName").unwrap_or_default());
    if !plan.subject.is_empty() && found.is_empty() {
        return Some(Statement::text(format!(
            "Nobody called “{}” worked {}.",
            plan.subject, plan.period.name
        )));
    }
    let shown: Vec<&Value> = if found.is_empty() { people.iter().collect() } else { found };
    let (mut statement, mut parts) = (Statement::default(), Vec::new());
    for person in shown {
        let (name, minutes) = (person.text("/employeeName")?, person.count("/totals/workedMinutes")?);
        let open = if person.says("/totals/needsReview") { ", with a day to be reviewed" } else { "" };
        parts.push(format!("{name} {}{open}", duration(minutes)));
        statement = statement.fact(count(name, minutes, "minutes"));
    }
    let (total, cost) =
        (heard.body(0).count("/totals/workedMinutes")?, heard.body(0).cents("/totals/costCents")?);
    statement.text = match (parts.is_empty(), plan.subject.is_empty()) {
        (true, _) => format!("Nobody worked {}.", plan.period.name),
        (_, true) => format!(
            "Worked {}: {} in all, at a cost of {}. {}.",
            plan.period.name,
            duration(total),
            heard.currency.show(cost),
            listed(&parts)
        ),
        _ => format!("Worked {}: {}.", plan.period.name, listed(&parts)),
    };
    if plan.subject.is_empty() {
        statement =
            statement.facts([count("Worked in all", total, "minutes"), money("Cost", cost, heard.currency)]);
    }
    Some(statement.table(sheet(heard)?))
}

fn planned(heard: &Heard<'_>) -> Option<Statement> {
    let plan = heard.plan;
    let all = shifts(heard.body(0))?;
    let found = matching(&plan.subject, &all, |shift| shift.name);
    if !plan.subject.is_empty() && found.is_empty() {
        return Some(Statement::text(format!(
            "Nobody called “{}” is planned {}.",
            plan.subject, plan.period.name
        )));
    }
    let shown: Vec<&Planned<'_>> = if found.is_empty() { all.iter().collect() } else { found };
    let mut table = Table::new(&[("Employee", ""), ("Date", ""), ("From", ""), ("To", "")]);
    let one_day = plan.period.days() == 1;
    let mut parts = Vec::new();
    for shift in &shown {
        table.push([cell(shift.name), cell(shift.date), cell(shift.start), cell(shift.end)]);
        let date = if one_day { String::new() } else { format!("{} ", shift.date) };
        parts.push(format!("{} ({date}{}–{})", shift.name, shift.start, shift.end));
    }
    let size = number(&parts)?;
    let text = match size {
        0 => format!("Nobody is planned {}.", plan.period.name),
        1..=20 => format!("Planned {}: {}.", plan.period.name, listed(&parts)),
        _ => format!("{} are planned {}; the table has them.", several(size, "shifts"), plan.period.name),
    };
    Some(Statement::text(text).fact(count("Planned shifts", size, "shifts")).table(table))
}

fn leave(heard: &Heard<'_>) -> Option<Statement> {
    let (away, waiting) = (heard.body(0).as_array()?, heard.body(1).as_array()?);
    let mut table = Table::new(&[("Employee", ""), ("Leave", ""), ("From", ""), ("To", ""), ("Status", "")]);
    let mut parts = [Vec::new(), Vec::new()];
    for (list, parts) in [away, waiting].into_iter().zip(&mut parts) {
        for leave in list {
            let (name, kind) = (leave.text("/employeeName")?, leave.text("/leaveType")?.to_lowercase());
            let (from, to) = (leave.text("/fromDate")?, leave.text("/toDate")?);
            parts.push(format!("{name} ({kind}, {from} to {to})"));
            table.push([cell(name), cell(kind), cell(from), cell(to), cell(leave.text("/status")?)]);
        }
    }
    let [away, waiting] = parts;
    let when = &heard.plan.period.name;
    let mut text = if away.is_empty() {
        format!("Nobody is on leave {when}.")
    } else {
        format!("On leave {when}: {}.", listed(&away))
    };
    if !waiting.is_empty() {
        text.push_str(&format!(" Waiting for a decision: {}.", listed(&waiting)));
    }
    Some(
        Statement::text(text)
            .facts([
                count("On leave", number(&away)?, "people"),
                count("Requests waiting", number(&waiting)?, "requests"),
            ])
            .table(table),
    )
}
