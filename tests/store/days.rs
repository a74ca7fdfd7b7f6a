//! Kept days, and what is left of each batch: whatever a log does to rows, in whatever way it comes, every figure that is kept is the one
//! from the rows.

use crate::ground::{Ground, run};
use crate::log::{BEGIN, Log, delete, insert, new_id, table, update};
use edge::db::Source;
use edge::resources::analytics::rules::Range;
use edge::resources::analytics::store::{Question, reaches::REACHES, reports, stock};
use edge::resources::outlets as branch;
use rusqlite::Connection;
use std::collections::BTreeMap;
use sync_hub::days::{Found, keep_some};
use sync_hub::store::StoreError;
use tiffin_common::digest::bucket_of;
use tiffin_common::frame::{Op, Value};
use tiffin_common::registry::settled;
use tiffin_common::{Millis, Uuid};
use tiffin_tests::Dice;

/// An ordinary outlet's shifts.
const SHIFT_TIMES: &str = "{\"MORNING\":{\"start\":\"07:00\",\"end\":\"15:00\"},\"EVENING\":{\"start\":\"15:00\",\"end\":\"23:00\"},\"NIGHT\":{\"start\":\"23:00\",\"end\":\"07:00\"}}";

/// Finished business dates at [`NOW`]; the last is the present one.
const DATES: [&str; 6] = ["2026-09-10", "2026-09-11", "2026-09-12", "2026-09-13", "2026-09-14", "2026-09-21"];
const NOW: Millis = Millis::new(BEGIN);

/// A value of a row that the test made up.
#[derive(Debug, Clone, PartialEq)]
enum Held {
    Null,
    Integer(i64),
    Text(String),
    Id(Uuid),
}

impl Held {
    fn value(&self) -> Value<'_> {
        match self {
            Held::Null => Value::Null,
            Held::Integer(integer) => Value::Integer(*integer),
            Held::Text(text) => Value::Text(text),
            Held::Id(id) => Value::Id(*id),
        }
    }
}

type Row = BTreeMap<String, Held>;

