//! Dishes that are sold by weight: on the menu, for guests and channels, and as lines of orders.

mod afterwards;
mod changed;

use edge::access::Role;
use serde_json::{Value, json};
use tiffin_tests::{Branch, House, Reply};

const DATES: &str = "from=2026-11-20&to=2026-11-20";

fn text(value: &Value) -> &str {
    value.as_str().unwrap()
}

/// The house with sweets at 900.00 the kilogram, of which one takes 800 g of paneer; boxed, they cost 25.00 more.
struct Sweets {
    house: House,
    sweet: String,
    boxed: String,
}

impl Sweets {
    async fn open(branch: &Branch) -> Sweets {
        let house = House::open(branch).await;
        let owner = &house.owner;
        let group = json!({"name": "Packing", "minSelections": 0, "maxSelections": 1,
            "options": [{"name": "Gift box", "priceCents": 2_500}]});
        let group = owner.post("/menu/modifier-groups", group).await.expect(201).data();
        let boxed = text(&group["options"][0]["id"]).to_owned();
        let lemon =
            json!({"ingredients": [{"inventoryItemId": house.stock("Lemon"), "quantity": 1, "unit": "pcs"}]});
        owner.put(&format!("/menu/modifier-options/{boxed}/recipe"), lemon).await.expect(200);
        let dal = owner.get(&format!("/menu/items/{}", house.dish("Dal"))).await.expect(200).data();
        let sweet = json!({
            "categoryId": dal["categoryId"], "taxCategoryId": dal["taxCategoryId"], "name": "Mithai", "sku": "MI",
            "priceCents": 90_000, "soldBy": "WEIGHT", "hsnSac": "2106", "modifierGroups": [group["id"]],
            "stationId": house.station("Hot"),
        });
        let sweet = owner.post("/menu/items", sweet).await.expect(201).data();
        assert_eq!((&sweet["soldBy"], &sweet["weightUnit"]), (&json!("WEIGHT"), &json!("KG")), "{sweet}");
        let sweet = text(&sweet["id"]).to_owned();
        let recipe = json!({"ingredients": [{"inventoryItemId": house.stock("Paneer"), "quantity": 800, "unit": "g"}]});
        owner.put(&format!("/inventory/recipes/{sweet}"), recipe).await.expect(200);
        Sweets { house, sweet, boxed }
    }

    fn path(&self) -> String {
        format!("/menu/items/{}", self.sweet)
    }

    fn line(&self, weight: Value) -> Value {
        json!({"menuItemId": self.sweet, "quantity": 1, "weight": weight, "unitPriceCents": 90_000})
    }

    /// An order at the counter of these weights, and one portion of dal.
    async fn place(&self, weights: &[Value]) -> Value {
        let mut lines: Vec<Value> = weights.iter().map(|weight| self.line(weight.clone())).collect();
        lines.push(self.house.line("Dal", 1));
        self.house.place(&self.house.owner, json!({"orderType": "COUNTER", "items": lines})).await
    }

    async fn refused(&self, line: Value) -> Vec<String> {
        let order = json!({"orderType": "COUNTER", "items": [line]});
        let quote = self.house.owner.post("/orders/quote", order.clone()).await;
        let fields = refused(quote);
        assert_eq!(refused(self.house.owner.post("/orders", order).await), fields);
        fields
    }
}

fn refused(reply: Reply) -> Vec<String> {
    reply.refused(422, "PAYLOAD_VALIDATION").invalid_fields()
}

