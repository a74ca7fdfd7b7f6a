//! Carries steps out at a branch, over HTTP. What the product refuses is no failure; what it cannot do is.

use super::steps::{Step, Terms};
use edge::access::Role;
use serde_json::{Value, json};
use std::collections::BTreeMap;
use tiffin_common::Clock;
use tiffin_tests::figures::DISHES;
use tiffin_tests::{Branch, Client, House, Reply};

const METHODS: [&str; 5] = ["CASH", "CARD", "UPI", "VOUCHER", "OTHER"];
const MINUTE: i64 = 60_000;

/// A branch in the middle of its steps.
pub struct Shop {
    pub branch: Branch,
    pub house: House,
    owner: Client,
    /// One whose operator bills the food, one whose orders the house bills.
    channels: [Value; 2],
    /// Paths of the orders, the oldest first.
    orders: Vec<String>,
    /// The open drawer's path.
    drawer: Option<String>,
    /// What every reading said of a date when it was closed.
    pub closed: BTreeMap<String, Value>,
    /// Answers by status, to see that the steps do something.
    pub answers: BTreeMap<u16, usize>,
}

fn path(order: &Value) -> String {
    format!("/orders/{}", order["id"].as_str().unwrap())
}

fn cents(of: &Value, name: &str) -> i64 {
    of[name].as_i64().unwrap_or_else(|| panic!("{name} in {of}"))
}

/// Element `at` of a list, counted around.
fn element(list: &Value, at: u8) -> Option<&Value> {
    let list = list.as_array()?;
    list.get(usize::from(at) % list.len().max(1))
}

impl Shop {
    pub async fn open(terms: &Terms) -> Shop {
        let branch = Branch::start().await;
        let house = House::open(&branch).await;
        let outlet = json!({"serviceCharge": {"bps": terms.service_charge_bps, "automatic": true, "orderTypes": ["DINE_IN", "TAKEAWAY", "DELIVERY", "COUNTER"]}, "pricesIncludeTax": terms.prices_include_tax,
            "cashRoundingCents": terms.cash_rounding, "taxId": "29AAFCT4512Q1ZS"});
        house.owner.patch(&format!("/outlets/{}", branch.outlet_id), outlet).await.expect(200);
        // Kulfi is taxed at another rate, of one component.
        let other = json!({"name": "VAT 17.5 %", "components": [{"name": "VAT", "rateBps": 1_750}]});
        let other = house.owner.post("/menu/tax-categories", other).await.expect(201).data();
        let kulfi = format!("/menu/items/{}", house.dish("Kulfi"));
        house.owner.patch(&kulfi, json!({"taxCategoryId": other["id"]})).await.expect(200);
        // Water is goods: it stays the house's to bill.
        let components = json!([{"name": "CGST", "rateBps": 900}, {"name": "SGST", "rateBps": 900}]);
        let goods = json!({"name": "Packed", "isGoods": true, "components": components});
        let goods = house.owner.post("/menu/tax-categories", goods).await.expect(201).data();
        let water = format!("/menu/items/{}", house.dish("Bottled Water"));
        house.owner.patch(&water, json!({"taxCategoryId": goods["id"], "hsnSac": "2201"})).await.expect(200);
        let channel = async |name: &str, taxed_by: &str| {
            let new =
                json!({"name": name, "kind": "AGGREGATOR", "taxedBy": taxed_by, "commissionBps": 1_850});
            house.owner.post("/channels", new).await.expect(201).data()["id"].clone()
        };
        let channels = [channel("Swiggy", "OPERATOR").await, channel("Zomato", "RESTAURANT").await];
        branch.at(terms.begin);
        let owner = branch.sign_in(Role::Owner);
        let (closed, answers) = (BTreeMap::new(), BTreeMap::new());
        Shop { branch, house, owner, channels, orders: Vec::new(), drawer: None, closed, answers }
    }

    /// Whoever asks has not opened a drawer, and so sees what should be in it.
    pub fn accountant(&self) -> Client {
        self.branch.sign_in(Role::Owner)
    }

