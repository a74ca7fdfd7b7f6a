//! A small restaurant with known numbers, built through the API. Never shares anything with the sample restaurant.

use crate::{Branch, Client, Reply};
use edge::access::Role;
use serde_json::{Value, json};
use std::collections::HashMap;

/// The restaurant: ids by name.
pub struct House {
    /// Signed in as the owner.
    pub owner: Client,
    dishes: HashMap<&'static str, (String, i64)>,
    options: HashMap<&'static str, String>,
    stock: HashMap<&'static str, String>,
    stations: HashMap<&'static str, String>,
    tables: Vec<(String, String)>,
}

/// Stock on hand at the start: name, unit, then per batch quantity in that unit, cents a unit, expiry.
type Batch = (&'static str, i64, Option<&'static str>);
const STOCK: &[(&str, &str, &[Batch])] = &[
    ("Rice", "kg", &[("10", 6_000, None)]),
    ("Paneer", "kg", &[("2", 40_000, Some("2026-11-22")), ("3", 42_000, Some("2026-11-25"))]),
    ("Lentils", "kg", &[("8", 12_000, None)]),
    ("Tomatoes", "kg", &[("10", 4_000, Some("2026-11-30"))]),
    ("Milk", "l", &[("20", 6_000, Some("2026-11-23"))]),
    ("Cream", "l", &[("5", 20_000, Some("2026-11-28"))]),
    ("Chicken", "kg", &[("6", 25_000, Some("2026-11-22"))]),
    ("Spice", "g", &[("2000", 50, None)]),
    ("Lemon", "pcs", &[("100", 500, None)]),
    ("Water", "pcs", &[("48", 1_500, None)]),
];

