//! Dishes in several sizes, half and full: on the menu, in orders, in the kitchen, in stock and in the reports.

use edge::access::Role;
use serde_json::{Value, json};
use tiffin_tests::{Branch, House, Reply};

fn text(value: &Value) -> &str {
    value.as_str().unwrap()
}

/// The house with its dal in two sizes: half, by a recipe of its own, and full, by the dish's.
struct Sized {
    house: House,
    half: String,
    full: String,
}

impl Sized {
    async fn open(branch: &Branch) -> Sized {
        let house = House::open(branch).await;
        let sizes = json!({"variants": [
            {"name": "Half", "priceCents": 10_000, "sku": "DAL-H"},
            {"name": "Full", "priceCents": 18_000, "sku": "DAL-F", "isDefault": true},
        ]});
        let dal = house.owner.patch(&dal(&house), sizes).await.expect(200).data();
        assert_eq!((&dal["priceCents"], &dal["version"]), (&json!(18_000), &json!(2)));
        let id = |place: usize| text(&dal["variants"][place]["id"]).to_owned();
        let (half, full) = (id(0), id(1));
        let lentils = json!({"ingredients": [
            {"inventoryItemId": house.stock("Lentils"), "quantity": 60, "unit": "g"}]});
        let recipe = house.owner.put(&format!("/inventory/recipes/{half}"), lentils).await.expect(200).data();
        assert_eq!((&recipe["menuItemId"], &recipe["variantId"]), (&json!(house.dish("Dal")), &json!(half)));
        Sized { house, half, full }
    }

    fn line(&self, variant: &str, quantity: i64) -> Value {
        let price = if variant == self.half { 10_000 } else { 18_000 };
        json!({"menuItemId": self.house.dish("Dal"), "variantId": variant, "quantity": quantity, "unitPriceCents": price})
    }

    async fn place(&self, lines: Value) -> Value {
        self.house.place(&self.house.owner, json!({"orderType": "COUNTER", "items": lines})).await
    }

    /// What is left of the lentils, in grams.
    async fn lentils(&self, branch: &Branch) -> i64 {
        const LEFT: &str = "SELECT on_hand / 1000 FROM stock_levels
            WHERE stock_item_id = (SELECT id FROM stock_items WHERE name = 'Lentils')";
        branch.number(LEFT).await
    }

    async fn refused(&self, line: Value) -> Reply {
        let order = json!({"orderType": "COUNTER", "items": [line]});
        self.house.owner.post("/orders", order).await.refused(422, "PAYLOAD_VALIDATION")
    }
}

fn dal(house: &House) -> String {
    format!("/menu/items/{}", house.dish("Dal"))
}

