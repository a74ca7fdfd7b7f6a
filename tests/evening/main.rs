//! A whole evening over HTTP: twelve tables, three waiters, two kitchen displays, guests with their phones, and a close of
//! the day at which every cent, gram and number is what this test computed by itself.

mod checks;
mod day;
mod kitchen;
mod model;
mod scenes;

use edge::access::Role;
use edge::app;
use edge::config::{Config, Sources};
use kitchen::{Display, cook};
use model::{Line, Model, Payment};
use scenes::{counter, first_hour, mishaps, pay_all, phones, refunds, sharing, thirds};
use serde_json::{Value, json};
use tiffin_tests::{Branch, Client, House};

/// Dish, portions, options.
type Wish = (&'static str, i64, &'static [&'static str]);

/// The restaurant at work, and the model beside it.
struct Evening {
    branch: Branch,
    house: House,
    manager: Client,
    cashier: Client,
    waiters: [Client; 3],
    cook: Client,
    hot: Display,
    pass: Display,
    model: Model,
}

fn id(record: &Value) -> &str {
    record["id"].as_str().unwrap()
}

impl Evening {
    async fn begin() -> Evening {
        let branch = Branch::start().await;
        let house = House::open(&branch).await;
        let terms = json!({"serviceCharge": {"bps": 500, "automatic": true, "orderTypes": ["DINE_IN", "TAKEAWAY", "DELIVERY", "COUNTER"]}, "cashRoundingCents": 100, "holdCourses": true});
        house.owner.patch(&format!("/outlets/{}", branch.outlet_id), terms).await.expect(200);
        let cook = branch.sign_in(Role::Kitchen);
        let hot = Display::open(cook.clone(), Some(house.station("Hot"))).await;
        let pass = Display::open(cook.clone(), None).await;
        let waiters = [(); 3].map(|()| branch.sign_in(Role::Waiter));
        let (manager, cashier) = (branch.sign_in(Role::Manager), branch.sign_in(Role::Cashier));
        Evening { branch, house, manager, cashier, waiters, cook, hot, pass, model: Model::default() }
    }

    fn lines(&self, wishes: &[Wish]) -> Vec<Value> {
        let line = |(dish, quantity, options): &Wish| {
            let mut line = self.house.line(dish, *quantity);
            let options = options.iter().map(|option| json!({"optionId": self.house.option(option)}));
            line["modifiers"] = options.collect();
            line
        };
        wishes.iter().map(line).collect()
    }

    /// Notes what was ordered; `sent`: the kitchen has it.
    fn note(&mut self, order: &str, items: &[Value], wishes: &[Wish], sent: bool) {
        let known = self.model.orders.entry(order.to_owned()).or_default();
        for (item, (dish, quantity, options)) in items.iter().zip(wishes) {
            let line = Line { id: id(item).to_owned(), dish, options, quantity: *quantity, cut: 0 };
            known.lines.push(line);
            if sent {
                *self.model.asked.entry(dish).or_default() += quantity;
            }
        }
    }

    async fn kitchen_looks(&mut self) {
        self.hot.catch_up(&self.branch).await;
        self.pass.catch_up(&self.branch).await;
    }

    async fn place(
        &mut self,
        client: Client,
        order_type: &str,
        table: Option<usize>,
        wishes: &[Wish],
    ) -> String {
        let mut body = json!({"orderType": order_type, "items": self.lines(wishes)});
        if let Some(table) = table {
            body["tableNumber"] = json!(format!("T{table}"));
            body["guestCount"] = json!(2);
        }
        let order = client.post("/orders", body).await.expect(201).json();
        self.note(id(&order), order["items"].as_array().unwrap(), wishes, true);
        self.kitchen_looks().await;
        self.agrees(id(&order)).await;
        self.branch.pass(61_000);
        id(&order).to_owned()
    }

    async fn at(&mut self, table: usize, wishes: &[Wish]) -> String {
        self.place(self.waiters[table % 3].clone(), "DINE_IN", Some(table), wishes).await
    }

    async fn pay(&mut self, order: &str, method: &'static str, cents: i64, tip: i64, tendered: Option<i64>) {
        let body = json!({"method": method, "amountCents": cents, "tipCents": tip, "tenderedCents": tendered,
                "reference": (method == "VOUCHER").then_some("V-1")});
        let paid = self.cashier.post(&format!("/orders/{order}/payments"), body).await.expect(201).data();
        let change = tendered.map_or(0, |tendered| tendered - cents - tip);
        assert_eq!(paid["payment"]["changeCents"], change);
        let known = self.model.orders.get_mut(order).unwrap();
        known.payments.push(Payment { method, cents, tip, refunded: 0 });
        self.agrees(order).await;
    }

    async fn pay_rest(&mut self, order: &str, method: &'static str) {
        let known = &self.model.orders[order];
        let due = known.bill().total - known.paid();
        self.pay(order, method, due, 0, None).await;
    }

    async fn status(&mut self, client: &Client, order: &str, status: &str) {
        let body = json!({"status": status, "reason": "as the evening goes"});
        client.patch(&format!("/orders/{order}/status"), body).await.expect(200);
        let known = self.model.orders.get_mut(order).unwrap();
        known.cancelled |= status == "CANCELLED";
        known.billed |= status == "COMPLETED";
    }

    fn line(&mut self, order: &str, dish: &str) -> &mut Line {
        let known = self.model.orders.get_mut(order).unwrap();
        known.lines.iter_mut().find(|line| line.dish == dish).unwrap()
    }

    async fn void(&mut self, order: &str, dish: &'static str, made: bool) {
        let line = self.line(order, dish).clone();
        let body = json!({"quantity": 1, "reason": "not wanted", "wasMade": made});
        let path = format!("/orders/{order}/items/{}/void", line.id);
        self.waiters[0].post(&path, body.clone()).await.refused(403, "FORBIDDEN");
        self.manager.post(&path, body).await.expect(200);
        self.line(order, dish).quantity -= 1;
        self.model.voids.push(line.unit());
        if made {
            self.model.wasted.push(Line { quantity: 1, ..line });
        }
        self.kitchen_looks().await;
        self.agrees(order).await;
    }

    /// Moves portions from one order of the model to another, as split and merge do.
    fn carry(&mut self, from: &str, to: &str, takes: &[(&str, i64)], ids: &[Value]) {
        for (dish, quantity) in takes {
            let line = self.line(from, dish);
            line.quantity -= quantity;
            let item = ids.iter().find(|item| item["name"] == *dish).unwrap();
            let moved = Line { id: id(item).to_owned(), quantity: *quantity, ..line.clone() };
            self.model.orders.entry(to.to_owned()).or_default().lines.push(moved);
        }
        self.model.orders.get_mut(from).unwrap().lines.retain(|line| line.quantity > 0);
    }
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn an_evening_adds_up_to_the_cent_and_the_gram() {
    let mut evening = Evening::begin().await;
    let config = Config::resolve(&Sources::default()).unwrap();
    let _workers = app::start_workers(evening.branch.state(), &config);
    let drawer = evening
        .cashier
        .post("/cash-sessions", json!({"openingFloatCents": 200_000}))
        .await
        .expect(201)
        .data();
    let [one, two, five] = first_hour(&mut evening).await;
    let [three, six] = mishaps(&mut evening).await;
    evening.pass.reconnect().await;
    let [seven, nine, guest, ten] = sharing(&mut evening).await;
    let [eleven, more] = phones(&mut evening).await;
    let counter = counter(&mut evening).await;
    // Everything is cooked; desserts when they are called for, once.
    cook(&evening.cook).await;
    for order in [&one, &two, &nine] {
        let fire = format!("/orders/{order}/fire");
        assert_eq!(evening.waiters[2].post(&fire, json!({"course": 3})).await.data()["ticketsFired"], 1);
        assert_eq!(evening.waiters[2].post(&fire, json!({"course": 3})).await.data()["ticketsFired"], 0);
    }
    evening.hot.reconnect().await;
    cook(&evening.cook).await;
    evening.kitchen_looks().await;
    for order in [&one, &two, &three, &five, &six, &seven, &nine, &ten, &eleven, &more] {
        assert_eq!(
            evening.manager.get(&format!("/orders/{order}")).await.json()["status"],
            "READY",
            "{order}"
        );
    }
    pay_all(&mut evening, [&one, &two, &three, &five, &six, &seven, &nine, &guest, &eleven, &more]).await;
    thirds(&mut evening, &ten).await;
    let left = evening.at(12, &[("Dal", 1, &[]), ("Kulfi", 1, &[])]).await;
    evening.pay(&left, "CASH", 1_000, 0, None).await;
    let done = [one, two, three.clone(), five, six, seven, nine, guest, ten, eleven, more];
    let cashier = evening.cashier.clone();
    for order in done.iter().chain(&counter) {
        evening.status(&cashier, order, "COMPLETED").await;
    }
    refunds(&mut evening, &three, &counter[5]).await;
    evening.check_everything(&drawer, &left).await;
}
