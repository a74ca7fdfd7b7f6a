//! `/menu`.

use edge::access::Role;
use serde_json::{Value, json};
use tiffin_tests::{Branch, Client};

/// The id in a reply's data.
fn id(data: &Value) -> String {
    data["id"].as_str().unwrap().to_owned()
}

/// A dish with a tax category and a group of choices; the ids of the category and the dish.
async fn thali(owner: &Client) -> (String, String) {
    let category = id(&owner.post("/menu/categories", json!({"name": "Mains"})).await.expect(201).data());
    let taxes = json!({"name": "GST 5 %", "components": [
        {"name": "CGST", "rateBps": 250}, {"name": "SGST", "rateBps": 250}]});
    let tax = id(&owner.post("/menu/tax-categories", taxes).await.expect(201).data());
    let group = json!({"name": "Spice", "maxSelections": 1, "options": [
        {"name": "Mild", "isDefault": true}, {"name": "Hot", "priceCents": 500}]});
    let group = id(&owner.post("/menu/modifier-groups", group).await.expect(201).data());
    let dish = json!({"categoryId": category, "name": "Thali", "priceCents": 18_000, "taxCategoryId": tax,
        "hsnSac": "996331", "dietary": "VEG", "allergens": ["milk"], "modifierGroups": [group]});
    let dish = id(&owner.post("/menu/items", dish).await.expect(201).data());
    (category, dish)
}

#[tokio::test]
async fn the_tree_is_sent_once_and_again_only_when_it_shows_something_else() {
    let branch = Branch::start().await;
    let owner = branch.sign_in(Role::Owner);
    let (_, dish) = thali(&owner).await;
    let terminal = branch.sign_in(Role::Terminal);
    let first = terminal.get("/menu").await.expect(200);
    let shown = &first.data()["categories"][0]["items"][0];
    assert_eq!((&shown["name"], &shown["isAvailable"]), (&json!("Thali"), &json!(true)));
    assert_eq!(shown["modifierGroups"][0]["options"][1]["priceCents"], 500);
    let tag = first.header("etag").to_owned();
    let again = async |tag: &str| terminal.clone().with_header("If-None-Match", tag).get("/menu").await;
    let same = again(&format!("\"other\", W/{tag}")).await.expect(304);
    assert_eq!((same.text.as_str(), same.header("etag")), ("", tag.as_str()));
    let until = "2026-11-20T13:30:00Z";
    let past = json!({"status": "LIMITED", "quantityLeft": 5, "until": "2020-01-01T00:00:00Z"});
    let past = owner.put(&format!("/menu/items/{dish}/availability"), past).await;
    assert_eq!(past.refused(422, "PAYLOAD_VALIDATION").invalid_fields(), ["until"]);
    let out = json!({"status": "OUT_OF_STOCK", "until": until, "reason": "no rice"});
    let state = owner.put(&format!("/menu/items/{dish}/availability"), out).await.expect(200).data();
    assert_eq!((&state["status"], &state["isAvailable"]), (&json!("OUT_OF_STOCK"), &json!(false)));
    let sold_out = again(&tag).await.expect(200);
    let tag = sold_out.header("etag").to_owned();
    assert_eq!(sold_out.data()["categories"][0]["items"][0]["availability"]["reason"], "no rice");
    again(&tag).await.expect(304);
    branch.at(until);
    let back = again(&tag).await.expect(200);
    assert_eq!(back.data()["categories"][0]["items"][0]["isAvailable"], true);
}

#[tokio::test]
async fn an_outlets_own_price_lies_over_the_shared_one() {
    let branch = Branch::start().await;
    let owner = branch.sign_in(Role::Owner);
    let (_, dish) = thali(&owner).await;
    let path = format!("/menu/items/{dish}");
    let priced = owner.put(&format!("/menu/items/{dish}/price"), json!({"priceCents": 19_900})).await.data();
    assert_eq!((&priced["priceCents"], &priced["basePriceCents"]), (&json!(19_900), &json!(18_000)));
    let shared = owner.patch(&path, json!({"priceCents": 17_000})).await.data();
    assert_eq!((&shared["priceCents"], &shared["basePriceCents"]), (&json!(19_900), &json!(17_000)));
    owner.put(&format!("/menu/items/{dish}/price"), json!({"priceCents": null})).await.expect(200);
    assert_eq!(owner.get(&format!("/menu/items/{dish}")).await.data()["priceCents"], 17_000);
    let empty = owner.put(&format!("/menu/items/{dish}/price"), json!({})).await;
    assert_eq!(empty.refused(422, "PAYLOAD_VALIDATION").invalid_fields(), ["priceCents"]);
    let cashier = branch.sign_in(Role::Cashier);
    cashier
        .put(&format!("/menu/items/{dish}/price"), json!({"priceCents": 1}))
        .await
        .refused(403, "FORBIDDEN");
    assert_eq!(owner.get("/audit-log?entity=menu_item").await.json()["meta"]["total"], 3);
}

