//! What a branch's manager is sent to do at a certain moment: the very change that a trouble needs. Never decides whether its answer is right.

use serde_json::{Value, json};
use tiffin_common::{Millis, Uuid};
use tiffin_tests::trade::{Ledger, Till};

/// See the module.
#[derive(Debug, Clone)]
pub enum Errand {
    /// Gives a dish another price.
    Price(Uuid, i64),
    /// Describes a dish.
    Describe(Uuid, String),
    /// Notes a supplier's telephone number.
    Phone(Uuid, String),
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
        };
        let answer: Option<(u16, Value)> = till.call(method, path, None, body).await;
        if let (Errand::Describe(dish, text), Some((200, _))) = (self, answer) {
            ledger.descriptions.insert(dish, text);
        }
    }
}
