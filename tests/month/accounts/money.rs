//! Money of orders, as it comes in, is put right and goes back, with the credit notes that take bills back.

use super::arithmetic::{Amounts, Line, half_away, portions, rounded, spread};
use super::ledger::{Document, Voucher, fiscal_year};
use super::shop::{Payment, Shop, id};
use serde_json::json;

impl Shop {
    /// Pays `amount`; what settles the order makes its bill.
    pub async fn pay(&mut self, at: usize, method: &'static str, amount: i64, tip: i64) {
        let path = format!("{}/payments", self.sales[at].path);
        let body = json!({"method": method, "amountCents": amount, "tipCents": tip, "reference": "R 7"});
        let paid = self.post(&path, body).await["data"].take();
        let today = self.today();
        self.books.receive(&today, method, (1, amount, tip));
        self.drop_in(method, amount + tip);
        let payment = Payment {
            id: id(&paid["payment"]),
            method,
            amount,
            tip,
            refunded: 0,
            holds: true,
            drawer: self.drawers,
        };
        let sale = &mut self.sales[at];
        sale.payments.push(payment);
        if sale.due() == 0 && sale.bill.is_none() && !sale.terms.by_operator {
            self.billed(at, None);
        }
        self.look(at).await;
    }

    pub fn drop_in(&mut self, method: &str, cents: i64) {
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
        // A drawer that has been counted stays as it was counted.
        if old.drawer == self.drawers {
            self.drop_in(old.method, -old.amount - old.tip);
            self.drop_in(method, old.amount + tip);
        }
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
        let whole = spread(sale.total(), &charged)[line];
        let of = &sale.lines[line];
        half_away(whole * (of.back + 1), of.quantity) - half_away(whole * of.back, of.quantity)
    }

    /// A credit note of one portion.
    pub fn bring_back(&mut self, at: usize, line: usize, amount: i64, restock: bool) {
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
    pub fn unsold(&mut self, at: usize, line: usize, quantity: i64, (net, restock): (i64, bool)) {
        let dish = self.sales[at].lines[line].dish;
        self.take_off(dish, quantity, !restock);
        let today = self.today();
        let of = self.books.day(&today).dishes.entry(dish.name).or_default();
        *of = (of.0 - quantity, of.1 - net);
    }

    /// What a credit note of `amount` takes back: a share, or all that is left with all its portions.
    pub fn part(&mut self, at: usize, amount: i64) -> Amounts {
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

    pub fn credit(&mut self, at: usize, amounts: Amounts) {
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
    pub fn hand_back(&mut self, at: usize, amount: i64) {
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
}
