//! What people are paid: `/attendance/payroll`, timesheets as a file, `/holidays`, what leave takes, and the checkout of who served.

use super::shifts::{id, plan};
use edge::access::Role;
use serde_json::{Value, json};
use tiffin_tests::{Branch, Client, House};

/// Somebody who works here since the first of March.
async fn hire(owner: &Client, name: &str, pay: Value) -> String {
    let mut person = json!({"name": name, "jobTitle": "Waiter", "hiredOn": "2026-03-01"});
    person.as_object_mut().unwrap().extend(pay.as_object().unwrap().clone());
    id(&owner.post("/employees", person).await.expect(201).data()).to_owned()
}

/// Work from one moment to another, as a manager adds it.
async fn work(owner: &Client, who: &str, from: &str, to: &str) {
    for (event, time) in [("CLOCK_IN", from), ("CLOCK_OUT", to)] {
        let added =
            json!({"employeeId": who, "eventType": event, "time": time, "reason": "by the paper list"});
        owner.post("/attendance/corrections", added).await.expect(201);
    }
}

async fn leave(owner: &Client, who: &str, kind: &str, from: &str, to: &str) -> Value {
    let wish =
        json!({"employeeId": who, "leaveType": kind, "fromDate": from, "toDate": to, "reason": "agreed"});
    let asked = owner.post("/leave-requests", wish).await.expect(201).data();
    owner.post(&format!("/leave-requests/{}/approve", id(&asked)), json!({})).await.expect(200);
    asked
}

fn line<'a>(payroll: &'a Value, name: &str) -> &'a Value {
    payroll["employees"].as_array().unwrap().iter().find(|line| line["employeeName"] == name).unwrap()
}

fn sums<'a>(line: &'a Value, fields: &[&str]) -> Vec<&'a Value> {
    fields.iter().map(|field| &line[field]).collect()
}

/// March 2026 of three people on the wall clocks of a country, at `offset` and, from the 29th on, at `summer`. Hari works by the hour: 54.5
/// hours in the first week, 55 in the second, and has two days of leave. Mira has 31,000.00 a month and two days without pay. Tara works
/// part time, 4 hours of an evening and the night in which London's clocks go forward. The 19th is a holiday, Sundays are days of rest.
async fn march(branch: &Branch, place: Value, offset: &str, summer: &str) -> Value {
    let owner = branch.sign_in(Role::Owner);
    owner.patch(&format!("/outlets/{}", branch.outlet_id), place).await.expect(200);
    let rest = json!({"weeklyRestDays": ["SUN"]});
    owner.patch(&format!("/outlets/{}", branch.outlet_id), rest).await.expect(200);
    owner.post("/holidays", json!({"date": "2026-03-19", "name": "Ugadi"})).await.expect(201);
    let hari = hire(&owner, "Hari", json!({"hourlyRateCents": 10_000})).await;
    let mira = hire(&owner, "Mira", json!({"payBasis": "MONTHLY", "monthlySalaryCents": 3_100_000})).await;
    let part = json!({"hourlyRateCents": 8_000, "employmentType": "PART_TIME", "dayMinutes": 300});
    let tara = hire(&owner, "Tara", part).await;
    let at = |day: u32, time: &str| {
        format!("2026-03-{day:02}T{time}:00{}", if day >= 29 { summer } else { offset })
    };
    let ends = [(2, "20:30"), (3, "19:00"), (4, "19:00"), (5, "19:00"), (6, "19:00"), (7, "18:00")];
    for (day, end) in ends.into_iter().chain((9..14).map(|day| (day, "21:00"))) {
        work(&owner, &hari, &at(day, "10:00"), &at(day, end)).await;
    }
    work(&owner, &mira, &at(2, "09:00"), &at(2, "17:00")).await;
    work(&owner, &tara, &at(24, "18:00"), &at(24, "22:00")).await;
    work(&owner, &tara, &at(28, "22:00"), &at(29, "06:00")).await;
    // From Tuesday to the holiday: two days. From Friday to the day of rest: two days.
    assert_eq!(leave(&owner, &mira, "UNPAID", "2026-03-17", "2026-03-19").await["days"], json!(2));
    assert_eq!(leave(&owner, &hari, "ANNUAL", "2026-03-20", "2026-03-22").await["days"], json!(2));
    let payroll = owner.get("/attendance/payroll?from=2026-03-01&to=2026-03-31").await.expect(200).data();
    // The same cost wherever labour is shown.
    let gross = &payroll["grossPayCents"];
    let sheets = owner.get("/attendance/timesheets?from=2026-03-01&to=2026-03-31").await.expect(200).data();
    assert_eq!(&sheets["totals"]["costCents"], gross);
    let report = owner.get("/analytics/reports/labor?from=2026-03-01&to=2026-03-31").await.expect(200).data();
    assert_eq!(&report["totals"]["costCents"], gross);
    let summary = owner.get("/analytics/summary?from=2026-03-01&to=2026-03-31").await.expect(200).json();
    assert_eq!(&summary["laborCostCents"], gross);
    payroll
}

