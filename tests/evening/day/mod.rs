//! A day of a real menu on the box as it is shipped, in a process of its own on a machine whose clock the test sets: sizes and meals by
//! recipe, a happy hour that ends by the box's clock, orders for later over a power cut, a delivery that is asked about, gravy that is made
//! and used up, a fish that is weighed, and each station's language; and at the end every cent, gram and ticket is what this test computed by itself.

mod checks;
mod ledger;
mod menu;

use ledger::{FISH, Ledger, M, MEAL, Wish, alone};
use serde_json::{Value, json};
use std::collections::BTreeMap;
use std::path::PathBuf;
use std::time::{Duration, Instant};
use tempfile::TempDir;
use tiffin_tests::printer::Printer;
use tiffin_tests::set_up::{OWNER, PASSWORD};
use tiffin_tests::{Client, Edge, House, Machine, Reply, people};

const CASHIER: &str = "asha@sample.test";
const DATE: &str = "2026-11-20";
const GRAVY: &str = "PRD-BLR1-261120-1";

fn text(value: &Value) -> &str {
    value.as_str().unwrap()
}

fn cents(value: &Value, name: &str) -> i64 {
    value[name].as_i64().unwrap_or_else(|| panic!("no {name} in {value}"))
}

fn list(value: &Value) -> &[Value] {
    value.as_array().unwrap_or_else(|| panic!("no list: {value}"))
}

/// The restaurant at work, and the ledger beside it.
struct Day {
    machine: Machine,
    data: PathBuf,
    edge: Option<Edge>,
    house: House,
    cashier: Client,
    ledger: Ledger,
    /// Sizes of the dal, the meal and the fish: ids by name.
    menu: BTreeMap<&'static str, String>,
    /// The items that gravy and fish are in stock.
    gravy: String,
    fish: String,
    /// What the kitchen read on its tickets: by station and dish.
    read: BTreeMap<(String, String), i64>,
    tickets: usize,
    _folder: TempDir,
}

impl Day {
    /// Noon: the box is set up, as its installer does, and the restaurant opens.
    async fn begin(printer: &Printer) -> Day {
        let folder = tempfile::tempdir().unwrap();
        let machine = Machine::at("2026-11-20T06:30:00Z", folder.path());
        let (data, secret) = (folder.path().join("data"), folder.path().join("password"));
        std::fs::write(&secret, PASSWORD).unwrap();
        let owner = ["--owner-email", OWNER, "--owner-password-file", secret.to_str().unwrap()];
        let names = ["init", "--outlet-name", "Outlet BLR1", "--data-dir", data.to_str().unwrap()];
        machine.edge(&[&names[..], &owner].concat());
        let edge = Edge::serve_on(&machine, &data, &[]).await;
        let owner = people::sign_in(&edge.client(), OWNER, PASSWORD).await;
        let asha = people::hire(&owner, "C1", "Asha Rao", "Cashier").await;
        people::give_account(&owner, &asha, CASHIER, "CASHIER").await;
        let cashier = people::sign_in(&edge.client(), CASHIER, PASSWORD).await;
        let mut day = Day {
            machine,
            data,
            edge: Some(edge),
            house: House::build(owner).await,
            cashier,
            ledger: Ledger::open(),
            menu: BTreeMap::new(),
            gravy: String::new(),
            fish: String::new(),
            read: BTreeMap::new(),
            tickets: 0,
            _folder: folder,
        };
        day.set_the_menu().await;
        day.sell_fish().await;
        day.set_the_stations(printer).await;
        day
    }

    /// It is later, and whoever works signs in.
    async fn at(&mut self, moment: &str) {
        self.machine.set(&format!("{DATE}T{moment}Z"));
        self.sign_in().await;
    }

    async fn sign_in(&mut self) {
        let anyone = self.edge.as_ref().unwrap().client();
        self.house.owner = people::sign_in(&anyone, OWNER, PASSWORD).await;
        self.cashier = people::sign_in(&anyone, CASHIER, PASSWORD).await;
    }

    /// The power goes.
    fn switch_off(&mut self) {
        self.edge.take().unwrap().kill();
    }