/// Dishes: name, price in cents, station, taxed, course, recipe (stock item or preparation, quantity, unit).
type Ingredient = (&'static str, &'static str, &'static str);
type Dish = (&'static str, i64, &'static str, bool, i64, &'static [Ingredient]);
const DISHES: &[Dish] = &[
    ("Paneer Tikka", 32_000, "Tandoor", true, 1, &[("Paneer", "150", "g"), ("Spice", "5", "g")]),
    (
        "Butter Chicken",
        38_000,
        "Hot",
        true,
        1,
        &[("Chicken", "180", "g"), ("Gravy", "200", "ml"), ("Cream", "20", "ml")],
    ),
    ("Dal", 18_000, "Hot", true, 1, &[("Lentils", "90", "g"), ("Gravy", "50", "ml")]),
    ("Steamed Rice", 9_000, "Hot", true, 1, &[("Rice", "120", "g")]),
    ("Lassi", 9_000, "Bar", true, 1, &[("Milk", "250", "ml")]),
    ("Lemon Soda", 8_000, "Bar", true, 1, &[("Lemon", "1", "pcs"), ("Water", "1", "pcs")]),
    ("Bottled Water", 3_000, "Bar", false, 1, &[("Water", "1", "pcs")]),
    ("Kulfi", 12_000, "Hot", true, 3, &[("Milk", "100", "ml")]),
];

/// What makes 2 litres of gravy.
const GRAVY: &[Ingredient] = &[("Tomatoes", "2.5", "kg"), ("Cream", "200", "ml"), ("Spice", "40", "g")];

fn number(text: &str) -> Value {
    serde_json::from_str(text).unwrap()
}

impl House {
    /// Builds the restaurant at `branch`.
    pub async fn open(branch: &Branch) -> House {
        House::build(branch.sign_in(Role::Owner)).await
    }

    /// Builds the restaurant where `owner` is signed in.
    pub async fn build(owner: Client) -> House {
        let mut house = House {
            owner,
            dishes: HashMap::new(),
            options: HashMap::new(),
            stock: HashMap::new(),
            stations: HashMap::new(),
            tables: Vec::new(),
        };
        house.add_stations().await;
        house.add_stock().await;
        house.add_menu().await;
        house.add_tables().await;
        house
    }

    async fn make(&self, path: &str, body: Value) -> String {
        self.owner.post(path, body).await.expect(201).data()["id"].as_str().unwrap().to_owned()
    }

    async fn add_stations(&mut self) {
        for (i, name) in ["Hot", "Tandoor", "Bar"].into_iter().enumerate() {
            let id = self
                .make("/kitchen/stations", json!({"name": name, "isDefault": i == 0, "targetMinutes": 12}))
                .await;
            self.stations.insert(name, id);
        }
    }

    async fn add_stock(&mut self) {
        for (name, unit, batches) in STOCK {
            let item = json!({"name": name, "category": "Kitchen", "unit": unit, "minStockThreshold": 1});
            let id = self.make("/inventory/items", item).await;
            for (i, (quantity, cents, expiry)) in batches.iter().enumerate() {
                let body = json!({
                    "inventoryItemId": id, "quantityDelta": number(quantity), "unitCostCents": cents, "reason": "opening stock",
                    "batchNumber": format!("{name}-{}", i + 1), "expiryDate": expiry,
                });
                self.owner.post("/inventory/adjustments", body).await.expect(201);
            }
            self.stock.insert(name, id);
        }
        let gravy = json!({"name": "Gravy", "yield": 2, "unit": "l", "ingredients": self.ingredients(GRAVY)});
        let id = self.make("/inventory/preparations", gravy).await;
        self.stock.insert("Gravy", id);
    }

    fn ingredients(&self, list: &[Ingredient]) -> Vec<Value> {
        list.iter()
            .map(|(name, quantity, unit)| {
                let key = if *name == "Gravy" { "subRecipeId" } else { "inventoryItemId" };
                json!({key: self.stock[name], "quantity": number(quantity), "unit": unit})
            })
            .collect()
    }

    async fn add_menu(&mut self) {
        let components = json!([{"name": "CGST", "rateBps": 250}, {"name": "SGST", "rateBps": 250}]);
        let gst =
            self.make("/menu/tax-categories", json!({"name": "GST 5 %", "components": components})).await;
        let category = self.make("/menu/categories", json!({"name": "Everything"})).await;
        let options =
            json!([{"name": "Extra paneer", "priceCents": 6_000}, {"name": "No spice", "priceCents": 0}]);
        let group = json!({"name": "Extras", "minSelections": 0, "maxSelections": 2, "options": options});
        let group = self.owner.post("/menu/modifier-groups", group).await.expect(201).data();
        for (i, name) in ["Extra paneer", "No spice"].into_iter().enumerate() {
            self.options.insert(name, group["options"][i]["id"].as_str().unwrap().to_owned());
        }
        for (name, price, station, taxed, course, recipe) in DISHES {
            let groups = if *name == "Paneer Tikka" { json!([group["id"]]) } else { json!([]) };
            let dish = json!({
                "categoryId": category, "name": name, "priceCents": price, "stationId": self.stations[station],
                "taxCategoryId": if *taxed { json!(gst) } else { Value::Null }, "course": course, "modifierGroups": groups,
            });
            let id = self.make("/menu/items", dish).await;
            let recipe = json!({"yield": 1, "ingredients": self.ingredients(recipe)});
            self.owner.put(&format!("/inventory/recipes/{id}"), recipe).await.expect(200);
            self.dishes.insert(name, (id, *price));
        }
        let extras: [(&str, &[Ingredient]); 2] =
            [("Extra paneer", &[("Paneer", "50", "g")]), ("No spice", &[("Spice", "-5", "g")])];
        for (name, recipe) in extras {
            let path = format!("/menu/modifier-options/{}/recipe", self.options[name]);
            self.owner.put(&path, json!({"ingredients": self.ingredients(recipe)})).await.expect(200);
        }
    }

    async fn add_tables(&mut self) {
        for number in 1..=12 {
            let number = format!("T{number}");
            let id = self.make("/tables", json!({"number": number, "area": "Indoor", "seats": 4})).await;
            self.tables.push((number, id));
        }
    }

    /// A dish's id.
    pub fn dish(&self, name: &str) -> &str {
        &self.dishes[name].0
    }

    /// A dish's price in cents.
    pub fn price(&self, name: &str) -> i64 {
        self.dishes[name].1
    }

    /// A modifier option's id.
    pub fn option(&self, name: &str) -> &str {
        &self.options[name]
    }

    /// A stock item's id.
    pub fn stock(&self, name: &str) -> &str {
        &self.stock[name]
    }

    /// A station's id.
    pub fn station(&self, name: &str) -> &str {
        &self.stations[name]
    }

    /// The id of table `T{number}`, from 1.
    pub fn table(&self, number: usize) -> &str {
        &self.tables[number - 1].1
    }

    /// A line of an order.
    pub fn line(&self, dish: &str, quantity: i64) -> Value {
        json!({"menuItemId": self.dish(dish), "quantity": quantity, "unitPriceCents": self.price(dish)})
    }

    /// A counter order of these dishes.
    pub fn counter(&self, lines: &[(&str, i64)]) -> Value {
        let items: Vec<Value> = lines.iter().map(|(dish, quantity)| self.line(dish, *quantity)).collect();
        json!({"orderType": "COUNTER", "items": items})
    }

    /// An order of these dishes at table `T{number}`.
    pub fn at_table(&self, number: usize, lines: &[(&str, i64)]) -> Value {
        let mut order = self.counter(lines);
        order["orderType"] = json!("DINE_IN");
        order["tableNumber"] = json!(format!("T{number}"));
        order
    }

    /// Places an order and returns it.
    pub async fn place(&self, client: &Client, order: Value) -> Value {
        client.post("/orders", order).await.expect(201).json()
    }

    /// Takes what is due of an order in cash.
    pub async fn settle(&self, client: &Client, order: &Value) -> Reply {
        let path = format!("/orders/{}", order["id"].as_str().unwrap());
        let due = client.get(&path).await.expect(200).json()["dueCents"].as_i64().unwrap();
        client
            .post(&format!("{path}/payments"), json!({"method": "CASH", "amountCents": due}))
            .await
            .expect(201)
    }

    /// Hires Meera Nair, a manager, and answers the PIN that she approves with.
    pub async fn approver(&self, branch: &Branch) -> &'static str {
        let meera = self.make("/employees", json!({"name": "Meera Nair", "jobTitle": "Manager"})).await;
        let path = format!("/employees/{meera}");
        self.owner.put(&format!("{path}/pin"), json!({"pin": "258079"})).await.expect(200);
        let account = json!({"email": "meera@sample.test", "password": "long enough 1", "role": "MANAGER"});
        branch.sign_in(Role::SuperAdmin).post(&format!("{path}/account"), account).await.expect(201);
        "258079"
    }

    /// Somebody who works here in `role`, signed in with a password: what they do is on record under an account that is there.
    pub async fn employed(&self, branch: &Branch, role: Role) -> Client {
        let who = self.make("/employees", json!({"name": role.name(), "jobTitle": "Staff"})).await;
        let email = format!("{}@sample.test", role.name().to_lowercase());
        let account = json!({"email": email, "password": "long enough 1", "role": role.name()});
        branch
            .sign_in(Role::SuperAdmin)
            .post(&format!("/employees/{who}/account"), account)
            .await
            .expect(201);
        let login = json!({"email": email, "password": "long enough 1"});
        let signed = branch.anonymous().post("/auth/login", login).await.expect(200).data();
        branch.anonymous().with_token(signed["accessToken"].as_str().unwrap_or_default().to_owned())
    }

    /// What is on hand of a stock item, as the API says it.
    pub async fn on_hand(&self, name: &str) -> Value {
        let list = self.owner.get(&format!("/inventory/items?q={name}")).await.expect(200).json();
        let found = list["items"].as_array().unwrap().iter().find(|item| item["name"] == name).cloned();
        found.unwrap_or_else(|| panic!("no stock item {name}"))["currentStock"].clone()
    }
}