const PAY: [&str; 7] = [
    "workedMinutes",
    "overtimeMinutes",
    "ordinaryCents",
    "overtimeCents",
    "leaveCents",
    "holidayCents",
    "grossPayCents",
];

#[tokio::test]
async fn a_month_of_three_people_is_paid_to_the_cent_in_india() {
    let branch = Branch::start().await;
    let payroll = march(&branch, json!({"country": "IN"}), "+05:30", "+05:30").await;
    // Overtime: by days 1.5 h, by the week 54.5 − 48 = 6.5; by days 5 × 2 = 10, by the week 7. 16.5 h at twice 100.00, 93 h at 100.00.
    let hari = line(&payroll, "Hari");
    assert_eq!(sums(hari, &PAY), [6_570, 990, 930_000, 330_000, 160_000, 80_000, 1_500_000]);
    assert_eq!(
        (&hari["days"], &hari["paidLeaveDays"], &hari["holidays"]),
        (&json!(11), &json!(2), &json!(1))
    );
    // 31 days of 1,000.00, less two.
    let mira = line(&payroll, "Mira");
    assert_eq!(sums(mira, &PAY), [480, 0, 2_900_000, 0, 0, 0, 2_900_000]);
    assert_eq!((&mira["unpaidLeaveDays"], &mira["dueCents"]), (&json!(2), &json!(2_900_000)));
    // 4 + 8 hours at 80.00, and the holiday at five hours.
    assert_eq!(sums(line(&payroll, "Tara"), &PAY), [720, 0, 96_000, 0, 0, 40_000, 136_000]);
    assert_eq!(payroll["grossPayCents"], 4_536_000);

    let owner = branch.sign_in(Role::Owner);
    let file = owner.get("/attendance/payroll?from=2026-03-01&to=2026-03-31&format=csv").await.expect(200);
    let rows: Vec<&str> = file.text.lines().collect();
    assert!(
        rows[0].starts_with("Employee id,Code,Employee,Days,Worked (min),Overtime (min),Paid leave (days)")
    );
    assert!(rows[1].ends_with(
        "Hari,11,6570,990,2,0,1,0,9300.00,3300.00,1600.00,800.00,15000.00,0.00,0.00,0.00,15000.00"
    ));
    let path = "/attendance/timesheets?from=2026-03-28&to=2026-03-28&format=csv";
    let file = owner.get(path).await.expect(200);
    assert!(
        file.text
            .lines()
            .any(|row| row.ends_with("Tara,2026-03-28,0,480,0,0,0,640.00,0.00,0.00,0.00,640.00,0"))
    );
    let told = "SELECT count(*) FROM audit_log WHERE action IN ('payroll.export', 'attendance.export')";
    assert_eq!(branch.number(told).await, 2);
    branch.sign_in(Role::Waiter).get(path).await.refused(403, "FORBIDDEN");
    owner.get("/attendance/payroll?from=2026-03-31&to=2026-03-01").await.refused(400, "BAD_REQUEST");
}

