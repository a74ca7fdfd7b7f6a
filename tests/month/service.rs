//! Guests: what they order, what becomes of it, what they pay.

use super::books::{Bill, Line, bill, share};
use super::plan::{Fate, Visit};
use super::{Month, business_date, id};
use crate::calendar::{date, real};
use serde_json::{Value, json};

/// An order that was taken.
#[derive(Debug, Clone)]
pub struct Sale {
    pub order: String,
    /// Whether it has its bill: it counts on the date of that.
    pub is_billed: bool,
    pub lines: Vec<Line>,
    pub bill: Bill,
}

impl Month {
    pub async fn serve(&mut self, index: usize) {
        let visit = self.plan.visits[index].clone();
        let order = self.place(&visit).await;
        let date = self.today();
        let mut lines = Vec::new();
        for ((dish, option, quantity), item) in visit.lines.iter().zip(order["items"].as_array().unwrap()) {
            let (id, option, quantity) = (id(item).to_owned(), *option, *quantity);
            let mut line = Line { id, dish, option, quantity, taken: Vec::new() };
            line.taken = self.books.take_dish(&line, &date);
            self.books.sell(&date, &line.taken, 1);
            lines.push(line);
        }
        let path = format!("/orders/{}", id(&order));
        let discount = if visit.fate == Fate::Discounted { 10 } else { 0 };
        match visit.fate {
            Fate::Cancelled => {
                let body = json!({"status": "CANCELLED", "reason": "changed their mind"});
                self.people.cashier.patch(&format!("{path}/status"), body).await.expect(200);
                for line in lines {
                    self.books.day(&date).voids += line.gross();
                    self.books.sell(&date, &line.taken, -1);
                    self.books.put_back(&line.taken);
                }
                return;
            }
            Fate::VoidedUnmade | Fate::VoidedMade => self.void(&path, &mut lines, visit.fate).await,
            Fate::Discounted => {
                let body = json!({"type": "PERCENT", "value": 10, "reason": "regulars"});
                self.people.manager.post(&format!("{path}/discounts"), body).await.expect(201);
            }
            Fate::Plain | Fate::Refunded => {}
        }
        let bill = bill(&lines, discount);
        self.sales.insert(index, Sale { order: id(&order).to_owned(), is_billed: false, lines, bill });
        if visit.table.is_some() {
            let day = self.books.day(&date);
            day.sessions += 1;
            if business_date(visit.closed) == date {
                day.left += 1;
                day.turned_minutes += real(visit.closed) - real(visit.opened);
            }
        }
    }

    async fn place(&self, visit: &Visit) -> Value {
        let mut items = Vec::new();
        for (dish, option, quantity) in &visit.lines {
            let mut line = self.house.line(dish, *quantity);
            if let Some(option) = option {
                line["modifiers"] = json!([{"optionId": self.house.option(option)}]);
            }
            items.push(line);
        }
        let mut body = json!({"orderType": "COUNTER", "items": items});
        if let Some(table) = visit.table {
            body["orderType"] = json!("DINE_IN");
            body["tableNumber"] = json!(format!("T{table}"));
            body["guestCount"] = json!(visit.guests);
        }
        self.people.waiter.post("/orders", body).await.expect(201).json()
    }

    /// Takes the first line off.
    async fn void(&mut self, path: &str, lines: &mut Vec<Line>, fate: Fate) {
        let line = lines.remove(0);
        let made = fate == Fate::VoidedMade;
        let body = json!({"quantity": 1, "reason": "not wanted", "wasMade": made});
        let path = format!("{path}/items/{}/void", line.id);
        self.people.manager.post(&path, body).await.expect(200);
        let date = self.today();
        self.books.sell(&date, &line.taken, -1);
        if made {
            self.books.waste(&date, &line.taken, "VOID_AFTER_PREP");
        } else {
            self.books.put_back(&line.taken);
        }
        self.books.day(&date).voids += line.gross();
    }

    /// Enters a sale into the books, on the date of its bill.
    fn enter(&mut self, index: usize, visit: &Visit) {
        let today = self.today();
        let sale = self.sales.get_mut(&index).unwrap();
        sale.is_billed = true;
        let day = self.books.day(&today);
        day.orders += 1;
        day.guests += if visit.table.is_some() { visit.guests } else { 0 };
        let (sum, bill) = (&mut day.bill, sale.bill);
        sum.gross += bill.gross;
        sum.discount += bill.discount;
        sum.service += bill.service;
        sum.half_tax += bill.half_tax;
        sum.taxable += bill.taxable;
        sum.rounding += bill.rounding;
        sum.total += bill.total;
        for line in &sale.lines {
            *day.sold.entry(line.dish).or_default() += line.quantity;
        }
    }

