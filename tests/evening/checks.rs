//! The product's figures against the model's.

use super::Evening;
use super::model::{Bill, Order};
use edge::db::DbError;
use edge::resources::{inventory, outlets};
use serde_json::{Value, json};
use std::collections::{BTreeMap, BTreeSet};
use sync_hub::verify;
use tiffin_common::Clock;
use tiffin_tests::figures::millionths;

fn cents(value: &Value, name: &str) -> i64 {
    value[name].as_i64().unwrap_or_else(|| panic!("no {name} in {value}"))
}

impl Evening {
    /// The order is what the model says, and adds up in itself.
    pub async fn agrees(&self, id: &str) {
        let shown = self.manager.get(&format!("/orders/{id}")).await.expect(200).json();
        let known = &self.model.orders[id];
        let bill = known.bill();
        let tax = |name: &str| -> i64 {
            let lines = shown["taxes"].as_array().unwrap().iter();
            lines.filter(|tax| tax["name"] == name).map(|tax| cents(tax, "taxCents")).sum()
        };
        let found = Bill {
            gross: cents(&shown, "subtotalCents"),
            discount: cents(&shown, "discountCents"),
            service: cents(&shown, "serviceChargeCents"),
            cgst: tax("CGST"),
            sgst: tax("SGST"),
            rounding: cents(&shown, "roundingCents"),
            total: cents(&shown, "totalAmountCents"),
        };
        assert_eq!(found, bill, "{id}: {shown}");
        assert_eq!(cents(&shown, "taxCents"), bill.cgst + bill.sgst);
        assert_eq!(cents(&shown, "paidCents"), known.paid());
        assert_eq!(cents(&shown, "refundedCents"), known.refunded());
        assert_eq!(cents(&shown, "dueCents"), bill.total - known.paid());
        let items = shown["items"].as_array().unwrap().iter();
        let sold: BTreeMap<&str, i64> = items
            .map(|item| (item["id"].as_str().unwrap(), cents(item, "quantity")))
            .filter(|(_, quantity)| *quantity > 0)
            .collect();
        assert_eq!(sold, known.lines.iter().map(|line| (line.id.as_str(), line.quantity)).collect());
    }

    pub async fn check_everything(&mut self, drawer: &Value, left: &str) {
        for id in self.model.sold_ids() {
            self.agrees(&id).await;
        }
        self.check_kitchen().await;
        self.check_stock().await;
        self.check_numbers().await;
        self.check_traces().await;
        self.check_close(drawer, left).await;
        let report = verify::data_dir(self.branch.folder()).unwrap();
        assert!(report.is_good(), "{report}");
    }

    /// Every portion was shown once: all of them at the pass, the hot ones at their station.
    async fn check_kitchen(&mut self) {
        self.kitchen_looks().await;
        let asked: BTreeMap<String, i64> =
            self.model.asked.iter().map(|(dish, quantity)| ((*dish).to_owned(), *quantity)).collect();
        assert_eq!(self.pass.shown, asked);
        let hot = ["Butter Chicken", "Dal", "Steamed Rice", "Kulfi"];
        let hot: BTreeMap<String, i64> =
            asked.into_iter().filter(|(dish, _)| hot.contains(&dish.as_str())).collect();
        assert_eq!(self.hot.shown, hot);
    }

    /// Stock = opening − recipes × sold − waste, to the millionth.
    async fn check_stock(&self) {
        let list = self.manager.get("/inventory/items").await.expect(200).json();
        let found: BTreeMap<&str, i64> = list["items"]
            .as_array()
            .unwrap()
            .iter()
            .map(|item| (item["name"].as_str().unwrap(), millionths(&item["currentStock"])))
            .collect();
        assert_eq!(found, self.model.on_hand());
        let (outlet, now) = (self.branch.outlet_id, self.branch.clock.now());
        let due = self.branch.db.read(move |conn| -> Result<_, DbError> {
            let outlet = outlets::store::find(conn, outlet)?;
            inventory::actions::due(conn, &outlet, now, None)
        });
        assert_eq!(due.await.unwrap(), [], "the menu shows what can be made");
    }

