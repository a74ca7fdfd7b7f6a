//! The typed operations of the specification: real answers against schemas written by hand from its tables, bare bodies,
//! status codes, errors in both shapes, rate-limit headers. Never generated from the code it checks.

use edge::access::Role;
use reqwest::Method;
use serde_json::{Map, Value, json};
use tiffin_tests::{Branch, Client, House, Reply, UNKNOWN};

fn string() -> Value {
    json!({"type": "string"})
}

fn uuid() -> Value {
    json!({"type": "string", "format": "uuid"})
}

fn moment() -> Value {
    json!({"type": "string", "format": "date-time"})
}

fn date() -> Value {
    json!({"type": "string", "format": "date"})
}

fn integer() -> Value {
    json!({"type": "integer"})
}

fn number() -> Value {
    json!({"type": "number"})
}

fn list(of: Value) -> Value {
    json!({"type": "array", "items": of})
}

fn one_of(names: &[&str]) -> Value {
    json!({"type": "string", "enum": names})
}

/// An object with these fields; those marked `true` are required, the others may be absent or null.
fn object(fields: &[(&str, bool, Value)]) -> Value {
    let mut properties = Map::new();
    for (name, is_required, schema) in fields {
        let optional = json!({"anyOf": [schema, {"type": "null"}]});
        properties.insert((*name).to_owned(), if *is_required { schema.clone() } else { optional });
    }
    let required: Vec<&str> =
        fields.iter().filter(|(_, required, _)| *required).map(|(name, ..)| *name).collect();
    json!({"type": "object", "required": required, "properties": properties})
}

const STATES: &[&str] =
    &["PENDING", "ACCEPTED", "IN_PREPARATION", "READY", "DELIVERED", "COMPLETED", "CANCELLED"];

fn order() -> Value {
    object(&[
        ("id", true, uuid()),
        ("outletId", false, uuid()),
        ("orderNumber", true, string()),
        ("tableNumber", false, string()),
        ("orderType", true, string()),
        ("status", true, one_of(STATES)),
        ("subtotalCents", false, integer()),
        ("taxCents", false, integer()),
        ("totalAmountCents", true, integer()),
        ("createdAt", true, moment()),
        ("updatedAt", false, moment()),
    ])
}

fn order_list() -> Value {
    let pagination = ["total", "page", "limit", "totalPages"].map(|name| (name, true, integer()));
    object(&[("data", true, list(order())), ("pagination", true, object(&pagination))])
}

fn stock_list() -> Value {
    let batch = object(&[
        ("batchNumber", false, string()),
        ("quantity", false, number()),
        ("expiryDate", false, date()),
    ]);
    let item = object(&[
        ("id", true, uuid()),
        ("name", true, string()),
        ("category", true, string()),
        ("unit", true, string()),
        ("currentStock", true, number()),
        ("minStockThreshold", true, number()),
        ("isLowStock", false, json!({"type": "boolean"})),
        ("activeBatches", false, list(batch)),
    ]);
    object(&[
        ("items", true, list(item)),
        ("totalCount", true, integer()),
        ("lowStockCount", true, integer()),
    ])
}

fn purchase_order() -> Value {
    object(&[
        ("id", true, uuid()),
        ("poNumber", true, string()),
        ("status", true, one_of(&["DRAFT", "SENT", "PARTIALLY_RECEIVED", "RECEIVED", "CLOSED"])),
        ("supplierId", true, uuid()),
        ("createdAt", true, moment()),
    ])
}

fn roster() -> Value {
    let time = json!({"type": "string", "pattern": "^([01][0-9]|2[0-3]):[0-5][0-9]$"});
    let shift = object(&[
        ("date", false, date()),
        ("shiftType", false, one_of(&["MORNING", "EVENING", "NIGHT", "OFF"])),
        ("startTime", false, time.clone()),
        ("endTime", false, time),
    ]);
    let employee = object(&[
        ("employeeId", false, uuid()),
        ("employeeName", false, string()),
        ("role", false, string()),
        ("shifts", false, list(shift)),
    ]);
    object(&[
        ("outletId", true, uuid()),
        ("startDate", true, date()),
        ("endDate", true, date()),
        ("matrix", true, list(employee)),
    ])
}

