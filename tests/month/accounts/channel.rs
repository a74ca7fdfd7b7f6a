//! Orders through the channel, whose operator bills their food: slips, the bills of their goods beside them, what comes back of either,
//! and what the channel keeps of both.

use super::arithmetic::{Amounts, Line, half_away, portions};
use super::ledger::{Slip, Voucher, fiscal_year};
use super::shop::{COMMISSION, Kept, Shop};
use serde_json::{Value, json};

/// Of a line, without tax.
fn net(line: &Line) -> i64 {
    line.subtotal - line.discount
}

fn is_food(line: &&Line) -> bool {
    !line.dish.is_goods()
}

/// What `kept` is of so much of its net.
fn share(kept: Kept, back: i64) -> i64 {
    if kept.net == 0 { 0 } else { half_away(kept.commission * back, kept.net) }
}

impl Shop {
    /// The order is completed: its slip, and the bill of its goods, each with its commission.
    pub fn slip(&mut self, at: usize) {
        let sale = &mut self.sales[at];
        let (food, goods): (Vec<&Line>, Vec<&Line>) = sale.lines.iter().partition(is_food);
        let of = |lines: &[&Line]| lines.iter().map(|line| net(line)).sum::<i64>();
        let (of_food, of_goods, has_food, has_goods) =
            (of(&food), of(&goods), !food.is_empty(), !goods.is_empty());
        let all = of_food + of_goods;
        let commission = half_away(all * COMMISSION, 10_000);
        let of_slip = if all == 0 { 0 } else { half_away(commission * of_food, all) };
        sale.kept = [
            Kept { net: of_food, commission: of_slip, back: 0 },
            Kept { net: of_goods, commission: commission - of_slip, back: 0 },
        ];
        let today = self.today();
        if has_food {
            self.slipped(at, false, of_food, of_slip);
        }
        if has_goods {
            self.billed(at, None);
            self.books.keep(&today, commission - of_slip);
        }
        self.earn(at);
        let sale = &self.sales[at];
        let all = Amounts::of(&sale.lines, 0);
        let row = [1, all.subtotal, all.discount, sale.tax(), sale.total()];
        for (sum, of) in self.books.day(&today).channel.iter_mut().zip(row) {
            *sum += of;
        }
    }

    /// Enters a slip, or what the operator gave back.
    fn slipped(&mut self, at: usize, is_return: bool, total: i64, commission: i64) {
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
        self.books.keep(&today, commission);
        let date = today;
        self.books.slips.push(Slip {
            date,
            is_return,
            number,
            refers_to,
            order,
            external,
            total,
            commission,
        });
    }

    /// So much of the slip (0) or of the bill (1) came back: what the channel keeps no more, below nothing.
    fn falls(&mut self, at: usize, side: usize, net: i64) -> i64 {
        let kept = &mut self.sales[at].kept[side];
        let before = share(*kept, kept.back);
        kept.back += net;
        before - share(*kept, kept.back)
    }

    /// What is left of the slip.
    fn left_of_slip(&self, at: usize) -> i64 {
        self.sales[at].kept[0].net - self.sales[at].kept[0].back
    }

    /// The first line of food, or of goods, of which a portion is left.
    fn line_left(&self, at: usize, is_goods: bool) -> Option<usize> {
        let lines = &self.sales[at].lines;
        lines.iter().position(|line| line.dish.is_goods() == is_goods && line.back < line.quantity)
    }

    fn item(&self, at: usize, line: usize) -> Value {
        json!({"orderItemId": self.sales[at].lines[line].id, "quantity": 1})
    }

    /// The operator gives one portion of the first dish back.
    pub async fn slip_return(&mut self, at: usize) {
        let Some(line) = self.line_left(at, false) else { return };
        let path = format!("{}/slip/return", self.sales[at].path);
        let body = json!({"items": [self.item(at, line)], "reason": "spilled"});
        self.post(&path, body).await;
        self.returned(at, line);
    }

    /// Enters a portion of a line that the operator gave back.
    fn returned(&mut self, at: usize, line: usize) {
        let amount = self.food_back(at, line, 1);
        self.enter_return(at, amount);
    }

    /// Takes portions of food off what was sold, and answers what they brought.
    fn food_back(&mut self, at: usize, line: usize, quantity: i64) -> i64 {
        let of = self.sales[at].lines[line].clone();
        let amount = net(&portions(&of, of.back + quantity));
        self.sales[at].lines[line].back += quantity;
        self.unsold(at, line, quantity, (amount, false));
        amount
    }

    fn enter_return(&mut self, at: usize, amount: i64) {
        let commission = self.falls(at, 0, amount);
        self.slipped(at, true, amount, commission);
        let today = self.today();
        let day = self.books.day(&today);
        (day.refunds, day.refunds_count) = (day.refunds + amount, day.refunds_count + 1);
        day.channel[7] += amount;
        self.hand_back(at, amount);
    }

    /// One portion of the goods comes back, and with `food` one of the food, by the same refund.
    pub async fn refund_goods(&mut self, at: usize, with_food: bool) {
        let Some(line) = self.line_left(at, true) else { return };
        let food = self.line_left(at, false).filter(|_| with_food);
        let items: Vec<Value> = food.iter().chain([&line]).map(|line| self.item(at, *line)).collect();
        let path = format!("{}/refunds", self.sales[at].path);
        self.post(&path, json!({"items": items, "reason": "spilled"})).await;
        if let Some(food) = food {
            self.returned(at, food);
        }
        let (sale, left) = (&self.sales[at], self.sales[at].left.total);
        let of = &sale.lines[line];
        let goods = sale.lines.iter().enumerate().filter(|(_, line)| line.dish.is_goods());
        let is_last = goods.into_iter().all(|(n, of)| of.back + i64::from(n == line) == of.quantity);
        let worth = half_away(of.amount() * (of.back + 1), of.quantity)
            - half_away(of.amount() * of.back, of.quantity);
        let amount = if is_last { left } else { worth };
        self.bring_back(at, line, amount, false);
        self.goods_back(at, amount);
        self.look(at).await;
    }

    /// The last credit note was of goods.
    fn goods_back(&mut self, at: usize, amount: i64) {
        let of = self.books.documents.last().unwrap().amounts.goods();
        let (commission, today) = (self.falls(at, 1, of), self.today());
        self.books.keep(&today, commission);
        self.books.day(&today).channel[7] += amount;
        self.hand_back(at, amount);
    }

    /// Everything that is left comes back, of the slip and of the bill, by one refund.
    pub async fn refund_both(&mut self, at: usize) {
        let (food, goods) = (self.left_of_slip(at), self.sales[at].left.total);
        if food == 0 || goods == 0 {
            return;
        }
        let path = format!("{}/refunds", self.sales[at].path);
        self.post(&path, json!({"amountCents": food + goods, "reason": "spilled"})).await;
        while let Some(line) = self.line_left(at, false) {
            let of = &self.sales[at].lines[line];
            self.food_back(at, line, of.quantity - of.back);
        }
        self.enter_return(at, food);
        let part = self.part(at, goods);
        self.credit(at, part);
        self.goods_back(at, goods);
        self.look(at).await;
    }
}