#[tokio::test]
async fn the_same_month_is_paid_by_other_rules_in_britain() {
    let branch = Branch::start().await;
    let place = json!({"timezone": "Europe/London", "currency": "GBP", "country": "GB"});
    let payroll = march(&branch, place, "+00:00", "+01:00").await;
    // Overtime is what exceeds 48 hours of a week, 6.5 + 7, and pays what other hours pay.
    let hari = line(&payroll, "Hari");
    assert_eq!(sums(hari, &PAY), [6_570, 810, 960_000, 135_000, 160_000, 80_000, 1_335_000]);
    assert_eq!(line(&payroll, "Mira")["grossPayCents"], 2_900_000);
    // The night has an hour less: 4 + 7 hours at 80.00, and the holiday.
    assert_eq!(sums(line(&payroll, "Tara"), &PAY), [660, 0, 88_000, 0, 0, 40_000, 128_000]);
    assert_eq!(payroll["grossPayCents"], 4_363_000);
}

#[tokio::test]
async fn an_outlet_has_terms_of_its_own_and_a_salary_is_told() {
    let branch = Branch::start().await;
    let owner = branch.sign_in(Role::Owner);
    let outlet = format!("/outlets/{}", branch.outlet_id);
    let law = json!({"dailyMinutes": 540, "weeklyMinutes": 2_880, "multiplierBps": 20_000});
    assert_eq!(owner.get(&outlet).await.data()["overtime"], law);
    let own = json!({"dailyMinutes": 480, "weeklyMinutes": null, "multiplierBps": 15_000});
    let changed = owner.patch(&outlet, json!({"overtime": own, "weeklyRestDays": ["MON"]})).await.expect(200);
    assert_eq!((&changed.data()["overtime"], &changed.data()["weeklyRestDays"]), (&own, &json!(["MON"])));
    let bad = json!({"dailyMinutes": 1_441, "weeklyMinutes": null, "multiplierBps": 5_000});
    let refused = owner.patch(&outlet, json!({"overtime": bad})).await.refused(422, "PAYLOAD_VALIDATION");
    assert_eq!(refused.invalid_fields(), ["overtime.dailyMinutes", "overtime.multiplierBps"]);
    assert_eq!(owner.patch(&outlet, json!({"overtime": null})).await.data()["overtime"], law);

    let manager = branch.sign_in(Role::Manager);
    let nobody = json!({"name": "Mira", "jobTitle": "Chef", "payBasis": "MONTHLY"});
    let refused = manager.post("/employees", nobody).await.refused(422, "PAYLOAD_VALIDATION");
    assert_eq!(refused.invalid_fields(), ["monthlySalaryCents"]);
    let mira = hire(&manager, "Mira", json!({"hourlyRateCents": 5_000})).await;
    let salary = json!({"payBasis": "MONTHLY", "monthlySalaryCents": 2_500_000});
    let herself = branch.sign_in_as(Role::Manager, &mira);
    let own_pay = herself.patch(&format!("/employees/{mira}"), salary.clone()).await;
    own_pay.refused(403, "FORBIDDEN");
    manager.patch(&format!("/employees/{mira}"), salary).await.expect(200);
    let wages = manager.get(&format!("/employees/{mira}/wages")).await.expect(200).data();
    assert_eq!(
        (&wages[0]["payBasis"], &wages[0]["monthlySalaryCents"], &wages[1]["payBasis"]),
        (&json!("MONTHLY"), &json!(2_500_000), &json!("HOURLY"))
    );
    // Today is the day from which it is a salary: November has 30 days.
    let payroll = manager.get("/attendance/payroll?from=2026-11-01&to=2026-11-30").await.expect(200).data();
    assert_eq!(sums(line(&payroll, "Mira"), &["days", "grossPayCents"]), [0, 83_334]);
}

