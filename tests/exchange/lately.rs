//! Meals, sizes, texts, pictures, price lists, what is made ahead, invoices of suppliers and what goes back to them, salaries: at a real
//! branch, at head office on either store, on a backup that is put back and on the box that takes a dead one's place. Every column of every
//! row is compared as the files have it, by a reader that knows no list of columns.

use crate::erased::backup_in;
use crate::numbers::alike;
use crate::office::Place;
use crate::site::Site;
use rusqlite::types::Value as Cell;
use serde_json::{Value, json};
use std::collections::{BTreeMap, BTreeSet};
use std::path::Path;
use tiffin_common::registry::LOCAL;
use tiffin_tests::postgres::Database;
use tiffin_tests::{Client, Edge, drawing, oracle};

/// What a box says of its own life: the one that comes after says something else.
const OF_ONE_LIFE: [&str; 2] = ["counters", "signing_keys"];

/// The tables whose every column some row has to say something in.
const SAID: [&str; 12] = [
    "combo_components",
    "combo_options",
    "employee_wages",
    "holidays",
    "menu_categories",
    "menu_items",
    "menu_pictures",
    "price_list_entries",
    "price_lists",
    "purchase_invoices",
    "purchase_return_lines",
    "purchase_returns",
];

/// Columns in which this restaurant says nothing.
const UNSAID: [&str; 3] =
    ["menu_categories.archived_at", "menu_items.archived_at", "price_lists.archived_at"];

/// Rows by table and key; each by column.
type Everything = BTreeMap<String, BTreeMap<String, BTreeMap<String, Cell>>>;

/// Every row that is not of one box alone, with every column that the file has.
fn everything(path: &Path) -> Everything {
    let conn = oracle::open(path);
    let mut tables = conn
        .prepare("SELECT name FROM sqlite_master WHERE type = 'table' AND sql NOT LIKE 'CREATE VIRTUAL%'")
        .unwrap();
    let names: Vec<String> = tables.query_map([], |row| row.get(0)).unwrap().map(Result::unwrap).collect();
    let is_captured =
        |name: &String| !LOCAL.contains(&name.as_str()) && !OF_ONE_LIFE.contains(&name.as_str());
    let mut all = Everything::new();
    for name in names.into_iter().filter(is_captured) {
        let mut statement = conn.prepare(&format!("SELECT * FROM {name}")).unwrap();
        let columns: Vec<String> = statement.column_names().into_iter().map(str::to_owned).collect();
        let Some(key) = columns.iter().position(|column| column == "id") else { continue };
        let rows = statement.query_map([], |row| {
            let cells: rusqlite::Result<Vec<Cell>> = (0..columns.len()).map(|i| row.get(i)).collect();
            cells
        });
        let rows = rows.unwrap().map(Result::unwrap).map(|cells| {
            (format!("{:?}", cells[key]), columns.iter().cloned().zip(cells).collect::<BTreeMap<_, _>>())
        });
        all.insert(name, rows.collect());
    }
    all
}

/// What of `before` is not in `now`, or is another there.
fn lost(before: &Everything, now: &Everything) -> Vec<String> {
    let mut lost = Vec::new();
    for (table, rows) in before {
        for (key, row) in rows {
            let Some(found) = now[table].get(key) else {
                lost.push(format!("{table} {key} is not there"));
                continue;
            };
            let other = row.iter().filter(|(column, cell)| found[*column] != **cell);
            lost.extend(other.map(|(column, cell)| {
                format!("{table} {key}.{column}: {cell:?} is now {:?}", found[column])
            }));
        }
    }
    lost
}

/// The columns of [`SAID`] in which no row says anything.
fn unsaid(all: &Everything) -> BTreeSet<String> {
    let mut unsaid = BTreeSet::new();
    for table in SAID {
        let rows = &all[table];
        let first = rows.values().next().unwrap_or_else(|| panic!("{table} has no row"));
        let is_empty = |column: &&String| rows.values().all(|row| row[*column] == Cell::Null);
        unsaid.extend(first.keys().filter(is_empty).map(|column| format!("{table}.{column}")));
    }
    unsaid
}

fn id(of: &Value) -> &str {
    of["id"].as_str().unwrap_or_else(|| panic!("no id in {of}"))
}

/// Dishes without choices, in one size, that cost something.
async fn dishes(owner: &Client) -> Vec<Value> {
    let menu = owner.get("/menu").await.expect(200).data();
    let all = menu["categories"].as_array().unwrap().iter().flat_map(|c| c["items"].as_array().unwrap());
    let is_plain = |dish: &&Value| {
        dish["modifierGroups"] == json!([]) && dish["variants"] == json!([]) && dish["isAvailable"] == true
    };
    all.filter(is_plain).take(4).cloned().collect()
}

