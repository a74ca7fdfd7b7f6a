//! What head office's people change in a simulated chain, at once or later, and what of it must never be taken back. Never looks at what a
//! branch changes by itself.

use crate::world::World;
use std::time::Duration;
use sync_hub::hub::{Edit, Scheduled};
use tiffin_common::Uuid;
use tiffin_common::frame::{Changes, Op, OpKind, Value};
use tiffin_tests::oracle;

impl World {
    /// Head office's people change columns of a branch's shared row, if head office runs and has the row; others may do so at the same
    /// time.
    pub fn edit(&mut self, site: usize, table: &'static str, row: Uuid, values: &[(&str, Value<'_>)]) {
        let Some(app) = self.office.app() else { return };
        let changes = update(table, row, values);
        let edit = Edit { changes, editor: "head office".into(), ..Edit::default() };
        let outlet = self.sites[site].outlet;
        self.client(async move {
            // A branch whose rows have not come yet cannot be edited.
            let _refused = app.hub.set_master(outlet, edit).await;
        });
    }

    /// Head office gives a dish of a branch another price, and a tax code, which the branch does not change by itself.
    pub fn reprice(&mut self, site: usize, dish: Uuid, cents: i64) {
        let found = self.code_of(site, dish);
        let (codes, _) = self.codes.entry((site, dish)).or_insert_with(|| (vec![found], 0));
        let code = format!("{:06}", self.edits);
        codes.push(code.clone());
        let values = [("price_cents", Value::Integer(cents)), ("hsn_sac", Value::Text(&code))];
        self.edit(site, "menu_items", dish, &values);
    }

    fn code_of(&self, site: usize, dish: Uuid) -> String {
        let conn = oracle::open(&self.sites[site].folder.join("tiffin.db"));
        let sql = "SELECT coalesce(hsn_sac, '') FROM menu_items WHERE id = ?1";
        conn.query_row(sql, [dish], |row| row.get(0)).unwrap()
    }

    /// Notes which codes have arrived: from here on a branch may have newer ones, but not go back behind them.
    pub fn note_arrived(&mut self) {
        for (site, dish) in self.codes.keys().copied().collect::<Vec<_>>() {
            let found = self.code_of(site, dish);
            let (codes, newest) = self.codes.get_mut(&(site, dish)).unwrap();
            *newest = codes.iter().rposition(|code| *code == found).map_or(*newest, |at| at.max(*newest));
        }
    }

    /// Lets time pass, and notes what is taken back meanwhile, were it for a moment.
    pub fn watch(&mut self, time: Duration) {
        let until = self.sim.elapsed() + time;
        while self.sim.elapsed() < until {
            self.pass(Duration::from_millis(200));
            if self.problems.is_empty() {
                self.problems = self.taken_back();
            }
        }
    }

    /// Codes that had arrived and were taken back.
    pub fn taken_back(&self) -> Vec<String> {
        let is_kept = |&(site, dish): &(usize, Uuid), (codes, newest): &(Vec<String>, usize)| {
            codes[*newest..].contains(&self.code_of(site, dish))
        };
        let lost = self.codes.iter().filter(|(of, codes)| !is_kept(of, codes));
        lost.map(|((site, dish), (codes, newest))| {
            let (found, had) = (self.code_of(*site, *dish), &codes[*newest]);
            format!("site{site}: code {had} of dish {dish} had arrived; now it is {found:?}")
        })
        .collect()
    }

    /// Head office publishes a price of a dish of a branch that takes effect after `wait`, if it runs; answers what can be taken back.
    pub fn schedule(&mut self, site: usize, dish: Uuid, cents: i64, wait: Duration) -> Uuid {
        let id = Uuid::from_u128(u128::from(self.dice.below(u64::MAX)));
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

    fn client(&mut self, work: impl Future<Output = ()> + 'static) {
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
}

/// A packed change of some columns.
fn update(table: &str, row: Uuid, values: &[(&str, Value<'_>)]) -> Vec<u8> {
    let table = tiffin_common::registry::table_named(table).unwrap();
    let number = |name: &str| table.columns.iter().position(|column| *column == name).unwrap();
    let mut columns: Vec<_> = values.iter().map(|(name, value)| (number(name), *value)).collect();
    columns.sort_by_key(|(column, _)| *column);
    let mut changes = Changes::default();
    changes.push(&Op { table: table.no, kind: OpKind::Update, key: Value::Id(row), saw: None, columns });
    changes.bytes().to_vec()
}