#[tokio::test]
async fn a_dish_is_changed_field_by_field_and_never_over_a_newer_version() {
    let branch = Branch::start().await;
    let owner = branch.sign_in(Role::Owner);
    let (category, dish) = thali(&owner).await;
    let path = format!("/menu/items/{dish}");
    let change = json!({"description": "Daily", "hsnSac": null, "availableDays": ["FRI"]});
    let changed = owner.patch(&format!("/menu/items/{dish}"), change).await.expect(200).data();
    assert_eq!((&changed["description"], &changed["hsnSac"]), (&json!("Daily"), &Value::Null));
    assert_eq!((&changed["dietary"], &changed["version"]), (&json!("VEG"), &json!(2)));
    let stale = owner.clone().with_header("If-Match", "\"1\"");
    stale.patch(&path, json!({"name": "Old"})).await.refused(412, "STALE_VERSION");
    stale.delete(&path).await.refused(412, "STALE_VERSION");
    let twin = json!({"categoryId": category, "name": "Twin", "priceCents": 1, "sku": "T-1"});
    owner.post("/menu/items", twin).await.expect(201);
    let taken = owner.patch(&path, json!({"sku": "T-1"})).await.refused(409, "CONFLICT");
    assert_eq!(taken.invalid_fields(), ["sku"]);
    let bad = json!({"name": "", "priceCents": -1, "course": 99, "dietary": "FISH", "modifierGroups": ["x"]});
    let mut fields = owner.patch(&path, bad).await.refused(422, "PAYLOAD_VALIDATION").invalid_fields();
    fields.sort();
    assert_eq!(fields, ["course", "dietary", "modifierGroups[0]", "name", "priceCents"]);
    let lost =
        json!({"categoryId": dish, "stationId": dish, "imageUrl": "javascript:x", "modifierGroups": [dish]});
    let mut fields = owner.patch(&path, lost).await.refused(422, "PAYLOAD_VALIDATION").invalid_fields();
    fields.sort();
    assert_eq!(fields, ["categoryId", "imageUrl", "modifierGroups[0]", "stationId"]);
    owner.delete(&format!("/menu/items/{dish}")).await.expect(200);
    owner.get(&path).await.refused(404, "NOT_FOUND");
    let left = owner.get("/menu/items?q=tw&isActive=true&limit=5").await.json();
    assert_eq!((&left["meta"]["total"], &left["data"][0]["name"]), (&json!(1), &json!("Twin")));
}

#[tokio::test]
async fn what_dishes_refer_to_is_kept_and_the_rest_archived() {
    let branch = Branch::start().await;
    let owner = branch.sign_in(Role::Owner);
    let (category, dish) = thali(&owner).await;
    let shown = owner.get(&format!("/menu/items/{dish}")).await.data();
    let (group, tax) = (id(&shown["modifierGroups"][0]), shown["taxCategoryId"].as_str().unwrap().to_owned());
    owner.delete(&format!("/menu/categories/{category}")).await.refused(409, "CONFLICT");
    owner.delete(&format!("/menu/modifier-groups/{group}")).await.refused(409, "CONFLICT");
    owner.delete(&format!("/menu/tax-categories/{tax}")).await.refused(409, "CONFLICT");
    owner.post("/menu/categories", json!({"name": "Mains"})).await.refused(409, "CONFLICT");
    let renamed = owner.patch(&format!("/menu/categories/{category}"), json!({"name": "Lunch"})).await.data();
    assert_eq!(renamed["name"], "Lunch");
    assert_eq!(owner.get(&format!("/menu/categories/{category}")).await.data(), renamed);
    let exempt = json!({"components": []});
    let changed = owner.patch(&format!("/menu/tax-categories/{tax}"), exempt).await.data();
    assert_eq!(owner.get(&format!("/menu/tax-categories/{tax}")).await.data(), changed);
    let options = &owner.get(&format!("/menu/modifier-groups/{group}")).await.data()["options"];
    let keep = json!({"options": [{"id": options[1]["id"], "name": "Very hot"}, {"name": "None"}]});
    let changed = owner.patch(&format!("/menu/modifier-groups/{group}"), keep).await.expect(200).data();
    assert_eq!(changed["options"][0]["id"], options[1]["id"]);
    let option = id(&changed["options"][1]);
    let out = json!({"status": "OUT_OF_STOCK"});
    let kitchen = branch.sign_in(Role::Kitchen);
    kitchen.put(&format!("/menu/modifier-options/{option}/availability"), out).await.expect(200);
    kitchen.patch(&format!("/menu/categories/{category}"), json!({})).await.refused(403, "FORBIDDEN");
    let now = owner.get(&format!("/menu/items/{dish}")).await.data();
    assert_eq!(now["modifierGroups"][0]["options"][1]["isAvailable"], false);
    owner.delete(&format!("/menu/items/{dish}")).await.expect(200);
    owner.delete(&format!("/menu/categories/{category}")).await.expect(200);
    owner.delete(&format!("/menu/modifier-groups/{group}")).await.expect(200);
    owner.delete(&format!("/menu/tax-categories/{tax}")).await.expect(200);
    for list in ["/menu/categories", "/menu/modifier-groups", "/menu/tax-categories"] {
        assert_eq!(owner.get(list).await.json()["meta"]["total"], 0, "{list}");
    }
    owner.get("/menu/categories?q=x").await.expect(200);
    owner.get("/menu/modifier-groups?limit=1").await.expect(200);
    owner.get("/menu/tax-categories?offset=1").await.expect(200);
}

