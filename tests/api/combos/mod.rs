//! Combos: dishes sold together at one price, on the menu and in orders.

mod afterwards;
mod elsewhere;

use edge::access::Role;
use serde_json::{Value, json};
use tiffin_tests::{Branch, Client, House, Reply};

const TODAY: &str = "from=2026-11-20&to=2026-11-20";

fn text(value: &Value) -> &str {
    value.as_str().unwrap()
}

fn number(value: &Value) -> i64 {
    value.as_i64().unwrap_or_else(|| panic!("no number: {value}"))
}

fn list(value: &Value) -> &[Value] {
    value.as_array().unwrap()
}

/// The house with a meal: a main, a side, and one drink or two. Its water is not taxed, its dal comes in two sizes.
struct Meals {
    house: House,
    meal: String,
    half: String,
}

impl Meals {
    async fn open(branch: &Branch) -> Meals {
        let house = House::open(branch).await;
        let sizes = json!({"variants": [
            {"name": "Half", "priceCents": 10_000}, {"name": "Full", "priceCents": 18_000, "isDefault": true}]});
        let dal =
            house.owner.patch(&format!("/menu/items/{}", house.dish("Dal")), sizes).await.expect(200).data();
        let half = text(&dal["variants"][0]["id"]).to_owned();
        let lentils = json!({"ingredients": [{"inventoryItemId": house.stock("Lentils"), "quantity": 60, "unit": "g"}]});
        house.owner.put(&format!("/inventory/recipes/{half}"), lentils).await.expect(200);
        let option = |dish: &str, extra: i64| json!({"menuItemId": house.dish(dish), "extraCents": extra});
        let category = dal["categoryId"].clone();
        let meal = json!({
            "categoryId": category, "name": "Meal", "kitchenName": "MEAL", "priceCents": 40_000, "kind": "COMBO",
            "components": [
                {"name": "Main", "minSelections": 1, "maxSelections": 1,
                 "options": [option("Paneer Tikka", 0), option("Butter Chicken", 5_000),
                    {"menuItemId": house.dish("Dal"), "variantId": half}]},
                {"name": "Side", "minSelections": 1, "maxSelections": 1, "options": [option("Steamed Rice", 0)]},
                {"name": "Drink", "minSelections": 1, "maxSelections": 2,
                 "options": [option("Lassi", 0), option("Lemon Soda", 0), option("Bottled Water", 0)]},
            ],
        });
        let meal = house.owner.post("/menu/items", meal).await.expect(201).data();
        assert_eq!((&meal["kind"], &meal["isAvailable"]), (&json!("COMBO"), &json!(true)), "{meal}");
        let meal = text(&meal["id"]).to_owned();
        Meals { house, meal, half }
    }

    fn path(&self) -> String {
        format!("/menu/items/{}", self.meal)
    }

    fn chosen(&self, component: &str, dish: &str) -> Value {
        json!({"name": component, "menuItemId": self.house.dish(dish)})
    }

    fn line(&self, quantity: i64, main: &str, drinks: &[&str]) -> Value {
        let mut components = vec![self.chosen("Main", main), self.chosen("Side", "Steamed Rice")];
        components.extend(drinks.iter().map(|drink| self.chosen("Drink", drink)));
        json!({"menuItemId": self.meal, "quantity": quantity, "unitPriceCents": 40_000, "components": components})
    }

    async fn place(&self, lines: Value) -> Value {
        let order = json!({"orderType": "DINE_IN", "tableNumber": "T1", "items": lines});
        self.house.place(&self.house.owner, order).await
    }

    async fn get(&self, order: &Value) -> Value {
        self.house.owner.get(&format!("/orders/{}", text(&order["id"]))).await.expect(200).json()
    }

    async fn refused(&self, components: Value) -> Reply {
        let mut line = self.line(1, "Paneer Tikka", &["Lassi"]);
        line["components"] = components;
        let order = json!({"orderType": "COUNTER", "items": [self.house.line("Kulfi", 1), line]});
        self.house.owner.post("/orders", order).await.refused(422, "PAYLOAD_VALIDATION")
    }

    /// The rows of the report: combo, dish, combos, portions, revenue.
    async fn report(&self) -> Value {
        let path = format!("/analytics/reports/combos?{TODAY}");
        self.house.owner.get(&path).await.expect(200).data()
    }
}

