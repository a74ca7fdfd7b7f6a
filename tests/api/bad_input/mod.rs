//! Whatever a client sends to whatever route: a documented refusal, never a 500, nothing half-written. The bodies are made
//! from the published document, so a new route is tried without anybody adding it here.

mod bodies;

use bodies::{Forms, made_bodies, raw_bodies};
use edge::access::Role;
use reqwest::Method;
use reqwest::header::{CONTENT_TYPE, HeaderValue};
use serde_json::{Value, json};
use std::collections::BTreeMap;
use tiffin_tests::{Branch, Client, House, Reply, Stage, UNKNOWN};

const SQL: &str = "x'; DROP TABLE orders; --\" OR 1=1 /*";

/// Every operation of the document: method, path, its entry.
async fn operations(client: &Client) -> (Value, Vec<(Method, String, Value)>) {
    let document = client.get("/v1/openapi.json").await.expect(200).json();
    let mut found = Vec::new();
    for (path, operations) in document["paths"].as_object().unwrap() {
        for (method, operation) in operations.as_object().unwrap() {
            let method = Method::from_bytes(method.to_ascii_uppercase().as_bytes()).unwrap();
            found.push((method, path.clone(), operation.clone()));
        }
    }
    (document, found)
}

/// Rows of every table, without those that a refusal may leave: counted failures, first answers and their traces.
async fn rows(branch: &Branch) -> BTreeMap<String, i64> {
    let counted = branch.db.read(|conn| -> Result<_, edge::db::DbError> {
        let names = "SELECT name FROM sqlite_schema WHERE type = 'table' AND name NOT LIKE 'sqlite_%'";
        let names = edge::db::list(conn, names, [], |row| row.get::<_, String>(0))?;
        let may_change = ["idempotency", "throttles", "audit_log", "sync_log", "notifications"];
        let mut found = BTreeMap::new();
        for name in names.into_iter().filter(|name| !may_change.contains(&name.as_str())) {
            let count = format!("SELECT count(*) FROM {name}");
            let count = edge::db::one(conn, &count, [], |row| row.get(0))?;
            found.insert(name, count);
        }
        Ok(found)
    });
    counted.await.unwrap()
}

/// Collects what is wrong over all routes, so that one run names everything.
struct Findings(Vec<String>);

impl Findings {
    fn judge(&mut self, operation: &Value, sent: &str, reply: &Reply) {
        let sent: String = sent.chars().take(120).collect();
        if reply.status >= 500 {
            self.0.push(format!("{} with {sent}: {}", reply.asked, reply.text));
        } else if operation["responses"][reply.status.to_string()].is_null() {
            self.0.push(format!("{} with {sent}: {} is not documented", reply.asked, reply.status));
        } else if reply.status >= 400 {
            let body = reply.json();
            let code = body["code"].as_str().unwrap_or_default();
            let known = edge::http::Code::ALL.iter().any(|known| {
                format!("ERR_{}", known.name()) == code && known.status().as_u16() == reply.status
            });
            if !known || body["success"] != false || body["error"]["code"] != code.trim_start_matches("ERR_")
            {
                self.0.push(format!("{} with {sent}: {}", reply.asked, reply.text));
            }
            if reply.status == 422 && code == "ERR_PAYLOAD_VALIDATION" && reply.text.contains("DROP TABLE") {
                self.0.push(format!("{} repeats the value: {}", reply.asked, reply.text));
            }
        }
    }

