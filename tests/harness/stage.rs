//! What arbitrary requests are aimed at: a branch with something of everything in it, and the ids of it.

use crate::{Branch, Client, House};
use serde_json::{Value, json};

/// An id that nobody has.
pub const UNKNOWN: &str = "01939f00-0000-7000-8000-00000000dead";

/// A branch with something of everything in it, and the ids a request may name: by the path that leads to them, and by
/// the field that holds them.
pub struct Stage {
    /// The branch.
    pub branch: Branch,
    /// Signed in as the owner.
    pub owner: Client,
    /// Beginnings of routes, and what stands for their parameters (the last ones first, where several).
    pub paths: Vec<(&'static str, String)>,
    /// Fields of bodies.
    pub fields: Vec<(&'static str, String)>,
}

impl Stage {
    /// Sets it.
    pub async fn set() -> Stage {
        let branch = Branch::start().await;
        let house = House::open(&branch).await;
        let owner = house.owner.clone();
        let order = house.place(&owner, house.at_table(1, &[("Dal", 50), ("Lassi", 2)])).await;
        let id = |record: &Value| record["id"].as_str().unwrap().to_owned();
        let (order, line) = (id(&order), id(&order["items"][0]));
        let made = async |path: &str, body: Value| id(&owner.post(path, body).await.expect(201).data());
        let drawer = made("/cash-sessions", json!({"openingFloatCents": 1_000})).await;
        let supplier = made("/inventory/suppliers", json!({"name": "Farm"})).await;
        let ticket = id(&owner.get("/kitchen/tickets").await.json()["data"][0]);
        let item = |path: &'static str, id: &str| (path, id.to_owned());
        let paths = vec![
            item("/orders/{id}/items/{itemId}", &format!("{order}/items/{line}")),
            item("/orders/{id}", &order),
            item("/cash-sessions/{id}", &drawer),
            item("/kitchen/tickets/{id}", &ticket),
            item("/kitchen/stations/{id}", house.station("Bar")),
            item("/menu/items/{id}", house.dish("Dal")),
            item("/menu/modifier-options/{id}", house.option("No spice")),
            item("/inventory/recipes/{id}", house.dish("Dal")),
            item("/inventory/items/{id}", house.stock("Rice")),
            item("/inventory/preparations/{id}", house.stock("Gravy")),
            item("/inventory/suppliers/{id}", &supplier),
            item("/tables/{id}", house.table(3)),
            item("/outlets/{id}", &branch.outlet_id.to_string()),
        ];
        let fields = vec![
            item("menuItemId", house.dish("Dal")),
            item("optionId", house.option("Extra paneer")),
            item("inventoryItemId", house.stock("Rice")),
            item("subRecipeId", house.stock("Gravy")),
            item("supplierId", &supplier),
            item("stationId", house.station("Bar")),
            item("orderItemId", &line),
            item("itemId", &line),
            item("toTableId", house.table(5)),
            item("tableId", house.table(5)),
        ];
        Stage { branch, owner, paths, fields }
    }

    /// `path` with its parameters filled in: ids that nobody has, and where there is such a record, its id.
    pub fn targets(&self, path: &str) -> Vec<String> {
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
        if let Some((pattern, id)) = self.paths.iter().find(|(pattern, _)| path.starts_with(pattern)) {
            let real = format!("{}{id}{}", pattern.split('{').next().unwrap(), &path[pattern.len()..]);
            list.push(unknown(&real));
        }
        list
    }
}