/// A dish in two sizes with a picture, in Hindi, a meal of it, both sold by a price list, and a dish that is weighed.
async fn menu(owner: &Client) {
    let [sized, main, drink, fish] = <[Value; 4]>::try_from(dishes(owner).await).unwrap();
    let category = format!("/menu/categories/{}", sized["categoryId"].as_str().unwrap());
    let open = json!([{"days": ["MON", "TUE", "WED", "THU", "FRI", "SAT", "SUN"], "from": "00:00", "to": "23:59"}, {"days": null, "from": "23:59", "to": "00:01"}]);
    let said = json!({"description": "All of it", "windows": open, "texts": {"hi": {"name": "सब कुछ"}}});
    owner.patch(&category, said).await.expect(200);
    let path = format!("/menu/items/{}", id(&sized));
    let said = json!({"kitchenName": "SIZED", "description": "as it comes", "sku": "SZ", "hsnSac": "996331", "imageUrl": "https://example.com/a.png",
        "course": 2, "prepMinutes": 4, "energyKcal": 310, "servingSize": "250 g", "windows": open, "dietary": "VEG", "allergens": ["MILK"],
        "texts": {"hi": {"name": "दाल", "description": "घर की"}},
        "variants": [{"name": "Half", "priceCents": 10_000, "texts": {"hi": {"name": "आधा"}}},
            {"name": "Full", "priceCents": sized["priceCents"], "isDefault": true}]});
    let sized = owner.patch(&path, said).await.expect(200).data();
    owner.put_raw(&format!("{path}/image"), "image/png", drawing(40, 30)).await.expect(200);
    let half = &sized["variants"][0]["id"];
    let one = |name: &str, option: Value| json!({"name": name, "minSelections": 1, "maxSelections": 1, "options": [option]});
    let meal = json!({"categoryId": sized["categoryId"], "name": "Meal", "priceCents": 30_000, "kind": "COMBO", "components": [
        one("Main", json!({"menuItemId": sized["id"], "variantId": half, "extraCents": 700})),
        one("Drink", json!({"menuItemId": drink["id"]}))]});
    let meal = owner.post("/menu/items", meal).await.expect(201).data();
    let days = json!(["MON", "TUE", "WED", "THU", "FRI", "SAT", "SUN"]);
    let channel = json!({"name": "Swiggy", "kind": "AGGREGATOR"});
    let channel = owner.post("/channels", channel).await.expect(201).data();
    let list = json!({"name": "Away", "priority": 3, "orderTypes": ["DELIVERY"], "channelIds": [channel["id"]], "days": days,
        "from": "00:00", "to": "23:59", "startsOn": "2020-01-01", "endsOn": "2099-12-31", "entries": [
            {"menuItemId": main["id"], "priceCents": 12_345}, {"categoryId": drink["categoryId"], "adjustBps": 1_000}]});
    let list = owner.post("/menu/price-lists", list).await.expect(201).data();
    let hall = json!({"name": "Hall", "areas": ["Hall"], "entries": []});
    owner.post("/menu/price-lists", hall).await.expect(201);
    let own = json!({"priceListId": list["id"]});
    owner.patch(&format!("/channels/{}", id(&channel)), own).await.expect(200);
    let quoted = format!("/menu?orderType=DELIVERY&channelId={}", id(&channel));
    let quoted = owner.get(&quoted).await.expect(200).data();
    let all = quoted["categories"].as_array().unwrap().iter().flat_map(|c| c["items"].as_array().unwrap());
    let price = |wanted: &Value| {
        let mut all = all.clone();
        all.find(|dish| dish["id"] == wanted["id"]).unwrap()["priceCents"].clone()
    };
    let components = json!([{"name": "Main", "menuItemId": sized["id"], "variantId": half}, {"name": "Drink", "menuItemId": drink["id"]}]);
    let lines = json!([
        {"menuItemId": main["id"], "quantity": 2, "unitPriceCents": price(&main)},
        {"menuItemId": meal["id"], "quantity": 2, "unitPriceCents": price(&meal), "components": components}]);
    let order =
        json!({"orderType": "DELIVERY", "channelId": channel["id"], "externalId": "SW-1", "items": lines});
    let order = owner.post("/orders", order).await.expect(201).json();
    assert_eq!(order["items"][0]["priceListId"], list["id"], "{order}");
    let weighed = json!({"soldBy": "WEIGHT", "weightUnit": "KG"});
    owner.patch(&format!("/menu/items/{}", id(&fish)), weighed).await.expect(200);
    let lines = json!([
        {"menuItemId": sized["id"], "variantId": half, "quantity": 1, "unitPriceCents": 10_000},
        {"menuItemId": fish["id"], "quantity": 1, "weight": 0.75, "unitPriceCents": fish["priceCents"]}]);
    owner.post("/orders", json!({"orderType": "COUNTER", "items": lines})).await.expect(201);
}

