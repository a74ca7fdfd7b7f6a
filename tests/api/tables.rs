//! `/tables`.

use edge::access::Role;
use serde_json::{Value, json};
use tiffin_tests::{Branch, Client, House};

async fn table(owner: &Client, number: &str) -> Value {
    owner.post("/tables", json!({"number": number, "seats": 4, "area": "Terrace"})).await.expect(201).data()
}

fn id(data: &Value) -> &str {
    data["id"].as_str().unwrap()
}

#[tokio::test]
async fn tables_come_in_the_order_people_count() {
    let branch = Branch::start().await;
    let owner = branch.sign_in(Role::Owner);
    for number in ["10", "T1", "2"] {
        table(&owner, number).await;
    }
    let list = owner.get("/tables?status=AVAILABLE&area=Terrace").await.json();
    let numbers: Vec<&str> =
        list["data"].as_array().unwrap().iter().map(|t| t["number"].as_str().unwrap()).collect();
    assert_eq!(numbers, ["2", "10", "T1"]);
    let several = owner.get("/tables?status=OCCUPIED,AVAILABLE").await.expect(200).json();
    assert_eq!(several["meta"]["total"], 3);
    let none = owner.get("/tables?status=OCCUPIED,CLEANING").await.expect(200).json();
    assert_eq!(none["meta"]["total"], 0);
    owner.get("/tables?status=OCCUPIED,SET").await.refused(400, "BAD_REQUEST");
    let taken = owner.post("/tables", json!({"number": " 2 ", "seats": 1})).await.refused(409, "CONFLICT");
    assert_eq!(taken.invalid_fields(), ["number"]);
    let bad = json!({"number": 5, "seats": 0, "position": {"x": 1}});
    let mut fields = owner.post("/tables", bad).await.refused(422, "PAYLOAD_VALIDATION").invalid_fields();
    fields.sort();
    assert_eq!(fields, ["number", "position.y", "seats"]);
}

#[tokio::test]
async fn a_table_is_changed_and_archived_when_nobody_sits_there() {
    let branch = Branch::start().await;
    let owner = branch.sign_in(Role::Owner);
    let one = table(&owner, "1").await;
    let one = id(&one);
    let moved = json!({"position": {"x": 3, "y": -4}, "area": null});
    let changed = owner.patch(&format!("/tables/{one}"), moved).await.expect(200).data();
    assert_eq!((&changed["area"], &changed["position"]["y"]), (&Value::Null, &json!(-4)));
    let stale = owner.clone().with_header("If-Match", "\"1\"");
    stale.patch(&format!("/tables/{one}"), json!({"seats": 6})).await.refused(412, "STALE_VERSION");
    owner.post(&format!("/tables/{one}/seat"), json!({"partySize": 2})).await.expect(200);
    owner.delete(&format!("/tables/{one}")).await.refused(409, "INVALID_TRANSITION");
    owner.patch(&format!("/tables/{one}/status"), json!({"status": "AVAILABLE"})).await.expect(200);
    owner.delete(&format!("/tables/{one}")).await.expect(200);
    owner.get(&format!("/tables/{one}")).await.refused(404, "NOT_FOUND");
    table(&owner, "1").await;
}

#[tokio::test]
async fn a_party_sits_down_once_and_goes() {
    let branch = Branch::start().await;
    let owner = branch.sign_in(Role::Owner);
    let waiter = branch.sign_in(Role::Waiter);
    let one = table(&owner, "1").await;
    let one = id(&one);
    let bad = waiter.post(&format!("/tables/{one}/seat"), json!({"partySize": 0})).await;
    assert_eq!(bad.refused(422, "PAYLOAD_VALIDATION").invalid_fields(), ["partySize"]);
    let seated =
        waiter.post(&format!("/tables/{one}/seat"), json!({"partySize": 3})).await.expect(200).data();
    assert_eq!((&seated["status"], &seated["currentSession"]["partySize"]), (&json!("OCCUPIED"), &json!(3)));
    waiter.post(&format!("/tables/{one}/seat"), json!({})).await.refused(409, "INVALID_TRANSITION");
    let status =
        async |status: &str| waiter.patch(&format!("/tables/{one}/status"), json!({"status": status})).await;
    assert_eq!(status("BILL_PRINTED").await.data()["currentSession"]["id"], seated["currentSession"]["id"]);
    assert_eq!(status("CLEANING").await.data()["currentSession"], Value::Null);
    status("BILL_PRINTED").await.refused(409, "INVALID_TRANSITION");
    status("BLOCKED").await.expect(200);
    waiter.post(&format!("/tables/{one}/seat"), json!({})).await.refused(409, "INVALID_TRANSITION");
    status("DANCING").await.refused(422, "PAYLOAD_VALIDATION");
    assert_eq!(branch.number("SELECT count(*) FROM table_sessions WHERE closed_at IS NOT NULL").await, 1);
}

