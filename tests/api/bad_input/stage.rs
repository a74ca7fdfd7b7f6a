//! What the bad requests are aimed at: a branch with something of everything in it.

use super::UNKNOWN;
use reqwest::Method;
use serde_json::{Value, json};
use tiffin_tests::{Branch, Client, House};

/// A branch with something of everything in it, and the ids a request may name: by the path that leads to them, and by
/// the field that holds them.
pub(super) struct Stage {
    pub(super) branch: Branch,
    pub(super) owner: Client,
    pub(super) paths: Vec<(&'static str, String)>,
    pub(super) fields: Vec<(&'static str, String)>,
}

impl Stage {
    pub(super) async fn set() -> Stage {
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
    pub(super) fn targets(&self, path: &str) -> Vec<String> {
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

/// Every operation of the document: method, path, its entry.
pub(super) async fn operations(client: &Client) -> (Value, Vec<(Method, String, Value)>) {
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
