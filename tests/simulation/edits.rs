//! What head office's people change in a simulated chain, at once or later: prices, codes, new dishes, suppliers that come and go, staff
//! that is dismissed, settings. Knows what of it must never be taken back or passed over; never looks at what a branch changes by itself.

use crate::versions;
use crate::world::World;
use rusqlite::types::Value as Cell;
use rusqlite::{Connection, OptionalExtension};
use std::collections::BTreeMap;
use std::sync::Arc;
use std::sync::atomic::{AtomicI64, Ordering};
use std::time::Duration;
use sync_hub::hub::{Edit, Scheduled};
use tiffin_common::Uuid;
use tiffin_common::frame::{Changes, Op, OpKind, Value};
use tiffin_common::registry;
use tiffin_tests::oracle;

/// Stands for a column where it counts whether the row is there.
const THERE: &str = "'there'";

/// What a row shows that is not there.
const NOTHING: &str = "(none)";

/// A column of a branch's row that head office alone changes.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub struct Mark {
    pub(super) site: usize,
    table: &'static str,
    row: Uuid,
    column: &'static str,
}

/// What head office made of it, oldest first, each with the version of the feed that brings it once head office has answered; and which
/// of them was the newest that arrived.
#[derive(Debug)]
pub struct Track {
    values: Vec<(String, Arc<AtomicI64>)>,
    newest: usize,
}

impl Track {
    fn newest_of(&self, found: &str) -> Option<usize> {
        self.values.iter().rposition(|(value, _)| value == found)
    }
}

/// The databases of branches, each opened once for many questions, while no disk is put back: who opens it reads all of its schema.
#[derive(Default)]
pub struct Look {
    branches: BTreeMap<usize, Connection>,
}

impl Look {
    fn at_branch(&mut self, world: &World, site: usize) -> &Connection {
        let open = || oracle::open(&world.sites[site].folder.join("tiffin.db"));
        self.branches.entry(site).or_insert_with(open)
    }
}

impl World {
    /// Head office's people change a branch's shared row, if head office runs and has the row; others may do so at the same time. Answers
    /// where the version of the feed will stand that brings it.
    fn edit(&mut self, site: usize, changes: Vec<u8>) -> Arc<AtomicI64> {
        let feed = Arc::new(AtomicI64::new(i64::MAX));
        let Some(app) = self.office.app() else { return feed };
        let edit = Edit { changes, editor: "head office".into(), ..Edit::default() };
        let (outlet, told) = (self.sites[site].outlet, Arc::clone(&feed));
        self.client(async move {
            // A branch whose rows have not come yet cannot be edited.
            if let Ok(edited) = app.hub.set_master(outlet, edit).await
                && edited.changed > 0
            {
                told.store(edited.feed, Ordering::SeqCst);
            }
        });
        feed
    }

    /// Head office gives a column another value, with what else it changes of the row.
    fn give(&mut self, mark: Mark, value: String, changes: Vec<u8>) {
        let found = self.shown(&mut Look::default(), mark);
        println!("{:?} head office: {mark:?} {found:?} is to be {value:?}", self.sim.elapsed());
        let feed = self.edit(mark.site, changes);
        let first = || Track { values: vec![(found, Arc::new(AtomicI64::new(0)))], newest: 0 };
        self.marks.entry(mark).or_insert_with(first).values.push((value, feed));
    }

    /// Head office gives a dish of a branch another price, and a tax code, which the branch does not change by itself.
    pub fn reprice(&mut self, site: usize, dish: Uuid, cents: i64) {
        let code = format!("{:06}", self.edits);
        let values = [("price_cents", Value::Integer(cents)), ("hsn_sac", Value::Text(&code))];
        let changes = update("menu_items", dish, &values);
        let mark = Mark { site, table: "menu_items", row: dish, column: "hsn_sac" };
        self.give(mark, code, changes);
    }

    /// Head office changes something of a branch.
    pub fn change_something(&mut self, site: usize) {
        let price = self.dice.between(50, 900) as i64 * 100;
        match self.dice.below(10) {
            0 => self.add_dish(site),
            1 => self.add_supplier(site),
            2 => self.delete_supplier(site),
            3 => drop(self.dismiss(site)),
            4 => self.set_grace(site),
            5 => self.call_supplier(site),
            _ => {
                let dish = *self.dice.pick(&self.dishes(site));
                self.reprice(site, dish, price);
            }
        }
    }