    fn noted(&mut self, reply: Reply) -> Option<Value> {
        *self.answers.entry(reply.status).or_default() += 1;
        assert!(
            matches!(reply.status, 200 | 201 | 409 | 422),
            "{} answered {}: {}",
            reply.asked,
            reply.status,
            reply.text
        );
        (reply.status < 300).then(|| reply.json())
    }

    async fn post(&mut self, path: &str, body: Value) -> Option<Value> {
        let reply = self.owner.post(path, body).await;
        self.noted(reply)
    }

    /// One of the newest orders, counted back from the last.
    async fn order(&self, back: u8) -> Option<(String, Value)> {
        let newest = self.orders.iter().rev().take(5).collect::<Vec<_>>();
        let path = (*newest.get(usize::from(back) % newest.len().max(1))?).clone();
        let order = self.owner.get(&path).await.expect(200).json();
        Some((path, order))
    }

    pub async fn today(&self) -> String {
        let dashboard = self.owner.get("/dashboard").await.expect(200).data();
        dashboard["businessDate"].as_str().unwrap().to_owned()
    }

    /// The business date that the clock alone gives: days begin at 04:00 in Kolkata.
    fn date_by_clock(&self) -> chrono::NaiveDate {
        let local = self.branch.clock.now().get() + (5 * 60 + 30) * MINUTE - 4 * 60 * MINUTE;
        chrono::DateTime::from_timestamp_millis(local).unwrap().date_naive()
    }

    pub async fn take(&mut self, step: &Step) {
        match step {
            Step::Wait(minutes) => self.wait(minutes * MINUTE),
            Step::CloseEarly => {
                let today = self.today().await;
                self.close(&today, true).await;
            }
            Step::NextDay { close } => {
                let today = self.today().await;
                // To the noon after the date's end.
                let end: chrono::NaiveDate = today.parse().unwrap();
                let days = (end.succ_opt().unwrap() - self.date_by_clock()).num_days();
                self.wait(days.max(1) * 24 * 60 * MINUTE);
                if *close {
                    self.close(&today, false).await;
                }
            }
            Step::Drawer { .. } | Step::PayOut { .. } => self.handle_cash(step).await,
            Step::Place(..) => self.place(step).await,
            _ => self.at_an_order(step).await,
        }
    }

    fn wait(&mut self, ms: i64) {
        self.branch.pass(ms);
        self.owner = self.branch.sign_in(Role::Owner);
    }

    /// Closes a date, and notes what everything says of it from then on.
    async fn close(&mut self, date: &str, early: bool) {
        let body = json!({"businessDate": date, "early": early, "carryOver": true});
        if self.post("/day-close", body).await.is_some() {
            let known = super::readings::of_date(&self.accountant(), date).await;
            self.closed.insert(date.to_owned(), known);
        }
    }

    async fn handle_cash(&mut self, step: &Step) {
        match (step, self.drawer.clone()) {
            (Step::Drawer { .. }, None) => {
                let made = self.post("/cash-sessions", json!({"openingFloatCents": 10_000})).await.unwrap();
                self.drawer = Some(format!("/cash-sessions/{}", made["data"]["id"].as_str().unwrap()));
            }
            (Step::Drawer { short }, Some(drawer)) => {
                let held = self.accountant().get(&drawer).await.expect(200).data();
                let counted = (cents(&held, "currentExpectedCents") - short).max(0);
                self.post(&format!("{drawer}/close"), json!({"countedCents": counted})).await.unwrap();
                self.drawer = None;
            }
            (Step::PayOut { cents, tips }, Some(drawer)) => {
                let how = if *tips { "tip-out" } else { "pay-out" };
                let held = self.accountant().get(&drawer).await.expect(200).data();
                // Two refusals would ask for an approver.
                if held["currentExpectedCents"].as_i64().unwrap() >= *cents {
                    let body = json!({"amountCents": cents, "reason": "vegetables"});
                    self.post(&format!("{drawer}/{how}"), body).await;
                }
            }
            _ => {}
        }
    }