    /// Orders are numbered 1, 2, 3 …; bills too, one for each order that was completed; the chain holds.
    async fn check_numbers(&self) {
        let list = self.manager.get("/orders?limit=100").await.expect(200).json();
        let orders = list["data"].as_array().unwrap();
        assert_eq!(orders.len(), self.model.orders.len());
        let mut numbers: Vec<&str> =
            orders.iter().map(|order| order["orderNumber"].as_str().unwrap()).collect();
        numbers.sort_unstable();
        let expected: Vec<String> = (1..=orders.len()).map(|n| format!("BLR1-261120-{n:04}")).collect();
        assert_eq!(numbers, expected);
        let bills: BTreeSet<&str> =
            orders.iter().filter_map(|order| order["invoiceNumber"].as_str()).collect();
        let count = self.model.orders.values().filter(|order| order.billed).count();
        let expected: Vec<String> = (1..=count).map(|n| format!("BLR1/2627-{n:06}")).collect();
        assert_eq!(bills.into_iter().collect::<Vec<_>>(), expected);
        let proof = self.manager.get("/orders/invoices/verify").await.data();
        assert_eq!((&proof["valid"], &proof["checked"]), (&json!(true), &json!(count + 2)), "{proof}");
    }

    /// Every party has left but the last one, and whatever takes money off somebody's bill is in the audit log once.
    async fn check_traces(&self) {
        let seated = "SELECT count(*) FROM table_sessions WHERE closed_at IS NULL";
        assert_eq!(self.branch.number(seated).await, 1);
        for (action, count) in [
            ("order.void", 2),
            ("order.discount", 2),
            ("order.cancel", 2),
            ("order.split", 1),
            ("order.merge", 1),
            ("order.refund", 2),
        ] {
            let log = self.manager.get(&format!("/audit-log?action={action}")).await.expect(200).json();
            assert_eq!(log["meta"]["total"], count, "{action}: {log}");
        }
    }

    /// The drawer, then the day.
    async fn check_close(&self, drawer: &Value, left: &str) {
        let drawer = format!("/cash-sessions/{}", super::id(drawer));
        let out = json!({"amountCents": 15_000, "reason": "vegetables"});
        self.cashier.post(&format!("{drawer}/pay-out"), out).await.expect(201);
        let cash = |pick: fn(&super::Payment) -> i64| -> i64 {
            let orders = self.model.orders.values().flat_map(|order| &order.payments);
            orders.filter(|payment| payment.method == "CASH").map(pick).sum()
        };
        let expected = 200_000 + cash(|p| p.cents) + cash(|p| p.tip) - cash(|p| p.refunded) - 15_000;
        // The manager handed the refunds out of the open drawer.
        let close = json!({"countedCents": expected - 70});
        let closed = self.cashier.post(&format!("{drawer}/close"), close).await.expect(200).data();
        assert_eq!((cents(&closed, "expectedCents"), cents(&closed, "overShortCents")), (expected, -70));
        let day = |carry: bool| json!({"businessDate": "2026-11-20", "early": true, "carryOver": carry});
        let blocked = self.manager.post("/day-close", day(false)).await.expect(409);
        let open = self.manager.get(&format!("/orders/{left}")).await.json();
        assert!(blocked.text.contains(open["orderNumber"].as_str().unwrap()), "{}", blocked.text);
        let report = self.manager.post("/day-close", day(true)).await.expect(201).data();
        self.check_report(&report);
        assert_eq!(self.manager.get("/day-close/2026-11-20").await.data(), report);
    }

