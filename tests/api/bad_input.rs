//! Whatever a client sends to whatever route: a documented refusal, never a 500, nothing half-written. The bodies are made
//! from the published document, so a new route is tried without anybody adding it here.

use edge::access::Role;
use reqwest::Method;
use reqwest::header::{CONTENT_TYPE, HeaderValue};
use serde_json::{Map, Value, json};
use std::collections::BTreeMap;
use tiffin_tests::{Branch, Client, House, Reply};

const UNKNOWN: &str = "01939f00-0000-7000-8000-00000000dead";
const SQL: &str = "x'; DROP TABLE orders; --\" OR 1=1 /*";

/// A branch with something in it, and an owner.
async fn house() -> (Branch, House) {
    let branch = Branch::start().await;
    let house = House::open(&branch).await;
    (branch, house)
}

/// Every operation of the document: method, path, its entry.
async fn operations(client: &Client) -> (Value, Vec<(Method, String, Value)>) {
    let document = client.get("/openapi.json").await.expect(200).json();
    let mut found = Vec::new();
    for (path, operations) in document["paths"].as_object().unwrap() {
        for (method, operation) in operations.as_object().unwrap() {
            let method = Method::from_bytes(method.to_ascii_uppercase().as_bytes()).unwrap();
            found.push((method, path.clone(), operation.clone()));
        }
    }
    (document, found)
}

/// `path` with its parameters filled in: ids that nobody has, and where the house has such a record, its id.
fn targets(house: &House, path: &str) -> Vec<String> {
    let known = [
        ("/menu/items/{id}", house.dish("Dal")),
        ("/inventory/recipes/{id}", house.dish("Dal")),
        ("/inventory/recipes/{menuItemId}", house.dish("Dal")),
        ("/inventory/items/{id}", house.stock("Rice")),
        ("/inventory/preparations/{id}", house.stock("Gravy")),
        ("/kitchen/stations/{id}", house.station("Bar")),
        ("/tables/{id}", house.table(3)),
        ("/menu/modifier-options/{id}", house.option("No spice")),
    ];
    let unknown = |path: &str| {
        let parts = path.split('/').map(|part| match part {
            "{token}" => "AAAAAAAAAAAAAAAAAAAAAA",
            "{date}" => "2026-11-19",
            part if part.starts_with('{') => UNKNOWN,
            part => part,
        });
        parts.collect::<Vec<_>>().join("/")
    };
    let mut list = vec![unknown(path)];
    if let Some((pattern, id)) = known.iter().find(|(pattern, _)| path.starts_with(pattern)) {
        let real = format!("{}{id}{}", pattern.split('{').next().unwrap(), &path[pattern.len()..]);
        list.push(unknown(&real));
    }
    list
}

fn resolve<'a>(document: &'a Value, schema: &'a Value) -> &'a Value {
    match schema["$ref"].as_str() {
        Some(reference) => document.pointer(reference.trim_start_matches('#')).unwrap(),
        None => schema,
    }
}

/// What stands at the leaves of a made body.
struct Leaves {
    text: Value,
    number: Value,
    flag: Value,
}

impl Leaves {
    fn plain() -> Leaves {
        Leaves { text: json!("x"), number: json!(1), flag: json!(true) }
    }

    /// A body of the form `schema` wants, with these leaves.
    fn fill(&self, document: &Value, schema: &Value, depth: usize) -> Value {
        let schema = resolve(document, schema);
        if let Some(choices) = schema["anyOf"].as_array().or(schema["oneOf"].as_array()) {
            return self.fill(document, &choices[0], depth);
        }
        if let Some(only) = schema.get("const") {
            return only.clone();
        }
        if let Some(first) = schema["enum"].as_array().and_then(|list| list.first()) {
            return if self.text == "x" { first.clone() } else { self.text.clone() };
        }
        let kind = match &schema["type"] {
            Value::Array(kinds) => kinds[0].as_str(),
            kind => kind.as_str(),
        };
        match kind {
            Some("object") => {
                let empty = Map::new();
                let fields = schema["properties"].as_object().unwrap_or(&empty).iter();
                let made = fields.filter(|_| depth < 6);
                Value::Object(made.map(|(k, v)| (k.clone(), self.fill(document, v, depth + 1))).collect())
            }
            Some("array") => json!([self.fill(document, &schema["items"], depth + 1)]),
            Some("integer" | "number") => self.number.clone(),
            Some("boolean") => self.flag.clone(),
            _ if self.text == "x" => match schema["format"].as_str() {
                Some("uuid") => json!(UNKNOWN),
                Some("date") => json!("2026-11-20"),
                Some("date-time") => json!("2026-11-20T12:30:00.000Z"),
                _ => self.text.clone(),
            },
            _ => self.text.clone(),
        }
    }
}