#[tokio::test]
async fn a_line_is_of_a_size_at_its_price_and_the_default_one_need_not_be_named() {
    let branch = Branch::start().await;
    let sized = Sized::open(&branch).await;
    let dish = json!(sized.house.dish("Dal"));
    let order = sized.place(json!([sized.line(&sized.half, 2), sized.line(&sized.full, 1)])).await;
    assert_eq!(order["subtotalCents"], 38_000);
    let shown = &order["items"][0];
    assert_eq!((&shown["name"], &shown["variantId"]), (&json!("Dal (Half)"), &json!(sized.half)));
    assert_eq!(shown["menuItemId"], dish);
    let named = sized.place(json!([
        {"menuItemId": dish, "quantity": 1, "unitPriceCents": 18_000},
        {"menuItemId": dish, "sku": "DAL-H", "quantity": 1, "unitPriceCents": 10_000},
    ]));
    let named = named.await;
    assert_eq!(
        (&named["items"][0]["variantId"], &named["items"][1]["variantId"]),
        (&json!(sized.full), &json!(sized.half))
    );

    let waiter = branch.sign_in(Role::Waiter);
    let wrong = json!({"orderType": "COUNTER", "items": [{"menuItemId": dish, "variantId": sized.half, "quantity": 1, "unitPriceCents": 18_000}]});
    let wrong = waiter.post("/orders", wrong).await.refused(422, "PAYLOAD_VALIDATION");
    assert_eq!(wrong.invalid_fields(), ["items[0].unitPriceCents"]);
    assert!(wrong.text.contains("must be 10000"), "{}", wrong.text);
    let other = json!({"menuItemId": sized.house.dish("Lassi"), "variantId": sized.half, "quantity": 1, "unitPriceCents": 9_000});
    assert_eq!(sized.refused(other).await.invalid_fields(), ["items[0].variantId"]);
    let unknown = json!({"menuItemId": dish, "sku": "DAL-X", "quantity": 1, "unitPriceCents": 10_000});
    assert_eq!(sized.refused(unknown).await.invalid_fields(), ["items[0].sku"]);
    let itself = json!({"menuItemId": sized.half, "quantity": 1, "unitPriceCents": 10_000});
    assert_eq!(sized.refused(itself).await.invalid_fields(), ["items[0].menuItemId"]);

    // Without a default, a size has to be named.
    let sizes = json!({"variants": [
        {"id": sized.half, "name": "Half", "priceCents": 10_000}, {"id": sized.full, "name": "Whole", "priceCents": 19_000}]});
    let changed = sized.house.owner.patch(&dal(&sized.house), sizes).await.expect(200).data();
    assert_eq!((&changed["priceCents"], &changed["variants"][1]["id"]), (&json!(10_000), &json!(sized.full)));
    let unnamed = json!({"menuItemId": dish, "quantity": 1, "unitPriceCents": 10_000});
    assert_eq!(sized.refused(unnamed).await.invalid_fields(), ["items[0].variantId"]);
    let quote = json!({"orderType": "COUNTER", "items": [{"menuItemId": dish, "variantId": sized.full, "quantity": 1, "unitPriceCents": 19_000}]});
    let quote = sized.house.owner.post("/orders/quote", quote).await.expect(200).data();
    assert_eq!(
        (&quote["items"][0]["name"], &quote["subtotalCents"]),
        (&json!("Dal (Whole)"), &json!(19_000))
    );
    assert_eq!(quote["items"][0]["variantId"], json!(sized.full));
}

#[tokio::test]
async fn sizes_are_checked_where_they_are_set_and_one_that_is_taken_away_stays_in_history() {
    let branch = Branch::start().await;
    let sized = Sized::open(&branch).await;
    let owner = &sized.house.owner;
    let path = dal(&sized.house);
    let wrong = json!({"priceCents": 5, "variants": [
        {"id": sized.house.dish("Lassi"), "name": "Half", "priceCents": 1, "isDefault": true},
        {"name": "half", "priceCents": 2, "isDefault": true}]});
    let fields = owner.patch(&path, wrong).await.refused(422, "PAYLOAD_VALIDATION").invalid_fields();
    assert_eq!(fields, ["variants", "variants[1].name", "priceCents", "variants[0].id"]);
    let taken = json!({"variants": [{"name": "Half", "priceCents": 9_000, "sku": "DAL-H"}]});
    let lassi = format!("/menu/items/{}", sized.house.dish("Lassi"));
    owner.patch(&lassi, taken).await.refused(409, "CONFLICT");

    // The dish's price is its default size's.
    let dearer = owner.patch(&path, json!({"priceCents": 20_000})).await.expect(200).data();
    assert_eq!(dearer["variants"][1]["priceCents"], 20_000);
    let renamed =
        owner.patch(&path, json!({"name": "Dal Tadka", "kitchenName": "TADKA"})).await.expect(200).data();
    assert_eq!(renamed["variants"][0]["name"], "Half");
    let order = sized.place(json!([sized.line(&sized.half, 1)])).await;
    assert_eq!(order["items"][0]["name"], "Dal Tadka (Half)");
    let tickets = owner.get("/kitchen/tickets").await.expect(200).text;
    assert!(tickets.contains("TADKA (Half)"), "{tickets}");

    let only =
        json!({"variants": [{"id": sized.full, "name": "Full", "priceCents": 20_000, "isDefault": true}]});
    owner.patch(&path, only).await.expect(200);
    assert_eq!(sized.refused(sized.line(&sized.half, 1)).await.invalid_fields(), ["items[0].variantId"]);
    let id = text(&order["id"]);
    assert_eq!(owner.get(&format!("/orders/{id}")).await.json()["items"][0]["variantId"], json!(sized.half));
    let item = text(&order["items"][0]["id"]);
    let more = owner.patch(&format!("/orders/{id}/items/{item}"), json!({"quantity": 2})).await;
    assert_eq!(more.refused(422, "PAYLOAD_VALIDATION").invalid_fields(), ["quantity"]);
    let none = owner.patch(&path, json!({"variants": null})).await.expect(200).data();
    assert_eq!((&none["variants"], &none["priceCents"]), (&json!([]), &json!(20_000)));
    owner.delete(&path).await.expect(200);
    assert_eq!(
        branch
            .number("SELECT count(*) FROM menu_items WHERE variant_of_id IS NOT NULL AND archived_at IS NULL")
            .await,
        0
    );
}