    pub async fn close(&mut self, index: usize) {
        let visit = self.plan.visits[index].clone();
        let sale = self.sales[&index].clone();
        let path = format!("/orders/{}", sale.order);
        let total = sale.bill.total;
        if total > 0 {
            let body = json!({"method": visit.method, "amountCents": total, "tipCents": visit.tip});
            let paid = self.people.cashier.post(&format!("{path}/payments"), body).await.expect(201).data();
            assert_eq!(paid["order"]["dueCents"], 0, "{paid}");
            let date = self.today();
            let sums = self.books.day(&date).money.entry(visit.method).or_default();
            *sums = (sums.0 + total, sums.1 + visit.tip, sums.2);
        }
        let body = json!({"status": "COMPLETED"});
        self.people.cashier.patch(&format!("{path}/status"), body).await.expect(200);
        self.enter(index, &visit);
    }

    /// Fifty back, on the day after.
    pub async fn give_back(&mut self, index: usize) {
        let sale = self.sales[&index].clone();
        let cents = sale.bill.total.min(5_000);
        let body = json!({"amountCents": cents, "reason": "cold", "restock": false});
        self.people.manager.post(&format!("/orders/{}/refunds", sale.order), body).await.expect(201);
        let today = self.today();
        let (method, bill) = (self.plan.visits[index].method, sale.bill);
        let day = self.books.day(&today);
        day.refunded += cents;
        day.refunded_half_tax += share(bill.half_tax, cents, bill.total);
        day.refunded_service += share(bill.service, cents, bill.total);
        day.refunded_rounding += share(bill.rounding, cents, bill.total);
        day.money.entry(method).or_default().2 += cents;
        if cents == bill.total {
            // All of it came back, and was thrown away.
            for line in &sale.lines {
                *self.books.day(&today).sold.entry(line.dish).or_default() -= line.quantity;
                self.books.sell(&today, &line.taken, -1);
                self.books.waste(&today, &line.taken, "VOID_AFTER_PREP");
            }
        }
    }

    /// The Z-report of a day is what the books say.
    pub async fn close_day(&mut self, day: i64) {
        let body = json!({"businessDate": date(day), "early": true, "carryOver": true});
        let dashboard = self.people.manager.get("/dashboard").await.expect(200).data();
        let query = format!("from={0}&to={0}", date(day));
        let summary =
            self.people.manager.get(&format!("/analytics/summary?{query}")).await.expect(200).json();
        let taxes =
            self.people.manager.get(&format!("/analytics/reports/tax?{query}")).await.expect(200).data();
        let report = self.people.manager.post("/day-close", body).await.expect(201).data();
        let known = self.books.days[&date(day)].clone();
        let bill = known.bill;
        assert_eq!(business_date(self.now), date(day));
        for (name, expected) in [
            ("orderCount", known.orders),
            ("grossCents", bill.gross),
            ("discountCents", bill.discount),
            ("serviceChargeCents", bill.service),
            ("taxCents", 2 * bill.half_tax),
            ("roundingCents", bill.rounding),
            ("totalCents", bill.total),
        ] {
            assert_eq!(report["sales"][name], expected, "{name} of {}", date(day));
        }
        // Who has no bill yet is in the figures of the present date, and in no tax that is owed.
        let open: Vec<&Sale> = self.sales.values().filter(|sale| !sale.is_billed).collect();
        let (open_gross, open_tax): (i64, i64) = open
            .iter()
            .fold((0, 0), |(gross, tax), sale| (gross + sale.bill.gross, tax + 2 * sale.bill.half_tax));
        assert_eq!(report["openOrders"].as_array().unwrap().len(), open.len(), "of {}", date(day));
        assert_eq!(summary["openOrdersGrossCents"], open_gross, "of {}", date(day));
        assert_eq!(dashboard["sales"]["todayCents"], bill.gross + open_gross, "of {}", date(day));
        assert_eq!(summary["grossRevenueCents"], bill.gross + open_gross, "of {}", date(day));
        let tax = 2 * (bill.half_tax - known.refunded_half_tax);
        let of_report = report["taxes"].as_array().unwrap().iter();
        let of_report =
            of_report.map(|of| of["taxCents"].as_i64().unwrap() - of["creditedTaxCents"].as_i64().unwrap());
        assert_eq!(of_report.sum::<i64>(), tax, "of {}", date(day));
        assert_eq!(
            (&summary["taxCents"], &taxes["totals"]["netTaxCents"]),
            (&json!(tax + open_tax), &json!(tax)),
            "of {}",
            date(day)
        );
        assert_eq!(report["netRevenueCents"], known.net());
        assert_eq!(report["stockValueCents"], self.books.stock_value(), "of {}", date(day));
    }
}
