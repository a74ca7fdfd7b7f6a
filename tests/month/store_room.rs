//! The storekeeper: what is bought, delivered in parts, thrown away, counted and spilt.

use super::books::{Batch, Line, Taken, cents};
use super::calendar::date;
use super::{Month, amount, id};
use serde_json::{Value, json};

/// Millionths.
const M: i64 = 1_000_000;

/// Something that is kept in stock.
struct Ware {
    item: &'static str,
    /// Whole units that are there when the shelf is full.
    par: i64,
    /// Days it keeps.
    shelf: Option<i64>,
    /// What a unit costs, more or less.
    cents: i64,
    /// What it is bought in: the unit's name, and how many of the item's own it is.
    pack: Option<(&'static str, i64)>,
}

impl Ware {
    const fn new(item: &'static str, par: i64, shelf: Option<i64>, cents: i64) -> Ware {
        Ware { item, par, shelf, cents, pack: None }
    }

    fn pack(&self) -> (Value, i64) {
        self.pack.map_or((Value::Null, 1), |(unit, size)| (json!(unit), size))
    }
}

const STOCK: &[Ware] = &[
    Ware::new("Rice", 15, None, 6_100),
    Ware::new("Paneer", 12, Some(4), 41_000),
    Ware::new("Lentils", 12, None, 12_200),
    Ware { pack: Some(("crate", 10)), ..Ware::new("Tomatoes", 40, Some(9), 4_100) },
    Ware::new("Milk", 24, Some(3), 6_050),
    Ware::new("Cream", 6, Some(6), 20_300),
    Ware::new("Chicken", 14, Some(3), 25_500),
    Ware::new("Spice", 2_000, None, 50),
    Ware::new("Lemon", 120, Some(12), 500),
    Ware::new("Water", 120, None, 1_500),
];

/// So many units of a ware (its place in [`STOCK`]) at so many cents each.
#[derive(Debug, Clone, Copy)]
struct Good {
    ware: usize,
    units: i64,
    cents: i64,
}

/// Goods of an order that are still to come.
#[derive(Debug)]
pub struct Owed {
    order: String,
    goods: Vec<Good>,
}

impl Month {
    /// Whole batches past their last day.
    pub async fn throw_away_expired(&mut self) {
        let today = self.today();
        let items: Vec<&'static str> = self.books.stock.keys().copied().collect();
        for item in items {
            for index in 0..self.books.stock[item].len() {
                let batch = self.books.stock[item][index].clone();
                if batch.is_usable(&today) || batch.left == 0 {
                    continue;
                }
                let body = json!({"inventoryItemId": self.house.stock(item), "quantity": amount(batch.left),
                    "batchNumber": batch.number, "reason": "EXPIRED"});
                self.people.manager.post("/waste-logs", body).await.expect(201);
                self.books.stock.get_mut(item).unwrap()[index].left = 0;
                let gone = Taken { item, batch: index, quantity: batch.left };
                self.books.waste(&today, &[gone], "EXPIRED");
            }
        }
    }

    /// Fills up what is half gone. On Fridays half of it comes a day later, at another price.
    pub async fn buy(&mut self, day: i64) {
        if let Some(Owed { order, goods }) = self.owed.take() {
            self.deliver(day, &order, &goods, "RECEIVED").await;
        }
        let today = self.today();
        let mut goods = Vec::new();
        for (index, ware) in STOCK.iter().enumerate() {
            let there = self.books.usable(ware.item, &today);
            if there * 2 > ware.par * M {
                continue;
            }
            let (_, size) = ware.pack();
            let packs = (ware.par * M - there + size * M - 1) / (size * M);
            let cents = ware.cents + (day * 7 + index as i64 * 13) % 5 * 10;
            goods.push(Good { ware: index, units: packs * size, cents });
        }
        if goods.is_empty() {
            return;
        }
        let lines = goods.iter().map(|good| {
            let (unit, size) = STOCK[good.ware].pack();
            let item = self.house.stock(STOCK[good.ware].item);
            json!({"inventoryItemId": item, "quantityOrdered": good.units / size, "unit": unit})
        });
        let body = json!({"supplierId": self.supplier, "items": lines.collect::<Vec<_>>()});
        let order = self.people.manager.post("/inventory/purchase-orders", body).await.expect(201).json();
        let order = id(&order).to_owned();
        self.people.manager.post(&format!("/purchase-orders/{order}/send"), json!({})).await.expect(200);
        let mut later = Vec::new();
        for good in goods.iter_mut().filter(|_| day % 7 == 5) {
            let (_, size) = STOCK[good.ware].pack();
            let units = good.units / size / 2 * size;
            good.units -= units;
            if units > 0 {
                later.push(Good { units, cents: good.cents + 10, ..*good });
            }
        }
        let status = if later.is_empty() { "RECEIVED" } else { "PARTIALLY_RECEIVED" };
        self.deliver(day, &order, &goods, status).await;
        self.owed = (!later.is_empty()).then_some(Owed { order, goods: later });
    }