/// What figures sum to: portions, revenue, cost.
async fn sold(client: &Client) -> (i64, i64, i64) {
    let path = format!("/analytics/top-sellers?{TODAY}&limit=100");
    let sellers = client.get(&path).await.expect(200).data();
    let mut sums = (0, 0, 0);
    for dish in list(&sellers["items"]) {
        sums.0 += number(&dish["quantity"]);
        sums.1 += number(&dish["revenueCents"]);
        sums.2 += number(&dish["cogsCents"]);
        let variants = list(&dish["variants"]);
        let quantity: i64 = variants.iter().map(|one| number(&one["quantity"])).sum();
        assert!(variants.is_empty() || quantity == number(&dish["quantity"]), "{dish}");
    }
    assert!(!list(&sellers["items"]).iter().any(|dish| dish["name"] == "Meal"), "a combo is no dish");
    sums
}

#[tokio::test]
async fn a_combo_is_sold_at_its_price_and_each_component_is_taxed_as_it_is() {
    let branch = Branch::start().await;
    let meals = Meals::open(&branch).await;
    let order = meals.place(json!([meals.line(2, "Butter Chicken", &["Bottled Water"])])).await;
    // 40000 over 38000, 9000 and 3000 alone; what the chicken asks on top is the chicken's.
    let item = &order["items"][0];
    assert_eq!(list(&order["items"]).len(), 1);
    assert_eq!(
        (&item["name"], &item["unitPriceCents"], &item["modifiersCents"]),
        (&json!("Meal"), &json!(40_000), &json!(5_000))
    );
    assert_eq!(
        (&item["lineTotalCents"], &item["subtotalCents"], &order["subtotalCents"]),
        (&json!(90_000), &json!(90_000), &json!(90_000))
    );
    let parts: Vec<_> = list(&item["components"])
        .iter()
        .map(|part| {
            (
                text(&part["name"]),
                text(&part["itemName"]),
                number(&part["unitPriceCents"]),
                number(&part["extraCents"]),
                number(&part["taxCents"]),
            )
        })
        .collect();
    assert_eq!(
        parts,
        [
            ("Main", "Butter Chicken", 35_400, 5_000, 3_540),
            ("Side", "Steamed Rice", 7_200, 0, 720),
            ("Drink", "Bottled Water", 2_400, 0, 0),
        ]
    );
    assert_eq!((&item["taxCents"], &order["taxCents"]), (&json!(4_260), &json!(4_260)));
    let taxes = meals.get(&order).await["taxes"].clone();
    let sum: i64 = list(&taxes).iter().map(|tax| number(&tax["taxCents"])).sum();
    assert_eq!(sum, 4_260);

    let quote =
        json!({"orderType": "COUNTER", "items": [meals.line(2, "Butter Chicken", &["Bottled Water"])]});
    let quote = meals.house.owner.post("/orders/quote", quote).await.expect(200).data();
    assert_eq!((&quote["subtotalCents"], &quote["taxCents"]), (&json!(90_000), &json!(4_260)));
    let shown = &quote["items"][0];
    assert_eq!(
        (&shown["lineTotalCents"], &shown["components"][0]["itemName"]),
        (&json!(90_000), &json!("Butter Chicken"))
    );

    // A variant, by its own price; and the choices of a dish within the combo.
    let mut line = meals.line(1, "Dal", &["Lassi", "Lassi"]);
    line["components"][0]["variantId"] = json!(meals.half);
    let mut spiced = meals.line(1, "Paneer Tikka", &["Lassi"]);
    spiced["components"][0]["modifiers"] = json!([{"optionId": meals.house.option("Extra paneer")}]);
    let order = meals.place(json!([line, spiced])).await;
    let names: Vec<_> =
        list(&order["items"][0]["components"]).iter().map(|part| text(&part["itemName"])).collect();
    assert_eq!(names, ["Dal (Half)", "Steamed Rice", "Lassi", "Lassi"]);
    assert_eq!(order["items"][0]["lineTotalCents"], 40_000);
    assert_eq!(
        (&order["items"][1]["lineTotalCents"], &order["items"][1]["modifiersCents"]),
        (&json!(46_000), &json!(6_000))
    );
    assert_eq!(order["items"][1]["components"][0]["modifiers"][0]["name"], "Extra paneer");

    // Another price needs somebody's leave, as a dish's does.
    let mut cheap = meals.line(1, "Paneer Tikka", &["Lassi"]);
    cheap["unitPriceCents"] = json!(39_999);
    let waiter = branch.sign_in(Role::Waiter);
    let refused = waiter.post("/orders", json!({"orderType": "COUNTER", "items": [cheap]})).await;
    assert_eq!(refused.refused(422, "PAYLOAD_VALIDATION").invalid_fields(), ["items[0].unitPriceCents"]);
}

