//! The figures of the chain are the sum of what the outlets say of themselves, to the cent, at every position.

use crate::{enrol, push_all};
use edge::access::Role;
use edge::resources::notifications::{self, Audience, Notice, Severity};
use serde_json::{Value, json};
use tiffin_tests::{Branch, Client, HeadOffice, House};

/// Sells at a branch: `orders` orders of different sizes, all paid but the last.
async fn trade(branch: &Branch, house: &House, orders: i64) {
    for n in 0..orders {
        let lines = [("Butter Chicken", 1 + n % 3), ("Dal", 1), ("Lassi", 2)];
        let order = house.place(&house.owner, house.counter(&lines)).await;
        if n + 1 < orders {
            house.settle(&house.owner, &order).await;
        }
        branch.pass(60_000);
    }
}

/// The members of `figures` that are money or counts.
const ADDED: [&str; 10] = [
    "grossRevenueCents",
    "discountCents",
    "refundCents",
    "netRevenueCents",
    "taxCents",
    "ordersCount",
    "guestsCount",
    "cogsCents",
    "foodWasteCents",
    "laborCostCents",
];

async fn own(branch: &Branch, path: &str) -> Value {
    branch.sign_in(Role::Owner).get(path).await.expect(200).json()
}

async fn hub_get(client: &Client, path: &str) -> Value {
    client.get(path).await.expect(200).data()
}

#[tokio::test(flavor = "multi_thread")]
async fn totals_are_the_sum_of_the_outlets_to_the_cent() {
    let hub = HeadOffice::start().await;
    let branches = [Branch::start().await, Branch::coded("BLR2").await];
    let mut senders = Vec::new();
    for (n, branch) in branches.iter().enumerate() {
        let house = House::open(branch).await;
        trade(branch, &house, 3 + 2 * n as i64).await;
        let sender = enrol(&hub, branch).await;
        push_all(branch, &sender).await;
        senders.push(sender);
    }
    hub.box_of("NEW").await;
    hub.pass(5 * 60_000);
    let admin = hub.admin();
    let summary = hub_get(&admin, "/hub/analytics/summary").await;
    let own_figures =
        [own(&branches[0], "/analytics/summary").await, own(&branches[1], "/analytics/summary").await];
    assert_eq!(summary["currency"], "INR");
    for name in ADDED {
        let sum: i64 = own_figures.iter().map(|figures| figures[name].as_i64().unwrap()).sum();
        assert_eq!(summary[name], json!(sum), "{name}: {summary}");
        assert_eq!(summary["byCurrency"][0][name], json!(sum), "{name}");
    }
    assert!(summary["cogsCents"].as_i64() > Some(0));
    assert_eq!(summary["outlets"].as_array().unwrap().len(), 3);
    for (branch, figures) in branches.iter().zip(&own_figures) {
        let mut shown = summary["outlets"].as_array().unwrap().iter();
        let shown = shown.find(|outlet| outlet["outletId"] == json!(branch.outlet_id)).unwrap();
        for name in ADDED.iter().chain(&["cogsPercentage", "averageOrderValueCents", "profitAndLoss"]) {
            assert_eq!(shown[*name], figures[*name], "{name}");
        }
        let head = branch.number("SELECT max(seq) FROM sync_log").await;
        assert_eq!(shown["position"], head, "every figure says how fresh it is");
    }
    let nothing =
        summary["outlets"].as_array().unwrap().iter().find(|outlet| outlet["code"] == "NEW").unwrap();
    assert!(nothing["position"].is_null() && nothing.get("netRevenueCents").is_none(), "{nothing}");
    let daily = hub_get(&admin, "/hub/analytics/daily").await;
    assert_eq!(daily["totals"][0]["netRevenueCents"], summary["netRevenueCents"]);
    assert_eq!(daily["days"][0]["cogsCents"], summary["cogsCents"]);
    let compare = hub_get(&admin, "/hub/analytics/compare").await;
    let nets: Vec<i64> =
        compare["outlets"].as_array().unwrap().iter().filter_map(|o| o["netRevenueCents"].as_i64()).collect();
    assert!(nets.len() == 2 && nets[0] >= nets[1], "{nets:?}");
    let sellers = hub_get(&admin, "/hub/analytics/top-sellers?limit=1").await;
    let best = &sellers["currencies"][0]["items"][0];
    let mut portions = 0;
    for branch in &branches {
        let own = own(branch, "/analytics/top-sellers?limit=100").await;
        let items = own["data"]["items"].as_array().unwrap().clone();
        portions +=
            items.iter().find(|dish| dish["name"] == best["name"]).unwrap()["quantity"].as_i64().unwrap();
    }
    assert_eq!(best["quantity"], portions);
    // One outlet alone is that outlet's own.
    let one = format!("/hub/analytics/summary?outletIds={}", branches[0].outlet_id);
    assert_eq!(hub_get(&admin, &one).await["netRevenueCents"], own_figures[0]["netRevenueCents"]);
    let owner = hub.sign_in(Role::Owner, &[branches[1].outlet_id]);
    assert_eq!(
        hub_get(&owner, "/hub/analytics/summary").await["netRevenueCents"],
        own_figures[1]["netRevenueCents"]
    );
}

