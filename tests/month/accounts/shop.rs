//! A house of the chain: carries out over HTTP what happens there, and enters it into the books kept by hand.

use super::arithmetic::{Amounts, Cut, DISHES, Dish, Line, Terms, half_away, portions, price, rounded};
use super::ledger::{Document, Ledger, Slip, Voucher, fiscal_year};
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
    dishes: BTreeMap<&'static str, String>,
    channel: Option<String>,
    /// Its path, what should lie in it, and its date.
    drawer: Option<(String, i64, String)>,
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

fn id(of: &Value) -> String {
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
        let mut taxes: BTreeMap<super::arithmetic::Tax, String> = BTreeMap::new();
        for dish in &DISHES {
            let components: Vec<Value> =
                dish.tax.rates().iter().map(|(name, rate)| json!({"name": name, "rateBps": rate})).collect();
            if !components.is_empty() && !taxes.contains_key(&dish.tax) {
                let tax = json!({"name": format!("{:?}", dish.tax), "components": components, "isGoods": dish.is_goods()});
                taxes.insert(dish.tax, make("/menu/tax-categories", tax).await);
            }
            let mut new = json!({"categoryId": category, "name": dish.name, "priceCents": dish.price, "taxCategoryId": taxes.get(&dish.tax)});
            if dish.hsn != super::arithmetic::SERVICE {
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
    fn tick(&mut self) {
        self.now += Duration::minutes(1);
        self.branch.pass(60_000);
    }

    /// The business date: days begin at 04:00, or where the one before was closed.
    pub fn today(&self) -> String {
        let by_clock = (self.now - Duration::hours(4)).date();
        let after_close = self.closed_early.map(|date| date.succ_opt().unwrap());
        after_close.map_or(by_clock, |date| date.max(by_clock)).to_string()
    }

    async fn post(&mut self, path: &str, body: Value) -> Value {
        self.tick();
        self.owner.post(path, body).await.expect(201).json()
    }

    pub fn has_channel(&self) -> bool {
        self.channel.is_some()
    }

    /// Takes an order, and answers its place.
    pub async fn place(
        &mut self,
        order_type: &'static str,
        dishes: &[(&'static Dish, i64)],
        through_channel: bool,
    ) -> usize {
        let items: Vec<Value> = dishes
            .iter()
            .map(|(dish, quantity)| json!({"menuItemId": self.dishes[dish.name], "quantity": quantity, "unitPriceCents": dish.price}))
            .collect();
        let mut order = json!({"orderType": order_type, "items": items});
        let mut guests = 0;
        let external = through_channel.then(|| format!("SW-{}", self.sales.len()));
        match (order_type, &external) {
            ("DINE_IN", _) => {
                guests = 2;
                order["tableNumber"] = json!(format!("T{}", self.sales.len() % 6 + 1));
                order["guestCount"] = json!(guests);
            }
            ("DELIVERY", None) => order["deliveryAddress"] = json!("12 Hill Road"),
            ("DELIVERY", Some(number)) => {
                order["channelId"] = json!(self.channel);
                order["externalId"] = json!(number);
            }
            _ => {}
        }
        let made = self.post("/orders", order).await;
        let today = self.today();
        let serial = self.books.next(&format!("order {today}"));
        let number = format!("{}-{}-{serial:04}", self.house.code, today[2..].replace('-', ""));
        assert_eq!(made["orderNumber"], number);
        let mut terms = Terms { by_operator: through_channel, ..self.house.terms };
        if through_channel {
            (terms.service_bps, terms.step) = (0, 0);
        } else if order_type != "DINE_IN" || !self.house.automatic {
            terms.service_bps = 0;
        }
        let lines = dishes.iter().zip(made["items"].as_array().unwrap());
        let lines = lines.map(|((dish, quantity), item)| Line::new(id(item), dish, *quantity)).collect();
        let mut sale = Sale {
            path: format!("/orders/{}", id(&made)),
            number,
            order_type,
            guests,
            terms,
            external,
            lines,
            cuts: Vec::new(),
            rounding: 0,
            payments: Vec::new(),
            bill: None,
            slip: None,
            date: String::new(),
            left: Amounts::default(),
            written_off: 0,
            credited: 0,
            is_done: false,
        };
        sale.rounding = price(&sale.terms, &mut sale.lines, &[]);
        self.sales.push(sale);
        self.sell(&today, dishes.iter().map(|(dish, quantity)| dish.cost * quantity).sum());
        self.look(self.sales.len() - 1).await;
        self.sales.len() - 1
    }

    fn sell(&mut self, date: &str, cost: i64) {
        self.books.use_stock(date, cost, 0);
        self.stock -= cost;
    }

    /// The order says what the books say.
    pub async fn look(&self, at: usize) {
        let (sale, shown) = (&self.sales[at], self.owner.get(&self.sales[at].path).await.expect(200).json());
        let sum = |pick: fn(&Line) -> i64| sale.lines.iter().map(pick).sum::<i64>();
        for (name, known) in [
            ("subtotalCents", sale.gross()),
            ("discountCents", sum(|line| line.discount)),
            ("serviceChargeCents", sum(|line| line.service)),
            ("taxCents", sale.tax()),
            ("roundingCents", sale.rounding),
            ("totalAmountCents", sale.total()),
            ("dueCents", sale.due()),
        ] {
            assert_eq!(shown[name], known, "{name} of {}: {:#?}", sale.number, sale.lines);
        }
    }

    fn reprice(&mut self, at: usize) {
        let sale = &mut self.sales[at];
        let cuts = sale.cuts.clone();
        sale.rounding = price(&sale.terms, &mut sale.lines, &cuts);
    }

    /// Puts the house's service charge on.
    pub async fn serve(&mut self, at: usize) {
        let path = format!("{}/service-charge", self.sales[at].path);
        self.tick();
        let made = self.owner.post(&path, json!({})).await;
        assert!(made.status < 300, "{}", made.text);
        self.sales[at].terms.service_bps = self.house.terms.service_bps;
        self.reprice(at);
        self.look(at).await;
    }

    pub async fn cut(&mut self, at: usize, cut: Cut) {
        let sale = &self.sales[at];
        let mut body = match cut.percent {
            Some(percent) => json!({"type": "PERCENT", "value": percent, "reason": "regulars"}),
            None => json!({"type": "FIXED", "value": cut.cents, "reason": "voucher"}),
        };
        if let Some(line) = cut.line {
            body["itemId"] = json!(sale.lines[line].id);
        }
        let path = format!("{}/discounts", sale.path);
        self.post(&path, body).await;
        self.sales[at].cuts.push(cut);
        self.reprice(at);
        self.look(at).await;
    }

    /// Takes one portion of the first line off.
    pub async fn void(&mut self, at: usize, was_made: bool) {
        let (path, cost) = {
            let sale = &self.sales[at];
            (format!("{}/items/{}/void", sale.path, sale.lines[0].id), sale.lines[0].dish.cost)
        };
        self.tick();
        let body = json!({"quantity": 1, "reason": "not wanted", "wasMade": was_made});
        self.owner.post(&path, body).await.expect(200);
        self.sales[at].lines[0].quantity -= 1;
        self.reprice(at);
        self.take_off(cost, was_made);
        self.look(at).await;
    }

    /// Portions that were not sold after all: back on the shelf, or thrown away.
    fn take_off(&mut self, cost: i64, was_made: bool) {
        let today = self.today();
        self.books.use_stock(&today, -cost, if was_made { cost } else { 0 });
        self.stock += if was_made { 0 } else { cost };
    }

    pub async fn call_off(&mut self, at: usize) {
        let sale = &self.sales[at];
        let cost = sale.lines.iter().map(|line| line.dish.cost * line.quantity).sum();
        let lines: Vec<Value> =
            sale.lines.iter().map(|line| json!({"itemId": line.id, "wasMade": false})).collect();
        let path = format!("{}/status", sale.path);
        self.tick();
        let body = json!({"status": "CANCELLED", "reason": "never came", "lines": lines});
        self.owner.patch(&path, body).await.expect(200);
        self.take_off(cost, false);
        let today = self.today();
        self.books.day(&today).cancelled += 1;
        self.sales[at].is_done = true;
    }

    /// Makes the bill, for a buyer that is registered where one is named.
    pub async fn bill(&mut self, at: usize, buyer: Option<(&'static str, &'static str)>) {
        let path = format!("{}/invoice", self.sales[at].path);
        let body =
            buyer.map_or(json!({}), |(id, name)| json!({"customerTaxId": id, "customerLegalName": name}));
        self.post(&path, body).await;
        self.billed(at, buyer);
    }

    /// Enters the bill, with all that its order sold.
    fn billed(&mut self, at: usize, buyer: Option<(&'static str, &'static str)>) {
        let today = self.today();
        let year = fiscal_year(&today);
        let serial = self.books.next(&format!("bill {year}"));
        let number = format!("{}/{year}-{serial:06}", self.house.code);
        let sale = &mut self.sales[at];
        let is_billed = |line: &&Line| !sale.terms.by_operator || line.dish.is_goods();
        let billed: Vec<&Line> = sale.lines.iter().filter(is_billed).collect();
        let amounts = Amounts::of(billed.iter().copied(), sale.rounding);
        (sale.bill, sale.left) = (Some((number.clone(), buyer)), amounts.clone());
        let (order, order_type) = (sale.number.clone(), sale.order_type);
        let document = Document {
            date: today,
            is_credit: false,
            number,
            refers_to: String::new(),
            order,
            order_type,
            buyer,
            amounts,
        };
        self.books.enter(document);
        if !self.sales[at].terms.by_operator {
            self.earn(at);
        }
    }

    /// The order counts on this date.
    fn earn(&mut self, at: usize) {
        let today = self.today();
        let sale = &mut self.sales[at];
        sale.date.clone_from(&today);
        let all = Amounts::of(&sale.lines, sale.rounding);
        let (tax, guests) = (sale.tax(), sale.guests);
        let lines: Vec<(&str, i64, i64)> = sale
            .lines
            .iter()
            .map(|line| (line.dish.name, line.quantity, line.subtotal - line.discount))
            .collect();
        let day = self.books.day(&today);
        day.orders += 1;
        day.guests += guests;
        day.tax += tax;
        day.sold.subtotal += all.subtotal;
        day.sold.discount += all.discount;
        day.sold.service += all.service;
        day.sold.rounding += all.rounding;
        for (dish, quantity, net) in lines {
            let of = day.dishes.entry(dish).or_default();
            *of = (of.0 + quantity, of.1 + net);
        }
    }

    /// Pays `amount`; what settles the order makes its bill.
    pub async fn pay(&mut self, at: usize, method: &'static str, amount: i64, tip: i64) {
        let path = format!("{}/payments", self.sales[at].path);
        let body = json!({"method": method, "amountCents": amount, "tipCents": tip, "reference": "R 7"});
        let paid = self.post(&path, body).await["data"].take();
        let today = self.today();
        self.books.receive(&today, method, (1, amount, tip));
        self.drop_in(method, amount + tip);
        let payment = Payment { id: id(&paid["payment"]), method, amount, tip, refunded: 0, holds: true };
        let sale = &mut self.sales[at];
        sale.payments.push(payment);
        if sale.due() == 0 && sale.bill.is_none() && !sale.terms.by_operator {
            self.billed(at, None);
        }
        self.look(at).await;
    }

    fn drop_in(&mut self, method: &str, cents: i64) {
        if let (Some((_, held, _)), "CASH") = (&mut self.drawer, method) {
            *held += cents;
        }
    }

    /// The last payment was by another method, with another tip.
    pub async fn correct(&mut self, at: usize, method: &'static str, tip: i64) {
        let old = self.sales[at].payments.last().unwrap().clone();
        let path = format!("{}/payments/{}/correct", self.sales[at].path, old.id);
        self.post(&path, json!({"method": method, "tipCents": tip, "reason": "wrong key"})).await;
        let today = self.today();
        let moved = i64::from(method != old.method);
        self.books.receive(&today, old.method, (-moved, -old.amount, -old.tip));
        self.books.receive(&today, method, (moved, old.amount, tip));
        let day = self.books.day(&today);
        day.tips_corrected += tip - old.tip;
        day.corrections += 1;
        day.corrected += tip - old.tip;
        self.drop_in(old.method, -old.amount - old.tip);
        self.drop_in(method, old.amount + tip);
        let payment = self.sales[at].payments.last_mut().unwrap();
        (payment.method, payment.tip) = (method, tip);
        self.look(at).await;
    }

    /// The last payment did not hold.
    pub async fn reverse(&mut self, at: usize) {
        let old = self.sales[at].payments.last().unwrap().clone();
        let path = format!("{}/payments/{}/reverse", self.sales[at].path, old.id);
        self.post(&path, json!({"reason": "bounced"})).await;
        let today = self.today();
        self.books.receive(&today, old.method, (-1, -old.amount, -old.tip));
        let day = self.books.day(&today);
        day.tips_corrected -= old.tip;
        day.reversals += 1;
        day.corrected -= old.amount + old.tip;
        self.drop_in(old.method, -old.amount - old.tip);
        self.sales[at].payments.last_mut().unwrap().holds = false;
        self.look(at).await;
    }

    /// Gives money back: an amount, with everything in proportion; all where it is all that is left.
    pub async fn refund(&mut self, at: usize, amount: i64) {
        let path = format!("{}/refunds", self.sales[at].path);
        self.post(&path, json!({"amountCents": amount, "reason": "cold"})).await;
        let part = self.part(at, amount);
        self.credit(at, part);
        self.hand_back(at, amount);
        self.look(at).await;
    }

    /// Gives one portion of a line back: what it was charged at, in cash to the nearest coin. Who brings all back gets all.
    pub async fn refund_portion(&mut self, at: usize, line: usize, restock: bool) {
        let sale = &self.sales[at];
        let path = format!("{}/refunds", sale.path);
        let body = json!({"items": [{"orderItemId": sale.lines[line].id, "quantity": 1}], "reason": "cold", "restock": restock});
        let worth = self.worth(at, line);
        let sale = &self.sales[at];
        let is_last =
            sale.lines.iter().enumerate().all(|(n, of)| of.back + i64::from(n == line) == of.quantity);
        let is_cash = sale.payments.iter().any(|payment| payment.holds && payment.method == "CASH");
        let amount = match (is_last, is_cash) {
            (true, _) => sale.left.total,
            (false, true) => rounded(worth, sale.terms.step).min(sale.left.total),
            (false, false) => worth,
        };
        self.post(&path, body).await;
        self.bring_back(at, line, amount, restock);
        self.hand_back(at, amount);
        self.look(at).await;
    }

    /// What a portion of a line was charged at: its part of the total.
    fn worth(&self, at: usize, line: usize) -> i64 {
        let sale = &self.sales[at];
        let charged: Vec<i64> = sale.lines.iter().map(Line::amount).collect();
        let whole = super::arithmetic::spread(sale.total(), &charged)[line];
        let of = &sale.lines[line];
        half_away(whole * (of.back + 1), of.quantity) - half_away(whole * of.back, of.quantity)
    }

    /// A credit note of one portion.
    fn bring_back(&mut self, at: usize, line: usize, amount: i64, restock: bool) {
        let sale = &self.sales[at];
        let back = portions(&sale.lines[line], sale.lines[line].back + 1);
        let mut part = Amounts::of([&back], 0);
        if amount >= sale.left.total {
            part = Amounts { discount: back.discount, ..self.everything(at) };
            part.subtotal = part.goods() + part.discount;
        } else {
            part.rounding = amount - back.amount();
            part.total = amount;
        }
        self.sales[at].lines[line].back += 1;
        self.unsold(at, line, 1, (back.subtotal - back.discount, restock));
        self.credit(at, part);
    }

    fn everything(&self, at: usize) -> Amounts {
        let mut all = self.sales[at].left.clone();
        all.discount = 0;
        all.subtotal = all.goods();
        all
    }

    /// Portions of a line are not sold after all.
    fn unsold(&mut self, at: usize, line: usize, quantity: i64, (net, restock): (i64, bool)) {
        let dish = self.sales[at].lines[line].dish;
        self.take_off(dish.cost * quantity, !restock);
        let today = self.today();
        let of = self.books.day(&today).dishes.entry(dish.name).or_default();
        *of = (of.0 - quantity, of.1 - net);
    }

    /// What a credit note of `amount` takes back: a share, or all that is left with all its portions.
    fn part(&mut self, at: usize, amount: i64) -> Amounts {
        if amount < self.sales[at].left.total {
            return self.sales[at].left.share(amount);
        }
        let mut part = self.everything(at);
        for line in 0..self.sales[at].lines.len() {
            let of = self.sales[at].lines[line].clone();
            if of.back < of.quantity {
                let back = portions(&of, of.quantity);
                part.discount += back.discount;
                self.sales[at].lines[line].back = of.quantity;
                self.unsold(at, line, back.quantity, (back.subtotal - back.discount, false));
            }
        }
        part.subtotal = part.goods() + part.discount;
        part
    }

    fn credit(&mut self, at: usize, amounts: Amounts) {
        let today = self.today();
        let year = fiscal_year(&today);
        let serial = self.books.next(&format!("note {year}"));
        let number = format!("{}/{year}C{serial:06}", self.house.code);
        let sale = &mut self.sales[at];
        sale.left.less(&amounts);
        let (refers_to, buyer) = sale.bill.clone().unwrap();
        let (order, order_type) = (sale.number.clone(), sale.order_type);
        let document =
            Document { date: today, is_credit: true, number, refers_to, order, order_type, buyer, amounts };
        self.books.enter(document);
    }

    /// Money goes back to the newest payment first.
    fn hand_back(&mut self, at: usize, amount: i64) {
        let today = self.today();
        let mut wanted = amount;
        for place in (0..self.sales[at].payments.len()).rev() {
            let payment = &mut self.sales[at].payments[place];
            let part = (payment.amount - payment.refunded).min(wanted);
            if payment.holds && part > 0 {
                payment.refunded += part;
                wanted -= part;
                let method = payment.method;
                self.books.give_back(&today, method, part);
                self.drop_in(method, -part);
            }
        }
        assert_eq!(wanted, 0, "more goes back than came in");
    }

    /// Lowers a bill that is not paid.
    pub async fn overcharged(&mut self, at: usize, amount: i64) {
        let path = format!("{}/credit-note", self.sales[at].path);
        self.post(&path, json!({"reason": "OVERCHARGED", "amountCents": amount})).await;
        let part = self.part(at, amount);
        self.credit(at, part);
        self.sales[at].credited += amount;
        self.look(at).await;
    }

    /// The rest will never be paid.
    pub async fn write_off(&mut self, at: usize) {
        let (path, due) = (format!("{}/write-off", self.sales[at].path), self.sales[at].due());
        self.post(&path, json!({"reason": "left without paying"})).await;
        let today = self.today();
        self.books.day(&today).written_off += due;
        self.books.post(&today, Voucher::WriteOffs, "Bad debt", "Guests", due);
        self.sales[at].written_off += due;
        self.look(at).await;
    }

    /// The order is done; one of the operator's gets its slip, and a bill of its goods.
    pub async fn complete(&mut self, at: usize) {
        let path = format!("{}/status", self.sales[at].path);
        self.tick();
        self.owner.patch(&path, json!({"status": "COMPLETED"})).await.expect(200);
        self.sales[at].is_done = true;
        if self.sales[at].terms.by_operator {
            self.slip(at);
        }
    }

    fn slip(&mut self, at: usize) {
        let sale = &self.sales[at];
        let (food, goods): (Vec<&Line>, Vec<&Line>) =
            sale.lines.iter().partition(|line| !line.dish.is_goods());
        let (has_goods, total) = (!goods.is_empty(), food.iter().map(|line| line.amount()).sum::<i64>());
        if !food.is_empty() {
            self.slipped(at, false, total);
        }
        if has_goods {
            self.billed(at, None);
        }
        self.earn(at);
        let sale = &self.sales[at];
        let all = Amounts::of(&sale.lines, 0);
        let commission = half_away((all.subtotal - all.discount) * COMMISSION, 10_000);
        let paid = sale.payments.iter().map(|payment| payment.amount).sum();
        let today = self.today();
        let row = [1, all.subtotal, all.discount, sale.tax(), sale.total(), commission, paid];
        for (sum, of) in self.books.day(&today).channel.iter_mut().zip(row) {
            *sum += of;
        }
    }

    /// Enters a slip, or what the operator gave back.
    fn slipped(&mut self, at: usize, is_return: bool, total: i64) {
        let today = self.today();
        let (year, letter) = (fiscal_year(&today), if is_return { 'R' } else { 'S' });
        let serial = self.books.next(&format!("slip {letter} {year}"));
        let number = format!("{}/{letter}{year}-{serial:05}", self.house.code);
        let sale = &mut self.sales[at];
        let refers_to = sale.slip.clone().filter(|_| is_return).unwrap_or_default();
        if !is_return {
            sale.slip = Some(number.clone());
        }
        let (order, external) = (sale.number.clone(), sale.external.clone().unwrap());
        let (voucher, sign) = if is_return { (Voucher::CreditNotes, -1) } else { (Voucher::Sales, 1) };
        self.books.post(&today, voucher, "Guests", "Sales through operators", sign * total);
        self.books.slips.push(Slip { date: today, is_return, number, refers_to, order, external, total });
    }

    /// The operator gives one portion of the first dish back.
    pub async fn slip_return(&mut self, at: usize) {
        let Some(line) =
            self.sales[at].lines.iter().position(|line| !line.dish.is_goods() && line.back < line.quantity)
        else {
            return;
        };
        let of = self.sales[at].lines[line].clone();
        let path = format!("{}/slip/return", self.sales[at].path);
        let body = json!({"items": [{"orderItemId": of.id, "quantity": 1}], "reason": "spilled"});
        self.post(&path, body).await;
        let back = portions(&of, of.back + 1);
        let amount = back.subtotal - back.discount;
        self.slipped(at, true, amount);
        let today = self.today();
        let day = self.books.day(&today);
        (day.refunds, day.refunds_count) = (day.refunds + amount, day.refunds_count + 1);
        self.sales[at].lines[line].back += 1;
        self.unsold(at, line, 1, (amount, false));
        self.hand_back(at, amount);
        let sold = self.sales[at].date.clone();
        self.books.day(&sold).channel[6] -= amount;
    }

    pub async fn open_drawer(&mut self) {
        let drawer = self.post("/cash-sessions", json!({"openingFloatCents": 50_000})).await;
        let today = self.today();
        self.drawer = Some((format!("/cash-sessions/{}", id(&drawer["data"])), 50_000, today));
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
