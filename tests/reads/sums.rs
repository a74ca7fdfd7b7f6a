//! What was sold, by dish, by size, by combo and by component, comes to the same sums; and a batch is recalled through the gravy that was
//! made of it, from everybody who ate of it: at a branch and at head office on either store, from rows and from kept days.

use super::{copies, serve, told};
use serde_json::{Value, json};
use std::collections::{BTreeMap, BTreeSet};
use sync_hub::store::Stores;
use tiffin_tests::{Branch, Client, House};

const DAY: &str = "from=2026-11-20&to=2026-11-20";

fn text(value: &Value) -> &str {
    value.as_str().unwrap()
}

fn list(value: &Value) -> &[Value] {
    value.as_array().unwrap_or_else(|| panic!("no list: {value}"))
}

/// Portions, revenue, cost.
type Sums = [i64; 3];
const FIGURES: [&str; 3] = ["quantity", "revenueCents", "cogsCents"];

fn sums(of: &Value) -> Sums {
    FIGURES.map(|name| of[name].as_i64().unwrap_or_else(|| panic!("no {name} in {of}")))
}

fn sum<'s>(all: impl IntoIterator<Item = &'s Sums>) -> Sums {
    all.into_iter().fold([0; 3], |sum, one| [0, 1, 2].map(|i| sum[i] + one[i]))
}

/// The house with its dal in two sizes and a meal, whose gravy is made ahead; and what was sold there.
struct Sold {
    branch: Branch,
    house: House,
    /// The numbers of orders that took of the gravy or of what it is made of.
    ate: BTreeSet<String>,
    gravy: String,
}

impl Sold {
    async fn open() -> Sold {
        let branch = Branch::start().await;
        let house = House::open(&branch).await;
        let owner = &house.owner;
        let sizes = json!({"variants": [
            {"name": "Half", "priceCents": 10_000}, {"name": "Full", "priceCents": 18_000, "isDefault": true}]});
        let dal = owner.patch(&format!("/menu/items/{}", house.dish("Dal")), sizes).await.expect(200).data();
        let half = dal["variants"][0]["id"].clone();
        let recipe = json!({"ingredients": [
            {"inventoryItemId": house.stock("Lentils"), "quantity": 60, "unit": "g"},
            {"subRecipeId": house.stock("Gravy"), "quantity": 30, "unit": "ml"}]});
        owner.put(&format!("/inventory/recipes/{}", text(&half)), recipe).await.expect(200);
        let one = |name: &str, options: Value| json!({"name": name, "minSelections": 1, "maxSelections": 1, "options": options});
        let meal = json!({"categoryId": dal["categoryId"], "name": "Meal", "priceCents": 39_999, "kind": "COMBO", "components": [
            one("Main", json!([{"menuItemId": house.dish("Butter Chicken"), "extraCents": 5_000}, {"menuItemId": dal["id"], "variantId": half}])),
            one("Drink", json!([{"menuItemId": house.dish("Lassi")}, {"menuItemId": house.dish("Bottled Water")}]))]});
        let meal = owner.post("/menu/items", meal).await.expect(201).data()["id"].clone();
        let path = format!("/inventory/preparations/{}/produce", house.stock("Gravy"));
        let made = owner.post(&path, json!({"quantity": 0.45})).await.expect(201).data();
        let chosen = |name: &str, dish: &str| json!({"name": name, "menuItemId": house.dish(dish)});
        let meal = |quantity: i64, main: Value, drink: &str| {
            json!({"menuItemId": meal, "quantity": quantity, "unitPriceCents": 39_999,
            "components": [main, chosen("Drink", drink)]})
        };
        let mut small = chosen("Main", "Dal");
        small["variantId"] = half.clone();
        let half =
            json!({"menuItemId": dal["id"], "variantId": half, "quantity": 3, "unitPriceCents": 10_000});
        let orders = [
            vec![meal(1, small.clone(), "Lassi"), meal(2, chosen("Main", "Butter Chicken"), "Bottled Water")],
            vec![half, house.line("Dal", 2), house.line("Lassi", 1)],
            vec![house.line("Lassi", 2), house.line("Steamed Rice", 1)],
            vec![meal(3, small, "Bottled Water"), house.line("Butter Chicken", 1)],
        ];
        let mut ate = BTreeSet::new();
        for (place, items) in orders.into_iter().enumerate() {
            let order = house.place(owner, json!({"orderType": "COUNTER", "items": items})).await;
            if place != 2 {
                ate.insert(text(&order["orderNumber"]).to_owned());
            }
            let path = format!("/orders/{}", text(&order["id"]));
            if place % 2 == 0 {
                let off = json!({"type": "PERCENT", "value": 7, "reason": "regular"});
                owner.post(&format!("{path}/discounts"), off).await.expect(201);
            }
            house.settle(owner, &order).await;
            if place == 0 {
                // One of the two meals goes back.
                let back = json!({"items": [{"orderItemId": order["items"][1]["id"], "quantity": 1}], "reason": "cold", "restock": false});
                owner.post(&format!("{path}/refunds"), back).await.expect(201);
            }
        }
        let gravy = text(&made["batch"]["id"]).to_owned();
        Sold { branch, house, ate, gravy }
    }

