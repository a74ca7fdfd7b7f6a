//! What happens at a house from 26 February to 3 April 2027: seeded trade, and in it, whatever the seed, each thing that books go wrong
//! by: bills over midnight, over the end of a month and of a fiscal year, a date closed early, corrections on later dates.

use super::arithmetic::{Cut, DISHES, Dish};
use super::figures;
use super::shop::{Shop, date};
use chrono::{Datelike, NaiveDate};
use tiffin_tests::Dice;

const BUYERS: [(&str, &str); 2] = [("27AAPFU0939F1ZV", "Acme Ltd"), ("29AAFCT4512Q1ZS", "Tiffin & Sons")];

/// The first and the last date that are traded on.
pub const FROM: &str = "2027-02-26";
pub const TO: &str = "2027-04-03";

/// What is left to be done on another day.
#[derive(Debug, Clone, Copy)]
enum Later {
    Bill,
    Pay,
    Refund,
    RefundPortion,
    RefundAll,
    Correct,
    Reverse,
    Return,
    RefundGoods,
    RefundBoth,
}

/// A house with what it still has to do.
struct Days<'s> {
    shop: &'s mut Shop,
    dice: Dice,
    later: Vec<(NaiveDate, usize, Later)>,
}

/// Lets the house trade.
pub async fn trade(shop: &mut Shop, seed: u64) {
    let dice = Dice::fork(seed, shop.house.code);
    let mut days = Days { shop, dice, later: Vec::new() };
    for day in date(FROM).iter_days().take_while(|day| *day <= date(TO)) {
        days.morning(day).await;
        for _ in 0..days.dice.between(2, 6) {
            days.sell(day).await;
        }
        days.evening(day).await;
    }
    days.shop.at(date("2027-04-04"), 12, 0);
}

