//! A box that took another's place and holds no more than it opened with, for head office is out of reach again: what is open is worked
//! with there as on the box that died, to the last gram of stock. Never asks what that is: it lets both do the same.

use crate::numbers;
use crate::office::Place;
use crate::site::{Site, until};
use serde_json::{Value, json};
use tiffin_common::Uuid;
use tiffin_tests::disk::{aside, keep_aside};
use tiffin_tests::oracle;
use tiffin_tests::postgres::Database;
use tiffin_tests::{Client, Edge, Reply, sample};

/// Cents of every dish.
const PRICE: i64 = 10_000;

/// A dish made of one piece of an item of its own.
struct Dish {
    dish: String,
    item: String,
}

impl Dish {
    /// What goes with the next call, as somebody of the store room enters it.
    async fn stock(&self, client: &Client, pieces: i64, why: &str) {
        let mut change = json!({"inventoryItemId": self.item, "quantityDelta": pieces, "reason": why});
        if pieces > 0 {
            change["unitCostCents"] = json!(700);
        }
        client.post("/inventory/adjustments", change).await.expect(201);
    }

    async fn add(client: &Client, name: &str, pieces: i64) -> Dish {
        let make = async |path: &str, body: Value| id(&client.post(path, body).await.expect(201).data());
        let category = make("/menu/categories", json!({"name": format!("Of {name}")})).await;
        let new = json!({"categoryId": category, "name": name, "priceCents": PRICE});
        let dish = make("/menu/items", new).await;
        let item = json!({"name": format!("{name} kit"), "category": "Kitchen", "unit": "pcs"});
        let item = make("/inventory/items", item).await;
        let recipe =
            json!({"yield": 1, "ingredients": [{"inventoryItemId": item, "quantity": 1, "unit": "pcs"}]});
        client.put(&format!("/inventory/recipes/{dish}"), recipe).await.expect(200);
        let made = Dish { dish, item };
        if pieces > 0 {
            made.stock(client, pieces, "OPENING").await;
        }
        made
    }

    /// An order of `portions`.
    async fn order(&self, client: &Client, portions: i64) -> Value {
        let line = json!({"menuItemId": self.dish, "quantity": portions, "unitPriceCents": PRICE});
        let body = json!({"orderType": "COUNTER", "items": [line]});
        client.post("/orders", body).await.expect(201).json()
    }
}

fn id(document: &Value) -> String {
    document["id"].as_str().unwrap().to_owned()
}

fn path(order: &Value) -> String {
    format!("/orders/{}", id(order))
}

/// Orders that stay open, of everything that is no longer as it was when they were taken.
struct Open {
    /// Their lines to be voided, each with whether it was made.
    lines: Vec<(String, bool)>,
    /// One to be called off.
    order: String,
    /// A count that is open, with an item nothing is left of.
    count: (String, String),
}

impl Open {
    async fn make(client: &Client) -> Open {
        let outlet = id(&client.get("/outlets").await.expect(200).data()[0]);
        let sold_without = json!({"autoAvailability": false});
        client.patch(&format!("/outlets/{outlet}"), sold_without).await.expect(200);
        let mut lines = Vec::new();
        let line =
            |order: &Value, at: usize| format!("{}/items/{}/void", path(order), id(&order["items"][at]));
        // Nothing is left of the batch that they took from.
        let eaten = Dish::add(client, "Eaten", 5).await;
        for made in [false, true] {
            lines.push((line(&eaten.order(client, 1).await, 0), made));
        }
        let order = path(&eaten.order(client, 2).await);
        eaten.stock(client, -1, "USAGE").await;
        // Of two orders in one the stock was taken by the one that is gone.
        let (apart, into) = (Dish::add(client, "Apart", 9).await, Dish::add(client, "Into", 9).await);
        let (one, other) = (into.order(client, 1).await, apart.order(client, 2).await);
        let both = json!({"orderIds": [other["id"]]});
        let both = client.post(&format!("{}/merge", path(&one)), both).await.expect(200).data();
        lines.extend([(line(&both, 0), false), (line(&both, 1), false)]);
        // Of one order in two the other is closed.
        let shared = Dish::add(client, "Shared", 9).await;
        let whole = shared.order(client, 3).await;
        let part = json!({"items": [{"orderItemId": whole["items"][0]["id"], "quantity": 1}]});
        let parts = client.post(&format!("{}/split", path(&whole)), part).await.expect(201).data();
        let (kept, gone) = (&parts["orders"][1], &parts["orders"][0]);
        lines.push((line(kept, 0), false));
        let gone = sample::pay(client, gone).await;
        client.post(&format!("{gone}/invoice"), json!({})).await.expect(200);
        client.patch(&format!("{gone}/status"), json!({"status": "COMPLETED"})).await.expect(200);
        // Sold without stock, and met by what came since, of which nothing is left.
        let late = Dish::add(client, "Late", 0).await;
        lines.push((line(&late.order(client, 2).await, 0), false));
        late.stock(client, 3, "RECEIPT").await;
        late.stock(client, -1, "USAGE").await;
        let count = json!({"inventoryItemIds": [eaten.item]});
        let count = id(&client.post("/inventory/stocktakes", count).await.expect(201).data());
        // What the house cannot do without for a minute.
        let printer = json!({"name": "Hot", "address": "127.0.0.1", "autoPrint": "NEVER"});
        client.post("/printers", printer).await.expect(201);
        client.patch("/print-layout", json!({"footers": {"en": "Come again"}})).await.expect(200);
        client.post("/channels", json!({"name": "Swiggy", "kind": "AGGREGATOR"})).await.expect(201);
        punch(client, "CLOCK_IN").await;
        Open { lines, order, count: (count, eaten.item) }
    }

