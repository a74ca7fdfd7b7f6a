//! Combos: dishes sold together at one price, on the menu, in orders, in the kitchen, in stock, on bills and in the reports.

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

#[tokio::test]
async fn each_component_goes_to_its_own_station_and_takes_its_own_recipe() {
    let branch = Branch::start().await;
    let meals = Meals::open(&branch).await;
    let owner = &meals.house.owner;
    let on_hand = async |name: &str| meals.house.on_hand(name).await.to_string();
    let mut line = meals.line(2, "Paneer Tikka", &["Lassi"]);
    line["notes"] = json!("no onions");
    let order = meals.place(json!([line])).await;
    let tickets = owner.get("/kitchen/tickets").await.expect(200).data();
    let mut shown: Vec<_> = list(&tickets)
        .iter()
        .map(|ticket| {
            let item = &ticket["items"][0];
            assert_eq!(list(&ticket["items"]).len(), 1, "{ticket}");
            (
                text(&ticket["stationName"]),
                text(&item["name"]),
                text(&item["comboName"]),
                number(&item["quantity"]),
                text(&item["notes"]),
            )
        })
        .collect();
    shown.sort_unstable();
    assert_eq!(
        shown,
        [
            ("Bar", "Lassi", "MEAL", 2, "no onions"),
            ("Hot", "Steamed Rice", "MEAL", 2, "no onions"),
            ("Tandoor", "Paneer Tikka", "MEAL", 2, "no onions"),
        ]
    );
    let used = (on_hand("Paneer").await, on_hand("Rice").await, on_hand("Milk").await);
    assert_eq!(used, ("4.7".into(), "9.76".into(), "19.5".into()));

    // The combo is as far as what is least far of it.
    let kitchen = async || meals.get(&order).await["items"][0]["kitchen"]["status"].clone();
    assert_eq!(kitchen().await, "QUEUED");
    for ticket in list(&tickets) {
        owner.post(&format!("/kitchen/tickets/{}/ready", text(&ticket["id"])), json!({})).await.expect(200);
    }
    assert_eq!(kitchen().await, "READY");
    let id = text(&order["id"]);
    let trace = owner.get(&format!("/orders/{id}/trace")).await.expect(200).data();
    let traced: Vec<_> = list(&trace["items"])
        .iter()
        .map(|item| (text(&item["name"]), list(&item["ingredients"]).len()))
        .collect();
    assert_eq!(traced, [("Paneer Tikka", 2), ("Steamed Rice", 1), ("Lassi", 1)]);
    // Whoever ate of a batch is found.
    let batches = format!("/inventory/items/{}/batches", meals.house.stock("Rice"));
    let batches = owner.get(&batches).await.expect(200).data();
    let batch = text(&batches[0]["id"]);
    let recall = owner.get(&format!("/inventory/batches/{batch}/trace")).await.expect(200).text;
    assert!(recall.contains(text(&order["orderNumber"])), "{recall}");
}