#[tokio::test]
async fn a_file_is_taken_in_whole_or_not_at_all() {
    let branch = Branch::start().await;
    let owner = branch.sign_in(Role::Owner);
    let bad =
        "category,name,priceCents,taxCategory,course\nMains,Dal,12000,,1\nMains,,x,,1\n,Roti,10,VAT,99\n";
    let refused = owner.post_raw("/menu/import", "text/csv", bad).await.refused(422, "PAYLOAD_VALIDATION");
    let mut fields = refused.invalid_fields();
    fields.sort();
    assert_eq!(fields, ["rows[3].name", "rows[3].priceCents", "rows[4].category", "rows[4].course"]);
    let vat = "category,name,priceCents,taxCategory\nMains,Dal,12000,\nMains,Roti,10,VAT\n";
    let refused = owner.post_raw("/menu/import", "text/csv", vat).await.refused(422, "PAYLOAD_VALIDATION");
    assert_eq!(refused.invalid_fields(), ["rows[3].taxCategory"]);
    assert_eq!(branch.number("SELECT count(*) FROM menu_categories").await, 0);

    let good = "category,name,price,taxCategory,taxComponents,modifierGroups\n\
        Mains,'=Dal,120.50,GST,CGST 250; SGST 250,\n\
        Mains,Roti,10,GST,,\"[{\"\"name\"\":\"\"Butter\"\",\"\"options\"\":[{\"\"name\"\":\"\"Yes\"\",\"\"priceCents\"\":500}]}]\"\n";
    let counts = owner.post_raw("/menu/import", "text/csv; charset=utf-8", good).await.expect(200).data();
    assert_eq!((&counts["created"], &counts["taxCategoriesCreated"]), (&json!(2), &json!(1)));
    let csv = owner.get("/menu/export?format=csv").await.expect(200);
    assert_eq!(csv.header("content-type"), "text/csv; charset=utf-8");
    assert!(csv.text.contains("Mains,'=Dal,"), "{}", csv.text);
    let again = owner.post_raw("/menu/import", "text/csv", csv.text).await.expect(200).data();
    assert_eq!(again["unchanged"], 2);
    let file = owner.get("/menu/export").await.expect(200).data();
    assert_eq!(file["items"][0]["name"], "=Dal");
    let again = owner.post("/menu/import", file).await.expect(200).data();
    assert_eq!((&again["rows"], &again["unchanged"]), (&json!(2), &json!(2)));
    let bad = json!({"items": [{"category": "Mains", "name": "x", "priceCents": "1"}, {"name": 5}]});
    let mut fields =
        owner.post("/menu/import", bad).await.refused(422, "PAYLOAD_VALIDATION").invalid_fields();
    fields.sort();
    assert_eq!(fields, ["items[0].priceCents", "items[1].category", "items[1].name"]);
    owner.post_raw("/menu/import", "text/plain", "x").await.refused(415, "UNSUPPORTED_MEDIA_TYPE");
    owner.post_raw("/menu/import", "text/csv", vec![0xff, 0xfe]).await.refused(400, "BAD_REQUEST");
}

#[tokio::test]
async fn another_outlets_menu_does_not_exist() {
    let branch = Branch::start().await;
    let (category, dish) = thali(&branch.sign_in(Role::Owner)).await;
    let other = branch.sign_in_at(Role::Owner, branch.second_outlet().await);
    assert_eq!(other.get("/menu").await.data()["categories"], json!([]));
    other.get(&format!("/menu/items/{dish}")).await.refused(404, "NOT_FOUND");
    other.patch(&format!("/menu/items/{dish}"), json!({"name": "x"})).await.refused(404, "NOT_FOUND");
    other.delete(&format!("/menu/items/{dish}")).await.refused(404, "NOT_FOUND");
    let out = json!({"status": "OUT_OF_STOCK"});
    other.put(&format!("/menu/items/{dish}/availability"), out).await.refused(404, "NOT_FOUND");
    let borrowed = json!({"categoryId": category, "name": "x", "priceCents": 1});
    let refused = other.post("/menu/items", borrowed).await.refused(422, "PAYLOAD_VALIDATION");
    assert_eq!(refused.invalid_fields(), ["categoryId"]);
}