#[tokio::test]
async fn holidays_and_days_off_take_no_leave_and_what_is_left_is_carried_over() {
    let branch = Branch::start().await;
    let (owner, manager) = (branch.sign_in(Role::Owner), branch.sign_in(Role::Manager));
    let mira = hire(&manager, "Mira", json!({})).await;
    let she = branch.sign_in_as(Role::Waiter, &mira);
    let holiday = json!({"date": "2026-12-25", "name": "Christmas"});
    she.post("/holidays", holiday.clone()).await.refused(403, "FORBIDDEN");
    let made = manager.post("/holidays", holiday.clone()).await.expect(201).data();
    let twice = manager.post("/holidays", holiday).await.refused(422, "PAYLOAD_VALIDATION");
    assert_eq!(twice.invalid_fields(), ["date"]);
    plan(&manager, &mira, "2026-12-24", "OFF").await;
    let asked = leave(&owner, &mira, "ANNUAL", "2026-12-23", "2026-12-26").await;
    assert_eq!(asked["days"], json!(2), "neither the day off nor Christmas");
    let terms = json!({"leave": {"annual": {"entitledDays": 20, "accrual": "MONTHLY", "carryOverDays": 4.5, "paid": true}}});
    owner.patch(&format!("/outlets/{}", branch.outlet_id), terms).await.expect(200);
    let annual = async |year: i32| {
        let path = format!("/leave-requests/balances?year={year}");
        let balances = she.get(&path).await.expect(200).data()["balances"].clone();
        balances.as_array().unwrap().iter().find(|of| of["leaveType"] == "ANNUAL").unwrap().clone()
    };
    // Since March: 40 halves ÷ 12 × 9 months are 15 days by November; ten months are 16.5, less two, by the end of the year.
    let fields = ["entitledDays", "carriedOverDays", "accruedDays", "usedDays", "remainingDays"];
    assert_eq!(json!(sums(&annual(2026).await, &fields)), json!([20, 0, 15, 2, 13]));
    assert_eq!(json!(sums(&annual(2027).await, &fields)), json!([20, 4.5, 0, 0, 4.5]));
    let bad = json!({"leave": {"sick": {"entitledDays": 1.3, "accrual": "YEARLY", "carryOverDays": 0, "paid": true}}});
    let refused = owner.patch(&format!("/outlets/{}", branch.outlet_id), bad).await;
    assert_eq!(refused.refused(422, "PAYLOAD_VALIDATION").invalid_fields(), ["leave.sick.entitledDays"]);

    assert_eq!(
        she.get("/holidays?from=2026-12-01&to=2026-12-31").await.expect(200).json()["meta"]["total"],
        1
    );
    manager.delete(&format!("/holidays/{}", id(&made))).await.expect(200);
    assert_eq!(she.get("/holidays").await.json()["meta"]["total"], 0);
    assert_eq!(annual(2026).await["usedDays"], json!(3));
}

#[tokio::test]
async fn a_seventh_day_warns_an_ended_employee_keeps_no_shift_and_a_swap_wants_the_same_job() {
    let branch = Branch::start().await;
    let manager = branch.sign_in(Role::Manager);
    let mira = hire(&manager, "Mira", json!({})).await;
    let boss = hire(&manager, "Anil", json!({"jobTitle": "General manager"})).await;
    for day in 23..29 {
        let shift = plan(&manager, &mira, &format!("2026-11-{day}"), "MORNING").await;
        assert_eq!(shift["warnings"], json!([]));
    }
    let seventh = plan(&manager, &mira, "2026-11-29", "MORNING").await;
    let codes: Vec<&Value> = seventh["warnings"].as_array().unwrap().iter().map(|of| &of["code"]).collect();
    assert_eq!(codes, ["OVERTIME", "SEVENTH_DAY"]);
    super::shifts::publish(&manager).await;
    let she = branch.sign_in_as(Role::Waiter, &mira);
    let wish = json!({"kind": "GIVE_AWAY", "fromShiftId": seventh["id"], "toEmployeeId": boss});
    let refused = she.post("/shifts/swaps", wish).await.refused(422, "PAYLOAD_VALIDATION");
    assert_eq!(refused.invalid_fields(), ["toEmployeeId"]);
    assert!(refused.text.contains("has another job"), "{}", refused.text);

    let end = json!({"status": "ENDED", "endedOn": "2026-11-25"});
    manager.patch(&format!("/employees/{mira}"), end).await.expect(200);
    let left = manager.get(&format!("/shifts?employeeId={mira}")).await.expect(200).json();
    let dates: Vec<&Value> = left["data"].as_array().unwrap().iter().map(|shift| &shift["date"]).collect();
    assert_eq!(dates, ["2026-11-23", "2026-11-24", "2026-11-25"]);
    let told = manager.get("/notifications").await.expect(200);
    assert!(told.text.contains("4 shifts of Mira are free"), "{}", told.text);
    plan(&manager, &boss, "2026-11-24", "EVENING").await;
    manager.delete(&format!("/employees/{boss}")).await.expect(200);
    assert_eq!(manager.get(&format!("/shifts?employeeId={boss}")).await.json()["meta"]["total"], 0);
}

