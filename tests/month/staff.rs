//! Those who work here: hired, rostered, on leave, punching in and out, paid by the minute.

use super::calendar::{business_date, date, exists, utc};
use super::plan::{AWAY, STAFF};
use super::{Month, id};
use serde_json::json;
use tiffin_tests::Client;

/// An employee.
#[derive(Debug)]
pub struct Worker {
    pub id: String,
    /// From this minute on, cents an hour.
    pub rates: Vec<(i64, i64)>,
}

pub async fn hire(owner: &Client) -> Vec<Worker> {
    let mut staff = Vec::new();
    for (name, pin, cents, _, _) in STAFF {
        let body =
            json!({"name": name, "jobTitle": "Staff", "hourlyRateCents": cents, "hiredOn": "2026-11-01"});
        let id = id(&owner.post("/employees", body).await.expect(201).data()).to_owned();
        owner.put(&format!("/employees/{id}/pin"), json!({"pin": pin})).await.expect(200);
        staff.push(Worker { id, rates: vec![(i64::MIN / 2, cents)] });
    }
    staff
}

impl Month {
    /// The first week by hand, the others as its copies, all published.
    pub async fn plan_roster(&mut self) {
        for day in 1..=7 {
            for (worker, (_, _, _, kind, _)) in self.staff.iter().zip(STAFF) {
                let body = json!({"employeeId": worker.id, "date": date(day), "shiftType": kind});
                self.people.manager.post("/shifts", body).await.expect(201);
            }
        }
        for week in 1..5 {
            let body = json!({"fromWeekStart": date(1), "toWeekStart": date(1 + 7 * week)});
            self.people.manager.post("/shifts/copy-week", body).await.expect(201);
        }
        let body = json!({"from": date(1), "to": date(35)});
        self.people.manager.post("/shifts/publish", body).await.expect(200);
    }

    pub async fn take_leave(&mut self) {
        let body = json!({"employeeId": self.staff[0].id, "leaveType": "ANNUAL", "fromDate": date(*AWAY.start()),
            "toDate": date(*AWAY.end()), "reason": "a wedding"});
        let asked = self.people.manager.post("/leave-requests", body).await.expect(201).data();
        let approve = format!("/leave-requests/{}/approve", id(&asked));
        self.people.manager.post(&approve, json!({})).await.expect(200);
        for day in AWAY {
            // Paid: eight hours at the wage of the day.
            let cents = 8 * STAFF[0].2;
            self.books.day(&date(day)).labor += cents;
            self.paid.insert((0, date(day)), (0, cents));
        }
    }

    pub async fn punch(&mut self, index: usize, kind: &'static str) {
        let duty = self.plan.duties[index];
        let body = json!({"employeePin": STAFF[duty.employee].1, "eventType": kind});
        let punch = self.people.terminal.post("/workforce/attendance", body).await.expect(201).json();
        assert_eq!(punch["employeeName"], STAFF[duty.employee].0);
        if kind == "CLOCK_IN" {
            self.punches.insert(index, id(&punch).to_owned());
        }
        if kind == "CLOCK_OUT" {
            self.pay(index, 0);
        }
    }

    /// The clock-out nobody punched.
    pub async fn remember(&mut self, index: usize) {
        let duty = self.plan.duties[index];
        let body = json!({"employeeId": self.staff[duty.employee].id, "eventType": "CLOCK_OUT",
            "time": utc(duty.clock_out), "reason": "forgot to clock out"});
        self.people.manager.post("/attendance/corrections", body).await.expect(201);
        self.pay(index, 0);
    }

    /// The clock-in was ten minutes too early.
    pub async fn correct(&mut self, index: usize) {
        let duty = self.plan.duties[index];
        let body = json!({"newTime": utc(duty.clock_in + 10), "reason": "clocked in for a friend"});
        let path = format!("/attendance/{}/corrections", self.punches[&index]);
        self.people.manager.post(&path, body).await.expect(201);
        self.pay(index, 10);
    }

    pub async fn raise(&mut self, employee: usize, cents: i64) {
        let path = format!("/employees/{}", self.staff[employee].id);
        self.people.manager.patch(&path, json!({"hourlyRateCents": cents})).await.expect(200);
        self.staff[employee].rates.push((self.now, cents));
    }

    /// Enters the wage of a duty that began `later` minutes after its punch.
    fn pay(&mut self, index: usize, later: i64) {
        let duty = self.plan.duties[index];
        let clock_in = duty.clock_in + later;
        let parts = match duty.pause {
            Some((from, to)) => vec![(clock_in, from), (to, duty.clock_out)],
            None => vec![(clock_in, duty.clock_out)],
        };
        let (mut minutes, mut cent_minutes) = (0, 0);
        for (from, to) in parts {
            // Minute by minute: slow and beyond doubt.
            for minute in (from..to).filter(|minute| exists(*minute)) {
                minutes += 1;
                cent_minutes += self.rate(duty.employee, minute);
            }
        }
        let date = business_date(duty.clock_in);
        let owed = self.paid.entry((duty.employee, date.clone())).or_default();
        let day = self.books.day(&date);
        day.labor += (cent_minutes + 30) / 60 - owed.1;
        day.worked_ms += (minutes - owed.0) * 60_000;
        *owed = (minutes, (cent_minutes + 30) / 60);
    }

    fn rate(&self, employee: usize, minute: i64) -> i64 {
        self.staff[employee].rates.iter().rfind(|(from, _)| *from <= minute).unwrap().1
    }
}