#[tokio::test]
async fn portions_come_off_with_all_their_components() {
    let branch = Branch::start().await;
    let meals = Meals::open(&branch).await;
    let owner = &meals.house.owner;
    let order =
        meals.place(json!([meals.line(3, "Paneer Tikka", &["Lassi"]), meals.house.line("Kulfi", 1)])).await;
    let id = text(&order["id"]);
    let (item, part) = (text(&order["items"][0]["id"]), text(&order["items"][0]["components"][0]["id"]));
    let path = |line: &str| format!("/orders/{id}/items/{line}");
    let void = json!({"quantity": 1, "reason": "x", "wasMade": false});
    owner.post(&format!("{}/void", path(part)), void.clone()).await.refused(409, "INVALID_TRANSITION");
    owner.patch(&path(part), json!({"quantity": 1})).await.refused(409, "INVALID_TRANSITION");
    owner.post(&format!("{}/void", path(item)), void).await.expect(200);
    let left = meals.get(&order).await;
    assert_eq!((&left["items"][0]["quantity"], &left["items"][0]["voidedQuantity"]), (&json!(2), &json!(1)));
    assert_eq!(
        (&left["items"][0]["lineTotalCents"], &left["subtotalCents"]),
        (&json!(80_000), &json!(92_000))
    );
    assert_eq!(meals.house.on_hand("Rice").await.to_string(), "9.76");
    owner.patch(&path(item), json!({"quantity": 4})).await.expect(200);
    assert_eq!(meals.house.on_hand("Rice").await.to_string(), "9.52");
    owner.patch(&path(item), json!({"quantity": 2, "reason": "two left", "wasMade": true})).await.expect(200);
    assert_eq!(meals.house.on_hand("Rice").await.to_string(), "9.52", "it was made");
    let voids = owner.get(&format!("/analytics/reports/voids?{TODAY}")).await.expect(200).data();
    assert_eq!(
        (&voids["totals"]["amountCents"], &voids["totals"]["quantity"]),
        (&json!(40_000 + 80_000), &json!(3 + 6)),
        "{voids}"
    );
    let all_day = owner.get("/kitchen/all-day").await.expect(200).data();
    let open: Vec<_> = list(&all_day["dishes"])
        .iter()
        .map(|dish| (text(&dish["name"]), number(&dish["quantity"])))
        .collect();
    assert!(open.contains(&("Steamed Rice", 2)) && open.contains(&("Lassi", 2)), "{open:?}");

    // A discount on the combo is one on all of it.
    let ten = json!({"type": "PERCENT", "value": 10, "reason": "regular", "itemId": item});
    owner.post(&format!("/orders/{id}/discounts"), ten).await.expect(201);
    let off = meals.get(&order).await;
    assert_eq!((&off["discountCents"], &off["items"][0]["discountCents"]), (&json!(8_000), &json!(8_000)));
    let on_part = json!({"type": "PERCENT", "value": 10, "reason": "regular", "itemId": part});
    owner.post(&format!("/orders/{id}/discounts"), on_part).await.refused(422, "PAYLOAD_VALIDATION");

    // One of the two to another bill, with its components and its part of the discount.
    let split = json!({"items": [{"orderItemId": item, "quantity": 1}]});
    let split = owner.post(&format!("/orders/{id}/split"), split).await.expect(201).data();
    let bills = list(&split["orders"]);
    let totals: i64 = bills.iter().map(|bill| number(&bill["totalAmountCents"])).sum();
    assert_eq!(totals, number(&off["totalAmountCents"]));
    let other = meals.get(&bills[1]).await;
    assert_eq!(list(&other["items"]).len(), 1);
    assert_eq!(
        (&other["items"][0]["quantity"], list(&other["items"][0]["components"]).len()),
        (&json!(1), 3)
    );
    assert_eq!(
        (&other["discountCents"], &other["items"][0]["lineTotalCents"]),
        (&json!(4_000), &json!(40_000))
    );
    let merge = json!({"orderIds": [other["id"]]});
    let merged = owner.post(&format!("/orders/{id}/merge"), merge).await.expect(200).data();
    assert_eq!((list(&merged["items"]).len(), &merged["discountCents"]), (3, &json!(8_000)), "{merged}");
    assert_eq!(merged["totalAmountCents"], off["totalAmountCents"]);
}