#[tokio::test(flavor = "multi_thread")]
async fn low_stock_and_recalls_go_over_all_outlets() {
    let (hub, branch) = (HeadOffice::start().await, Branch::start().await);
    let house = House::open(&branch).await;
    let take = json!({"inventoryItemId": house.stock("Rice"), "quantityDelta": -9.5, "reason": "spilled"});
    house.owner.post("/inventory/adjustments", take).await.expect(201);
    trade(&branch, &house, 2).await;
    // The same lot comes again at another price: whoever recalls it hears of both.
    let mill = json!({"name": "Mill"});
    let mill = house.owner.post("/inventory/suppliers", mill).await.expect(201).data()["id"].clone();
    let line = json!({"supplierId": mill, "items": [{"inventoryItemId": house.stock("Lentils"), "quantityOrdered": 1}]});
    let order = house.owner.post("/inventory/purchase-orders", line).await.expect(201).json();
    let path = format!("/purchase-orders/{}", order["id"].as_str().unwrap());
    house.owner.post(&format!("{path}/send"), json!({})).await.expect(200);
    let lot = json!({"inventoryItemId": house.stock("Lentils"), "quantityReceived": 1, "unitCostCents": 1, "batchNumber": "Lentils-1"});
    let lot = json!({"items": [lot], "confirm": true});
    house.owner.post(&format!("{path}/deliveries"), lot).await.expect(201);
    push_all(&branch, &enrol(&hub, &branch).await).await;
    hub.box_of("NEW").await;
    let admin = hub.admin();
    let low = hub_get(&admin, "/hub/inventory/low-stock").await;
    assert_eq!(low["totalCount"], 1, "{low}");
    let at = low["outlets"].as_array().unwrap().iter().find(|o| o["code"] == "BLR1").unwrap();
    assert_eq!((at["items"][0]["name"].as_str(), at["online"].as_bool()), (Some("Rice"), Some(true)));
    let recall = hub_get(&admin, "/hub/recall?batchNumber=Lentils-1").await;
    assert_eq!(recall["found"][0]["outletId"], json!(branch.outlet_id), "{recall}");
    assert_eq!(recall["found"][0]["trace"]["ordersCount"], 2, "{recall}");
    let numbers = recall["found"]
        .as_array()
        .unwrap()
        .iter()
        .map(|at| at["trace"]["batch"]["batchNumber"].as_str().unwrap());
    let again = format!("Lentils-1 ({})", order["poNumber"].as_str().unwrap());
    assert_eq!(numbers.collect::<Vec<_>>(), ["Lentils-1", &again]);
    assert_eq!(recall["outlets"].as_array().unwrap().len(), 2);
    assert_eq!(hub_get(&admin, "/hub/recall?batchNumber=none").await["found"], json!([]));
}

