//! Orders of a house from their first line to their bill, entered into the books as they go.

use super::arithmetic::{Amounts, Cut, Dish, Line, Terms, price};
use super::ledger::{Document, fiscal_year};
use super::shop::{Sale, Shop, id};
use serde_json::{Value, json};

impl Shop {
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
            kept: Default::default(),
        };
        sale.rounding = price(&sale.terms, &mut sale.lines, &[]);
        self.sales.push(sale);
        for (dish, quantity) in dishes {
            self.books.use_stock(&today, dish.name, (dish.cost * quantity, 0));
            self.stock -= dish.cost * quantity;
        }
        self.look(self.sales.len() - 1).await;
        self.sales.len() - 1
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
        let (path, dish) = {
            let sale = &self.sales[at];
            (format!("{}/items/{}/void", sale.path, sale.lines[0].id), sale.lines[0].dish)
        };
        self.tick();
        let body = json!({"quantity": 1, "reason": "not wanted", "wasMade": was_made});
        self.owner.post(&path, body).await.expect(200);
        self.sales[at].lines[0].quantity -= 1;
        self.reprice(at);
        self.take_off(dish, 1, was_made);
        let today = self.today();
        self.books.day(&today).voided += dish.price;
        self.look(at).await;
    }

    /// Portions that were not sold after all: back on the shelf, or thrown away.
    pub fn take_off(&mut self, dish: &'static Dish, quantity: i64, was_made: bool) {
        let (today, cost) = (self.today(), dish.cost * quantity);
        self.books.use_stock(&today, dish.name, (-cost, if was_made { cost } else { 0 }));
        self.stock += if was_made { 0 } else { cost };
    }

    pub async fn call_off(&mut self, at: usize) {
        let sale = &self.sales[at];
        let off: Vec<_> = sale.lines.iter().map(|line| (line.dish, line.quantity)).collect();
        let lines: Vec<Value> =
            sale.lines.iter().map(|line| json!({"itemId": line.id, "wasMade": false})).collect();
        let path = format!("{}/status", sale.path);
        self.tick();
        let body = json!({"status": "CANCELLED", "reason": "never came", "lines": lines});
        self.owner.patch(&path, body).await.expect(200);
        let today = self.today();
        for (dish, quantity) in off {
            self.take_off(dish, quantity, false);
            self.books.day(&today).called_off += dish.price * quantity;
        }
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
    pub fn billed(&mut self, at: usize, buyer: Option<(&'static str, &'static str)>) {
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
    pub fn earn(&mut self, at: usize) {
        let today = self.today();
        let sale = &mut self.sales[at];
        sale.date.clone_from(&today);
        let all = Amounts::of(&sale.lines, sale.rounding);
        let (tax, guests, order_type) = (sale.tax(), sale.guests, sale.order_type);
        let lines: Vec<(&str, i64, i64)> = sale
            .lines
            .iter()
            .map(|line| (line.dish.name, line.quantity, line.subtotal - line.discount))
            .collect();
        let day = self.books.day(&today);
        day.orders += 1;
        day.guests += guests;
        let of = day.types.entry(order_type).or_default();
        *of = (of.0 + 1, of.1 + all.subtotal - all.discount, of.2 + guests);
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
}