    async fn place(&mut self, step: &Step) {
        let Step::Place(kind, dishes) = step else { return };
        let lines: Vec<(&str, i64)> =
            dishes.iter().map(|(dish, quantity)| (DISHES[usize::from(*dish) % 8], *quantity)).collect();
        let mut order = match kind {
            0 => self.house.at_table(self.orders.len() % 12 + 1, &lines),
            _ => self.house.counter(&lines),
        };
        match kind {
            0 => order["guestCount"] = json!(2),
            2 => order["orderType"] = json!("TAKEAWAY"),
            3 => {
                order["orderType"] = json!("DELIVERY");
                order["deliveryAddress"] = json!("12 Hill Road");
            }
            4 | 5 => {
                order["orderType"] = json!("DELIVERY");
                order["channelId"] = self.channels[usize::from(*kind) - 4].clone();
                order["externalId"] = json!(format!("N-{}", self.orders.len()));
            }
            _ => {}
        }
        if let Some(order) = self.post("/orders", order).await {
            self.orders.push(path(&order));
        }
    }

    async fn at_an_order(&mut self, step: &Step) {
        match *step {
            Step::Merge { order, other } => {
                let (Some((into, _)), Some((_, from))) = (self.order(order).await, self.order(other).await)
                else {
                    return;
                };
                self.post(&format!("{into}/merge"), json!({"orderIds": [from["id"]]})).await;
            }
            Step::Split { order, line } => {
                let Some((path_of, of)) = self.order(order).await else { return };
                let Some(item) = element(&of["items"], line) else { return };
                let body = json!({"items": [{"orderItemId": item["id"], "quantity": 1}]});
                if let Some(parts) = self.post(&format!("{path_of}/split"), body).await {
                    let parts = parts["data"]["orders"].as_array().unwrap().clone();
                    self.orders.extend(parts[1..].iter().map(path));
                }
            }
            Step::Add { .. }
            | Step::Change { .. }
            | Step::Void { .. }
            | Step::Percent { .. }
            | Step::Fixed { .. }
            | Step::Undiscount { .. } => self.change(step).await,
            _ => self.settle(step).await,
        }
    }

    /// What changes lines.
    async fn change(&mut self, step: &Step) {
        let (Step::Add { order, .. }
        | Step::Change { order, .. }
        | Step::Void { order, .. }
        | Step::Percent { order, .. }
        | Step::Fixed { order, .. }
        | Step::Undiscount { order }) = *step
        else {
            return;
        };
        let Some((path, of)) = self.order(order).await else { return };
        let item = |at: u8| element(&of["items"], at).map(|item| item["id"].clone());
        match *step {
            Step::Add { dish, quantity, .. } => {
                let line = self.house.line(DISHES[usize::from(dish) % 8], quantity);
                self.post(&format!("{path}/items"), json!({"items": [line]})).await;
            }
            Step::Change { line, quantity, .. } => {
                let Some(item) = item(line) else { return };
                let body = json!({"quantity": quantity, "reason": "counted wrongly"});
                let path = format!("{path}/items/{}", item.as_str().unwrap());
                let reply = self.owner.patch(&path, body).await;
                self.noted(reply);
            }
            Step::Void { line, made, .. } => {
                let Some(item) = item(line) else { return };
                let body = json!({"quantity": 1, "reason": "not wanted", "wasMade": made});
                self.post(&format!("{path}/items/{}/void", item.as_str().unwrap()), body).await;
            }
            Step::Percent { line, percent, .. } => {
                let mut body = json!({"type": "PERCENT", "value": percent, "reason": "regulars"});
                if let Some(item) = line.and_then(item) {
                    body["itemId"] = item;
                }
                self.post(&format!("{path}/discounts"), body).await;
            }
            Step::Fixed { cents, .. } => {
                let body = json!({"type": "FIXED", "value": cents, "reason": "voucher"});
                self.post(&format!("{path}/discounts"), body).await;
            }
            _ => {
                let Some(last) = of["discounts"].as_array().and_then(|list| list.last()) else { return };
                let path = format!("{path}/discounts/{}", last["id"].as_str().unwrap());
                let reply = self.owner.delete(&path).await;
                self.noted(reply);
            }
        }
    }

