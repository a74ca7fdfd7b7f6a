//! The box's figures against the ledger's.

use super::ledger::{Bill, Sums};
use super::{DATE, Day, GRAVY, cents, list, text};
use serde_json::{Value, json};
use std::collections::BTreeMap;
use sync_hub::verify;
use tiffin_tests::figures::{OPENING, millionths};
use tiffin_tests::oracle;

fn taxes(of: &Value, name: &str) -> i64 {
    list(&of["taxes"]).iter().filter(|tax| tax["name"] == name).map(|tax| cents(tax, "taxCents")).sum()
}

fn sums(of: &Value) -> Sums {
    (cents(of, "quantity"), cents(of, "revenueCents"), cents(of, "cogsCents"))
}

fn total(of: &BTreeMap<impl Ord, Sums>) -> Sums {
    of.values().fold((0, 0, 0), |sum, one| (sum.0 + one.0, sum.1 + one.1, sum.2 + one.2))
}

impl Day {
    /// The order comes to what the ledger says.
    pub async fn agrees(&self, id: &str) {
        let shown = self.house.owner.get(&format!("/orders/{id}")).await.expect(200).json();
        let found = Bill {
            gross: cents(&shown, "subtotalCents"),
            discount: cents(&shown, "discountCents"),
            cgst: taxes(&shown, "CGST"),
            sgst: taxes(&shown, "SGST"),
            total: cents(&shown, "totalAmountCents"),
        };
        assert_eq!(found, self.ledger.orders[id].bill(), "{shown}");
    }

    /// What is left of every batch, to the millionth.
    pub async fn stock_agrees(&self) {
        let items = OPENING.iter().map(|(name, _)| (*name, self.house.stock(name)));
        for (name, id) in items.chain([("Gravy", self.gravy.as_str()), ("Fish", self.fish.as_str())]) {
            let batches = self.house.owner.get(&format!("/inventory/items/{id}/batches")).await.expect(200);
            let batches = batches.data();
            let found: BTreeMap<String, i64> = list(&batches)
                .iter()
                .map(|batch| (text(&batch["batchNumber"]).to_owned(), millionths(&batch["quantity"])))
                .filter(|(_, left)| *left != 0)
                .collect();
            assert_eq!(found, self.ledger.batches_of(name), "{name}");
        }
    }

    pub async fn check_everything(&mut self, drawer: &str) {
        for id in self.ledger.orders.keys() {
            self.agrees(id).await;
        }
        self.stock_agrees().await;
        self.check_kitchen();
        self.check_sales().await;
        self.check_recall().await;
        self.check_close(drawer).await;
        self.switch_off();
        let report = verify::data_dir(&self.data).unwrap();
        assert!(report.is_good(), "{report}");
    }