    async fn switch_on(&mut self, moment: &str) {
        self.machine.set(&format!("{DATE}T{moment}Z"));
        self.edge = Some(Edge::serve_on(&self.machine, &self.data, &[]).await);
        self.sign_in().await;
    }

    fn lines(&self, wishes: &[Wish], is_happy: bool) -> Value {
        let dish = |name: &str| match self.menu.get(name) {
            Some(size) => json!({"menuItemId": self.house.dish("Dal"), "variantId": size}),
            None => json!({"menuItemId": self.house.dish(name)}),
        };
        let line = |wish: &Wish| {
            let (mut line, quantity, unit) = match *wish {
                Wish::Dish(name, quantity) => (dish(name), quantity, alone(name, is_happy)),
                Wish::Fish(weight) => {
                    let weight = weight as f64 / M as f64;
                    (json!({"menuItemId": self.menu["Fish"], "weight": weight}), 1, FISH)
                }
                Wish::Meal(main, quantity) => {
                    let chosen = [("Main", main), ("Side", "Steamed Rice"), ("Drink", "Lassi")];
                    let components = chosen.map(|(component, name)| {
                        let mut chosen = dish(name);
                        chosen["name"] = json!(component);
                        chosen
                    });
                    (json!({"menuItemId": self.menu["Meal"], "components": components}), quantity, MEAL)
                }
            };
            (line["quantity"], line["unitPriceCents"]) = (json!(quantity), json!(unit));
            line
        };
        wishes.iter().map(line).collect()
    }

    async fn ask(&self, kind: &str, wishes: &[Wish], is_happy: bool, later: Option<&str>) -> Reply {
        let mut body = json!({"orderType": kind, "items": self.lines(wishes, is_happy)});
        if kind == "DINE_IN" {
            body["tableNumber"] = json!("T1");
        }
        if let Some(moment) = later {
            body["scheduledFor"] = json!(format!("{DATE}T{moment}Z"));
        }
        // The tablet's clock is ten minutes slow.
        let tablet = self.cashier.clone().with_header("date", "Fri, 20 Nov 2026 13:20:00 GMT");
        tablet.post("/orders", body).await
    }

    /// Orders, and notes it; what is for later is cooked later.
    async fn order(&mut self, kind: &str, wishes: &[Wish], is_happy: bool, later: Option<&str>) -> String {
        let order = self.ask(kind, wishes, is_happy, later).await.expect(201).json();
        let id = text(&order["id"]).to_owned();
        assert_eq!(order["isScheduled"], later.is_some(), "{order}");
        self.ledger.note(&id, text(&order["orderNumber"]), wishes, is_happy);
        if later.is_none() {
            self.ledger.cook(&id);
        }
        self.agrees(&id).await;
        self.stock_agrees().await;
        id
    }

    /// The cooks read every ticket, cook it and send it out.
    async fn cook(&mut self) {
        let owner = &self.house.owner;
        let open = owner.get("/kitchen/tickets?status=QUEUED&limit=100").await.expect(200).json();
        for ticket in list(&open["data"]) {
            self.tickets += 1;
            for item in list(&ticket["items"]) {
                let dish = (text(&ticket["stationName"]).to_owned(), text(&item["name"]).to_owned());
                *self.read.entry(dish).or_default() += cents(item, "quantity");
            }
            for verb in ["start", "ready", "serve"] {
                let path = format!("/kitchen/tickets/{}/{verb}", text(&ticket["id"]));
                owner.post(&path, json!({})).await.expect(200);
            }
        }
    }

    async fn settle(&mut self, id: &str, method: &'static str) {
        let known = self.ledger.orders.get_mut(id).unwrap();
        known.method = method;
        let pay = json!({"method": method, "amountCents": known.bill().total});
        self.cashier.post(&format!("/orders/{id}/payments"), pay).await.expect(201);
        let done = json!({"status": "COMPLETED"});
        self.cashier.patch(&format!("/orders/{id}/status"), done).await.expect(200);
        self.agrees(id).await;
    }

