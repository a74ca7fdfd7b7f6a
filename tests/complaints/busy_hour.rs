//! Everybody does everything at once. What is asked for is drawn by lot, much of it is refused; afterwards every ledger must
//! agree with every other.

use crate::{id, path};
use edge::access::Role;
use serde_json::{Value, json};
use std::sync::Arc;
use sync_hub::verify;
use tiffin_tests::figures::DISHES;
use tiffin_tests::{Branch, Client, House, Reply};

/// Numbers that look random and are the same in every run.
struct Lot(u64);

impl Lot {
    fn draw(&mut self, below: usize) -> usize {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        usize::try_from(self.0 % below as u64).unwrap()
    }
}

struct Hand {
    owner: Client,
    guest: Client,
    house: Arc<House>,
    codes: Arc<Vec<String>>,
    lot: Lot,
}

impl Hand {
    fn lines(&mut self) -> Vec<Value> {
        let count = 1 + self.lot.draw(3);
        let line = |lot: &mut Lot| (DISHES[lot.draw(8)], 1 + i64::try_from(lot.draw(3)).unwrap());
        let wishes: Vec<_> = (0..count).map(|_| line(&mut self.lot)).collect();
        wishes.into_iter().map(|(dish, quantity)| self.house.line(dish, quantity)).collect()
    }

    async fn some_order(&mut self) -> Option<Value> {
        let list = self.owner.get("/orders?limit=100").await.expect(200).json();
        let orders = list["data"].as_array().unwrap();
        let known = orders.get(self.lot.draw(orders.len().max(1)))?;
        Some(self.owner.get(&path(known)).await.expect(200).json())
    }

    async fn do_something(&mut self) -> Option<Reply> {
        let what = self.lot.draw(20);
        if what < 4 {
            let mut order = json!({"orderType": "COUNTER", "items": self.lines()});
            if what > 0 {
                order["orderType"] = json!("DINE_IN");
                order["tableNumber"] = json!(format!("T{}", 1 + self.lot.draw(6)));
            }
            return Some(self.owner.post("/orders", order).await);
        }
        if what == 4 {
            let items = json!([{"menuItemId": self.house.dish("Lassi"), "quantity": 1}]);
            let code = self.codes[self.lot.draw(self.codes.len())].clone();
            return Some(
                self.guest.post(&format!("/orders/tables/{code}/orders"), json!({"items": items})).await,
            );
        }
        if what == 5 {
            let (from, to) = (self.house.table(1 + self.lot.draw(6)), self.house.table(1 + self.lot.draw(6)));
            let body = json!({"toTableId": to, "tableIds": [to]});
            let verb = ["transfer", "merge"][self.lot.draw(2)];
            return Some(self.owner.post(&format!("/tables/{from}/{verb}"), body).await);
        }
        if what == 6 {
            return self.cook().await;
        }
        let order = self.some_order().await?;
        if what < 14 { self.change(&order).await } else { self.settle(&order).await }
    }

    async fn cook(&mut self) -> Option<Reply> {
        let open = self.owner.get("/kitchen/tickets?limit=100").await.expect(200).json();
        let tickets = open["data"].as_array().unwrap();
        let ticket = tickets.get(self.lot.draw(tickets.len().max(1)))?;
        let verb = ["ack", "start", "ready", "serve", "recall"][self.lot.draw(5)];
        Some(self.owner.post(&format!("/kitchen/tickets/{}/{verb}", id(ticket)), json!({})).await)
    }

    async fn change(&mut self, order: &Value) -> Option<Reply> {
        let to = path(order);
        let lines = order["items"].as_array().unwrap();
        let line = lines.get(self.lot.draw(lines.len().max(1)))?;
        let quantity = 1 + self.lot.draw(2);
        let more = json!({"items": self.lines()});
        Some(match self.lot.draw(7) {
            0 => self.owner.post(&format!("{to}/items"), more).await,
            1 => {
                let body = json!({"quantity": quantity, "reason": "x", "wasMade": self.lot.draw(2) == 0});
                self.owner.post(&format!("{to}/items/{}/void", id(line)), body).await
            }
            2 => self.owner.patch(&format!("{to}/items/{}", id(line)), json!({"quantity": quantity})).await,
            3 => {
                let body = json!({"type": "PERCENT", "value": 5, "reason": "x"});
                self.owner.post(&format!("{to}/discounts"), body).await
            }
            4 => {
                let body = json!({"items": [{"orderItemId": id(line), "quantity": 1}]});
                self.owner.post(&format!("{to}/split"), body).await
            }
            5 => {
                let other = self.some_order().await?;
                self.owner.post(&format!("{to}/merge"), json!({"orderIds": [id(&other)]})).await
            }
            _ => self.owner.post(&format!("{to}/fire"), json!({"course": 3})).await,
        })
    }