fn attendance() -> Value {
    object(&[
        ("id", true, uuid()),
        ("employeeName", true, string()),
        ("eventType", true, string()),
        ("timestamp", true, moment()),
        ("status", true, one_of(&["ON_TIME", "LATE", "EARLY"])),
    ])
}

fn summary() -> Value {
    object(&[
        ("period", true, string()),
        ("grossRevenueCents", true, integer()),
        ("ordersCount", true, integer()),
        ("cogsPercentage", true, number()),
        ("foodWasteCents", true, integer()),
    ])
}

/// Both error shapes in one body.
fn problem() -> Value {
    let param = object(&[("name", true, string()), ("reason", true, string())]);
    let error = object(&[("code", true, string()), ("message", true, string())]);
    object(&[
        ("type", true, json!({"type": "string", "format": "uri"})),
        ("title", true, string()),
        ("status", true, integer()),
        ("detail", true, string()),
        ("code", true, json!({"type": "string", "pattern": "^ERR_[A-Z_]+$"})),
        ("instance", false, string()),
        ("invalidParams", false, list(param)),
        ("success", true, json!({"const": false})),
        ("error", true, error),
    ])
}

#[track_caller]
fn fits(body: &Value, schema: &Value) {
    let validator = jsonschema::options().should_validate_formats(true).build(schema).unwrap();
    let errors: Vec<String> =
        validator.iter_errors(body).map(|error| format!("{} {error}", error.instance_path())).collect();
    assert!(errors.is_empty(), "{errors:#?}\n{body}");
}

/// A success with a bare body of that schema.
#[track_caller]
fn bare(reply: Reply, status: u16, schema: &Value) -> Value {
    let body = reply.expect(status).json();
    assert!(body.get("success").is_none(), "typed operations answer without the envelope: {body}");
    fits(&body, schema);
    body
}

/// Whether an operation has come. What has not is on the list of `contract`, which must be empty in the end.
fn is_served(method: &Method, path: &str) -> bool {
    edge::app::routes().listing().iter().any(|(m, p, _)| m == method && *p == path)
}

#[tokio::test]
async fn orders_are_made_listed_and_shown_as_the_specification_has_them() {
    let branch = Branch::start().await;
    let house = House::open(&branch).await;
    let waiter = branch.sign_in(Role::Waiter);
    // Nothing but what the specification names.
    let asked = json!({
        "orderType": "DINE_IN", "tableNumber": "T3", "customerName": "Asha", "customerPhone": "98450", "notes": "window",
        "items": [{"menuItemId": house.dish("Dal"), "quantity": 2, "unitPriceCents": 18_000, "name": "Dal",
            "modifiers": [{"name": "less salt", "priceCents": 0}, {}]}],
    });
    let made = bare(waiter.post("/orders", asked).await, 201, &order());
    assert_eq!((&made["status"], &made["tableNumber"]), (&json!("PENDING"), &json!("T3")));
    let id = made["id"].as_str().unwrap();
    let shown = bare(waiter.get(&format!("/orders/{id}")).await, 200, &order());
    for field in ["items", "statusHistory", "payments"] {
        assert!(shown[field].is_array(), "{field}");
    }
    house.place(&waiter, house.counter(&[("Lassi", 1)])).await;
    let page = bare(waiter.get("/orders?status=PENDING&page=2&limit=1").await, 200, &order_list());
    assert_eq!(page["pagination"], json!({"total": 2, "page": 2, "limit": 1, "totalPages": 2}));
    let usual = bare(waiter.get("/orders").await, 200, &order_list());
    assert_eq!((&usual["pagination"]["page"], &usual["pagination"]["limit"]), (&json!(1), &json!(20)));
    for wrong in ["status=DONE", "page=0", "limit=101", "limit=ten"] {
        fits(&waiter.get(&format!("/orders?{wrong}")).await.refused(400, "BAD_REQUEST").json(), &problem());
    }
}