    /// A new dish, like one that is there.
    fn add_dish(&mut self, site: usize) {
        let (id, code) = (self.new_id(), format!("{:06}", self.edits));
        let model = *self.dice.pick(&self.dishes(site));
        let name = format!("Dish {code}");
        let other = [
            ("name", Cell::Text(name)),
            ("sku", Cell::Null),
            ("hsn_sac", Cell::Text(code.clone())),
            ("version", Cell::Integer(1)),
        ];
        let changes = self.like(site, "menu_items", model, id, &other);
        self.give(Mark { site, table: "menu_items", row: id, column: "hsn_sac" }, code, changes);
    }

    fn add_supplier(&mut self, site: usize) {
        let id = self.new_id();
        let Some(model) = self.ids(site, "SELECT id FROM suppliers ORDER BY id").first().copied() else {
            return;
        };
        let name = Cell::Text(format!("Wholesaler {}", self.edits));
        let changes = self.like(site, "suppliers", model, id, &[("name", name)]);
        self.give(Mark { site, table: "suppliers", row: id, column: THERE }, "there".into(), changes);
    }

    /// A supplier that head office made and the branch has goes.
    fn delete_supplier(&mut self, site: usize) {
        let made = |mark: &&Mark| mark.site == site && mark.table == "suppliers" && mark.column == THERE;
        let made: Vec<Mark> = self.marks.keys().filter(made).copied().collect();
        let mut look = Look::default();
        let Some(mark) = made.into_iter().find(|mark| self.shown(&mut look, *mark) == "there") else {
            return;
        };
        let mut changes = Changes::default();
        let table = registry::table_named("suppliers").unwrap().no;
        let (kind, key) = (OpKind::Delete, Value::Id(mark.row));
        changes.push(&Op { table, kind, key, saw: None, columns: Vec::new() });
        self.give(mark, NOTHING.into(), changes.bytes().to_vec());
    }

    /// Somebody's account ends; whose.
    pub fn dismiss(&mut self, site: usize) -> Option<Uuid> {
        let sql = "SELECT id FROM accounts WHERE role = 'WAITER' AND is_active = 1 ORDER BY id";
        let account = *self.ids(site, sql).first()?;
        let mark = Mark { site, table: "accounts", row: account, column: "is_active" };
        let changes = update("accounts", account, &[("is_active", Value::Integer(0))]);
        self.give(mark, "0".into(), changes);
        Some(account)
    }

    fn set_grace(&mut self, site: usize) {
        // Never what it was at first: that could not be told from an edit.
        let (outlet, minutes) = (self.sites[site].outlet, 6 + self.edits as i64 % 54);
        let mark = Mark { site, table: "outlets", row: outlet, column: "attendance_grace_minutes" };
        let changes = update("outlets", outlet, &[("attendance_grace_minutes", Value::Integer(minutes))]);
        self.give(mark, minutes.to_string(), changes);
    }

    /// Some number in some row of a table.
    pub fn set_number(&mut self, site: usize, table: &'static str, column: &'static str) {
        let rows = self.ids(site, &format!("SELECT id FROM {table} ORDER BY id"));
        let (row, number) = (*self.dice.pick(&rows), self.edits as i64);
        let changes = update(table, row, &[(column, Value::Integer(number))]);
        self.give(Mark { site, table, row, column }, number.to_string(), changes);
    }

    /// A telephone number, which the branch changes, too: the later of the two stays.
    fn call_supplier(&mut self, site: usize) {
        let suppliers = self.suppliers(site);
        if !suppliers.is_empty() {
            let supplier = *self.dice.pick(&suppliers);
            self.call(site, supplier);
        }
    }

    /// The same of one of them.
    pub fn call(&mut self, site: usize, supplier: Uuid) {
        let phone = format!("+91 22 {:06}", self.edits);
        let changes = update("suppliers", supplier, &[("phone", Value::Text(&phone))]);
        let _feed = self.edit(site, changes);
    }

    /// What a branch shows of it.
    fn shown(&self, look: &mut Look, mark: Mark) -> String {
        let Mark { table, column, row, .. } = mark;
        let sql = format!("SELECT coalesce(CAST({column} AS TEXT), '') FROM {table} WHERE id = ?1");
        let found =
            look.at_branch(self, mark.site).query_row(&sql, [row], |row| row.get(0)).optional().unwrap();
        found.unwrap_or_else(|| NOTHING.to_owned())
    }