#[tokio::test]
async fn a_bill_shows_the_combo_with_its_components_and_takes_it_back_whole() {
    let branch = Branch::start().await;
    let meals = Meals::open(&branch).await;
    let owner = &meals.house.owner;
    let order = meals
        .place(json!([
            meals.line(3, "Butter Chicken", &["Bottled Water", "Lassi"]),
            meals.house.line("Lassi", 1)
        ]))
        .await;
    let id = text(&order["id"]);
    meals.house.settle(owner, &order).await;
    let receipt = owner.get(&format!("/orders/{id}/receipt?format=text")).await.expect(200).text;
    let rows: Vec<_> =
        receipt.lines().map(|line| line.split_whitespace().collect::<Vec<_>>().join(" ")).collect();
    let at = rows.iter().position(|row| row == "Meal").unwrap_or_else(|| panic!("{receipt}"));
    assert_eq!(rows[at + 1], "3 x 400.00 1200.00", "{receipt}");
    assert_eq!(rows[at + 2], "- Butter Chicken 150.00", "{receipt}");
    assert_eq!(rows[at + 3..at + 6], ["- Steamed Rice", "- Bottled Water", "- Lassi"], "{receipt}");
    let before = sold(owner).await;
    let invoices = owner.get("/orders/invoices?kind=INVOICE").await.expect(200).data();
    let invoice = text(&invoices[0]["id"]).to_owned();
    let bill = owner.get(&format!("/orders/invoices/{invoice}")).await.expect(200).data();
    let lines = list(&bill["lines"]);
    let sum: i64 = lines.iter().map(|line| number(&line["amountCents"])).sum();
    assert_eq!((lines.len(), sum), (5, number(&bill["totalCents"])), "{bill}");

    let (item, part) = (&order["items"][0]["id"], &order["items"][0]["components"][1]["id"]);
    let refunds = format!("/orders/{id}/refunds");
    let alone = json!({"items": [{"orderItemId": part, "quantity": 1}], "reason": "cold", "restock": false});
    assert_eq!(
        owner.post(&refunds, alone).await.refused(422, "PAYLOAD_VALIDATION").invalid_fields(),
        ["items[0].orderItemId"]
    );
    let one = |quantity: i64| json!({"items": [{"orderItemId": item, "quantity": quantity}], "reason": "cold", "restock": false});
    owner.post(&refunds, one(1)).await.expect(201);
    let some = sold(owner).await;
    assert_eq!((before.0 - some.0, before.1 - some.1), (4, 45_000));
    assert_eq!(
        owner.post(&refunds, one(3)).await.refused(422, "PAYLOAD_VALIDATION").invalid_fields(),
        ["items[0].quantity"]
    );
    owner.post(&refunds, one(2)).await.expect(201);
    assert_eq!(sold(owner).await.1, 9_000);
    let rest = json!({"items": [{"orderItemId": order["items"][1]["id"], "quantity": 1}], "reason": "cold", "restock": false});
    owner.post(&refunds, rest).await.expect(201);
    assert_eq!(sold(owner).await, (0, 0, 0));
    let detail = meals.get(&order).await;
    assert_eq!((&detail["refundedCents"], &detail["dueCents"]), (&detail["totalAmountCents"], &json!(0)));
    let report = meals.report().await;
    for figure in ["combosCount", "quantity", "revenueCents", "cogsCents"] {
        assert_eq!(report["totals"][figure], 0, "{figure} {report}");
    }
    let verified = owner.get("/orders/invoices/verify").await.expect(200).data();
    assert_eq!(verified["valid"], true, "{verified}");
}