#[tokio::test]
async fn an_outlets_own_price_is_of_a_size() {
    let branch = Branch::start().await;
    let sized = Sized::open(&branch).await;
    let owner = &sized.house.owner;
    let half = &sized.half;
    let dish = owner
        .put(&format!("/menu/variants/{half}/price"), json!({"priceCents": 11_000}))
        .await
        .expect(200)
        .data();
    assert_eq!(
        (&dish["variants"][0]["priceCents"], &dish["variants"][0]["basePriceCents"]),
        (&json!(11_000), &json!(10_000))
    );
    let dish = owner
        .put(&format!("{}/price", dal(&sized.house)), json!({"priceCents": 21_000}))
        .await
        .expect(200)
        .data();
    assert_eq!((&dish["priceCents"], &dish["variants"][1]["priceCents"]), (&json!(21_000), &json!(21_000)));
    let line = json!({"menuItemId": sized.house.dish("Dal"), "variantId": half, "quantity": 1, "unitPriceCents": 11_000});
    assert_eq!(sized.place(json!([line])).await["subtotalCents"], 11_000);
    owner
        .put(&format!("/menu/variants/{}/price", sized.house.dish("Dal")), json!({"priceCents": 1}))
        .await
        .refused(404, "NOT_FOUND");
}

#[tokio::test]
async fn each_size_takes_what_its_recipe_says_and_runs_out_for_itself() {
    let branch = Branch::start().await;
    let sized = Sized::open(&branch).await;
    let owner = &sized.house.owner;
    let before = sized.lentils(&branch).await;
    let order = sized.place(json!([sized.line(&sized.half, 2), sized.line(&sized.full, 1)])).await;
    assert_eq!(
        before - sized.lentils(&branch).await,
        2 * 60 + 90,
        "the half has its own recipe, the full the dish's"
    );
    let void = format!("/orders/{}/items/{}/void", text(&order["id"]), text(&order["items"][0]["id"]));
    owner.post(&void, json!({"quantity": 1, "reason": "x", "wasMade": false})).await.expect(200);
    assert_eq!(before - sized.lentils(&branch).await, 60 + 90);
    let waste = json!({"menuItemId": sized.house.dish("Dal"), "variantId": sized.half, "quantity": 1, "reason": "DROPPED"});
    let waste = owner.post("/waste-logs", waste).await.expect(201).data();
    assert_eq!((&waste["name"], &waste["variantId"]), (&json!("Dal (Half)"), &json!(sized.half)));
    assert_eq!(before - sized.lentils(&branch).await, 60 + 90 + 60);

    let path = format!("/inventory/portions?menuItemId={}", sized.house.dish("Dal"));
    let portions = owner.get(&path).await.expect(200).json();
    assert_eq!(portions["meta"]["total"], 2);
    let count =
        json!({"inventoryItemId": sized.house.stock("Lentils"), "countedQuantity": 0.08, "reason": "count"});
    owner.post("/inventory/adjustments", count).await.expect(201);
    let dal = owner.get(&dal(&sized.house)).await.expect(200).data();
    let states: Vec<_> =
        dal["variants"].as_array().unwrap().iter().map(|v| text(&v["availability"]["status"])).collect();
    assert_eq!((states, &dal["isAvailable"]), (vec!["IN_STOCK", "OUT_OF_STOCK"], &json!(true)));
    // Staff sell on, and are told; a guest sees what there is.
    let quote = json!({"orderType": "COUNTER", "items": [sized.line(&sized.full, 1)]});
    let quote = owner.post("/orders/quote", quote).await.expect(200).data();
    assert_eq!(quote["warnings"][0]["code"], "OUT_OF_STOCK");
    let table = owner.get(&format!("/tables/{}", sized.house.table(1))).await.expect(200).data();
    let (token, guest) = (text(&table["qrToken"]).to_owned(), branch.anonymous());
    let menu = guest.get(&format!("/orders/tables/{token}/menu")).await.expect(200).data();
    let items = menu["categories"][0]["items"].as_array().unwrap();
    let dal = items.iter().find(|item| item["name"] == "Dal").unwrap();
    assert_eq!(dal["variants"].as_array().unwrap().len(), 1);
    let page = reqwest::get(format!("{}/t/{token}", branch.base())).await.unwrap().text().await.unwrap();
    assert!(page.contains("Half ₹100") && page.contains("Full ₹180"), "{page}");
    let wanted = |variant: &str| json!({"items": [{"menuItemId": sized.house.dish("Dal"), "variantId": variant, "quantity": 1}]});
    let orders = format!("/orders/tables/{token}/orders");
    let refused = guest.post(&orders, wanted(&sized.full)).await.refused(422, "PAYLOAD_VALIDATION");
    assert_eq!(refused.invalid_fields(), ["items[0].menuItemId"]);
    guest.post(&orders, wanted(&sized.half)).await.expect(201);
}

