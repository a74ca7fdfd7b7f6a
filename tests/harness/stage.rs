//! What arbitrary requests are aimed at: a branch with something of everything in it, and the ids of it.

use crate::set_up::{OWNER, PASSWORD};
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
        let owner = sign_in(&branch).await;
        let mut stage = Stage { branch, owner, paths: Vec::new(), fields: Vec::new() };
        stage.add_orders(&house).await;
        stage.add_records(&house).await;
        for (path, id) in [
            ("/kitchen/stations/{id}", house.station("Bar")),
            ("/menu/items/{id}", house.dish("Dal")),
            ("/menu/modifier-options/{id}", house.option("No spice")),
            ("/inventory/recipes/{id}", house.dish("Dal")),
            ("/inventory/items/{id}", house.stock("Rice")),
            ("/inventory/preparations/{id}", house.stock("Gravy")),
            ("/tables/{id}", house.table(3)),
            ("/outlets/{id}", &stage.branch.outlet_id.to_string()),
        ] {
            stage.paths.push((path, id.to_owned()));
        }
        for (field, value) in [
            // Other records than those of the paths, which a request may delete.
            ("menuItemId", house.dish("Butter Chicken")),
            ("unitPriceCents", "38000"),
            ("optionId", house.option("Extra paneer")),
            ("inventoryItemId", house.stock("Lemon")),
            ("subRecipeId", house.stock("Gravy")),
            ("stationId", house.station("Hot")),
            ("toTableId", house.table(5)),
            ("tableId", house.table(6)),
            ("tableIds", house.table(1)),
            ("tableNumber", "T6"),
        ] {
            stage.fields.push((field, value.to_owned()));
        }
        stage
    }

    async fn make(&self, path: &str, body: Value) -> Value {
        self.owner.post(path, body).await.expect(201).data()
    }

    /// Orders in several states: a request may cancel any of them.
    async fn add_orders(&mut self, house: &House) {
        let order = house.place(&self.owner, house.at_table(1, &[("Dal", 50), ("Lassi", 2)])).await;
        let (id, line) = (text(&order), text(&order["items"][0]));
        let off = json!({"type": "FIXED", "value": 100, "reason": "regulars"});
        let discount = self.make(&format!("/orders/{id}/discounts"), off).await["discounts"][0].clone();
        let ticket = self.owner.get("/kitchen/tickets").await.json()["data"][0].clone();
        self.paths.push(("/orders/{orderId}/items/{itemId}", format!("{id}/items/{line}")));
        self.paths.push((
            "/orders/{orderId}/discounts/{discountId}",
            format!("{id}/discounts/{}", text(&discount)),
        ));
        self.paths.push(("/orders/{orderId}", id));
        let item = text(&ticket["items"][0]);
        self.paths.push(("/kitchen/tickets/{id}/items/{itemId}", format!("{}/items/{item}", text(&ticket))));
        self.paths.push(("/kitchen/tickets/{id}", text(&ticket)));
        self.fields.extend([("orderItemId", line.clone()), ("itemId", line)]);
        for n in 2..9 {
            let order = house.place(&self.owner, house.counter(&[("Dal", n), ("Kulfi", 1)])).await;
            self.paths.push(("/orders/{orderId}", text(&order)));
            if n == 2 {
                house.settle(&self.owner, &order).await;
                let bill = self.owner.post(&format!("/orders/{}/invoice", text(&order)), json!({})).await;
                let bill = bill.expect(200).data();
                self.paths.push(("/orders/invoices/{id}", text(&bill)));
            }
            self.fields.push(("orderIds", text(&order)));
        }
    }

    async fn add_records(&mut self, house: &House) {
        let asked = self.owner.post("/ai/ask", json!({"question": "What is running low?"})).await.data();
        let conversation = asked["conversationId"].as_str().unwrap().to_owned();
        self.paths.push(("/ai/conversations/{id}", conversation.clone()));
        self.fields.push(("conversationId", conversation));
        let drawer = self.make("/cash-sessions", json!({"openingFloatCents": 1_000})).await;
        let waste = json!({"inventoryItemId": house.stock("Rice"), "quantity": 1, "reason": "DROPPED"});
        let waste = self.make("/waste-logs", waste).await;
        let stocktake = json!({"inventoryItemIds": [house.stock("Lemon"), house.stock("Water")]});
        let stocktake = self.make("/inventory/stocktakes", stocktake).await;
        let elsewhere = self.branch.second_outlet().await;
        let items = json!([{"inventoryItemId": house.stock("Rice"), "quantity": 1}]);
        let transfer = json!({"toOutletId": elsewhere, "items": items});
        let transfer = self.make("/inventory/transfers", transfer).await;
        self.fields.push(("toOutletId", elsewhere.to_string()));
        self.fields.push(("lineId", text(&transfer["lines"][0])));
        let supplier = self.make("/inventory/suppliers", json!({"name": "Farm"})).await;
        let cook = json!({"employeeCode": "E1", "name": "Meera Nair", "jobTitle": "Cook"});
        let cook = self.make("/employees", cook).await;
        let came = json!({"employeeId": text(&cook), "eventType": "CLOCK_IN", "time": "2026-11-20T12:00:00Z", "reason": "x"});
        let came = self.make("/attendance/corrections", came).await;
        let category = self.make("/menu/categories", json!({"name": "Spare"})).await;
        let tax = json!({"name": "VAT", "components": [{"name": "VAT", "rateBps": 1_000}]});
        let tax = self.make("/menu/tax-categories", tax).await;
        let group = json!({"name": "Sizes", "options": [{"name": "Large", "priceCents": 1_000}]});
        let group = self.make("/menu/modifier-groups", group).await;
        let prices =
            self.make("/menu/price-lists", json!({"name": "Holidays", "startsOn": "2027-01-01"})).await;
        let ticket = self.make("/tickets", json!({"subject": "Tap", "body": "It drips"})).await;
        let feedback = {
            let table = self.owner.get(&format!("/tables/{}", house.table(12))).await.expect(200).data();
            let words = json!({"tableToken": table["qrToken"], "rating": 2});
            self.make("/tickets/feedback", words).await
        };
        let line = json!({"inventoryItemId": house.stock("Lemon"), "quantityOrdered": 10});
        let purchase = json!({"supplierId": supplier["id"], "items": [line]});
        let purchase = self.owner.post("/inventory/purchase-orders", purchase).await.expect(201).json();
        let shift = json!({"employeeId": cook["id"], "date": "2026-11-24", "shiftType": "MORNING"});
        let shift = self.make("/shifts", shift).await;
        let leave = json!({"employeeId": cook["id"], "leaveType": "ANNUAL", "fromDate": "2026-12-01",
            "toDate": "2026-12-02", "reason": "a wedding"});
        let leave = self.make("/leave-requests", leave).await;
        let batches =
            self.owner.get(&format!("/inventory/items/{}/batches", house.stock("Rice"))).await.json();
        for (path, record) in [
            ("/cash-sessions/{id}", &drawer),
            ("/waste-logs/{id}", &waste),
            ("/inventory/transfers/{id}", &transfer),
            ("/inventory/stocktakes/{id}", &stocktake),
            ("/inventory/suppliers/{id}", &supplier),
            ("/purchase-orders/{id}", &purchase),
            ("/employees/{id}", &cook),
            ("/attendance/{id}", &came),
            ("/menu/categories/{id}", &category),
            ("/menu/tax-categories/{id}", &tax),
            ("/menu/modifier-groups/{id}", &group),
            ("/menu/price-lists/{id}", &prices),
            ("/inventory/batches/{id}", &batches["data"][0]),
            ("/tickets/{id}", &ticket),
            ("/tickets/feedback/{id}", &feedback),
            ("/shifts/{id}", &shift),
            ("/leave-requests/{id}", &leave),
        ] {
            self.paths.push((path, text(record)));
        }
        for (field, record) in [
            ("supplierId", &supplier),
            ("categoryId", &category),
            ("taxCategoryId", &tax),
            ("assigneeId", &cook),
            ("employeeId", &cook),
        ] {
            self.fields.push((field, text(record)));
        }
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

fn text(record: &Value) -> String {
    record["id"].as_str().unwrap().to_owned()
}

/// The owner that the branch was made with.
async fn sign_in(branch: &Branch) -> Client {
    let body = json!({"email": OWNER, "password": PASSWORD});
    let tokens = branch.anonymous().post("/auth/login", body).await.expect(200).data();
    let token = tokens["accessToken"].as_str().unwrap().to_owned();
    branch.anonymous().with_token(token).with_outlet(branch.outlet_id)
}
