//! The product's figures against the books.

use super::Month;
use super::books::{Use, cents};
use super::plan::STAFF;
use edge::app;
use edge::config::{Config, Sources};
use serde_json::Value;
use std::collections::BTreeMap;
use std::time::Duration;
use sync_hub::verify;
use tiffin_tests::figures::millionths;

const MARCH: &str = "from=2027-03-01&to=2027-03-31";

/// A report's rows, cells by their column's key, and its totals.
struct Report {
    rows: Vec<BTreeMap<String, Value>>,
    totals: Value,
}

impl Report {
    /// The row whose `key` is `text`.
    fn row(&self, key: &str, text: &str) -> &BTreeMap<String, Value> {
        self.rows.iter().find(|row| row[key] == text).unwrap_or_else(|| panic!("no {text}: {:?}", self.rows))
    }

    fn sum(&self, key: &str) -> i64 {
        self.rows.iter().map(|row| row[key].as_i64().unwrap()).sum()
    }
}

impl Month {
    async fn read(&self, path: &str) -> Value {
        self.people.manager.get(path).await.expect(200).json()
    }

    async fn report(&self, name: &str) -> Report {
        let report = self.read(&format!("/analytics/reports/{name}?{MARCH}")).await["data"].take();
        let keys: Vec<&str> = report["columns"]
            .as_array()
            .unwrap()
            .iter()
            .map(|column| column["key"].as_str().unwrap())
            .collect();
        let rows = report["rows"].as_array().unwrap().iter().map(|row| {
            keys.iter().map(|key| (*key).to_owned()).zip(row.as_array().unwrap().iter().cloned()).collect()
        });
        Report { rows: rows.collect(), totals: report["totals"].clone() }
    }

    pub async fn check(&self) {
        let fresh = self.figures().await;
        self.check_summary(&fresh[0]);
        self.check_days(&fresh[1]["data"]);
        self.check_money().await;
        self.check_stock().await;
        self.check_labor().await;
        self.keep_days().await;
        assert_eq!(self.figures().await, fresh, "finished days are kept as they are in the rows");
        let report = verify::data_dir(self.branch.folder()).unwrap();
        assert!(report.is_good(), "{report}");
    }

    /// Summary, days and reports, without the moment they were made at.
    async fn figures(&self) -> Vec<Value> {
        let mut figures = vec![self.read("/analytics/summary?period=LAST_MONTH").await];
        figures.push(self.read(&format!("/analytics/daily?{MARCH}")).await);
        for name in [
            "sales",
            "payments",
            "tax",
            "discounts",
            "voids",
            "variance",
            "waste",
            "labor",
            "purchases",
            "pnl",
        ] {
            figures.push(self.read(&format!("/analytics/reports/{name}?{MARCH}")).await);
        }
        figures
    }

    /// Lets the worker keep every finished day.
    async fn keep_days(&self) {
        let config = Config::resolve(&Sources::default()).unwrap();
        let _workers = app::start_workers(self.branch.state(), &config);
        let kept =
            "SELECT count(*) FROM analytics_days WHERE business_date BETWEEN '2027-03-01' AND '2027-03-31'";
        let all = async {
            while self.branch.number(kept).await < 31 {
                tokio::time::sleep(Duration::from_millis(20)).await;
            }
        };
        tokio::time::timeout(Duration::from_secs(60), all).await.expect("every finished day is kept");
    }