    fn end(self) {
        assert!(self.0.is_empty(), "{} findings:\n{}", self.0.len(), self.0.join("\n"));
    }
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn no_body_breaks_a_route_and_a_refusal_writes_nothing() {
    let stage = Stage::set().await;
    let branch = &stage.branch;
    let (document, operations) = operations(&stage.owner).await;
    let mut findings = Findings(Vec::new());
    let admin = branch.sign_in(Role::SuperAdmin);
    let forms = Forms { document: &document, fields: &stage.fields };
    for (method, path, operation) in operations {
        if !matches!(method, Method::POST | Method::PUT | Method::PATCH) {
            continue;
        }
        let schema = &operation["requestBody"]["content"]["application/json"]["schema"];
        let mut bodies = raw_bodies();
        let fits_nothing = bodies.len();
        if !schema.is_null() {
            bodies.extend(made_bodies(&forms, schema).into_iter().map(String::into_bytes));
        }
        for target in stage.targets(&path) {
            for (i, body) in bodies.iter().enumerate() {
                let before = rows(branch).await;
                let request = admin.request(method.clone(), &target).header(CONTENT_TYPE, "application/json");
                let reply = admin.send(request.body(body.clone())).await;
                let sent = String::from_utf8_lossy(body);
                findings.judge(&operation, &sent, &reply);
                let may_be_none = body.is_empty() && operation["requestBody"]["required"] == false;
                if i < fits_nothing && !schema.is_null() && reply.status < 400 && !may_be_none {
                    findings.0.push(format!("{} took {sent:.80}", reply.asked));
                }
                if reply.status >= 400 && rows(branch).await != before {
                    findings.0.push(format!("{} answered {} and wrote", reply.asked, reply.status));
                }
            }
        }
    }
    findings.end();
    assert_eq!(
        branch.number("SELECT count(*) FROM pragma_integrity_check WHERE integrity_check <> 'ok'").await,
        0
    );
    assert_eq!(branch.number("SELECT count(*) FROM pragma_foreign_key_check").await, 0);
}

#[tokio::test]
async fn no_text_of_any_route_takes_control_characters_and_lines_end_alike() {
    let stage = Stage::set().await;
    let admin = stage.branch.sign_in(Role::SuperAdmin);
    let (document, operations) = operations(&stage.owner).await;
    let mut tried = 0;
    for (method, path, operation) in operations {
        let schema = &operation["requestBody"]["content"]["application/json"]["schema"];
        let named = schema["$ref"].as_str().and_then(|name| document.pointer(name.trim_start_matches('#')));
        let Some(fields) = named.unwrap_or(schema)["properties"].as_object() else { continue };
        let target = stage.targets(&path).remove(0);
        for name in fields.iter().filter(|(_, field)| is_text(field)).map(|(name, _)| name) {
            for text in ["a\0b", "\u{1b}[2J", "a\rb", "\u{85}"] {
                let reply =
                    admin.send(admin.request(method.clone(), &target).json(&json!({name: text}))).await;
                let found = reply.refused(422, "PAYLOAD_VALIDATION").invalid_fields();
                assert!(found.contains(name), "{method} {target} with {text:?} in {name}: {found:?}");
                tried += 1;
            }
        }
    }
    assert!(tried > 400, "{tried}");
    let lines = tiffin_tests::sample::lines(&stage.owner, 1).await;
    let body = json!({"orderType": "COUNTER", "items": lines, "notes": "no onion\r\nno\tgarlic"});
    assert_eq!(stage.owner.post("/orders", body).await.expect(201).json()["notes"], "no onion\nno\tgarlic");
}

/// Whether a field is any text, not a word or a moment.
fn is_text(field: &Value) -> bool {
    let is_string =
        field["type"] == "string" || field["type"].as_array().is_some_and(|t| t.contains(&json!("string")));
    is_string && field["format"].is_null() && field["enum"].is_null()
}

#[tokio::test]
async fn no_body_is_too_large_to_refuse() {
    let stage = Stage::set().await;
    let branch = &stage.branch;
    let (_, operations) = operations(&stage.owner).await;
    let mut findings = Findings(Vec::new());
    for (method, path, operation) in operations {
        if operation["requestBody"]["content"]["application/json"].is_null() {
            continue;
        }
        let target = stage.targets(&path).remove(0);
        let large = format!("{{\"name\": \"{}\"}}", "x".repeat(10 * 1024 * 1024));
        let request =
            stage.owner.request(method, &target).header(CONTENT_TYPE, "application/json").body(large);
        // The server may close the connection before everything was sent: then there is no answer to read.
        if let Ok(reply) = stage.owner.try_send(request).await {
            findings.judge(&operation, "10 MB", &reply);
            if reply.status != 413 && reply.status != 403 {
                findings.0.push(format!("{} answered {} to 10 MB", reply.asked, reply.status));
            }
        }
    }
    findings.end();
    branch.anonymous().get("/ready").await.expect(200);
}

#[tokio::test]
async fn no_query_path_or_header_breaks_a_route() {
    let stage = Stage::set().await;
    let branch = &stage.branch;
    let (_, operations) = operations(&stage.owner).await;
    let admin = branch.sign_in(Role::SuperAdmin);
    let mut findings = Findings(Vec::new());
    let values = [
        "%FF%FE",
        "%00",
        "1e308",
        "-1",
        "99999999999999999999",
        "%27%3B+DROP+TABLE+orders%3B--",
        "",
        "9999-12-31",
        "0001-01-01",
        UNKNOWN,
        "%F0%9F%8D%9B",
        "true",
    ];
    for (method, path, operation) in operations.iter().filter(|(_, path, _)| !path.ends_with("/stream")) {
        let target = stage.targets(path).remove(0);
        let before = rows(branch).await;
        if *method == Method::GET {
            let names = operation["parameters"].as_array().unwrap().iter().filter(|p| p["in"] == "query");
            let names: Vec<&str> = names.map(|p| p["name"].as_str().unwrap()).chain(["unknown"]).collect();
            for name in names {
                for value in values {
                    let reply = admin.get(&format!("{target}?{name}={value}")).await;
                    findings.judge(operation, "nothing", &reply);
                }
                let twice = admin.get(&format!("{target}?{name}=1&{name}=2&{name}[]=3&=&&{name}")).await;
                findings.judge(operation, "nothing", &twice);
            }
        }
        if path.contains('{') {
            for value in ["%FF%FE", "%00", "1", "..%2f..%2fetc%2fpasswd", "%27%3B+DROP+TABLE", "{id}"] {
                let spoilt = path.split('/').map(|part| if part.starts_with('{') { value } else { part });
                let spoilt = spoilt.collect::<Vec<_>>().join("/");
                let request = admin.request(method.clone(), &spoilt).json(&json!({}));
                let reply = admin.send(request).await;
                findings.judge(operation, "nothing", &reply);
                if !(400..500).contains(&reply.status) {
                    findings.0.push(format!("{} answered {}", reply.asked, reply.status));
                }
            }
        }
        for name in ["x-outlet-id", "Idempotency-Key", "If-Match", "Authorization", "Content-Type", "Accept"]
        {
            for bytes in [
                &b"\xff\xfe"[..],
                b"\xc3\x28",
                b"",
                b"'; DROP TABLE orders; --",
                b"Bearer \xf0\x9f",
                UNKNOWN.as_bytes(),
            ] {
                let mut request = admin.request(method.clone(), &target).body("{}").build().unwrap();
                request.headers_mut().insert(name, HeaderValue::from_bytes(bytes).unwrap());
                let reply = admin.execute(request).await;
                findings.judge(operation, name, &reply);
            }
        }
        if *method == Method::GET && rows(branch).await != before {
            findings.0.push(format!("{method} {path} wrote"));
        }
    }
    findings.end();
}

#[tokio::test]
async fn sums_that_leave_the_range_are_refused() {
    let branch = Branch::start().await;
    let house = House::open(&branch).await;
    let before = rows(&branch).await;
    let mut line = house.line("Paneer Tikka", 10_000);
    line["unitPriceCents"] = json!(1_000_000_000_000i64);
    line["modifiers"] = vec![json!({"name": "gold leaf", "priceCents": 1_000_000_000_000i64}); 50].into();
    let order = json!({"orderType": "COUNTER", "items": vec![line; 200]});
    house.owner.post("/orders", order).await.refused(422, "PAYLOAD_VALIDATION");
    // More than can be counted in millionths, and a value that cannot be.
    for (quantity, cents) in
        [("9300000000000", "1"), ("9000000000000", "9000000000000"), ("1e30", "1"), ("0.0000001", "1")]
    {
        let body = format!(
            "{{\"inventoryItemId\": \"{}\", \"quantityDelta\": {quantity}, \"unitCostCents\": {cents}, \"reason\": \"x\"}}",
            house.stock("Rice")
        );
        let reply = house.owner.post_raw("/inventory/adjustments", "application/json", body).await;
        reply.refused(422, "PAYLOAD_VALIDATION");
    }
    assert_eq!(rows(&branch).await, before);
}
