//! What a branch's manager is sent to do at a certain moment: the very change that a trouble needs. Never decides whether its answer is right.

use serde_json::{Value, json};
use tiffin_common::{Millis, Uuid};
use tiffin_tests::trade::{Ledger, Till};

/// A little stock: of a dish or two.
const LITTLE: f64 = 0.2;

/// See the module.
#[derive(Debug, Clone)]
pub enum Errand {
    /// Gives a dish another price.
    Price(Uuid, i64),
    /// Describes a dish.
    Describe(Uuid, String),
    /// Notes a supplier's telephone number.
    Phone(Uuid, String),
    /// Takes in a little more than was sold without stock, of everything that was.
    Restock,
    /// Says what time it is.
    Time(Millis),
}

impl Errand {
    /// Does it; what is refused is left.
    pub async fn run(self, till: &dyn Till, ledger: &mut Ledger) {
        let (method, path, body) = match &self {
            Errand::Price(dish, cents) => {
                ("PATCH", format!("/menu/items/{dish}"), json!({"priceCents": cents}))
            }
            Errand::Describe(dish, text) => {
                ("PATCH", format!("/menu/items/{dish}"), json!({"description": text}))
            }
            Errand::Phone(supplier, phone) => {
                ("PATCH", format!("/inventory/suppliers/{supplier}"), json!({"phone": phone}))
            }
            Errand::Time(now) => ("POST", "/status/clock".to_owned(), json!({"now": now.to_string()})),
            Errand::Restock => return restock(till).await,
        };
        let answer: Option<(u16, Value)> = till.call(method, path, None, body).await;
        if let (Errand::Describe(dish, text), Some((200, _))) = (self, answer) {
            ledger.descriptions.insert(dish, text);
        }
    }
}

async fn restock(till: &dyn Till) {
    let list = till.call("GET", "/inventory/items?limit=100".to_owned(), None, Value::Null).await;
    let Some((200, items)) = list else { return };
    for item in items["items"].as_array().into_iter().flatten() {
        let Some(lacking) = item["currentStock"].as_f64().filter(|stock| *stock < 0.0) else { continue };
        let body = json!({
            "inventoryItemId": item["id"], "quantityDelta": LITTLE - lacking, "unitCostCents": 500, "reason": "delivery",
        });
        let _told = till.call("POST", "/inventory/adjustments".to_owned(), None, body).await;
    }
}