    /// Waits until an order for later has gone to the kitchen.
    async fn until_released(&self, id: &str) -> Value {
        let deadline = Instant::now() + Duration::from_secs(60);
        loop {
            let order = self.house.owner.get(&format!("/orders/{id}")).await.expect(200).json();
            if order["isScheduled"] == false {
                return order;
            }
            assert!(Instant::now() < deadline, "the kitchen never gets it: {order}");
            tokio::time::sleep(Duration::from_millis(50)).await;
        }
    }

    async fn tickets_of(&self, id: &str) -> usize {
        let tickets = self.house.owner.get(&format!("/kitchen/tickets?orderId={id}")).await.expect(200);
        list(&tickets.json()["data"]).len()
    }

    /// Half a litre of gravy, at what went into it.
    async fn make_gravy(&mut self) {
        let path = format!("/inventory/preparations/{}/produce", self.house.stock("Gravy"));
        let made = json!({"quantity": 0.5, "expiryDate": "2026-11-21"});
        let made = self.house.owner.post(&path, made).await.expect(201).data();
        let cost = self.ledger.make_gravy(M / 2, GRAVY, "2026-11-21");
        assert_eq!((&made["batch"]["batchNumber"], cents(&made, "costCents")), (&json!(GRAVY), cost));
        text(&made["batch"]["inventoryItemId"]).clone_into(&mut self.gravy);
    }

    /// More paneer than was ordered, dearer, and lemons that nobody ordered: asked about, looked at, taken.
    async fn take_delivery(&mut self) {
        let (house, owner) = (&self.house, &self.house.owner);
        let farm = owner.post("/inventory/suppliers", json!({"name": "Farm"})).await.expect(201).data();
        let (paneer, lemon) = (house.stock("Paneer"), house.stock("Lemon"));
        let ordered = json!([{"inventoryItemId": paneer, "quantityOrdered": 4, "unitCostCents": 41_000}]);
        let order = json!({"supplierId": farm["id"], "items": ordered});
        let order = owner.post("/inventory/purchase-orders", order).await.expect(201).json();
        let path = format!("/purchase-orders/{}", text(&order["id"]));
        owner.post(&format!("{path}/send"), json!({})).await.expect(200);
        let mut came = json!({"items": [
            {"inventoryItemId": paneer, "quantityReceived": 6, "unitCostCents": 52_000, "batchNumber": "FARM-7", "expiryDate": "2026-11-24"},
            {"inventoryItemId": lemon, "quantityReceived": 10, "unitCostCents": 500, "batchNumber": "FARM-8"}]});
        let deliveries = format!("{path}/deliveries");
        let asked = owner.post(&deliveries, came.clone()).await.refused(409, "CONFIRMATION_NEEDED");
        let reasons = ["items[0].quantityReceived", "items[0].unitCostCents", "items[1].inventoryItemId"];
        assert_eq!(asked.invalid_fields(), reasons, "{}", asked.text);
        self.stock_agrees().await;
        came["confirm"] = json!(true);
        owner.post(&deliveries, came).await.expect(201);
        self.ledger.put("Paneer", "FARM-7", 6 * M, 52_000, "2026-11-24");
        self.ledger.put("Lemon", "FARM-8", 10 * M, 500, "9999");
        self.stock_agrees().await;
    }

    /// Quoted at 18:59, ordered at 19:01, refused at 19:02 with the right price, and ordered at that.
    async fn happy_hour_ends(&mut self) -> [String; 2] {
        let lassi = [Wish::Dish("Lassi", 1)];
        self.at("13:29:00").await;
        let quote = json!({"orderType": "COUNTER", "items": self.lines(&lassi, true)});
        let quote = self.cashier.post("/orders/quote", quote).await.expect(200).data();
        assert_eq!(cents(&quote, "subtotalCents"), alone("Lassi", true));
        self.at("13:31:15").await;
        let honoured = self.order("COUNTER", &lassi, true, None).await;
        self.at("13:32:00").await;
        let refused = self.ask("COUNTER", &lassi, true, None).await.refused(422, "PAYLOAD_VALIDATION");
        assert_eq!(refused.invalid_fields(), ["items[0].unitPriceCents"]);
        assert!(refused.text.contains("must be 9000"), "{}", refused.text);
        self.stock_agrees().await;
        // Paneer of two batches, dal whose gravy runs out on the way, and a fish whose price ends at half a cent.
        let wishes = [
            Wish::Dish("Lassi", 1),
            Wish::Dish("Paneer Tikka", 14),
            Wish::Dish("Dal (Full)", 2),
            Wish::Fish(1_235_000),
        ];
        let after = self.order("DINE_IN", &wishes, false, None).await;
        assert!(self.ledger.batches_of("Gravy").is_empty(), "the gravy is used up");
        [honoured, after]
    }

