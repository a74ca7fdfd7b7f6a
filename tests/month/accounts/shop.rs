//! A house of the chain: carries out over HTTP what happens there, and enters it into the books kept by hand.

use super::arithmetic::{Amounts, Cut, DISHES, Line, SERVICE, Tax, Terms};
use super::ledger::{Ledger, Voucher};
use chrono::{Duration, NaiveDate, NaiveDateTime};
use edge::access::Role;
use serde_json::{Value, json};
use std::collections::BTreeMap;
use tiffin_tests::{Branch, Client};

/// What makes a house another than its neighbour.
pub struct House {
    pub code: &'static str,
    pub tax_id: &'static str,
    pub scheme: &'static str,
    pub terms: Terms,
    /// The service charge is on every bill of a table from the start.
    pub automatic: bool,
}

/// A payment of an order.
#[derive(Debug, Clone)]
pub struct Payment {
    pub id: String,
    pub method: &'static str,
    pub amount: i64,
    pub tip: i64,
    pub refunded: i64,
    pub holds: bool,
    /// The drawer that was open then, counted from the first.
    pub drawer: usize,
}

/// An order, from its first line to its last refund.
#[derive(Debug, Clone)]
pub struct Sale {
    pub path: String,
    pub number: String,
    pub order_type: &'static str,
    pub guests: i64,
    pub terms: Terms,
    pub external: Option<String>,
    pub lines: Vec<Line>,
    pub cuts: Vec<Cut>,
    pub rounding: i64,
    pub payments: Vec<Payment>,
    pub bill: Option<(String, Option<(&'static str, &'static str)>)>,
    pub slip: Option<String>,
    /// The date its revenue is of.
    pub date: String,
    /// Of its bill.
    pub left: Amounts,
    pub written_off: i64,
    /// What was taken off without money going back.
    pub credited: i64,
    pub is_done: bool,
    /// Of its slip, and of the bill of its goods, where it came through the channel.
    pub kept: [Kept; 2],
}

/// What the channel keeps of a document: of so much net, of which so much came back.
#[derive(Debug, Clone, Copy, Default)]
pub struct Kept {
    pub net: i64,
    pub commission: i64,
    pub back: i64,
}

impl Sale {
    pub fn total(&self) -> i64 {
        self.lines.iter().map(Line::amount).sum::<i64>() + self.rounding
    }

    pub fn gross(&self) -> i64 {
        self.lines.iter().map(|line| line.subtotal).sum()
    }

    pub fn tax(&self) -> i64 {
        self.lines.iter().map(Line::tax).sum()
    }

    /// What is still to be paid.
    pub fn due(&self) -> i64 {
        let paid: i64 =
            self.payments.iter().filter(|payment| payment.holds).map(|payment| payment.amount).sum();
        self.total() - paid - self.credited - self.written_off
    }
}

/// A house in the middle of its days.
pub struct Shop {
    pub branch: Branch,
    pub house: House,
    pub books: Ledger,
    pub sales: Vec<Sale>,
    pub owner: Client,
    pub dishes: BTreeMap<&'static str, String>,
    pub channel: Option<String>,
    /// Its path, what should lie in it, and its date.
    pub drawer: Option<(String, i64, String)>,
    pub drawers: usize,
    /// What the stock left costs.
    pub stock: i64,
    now: NaiveDateTime,
    /// The date that was closed before it ended.
    closed_early: Option<NaiveDate>,
}

/// Whoever pays the tax of what comes through the channel.
pub const OPERATOR: &str = "29AAGCB7383J1Z4";
/// What the channel keeps, in basis points.
pub const COMMISSION: i64 = 1_850;
const KITS: i64 = 20_000;

pub fn id(of: &Value) -> String {
    of["id"].as_str().unwrap().to_owned()
}

pub fn date(text: &str) -> NaiveDate {
    text.parse().unwrap()
}

impl Shop {
    pub async fn open(house: House) -> Shop {
        let branch = Branch::coded(house.code).await;
        let owner = branch.sign_in(Role::Owner);
        let service =
            json!({"bps": house.terms.service_bps, "automatic": house.automatic, "orderTypes": ["DINE_IN"]});
        let outlet = json!({"taxId": house.tax_id, "taxScheme": house.scheme, "serviceCharge": service,
            "pricesIncludeTax": house.terms.included, "cashRoundingCents": house.terms.step});
        owner.patch(&format!("/outlets/{}", branch.outlet_id), outlet).await.expect(200);
        let now = date("2026-11-20").and_hms_opt(18, 0, 0).unwrap();
        let (books, sales, dishes) = (Ledger::default(), Vec::new(), BTreeMap::new());
        let mut shop = Shop {
            branch,
            house,
            books,
            sales,
            owner,
            dishes,
            channel: None,
            drawer: None,
            drawers: 0,
            stock: 0,
            now,
            closed_early: None,
        };
        shop.stock_up().await;
        shop
    }