    fn check_report(&self, report: &Value) {
        // What has no bill yet is no sale of the day.
        let billed = self.model.sold().filter(|order| order.paid() == order.bill().total);
        let bills: Vec<Bill> = billed.map(Order::bill).collect();
        let sum = |pick: fn(&Bill) -> i64| bills.iter().map(pick).sum::<i64>();
        let sales = &report["sales"];
        assert_eq!(cents(sales, "orderCount"), i64::try_from(bills.len()).unwrap());
        for (name, expected) in [
            ("grossCents", sum(|b| b.gross)),
            ("discountCents", sum(|b| b.discount)),
            ("serviceChargeCents", sum(|b| b.service)),
            ("taxCents", sum(|b| b.cgst + b.sgst)),
            ("roundingCents", sum(|b| b.rounding)),
            ("totalCents", sum(|b| b.total)),
        ] {
            assert_eq!(cents(sales, name), expected, "{name}: {report}");
        }
        let tax = |name: &str| -> i64 {
            let taxes = report["taxes"].as_array().unwrap().iter();
            taxes.filter(|tax| tax["name"] == name).map(|tax| cents(tax, "taxCents")).sum()
        };
        assert_eq!((tax("CGST"), tax("SGST")), (sum(|b| b.cgst), sum(|b| b.sgst)));
        self.check_money(report, sum(|b| b.total));
        let refunded: i64 = self.model.sold().map(Order::refunded).sum();
        let untaxed = refunded
            - self.model.sold().map(|order| order.refunded_tax() + order.refunded_rest()).sum::<i64>();
        assert_eq!(cents(report, "netRevenueCents"), sum(|b| b.gross) - sum(|b| b.discount) - untaxed);
        assert_eq!(cents(&report["refunds"], "amountCents"), refunded);
        assert_eq!(cents(&report["discounts"], "amountCents"), sum(|b| b.discount));
        let voids = &report["voids"];
        assert_eq!(
            (cents(voids, "count"), cents(voids, "quantity"), cents(voids, "madeQuantity")),
            (4, 4, 1)
        );
        assert_eq!(cents(voids, "amountCents"), self.model.voids.iter().sum::<i64>());
        assert_eq!(cents(report, "stockValueCents"), self.model.stock_value());
        let billed = self.model.orders.values().filter(|order| order.billed);
        assert_eq!(
            cents(&report["invoices"], "totalCents"),
            billed.map(|order| order.bill().total).sum::<i64>()
        );
        assert_eq!(cents(&report["creditNotes"], "totalCents"), refunded);
        assert_eq!(report["creditNotes"]["count"], 2);
        assert_eq!(report["openOrders"].as_array().unwrap().len(), 1);
        assert_eq!(report["cash"]["overShortCents"], -70);
    }

    /// Orders = payments + what is open, and every method has its own sum.
    fn check_money(&self, report: &Value, total: i64) {
        let mut methods: BTreeMap<&str, (i64, i64, i64)> = BTreeMap::new();
        for payment in self.model.orders.values().flat_map(|order| &order.payments) {
            let sums = methods.entry(payment.method).or_default();
            *sums = (sums.0 + payment.cents, sums.1 + payment.tip, sums.2 + payment.refunded);
        }
        let found: BTreeMap<&str, (i64, i64, i64)> = report["payments"]
            .as_array()
            .unwrap()
            .iter()
            .map(|sum| {
                let sums = (cents(sum, "amountCents"), cents(sum, "tipCents"), cents(sum, "refundedCents"));
                (sum["method"].as_str().unwrap(), sums)
            })
            .filter(|(_, sums)| *sums != (0, 0, 0))
            .collect();
        assert_eq!(found, methods);
        // What has no bill yet may be paid in part.
        let unbilled: i64 = self.model.sold().map(|order| order.bill().total).sum::<i64>() - total;
        let paid: i64 = methods.values().map(|sums| sums.0).sum();
        let open: i64 =
            report["openOrders"].as_array().unwrap().iter().map(|order| cents(order, "dueCents")).sum();
        assert_eq!(total + unbilled, paid + open);
    }
}