    /// What moves money, makes documents, or ends an order.
    async fn settle(&mut self, step: &Step) {
        let (Step::Bill { order }
        | Step::Withdraw { order }
        | Step::Pay { order, .. }
        | Step::Correct { order, .. }
        | Step::Reverse { order, .. }
        | Step::Refund { order, .. }
        | Step::RefundOfEach { order }
        | Step::SlipReturn { order, .. }
        | Step::Credit { order, .. }
        | Step::WriteOff { order }
        | Step::Complete { order }
        | Step::Cancel { order }) = *step
        else {
            return;
        };
        let Some((path, of)) = self.order(order).await else { return };
        let (due, paid) = (cents(&of, "dueCents"), cents(&of, "paidCents") - cents(&of, "refundedCents"));
        let portion = |line: u8| {
            element(&of["items"], line).map(|item| json!([{"orderItemId": item["id"], "quantity": 1}]))
        };
        let payment =
            |at: u8| element(&of["payments"], at).map(|payment| payment["id"].as_str().unwrap().to_owned());
        let (route, body) = match *step {
            Step::Bill { .. } => ("invoice".to_owned(), json!({})),
            Step::Withdraw { .. } => ("invoice/withdraw".to_owned(), json!({"reason": "another guest"})),
            Step::Pay { method, quarters, tip, .. } => {
                let amount = if quarters >= 4 { due } else { due * quarters / 4 };
                let method = METHODS[usize::from(method) % 5];
                let body =
                    json!({"method": method, "amountCents": amount, "tipCents": tip, "reference": "R 7"});
                ("payments".to_owned(), body)
            }
            Step::Correct { payment: at, method, tip, .. } => {
                let Some(payment) = payment(at) else { return };
                let body = json!({"method": METHODS[usize::from(method) % 5], "tipCents": tip, "reason": "wrong key"});
                (format!("payments/{payment}/correct"), body)
            }
            Step::Reverse { payment: at, .. } => {
                let Some(payment) = payment(at) else { return };
                (format!("payments/{payment}/reverse"), json!({"reason": "bounced"}))
            }
            Step::Refund { quarters, line, restock, .. } => {
                let body = match line.and_then(portion) {
                    Some(items) => json!({"items": items, "reason": "cold", "restock": restock}),
                    None => json!({"amountCents": paid * quarters / 4, "reason": "cold"}),
                };
                ("refunds".to_owned(), body)
            }
            Step::RefundOfEach { .. } => {
                let each = |item: &Value| json!({"orderItemId": item["id"], "quantity": 1});
                let items: Vec<Value> = of["items"].as_array().unwrap().iter().map(each).collect();
                ("refunds".to_owned(), json!({"items": items, "reason": "cold"}))
            }
            Step::SlipReturn { part, line, .. } => {
                let mut body = json!({"reason": "never came"});
                match (line.and_then(portion), part) {
                    (Some(items), _) => body["items"] = items,
                    (None, 4) => {}
                    (None, part) => body["amountCents"] = json!(paid * part / 4),
                }
                ("slip/return".to_owned(), body)
            }
            Step::Credit { quarters, line, .. } => {
                let body = match line.and_then(portion) {
                    Some(items) => json!({"items": items, "reason": "RETURNED"}),
                    None => json!({"amountCents": due * quarters / 4, "reason": "OVERCHARGED"}),
                };
                ("credit-note".to_owned(), body)
            }
            Step::WriteOff { .. } => ("write-off".to_owned(), json!({"reason": "left without paying"})),
            _ => {
                let status = if matches!(step, Step::Complete { .. }) { "COMPLETED" } else { "CANCELLED" };
                let body = json!({"status": status, "reason": "so it went"});
                let reply = self.owner.patch(&format!("{path}/status"), body).await;
                self.noted(reply);
                return;
            }
        };
        self.post(&format!("{path}/{route}"), body).await;
    }
}
