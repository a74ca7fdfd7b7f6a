//! The branch under load: everything on (authentication, validation, limits, logging), a menu whose dishes have recipes of six
//! ingredients, two stations. Its load comes over plain sockets, so that the generator costs little of the two cores.

use super::Taker;
use super::report::median;
use edge::access::{Actor, Principal, Role};
use edge::app;
use edge::config::{Config, Sources};
use edge::data_dir::DataDir;
use edge::db::{Db, DbError, Env};
use edge::http::shutdown::Shutdown;
use edge::resources::{auth, orders};
use edge::serve::{self, Bounds};
use edge::sync::outlet_of;
use serde_json::{Value, json};
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::Instant;
use tiffin_tests::{Client, set_up};
use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::{TcpListener, TcpStream};

/// A running branch with its menu.
pub(super) struct Shop {
    pub(super) db: Db,
    pub(super) path: PathBuf,
    address: String,
    client: Client,
    actor: Actor,
    body: Arc<Value>,
    keys: Arc<AtomicU64>,
}

impl Shop {
    pub(super) async fn open(folder: &Path) -> Shop {
        let log = std::fs::File::create(folder.with_extension("log")).unwrap();
        tracing_subscriber::fmt().with_writer(std::sync::Mutex::new(log)).with_ansi(false).init();
        let place = folder.to_owned();
        let made = move || set_up::init(&place, &["--outlet-name", "Outlet BLR1"], &Env::system());
        tokio::task::spawn_blocking(made).await.unwrap();
        let data = DataDir::open(folder).unwrap();
        let flags = [("limit-general", "1000000/1".to_owned())].into();
        let config = Config::resolve(&Sources { flags, ..Sources::default() }).unwrap();
        let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
        let address = listener.local_addr().unwrap().to_string();
        let shutdown = Shutdown::new();
        let begin = Instant::now();
        let state =
            app::open(&config, &data, Env::system(), &format!("http://{address}"), &shutdown).unwrap();
        println!("opened an empty branch in {:.1} ms", begin.elapsed().as_secs_f64() * 1e3);
        let db = state.db.clone();
        let outlet_id = db.read(|from| outlet_of(from)).await.unwrap().unwrap().id;
        let id = || db.env().ids.next(db.env().clock.now());
        let principal = Principal {
            account_id: id(),
            session_id: id(),
            employee_id: None,
            name: "Owner".into(),
            role: Role::Owner,
            outlets: vec![outlet_id],
        };
        let token = state.tokens.issue(&principal, id(), 3_600_000).unwrap();
        let bounds = Bounds::from(&config.network);
        let router = app::router(state);
        tokio::spawn(async move { serve::run(&listener, router, bounds, &shutdown).await });
        let client = Client::new(&format!("http://{address}")).with_token(token).with_outlet(outlet_id);
        let body = Arc::new(build_menu(&client).await);
        let actor = Actor {
            account_id: Some(principal.account_id),
            role: Some(Role::Owner),
            name: principal.name,
            ..Actor::system(outlet_id)
        };
        Shop { db, path: data.database(), address, client, actor, body, keys: Arc::default() }
    }

    /// Takes one order over HTTP, with an idempotency key.
    pub(super) async fn one_order(&self) {
        self.connect().await.take().await;
    }

    /// A taker over a kept-alive connection.
    pub(super) async fn connect(&self) -> Connection {
        let stream = TcpStream::connect(&self.address).await.unwrap();
        stream.set_nodelay(true).unwrap();
        let body = self.body.to_string();
        let head = format!(
            "POST /api/v1/orders HTTP/1.1\r\nHost: {}\r\nAuthorization: Bearer {}\r\nContent-Type: application/json\r\n\
             Content-Length: {}\r\nIdempotency-Key: ",
            self.address,
            self.client.token().unwrap(),
            body.len()
        );
        Connection { stream, head, body, keys: Arc::clone(&self.keys), buffer: Vec::with_capacity(8192) }
    }