#[tokio::test]
async fn a_rotated_code_is_new_and_only_managers_see_codes() {
    let branch = Branch::start().await;
    let owner = branch.sign_in(Role::Owner);
    let one = table(&owner, "1").await;
    let (one, old) = (id(&one), one["qrToken"].as_str().unwrap());
    let rotated = owner.post(&format!("/tables/{one}/qr"), json!({})).await.expect(200).data();
    let new = rotated["qrToken"].as_str().unwrap();
    assert!(new != old && new.len() == 22);
    assert_eq!(rotated["url"], format!("{}/t/{new}", branch.base()));
    let found = format!("SELECT count(*) FROM dining_tables WHERE qr_token = '{old}'");
    let left = branch.db.read(move |conn| edge::db::one(conn, &found, [], |row| row.get::<_, i64>(0)));
    assert_eq!(left.await.unwrap(), 0);
    let waiter = branch.sign_in(Role::Waiter);
    let seen = waiter.get(&format!("/tables/{one}")).await.expect(200).data();
    assert_eq!((seen.get("qrToken"), seen.get("qrUrl")), (None, None));
    assert!(!waiter.get("/tables").await.text.contains(new));
    waiter.post(&format!("/tables/{one}/qr"), json!({})).await.refused(403, "FORBIDDEN");
    waiter.get(&format!("/tables/{one}/qr")).await.refused(403, "FORBIDDEN");
    waiter.get("/tables/qr-sheet").await.refused(403, "FORBIDDEN");
}

#[tokio::test]
async fn codes_are_drawn_and_printed() {
    let branch = Branch::start().await;
    let owner = branch.sign_in(Role::Owner);
    let one = table(&owner, "<1>").await;
    let one = id(&one);
    let svg = owner.get(&format!("/tables/{one}/qr")).await.expect(200);
    assert_eq!(svg.header("content-type"), "image/svg+xml");
    assert!(svg.text.contains("<svg"));
    let png = owner.get(&format!("/tables/{one}/qr?format=png")).await.expect(200);
    assert_eq!(png.header("content-type"), "image/png");
    assert_eq!(&png.bytes[1..4], b"PNG");
    owner.get(&format!("/tables/{one}/qr?format=bmp")).await.refused(400, "BAD_REQUEST");
    let sheet = owner.get("/tables/qr-sheet").await.expect(200);
    assert!(sheet.text.contains("&lt;1&gt;") && !sheet.text.contains("<1>"));
}

#[tokio::test]
async fn another_outlets_table_does_not_exist() {
    let branch = Branch::start().await;
    let one = table(&branch.sign_in(Role::Owner), "1").await;
    let one = id(&one);
    let other = branch.sign_in_at(Role::Owner, branch.second_outlet().await);
    assert_eq!(other.get("/tables").await.json()["meta"]["total"], 0);
    other.get(&format!("/tables/{one}")).await.refused(404, "NOT_FOUND");
    other.patch(&format!("/tables/{one}"), json!({"seats": 2})).await.refused(404, "NOT_FOUND");
    other.post(&format!("/tables/{one}/seat"), json!({})).await.refused(404, "NOT_FOUND");
    other.post(&format!("/tables/{one}/qr"), json!({})).await.refused(404, "NOT_FOUND");
    other.get(&format!("/tables/{one}/qr")).await.refused(404, "NOT_FOUND");
    other.delete(&format!("/tables/{one}")).await.refused(404, "NOT_FOUND");
}

#[tokio::test]
async fn what_comes_to_an_area_stands_where_the_area_does() {
    let branch = Branch::start().await;
    let house = House::open(&branch).await;
    let plan = json!({
        "tables": [{"id": house.table(2), "area": "Terrace"}],
        "areas": ["Terrace", "Indoor"],
    });
    house.owner.patch("/tables/plan", plan).await.expect(200);
    let made = json!({"number": "T50", "area": "Terrace", "seats": 2});
    let made = house.owner.post("/tables", made).await.expect(201).data();
    assert_eq!((&made["areaOrder"], &made["version"]), (&json!(1), &json!(1)));
    let path = format!("/tables/{}", made["id"].as_str().unwrap());
    for (area, order) in [(json!("Indoor"), 2), (json!("Roof"), 0), (json!("Terrace"), 1), (Value::Null, 0)] {
        let moved = house.owner.patch(&path, json!({"area": area, "seats": 3})).await.expect(200).data();
        assert_eq!(moved["areaOrder"], order, "{area}");
    }
    let file = "number,area,seats\nT51,Indoor,4\nT1,Terrace,4\n";
    house.owner.post_raw("/tables/import", "text/csv", file).await.expect(200);
    let all = house.owner.get("/tables?limit=100").await.expect(200).data();
    for (number, order) in [("T51", 2), ("T1", 1), ("T3", 2)] {
        let table = all.as_array().unwrap().iter().find(|table| table["number"] == number).unwrap();
        assert_eq!(table["areaOrder"], order, "{number}");
    }
}