    fn check_summary(&self, summary: &Value) {
        let books = &self.books;
        let (gross, discount) = (books.sum(|day| day.bill.gross), books.sum(|day| day.bill.discount));
        let (refunds, net): (i64, i64) = (books.sum(|day| day.refunds()), books.sum(|day| day.net()));
        let tax = 2 * (books.sum(|day| day.bill.half_tax) - books.sum(|day| day.refunded_half_tax));
        let service: i64 = books.sum(|day| day.bill.service - day.refunded_service);
        let rounding: i64 = books.sum(|day| day.bill.rounding - day.refunded_rounding);
        let (cogs, waste) = (cents(books.sum(|day| day.cogs)), cents(books.sum(|day| day.waste)));
        let (variance, labor) = (cents(books.sum(|day| day.variance)), books.sum(|day| day.labor));
        let orders: i64 = books.sum(|day| day.orders);
        let sessions: i64 = books.sum(|day| day.sessions);
        let (left, minutes): (i64, i64) = (books.sum(|day| day.left), books.sum(|day| day.turned_minutes));
        let tips: i64 = books.sum(|day| day.money.values().map(|(_, tip, _)| tip).sum::<i64>());
        assert_eq!((&summary["from"], &summary["to"]), (&"2027-03-01".into(), &"2027-03-31".into()));
        let headline = [
            ("grossRevenueCents", gross),
            ("discountCents", discount),
            ("refundCents", refunds),
            ("netRevenueCents", net),
            ("taxCents", tax),
            ("ordersCount", orders),
            ("guestsCount", books.sum(|day| day.guests)),
            ("averageOrderValueCents", half_away(net, orders)),
            ("cogsCents", cogs),
            ("foodWasteCents", waste),
            ("laborCostCents", labor),
            ("averageTurnMinutes", half_away(minutes, left)),
        ];
        for (name, expected) in headline {
            assert_eq!(summary[name], expected, "{name}: {summary}");
        }
        let percentages = [
            ("cogsPercentage", half_away(cogs * 10_000, net)),
            ("laborCostPercentage", half_away(labor * 10_000, net)),
            ("primeCostPercentage", half_away((cogs + labor) * 10_000, net)),
            ("tableTurns", half_away(sessions * 100, 12)),
        ];
        for (name, hundredths) in percentages {
            assert_eq!(millionths(&summary[name]), hundredths * 10_000, "{name}: {summary}");
        }
        let gross_profit = net + service - cogs - waste + variance;
        let lines = [
            ("netRevenueCents", net),
            ("serviceChargeCents", service),
            ("cogsCents", cogs),
            ("foodWasteCents", waste),
            ("stockVarianceCents", variance),
            ("grossProfitCents", gross_profit),
            ("laborCostCents", labor),
            ("primeCostCents", cogs + labor),
            ("operatingProfitCents", gross_profit - labor + rounding),
            ("taxCents", tax),
            ("tipsCents", tips),
            ("roundingCents", rounding),
        ];
        for (name, expected) in lines {
            assert_eq!(summary["profitAndLoss"][name], expected, "{name}: {summary}");
        }
    }

    fn check_days(&self, daily: &Value) {
        let days = daily["days"].as_array().unwrap();
        assert_eq!(days.len(), 31);
        for shown in days {
            let day = &self.books.days[shown["businessDate"].as_str().unwrap()];
            for (name, expected) in [
                ("ordersCount", day.orders),
                ("grossRevenueCents", day.bill.gross),
                ("netRevenueCents", day.net()),
                ("cogsCents", cents(day.cogs)),
                ("foodWasteCents", cents(day.waste)),
                ("laborCostCents", day.labor),
            ] {
                assert_eq!(shown[name], expected, "{name}: {shown}");
            }
        }
    }