/// A delivery, its invoice that is too high, and what goes back of it; a batch that is made of it.
async fn store_room(owner: &Client) {
    let stock = owner.get("/inventory/items?limit=1").await.expect(200).json()["items"][0].clone();
    let supplier =
        json!({"name": "Farm", "agreedPrices": [{"inventoryItemId": stock["id"], "unitCostCents": 400}]});
    let supplier = owner.post("/inventory/suppliers", supplier).await.expect(201).data();
    let line = json!([{"inventoryItemId": stock["id"], "quantityOrdered": 10, "unitCostCents": 400}]);
    let order = json!({"supplierId": supplier["id"], "items": line});
    let order = owner.post("/inventory/purchase-orders", order).await.expect(201).json();
    let path = format!("/purchase-orders/{}", id(&order));
    owner.post(&format!("{path}/send"), json!({})).await.expect(200);
    let came = json!({"invoiceRef": "A-1", "confirm": true, "items": [
        {"inventoryItemId": stock["id"], "quantityReceived": 8, "unitCostCents": 400, "batchNumber": "LOT-1"}]});
    let came = owner.post(&format!("{path}/deliveries"), came).await.expect(201).data();
    let bill = json!({"ref": "A-1", "totalCents": 4_200, "taxCents": 200});
    let bill = owner.post(&format!("{path}/invoice"), bill).await.expect(201).data();
    let accept = format!("{path}/invoices/{}/accept", id(&bill["invoice"]));
    owner.post(&accept, json!({"reason": "the rest comes tomorrow"})).await.expect(200);
    let batch = &came["deliveries"][0]["items"][0]["batchId"];
    let back =
        json!({"note": "on the van", "items": [{"batchId": batch, "quantity": 1, "reason": "weevils"}]});
    owner.post(&format!("{path}/returns"), back).await.expect(201);
    let paste = json!({"name": "Paste", "yield": 1, "unit": "kg", "ingredients": [
        {"inventoryItemId": stock["id"], "quantity": 1, "unit": stock["unit"]}]});
    let paste = owner.post("/inventory/preparations", paste).await.expect(201).data();
    let path = format!("/inventory/preparations/{}/produce", id(&paste));
    owner.post(&path, json!({"quantity": 2, "expiryDate": "2099-01-01"})).await.expect(201);
}

/// A salary, what overtime is, days of rest, a holiday.
async fn staff(owner: &Client, outlet: &str) {
    let terms = json!({"languages": ["en", "hi"], "weeklyRestDays": ["SUN"],
        "overtime": {"dailyMinutes": 500, "weeklyMinutes": 2_500, "multiplierBps": 17_500}});
    owner.patch(&format!("/outlets/{outlet}"), terms).await.expect(200);
    let mira = json!({"name": "Mira", "jobTitle": "Chef", "hourlyRateCents": 9_000, "payBasis": "MONTHLY",
        "monthlySalaryCents": 3_100_000, "dayMinutes": 480});
    owner.post("/employees", mira).await.expect(201);
    owner.post("/holidays", json!({"date": "2026-12-25", "name": "Christmas"})).await.expect(201);
}

/// Waits until the box holds all of `before` again: what head office has comes back to it piece by piece.
async fn until_whole(place: &Place, site: &Site, before: &Everything) {
    for attempt in 0.. {
        alike(place, site).await;
        let lost = lost(before, &everything(&site.database()));
        if lost.is_empty() {
            return;
        }
        assert!(attempt < 300, "{:#?}", lost.iter().take(20).collect::<Vec<_>>());
        tokio::time::sleep(std::time::Duration::from_millis(100)).await;
    }
}

async fn survives(database: Option<Database>) {
    let folder = tempfile::tempdir_in(env!("CARGO_TARGET_TMPDIR")).unwrap();
    let place = Place::make(folder.path(), database.as_ref().map(|database| database.url.clone()));
    let hub = place.serve().await;
    let admin = hub.admin().await;
    let mut site = Site::join(folder.path(), 31, &hub, &admin).await;
    let owner = site.owner().clone();
    menu(&owner).await;
    store_room(&owner).await;
    staff(&owner, &site.outlet.to_string()).await;
    alike(&place, &site).await;
    site.kill();
    let before = everything(&site.database());
    let expected: BTreeSet<String> = UNSAID.map(str::to_owned).into();
    assert_eq!(unsaid(&before), expected);

    // The disk is lost, and last night's backup put in its place.
    let data = site.data.to_str().unwrap().to_owned();
    let backup = backup_in(&Edge::run(&["backup", "--data-dir", &data]));
    let backup = backup.to_str().unwrap().to_owned();
    std::fs::remove_file(site.database()).unwrap();
    tokio::task::spawn_blocking(move || Edge::run(&["restore", "--data-dir", &data, &backup])).await.unwrap();
    let found = lost(&before, &everything(&site.database()));
    assert!(found.is_empty(), "{:#?}", found.iter().take(20).collect::<Vec<_>>());
    site.start().await;
    until_whole(&place, &site, &before).await;

    // Another box takes its place, and has nothing but what head office has.
    site.kill();
    std::fs::remove_dir_all(&site.data).unwrap();
    site.enrol(&admin, true).await;
    site.start().await;
    until_whole(&place, &site, &before).await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn what_was_added_lately_survives_its_box_on_files() {
    survives(None).await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn what_was_added_lately_survives_its_box_on_postgresql() {
    survives(Some(Database::new())).await;
}