    /// A taker that runs the same action through the writer, without HTTP.
    pub(super) async fn action(&self) -> Action {
        let line = |item: &Value| orders::rules::LineRequest {
            menu_item_id: item["menuItemId"].as_str().unwrap().parse().unwrap(),
            quantity: item["quantity"].as_i64().unwrap(),
            unit_price: item["unitPriceCents"].as_i64().map(tiffin_common::Cents::new),
            modifiers: item["modifiers"]
                .as_array()
                .into_iter()
                .flatten()
                .map(|modifier| orders::rules::ModifierRequest {
                    option_id: Some(modifier["optionId"].as_str().unwrap().parse().unwrap()),
                    name: None,
                    price: None,
                })
                .collect(),
            notes: None,
            course: None,
            seat_number: None,
        };
        let command = orders::actions::place::PlaceOrder {
            order_type: orders::rules::OrderType::Counter,
            source: orders::rules::Source::Pos,
            table_id: None,
            table_number: None,
            customer_name: None,
            customer_phone: None,
            notes: None,
            guest_count: None,
            scheduled_for: None,
            lines: self.body["items"].as_array().unwrap().iter().map(line).collect(),
        };
        Action { db: self.db.clone(), actor: self.actor.clone(), command }
    }

    /// How long a page of orders takes as history grows.
    pub(super) async fn lists(&self) {
        println!("\norders in history   GET /orders ms   page 100 ms   status=PENDING ms");
        for total in [10_000_i64, 100_000, 1_000_000] {
            self.db.write(move |tx| grow(tx, total)).await.unwrap();
            let time = async |path: &str| {
                let mut all = Vec::new();
                for _ in 0..21 {
                    let begin = Instant::now();
                    self.client.get(path).await.expect(200);
                    all.push(begin.elapsed().as_secs_f64() * 1e3);
                }
                median(all.into_iter())
            };
            let (first, deep, status) =
                (time("/orders").await, time("/orders?page=100").await, time("/orders?status=PENDING").await);
            println!("{total:>17} {first:>16.2} {deep:>13.2} {status:>19.2}");
        }
    }
}

/// Copies orders until there are `total`, on business dates of their own.
fn grow(tx: &edge::db::Tx<'_>, total: i64) -> Result<(), DbError> {
    let columns: Vec<String> = {
        let mut statement = tx.prepare("SELECT name FROM pragma_table_info('orders')")?;
        statement.query_map([], |row| row.get(0))?.collect::<Result<_, _>>()?
    };
    let triggers: Vec<(String, String)> = {
        let mut statement =
            tx.prepare("SELECT name, sql FROM sqlite_master WHERE type = 'trigger' AND tbl_name = 'orders'")?;
        statement.query_map([], |row| Ok((row.get(0)?, row.get(1)?)))?.collect::<Result<_, _>>()?
    };
    for (name, sql) in triggers.iter().filter(|(_, sql)| sql.contains("tiffin_capture")) {
        assert!(!sql.is_empty());
        tx.execute_batch(&format!("DROP TRIGGER \"{name}\""))?;
    }
    let value = |column: &String| match column.as_str() {
        "id" => "randomblob(16)".to_owned(),
        "business_date" => "printf('%04d-%02d-%02d', 1000 + n / 336, 1 + n % 12, 1 + n % 28)".to_owned(),
        "token_number" => "1000000 + n".to_owned(),
        "created_at" => "created_at - n * 1000".to_owned(),
        "status" => "iif(n % 1000 = 0, 'PENDING', 'COMPLETED')".to_owned(),
        other => other.to_owned(),
    };
    let values: Vec<String> = columns.iter().map(value).collect();
    let sql = format!(
        "WITH RECURSIVE have(c) AS (SELECT count(*) FROM orders),
           numbers(n) AS (SELECT (SELECT c FROM have) + 1 UNION ALL SELECT n + 1 FROM numbers WHERE n < ?1)
         INSERT INTO orders ({}) SELECT {} FROM numbers, (SELECT * FROM orders ORDER BY created_at DESC LIMIT 1)",
        columns.join(", "),
        values.join(", ")
    );
    tx.execute(&sql, [total])?;
    for (_, sql) in &triggers {
        if sql.contains("tiffin_capture") {
            tx.execute_batch(sql)?;
        }
    }
    Ok(())
}