#[tokio::test]
async fn who_served_checks_out_and_what_was_given_beforehand_is_in_the_payroll() {
    let branch = Branch::start().await;
    let house = House::open(&branch).await;
    let manager = branch.sign_in(Role::Manager);
    let outlet = format!("/outlets/{}", branch.outlet_id);
    branch.sign_in(Role::Owner).patch(&outlet, json!({"waitersTakePayments": true})).await.expect(200);
    let mira = hire(&manager, "Mira", json!({})).await;
    let anil = hire(&manager, "Anil", json!({})).await;
    // Whoever has no account acts under their own id.
    let (she, he) = (branch.sign_in_as(Role::Waiter, &mira), branch.sign_in_as(Role::Waiter, &anil));
    let cashier = branch.sign_in(Role::Cashier);
    let drawer =
        cashier.post("/cash-sessions", json!({"openingFloatCents": 50_000})).await.expect(201).data();
    let order = house.place(&she, house.counter(&[("Dal", 2)])).await;
    let payments = format!("/orders/{}/payments", id(&order));
    let card = json!({"method": "CARD", "amountCents": 37_800, "tipCents": 2_000});
    cashier.post(&payments, card).await.expect(201);
    let open = house.place(&she, house.counter(&[("Dal", 2)])).await;
    let path = format!("/employees/{mira}/checkout?businessDate=2026-11-20");
    let checkout =
        she.get(&format!("/employees/{mira}/checkout?businessDate=2026-11-20")).await.expect(200).data();
    let fields =
        ["ordersCount", "salesCents", "openOrdersCount", "openDueCents", "tipsCents", "cashOwedCents"];
    // The house owes her the tip that came by card.
    assert_eq!(json!(sums(&checkout, &fields)), json!([1, 37_800, 2, 37_800, 2_000, -2_000]));
    assert_eq!(checkout["tenders"], json!([]), "she took nothing herself");
    he.get(&path).await.refused(404, "NOT_FOUND");
    cashier.get(&path).await.expect(200);

    let out = format!("/cash-sessions/{}", id(&drawer));
    let tip = json!({"amountCents": 1_500, "reason": "tips", "employeeId": mira});
    manager.post(&format!("{out}/tip-out"), tip).await.expect(201);
    let advance = json!({"amountCents": 5_000, "reason": "advance", "employeeId": mira});
    let told = manager.post(&format!("{out}/pay-out"), advance.clone()).await.expect(201).data();
    assert_eq!(told["movements"][1]["employeeId"], json!(mira));
    for (way, who) in [("pay-in", json!(mira)), ("pay-out", json!(id(&order)))] {
        let mut bad = advance.clone();
        bad["employeeId"] = who;
        let refused = manager.post(&format!("{out}/{way}"), bad).await.refused(422, "PAYLOAD_VALIDATION");
        assert_eq!(refused.invalid_fields(), ["employeeId"]);
    }
    let payroll = manager.get("/attendance/payroll?from=2026-11-20&to=2026-11-20").await.expect(200).data();
    let moved = ["grossPayCents", "tipsCents", "tipsPaidOutCents", "advancesCents", "dueCents"];
    assert_eq!(sums(line(&payroll, "Mira"), &moved), [0, 2_000, 1_500, 5_000, -4_500]);
    let journal = manager.get("/analytics/reports/journal?format=csv").await.expect(200);
    assert!(journal.text.contains("Staff advances"), "{}", journal.text);

    let cash = json!({"method": "CASH", "amountCents": 37_800, "tipCents": 200, "tenderedCents": 38_000});
    she.post(&format!("/orders/{}/payments", id(&open)), cash).await.expect(201);
    let checkout = she.get(&path).await.expect(200).data();
    let fields = ["ordersCount", "salesCents", "tipsCents", "tipsPaidOutCents"];
    assert_eq!(json!(sums(&checkout, &fields)), json!([2, 75_600, 2_200, 1_500]));
}