/// JSON bodies of the right form with bad leaves.
fn made_bodies(document: &Value, schema: &Value) -> Vec<String> {
    let numbers = [
        "-1",
        "0",
        "9223372036854775807",
        "-9223372036854775808",
        "1e308",
        "0.0000001",
        "1000000000000000000000000000000",
        "99999999999.999999",
        "null",
        "\"5\"",
        "[]",
        "{}",
    ];
    let texts = [
        json!(""),
        json!(SQL),
        json!("\u{0}"),
        json!("\u{202e}\u{1F469}\u{200D}\u{1F373}"),
        json!("x".repeat(70_000)),
        json!("0001-01-01"),
        json!("9999-12-31"),
        json!("+262143-12-31T23:59:59Z"),
        json!(null),
        json!(7),
        json!({"$ne": 1}),
        json!([]),
    ];
    let flags = [json!("true"), json!(2), json!(null)];
    let numbers =
        numbers.map(|text| Leaves { number: serde_json::from_str(text).unwrap(), ..Leaves::plain() });
    let texts = texts.map(|text| Leaves { text, ..Leaves::plain() });
    let flags = flags.map(|flag| Leaves { flag, ..Leaves::plain() });
    let all = numbers.into_iter().chain(texts).chain(flags);
    all.map(|leaves| leaves.fill(document, schema, 0).to_string()).collect()
}

/// Bodies that fit nothing.
fn raw_bodies() -> Vec<Vec<u8>> {
    let mut list: Vec<Vec<u8>> =
        ["", "{\"name\":", "{\"a\": 1e400}", "nul", "{\"a\": 1} x", "\u{feff}{}", "{\"a\": 01}"]
            .map(|text| text.as_bytes().to_vec())
            .to_vec();
    list.push([b"{\"name\": \"", &[0xc3, 0x28, 0xff][..], b"\"}"].concat());
    list.push("[".repeat(100_000).into_bytes());
    list.push(format!("{}1{}", "{\"a\":".repeat(5_000), "}".repeat(5_000)).into_bytes());
    list
}

/// Rows of every table, without those that a refusal may leave: counted failures, first answers and their traces.
async fn rows(branch: &Branch) -> BTreeMap<String, i64> {
    let counted = branch.db.read(|conn| -> Result<_, edge::db::DbError> {
        let names = conn
            .prepare_cached(
                "SELECT name FROM sqlite_schema WHERE type = 'table' AND name NOT LIKE 'sqlite_%'",
            )?
            .query_map([], |row| row.get::<_, String>(0))?
            .collect::<Result<Vec<_>, _>>()?;
        let may_change =
            ["idempotency", "throttles", "audit_log", "sync_log", "notifications", "notification_events"];
        let mut found = BTreeMap::new();
        for name in names.into_iter().filter(|name| !may_change.contains(&name.as_str())) {
            let count = conn
                .prepare_cached(&format!("SELECT count(*) FROM {name}"))?
                .query_row([], |row| row.get(0))?;
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
    let (branch, house) = house().await;
    let (document, operations) = operations(&house.owner).await;
    let mut findings = Findings(Vec::new());
    let admin = branch.sign_in(Role::SuperAdmin);
    for (method, path, operation) in operations {
        if !matches!(method, Method::POST | Method::PUT | Method::PATCH) {
            continue;
        }
        let schema = &operation["requestBody"]["content"]["application/json"]["schema"];
        let mut bodies = raw_bodies();
        let fits_nothing = bodies.len();
        if !schema.is_null() {
            bodies.extend(made_bodies(&document, schema).into_iter().map(String::into_bytes));
        }
        for target in targets(&house, &path) {
            for (i, body) in bodies.iter().enumerate() {
                let before = rows(&branch).await;
                let request = admin.request(method.clone(), &target).header(CONTENT_TYPE, "application/json");
                let reply = admin.send(request.body(body.clone())).await;
                let sent = String::from_utf8_lossy(body);
                findings.judge(&operation, &sent, &reply);
                if i < fits_nothing && !schema.is_null() && reply.status < 400 {
                    findings.0.push(format!("{} took {sent:.80}", reply.asked));
                }
                if reply.status >= 400 && rows(&branch).await != before {
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
async fn no_body_is_too_large_to_refuse() {
    let (branch, house) = house().await;
    let (_, operations) = operations(&house.owner).await;
    let mut findings = Findings(Vec::new());
    for (method, path, operation) in operations {
        if operation["requestBody"]["content"]["application/json"].is_null() {
            continue;
        }
        let target = targets(&house, &path).remove(0);
        let large = format!("{{\"name\": \"{}\"}}", "x".repeat(10 * 1024 * 1024));
        let request =
            house.owner.request(method, &target).header(CONTENT_TYPE, "application/json").body(large);
        // The server may close the connection before everything was sent: then there is no answer to read.
        if let Ok(reply) = house.owner.try_send(request).await {
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
    let (branch, house) = house().await;
    let (_, operations) = operations(&house.owner).await;
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
        let target = targets(&house, path).remove(0);
        let before = rows(&branch).await;
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
        if *method == Method::GET && rows(&branch).await != before {
            findings.0.push(format!("{method} {path} wrote"));
        }
    }
    findings.end();
}