    /// Notes what has arrived: from here on a branch may have newer, but not go back behind it.
    pub fn note_arrived(&mut self) {
        let mut look = Look::default();
        for mark in self.marks.keys().copied().collect::<Vec<_>>() {
            let found = self.shown(&mut look, mark);
            let track = self.marks.get_mut(&mark).unwrap();
            track.newest = track.newest_of(&found).map_or(track.newest, |at| at.max(track.newest));
        }
    }

    /// What had arrived at a branch may have gone with its disk: it comes again.
    pub fn forget_arrived(&mut self, site: usize) {
        self.marks.iter_mut().filter(|(mark, _)| mark.site == site).for_each(|(_, track)| track.newest = 0);
    }

    /// Lets time pass, and notes what is taken back or passed over meanwhile, were it for a moment.
    pub fn watch(&mut self, time: Duration) {
        let (until, mut look) = (self.sim.elapsed() + time, Look::default());
        while self.sim.elapsed() < until {
            self.pass(Duration::from_millis(200));
            if self.problems.is_empty() {
                self.problems = self.taken_back(&mut look);
                self.problems.extend(self.passed_over(&mut look));
                self.problems.extend(self.edits_undone(&mut look));
            }
        }
    }

    /// What had arrived and was taken back.
    pub fn taken_back(&self, look: &mut Look) -> Vec<String> {
        let mut lost = Vec::new();
        for (mark, track) in &self.marks {
            let found = self.shown(look, *mark);
            if track.newest_of(&found).is_none_or(|at| at < track.newest) {
                let had = &track.values[track.newest].0;
                lost.push(format!("{mark:?}: {had:?} had arrived; now it is {found:?}"));
            }
        }
        lost
    }

    /// What a branch has not, though it says that it has the version of the feed that brings it. Head offices that were put back give the
    /// versions out anew, and a row that the branch changed, too, comes with a later one.
    pub fn passed_over(&self, look: &mut Look) -> Vec<String> {
        let mut passed = Vec::new();
        for (mark, track) in self.marks.iter().filter(|_| !self.put_back) {
            let conn = look.at_branch(self, mark.site);
            let sql = "SELECT feed FROM sync_peer";
            let has: i64 = conn.query_row(sql, [], |row| row.get(0)).optional().unwrap().unwrap_or(0);
            if mark.column == versions::NEW.1 && !versions::is_taken(conn) {
                continue;
            }
            let due = track.values.iter().rposition(|(_, feed)| feed.load(Ordering::SeqCst) <= has);
            let found = self.shown(look, *mark);
            if track.newest_of(&found) < due && self.version_of(mark) <= has {
                passed.push(format!("{mark:?}: version {has} of the feed is here; it shows {found:?}"));
            }
        }
        passed
    }

    /// The version of the feed that brings the row as head office has it now.
    fn version_of(&self, mark: &Mark) -> i64 {
        let conn = oracle::open(&self.replica(self.sites[mark.site].outlet));
        let sql = "SELECT feed FROM hub_master WHERE row_id = ?1";
        conn.query_row(sql, [mark.row], |row| row.get(0)).optional().unwrap().unwrap_or(0)
    }

    /// What branches changed by themselves, nobody else did, and is no longer so.
    fn edits_undone(&self, look: &mut Look) -> Vec<String> {
        let mut undone = Vec::new();
        for (number, site) in self.sites.iter().enumerate().filter(|_| self.are_first_disks()) {
            let Ok(ledger) = site.ledger.try_lock() else { continue };
            let conn = look.at_branch(self, number);
            let sql = "SELECT coalesce(description, '') FROM menu_items WHERE id = ?1";
            for (dish, text) in &ledger.descriptions {
                let found: Option<String> = conn.query_row(sql, [dish], |row| row.get(0)).optional().unwrap();
                if found.as_ref().is_some_and(|found| found != text) {
                    undone.push(format!(
                        "{}: dish {dish} was described as {text:?}; it is {found:?}",
                        site.name
                    ));
                }
            }
        }
        undone
    }

    /// Head office publishes a price of a dish of a branch that takes effect after `wait`, if it runs; answers what can be taken back.
    pub fn schedule(&mut self, site: usize, dish: Uuid, cents: i64, wait: Duration) -> Uuid {
        let id = self.new_id();
        let Some(app) = self.office.app() else { return id };
        let effective_at = app.env().clock.now().after(i64::try_from(wait.as_millis()).unwrap());
        let change = update("menu_items", dish, &[("price_cents", Value::Integer(cents))]);
        let entry = Scheduled { id, effective_at, change, editor: "head office".into(), publication: None };
        let outlet = self.sites[site].outlet;
        self.client(async move {
            let _refused = app.hub.schedule(outlet, vec![entry]).await;
        });
        id
    }