impl Days<'_> {
    async fn morning(&mut self, day: NaiveDate) {
        self.shop.at(day, 11, 0);
        self.shop.open_drawer().await;
        let (now, later) = self.later.iter().partition(|(due, ..)| *due <= day);
        self.later = later;
        let now: Vec<(NaiveDate, usize, Later)> = now;
        for (_, at, what) in now {
            self.go_on(at, what).await;
        }
    }

    /// What was left for today.
    async fn go_on(&mut self, at: usize, what: Later) {
        match what {
            Later::Bill | Later::Pay => {
                if matches!(what, Later::Bill) {
                    self.shop.bill(at, None).await;
                }
                self.shop.pay(at, "UPI", self.shop.sales[at].due(), 0).await;
                self.shop.complete(at).await;
            }
            Later::Refund => self.give_back(at).await,
            Later::RefundPortion => self.shop.refund_portion(at, 0, false).await,
            Later::RefundAll => {
                let left = self.shop.sales[at].left.total;
                self.shop.refund(at, left).await;
            }
            Later::Correct => self.shop.correct(at, "UPI", 700).await,
            Later::Reverse => {
                self.shop.reverse(at).await;
                self.shop.pay(at, "CASH", self.shop.sales[at].due(), 0).await;
                self.shop.complete(at).await;
            }
            Later::Return => self.shop.slip_return(at).await,
            Later::RefundGoods => self.shop.refund_goods(at, true).await,
            Later::RefundBoth => self.shop.refund_both(at).await,
        }
    }

    /// Some of it, in whole coins.
    async fn give_back(&mut self, at: usize) {
        let left = self.shop.sales[at].left.total;
        let some = left / 300 * 100;
        if some > 0 {
            self.shop.refund(at, some).await;
        }
    }

    fn dishes(&self) -> Vec<(&'static Dish, i64)> {
        let mut dishes: Vec<(&'static Dish, i64)> = Vec::new();
        for _ in 0..self.dice.between(1, 4) {
            let dish = self.dice.pick(&DISHES);
            if dishes.iter().all(|(other, _)| other.name != dish.name) {
                dishes.push((dish, i64::try_from(self.dice.between(1, 4)).unwrap()));
            }
        }
        dishes
    }

    fn leave(&mut self, day: NaiveDate, at: usize, what: Later) {
        let days = self.dice.between(1, 6);
        self.later.push((day + chrono::Days::new(days), at, what));
    }

    async fn sell(&mut self, day: NaiveDate) {
        let dishes = self.dishes();
        if self.shop.has_channel() && self.dice.happens(200) {
            return self.through_channel(day, &dishes).await;
        }
        let order_type = *self.dice.pick(&["DINE_IN", "DINE_IN", "COUNTER", "TAKEAWAY", "DELIVERY"]);
        let at = self.shop.place(order_type, &dishes, false).await;
        if order_type == "DINE_IN" && !self.shop.house.automatic && self.dice.happens(500) {
            self.shop.serve(at).await;
        }
        if self.dice.happens(120) && self.shop.sales[at].lines[0].quantity > 1 {
            let was_made = self.dice.happens(500);
            self.shop.void(at, was_made).await;
        }
        if self.dice.happens(300) {
            self.discount(at).await;
        }
        if self.dice.happens(60) {
            return self.shop.call_off(at).await;
        }
        self.settle(day, at).await;
    }

    async fn discount(&mut self, at: usize) {
        let whole = |percent| Cut { line: None, percent: Some(percent), cents: 0 };
        let cut = match self.dice.below(5) {
            0 => Cut { percent: Some(100), line: Some(0), cents: 0 },
            1 => Cut { percent: Some(15), line: Some(0), cents: 0 },
            2 => Cut { percent: None, line: None, cents: 1_001 },
            3 => whole(100),
            _ => whole(10),
        };
        self.shop.cut(at, cut).await;
        if self.dice.happens(300) {
            self.shop.cut(at, whole(7)).await;
        }
    }

    async fn through_channel(&mut self, day: NaiveDate, dishes: &[(&'static Dish, i64)]) {
        let at = self.shop.place("DELIVERY", dishes, true).await;
        if self.dice.happens(300) {
            self.shop.cut(at, Cut { line: None, percent: Some(10), cents: 0 }).await;
        }
        let tip = if self.dice.happens(200) { 300 } else { 0 };
        self.shop.pay(at, "OTHER", self.shop.sales[at].due(), tip).await;
        self.shop.complete(at).await;
        match self.dice.below(6) {
            0 | 1 => {
                self.shop.slip_return(at).await;
                self.leave(day, at, Later::Return);
            }
            2 => {
                self.shop.refund_goods(at, false).await;
                self.leave(day, at, Later::RefundGoods);
            }
            3 => self.shop.refund_goods(at, true).await,
            4 => self.leave(day, at, Later::RefundBoth),
            _ => {}
        }
    }

    /// From the bill to the end of the order, or to what is left for another day.
    async fn settle(&mut self, day: NaiveDate, at: usize) {
        let total = self.shop.sales[at].total();
        let tip = if self.dice.happens(250) { 500 } else { 0 };
        let method = *self.dice.pick(&["CASH", "CARD", "UPI"]);
        if total == 0 {
            // It is on the house.
            self.shop.bill(at, None).await;
            return self.shop.complete(at).await;
        }
        match self.dice.below(12) {
            0 => return self.leave(day, at, Later::Bill),
            1 => {
                self.shop.bill(at, None).await;
                return self.leave(day, at, Later::Pay);
            }
            2 => {
                self.shop.bill(at, None).await;
                let off = total / 400 * 100;
                if off > 0 {
                    self.shop.overcharged(at, off).await;
                }
                self.shop.write_off(at).await;
            }
            3 => {
                self.shop.bill(at, None).await;
                let off = total / 500 * 100;
                if off > 0 {
                    self.shop.overcharged(at, off).await;
                }
                self.shop.pay(at, method, self.shop.sales[at].due(), tip).await;
            }
            4 | 5 => {
                let buyer = *self.dice.pick(&BUYERS);
                self.shop.bill(at, Some(buyer)).await;
                self.shop.pay(at, "UPI", total, 0).await;
            }
            6 => {
                self.shop.pay(at, "CASH", total, tip).await;
                self.shop.correct(at, "CARD", 200).await;
            }
            7 => {
                self.shop.pay(at, "CARD", total, tip).await;
                self.shop.reverse(at).await;
                self.shop.pay(at, "CASH", total, 0).await;
            }
            8 if total >= 200 => {
                let part = total / 200 * 100;
                self.shop.pay(at, "CARD", part, 0).await;
                self.shop.pay(at, "CASH", total - part, tip).await;
            }
            _ => self.shop.pay(at, method, total, tip).await,
        }
        self.afterwards(day, at).await;
    }

    /// What comes back on the day, and later.
    async fn afterwards(&mut self, day: NaiveDate, at: usize) {
        let is_paid = self.shop.sales[at].written_off == 0;
        let (is_one, is_whole) = (self.shop.sales[at].payments.len() == 1, self.shop.sales[at].credited == 0);
        match self.dice.below(14) {
            0 if is_paid => self.give_back(at).await,
            1 if is_paid && is_one && is_whole => self.shop.refund_portion(at, 0, true).await,
            2 if is_paid && is_one && is_whole => self.shop.refund_portion(at, 0, false).await,
            3 if is_paid && is_whole => self.shop.refund(at, self.shop.sales[at].left.total).await,
            4 if is_paid => self.leave(day, at, Later::Refund),
            5 | 6 if is_paid && is_one && is_whole => self.leave(day, at, Later::RefundPortion),
            7 if is_paid && is_whole => self.leave(day, at, Later::RefundAll),
            8 if is_paid && is_one => self.leave(day, at, Later::Correct),
            9 if is_paid && is_one => self.leave(day, at, Later::Reverse),
            _ => {}
        }
        self.shop.complete(at).await;
    }

    async fn evening(&mut self, day: NaiveDate) {
        self.shop.at(day, 21, 0);
        if self.dice.happens(300) {
            let is_tips = self.dice.happens(500);
            self.shop.take_out(1_200, is_tips).await;
        }
        let over = *self.dice.pick(&[0, 0, 0, 0, -300, 200]);
        self.shop.count(over).await;
        figures::check_today(self.shop).await;
        let text = day.to_string();
        let is_last = day.succ_opt().unwrap().month() != day.month();
        if is_last {
            self.shop.cannot_close(&text).await;
        }
        if day.day().is_multiple_of(10) {
            // What is sold after the close is of the next date.
            self.shop.at(day, 22, 0);
            self.shop.close(&text).await;
        }
        self.over_midnight(day, is_last).await;
        if !day.day().is_multiple_of(10) {
            self.shop.at(day.succ_opt().unwrap(), 4, 30);
            self.shop.close(&text).await;
        }
    }

    /// An order of before midnight: paid after it, on the same business date; at a month's end also one that is billed on the next.
    async fn over_midnight(&mut self, day: NaiveDate, is_last: bool) {
        if !is_last && !self.dice.happens(300) {
            return;
        }
        self.shop.at(day, 23, 40);
        let (dish, next) = (&DISHES[1], day.succ_opt().unwrap());
        let at = self.shop.place("COUNTER", &[(dish, 2)], false).await;
        if is_last {
            let carried = self.shop.place("DINE_IN", &[(&DISHES[0], 1), (dish, 1)], false).await;
            self.later.push((next, carried, Later::Bill));
            // Billed in the old year, credited in the new one.
            let credited = self.shop.place("TAKEAWAY", &[(&DISHES[2], 3)], false).await;
            self.shop.pay(credited, "CARD", self.shop.sales[credited].due(), 0).await;
            self.shop.complete(credited).await;
            self.later.push((next, credited, Later::RefundPortion));
        }
        self.shop.at(next, 0, 50);
        self.shop.pay(at, "UPI", self.shop.sales[at].due(), 0).await;
        self.shop.complete(at).await;
    }
}