    async fn deliver(&mut self, day: i64, order: &str, goods: &[Good], status: &str) {
        let today = self.today();
        let mut items = Vec::new();
        for Good { ware, units, cents } in goods {
            let Ware { item, shelf, .. } = STOCK[*ware];
            let (unit, size) = STOCK[*ware].pack();
            let number = format!("{item}-{day}-{}", &order[order.len() - 6..]);
            let expiry = shelf.map(|days| date(day + days));
            items.push(json!({"inventoryItemId": self.house.stock(item), "quantityReceived": units / size, "unit": unit,
                "unitCostCents": cents * size, "batchNumber": number, "expiryDate": expiry}));
            self.books.receive(item, Batch { number, left: units * M, cents: *cents, expiry });
            self.books.day(&today).purchases += i128::from(units * cents) * i128::from(M);
        }
        let body = json!({"items": items, "invoiceRef": format!("{order}/{day}"), "confirm": true});
        let path = format!("/purchase-orders/{order}/deliveries");
        self.people.manager.post(&path, body).await.expect(201);
        let order = self.people.manager.get(&format!("/purchase-orders/{order}")).await.expect(200).data();
        assert_eq!(order["status"], status);
    }

    /// Spoilt tomatoes every day, two portions of dal too many on Wednesdays.
    pub async fn throw_away(&mut self, day: i64) {
        let today = self.today();
        let grams = 200 + day * 10;
        let body = json!({"inventoryItemId": self.house.stock("Tomatoes"), "quantity": grams, "unit": "g",
            "reason": "SPOILAGE"});
        self.people.waste(body).await;
        let gone = self.books.take("Tomatoes", grams * 1_000, &today);
        self.books.waste(&today, &gone, "SPOILAGE");
        if day % 7 == 3 {
            let body =
                json!({"menuItemId": self.house.dish("Dal"), "quantity": 2, "reason": "OVERPRODUCTION"});
            self.people.waste(body).await;
            let line = Line { id: String::new(), dish: "Dal", option: None, quantity: 2, taken: Vec::new() };
            let gone = self.books.take_dish(&line, &today);
            self.books.waste(&today, &gone, "OVERPRODUCTION");
        }
    }

    /// Three items are counted every Sunday; a little of each is gone.
    pub async fn count(&mut self, day: i64) {
        let today = self.today();
        let missing = [("Milk", day * 10_000), ("Rice", 35_000), ("Lemon", 2 * M)];
        let ids: Vec<&str> = missing.iter().map(|(item, _)| self.house.stock(item)).collect();
        let stocktake = self
            .people
            .manager
            .post("/inventory/stocktakes", json!({"inventoryItemIds": ids}))
            .await
            .expect(201);
        let path = format!("/inventory/stocktakes/{}", id(&stocktake.data()));
        let mut lines = Vec::new();
        let mut value = 0;
        for (item, quantity) in missing {
            let there = self.books.usable(item, &today);
            lines.push(json!({"inventoryItemId": self.house.stock(item), "countedQuantity": amount(there - quantity)}));
            let gone = self.books.take(item, quantity, &today);
            value += self.books.cost(&gone);
            self.books.miss(&today, &gone, true);
        }
        self.people.manager.post(&format!("{path}/counts"), json!({"lines": lines})).await.expect(200);
        let closed = self.people.manager.post(&format!("{path}/close"), json!({})).await.expect(200).data();
        assert_eq!(closed["missingCostCents"], -cents(value), "{closed}");
    }

    /// Half a kilo of spice on the floor.
    pub async fn spill(&mut self) {
        let today = self.today();
        let body =
            json!({"inventoryItemId": self.house.stock("Spice"), "quantityDelta": -500, "reason": "spilt"});
        self.people.manager.post("/inventory/adjustments", body).await.expect(201);
        let gone = self.books.take("Spice", 500 * M, &today);
        self.books.miss(&today, &gone, false);
    }
}

impl super::People {
    async fn waste(&self, body: Value) {
        self.manager.post("/waste-logs", body).await.expect(201);
    }
}
