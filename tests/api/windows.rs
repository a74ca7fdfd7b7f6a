//! Hours of a dish and of a category: sold while any of its own windows holds and any of its category's, everywhere it is asked.

use serde_json::{Value, json};
use tiffin_tests::{Branch, Events, House};

const MINUTE: i64 = 60_000;

fn text(value: &Value) -> &str {
    value.as_str().unwrap()
}

#[tokio::test]
async fn a_dish_is_sold_in_any_of_its_windows_and_in_its_categorys() {
    let branch = Branch::start().await;
    let house = House::open(&branch).await;
    let owner = &house.owner;
    let path = format!("/menu/items/{}", house.dish("Dal"));
    let windows = json!([{"days": ["MON"], "from": "07:00", "to": "11:00"}, {"days": null, "from": "17:00", "to": "02:00"}]);
    let dish = owner.patch(&path, json!({"windows": windows})).await.expect(200).data();
    // The fields of before are the first of them.
    assert_eq!(dish["windows"], windows);
    assert_eq!((&dish["availableFrom"], &dish["availableDays"]), (&json!("07:00"), &json!(["MON"])));
    assert_eq!(dish["isAvailable"], true, "it is six in the evening");
    let dish = owner.patch(&path, json!({"availableFrom": "08:00"})).await.expect(200).data();
    assert_eq!((&dish["windows"][0]["from"], &dish["windows"][1]), (&json!("08:00"), &windows[1]));
    house.place(owner, house.counter(&[("Dal", 1)])).await;
    let first = json!({"availableFrom": null, "availableTo": null, "availableDays": null});
    let dish = owner.patch(&path, first).await.expect(200).data();
    assert_eq!((&dish["windows"], &dish["availableFrom"]), (&json!([windows[1]]), &json!("17:00")));
    let wrong = json!({"windows": [{"from": "7:00", "to": "08:00"}, {"from": "07:00", "to": "07:00"}, {}]});
    let fields = owner.patch(&path, wrong).await.refused(422, "PAYLOAD_VALIDATION").invalid_fields();
    assert_eq!(fields, ["windows[0].from", "windows[1].to", "windows[2]"]);
    let many = json!({"windows": vec![json!({"from": "07:00", "to": "08:00"}); 9]});
    owner.patch(&path, many).await.refused(422, "PAYLOAD_VALIDATION");

    // What the category's hours leave out is not sold, whatever the dish's say.
    let category = format!("/menu/categories/{}", text(&dish["categoryId"]));
    let noon = json!({"windows": [{"from": "12:00", "to": "15:00"}, {"from": "18:05", "to": "23:00"}]});
    let changed = owner.patch(&category, noon.clone()).await.expect(200).data();
    assert_eq!(changed["windows"][1], json!({"days": null, "from": "18:05", "to": "23:00"}));
    let tag = owner.get("/menu").await.expect(200).header("etag").to_owned();
    let refused =
        owner.post("/orders", house.counter(&[("Dal", 1)])).await.refused(422, "PAYLOAD_VALIDATION");
    assert!(refused.text.contains("is not sold at this hour"), "{}", refused.text);
    assert_eq!(owner.get(&path).await.expect(200).data()["isAvailable"], false);
    let table = owner.get(&format!("/tables/{}", house.table(3))).await.expect(200).data();
    let guests = format!("/orders/tables/{}/menu", text(&table["qrToken"]));
    assert_eq!(branch.anonymous().get(&guests).await.expect(200).data()["categories"], json!([]));
    let mut till = Events::open(owner, "/stream?topics=menu", None).await;
    till.next().await;
    branch.pass(5 * MINUTE);
    till.until(|event| event.data["data"]["name"] == "Dal" && event.data["data"]["isAvailable"] == true)
        .await;
    owner.clone().with_header("if-none-match", &tag).get("/menu").await.expect(200);
    house.place(owner, house.counter(&[("Dal", 1)])).await;
    let wrong = json!({"windows": [{"from": "12:00", "to": "12:00"}]});
    let wrong = owner.patch(&category, wrong).await.refused(422, "PAYLOAD_VALIDATION");
    assert_eq!(wrong.invalid_fields(), ["windows[0].to"]);
    let second = json!({"name": "Breakfast", "windows": noon["windows"]});
    assert_eq!(
        owner.post("/menu/categories", second).await.expect(201).data()["windows"],
        changed["windows"]
    );

    // A file that was taken out goes in again and changes nothing, as JSON and as CSV.
    let twice = json!({"windows": windows});
    owner.patch(&path, twice).await.expect(200);
    let file = owner.get("/menu/export").await.expect(200).data();
    let counts = owner.post("/menu/import", file).await.expect(200).data();
    assert_eq!((&counts["unchanged"], &counts["updated"]), (&json!(8), &json!(0)));
    let sheet = owner.get("/menu/export?format=csv").await.expect(200).text;
    let counts = owner.post_raw("/menu/import", "text/csv", sheet).await.expect(200).data();
    assert_eq!((&counts["unchanged"], &counts["updated"]), (&json!(8), &json!(0)));
}