    /// Every portion stood on one ticket of its station; on paper in the station's language, one paper a ticket.
    fn check_kitchen(&self) {
        let asked = self.ledger.asked.iter();
        let asked: BTreeMap<(String, String), i64> = asked
            .map(|((station, dish), quantity)| (((*station).to_owned(), (*dish).to_owned()), *quantity))
            .collect();
        assert_eq!(self.read, asked);
        let conn = oracle::open(&self.data.join("tiffin.db"));
        let sql = "SELECT s.name, j.document FROM print_jobs j JOIN kitchen_tickets t ON t.id = j.ticket_id
            JOIN kitchen_stations s ON s.id = t.station_id WHERE j.kind = 'KITCHEN'";
        let mut statement = conn.prepare(sql).unwrap();
        let papers = statement.query_map([], |row| Ok((row.get(0)?, row.get(1)?))).unwrap();
        let papers: Vec<(String, String)> = papers.map(Result::unwrap).collect();
        assert_eq!(papers.len(), self.tickets);
        let mut printed: BTreeMap<(&str, &str), i64> = BTreeMap::new();
        for (station, paper) in &papers {
            for said in ["पनीर टिक्का", "லஸ்ஸி", "Dal (Half)", "Dal (Full)", "Butter Chicken", "Steamed Rice"]
            {
                for (before, _) in paper.match_indices(&format!(" x {said}")) {
                    let number = paper[..before].rsplit(|c: char| !c.is_ascii_digit()).next().unwrap();
                    *printed.entry((station, said)).or_default() += number.parse::<i64>().unwrap();
                }
            }
        }
        let said = |dish: &'static str| match dish {
            "Paneer Tikka" => "पनीर टिक्का",
            "Lassi" => "லஸ்ஸி",
            other => other,
        };
        let fish =
            papers.iter().filter(|(station, paper)| station == "Hot" && paper.contains("1.235 kg x Fish"));
        assert_eq!(fish.count(), 1);
        let asked = self.ledger.asked.iter().filter(|((_, dish), _)| *dish != "Fish");
        assert_eq!(printed, asked.map(|((station, dish), n)| ((*station, said(dish)), *n)).collect());
    }

    /// Sales by dish, by size, by meal and by component: each the same sums.
    async fn check_sales(&self) {
        let owner = &self.house.owner;
        let range = format!("from={DATE}&to={DATE}");
        let all = self.ledger.sold(|_| ());
        let (bill, all) = (self.ledger.bills(), all[&()]);
        let summary = owner.get(&format!("/analytics/summary?{range}")).await.expect(200).json();
        let count = i64::try_from(self.ledger.orders.len()).unwrap();
        for (name, expected) in [
            ("ordersCount", count),
            ("grossRevenueCents", bill.gross),
            ("discountCents", bill.discount),
            ("netRevenueCents", all.1),
            ("taxCents", bill.cgst + bill.sgst),
            ("cogsCents", all.2),
        ] {
            assert_eq!(cents(&summary, name), expected, "{name}: {summary}");
        }
        let sellers =
            owner.get(&format!("/analytics/top-sellers?{range}&limit=100")).await.expect(200).data();
        let sold = list(&sellers["items"]).iter().filter(|dish| dish["quantity"] != 0);
        let found: BTreeMap<&str, Sums> = sold.map(|dish| (text(&dish["name"]), sums(dish))).collect();
        assert_eq!(found, self.ledger.sold(|part| part.dish.split(" (").next().unwrap()));
        let fish = list(&sellers["items"]).iter().find(|dish| dish["name"] == "Fish").unwrap();
        assert_eq!(millionths(&fish["weight"]), self.ledger.fish());
        let sizes: BTreeMap<&str, Sums> = list(&sellers["items"])
            .iter()
            .flat_map(|dish| list(&dish["variants"]))
            .map(|size| (text(&size["name"]), sums(size)))
            .collect();
        let mut expected = self.ledger.sold(|part| part.dish);
        expected.retain(|dish, _| dish.starts_with("Dal"));
        assert_eq!(sizes, expected);
        let report = owner.get(&format!("/analytics/reports/combos?{range}")).await.expect(200).data();
        let keys: Vec<_> = list(&report["columns"]).iter().map(|column| text(&column["key"])).collect();
        let at = |row: &Value, key: &str| row[keys.iter().position(|known| *known == key).unwrap()].clone();
        let rows = list(&report["rows"]).iter().filter(|row| at(row, "quantity") != 0);
        let found: BTreeMap<(bool, String), Sums> = rows
            .map(|row| {
                let sums =
                    ["quantity", "revenueCents", "cogsCents"].map(|key| at(row, key).as_i64().unwrap());
                ((at(row, "combo") == "Meal", text(&at(row, "item")).to_owned()), sums.into())
            })
            .collect();
        assert_eq!(found, self.ledger.sold(|part| (part.in_meal, part.dish.to_owned())), "{report}");
        assert_eq!((total(&found), sums(&report["totals"])), (all, all));
        let meals: i64 = self.ledger.orders.values().map(|order| order.meals).sum();
        assert_eq!(cents(&report["totals"], "combosCount"), meals);
    }

    /// Whoever ate of a batch is found with how much: through the gravy, too.
    async fn check_recall(&self) {
        let owner = &self.house.owner;
        let batches = [
            (self.house.stock("Tomatoes"), "Tomatoes-1"),
            (self.house.stock("Cream"), "Cream-1"),
            (self.house.stock("Paneer"), "FARM-7"),
            (self.fish.as_str(), "Fish-1"),
            (self.gravy.as_str(), GRAVY),
        ];
        for (item, number) in batches {
            let all = owner.get(&format!("/inventory/items/{item}/batches")).await.expect(200).data();
            let batch = list(&all).iter().find(|batch| batch["batchNumber"] == number).unwrap();
            let path = format!("/inventory/batches/{}/trace?limit=100", text(&batch["id"]));
            let trace = owner.get(&path).await.expect(200).data();
            let found: BTreeMap<String, i64> = list(&trace["orders"])
                .iter()
                .map(|order| (text(&order["orderNumber"]).to_owned(), millionths(&order["quantity"])))
                .collect();
            assert_eq!(found, self.ledger.eaters(number), "{number}: {trace}");
        }
    }

    /// The drawer, then the day.
    async fn check_close(&self, drawer: &str) {
        let money = self.ledger.money();
        let close = json!({"countedCents": 200_000 + money["CASH"]});
        let path = format!("/cash-sessions/{drawer}/close");
        let closed = self.cashier.post(&path, close).await.expect(200).data();
        assert_eq!(
            (cents(&closed, "expectedCents"), cents(&closed, "overShortCents")),
            (200_000 + money["CASH"], 0)
        );
        let day = json!({"businessDate": DATE, "early": true});
        let report = self.house.owner.post("/day-close", day).await.expect(201).data();
        let bill = self.ledger.bills();
        let found = Bill {
            gross: cents(&report["sales"], "grossCents"),
            discount: cents(&report["sales"], "discountCents"),
            cgst: taxes(&report, "CGST"),
            sgst: taxes(&report, "SGST"),
            total: cents(&report["sales"], "totalCents"),
        };
        assert_eq!(found, bill, "{report}");
        assert_eq!(cents(&report, "netRevenueCents"), bill.gross - bill.discount);
        assert_eq!(cents(&report["invoices"], "totalCents"), bill.total);
        assert_eq!(cents(&report, "stockValueCents"), self.ledger.stock_value());
        let found: BTreeMap<&str, i64> = list(&report["payments"])
            .iter()
            .map(|sum| (text(&sum["method"]), cents(sum, "amountCents")))
            .filter(|(_, amount)| *amount != 0)
            .collect();
        assert_eq!(found, money);
    }
}