#[tokio::test]
async fn a_dish_is_sold_by_the_piece_or_by_weight_in_its_unit() {
    let branch = Branch::start().await;
    let sweets = Sweets::open(&branch).await;
    let owner = &sweets.house.owner;
    let dal = format!("/menu/items/{}", sweets.house.dish("Dal"));
    let shown = owner.get(&dal).await.expect(200).data();
    assert_eq!((&shown["soldBy"], &shown["weightUnit"]), (&json!("PIECE"), &Value::Null));
    let pounds = owner.patch(&sweets.path(), json!({"weightUnit": "LB"})).await.expect(200).data();
    assert_eq!((&pounds["soldBy"], &pounds["weightUnit"]), (&json!("WEIGHT"), &json!("LB")));
    let again = owner.patch(&sweets.path(), json!({"weightUnit": null})).await.expect(200).data();
    assert_eq!(again["weightUnit"], "KG");
    let pieces = owner.patch(&sweets.path(), json!({"soldBy": "PIECE"})).await.expect(200).data();
    assert_eq!((&pieces["soldBy"], &pieces["weightUnit"]), (&json!("PIECE"), &Value::Null));
    assert_eq!(refused(owner.patch(&dal, json!({"weightUnit": "G"})).await), ["weightUnit"]);
    assert_eq!(refused(owner.patch(&dal, json!({"soldBy": "LITRE"})).await), ["soldBy"]);

    // It has one size, is no combo, and no combo offers it.
    let sizes = json!({"soldBy": "WEIGHT", "variants": [{"name": "Half", "priceCents": 9_000}]});
    assert_eq!(refused(owner.patch(&dal, sizes).await), ["variants"]);
    let combo = |dish: &str, sold_by: &str| {
        json!({"categoryId": shown["categoryId"], "name": "Meal", "priceCents": 40_000, "kind": "COMBO", "soldBy": sold_by,
            "components": [{"name": "Main", "minSelections": 1, "maxSelections": 1, "options": [{"menuItemId": dish}]}]})
    };
    let own = owner.post("/menu/items", combo(sweets.house.dish("Dal"), "WEIGHT")).await;
    assert_eq!(refused(own), ["soldBy"]);
    owner.patch(&sweets.path(), json!({"soldBy": "WEIGHT"})).await.expect(200);
    let offers = owner.post("/menu/items", combo(&sweets.sweet, "PIECE")).await;
    assert_eq!(refused(offers), ["components[0].options[0].menuItemId"]);
    owner.post("/menu/items", combo(sweets.house.dish("Dal"), "PIECE")).await.expect(201);
    assert_eq!(refused(owner.patch(&dal, json!({"soldBy": "WEIGHT"})).await), ["soldBy"]);
    let by_weight = json!({"category": "Everything", "name": "Dal", "soldBy": "WEIGHT"});
    let import = async |rows: Value| owner.post("/menu/import", json!({"items": rows})).await;
    assert_eq!(refused(import(json!([by_weight])).await), ["items[0].soldBy"]);
    // What a file says is judged when all of it is said: the combo's row may come first or last.
    let offers = |dish: &str| {
        json!({"category": "Everything", "name": "Meal", "components": [
            {"name": "Main", "minSelections": 1, "maxSelections": 1, "options": [{"item": dish}]}]})
    };
    assert_eq!(
        refused(import(json!([offers("Dal"), by_weight])).await),
        ["items[0].components[0].options[0].item", "items[1].soldBy"]
    );
    let taken = import(json!([by_weight, offers("Kulfi")])).await.expect(200).data();
    assert_eq!(taken["updated"], 2);
    let pieces = json!({"category": "Everything", "name": "Dal", "soldBy": "PIECE"});
    let back = import(json!([offers("Dal"), pieces])).await.expect(200).data();
    assert_eq!(back["updated"], 2);
    let taken = import(json!([offers("Kulfi"), by_weight])).await.expect(200).data();
    assert_eq!(taken["updated"], 2);
    let shown = owner.get(&dal).await.expect(200).data();
    assert_eq!((&shown["soldBy"], &shown["weightUnit"]), (&json!("WEIGHT"), &json!("KG")));
}

#[tokio::test]
async fn a_menu_goes_out_and_comes_in_with_what_it_is_sold_by() {
    let branch = Branch::start().await;
    let sweets = Sweets::open(&branch).await;
    let owner = &sweets.house.owner;
    let sheet = owner.get("/menu/export?format=csv").await.expect(200).text;
    let row = sheet.lines().find(|line| line.contains("Mithai")).unwrap();
    assert!(
        sheet.lines().next().unwrap().contains("soldBy,weightUnit") && row.contains("WEIGHT,KG"),
        "{row}"
    );
    let dry = owner.post_raw("/menu/import?dryRun=true", "text/csv", sheet.clone()).await.expect(200).data();
    assert_eq!((dry["updated"].as_i64(), dry["created"].as_i64()), (Some(0), Some(0)), "{dry}");
    let whole = owner.get("/menu/export").await.expect(200).data();
    let of = |name: &str| {
        whole["items"].as_array().unwrap().iter().find(|row| row["name"] == name).unwrap().clone()
    };
    assert_eq!((&of("Mithai")["soldBy"], &of("Mithai")["weightUnit"]), (&json!("WEIGHT"), &json!("KG")));
    assert_eq!((&of("Dal")["soldBy"], &of("Dal")["weightUnit"]), (&json!("PIECE"), &Value::Null));
    let dry = owner.post("/menu/import?dryRun=true", whole).await.expect(200).data();
    assert_eq!((dry["updated"].as_i64(), dry["created"].as_i64()), (Some(0), Some(0)), "{dry}");
    let file = "category,name,priceCents,soldBy,weightUnit\nEverything,Mithai,95000,WEIGHT,LB\nEverything,Namkeen,40,WEIGHT,\n";
    owner.post_raw("/menu/import", "text/csv", file).await.expect(200);
    let sweet = owner.get(&sweets.path()).await.expect(200).data();
    assert_eq!((&sweet["priceCents"], &sweet["weightUnit"]), (&json!(95_000), &json!("LB")));
    let found = owner.get("/menu/items?q=Namkeen").await.expect(200).data();
    assert_eq!((&found[0]["soldBy"], &found[0]["weightUnit"]), (&json!("WEIGHT"), &json!("KG")));
}