    /// What `client` says was sold: each way the same, and what the summary says.
    async fn adds_up(&self, client: &Client) {
        let sellers = client.get(&format!("/analytics/top-sellers?{DAY}&limit=100")).await.expect(200).data();
        let dishes = list(&sellers["items"]);
        let by_dish: Vec<Sums> = dishes.iter().map(sums).collect();
        let sizes = |dish: &Value| match list(&dish["variants"]) {
            [] => vec![sums(dish)],
            sizes => sizes.iter().map(sums).collect(),
        };
        let by_size: Vec<Sums> = dishes.iter().flat_map(sizes).collect();
        assert_eq!(by_size.len(), by_dish.len() + 1, "{sellers}");
        let report = client.get(&format!("/analytics/reports/combos?{DAY}")).await.expect(200).data();
        let keys: Vec<_> = list(&report["columns"]).iter().map(|column| text(&column["key"])).collect();
        let at = |row: &Value, key: &str| row[keys.iter().position(|known| *known == key).unwrap()].clone();
        let (mut by_combo, mut by_component) = (BTreeMap::new(), BTreeMap::new());
        for row in list(&report["rows"]) {
            let figures = FIGURES.map(|key| at(row, key).as_i64().unwrap());
            let (combo, item) = (at(row, "combo").to_string(), at(row, "item").to_string());
            for (sums, key) in [(&mut by_combo, combo), (&mut by_component, item)] {
                let known: &mut Sums = sums.entry(key).or_default();
                *known = sum([&*known, &figures]);
            }
        }
        assert_eq!(by_combo.len(), 2, "the meal, and what was sold alone: {report}");
        let all = sum(&by_dish);
        assert_eq!(sum(&by_size), all, "by size");
        assert_eq!(sum(by_combo.values()), all, "by combo");
        assert_eq!(sum(by_component.values()), all, "by component");
        assert_eq!(sums(&report["totals"]), all);
        // A meal is a main and a drink: 1, 2 less 1, and 3.
        let of_meals: i64 = by_combo["\"Meal\""][0];
        assert_eq!((of_meals, all[0]), (5 * 2, 5 * 2 + 3 + 2 + 1 + 2 + 1 + 1));
        let summary = client.get(&format!("/analytics/summary?{DAY}")).await.expect(200).json();
        assert_eq!((&summary["netRevenueCents"], &summary["cogsCents"]), (&json!(all[1]), &json!(all[2])));
    }

    /// Who ate of the tomatoes, says `client`: through the gravy and past it.
    async fn recalls(&self, client: &Client) {
        let tomatoes = format!("/inventory/items/{}/batches", self.house.stock("Tomatoes"));
        let tomatoes = client.get(&tomatoes).await.expect(200).data();
        let path = format!("/inventory/batches/{}/trace", text(&tomatoes[0]["id"]));
        let trace = client.get(&path).await.expect(200).data();
        let made: Vec<&str> = list(&trace["madeInto"]).iter().map(|made| text(&made["batchId"])).collect();
        assert_eq!(made, [self.gravy.as_str()]);
        let found: BTreeSet<String> =
            list(&trace["orders"]).iter().map(|order| text(&order["orderNumber"]).to_owned()).collect();
        assert_eq!((&found, &trace["ordersCount"]), (&self.ate, &json!(self.ate.len())));
        let path = format!("/inventory/batches/{}/trace", self.gravy);
        let gravy = client.get(&path).await.expect(200).data();
        let from: BTreeSet<&str> = list(&gravy["madeFrom"]).iter().map(|made| text(&made["name"])).collect();
        assert_eq!(from, ["Cream", "Spice", "Tomatoes"].into());
        // The second order used it up.
        assert_eq!(gravy["batch"]["quantity"], 0);
        assert!(list(&gravy["orders"]).len() < self.ate.len(), "the last ate of what goes into it: {gravy}");
    }

    async fn at_head_office(&self, stores: Stores) {
        let owner = &self.house.owner;
        self.adds_up(owner).await;
        self.recalls(owner).await;
        copies::replay(&self.branch, &stores).await;
        let base = serve(&self.branch, stores.clone()).await;
        let there = Client::new(&base)
            .with_token(owner.token().unwrap().to_owned())
            .with_outlet(self.branch.outlet_id);
        self.adds_up(&there).await;
        self.recalls(&there).await;
        // And the same once the figures of the day are kept.
        self.branch.pass(3_600_000 * 23);
        assert!(copies::keep_days(&self.branch, &stores).await > 0);
        self.adds_up(&there).await;
        for path in ["top-sellers?limit=100&", "reports/combos?", "menu-engineering?"] {
            let path = format!("/analytics/{path}{DAY}");
            assert_eq!(told(&owner.get(&path).await), told(&there.get(&path).await), "{path}");
        }
    }
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn sales_are_the_same_sums_and_recalls_find_the_gravy_on_sqlite() {
    let folder = tempfile::tempdir().unwrap();
    Sold::open().await.at_head_office(copies::on_sqlite(folder.path())).await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn sales_are_the_same_sums_and_recalls_find_the_gravy_on_postgresql() {
    Sold::open().await.at_head_office(copies::on_postgres().await).await;
}