#[tokio::test]
async fn a_size_is_sold_out_counted_down_and_given_back_by_hand() {
    let branch = Branch::start().await;
    let sized = Sized::open(&branch).await;
    let owner = &sized.house.owner;
    let half = &sized.half;
    let kitchen = branch.sign_in(Role::Kitchen);
    let two = json!({"status": "LIMITED", "quantityLeft": 2});
    let state = kitchen.put(&format!("/menu/variants/{half}/availability"), two).await.expect(200).data();
    assert_eq!((&state["id"], &state["quantityLeft"]), (&json!(half), &json!(2)));
    let both = json!({"orderType": "COUNTER", "items": [sized.line(half, 2), sized.line(half, 1)]});
    let refused = owner.post("/orders", both).await.refused(422, "PAYLOAD_VALIDATION");
    assert_eq!(refused.invalid_fields(), ["items[1].quantity"]);
    let order = sized.place(json!([sized.line(half, 2)])).await;
    assert_eq!(sized.refused(sized.line(half, 1)).await.invalid_fields(), ["items[0].menuItemId"]);
    sized.place(json!([sized.line(&sized.full, 1)])).await;
    let cancel = json!({"status": "CANCELLED", "reason": "left"});
    owner.patch(&format!("/orders/{}/status", text(&order["id"])), cancel).await.expect(200);
    let left =
        owner.get(&dal(&sized.house)).await.data()["variants"][0]["availability"]["quantityLeft"].clone();
    assert_eq!(left, 2);
    let given = kitchen.delete(&format!("/menu/variants/{half}/availability")).await.expect(200).data();
    assert_eq!(given["status"], "IN_STOCK");
    owner
        .put(
            &format!("/menu/variants/{}/availability", sized.house.dish("Dal")),
            json!({"status": "OUT_OF_STOCK"}),
        )
        .await
        .refused(404, "NOT_FOUND");
}