#[tokio::test]
async fn what_is_chosen_has_to_be_what_the_combo_offers_as_often_as_it_asks() {
    let branch = Branch::start().await;
    let meals = Meals::open(&branch).await;
    let (main, side, lassi) = (
        meals.chosen("Main", "Paneer Tikka"),
        meals.chosen("Side", "Steamed Rice"),
        meals.chosen("Drink", "Lassi"),
    );
    let few = meals.refused(json!([main, side])).await;
    assert_eq!(few.invalid_fields(), ["items[1].components"]);
    assert!(few.text.contains("at least 1 of Drink"), "{}", few.text);
    let many = meals.refused(json!([main, side, lassi, lassi, lassi])).await;
    assert_eq!(many.invalid_fields(), ["items[1].components"]);
    assert!(many.text.contains("at most 2 of Drink"), "{}", many.text);
    let dessert = meals.refused(json!([main, side, lassi, meals.chosen("Dessert", "Kulfi")])).await;
    assert_eq!(dessert.invalid_fields(), ["items[1].components[3].name"]);
    let kulfi = meals.refused(json!([main, side, meals.chosen("Drink", "Kulfi")])).await;
    assert_eq!(kulfi.invalid_fields(), ["items[1].components[2].menuItemId"]);
    let full = json!({"name": "Main", "menuItemId": meals.house.dish("Dal"), "variantId": meals.meal});
    let full = meals.refused(json!([full, side, lassi])).await;
    assert_eq!(full.invalid_fields(), ["items[1].components[0].variantId"]);
    let mut dish = meals.house.line("Lassi", 1);
    dish["components"] = json!([lassi]);
    let dish = json!({"orderType": "COUNTER", "items": [dish]});
    let dish = meals.house.owner.post("/orders", dish).await.refused(422, "PAYLOAD_VALIDATION");
    assert_eq!(dish.invalid_fields(), ["items[0].components"]);

    // On the menu, all that is wrong is named.
    let owner = &meals.house.owner;
    let wrong = json!({"components": [
        {"name": "A", "minSelections": 0, "maxSelections": 1, "options": [{"menuItemId": meals.meal}]},
        {"name": "a", "minSelections": 0, "maxSelections": 1, "options": [
            {"menuItemId": meals.house.dish("Dal"), "variantId": meals.house.dish("Lassi")}]},
    ]});
    let mut fields =
        owner.patch(&meals.path(), wrong).await.refused(422, "PAYLOAD_VALIDATION").invalid_fields();
    fields.sort_unstable();
    assert_eq!(
        fields,
        [
            "components",
            "components[0].options[0].menuItemId",
            "components[1].name",
            "components[1].options[0].variantId"
        ]
    );
    let lassi = format!("/menu/items/{}", meals.house.dish("Lassi"));
    let kind = owner.patch(&lassi, json!({"kind": "COMBO", "components": []})).await;
    assert!(kind.refused(422, "PAYLOAD_VALIDATION").invalid_fields().contains(&"kind".to_owned()));
    owner.delete(&lassi).await.refused(409, "CONFLICT");
    let recipe =
        json!({"ingredients": [{"inventoryItemId": meals.house.stock("Milk"), "quantity": 1, "unit": "ml"}]});
    owner.put(&format!("/inventory/recipes/{}", meals.meal), recipe).await.refused(404, "NOT_FOUND");

    // A component keeps its row by its name.
    let before = owner.get(&meals.path()).await.expect(200).data();
    let drinks = json!({"components": [
        {"name": "Drink", "minSelections": 1, "maxSelections": 1, "options": [{"menuItemId": meals.house.dish("Lassi"), "extraCents": 100}]}]});
    let after = owner.patch(&meals.path(), drinks).await.expect(200).data();
    assert_eq!(list(&after["components"]).len(), 1);
    assert_eq!(after["components"][0]["id"], before["components"][2]["id"]);
    assert_eq!(after["components"][0]["options"][0]["id"], before["components"][2]["options"][0]["id"]);
    owner.delete(&meals.path()).await.expect(200);
    owner.delete(&lassi).await.expect(200);
}