    async fn check_money(&self) {
        let books = &self.books;
        let sales = self.report("sales").await;
        let total: i64 = books.sum(|day| day.bill.total - day.refunded);
        assert_eq!(sales.totals["totalCents"], total);
        assert_eq!(sales.sum("totalCents"), total);
        let payments = self.report("payments").await;
        for method in ["CASH", "CARD", "UPI"] {
            let row = payments.row("method", method);
            let of = |day: &super::books::Day| day.money.get(method).copied().unwrap_or_default();
            assert_eq!(row["amountCents"], books.sum(|day| of(day).0), "{method}");
            assert_eq!(row["tipCents"], books.sum(|day| of(day).1), "{method}");
            assert_eq!(row["refundedCents"], books.sum(|day| of(day).2), "{method}");
        }
        let tax = self.report("tax").await;
        for name in ["CGST", "SGST"] {
            let row = tax.row("name", name);
            assert_eq!(row["taxableCents"], books.sum(|day| day.bill.taxable), "{name}");
            assert_eq!(row["taxCents"], books.sum(|day| day.bill.half_tax), "{name}");
            assert_eq!(row["creditedTaxCents"], books.sum(|day| day.refunded_half_tax), "{name}");
        }
        assert_eq!(self.report("discounts").await.sum("amountCents"), books.sum(|day| day.bill.discount));
        assert_eq!(self.report("voids").await.sum("amountCents"), books.sum(|day| day.voids));
        let sellers = self.read(&format!("/analytics/top-sellers?{MARCH}&limit=100")).await;
        for shown in sellers["data"]["items"].as_array().unwrap() {
            let dish = shown["name"].as_str().unwrap();
            let sold: i64 = books.sum(|day| day.sold.get(dish).copied().unwrap_or(0));
            assert_eq!(millionths(&shown["quantity"]), sold * 1_000_000, "{shown}");
        }
    }

    async fn check_stock(&self) {
        let variance = self.report("variance").await;
        for (item, used) in &self.books.used {
            let row = variance.row("item", item);
            let shown = Use {
                sold: millionths(&row["theoreticalQuantity"]),
                wasted: millionths(&row["wasteQuantity"]),
                counted: millionths(&row["countDifferenceQuantity"]),
                spilt: millionths(&row["unexplainedQuantity"]),
            };
            assert_eq!(shown, *used, "{item}");
        }
        let books = &self.books;
        assert_eq!(variance.sum("theoreticalCents"), cents(books.sum(|day| day.cogs)));
        let waste = self.report("waste").await;
        assert_eq!(waste.sum("costCents"), cents(books.sum(|day| day.waste)));
        let summary = self.read(&format!("/waste-logs/summary?{MARCH}")).await["data"].take();
        for (reason, cost) in &books.waste_by_reason {
            let shown = summary["byReason"].as_array().unwrap().iter().find(|row| row["reason"] == *reason);
            let shown = shown.unwrap_or_else(|| panic!("no {reason}: {summary}"));
            // Parts are rounded so that they add up: each is within a cent of its own value.
            assert!((shown["costCents"].as_i64().unwrap() - cents(*cost)).abs() <= 1, "{reason}: {summary}");
        }
        assert_eq!(self.report("purchases").await.sum("costCents"), cents(books.sum(|day| day.purchases)));
        assert_eq!(self.report("inventory").await.totals["valueCents"], books.stock_value());
    }

    async fn check_labor(&self) {
        let labor = self.report("labor").await;
        for (employee, (name, ..)) in STAFF.iter().enumerate() {
            let row = labor.row("employee", name);
            let paid = self.paid.iter().filter(|((who, _), _)| *who == employee);
            let (minutes, cost) = paid.fold((0, 0), |sum, (_, paid)| (sum.0 + paid.0, sum.1 + paid.1));
            assert_eq!((&row["workedMinutes"], &row["costCents"]), (&minutes.into(), &cost.into()), "{name}");
        }
        let away = self.read("/workforce/roster?startDate=2027-03-10&endDate=2027-03-12").await;
        let asha =
            away["matrix"].as_array().unwrap().iter().find(|row| row["employeeName"] == "Asha").unwrap();
        assert!(asha["shifts"].as_array().unwrap().iter().all(|shift| shift["shiftType"] == "OFF"), "{asha}");
        let balances = format!("/leave-requests/balances?year=2027&employeeId={}", self.staff[0].id);
        let balances = self.read(&balances).await["data"]["balances"].take();
        let annual = balances.as_array().unwrap().iter().find(|row| row["leaveType"] == "ANNUAL").unwrap();
        assert_eq!(annual["usedDays"], 3, "{annual}");
    }
}

/// A quotient of what is not negative, half away from zero.
fn half_away(number: i64, by: i64) -> i64 {
    (2 * number + by) / (2 * by)
}