/// Gravy is made of tomatoes, sold where it was made, and lies under its number at another branch: whoever recalls the tomatoes hears of
/// both.
#[tokio::test(flavor = "multi_thread")]
async fn a_recall_goes_through_what_was_made_of_it_to_every_outlet_that_has_some() {
    let (hub, branch, there) =
        (HeadOffice::start().await, Branch::start().await, Branch::coded("BLR2").await);
    let house = House::open(&branch).await;
    let path = format!("/inventory/preparations/{}/produce", house.stock("Gravy"));
    let made = house.owner.post(&path, json!({"quantity": 3})).await.expect(201).data();
    house.place(&house.owner, house.counter(&[("Dal", 2)])).await;
    let number = &made["batch"]["batchNumber"];
    let owner = there.sign_in(Role::Owner);
    let gravy = json!({"name": "Gravy", "category": "Prepared", "unit": "l"});
    let gravy = owner.post("/inventory/items", gravy).await.expect(201).data()["id"].clone();
    let came =
        json!({"inventoryItemId": gravy, "quantityDelta": 1, "reason": "came by car", "batchNumber": number});
    owner.post("/inventory/adjustments", came).await.expect(201);
    for branch in [&branch, &there] {
        push_all(branch, &enrol(&hub, branch).await).await;
    }
    let recall = hub_get(&hub.admin(), "/hub/recall?batchNumber=Tomatoes-1").await;
    let found = recall["found"].as_array().unwrap();
    assert_eq!(found.len(), 2, "{recall}");
    let trace = &found[0]["trace"];
    assert_eq!(
        (&trace["ordersCount"], &trace["orders"][0]["quantity"]),
        (&json!(1), &json!(0.125)),
        "{recall}"
    );
    assert_eq!(&trace["madeInto"][0]["batchNumber"], number, "{recall}");
    assert_eq!(found[1]["outletId"], json!(there.outlet_id), "{recall}");
    assert_eq!(&found[1]["trace"]["batch"]["batchNumber"], number, "{recall}");
    assert_eq!(recall["outlets"].as_array().unwrap().len(), 2, "each outlet is named once");
}

#[tokio::test(flavor = "multi_thread")]
async fn a_closed_day_is_reconciled_and_the_branchs_own_routes_answer() {
    let (hub, branch) = (HeadOffice::start().await, Branch::start().await);
    let house = House::open(&branch).await;
    trade(&branch, &house, 4).await;
    house
        .owner
        .post("/day-close", json!({"businessDate": "2026-11-20", "early": true, "carryOver": true}))
        .await
        .expect(201);
    push_all(&branch, &enrol(&hub, &branch).await).await;
    let outlet = hub_get(&hub.admin(), &format!("/hub/outlets/{}", branch.outlet_id)).await;
    assert_eq!(outlet["reconciledDays"][0]["businessDate"], "2026-11-20", "{outlet}");
    assert_eq!(outlet["reconciledDays"][0]["differences"], json!([]));
    assert_eq!(outlet["boxes"].as_array().unwrap().len(), 1);
    let admin = hub.admin().with_outlet(branch.outlet_id);
    let orders = admin.get("/orders").await.expect(200).json();
    assert_eq!(orders["total"], own(&branch, "/orders").await["total"], "{orders}");
    admin.without_outlet().get("/orders").await.refused(400, "INVALID_OUTLET_SCOPE");
}