/// Builds the menu and returns the order: three lines, two modifiers, recipes of six ingredients, two stations.
async fn build_menu(client: &Client) -> Value {
    let make = async |path: &str, body: Value| {
        client.post(path, body).await.expect(201).data()["id"].as_str().unwrap().to_owned()
    };
    let hot = make("/kitchen/stations", json!({"name": "Hot", "isDefault": true})).await;
    let bar = make("/kitchen/stations", json!({"name": "Bar"})).await;
    let components = json!([{"name": "CGST", "rateBps": 250}, {"name": "SGST", "rateBps": 250}]);
    let tax = make("/menu/tax-categories", json!({"name": "GST", "components": components})).await;
    let category = make("/menu/categories", json!({"name": "Mains"})).await;
    let group =
        json!({"name": "Size", "minSelections": 0, "options": [{"name": "Large", "priceCents": 2000}]});
    let group = client.post("/menu/modifier-groups", group).await.expect(201).data();
    let mut stock = Vec::new();
    for i in 0..18 {
        let item = json!({"name": format!("Ingredient {i}"), "category": "Dry", "unit": "kg", "minStockThreshold": 0});
        let id = make("/inventory/items", item).await;
        let adjustment = json!({"inventoryItemId": id, "quantityDelta": 100_000_000, "unitCostCents": 5000, "reason": "opening"});
        client.post("/inventory/adjustments", adjustment).await.expect(201);
        stock.push(id);
    }
    let mut items = Vec::new();
    for (i, ingredients) in stock.chunks(6).enumerate() {
        let dish = json!({
            "name": format!("Dish {i}"), "categoryId": category, "priceCents": 20_000 + i, "taxCategoryId": tax,
            "stationId": if i == 2 { &bar } else { &hot }, "modifierGroups": [group["id"]],
        });
        let id = make("/menu/items", dish).await;
        let list: Vec<Value> = ingredients
            .iter()
            .map(|s| json!({"inventoryItemId": s, "quantity": 37.5, "unit": "g"}))
            .collect();
        client
            .put(&format!("/inventory/recipes/{id}"), json!({"yield": 1, "ingredients": list}))
            .await
            .expect(200);
        let option = json!([{"optionId": group["options"][0]["id"]}]);
        let modifiers = if i < 2 { option } else { json!([]) };
        items.push(json!({"menuItemId": id, "quantity": i + 1, "unitPriceCents": 20_000 + i, "modifiers": modifiers}));
    }
    json!({"orderType": "COUNTER", "items": items})
}

/// One kept-alive connection.
pub(super) struct Connection {
    stream: TcpStream,
    head: String,
    body: String,
    keys: Arc<AtomicU64>,
    buffer: Vec<u8>,
}

impl Taker for Connection {
    async fn take(&mut self) {
        let key = self.keys.fetch_add(1, Ordering::Relaxed);
        let request = format!("{}{key}\r\n\r\n{}", self.head, self.body);
        self.stream.write_all(request.as_bytes()).await.unwrap();
        self.buffer.clear();
        loop {
            assert!(self.stream.read_buf(&mut self.buffer).await.unwrap() > 0, "the server hung up");
            if self.is_complete() {
                assert!(
                    self.buffer.starts_with(b"HTTP/1.1 201"),
                    "{}",
                    String::from_utf8_lossy(&self.buffer)
                );
                return;
            }
        }
    }
}

impl Connection {
    fn is_complete(&self) -> bool {
        let Some(end) = self.buffer.windows(4).position(|four| four == b"\r\n\r\n") else { return false };
        let head = String::from_utf8_lossy(&self.buffer[..end]).to_ascii_lowercase();
        let length = head.lines().find_map(|line| line.strip_prefix("content-length:")).unwrap();
        self.buffer.len() >= end + 4 + length.trim().parse::<usize>().unwrap()
    }
}

/// The same action without HTTP.
pub(super) struct Action {
    db: Db,
    actor: Actor,
    command: orders::actions::place::PlaceOrder,
}

impl Taker for Action {
    async fn take(&mut self) {
        let (actor, command) = (self.actor.clone(), self.command.clone());
        let pin = auth::rules::ApproverPin::default();
        let placed = self
            .db
            .write(move |tx| orders::actions::place(tx, &actor, command, &pin).map(|p| p.order.id))
            .await;
        placed.map_err(|error: orders::rules::OrderError| error.to_string()).unwrap();
    }
}