    async fn settle(&mut self, order: &Value) -> Option<Reply> {
        let to = path(order);
        let due = order["dueCents"].as_i64().unwrap();
        let method = ["CASH", "CARD", "UPI"][self.lot.draw(3)];
        Some(match self.lot.draw(6) {
            0 => {
                self.owner
                    .post(&format!("{to}/payments"), json!({"method": method, "amountCents": due / 2}))
                    .await
            }
            1 | 2 => {
                self.owner
                    .post(&format!("{to}/payments"), json!({"method": method, "amountCents": due}))
                    .await
            }
            3 => self.owner.post(&format!("{to}/invoice"), json!({})).await,
            4 => {
                let mut status =
                    ["ACCEPTED", "DELIVERED", "COMPLETED", "COMPLETED", "CANCELLED"][self.lot.draw(5)];
                // A guest's order that is handed over unaccepted is no work for the kitchen: its ledger would not tell.
                if order["awaitsApproval"] == true && status == "DELIVERED" {
                    status = "ACCEPTED";
                }
                self.owner.patch(&format!("{to}/status"), json!({"status": status, "reason": "x"})).await
            }
            _ => {
                let line = order["items"].as_array().unwrap().first()?;
                let body = json!({"items": [{"orderItemId": id(line), "quantity": 1}], "reason": "x", "restock": true});
                self.owner.post(&format!("{to}/refunds"), body).await
            }
        })
    }
}