#[tokio::test(flavor = "multi_thread")]
async fn what_a_box_says_is_wrong_with_itself_stands_at_head_office_until_its_staff_have_seen_it() {
    let (hub, branch) = (HeadOffice::start().await, Branch::start().await);
    let owner = branch.sign_in(Role::Owner);
    let outlet = branch.outlet_id;
    for (kind, title) in
        [("BACKUP_FAILED", "No backup"), ("LOW_STOCK", "Rice is low"), ("DISK_LOW", "Little room")]
    {
        let notice = Notice {
            kind,
            severity: Severity::Critical,
            title: title.into(),
            body: "Look at it".into(),
            audience: Audience::Managers,
            entity: None,
            dedupe_key: kind.to_lowercase(),
        };
        branch.pass(1_000);
        branch.db.write(move |tx| notifications::actions::notify(tx, outlet, notice)).await.unwrap();
    }
    let sender = enrol(&hub, &branch).await;
    push_all(&branch, &sender).await;
    let troubles =
        async || hub_get(&hub.admin(), &format!("/hub/outlets/{outlet}")).await["troubles"].clone();
    let told = troubles().await;
    let shown: Vec<_> =
        told.as_array().unwrap().iter().map(|one| (one["type"].clone(), one["title"].clone())).collect();
    assert_eq!(
        shown,
        [(json!("DISK_LOW"), json!("Little room")), (json!("BACKUP_FAILED"), json!("No backup"))],
        "what its stock lacks is no trouble of the box"
    );
    let path = format!("/notifications/{}/read", told[0]["id"].as_str().unwrap());
    owner.post(&path, json!({})).await.expect(200);
    push_all(&branch, &sender).await;
    let left = troubles().await;
    assert_eq!((left.as_array().unwrap().len(), &left[0]["type"]), (1, &json!("BACKUP_FAILED")));
}

#[tokio::test(flavor = "multi_thread")]
async fn screens_hear_of_sales_and_of_boxes() {
    use futures_util::StreamExt;
    let (hub, branch) = (HeadOffice::start().await, Branch::start().await);
    let house = House::open(&branch).await;
    let sender = enrol(&hub, &branch).await;
    push_all(&branch, &sender).await;
    let admin = hub.admin();
    let response = admin.request(reqwest::Method::GET, "/hub/stream").send().await.unwrap();
    assert_eq!(response.status(), 200);
    let mut chunks = response.bytes_stream();
    let mut text = String::new();
    let wait = async |text: &mut String,
                      chunks: &mut futures_util::stream::BoxStream<'_, reqwest::Result<bytes::Bytes>>,
                      needle: &str| {
        let found = tokio::time::timeout(std::time::Duration::from_secs(30), async {
            while !text.contains(needle) {
                text.push_str(&String::from_utf8_lossy(&chunks.next().await.unwrap().unwrap()));
            }
        });
        assert!(found.await.is_ok(), "no {needle} in {text}");
    };
    let mut chunks = (&mut chunks).boxed();
    wait(&mut text, &mut chunks, "\"ordersCount\":0").await;
    trade(&branch, &house, 1).await;
    push_all(&branch, &sender).await;
    wait(&mut text, &mut chunks, "\"ordersCount\":1").await;
    assert!(text.contains("event: outlet") && text.contains("\"online\":true"), "{text}");
}

#[tokio::test(flavor = "multi_thread")]
async fn losses_stand_side_by_side_as_the_outlets_have_them() {
    let hub = HeadOffice::start().await;
    let branches = [Branch::start().await, Branch::coded("BLR2").await];
    for (n, branch) in branches.iter().enumerate() {
        let house = House::open(branch).await;
        trade(branch, &house, 3).await;
        let order = house.place(&house.owner, house.counter(&[("Butter Chicken", 2)])).await;
        let off = json!({"type": "PERCENT", "value": 5 + 50 * n, "reason": "regulars"});
        let path = format!("/orders/{}/discounts", order["id"].as_str().unwrap());
        house.owner.post(&path, off).await.expect(201);
        push_all(branch, &enrol(&hub, branch).await).await;
    }
    hub.pass(60_000);
    let dates = "from=2026-11-20&to=2026-11-20";
    let losses = hub_get(&hub.admin(), &format!("/hub/losses?{dates}")).await;
    // The one that loses the larger share of its sales first.
    for (branch, shown) in branches.iter().rev().zip(losses["outlets"].as_array().unwrap()) {
        assert_eq!(shown["outletId"], json!(branch.outlet_id), "{losses}");
        let own = own(branch, &format!("/audit/losses?{dates}")).await["data"].clone();
        assert_eq!((&shown["losses"]["total"], &shown["losses"]["kinds"]), (&own["total"], &own["kinds"]));
        assert_eq!(own["kinds"][0]["kind"], "DISCOUNT");
        assert!(shown["losses"]["percentOfGross"].as_f64().unwrap() > 0.5, "{shown}");
    }
}