/// One change of a row.
#[derive(Debug, Clone)]
enum Change {
    Put(&'static str, Row),
    Set(&'static str, Uuid, Row),
    Take(&'static str, Uuid),
}

impl Change {
    fn op(&self) -> Op<'_> {
        fn named(row: &Row) -> Vec<(&str, Value<'_>)> {
            row.iter().map(|(name, held)| (name.as_str(), held.value())).collect()
        }
        match self {
            Change::Put(of, row) => insert(of, &named(row)),
            Change::Set(of, id, row) => update(of, *id, &named(row)),
            Change::Take(of, id) => delete(of, *id),
        }
    }
}

fn id_of(row: &Row) -> Uuid {
    let Some(Held::Id(id)) = row.get("id") else { panic!("no id: {row:?}") };
    *id
}

/// A column: its name, its type, whether it is never null.
type Column = (String, String, bool);

/// A branch that does what no branch does, and what it holds.
struct Play {
    dice: Dice,
    log: Log,
    columns: BTreeMap<&'static str, Vec<Column>>,
    /// The ids that rows of each table may have.
    ids: BTreeMap<&'static str, Vec<Uuid>>,
    rows: BTreeMap<(&'static str, Uuid), Row>,
    /// Log rows that cannot be applied.
    wrong: i64,
}

impl Play {
    fn new(outlet: Uuid, seed: u64) -> Play {
        let mut conn = Connection::open_in_memory().unwrap();
        tiffin_migrations::migrate_edge(&mut conn).unwrap();
        let (mut columns, mut ids) = (BTreeMap::new(), BTreeMap::new());
        for reach in &REACHES {
            let mut statement =
                conn.prepare("SELECT name, type, \"notnull\" FROM pragma_table_info(?1)").unwrap();
            let found = statement.query_map([reach.table], |row| Ok((row.get(0)?, row.get(1)?, row.get(2)?)));
            columns.insert(reach.table, found.unwrap().map(Result::unwrap).collect::<Vec<Column>>());
            ids.insert(reach.table, (0..4).map(|_| new_id()).collect::<Vec<_>>());
        }
        let mut log = Log::new(outlet);
        let card = [
            ("id", Value::Id(outlet)),
            ("code", Value::Text("BLR1")),
            ("name", Value::Text("Branch")),
            ("timezone", Value::Text("Asia/Kolkata")),
            ("currency", Value::Text("INR")),
            ("shift_times", Value::Text(SHIFT_TIMES)),
            ("discount_limit_bps", Value::Text("{}")),
            ("created_at", Value::Integer(BEGIN)),
            ("updated_at", Value::Integer(BEGIN)),
        ];
        log.data(&[insert("outlets", &card)]);
        Play { dice: Dice::new(seed), log, columns, ids, rows: BTreeMap::new(), wrong: 0 }
    }

    fn pick(&self, of: &str) -> Held {
        Held::Id(*self.dice.pick(&self.ids[of]))
    }

    fn text(&self, of: &[&str]) -> Held {
        Held::Text((*self.dice.pick(of)).to_owned())
    }

    /// Something that column may hold.
    fn held(&self, of: &str, (name, kind, required): &Column) -> Held {
        let number = || Held::Integer(self.dice.below(1_000).cast_signed());
        match (of, name.as_str()) {
            (_, "outlet_id") => Held::Id(self.log.outlet),
            (_, "business_date") => self.text(&DATES),
            (_, "order_id") if *required => self.pick("orders"),
            ("stock_movements", "order_item_id") if self.dice.happens(600) => self.pick("order_items"),
            ("stock_movements", "cause_id") if self.dice.happens(600) => self.pick("waste_logs"),
            ("stock_movements", "batch_id") if self.dice.happens(600) => self.pick("stock_batches"),
            (_, "invoice_id" | "refers_to_id" | "credit_note_id") => self.pick("invoices"),
            ("refund_items", "order_item_id") => self.pick("order_items"),
            ("stock_movements", "kind") => self.text(&["SALE", "RETURN", "WASTE", "RECEIPT", "STOCKTAKE"]),
            ("order_slips", "kind") => self.text(&["SLIP", "RETURN"]),
            ("invoices", "kind") => self.text(&["INVOICE", "CREDIT_NOTE", "CREDIT_NOTE"]),
            ("orders", "status") => self.text(&["ACCEPTED", "COMPLETED", "COMPLETED", "CANCELLED"]),
            ("orders", "dispatched_at") if self.dice.happens(800) => Held::Integer(BEGIN),
            ("orders", "order_type") => self.text(&["COUNTER", "TAKEAWAY"]),
            (_, "source" | "source_type") => self.text(&["POS", "QR"]),
            (_, "method" | "old_method" | "new_method") => self.text(&["CASH", "CARD"]),
            (_, "type") => self.text(&["PERCENT", "FIXED"]),
            ("orders", "prices_include_tax") => Held::Integer(self.dice.below(2).cast_signed()),
            ("invoices", "body") => {
                let (of, tax) = (self.dice.below(900), self.dice.below(90));
                let tax = format!(r#"{{"name":"CGST","rateBps":250,"taxableCents":{of},"taxCents":{tax}}}"#);
                Held::Text(format!(r#"{{"taxes":[{tax}]}}"#))
            }
            ("waste_logs", "menu_item_id") => Held::Null,
            ("waste_logs", "stock_item_id") => Held::Id(Uuid::from_u128(3)),
            _ if !required && self.dice.happens(500) => Held::Null,
            (_, "stock_item_id" | "menu_item_id" | "supplier_id") => {
                Held::Id(Uuid::from_u128(1 + u128::from(self.dice.below(3))))
            }
            _ => match kind.as_str() {
                "INTEGER" => number(),
                "TEXT" => self.text(&["a", "b"]),
                _ => Held::Id(Uuid::from_u128(9)),
            },
        }
    }

    /// A whole row.
    fn row(&self, of: &'static str, id: Uuid) -> Row {
        let columns = &self.columns[of];
        let mut row: Row = columns.iter().map(|column| (column.0.clone(), self.held(of, column))).collect();
        row.insert("id".to_owned(), Held::Id(id));
        row
    }

    /// A table and one of its ids.
    fn place(&self) -> (&'static str, Uuid) {
        let of = self.dice.pick(&REACHES).table;
        (of, *self.dice.pick(&self.ids[of]))
    }

    /// A change that fits to `rows`, where an image may also meet what is there.
    fn change(&self, rows: &BTreeMap<(&'static str, Uuid), Row>, images: bool) -> Change {
        let (of, id) = self.place();
        let is_there = rows.contains_key(&(of, id));
        // Head office takes no other change of a record than what may be settled.
        let settled = settled(of).filter(|_| !images);
        match (is_there, self.dice.below(10)) {
            (true, _) if settled.is_some_and(<[_]>::is_empty) => self.change(rows, images),
            (true, 0..2) if settled.is_none() => Change::Take(of, id),
            (true, _) if !images => {
                let columns: Vec<&Column> = self.columns[of]
                    .iter()
                    .filter(|column| column.0 != "id" && column.0 != "outlet_id")
                    .filter(|column| settled.is_none_or(|settled| settled.contains(&column.0.as_str())))
                    .collect();
                let set = (0..self.dice.between(1, 4)).map(|_| {
                    let column = *self.dice.pick(&columns);
                    (column.0.clone(), self.held(of, column))
                });
                Change::Set(of, id, set.collect())
            }
            (false, 0) if images => Change::Take(of, id),
            _ => Change::Put(of, self.row(of, id)),
        }
    }

    fn make(&mut self, change: &Change) {
        match change {
            Change::Put(of, row) => drop(self.rows.insert((of, id_of(row)), row.clone())),
            Change::Set(of, id, set) => self.rows.get_mut(&(*of, *id)).unwrap().extend(set.clone()),
            Change::Take(of, id) => drop(self.rows.remove(&(*of, *id))),
        }
    }

    fn changes(&mut self, images: bool) -> Vec<Change> {
        let mut all = Vec::new();
        for _ in 0..self.dice.between(1, 6) {
            let change = self.change(&self.rows, images);
            self.make(&change);
            all.push(change);
        }
        all
    }

    /// One more log row.
    fn step(&mut self) {
        match self.dice.below(20) {
            0..13 => {
                let all = self.changes(false);
                self.log.data(&all.iter().map(Change::op).collect::<Vec<_>>());
            }
            13..16 => {
                let all = self.changes(true);
                self.log.pulled(0, &all.iter().map(Change::op).collect::<Vec<_>>());
            }
            16..19 => {
                let (of, _) = self.place();
                let ids = self.ids[of].clone();
                let is_record = settled(of).is_some();
                // Records stay as they are whatever a repair says: it brings what is lacking.
                let whole = |id: &Uuid| self.rows.get(&(of, *id)).filter(|_| is_record).cloned();
                let held = ids.iter().skip(2).filter(|_| is_record).filter_map(whole);
                let first = ids.iter().take(2).map(|id| whole(id).unwrap_or_else(|| self.row(of, *id)));
                let kept: Vec<Change> = first.chain(held).map(|row| Change::Put(of, row)).collect();
                self.rows.retain(|(table, _), _| *table != of);
                kept.iter().for_each(|change| self.make(change));
                self.log
                    .repair(bucket_of(table(of), ids[0]), &kept.iter().map(Change::op).collect::<Vec<_>>());
            }
            // Nothing of it may be made, whatever of it fits.
            _ => {
                let (change, missing) = (self.change(&self.rows, false), new_id());
                let ops = [change.op(), update("payments", missing, &[("tip_cents", Value::Integer(1))])];
                self.log.data(&ops);
                self.wrong += 1;
            }
        }
    }
}

/// Every figure that may come from kept days.
fn figures(from: &dyn Source, outlet: Uuid) -> Vec<String> {
    let own = branch::store::find(from, outlet).unwrap();
    let range = Range { from: DATES[0].parse().unwrap(), to: DATES[5].parse().unwrap() };
    let question = Question::find(from, &own, range, NOW).unwrap();
    vec![
        format!("{:?}", question.sum_days(from).unwrap()),
        format!("{:?}", reports::sum_sold(from, &question).unwrap()),
        format!("{:?}", reports::list_quarters(from, &question).unwrap()),
        format!("{:?}", reports::sum_methods(from, &question).unwrap()),
        format!("{:?}", reports::sum_taxes(from, &question).unwrap()),
        format!("{:?}", reports::sum_discounts(from, &question).unwrap()),
        format!("{:?}", reports::sum_waste(from, &question).unwrap()),
        format!("{:?}", reports::sum_purchases(from, &question).unwrap()),
        format!("{:?}", stock::sum_by_kind(from, &question).unwrap()),
    ]
}

const KEPT: &str = "SELECT count(*) FROM analytics_days";

/// Items and batches of which another quantity, or cost, is kept than their movements come to.
const OFF: &str = "SELECT count(*) FROM (
    SELECT stock_item_id, batch_id, sum(quantity) AS quantity, sum(cost) AS cost FROM (
      SELECT stock_item_id, batch_id, quantity, cost_micros AS cost FROM hub_stock_sums
      UNION ALL SELECT stock_item_id, coalesce(batch_id, x''), -quantity_delta, -cost_micros FROM stock_movements) AS ends
    GROUP BY stock_item_id, batch_id) AS differences WHERE quantity <> 0 OR cost <> 0";

/// Compares every figure with the same from rows.
fn compare(ground: &Ground, what: &str) {
    let outlet = ground.outlet;
    let mut answers = None;
    let given_up: Result<(), StoreError> = ground.hub.stores().outlet_blocking(outlet, |tx| {
        let kept = figures(&*tx, outlet);
        tx.execute("DELETE FROM analytics_days WHERE outlet_id = ?1", &[&outlet])?;
        answers = Some((kept, figures(&*tx, outlet)));
        Err(StoreError::GivenUp)
    });
    assert!(matches!(given_up, Err(StoreError::GivenUp)));
    assert_eq!(ground.number(OFF), 0, "{what}: sums of stock");
    let (kept, rows) = answers.unwrap();
    for (kept, rows) in kept.iter().zip(&rows) {
        assert_eq!(kept, rows, "{what}");
    }
}

fn keep_all(ground: &Ground) {
    while let Found::Missing(_) = keep_some(ground.hub.stores(), ground.outlet, NOW).unwrap() {}
}

/// Plays a log of `steps` rows.
async fn play(ground: &Ground, seed: u64, steps: usize) {
    let mut play = Play::new(ground.outlet, seed);
    let (mut survived, mut dropped) = (0, 0);
    for step in 0..steps {
        let what = format!("seed {seed}, step {step}");
        let before = ground.number(KEPT);
        for _ in 0..play.dice.between(1, 4) {
            play.step();
        }
        play.log.drain(&ground.hub).await.unwrap();
        let after = ground.number(KEPT);
        survived += after;
        dropped += before - after;
        compare(ground, &what);
        if play.dice.happens(100) {
            // An answer was lost: all of it comes again.
            play.log.push(&ground.hub, 1, i64::MAX).await.unwrap();
            assert_eq!(ground.number(KEPT), after, "{what}: what comes again changes nothing");
        }
        if play.dice.happens(700) {
            keep_all(ground);
            compare(ground, &what);
        }
    }
    assert_eq!(ground.number("SELECT count(*) FROM hub_quarantine"), play.wrong, "seed {seed}");
    // Neither is every day dropped whatever changes, nor none.
    assert!(
        survived > 0 && dropped > 0,
        "seed {seed}: {survived} days outlived a push, {dropped} were dropped"
    );
    println!("seed {seed}: {survived} days outlived a push, {dropped} were dropped");
}

fn seeds() -> Vec<u64> {
    match std::env::var("TIFFIN_DAYS_SEED") {
        Ok(seed) => vec![seed.parse().unwrap()],
        Err(_) => (1..=4).collect(),
    }
}

#[test]
fn figures_of_kept_days_are_those_of_the_rows_on_sqlite() {
    for seed in seeds() {
        run(play(&Ground::sqlite(), seed, 60));
    }
}

#[test]
fn figures_of_kept_days_are_those_of_the_rows_on_postgresql() {
    for seed in seeds() {
        // Spread over partitions, every other time.
        let parts = (seed % 2 == 0).then_some(3);
        run(play(&Ground::postgres_with(parts), seed, 60));
    }
}