    /// Takes all of it back, and sends who is at work home.
    async fn take_back(&self, client: &Client) {
        punch(client, "CLOCK_OUT").await;
        for (line, made) in &self.lines {
            let void = json!({"reason": "CHANGED_MIND", "wasMade": made});
            client.post(line, void).await.expect(200);
        }
        let off = json!({"status": "CANCELLED", "reason": "gone"});
        client.patch(&format!("{}/status", self.order), off).await.expect(200);
        let (count, item) = &self.count;
        let counted = json!({"lines": [{"inventoryItemId": item, "countedQuantity": 4}]});
        client.post(&format!("/inventory/stocktakes/{count}/counts"), counted).await.expect(200);
        client.post(&format!("/inventory/stocktakes/{count}/close"), json!({})).await.expect(200);
    }
}

async fn punch(client: &Client, event: &str) {
    let punch = json!({"employeePin": "1001", "eventType": event});
    client.post("/workforce/attendance", punch).await.expect(201);
}

/// The day's close, early.
async fn close(site: &Site) -> Reply {
    let today: String = oracle::open(&site.database())
        .query_row("SELECT max(business_date) FROM orders", [], |row| row.get(0))
        .unwrap();
    let close = json!({"businessDate": today, "early": true, "carryOver": true});
    site.owner().post("/day-close", close).await
}

/// What answers for all that was sold: files that the books are kept from, and the proof of the bills.
const WHOLE: [&str; 4] = [
    "/orders/invoices/verify",
    "/analytics/reports/register?format=csv",
    "/analytics/reports/tally?format=portal",
    "/analytics/reports/gstr1?format=portal",
];

/// What `edge export` says.
fn export(site: &Site) -> String {
    let folder = tempfile::tempdir_in(env!("CARGO_TARGET_TMPDIR")).unwrap();
    let file = folder.path().join("all.zip");
    Edge::run(&["export", "--data-dir", site.data.to_str().unwrap(), file.to_str().unwrap()])
}

/// Tables that are all there when a box opens.
const AT_ONCE: [&str; 4] = ["printers", "print_layouts", "channels", "attendances"];

/// Rows that name one that is not there.
fn dangling(site: &Site) -> Vec<(String, String)> {
    let conn = oracle::open(&site.database());
    let mut statement = conn.prepare("PRAGMA foreign_key_check").unwrap();
    let found = statement.query_map([], |row| Ok((row.get(0)?, row.get(2)?))).unwrap();
    found.map(Result::unwrap).collect()
}

/// What is left, by a reader of its own: of each item, and of each batch that has something.
fn levels(site: &Site) -> Vec<(Uuid, i64, i64)> {
    let sql = "SELECT stock_item_id, on_hand, deficit FROM stock_levels WHERE on_hand <> 0 OR deficit <> 0
               UNION ALL SELECT batch_id, quantity, 0 FROM stock_batch_levels WHERE quantity <> 0 ORDER BY 1, 2";
    let conn = oracle::open(&site.database());
    let mut statement = conn.prepare(sql).unwrap();
    let found = statement.query_map([], |row| Ok((row.get(0)?, row.get(1)?, row.get(2)?))).unwrap();
    found.map(Result::unwrap).collect()
}

async fn half_filled(database: Option<Database>) {
    let folder = tempfile::tempdir_in(env!("CARGO_TARGET_TMPDIR")).unwrap();
    let place = Place::make(folder.path(), database.as_ref().map(|database| database.url.clone()));
    let hub = place.serve().await;
    let admin = hub.admin().await;
    let mut site = Site::join(folder.path(), 8, &hub, &admin).await;
    let open = Open::make(site.owner()).await;
    site.wait_until_confirmed().await;
    site.kill();
    keep_aside(&site.data);
    let died = aside(&site.data).join("tiffin.db");

    // The box that will have died.
    site.proxy.network.set_up(false);
    let before = levels(&site);
    site.start().await;
    open.take_back(site.owner()).await;
    site.kill();
    let expected = levels(&site);
    assert_ne!(before, expected);

    std::fs::remove_dir_all(&site.data).unwrap();
    site.proxy.network.set_up(true);
    site.enrol(&admin, true).await;
    site.proxy.network.set_up(false);
    assert_eq!(levels(&site), before);
    assert_eq!(dangling(&site), []);
    let (lost, there) = (oracle::rows_of(&died), oracle::rows_of(&site.database()));
    AT_ONCE.iter().for_each(|table| assert_eq!(there[table], lost[table], "{table}"));
    site.start().await;
    open.take_back(site.owner()).await;
    assert_eq!(levels(&site), expected);
    // Half of the day's sales are no day's sales, and none that leave the house.
    close(&site).await.refused(409, "CONFLICT");
    for path in WHOLE {
        site.owner().get(path).await.expect(409);
    }
    assert!(export(&site).contains("not whole"));

    // The rest comes, and says the same.
    site.proxy.network.set_up(true);
    until("it is filled", async || (site.exchange().await["standing"] == "NORMAL").then_some(())).await;
    numbers::alike(&place, &site).await;
    assert_eq!(levels(&site), expected);
    close(&site).await.expect(201);
    for path in WHOLE {
        site.owner().get(path).await.expect(200);
    }
    assert!(!export(&site).contains("not whole"));
    site.kill();
    let report = sync_hub::verify::data_dir(&site.data).unwrap();
    assert!(report.is_good(), "{:?}", report.problems);
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_box_that_holds_what_it_opened_with_works_with_what_is_open_on_files() {
    half_filled(None).await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_box_that_holds_what_it_opened_with_works_with_what_is_open_on_postgresql() {
    half_filled(Some(Database::new())).await;
}