#[tokio::test]
async fn sales_by_dish_by_size_by_combo_and_by_component_are_the_same_sums() {
    let branch = Branch::start().await;
    let meals = Meals::open(&branch).await;
    let owner = &meals.house.owner;
    let mut dal = meals.line(2, "Dal", &["Lassi"]);
    dal["components"][0]["variantId"] = json!(meals.half);
    let order = meals
        .place(json!([
            dal,
            meals.line(1, "Butter Chicken", &["Lassi", "Lemon Soda"]),
            meals.house.line("Lassi", 2)
        ]))
        .await;
    let ten = json!({"type": "PERCENT", "value": 10, "reason": "regular"});
    owner.post(&format!("/orders/{}/discounts", text(&order["id"])), ten).await.expect(201);
    meals.house.settle(owner, &order).await;
    let summary = owner.get(&format!("/analytics/summary?{TODAY}")).await.expect(200).json();
    let (quantity, revenue, cost) = sold(owner).await;
    // Two meals of three dishes, one of four, and two lassis.
    assert_eq!(quantity, 6 + 4 + 2);
    assert_eq!(revenue, number(&summary["netRevenueCents"]), "{summary}");
    let report = meals.report().await;
    let totals = &report["totals"];
    assert_eq!(
        (number(&totals["quantity"]), number(&totals["revenueCents"]), number(&totals["cogsCents"])),
        (quantity, revenue, cost)
    );
    assert_eq!(totals["combosCount"], 3);
    let keys: Vec<_> = list(&report["columns"]).iter().map(|column| text(&column["key"])).collect();
    let at = |key: &str| keys.iter().position(|known| *known == key).unwrap();
    let rows: Vec<_> = list(&report["rows"])
        .iter()
        .map(|row| {
            (
                text(&row[at("combo")]),
                text(&row[at("item")]),
                number(&row[at("combosCount")]),
                number(&row[at("quantity")]),
            )
        })
        .collect();
    assert_eq!(
        rows,
        [
            ("Meal", "Meal", 3, 0),
            ("Meal", "Butter Chicken", 0, 1),
            ("Meal", "Dal (Half)", 0, 2),
            ("Meal", "Lassi", 0, 3),
            ("Meal", "Lemon Soda", 0, 1),
            ("Meal", "Steamed Rice", 0, 3),
            ("", "Lassi", 0, 2),
        ]
    );
    let csv = owner.get(&format!("/analytics/reports/combos?{TODAY}&format=csv")).await.expect(200).text;
    assert!(csv.starts_with("Combo id,Combo,"), "{csv}");
    let analysis = owner.get(&format!("/analytics/menu-engineering?{TODAY}")).await.expect(200).data();
    assert!(!list(&analysis["items"]).iter().any(|dish| dish["name"] == "Meal"), "{analysis}");
    let asked = json!({"question": "What are our best sellers today?"});
    let answer = owner.post("/ai/ask", asked).await.expect(200).text;
    assert!(answer.contains("Lassi") && !answer.contains("Meal"), "{answer}");
    let answer =
        owner.post("/ai/ask", json!({"question": "How many meal were sold today?"})).await.expect(200).text;
    assert!(answer.contains("Meal: 3 combos sold"), "{answer}");
}

#[tokio::test]
async fn combos_go_out_and_come_in_with_the_menus_file() {
    let branch = Branch::start().await;
    let meals = Meals::open(&branch).await;
    let owner = &meals.house.owner;
    let file = owner.get("/menu/export").await.expect(200).data();
    let counts = owner.post("/menu/import", file).await.expect(200).data();
    assert_eq!((&counts["updated"], &counts["created"]), (&json!(0), &json!(0)), "{counts}");
    let sheet = owner.get("/menu/export?format=csv").await.expect(200).text;
    let counts = owner.post_raw("/menu/import", "text/csv", sheet).await.expect(200).data();
    assert_eq!((&counts["updated"], &counts["created"]), (&json!(0), &json!(0)), "{counts}");
    // The combo stands before the dish that is new with it.
    let rows = json!({"items": [
        {"category": "Everything", "name": "Snack", "priceCents": 15_000, "kind": "COMBO", "components": [
            {"name": "Bite", "minSelections": 1, "maxSelections": 1, "options": [{"item": "Samosa"}, {"item": "Dal", "variant": "Half", "extraCents": 500}]}]},
        {"category": "Everything", "name": "Samosa", "priceCents": 6_000},
    ]});
    let counts = owner.post("/menu/import", rows).await.expect(200).data();
    assert_eq!(counts["created"], 2, "{counts}");
    let wrong = json!({"items": [{"category": "Everything", "name": "Feast", "priceCents": 1, "kind": "COMBO", "components": [
        {"name": "Bite", "minSelections": 1, "maxSelections": 1, "options": [{"item": "Unknown"}, {"item": "Meal"}, {"item": "Dal", "variant": "Huge"}]}]}]});
    let mut fields =
        owner.post("/menu/import", wrong).await.refused(422, "PAYLOAD_VALIDATION").invalid_fields();
    fields.sort_unstable();
    let expected = ["item", "item", "variant"].into_iter().enumerate();
    let expected: Vec<_> =
        expected.map(|(i, field)| format!("items[0].components[0].options[{i}].{field}")).collect();
    assert_eq!(fields, expected);
}