#[tokio::test]
async fn a_line_costs_price_times_weight_rounded_once_and_its_modifiers_once() {
    let branch = Branch::start().await;
    let sweets = Sweets::open(&branch).await;
    let owner = &sweets.house.owner;
    let mut boxed = sweets.line(json!(1.25));
    boxed["modifiers"] = json!([{"optionId": sweets.boxed, "priceCents": 2_500}]);
    // 900.00 × 0.123456 is 111.1104; × 0.000005 is half a paisa.
    let lines = json!([
        boxed,
        sweets.line(json!(0.123456)),
        sweets.line(json!(0.000005)),
        sweets.house.line("Dal", 2)
    ]);
    let order = json!({"orderType": "DINE_IN", "tableNumber": "T1", "items": lines});
    let quote = owner.post("/orders/quote", order.clone()).await.expect(200).data();
    let placed = sweets.house.place(owner, order).await;
    for shown in [&quote, &placed] {
        let line = |at: usize, field: &str| shown["items"][at][field].clone();
        assert_eq!((line(0, "lineTotalCents"), line(0, "unitPriceCents")), (json!(115_000), json!(90_000)));
        assert_eq!(
            (line(0, "weight"), line(0, "weightUnit"), line(0, "quantity")),
            (json!(1.25), json!("KG"), json!(1))
        );
        assert_eq!((line(1, "lineTotalCents"), line(1, "weight")), (json!(11_111), json!(0.123456)));
        assert_eq!(line(2, "lineTotalCents"), json!(0));
        assert_eq!((line(3, "weight"), line(3, "lineTotalCents")), (Value::Null, json!(36_000)));
        assert_eq!(shown["subtotalCents"], 115_000 + 11_111 + 36_000);
    }
    assert_eq!(
        (&quote["taxCents"], &quote["totalAmountCents"]),
        (&placed["taxCents"], &placed["totalAmountCents"])
    );
    let id = text(&placed["id"]);
    let read = owner.get(&format!("/orders/{id}")).await.expect(200).json();
    assert_eq!(read["items"], placed["items"]);
    // What is open keeps what it has.
    owner.patch(&sweets.path(), json!({"soldBy": "PIECE"})).await.expect(200);
    let read = owner.get(&format!("/orders/{id}")).await.expect(200).json();
    assert_eq!(
        (&read["items"][0]["weight"], &read["items"][0]["lineTotalCents"]),
        (&json!(1.25), &json!(115_000))
    );

    let tickets = owner.get(&format!("/kitchen/tickets?orderId={id}")).await.expect(200).data();
    let items: Vec<&Value> =
        tickets.as_array().unwrap().iter().flat_map(|ticket| ticket["items"].as_array().unwrap()).collect();
    let told = items.iter().find(|item| item["weight"] == json!(1.25)).unwrap();
    assert_eq!(
        (&told["name"], &told["weightUnit"], &told["quantity"]),
        (&json!("Mithai"), &json!("KG"), &json!(1))
    );
    let board = owner.get("/kitchen/all-day").await.expect(200).data();
    let dishes = board["dishes"].as_array().unwrap();
    let plain =
        dishes.iter().find(|dish| dish["name"] == "Mithai" && dish["modifiers"] == json!([])).unwrap();
    assert_eq!(
        (&plain["quantity"], &plain["weight"], &plain["weightUnit"]),
        (&json!(2), &json!(0.123461), &json!("KG"))
    );
}