#[tokio::test]
async fn what_is_sold_is_told_apart_in_the_kitchen_on_bills_and_in_reports() {
    let branch = Branch::start().await;
    let sized = Sized::open(&branch).await;
    let owner = &sized.house.owner;
    let order = sized.place(json!([sized.line(&sized.half, 3), sized.line(&sized.full, 2)])).await;
    let all_day = owner.get("/kitchen/all-day").await.expect(200).data();
    let shown: Vec<_> = all_day["dishes"]
        .as_array()
        .unwrap()
        .iter()
        .map(|d| (text(&d["name"]), d["quantity"].as_i64().unwrap()))
        .collect();
    assert_eq!(shown, [("Dal (Half)", 3), ("Dal (Full)", 2)]);
    let tickets = owner.get("/kitchen/tickets").await.expect(200).data();
    let ticket = &tickets[0];
    assert_eq!(ticket["items"][0]["variantId"], json!(sized.half));
    let path = format!("/kitchen/tickets/{}", text(&ticket["id"]));
    owner.post(&format!("{path}/start"), json!({})).await.expect(200);
    branch.pass(60_000);
    owner.post(&format!("{path}/ready"), json!({})).await.expect(200);
    let stats = owner.get("/kitchen/stats?from=2026-11-20&to=2026-11-20").await.expect(200).data();
    let of: Vec<_> = stats["items"]
        .as_array()
        .unwrap()
        .iter()
        .map(|d| (&d["variantId"], d["quantity"].as_i64().unwrap()))
        .collect();
    assert_eq!(of.len(), 2, "{stats}");
    assert!(of.contains(&(&json!(sized.half), 3)));

    // Divided, paid, and a portion taken back.
    let id = text(&order["id"]);
    let split = json!({"items": [{"orderItemId": order["items"][0]["id"], "quantity": 1}]});
    let split = owner.post(&format!("/orders/{id}/split"), split).await.expect(201).data();
    for one in split["orders"].as_array().unwrap() {
        sized.house.settle(owner, one).await;
    }
    let receipt = owner.get(&format!("/orders/{id}/receipt?format=text")).await.expect(200).text;
    assert!(receipt.contains("Dal (Half)") && receipt.contains("Dal (Full)"), "{receipt}");
    let refund = json!({"items": [{"orderItemId": order["items"][1]["id"], "quantity": 1}], "reason": "cold", "restock": false});
    owner.post(&format!("/orders/{id}/refunds"), refund).await.expect(201);
    let sellers =
        owner.get("/analytics/top-sellers?from=2026-11-20&to=2026-11-20&limit=50").await.expect(200).data();
    let dal = sellers["items"].as_array().unwrap().iter().find(|dish| dish["name"] == "Dal").unwrap();
    let parts = dal["variants"].as_array().unwrap();
    let named = |name: &str| parts.iter().find(|part| part["name"] == name).unwrap();
    assert_eq!(
        (&named("Dal (Half)")["quantity"], &named("Dal (Half)")["revenueCents"]),
        (&json!(3), &json!(30_000))
    );
    assert_eq!(
        (&named("Dal (Full)")["quantity"], &named("Dal (Full)")["revenueCents"]),
        (&json!(1), &json!(18_000))
    );
    for figure in
        ["quantity", "grossRevenueCents", "discountCents", "revenueCents", "cogsCents", "marginCents"]
    {
        let sum: i64 = parts.iter().map(|part| part[figure].as_i64().unwrap()).sum();
        assert_eq!(sum, dal[figure].as_i64().unwrap(), "{figure}");
    }
    assert!(
        !sellers["items"].as_array().unwrap().iter().any(|dish| dish["name"] == "Dal (Half)"),
        "no dish of its own"
    );
}

#[tokio::test]
async fn sizes_go_out_and_come_in_with_the_menus_file() {
    let branch = Branch::start().await;
    let sized = Sized::open(&branch).await;
    let owner = &sized.house.owner;
    let file = owner.get("/menu/export?format=csv").await.expect(200).text;
    assert!(!file.contains("Dal (Half)"), "a size is no row of its own");
    let counts = owner.post_raw("/menu/import", "text/csv", file).await.expect(200).data();
    assert_eq!((&counts["updated"], &counts["created"]), (&json!(0), &json!(0)), "{counts}");
    let rows = "category,name,variants\nEverything,Dal,Half 12000; *Full 20000; Family 35000\nEverything,Pulao,*Plate 15000\n";
    let counts = owner.post_raw("/menu/import", "text/csv", rows).await.expect(200).data();
    assert_eq!((&counts["updated"], &counts["created"]), (&json!(1), &json!(1)), "{counts}");
    let dal = owner.get(&dal(&sized.house)).await.expect(200).data();
    let names: Vec<_> = dal["variants"]
        .as_array()
        .unwrap()
        .iter()
        .map(|v| (text(&v["name"]), v["priceCents"].as_i64().unwrap()))
        .collect();
    assert_eq!(names, [("Half", 12_000), ("Full", 20_000), ("Family", 35_000)]);
    assert_eq!((&dal["variants"][0]["id"], &dal["priceCents"]), (&json!(sized.half), &json!(20_000)));
    // The new one goes by the dish's recipe, at once.
    let path = format!("/inventory/portions?menuItemId={}", sized.house.dish("Dal"));
    assert_eq!(owner.get(&path).await.expect(200).json()["meta"]["total"], 3);
}