    async fn stock_up(&mut self) {
        let owner = self.owner.clone();
        let make = async |path: &str, body: Value| id(&owner.post(path, body).await.expect(201).data());
        make("/kitchen/stations", json!({"name": "Kitchen", "isDefault": true, "targetMinutes": 12})).await;
        for table in 1..=6 {
            make("/tables", json!({"number": format!("T{table}"), "area": "Indoor", "seats": 4})).await;
        }
        let category = make("/menu/categories", json!({"name": "Everything"})).await;
        let mut taxes: BTreeMap<Tax, String> = BTreeMap::new();
        for dish in &DISHES {
            let components: Vec<Value> =
                dish.tax.rates().iter().map(|(name, rate)| json!({"name": name, "rateBps": rate})).collect();
            if !components.is_empty() && !taxes.contains_key(&dish.tax) {
                let tax = json!({"name": format!("{:?}", dish.tax), "components": components, "isGoods": dish.is_goods()});
                taxes.insert(dish.tax, make("/menu/tax-categories", tax).await);
            }
            let mut new = json!({"categoryId": category, "name": dish.name, "priceCents": dish.price, "taxCategoryId": taxes.get(&dish.tax)});
            if dish.hsn != SERVICE {
                new["hsnSac"] = json!(dish.hsn);
            }
            let made = make("/menu/items", new).await;
            if dish.cost > 0 {
                let item = json!({"name": format!("{} kit", dish.name), "category": "Kitchen", "unit": "pcs", "minStockThreshold": 1});
                let item = make("/inventory/items", item).await;
                let opening = json!({"inventoryItemId": item, "quantityDelta": KITS, "unitCostCents": dish.cost, "reason": "OPENING"});
                owner.post("/inventory/adjustments", opening).await.expect(201);
                self.stock += KITS * dish.cost;
                let recipe = json!({"yield": 1, "ingredients": [{"inventoryItemId": item, "quantity": 1, "unit": "pcs"}]});
                owner.put(&format!("/inventory/recipes/{made}"), recipe).await.expect(200);
            }
            self.dishes.insert(dish.name, made);
        }
        if self.house.scheme == "REGULAR" {
            let new = json!({"name": "Swiggy", "kind": "AGGREGATOR", "taxedBy": "OPERATOR", "operatorTaxId": OPERATOR, "commissionBps": COMMISSION});
            self.channel = Some(make("/channels", new).await);
        }
    }

    /// Lets the clock stand at `hour:minute` of that date, in Kolkata.
    pub fn at(&mut self, day: NaiveDate, hour: u32, minute: u32) {
        let before = self.now;
        self.now = day.and_hms_opt(hour, minute, 0).unwrap();
        assert!(self.now >= before, "time does not run back: {before} to {}", self.now);
        self.branch.at(&(self.now - Duration::minutes(330)).format("%Y-%m-%dT%H:%M:%S.000Z").to_string());
        if before.date() != self.now.date() {
            self.owner = self.branch.sign_in(Role::Owner);
        }
    }

    /// A minute later.
    pub fn tick(&mut self) {
        self.now += Duration::minutes(1);
        self.branch.pass(60_000);
    }

    /// The business date: days begin at 04:00, or where the one before was closed.
    pub fn today(&self) -> String {
        let by_clock = (self.now - Duration::hours(4)).date();
        let after_close = self.closed_early.map(|date| date.succ_opt().unwrap());
        after_close.map_or(by_clock, |date| date.max(by_clock)).to_string()
    }

    pub async fn post(&mut self, path: &str, body: Value) -> Value {
        self.tick();
        self.owner.post(path, body).await.expect(201).json()
    }

    pub fn has_channel(&self) -> bool {
        self.channel.is_some()
    }

    pub async fn open_drawer(&mut self) {
        let drawer = self.post("/cash-sessions", json!({"openingFloatCents": 500_000})).await;
        let today = self.today();
        self.drawers += 1;
        self.drawer = Some((format!("/cash-sessions/{}", id(&drawer["data"])), 500_000, today));
    }

    /// Takes cash out of the drawer: tips for the staff, or to buy something.
    pub async fn take_out(&mut self, cents: i64, is_tips: bool) {
        let (drawer, held, _) = self.drawer.clone().unwrap();
        if held < cents {
            return;
        }
        let how = if is_tips { "tip-out" } else { "pay-out" };
        self.post(&format!("{drawer}/{how}"), json!({"amountCents": cents, "reason": "market"})).await;
        self.drop_in("CASH", -cents);
        let today = self.today();
        let account = if is_tips { "Tips owed" } else { "Cash paid out" };
        self.books.post(&today, Voucher::Cash, account, "CASH", cents);
        self.books.day(&today).tips_out += if is_tips { cents } else { 0 };
    }

    /// Counts the drawer, `over` more than there should be.
    pub async fn count(&mut self, over: i64) {
        self.tick();
        let (drawer, held, date) = self.drawer.take().unwrap();
        let counted = self.owner.post(&format!("{drawer}/close"), json!({"countedCents": held + over})).await;
        assert_eq!(counted.expect(200).data()["overShortCents"], over);
        self.books.post(&date, Voucher::Cash, "CASH", "Cash over and short", over);
        self.books.day(&date).over_short += over;
    }

    /// Closes a date, early where it has not ended.
    pub async fn close(&mut self, day: &str) {
        let early = self.today() == day;
        let report =
            self.post("/day-close", json!({"businessDate": day, "early": early, "carryOver": true})).await;
        if early {
            self.closed_early = Some(date(day));
        }
        super::figures::check_close(self, day, &report["data"]);
    }

    /// Closing the last day of a month before it ends would begin the next month.
    pub async fn cannot_close(&mut self, day: &str) {
        let body = json!({"businessDate": day, "early": true, "carryOver": true});
        self.owner.post("/day-close", body).await.refused(409, "CONFLICT");
    }
}