    /// Off from just after seven to ten to nine: one order's moment passes meanwhile, the other's comes after.
    async fn power_cut(&mut self, [nine, earlier]: [&str; 2]) {
        self.switch_off();
        self.switch_on("15:20:00").await;
        let late = self.until_released(earlier).await;
        assert_eq!((&late["releasedLate"], self.tickets_of(earlier).await), (&json!(true), 1));
        self.ledger.cook(earlier);
        self.stock_agrees().await;
        assert_eq!(self.tickets_of(nine).await, 0, "its moment is 20:53");
        self.at("15:22:50").await;
        assert_eq!(self.tickets_of(nine).await, 0);
        self.at("15:23:00").await;
        let released = self.until_released(nine).await;
        assert_eq!((&released["releasedLate"], self.tickets_of(nine).await), (&json!(false), 3));
        self.ledger.cook(nine);
        self.stock_agrees().await;
        self.switch_off();
        self.switch_on("15:24:00").await;
    }
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_day_of_a_real_menu_adds_up_to_the_cent_and_the_gram() {
    let printer = Printer::start().await;
    let mut day = Day::begin(&printer).await;
    let float = json!({"openingFloatCents": 200_000});
    let drawer = day.cashier.post("/cash-sessions", float).await.expect(201).data();
    day.make_gravy().await;
    let wishes = [Wish::Dish("Paneer Tikka", 2), Wish::Meal("Dal (Half)", 1)];
    let nine = day.order("TAKEAWAY", &wishes, false, Some("15:30:00")).await;
    let wishes = [Wish::Dish("Dal (Full)", 1), Wish::Dish("Steamed Rice", 1)];
    let earlier = day.order("TAKEAWAY", &wishes, false, Some("15:15:00")).await;
    let wishes = [
        Wish::Dish("Dal (Full)", 2),
        Wish::Dish("Dal (Half)", 1),
        Wish::Dish("Butter Chicken", 1),
        Wish::Meal("Paneer Tikka", 1),
        Wish::Dish("Lassi", 2),
    ];
    let lunch = day.order("COUNTER", &wishes, false, None).await;
    day.cook().await;
    day.settle(&lunch, "CASH").await;
    day.at("09:30:00").await;
    day.take_delivery().await;
    // 18:50 and 18:59 on the box's clock.
    day.at("13:20:00").await;
    let wishes = [Wish::Meal("Dal (Half)", 2), Wish::Dish("Lassi", 2), Wish::Dish("Dal (Half)", 1)];
    let happy = day.order("DINE_IN", &wishes, true, None).await;
    day.cook().await;
    day.settle(&happy, "UPI").await;
    let [honoured, after] = day.happy_hour_ends().await;
    day.power_cut([&nine, &earlier]).await;
    day.at("15:40:00").await;
    let last =
        day.order("COUNTER", &[Wish::Dish("Butter Chicken", 1), Wish::Meal("Paneer Tikka", 1)], false, None);
    let last = last.await;
    let ten = json!({"type": "PERCENT", "value": 10, "reason": "regulars"});
    day.house.owner.post(&format!("/orders/{last}/discounts"), ten).await.expect(201);
    day.ledger.orders.get_mut(&last).unwrap().percent = 10;
    day.cook().await;
    let open = [(&honoured, "CASH"), (&after, "CARD"), (&nine, "CASH"), (&earlier, "UPI"), (&last, "CARD")];
    for (order, method) in open {
        day.settle(order, method).await;
    }
    day.check_everything(text(&drawer["id"])).await;
}
