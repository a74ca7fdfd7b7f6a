//! A branch at work: orders, payments, bills, voids, refunds, and changes to the menu, drawn by a seed and sent through the API.
//! Remembers what was answered; never decides whether that is right.

use crate::{Client, Dice};
use serde_json::{Value, json};
use std::collections::BTreeMap;
use std::future::Future;
use std::pin::Pin;
use tiffin_common::Uuid;

/// An answer that is on its way: the status and the body; none when the power went.
pub type Told<'a> = Pin<Box<dyn Future<Output = Option<(u16, Value)>> + Send + 'a>>;

/// Whatever carries a request to a branch: real HTTP, or its router in the same process.
pub trait Till: Send + Sync {
    /// Sends `body` to a path below `/api/v1`.
    fn call<'a>(&'a self, method: &'static str, path: String, key: Option<String>, body: Value) -> Told<'a>;
}

impl Till for Client {
    fn call<'a>(&'a self, method: &'static str, path: String, key: Option<String>, body: Value) -> Told<'a> {
        Box::pin(async move {
            let mut request = self.request(method.parse().unwrap(), &path);
            if let Some(key) = key {
                request = request.header("Idempotency-Key", key);
            }
            if !body.is_null() {
                request = request.json(&body);
            }
            let reply = self.try_send(request).await.ok()?;
            Some((reply.status, serde_json::from_str(&reply.text).unwrap_or_default()))
        })
    }
}

/// What a branch has answered.
#[derive(Debug, Clone, Default)]
pub struct Ledger {
    /// Orders that were confirmed, by id: their numbers.
    pub orders: BTreeMap<Uuid, String>,
    /// Payments by id: what they took, in cents.
    pub payments: BTreeMap<Uuid, i64>,
    /// Bills by order: their numbers.
    pub invoices: BTreeMap<Uuid, String>,
    /// Descriptions given to dishes, which nobody else changes.
    pub descriptions: BTreeMap<Uuid, String>,
    /// What was answered that never may be.
    pub problems: Vec<String>,
    /// Actions that were confirmed.
    pub confirmed: u64,
}

/// Somebody working at a branch.
pub struct Shift {
    dice: Dice,
    name: String,
    turn: u64,
    dishes: Vec<(String, i64)>,
    open: Vec<String>,
    paid: Vec<String>,
    suppliers: Vec<String>,
    /// Changes to shared rows, in a thousand actions.
    pub edits: u64,
}

impl Shift {
    /// `name` keeps the idempotency keys of several shifts apart.
    pub fn new(name: &str, dice: Dice) -> Shift {
        Shift {
            dice,
            name: name.to_owned(),
            turn: 0,
            dishes: Vec::new(),
            open: Vec::new(),
            paid: Vec::new(),
            suppliers: Vec::new(),
            edits: 100,
        }
    }

    /// Does one thing. Answers false when the power went in the middle of it.
    pub async fn act(&mut self, till: &dyn Till, ledger: &mut Ledger) -> bool {
        if self.turn == 0 && !self.take_over(till, ledger).await {
            return false;
        }
        let look = self.dishes.is_empty() || self.turn.is_multiple_of(50);
        if look && !self.read_menu(till, ledger).await {
            return false;
        }
        self.turn += 1;
        let done = if self.dice.happens(self.edits) {
            self.edit(till, ledger).await
        } else {
            match self.dice.below(100) {
                0..50 => self.sell(till, ledger).await,
                50..70 => self.begin(till, ledger).await.map(drop),
                70..78 => self.add(till, ledger).await,
                78..83 => self.void(till, ledger).await,
                83..92 => self.settle_open(till, ledger).await,
                92..95 => self.cancel(till, ledger).await,
                _ => self.refund(till, ledger).await,
            }
        };
        done.is_some()
    }