#[tokio::test]
async fn a_combo_is_out_when_a_component_that_is_needed_has_nothing_left() {
    let branch = Branch::start().await;
    let meals = Meals::open(&branch).await;
    let owner = &meals.house.owner;
    let shown = |dish: &str, meal: &Value| {
        let id = meals.house.dish(dish);
        let options = list(&meal["components"]).iter().flat_map(|one| list(&one["options"]));
        options.clone().find(|option| option["menuItemId"] == id).unwrap()["isAvailable"] == true
    };
    // The milk runs out: no lassi, and nothing else that is made of it.
    let count =
        json!({"inventoryItemId": meals.house.stock("Milk"), "countedQuantity": 0.1, "reason": "count"});
    owner.post("/inventory/adjustments", count).await.expect(201);
    let meal = owner.get(&meals.path()).await.expect(200).data();
    assert!(!shown("Lassi", &meal) && shown("Lemon Soda", &meal) && meal["isAvailable"] == true, "{meal}");
    // The books alone say so: staff sell on and are told, guests do not.
    let told = meals.place(json!([meals.line(1, "Paneer Tikka", &["Lassi"])])).await;
    assert_eq!(told["warnings"][0]["path"], "items[0].components[2].menuItemId");
    let table = owner.get(&format!("/tables/{}", meals.house.table(2))).await.expect(200).data();
    let (token, guest) = (text(&table["qrToken"]).to_owned(), branch.anonymous());
    let menu = guest.get(&format!("/orders/tables/{token}/menu")).await.expect(200).data();
    let meal =
        list(&menu["categories"][0]["items"]).iter().find(|item| item["name"] == "Meal").unwrap().clone();
    assert!(!shown("Lassi", &meal) && shown("Lemon Soda", &meal));
    let wanted = |drink: &str| {
        let mut line = meals.line(1, "Paneer Tikka", &[drink]);
        line.as_object_mut().unwrap().remove("unitPriceCents");
        json!({"items": [line]})
    };
    let orders = format!("/orders/tables/{token}/orders");
    let refused = guest.post(&orders, wanted("Lassi")).await.refused(422, "PAYLOAD_VALIDATION");
    assert_eq!(refused.invalid_fields(), ["items[0].components[2].menuItemId"]);
    let order = guest.post(&orders, wanted("Lemon Soda")).await.expect(201).data();
    let item = &order["items"][0];
    assert_eq!((&item["name"], &item["lineTotalCents"]), (&json!("Meal"), &json!(40_000)));
    assert_eq!(item["components"][2]["itemName"], "Lemon Soda");
    let page = reqwest::get(format!("{}/t/{token}", branch.base())).await.unwrap().text().await.unwrap();
    assert!(page.contains("Drink: Lemon Soda, Bottled Water"), "{page}");

    // Somebody says that the rice is out: no meal without it.
    let out = json!({"status": "OUT_OF_STOCK"});
    owner
        .put(&format!("/menu/items/{}/availability", meals.house.dish("Steamed Rice")), out)
        .await
        .expect(200);
    let meal = owner.get(&meals.path()).await.expect(200).data();
    assert_eq!(meal["isAvailable"], false);
    let order = json!({"orderType": "COUNTER", "items": [meals.line(1, "Paneer Tikka", &["Lemon Soda"])]});
    let refused = owner.post("/orders", order).await.refused(422, "PAYLOAD_VALIDATION");
    assert_eq!(refused.invalid_fields(), ["items[0].components[1].menuItemId"]);
    let menu = guest.get(&format!("/orders/tables/{token}/menu")).await.expect(200).data();
    assert!(!list(&menu["categories"][0]["items"]).iter().any(|item| item["name"] == "Meal"));
}

#[tokio::test]
async fn portions_that_are_counted_are_counted_in_combos_too() {
    let branch = Branch::start().await;
    let meals = Meals::open(&branch).await;
    let owner = &meals.house.owner;
    let three = json!({"status": "LIMITED", "quantityLeft": 3});
    let soda = format!("/menu/items/{}/availability", meals.house.dish("Lemon Soda"));
    owner.put(&soda, three).await.expect(200);
    let both = json!([
        meals.line(1, "Paneer Tikka", &["Lemon Soda", "Lemon Soda"]),
        meals.house.line("Lemon Soda", 2)
    ]);
    let both = owner.post("/orders", json!({"orderType": "COUNTER", "items": both})).await;
    assert_eq!(both.refused(422, "PAYLOAD_VALIDATION").invalid_fields(), ["items[1].quantity"]);
    let order = meals.place(json!([meals.line(1, "Paneer Tikka", &["Lemon Soda", "Lemon Soda"])])).await;
    let left = async || {
        let dish =
            owner.get(&format!("/menu/items/{}", meals.house.dish("Lemon Soda"))).await.expect(200).data();
        number(&dish["availability"]["quantityLeft"])
    };
    assert_eq!(left().await, 1);
    let cancel = json!({"status": "CANCELLED", "reason": "left"});
    owner.patch(&format!("/orders/{}/status", text(&order["id"])), cancel).await.expect(200);
    assert_eq!(left().await, 3);
}