#[tokio::test]
async fn stock_is_listed_whole_and_low() {
    let branch = Branch::start().await;
    let house = House::open(&branch).await;
    let all = bare(house.owner.get("/inventory/items").await, 200, &stock_list());
    assert_eq!((&all["totalCount"], &all["lowStockCount"]), (&json!(10), &json!(0)));
    let counted =
        json!({"inventoryItemId": house.stock("Rice"), "countedQuantity": 0.5, "reason": "counted"});
    house.owner.post("/inventory/adjustments", counted).await.expect(201);
    let low = bare(house.owner.get("/inventory/items?lowStockOnly=true").await, 200, &stock_list());
    assert_eq!((&low["items"][0]["name"], &low["items"][0]["isLowStock"]), (&json!("Rice"), &json!(true)));
    assert_eq!(low["items"].as_array().unwrap().len(), 1);
    house.owner.get("/inventory/items?lowStockOnly=perhaps").await.refused(400, "BAD_REQUEST");
}

#[tokio::test]
async fn attendance_is_logged() {
    let branch = Branch::start().await;
    let owner = branch.sign_in(Role::Owner);
    let body = json!({"employeeCode": "E1", "name": "Meera Nair", "jobTitle": "Cook"});
    let id = owner.post("/employees", body).await.expect(201).data()["id"].as_str().unwrap().to_owned();
    owner.put(&format!("/employees/{id}/pin"), json!({"pin": "2580"})).await.expect(200);
    let terminal = branch.sign_in(Role::Terminal);
    for event in ["CLOCK_IN", "BREAK_START", "BREAK_END", "CLOCK_OUT"] {
        branch.pass(10 * 60_000);
        let punch = json!({"employeePin": "2580", "eventType": event});
        let made = bare(terminal.post("/workforce/attendance", punch).await, 201, &attendance());
        assert_eq!((&made["eventType"], &made["employeeName"]), (&json!(event), &json!("Meera Nair")));
    }
    let wrong = terminal.post("/workforce/attendance", json!({"employeePin": 2580})).await;
    let wrong = wrong.refused(422, "PAYLOAD_VALIDATION");
    fits(&wrong.json(), &problem());
}

#[tokio::test]
async fn purchase_orders_are_made() {
    if !is_served(&Method::POST, "/inventory/purchase-orders") {
        return;
    }
    let branch = Branch::start().await;
    let house = House::open(&branch).await;
    let supplier = house.owner.post("/inventory/suppliers", json!({"name": "Farm"})).await.expect(201).data();
    let line = json!({"inventoryItemId": house.stock("Rice"), "quantityOrdered": 2.5});
    let asked = json!({"supplierId": supplier["id"], "items": [line], "expectedDeliveryDate": "2026-11-24"});
    let made = bare(house.owner.post("/inventory/purchase-orders", asked).await, 201, &purchase_order());
    assert_eq!((&made["status"], &made["supplierId"]), (&json!("DRAFT"), &supplier["id"]));
    let wrong = house.owner.post("/inventory/purchase-orders", json!({"items": []})).await;
    assert!(wrong.refused(422, "PAYLOAD_VALIDATION").invalid_fields().contains(&"supplierId".to_owned()));
}

#[tokio::test]
async fn the_roster_is_a_matrix() {
    if !is_served(&Method::GET, "/workforce/roster") {
        return;
    }
    let branch = Branch::start().await;
    let owner = branch.sign_in(Role::Owner);
    let body = json!({"employeeCode": "E1", "name": "Meera Nair", "jobTitle": "Cook"});
    let id = owner.post("/employees", body).await.expect(201).data()["id"].clone();
    let shift = json!({"employeeId": id, "date": "2026-11-21", "shiftType": "EVENING"});
    owner.post("/shifts", shift).await.expect(201);
    owner.post("/shifts/publish", json!({"from": "2026-11-16", "to": "2026-11-22"})).await.expect(200);
    let path = "/workforce/roster?startDate=2026-11-16&endDate=2026-11-22";
    let seen = bare(owner.get(path).await, 200, &roster());
    assert_eq!((&seen["startDate"], &seen["endDate"]), (&json!("2026-11-16"), &json!("2026-11-22")));
    let shift = &seen["matrix"][0]["shifts"][0];
    assert_eq!((&shift["shiftType"], &shift["startTime"]), (&json!("EVENING"), &json!("15:00")));
    owner.get("/workforce/roster?startDate=2026-11-16").await.refused(400, "BAD_REQUEST");
}