    /// Head office takes it back, if it runs and its time has not come.
    pub fn unschedule(&mut self, site: usize, id: Uuid) {
        let Some(app) = self.office.app() else { return };
        let outlet = self.sites[site].outlet;
        self.client(async move {
            let _refused = app.hub.unschedule(outlet, vec![id]).await;
        });
    }

    /// Prices that were taken back before their time and are in force.
    pub fn not_cancelled(&self) -> Vec<String> {
        let in_force = self.cancelled.iter().filter(|(site, dish)| self.price_of(*site, *dish) == 1);
        in_force
            .map(|(site, dish)| format!("site{site}: what was taken back is the price of {dish}"))
            .collect()
    }

    /// Somebody at head office does something, once.
    pub fn client(&mut self, work: impl Future<Output = ()> + 'static) {
        self.sim.client(format!("editor{}", self.edits), async move {
            work.await;
            Ok(())
        });
        self.edits += 1;
    }

    /// The price of a dish at a branch.
    pub fn price_of(&self, site: usize, dish: Uuid) -> i64 {
        let conn = oracle::open(&self.sites[site].folder.join("tiffin.db"));
        let sql = "SELECT price_cents FROM menu_items WHERE id = ?1";
        conn.query_row(sql, [dish], |row| row.get(0)).unwrap()
    }

    /// A branch's dishes.
    pub fn dishes(&self, site: usize) -> Vec<Uuid> {
        self.ids(site, "SELECT id FROM menu_items WHERE archived_at IS NULL ORDER BY id")
    }

    /// A branch's suppliers.
    pub fn suppliers(&self, site: usize) -> Vec<Uuid> {
        self.ids(site, "SELECT id FROM suppliers ORDER BY id")
    }

    fn ids(&self, site: usize, sql: &str) -> Vec<Uuid> {
        let conn = oracle::open(&self.sites[site].folder.join("tiffin.db"));
        let mut statement = conn.prepare(sql).unwrap();
        let ids = statement.query_map([], |row| row.get(0)).unwrap();
        ids.map(Result::unwrap).collect()
    }

    fn new_id(&self) -> Uuid {
        Uuid::from_u128(u128::from(self.dice.below(u64::MAX)) << 32 | u128::from(self.edits))
    }

    /// A packed new row like `model`, but for some columns.
    fn like(&self, site: usize, table: &str, model: Uuid, id: Uuid, other: &[(&str, Cell)]) -> Vec<u8> {
        let table = registry::table_named(table).unwrap();
        let names = oracle::columns(table);
        let conn = oracle::open(&self.sites[site].folder.join("tiffin.db"));
        let sql = format!("SELECT {} FROM {} WHERE id = ?1", names.join(", "), table.name);
        let read = |row: &rusqlite::Row<'_>| (0..names.len()).map(|at| row.get(at)).collect();
        let cells: Vec<Cell> = conn.query_row(&sql, [model], read).unwrap();
        let mut columns = Vec::new();
        for (name, cell) in names.iter().zip(&cells) {
            let cell = other.iter().find(|(column, _)| column == name).map_or(cell, |(_, cell)| cell);
            let value = match cell {
                _ if *name == "id" => Value::Id(id),
                Cell::Null => continue,
                Cell::Integer(number) => Value::Integer(*number),
                Cell::Real(number) => Value::Real(*number),
                Cell::Text(text) => Value::Text(text),
                Cell::Blob(bytes) => Uuid::from_slice(bytes).map_or(Value::Blob(bytes), Value::Id),
            };
            let no = table.column(name).unwrap();
            columns.push((no, value));
        }
        let mut changes = Changes::default();
        changes.push(&Op { table: table.no, kind: OpKind::Insert, key: Value::Null, saw: None, columns });
        changes.bytes().to_vec()
    }
}

/// A packed change of some columns.
fn update(table: &str, row: Uuid, values: &[(&str, Value<'_>)]) -> Vec<u8> {
    let table = registry::table_named(table).unwrap();
    let number = |name: &str| table.column(name).unwrap();
    let mut columns: Vec<_> = values.iter().map(|(name, value)| (number(name), *value)).collect();
    columns.sort_by_key(|(column, _)| *column);
    let mut changes = Changes::default();
    changes.push(&Op { table: table.no, kind: OpKind::Update, key: Value::Id(row), saw: None, columns });
    changes.bytes().to_vec()
}