    /// Sends one request under a key of its own and judges the answer; the outer none means that the power went.
    async fn ask(
        &mut self,
        till: &dyn Till,
        ledger: &mut Ledger,
        method: &'static str,
        path: String,
        body: Value,
    ) -> Option<Option<Value>> {
        self.turn += 1;
        let key = (method == "POST").then(|| format!("{}-{}", self.name, self.turn));
        let (status, answer) = till.call(method, path.clone(), key, body).await?;
        if (200..300).contains(&status) {
            ledger.confirmed += 1;
            return Some(Some(if answer["success"] == true { answer["data"].clone() } else { answer }));
        }
        if ![404, 409, 412, 422, 503, 507].contains(&status) {
            ledger.problems.push(format!("{method} {path} answered {status}: {answer}"));
        }
        Some(None)
    }

    /// What those before left open is gone on with.
    async fn take_over(&mut self, till: &dyn Till, ledger: &mut Ledger) -> bool {
        let path = "/orders?status=PENDING&limit=100".to_owned();
        let Some(list) = self.ask(till, ledger, "GET", path, Value::Null).await else { return false };
        let orders = list.unwrap_or_default()["data"].as_array().cloned().unwrap_or_default();
        let unpaid = orders.iter().filter(|order| order["dueCents"].as_i64().is_some_and(|due| due > 0));
        self.open = unpaid.filter_map(|order| order["id"].as_str().map(str::to_owned)).collect();
        true
    }

    async fn read_menu(&mut self, till: &dyn Till, ledger: &mut Ledger) -> bool {
        let Some(menu) = self.ask(till, ledger, "GET", "/menu".into(), Value::Null).await else {
            return false;
        };
        let menu = menu.unwrap_or_default();
        let categories = menu["categories"].as_array().cloned().unwrap_or_default();
        let items =
            categories.iter().flat_map(|category| category["items"].as_array().cloned().unwrap_or_default());
        let free = |item: &Value| {
            let groups = item["modifierGroups"].as_array().cloned().unwrap_or_default();
            groups.iter().all(|group| group["minSelections"] == 0)
        };
        self.dishes = items
            .filter(|item| item["isAvailable"] == true && free(item))
            .filter_map(|item| Some((item["id"].as_str()?.to_owned(), item["priceCents"].as_i64()?)))
            .collect();
        true
    }

    fn lines(&self) -> Vec<Value> {
        let count = self.dice.between(1, 4);
        let dish = |_| {
            let (id, price) = self.dice.pick(&self.dishes);
            json!({"menuItemId": id, "quantity": self.dice.between(1, 3), "unitPriceCents": price})
        };
        (0..count).map(dish).collect()
    }

    /// Opens an order; answers its id and total.
    async fn begin(&mut self, till: &dyn Till, ledger: &mut Ledger) -> Option<Option<(String, i64)>> {
        if self.dishes.is_empty() {
            return Some(None);
        }
        let body = json!({"orderType": "COUNTER", "items": self.lines()});
        let Some(order) = self.ask(till, ledger, "POST", "/orders".into(), body).await? else {
            return Some(None);
        };
        let id = order["id"].as_str()?.to_owned();
        let number = order["orderNumber"].as_str()?.to_owned();
        ledger.orders.insert(id.parse().ok()?, number);
        self.open.push(id.clone());
        Some(Some((id, order["totalAmountCents"].as_i64()?)))
    }

    async fn sell(&mut self, till: &dyn Till, ledger: &mut Ledger) -> Option<()> {
        if let Some((id, total)) = self.begin(till, ledger).await? {
            self.open.pop();
            self.pay(till, ledger, id, total).await?;
        }
        Some(())
    }

    async fn pay(&mut self, till: &dyn Till, ledger: &mut Ledger, id: String, due: i64) -> Option<()> {
        if due > 0 {
            let body = json!({"method": "CASH", "amountCents": due});
            let paid = self.ask(till, ledger, "POST", format!("/orders/{id}/payments"), body).await?;
            if let Some(payment) = paid.and_then(|paid| paid["payment"]["id"].as_str()?.parse().ok()) {
                ledger.payments.insert(payment, due);
            }
        }
        let bill = self.ask(till, ledger, "POST", format!("/orders/{id}/invoice"), json!({})).await?;
        if let Some(number) = bill.and_then(|bill| bill["invoiceNumber"].as_str().map(str::to_owned)) {
            ledger.invoices.insert(id.parse().ok()?, number);
        }
        self.paid.push(id);
        Some(())
    }