#[tokio::test]
async fn the_summary_has_its_five_figures_for_every_period() {
    if !is_served(&Method::GET, "/analytics/summary") {
        return;
    }
    let branch = Branch::start().await;
    let house = House::open(&branch).await;
    house.place(&house.owner, house.counter(&[("Dal", 1)])).await;
    for period in ["TODAY", "YESTERDAY", "THIS_WEEK", "THIS_MONTH", "LAST_MONTH"] {
        let path = format!("/analytics/summary?period={period}");
        let seen = bare(house.owner.get(&path).await, 200, &summary());
        assert_eq!(seen["period"], period);
    }
    let usual = bare(house.owner.get("/analytics/summary").await, 200, &summary());
    assert_eq!((&usual["period"], &usual["ordersCount"]), (&json!("TODAY"), &json!(1)));
    house.owner.get("/analytics/summary?period=EVER").await.refused(400, "BAD_REQUEST");
}

const TYPED: &[(&str, &str)] = &[
    ("GET", "/orders"),
    ("POST", "/orders"),
    ("GET", "/orders/{orderId}"),
    ("GET", "/inventory/items"),
    ("POST", "/inventory/purchase-orders"),
    ("GET", "/workforce/roster"),
    ("POST", "/workforce/attendance"),
    ("GET", "/analytics/summary"),
];

async fn call(client: &Client, method: &Method, path: &str) -> Reply {
    let request = client.request(method.clone(), &path.replace("{orderId}", UNKNOWN));
    client.send(if method == Method::GET { request } else { request.json(&json!({})) }).await
}

#[tokio::test]
async fn typed_operations_refuse_in_both_shapes_and_document_every_status() {
    let branch = Branch::start().await;
    let document = branch.anonymous().get("/openapi.json").await.json();
    let other = branch.second_outlet().await;
    for (method, path) in TYPED {
        let method = Method::from_bytes(method.as_bytes()).unwrap();
        if !is_served(&method, path) {
            continue;
        }
        let answers = &document["paths"][path][method.as_str().to_lowercase()]["responses"];
        let success = if method == Method::POST { 201 } else { 200 };
        for status in [success, 400, 401, 403, 404, 422, 429, 500] {
            assert!(answers[status.to_string()].is_object(), "{method} {path} does not document {status}");
        }
        let nobody = call(&branch.anonymous(), &method, path).await.refused(401, "UNAUTHORIZED");
        assert_eq!(nobody.json()["error"]["message"], "No token provided");
        let stranger = branch.sign_in(Role::Owner).with_outlet(other);
        let strange = call(&stranger, &method, path).await.refused(403, "INVALID_OUTLET_SCOPE");
        fits(&nobody.json(), &problem());
        fits(&strange.json(), &problem());
    }
}

#[tokio::test]
async fn lists_of_orders_carry_the_rate_limit() {
    let branch = Branch::with([("limit-general", "3/60")]).await;
    let waiter = branch.sign_in(Role::Waiter);
    let header = |reply: &Reply, name: &str| reply.header(name).parse::<u32>().unwrap();
    // A signed-in device uses nothing of what its address may ask.
    for _ in 0..4 {
        let reply = waiter.get("/orders").await.expect(200);
        assert_eq!((header(&reply, "ratelimit-limit"), header(&reply, "ratelimit-remaining")), (3, 3));
        assert_eq!(header(&reply, "ratelimit-reset"), 0);
    }
    for _ in 0..3 {
        branch.anonymous().get("/orders").await.expect(401);
    }
    let refused = branch.anonymous().get("/orders").await.refused(429, "RATE_LIMITED");
    assert!(header(&refused, "retry-after") > 0);
    fits(&refused.json(), &problem());
}
