//! The branch under load: the sample restaurant, made and served by the program that is shipped with everything on (authentication,
//! validation, idempotency, logging), with more in stock than the run sells; and the orders that all contenders take.

use super::till::Tills;
use serde_json::{Value, json};
use std::path::{Path, PathBuf};
use tiffin_tests::{Client, Dice, Edge, sample};

/// Different orders, so that no dish's pages are written by all of them.
const ORDERS: u64 = 24;

/// Lines of an order.
const LINES: usize = 3;

/// A running branch and its orders.
pub(super) struct Branch {
    pub(super) edge: Edge,
    pub(super) owner: Client,
    pub(super) data: PathBuf,
    pub(super) tills: Tills,
    pub(super) bodies: Vec<String>,
}

impl Branch {
    pub(super) async fn make(data: &Path) -> Branch {
        Branch::make_after(data, "0").await
    }

    /// One that has traded for so many days.
    pub(super) async fn make_after(data: &Path, days: &str) -> Branch {
        sample::init_after(data, "BLR1", days);
        let edge = Edge::serve(data, &[]).await;
        let owner = sample::owner_of_plenty(&edge).await;
        fill_shelves(&owner).await;
        let bodies = bodies(&owner).await;
        let tills = Tills::new(owner.token().unwrap(), bodies.iter().cloned());
        Branch { edge, owner, data: data.to_owned(), tills, bodies }
    }

    pub(super) fn database(&self) -> PathBuf {
        self.data.join("tiffin.db")
    }
}

/// Ten tonnes of everything.
async fn fill_shelves(owner: &Client) {
    let items = owner.get("/inventory/items?limit=100").await.expect(200).json();
    for item in items["items"].as_array().unwrap() {
        let receipt = json!({
            "inventoryItemId": item["id"], "quantityDelta": 10_000_000, "unitCostCents": 5000, "reason": "opening",
        });
        owner.post("/inventory/adjustments", receipt).await.expect(201);
    }
}

/// The orders: lines drawn from the whole menu, always the same ones.
async fn bodies(owner: &Client) -> Vec<String> {
    let (lines, dice) = (sample::lines(owner, usize::MAX).await, Dice::new(12));
    let order = |_| {
        let mut chosen: Vec<Value> = Vec::new();
        while chosen.len() < LINES {
            let line = dice.pick(&lines);
            if !chosen.contains(line) {
                chosen.push(line.clone());
            }
        }
        json!({"orderType": "COUNTER", "items": chosen}).to_string()
    };
    (0..ORDERS).map(order).collect()
}