    fn take_open(&mut self) -> Option<String> {
        let at = usize::try_from(self.dice.below(self.open.len() as u64)).ok()?;
        (at < self.open.len()).then(|| self.open.swap_remove(at))
    }

    async fn add(&mut self, till: &dyn Till, ledger: &mut Ledger) -> Option<()> {
        let Some(id) = self.take_open() else { return Some(()) };
        let body = json!({"items": self.lines()});
        self.ask(till, ledger, "POST", format!("/orders/{id}/items"), body).await?;
        self.open.push(id);
        Some(())
    }

    async fn void(&mut self, till: &dyn Till, ledger: &mut Ledger) -> Option<()> {
        let Some(id) = self.take_open() else { return Some(()) };
        let order = self.ask(till, ledger, "GET", format!("/orders/{id}"), Value::Null).await?;
        if let Some(item) = order.as_ref().and_then(|order| order["items"][0]["id"].as_str()) {
            let body = json!({"reason": "sent back", "wasMade": self.dice.happens(500)});
            self.ask(till, ledger, "POST", format!("/orders/{id}/items/{item}/void"), body).await?;
            self.open.push(id);
        }
        Some(())
    }

    async fn settle_open(&mut self, till: &dyn Till, ledger: &mut Ledger) -> Option<()> {
        let Some(id) = self.take_open() else { return Some(()) };
        let order = self.ask(till, ledger, "GET", format!("/orders/{id}"), Value::Null).await?;
        if let Some(due) = order.and_then(|order| order["dueCents"].as_i64()) {
            self.pay(till, ledger, id, due).await?;
        }
        Some(())
    }

    async fn cancel(&mut self, till: &dyn Till, ledger: &mut Ledger) -> Option<()> {
        let Some(id) = self.take_open() else { return Some(()) };
        let body = json!({"status": "CANCELLED", "reason": "left"});
        self.ask(till, ledger, "PATCH", format!("/orders/{id}/status"), body).await.map(drop)
    }

    async fn refund(&mut self, till: &dyn Till, ledger: &mut Ledger) -> Option<()> {
        if self.paid.is_empty() {
            return Some(());
        }
        let id = self.dice.pick(&self.paid).clone();
        let body = json!({"amountCents": 100, "reason": "cold", "restock": false});
        self.ask(till, ledger, "POST", format!("/orders/{id}/refunds"), body).await.map(drop)
    }

    /// Changes a shared row.
    async fn edit(&mut self, till: &dyn Till, ledger: &mut Ledger) -> Option<()> {
        let stamp = format!("{}-{}", self.name, self.turn);
        let some_dish = (!self.dishes.is_empty()).then(|| self.dice.pick(&self.dishes).0.clone());
        match (self.dice.below(10), some_dish) {
            (0..3, Some(dish)) => {
                let body = json!({"priceCents": self.dice.between(50, 900) * 100});
                self.ask(till, ledger, "PATCH", format!("/menu/items/{dish}"), body).await?;
            }
            (3..6, Some(dish)) => {
                let text = format!("as of {stamp}");
                let body = json!({"description": text});
                if self.ask(till, ledger, "PATCH", format!("/menu/items/{dish}"), body).await?.is_some() {
                    ledger.descriptions.insert(dish.parse().ok()?, text);
                }
            }
            (6, Some(dish)) if self.dishes.len() > 4 => {
                self.dishes.retain(|(id, _)| *id != dish);
                self.ask(till, ledger, "DELETE", format!("/menu/items/{dish}"), Value::Null).await?;
            }
            (7, _) if !self.suppliers.is_empty() => {
                let supplier = self.dice.pick(&self.suppliers).clone();
                let body = json!({"phone": format!("+91 80 {:06}", self.dice.below(1_000_000))});
                self.ask(till, ledger, "PATCH", format!("/inventory/suppliers/{supplier}"), body).await?;
            }
            _ => {
                let body = json!({"name": format!("Supplier {stamp}")});
                let made = self.ask(till, ledger, "POST", "/inventory/suppliers".into(), body).await?;
                self.suppliers.extend(made.and_then(|made| made["id"].as_str().map(str::to_owned)));
            }
        }
        Some(())
    }
}