#[tokio::test]
async fn what_is_wrong_with_a_weighed_line_is_named() {
    let branch = Branch::start().await;
    let sweets = Sweets::open(&branch).await;
    let mut unweighed = sweets.line(Value::Null);
    assert_eq!(sweets.refused(unweighed.clone()).await, ["items[0].weight"]);
    unweighed.as_object_mut().unwrap().remove("weight");
    assert_eq!(sweets.refused(unweighed).await, ["items[0].weight"]);
    for weight in [json!(0), json!(-1), json!(10_000.000001), json!(0.0000001), json!("1")] {
        assert_eq!(sweets.refused(sweets.line(weight)).await, ["items[0].weight"]);
    }
    let mut two = sweets.line(json!(1));
    two["quantity"] = json!(2);
    assert_eq!(sweets.refused(two.clone()).await, ["items[0].quantity"]);
    two.as_object_mut().unwrap().remove("weight");
    assert_eq!(sweets.refused(two).await, ["items[0].quantity", "items[0].weight"]);
    let mut dal = sweets.house.line("Dal", 1);
    dal["weight"] = json!(1);
    assert_eq!(sweets.refused(dal).await, ["items[0].weight"]);
    let waiter = branch.sign_in(Role::Waiter);
    let mut cheap = sweets.line(json!(1));
    cheap["unitPriceCents"] = json!(100);
    let cheap = waiter.post("/orders", json!({"orderType": "COUNTER", "items": [cheap]})).await;
    assert_eq!(refused(cheap), ["items[0].unitPriceCents"]);

    // A line that was weighed has one portion.
    let order = sweets.place(&[json!(0.5)]).await;
    let path = format!("/orders/{}/items/{}", text(&order["id"]), text(&order["items"][0]["id"]));
    assert_eq!(refused(sweets.house.owner.patch(&path, json!({"quantity": 2})).await), ["quantity"]);
    let noted =
        sweets.house.owner.patch(&path, json!({"quantity": 1, "notes": "sliced"})).await.expect(200).data();
    assert_eq!((&noted["items"][0]["weight"], &noted["items"][0]["notes"]), (&json!(0.5), &json!("sliced")));
    let two = json!({"items": [{"orderItemId": order["items"][0]["id"], "quantity": 2}]});
    let split = sweets.house.owner.post(&format!("/orders/{}/split", text(&order["id"])), two).await;
    assert_eq!(refused(split), ["items[0].quantity"]);
}

#[tokio::test]
async fn guests_see_the_price_of_a_unit_and_staff_weigh() {
    let branch = Branch::start().await;
    let sweets = Sweets::open(&branch).await;
    let table =
        sweets.house.owner.get(&format!("/tables/{}", sweets.house.table(5))).await.expect(200).data();
    let (guest, token) = (branch.anonymous(), text(&table["qrToken"]).to_owned());
    let menu = guest.get(&format!("/orders/tables/{token}/menu")).await.expect(200).data();
    let dishes = menu["categories"][0]["items"].as_array().unwrap();
    let sweet = dishes.iter().find(|dish| dish["name"] == "Mithai").unwrap();
    assert_eq!(
        (&sweet["soldBy"], &sweet["weightUnit"], &sweet["priceCents"]),
        (&json!("WEIGHT"), &json!("KG"), &json!(90_000))
    );
    let items = json!([{"menuItemId": sweets.house.dish("Dal"), "quantity": 1}, {"menuItemId": sweets.sweet, "quantity": 1}]);
    for path in ["orders", "quote"] {
        let asked = json!({"items": items, "guestToken": "phone-of-asha-0001"});
        let asked = guest.post(&format!("/orders/tables/{token}/{path}"), asked).await;
        let asked = asked.refused(422, "PAYLOAD_VALIDATION");
        assert_eq!(asked.invalid_fields(), ["items[1].menuItemId"]);
        assert!(asked.text.contains("is sold by weight"), "{}", asked.text);
    }
    let page = reqwest::get(format!("{}/t/{token}", branch.base())).await.unwrap().text().await.unwrap();
    assert!(page.contains("₹900.00 / kg"), "{page}");
}

#[tokio::test]
async fn a_channel_orders_by_weight_and_price_lists_move_the_price_of_a_unit() {
    let branch = Branch::start().await;
    let sweets = Sweets::open(&branch).await;
    let owner = &sweets.house.owner;
    let list = json!({"name": "Online", "priority": 1, "orderTypes": ["DELIVERY"],
        "entries": [{"menuItemId": sweets.sweet, "adjustBps": 1_000}]});
    owner.post("/menu/price-lists", list).await.expect(201);
    let channel =
        json!({"name": "Swift", "kind": "AGGREGATOR", "taxedBy": "RESTAURANT", "commissionBps": 2_000});
    let channel = owner.post("/channels", channel).await.expect(201).data();
    let mut line = sweets.line(json!(0.333));
    line["unitPriceCents"] = json!(99_000);
    let order =
        json!({"orderType": "DELIVERY", "channelId": channel["id"], "externalId": "S-1", "items": [line]});
    let order = sweets.house.place(owner, order).await;
    assert_eq!(
        (&order["items"][0]["lineTotalCents"], &order["items"][0]["weight"]),
        (&json!(32_967), &json!(0.333))
    );
    assert_eq!(order["commissionCents"], json!(6_593));
}
