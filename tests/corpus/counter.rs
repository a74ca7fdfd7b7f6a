//! A counter that sells: order, payment, bill, over the branch's API in this process. Never a row that the API did not make.

use super::Source;
use crate::Dice;
use axum::Router;
use axum::body::Body;
use edge::access::{Principal, Role};
use edge::app;
use edge::cli::sample::seed::Seeded;
use edge::config::{Config, Sources};
use edge::data_dir::DataDir;
use edge::db::{Db, Env};
use edge::http::shutdown::Shutdown;
use edge::state::AppState;
use http_body_util::BodyExt;
use serde_json::{Value, json};
use std::ops::Range;
use std::sync::Arc;
use tiffin_common::clock::ManualClock;

/// See the module.
pub(super) struct Counter {
    state: AppState,
    router: Router,
    clock: Arc<ManualClock>,
    seeded: Seeded,
    _shutdown: Shutdown,
    role: Role,
    /// Draws the keys under which it sends what must not be done twice, as every till does.
    keys: Dice,
}

impl Counter {
    /// At the branch in `data`.
    pub(super) fn open(data: &DataDir, env: Env, clock: Arc<ManualClock>, seeded: Seeded) -> Counter {
        let flags = [("limit-general", "off".to_owned())].into();
        let config = Config::resolve(&Sources { flags, ..Sources::default() }).unwrap();
        let shutdown = Shutdown::new();
        let state = app::open(&config, data, env, "http://branch.local", &shutdown).unwrap();
        Counter {
            router: app::router(state.clone()),
            state,
            clock,
            seeded,
            _shutdown: shutdown,
            role: Role::Owner,
            keys: Dice::new(0),
        }
    }

    pub(super) fn db(&self) -> &Db {
        &self.state.db
    }

    /// Sells `source.orders` times; answers the log rows of each.
    pub(super) async fn trade(&mut self, source: Source) -> Vec<Range<usize>> {
        let dice = Dice::fork(source.seed, "guests");
        self.keys = Dice::fork(source.seed, "keys");
        self.role = *dice.pick(&[Role::Cashier, Role::Owner]);
        let mut orders = Vec::new();
        let mut start = super::log(&self.state.db).len();
        for _ in 0..source.orders {
            self.clock.advance(dice.between(20_000, 400_000) as i64);
            let dishes = self.dishes().await;
            let lines = (0..dice.between(2, 5)).map(|_| {
                let (id, price) = dice.pick(&dishes);
                json!({"menuItemId": id, "quantity": dice.between(1, 3), "unitPriceCents": price})
            });
            let body =
                json!({"orderType": dice.pick(&["COUNTER", "TAKEAWAY"]), "items": lines.collect::<Vec<_>>()});
            let order = self.call("POST", "/orders", body).await;
            let path = format!("/orders/{}", order["id"].as_str().unwrap());
            let method = dice.pick(&["CASH", "CASH", "UPI", "CARD"]);
            let pay = json!({"method": method, "amountCents": order["totalAmountCents"]});
            self.clock.advance(dice.between(5_000, 60_000) as i64);
            self.call("POST", &format!("{path}/payments"), pay).await;
            self.clock.advance(dice.between(500, 5_000) as i64);
            let end = super::log(&self.state.db).len();
            orders.push(start..end);
            start = end;
        }
        orders
    }

    /// The dishes that may be ordered as they are, with their prices.
    async fn dishes(&self) -> Vec<(String, i64)> {
        let menu = self.call("GET", "/menu", Value::Null).await;
        let items = menu["categories"]
            .as_array()
            .unwrap()
            .iter()
            .flat_map(|category| category["items"].as_array().unwrap());
        let is_free = |item: &&Value| {
            item["modifierGroups"].as_array().unwrap().iter().all(|group| group["minSelections"] == 0)
                && item["isAvailable"] == true
        };
        items
            .filter(is_free)
            .map(|item| (item["id"].as_str().unwrap().to_owned(), item["priceCents"].as_i64().unwrap()))
            .collect()
    }

    async fn call(&self, method: &str, path: &str, body: Value) -> Value {
        let request = hyper::Request::builder()
            .method(method)
            .uri(format!("/api/v1{path}"))
            .header("authorization", format!("Bearer {}", self.token()))
            .header("host", "branch.local")
            .header("content-type", "application/json")
            .header("x-outlet-id", self.seeded.outlet.id.to_string());
        let request = match method {
            "POST" => request
                .header("idempotency-key", format!("{:016x}{:016x}", self.keys.next(), self.keys.next())),
            _ => request,
        };
        let body = if body.is_null() { Body::empty() } else { Body::from(body.to_string()) };
        let mut router = self.router.clone();
        let response = tower::Service::call(&mut router, request.body(body).unwrap()).await.unwrap();
        let (status, body) = (response.status(), response.into_body());
        let bytes = body.collect().await.unwrap().to_bytes();
        let text = String::from_utf8_lossy(&bytes);
        assert!(status.is_success(), "{method} {path}: {status} {text}");
        let answer: Value = serde_json::from_slice(&bytes).unwrap();
        if answer["success"] == true { answer["data"].clone() } else { answer }
    }

    fn token(&self) -> String {
        let who = self.seeded.actor(self.role);
        let session = uuid::Uuid::from_u128(0x0190_0000_0000_7000_8000_0000_0000_0005);
        let principal = Principal {
            account_id: who.account_id.unwrap(),
            session_id: session,
            employee_id: who.employee_id,
            name: who.name.clone(),
            role: self.role,
            outlets: vec![self.seeded.outlet.id],
            by_pin: false,
        };
        self.state.tokens.issue(&principal, session, 24 * 3_600_000).unwrap()
    }
}