/// Ledgers that must agree: what is counted must be none.
const DISAGREEMENTS: &[(&str, &str)] = &[
    (
        "an order's parts and its total",
        "SELECT count(*) FROM orders WHERE total_cents <>
           subtotal_cents - discount_cents + service_charge_cents + tax_cents + rounding_cents",
    ),
    (
        "an order's lines and its amounts",
        "SELECT count(*) FROM orders o WHERE (gross_cents, discount_cents, tax_cents, service_charge_cents) IS NOT
           (SELECT coalesce(sum(gross_cents), 0), coalesce(sum(discount_cents), 0), coalesce(sum(tax_cents), 0),
                   coalesce(sum(service_charge_cents), 0) FROM order_items WHERE order_id = o.id)",
    ),
    (
        "an order's tax and its tax lines",
        "SELECT count(*) FROM orders o WHERE tax_cents <>
           (SELECT coalesce(sum(tax_cents), 0) FROM order_taxes WHERE order_id = o.id)",
    ),
    (
        "an order's money and its payments and refunds",
        "SELECT count(*) FROM orders o WHERE paid_cents - refunded_cents <>
           (SELECT coalesce(sum(amount_cents - refunded_cents), 0) FROM payments WHERE order_id = o.id)",
    ),
    ("more paid than asked for", "SELECT count(*) FROM orders WHERE paid_cents > total_cents"),
    ("more given back than paid", "SELECT count(*) FROM payments WHERE refunded_cents > amount_cents"),
    (
        "a payment and its refunds",
        "SELECT count(*) FROM payments p WHERE refunded_cents <>
           (SELECT coalesce(sum(amount_cents), 0) FROM refunds WHERE payment_id = p.id)",
    ),
    ("completed with something due", "SELECT count(*) FROM orders WHERE status = 'COMPLETED' AND paid_cents < total_cents"),
    (
        "cancelled and still holding money",
        "SELECT count(*) FROM orders WHERE status = 'CANCELLED' AND paid_cents > refunded_cents",
    ),
    (
        "gaps in the orders' numbers",
        "SELECT max(token_number) - count(DISTINCT token_number) FROM orders",
    ),
    (
        "gaps in the bills' numbers",
        "SELECT coalesce(sum(gap), 0) FROM (SELECT max(serial) - count(*) AS gap FROM invoices GROUP BY kind, fiscal_year)",
    ),
    (
        "stock on hand and its ledger",
        "SELECT count(*) FROM stock_levels l WHERE on_hand <>
           (SELECT coalesce(sum(quantity_delta), 0) FROM stock_movements WHERE stock_item_id = l.stock_item_id)",
    ),
    (
        "what is left of a batch and its ledger",
        "SELECT count(*) FROM stock_batches b WHERE
           coalesce((SELECT quantity FROM stock_batch_levels WHERE batch_id = b.id), 0) <>
           (SELECT coalesce(sum(quantity_delta), 0) FROM stock_movements WHERE batch_id = b.id)",
    ),
    (
        "a movement that was reversed by more than it took",
        "SELECT count(*) FROM stock_movements m WHERE kind = 'SALE' AND -quantity_delta <
           (SELECT coalesce(sum(quantity_delta), 0) FROM stock_movements WHERE reverses_id = m.id)",
    ),
    (
        "a ledger whose lines do not follow each other",
        "SELECT count(*) FROM stock_movements WHERE quantity_after <> quantity_before + quantity_delta",
    ),
    (
        "a table with an open party and no open order, or the other way round",
        "SELECT count(*) FROM table_sessions s WHERE (closed_at IS NULL) <> EXISTS
           (SELECT 1 FROM orders WHERE table_session_id = s.id AND status NOT IN ('COMPLETED', 'CANCELLED'))",
    ),
    (
        "portions that are sold and not with the kitchen, or the other way round",
        "SELECT count(*) FROM order_items i JOIN orders o ON o.id = i.order_id
         WHERE o.status NOT IN ('COMPLETED', 'CANCELLED') AND o.dispatched_at IS NOT NULL
           AND i.quantity - (SELECT coalesce(sum(quantity), 0) FROM refund_items WHERE order_item_id = i.id)
             > (SELECT coalesce(sum(t.quantity), 0) FROM kitchen_ticket_items t
             JOIN kitchen_tickets k ON k.id = t.ticket_id
             WHERE t.order_item_id = i.id AND t.status <> 'CANCELLED' AND k.type IN ('NEW', 'ADDITION'))",
    ),
    (
        "portions that are with the kitchen and neither sold nor thrown away",
        "SELECT count(*) FROM order_items i JOIN orders o ON o.id = i.order_id
         WHERE o.status NOT IN ('COMPLETED', 'CANCELLED') AND o.dispatched_at IS NOT NULL
           AND i.quantity + (SELECT coalesce(sum(quantity), 0) FROM order_item_voids WHERE order_item_id = i.id AND was_made)
             < (SELECT coalesce(sum(t.quantity), 0) FROM kitchen_ticket_items t
               JOIN kitchen_tickets k ON k.id = t.ticket_id
               WHERE t.order_item_id = i.id AND t.status <> 'CANCELLED' AND k.type IN ('NEW', 'ADDITION')
                 AND k.status IN ('HELD', 'QUEUED'))",
    ),
    ("references to nothing", "SELECT count(*) FROM pragma_foreign_key_check"),
];

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_busy_hour_leaves_all_ledgers_in_step() {
    let branch = Branch::start().await;
    let house = Arc::new(House::open(&branch).await);
    let mut codes = Vec::new();
    for table in 1..=6 {
        let qr = house.owner.post(&format!("/tables/{}/qr", house.table(table)), json!({})).await.data();
        codes.push(qr["qrToken"].as_str().unwrap().to_owned());
    }
    let codes = Arc::new(codes);
    let hands = (1..=12u64).map(|seed| {
        let lot = Lot(seed.wrapping_mul(0x9e37_79b9_7f4a_7c15));
        let (house, codes) = (Arc::clone(&house), Arc::clone(&codes));
        let mut hand =
            Hand { owner: branch.sign_in(Role::Owner), guest: branch.anonymous(), house, codes, lot };
        tokio::spawn(async move {
            let mut good = 0;
            for _ in 0..60 {
                if let Some(reply) = hand.do_something().await {
                    assert!(reply.status < 500, "{} answered {}", reply.asked, reply.text);
                    good += usize::from(reply.status < 300);
                }
            }
            good
        })
    });
    let mut good = 0;
    for hand in hands.collect::<Vec<_>>() {
        good += hand.await.unwrap();
    }
    assert!(good > 200, "only {good} requests did anything");
    for (what, sql) in DISAGREEMENTS {
        assert_eq!(branch.number(sql).await, 0, "{what}");
    }
    assert_eq!(house.owner.get("/orders/invoices/verify").await.data()["valid"], true);
    let close = json!({"businessDate": "2026-11-20", "early": true, "carryOver": true});
    house.owner.post("/day-close", close).await.expect(201);
    let report = verify::data_dir(branch.folder()).unwrap();
    assert!(report.is_good(), "{report}");
}
