//! Trade to make a dictionary from, and other trade to try it on: branches whose menus, ids, moments and guests follow from a
//! seed, trading through the product's own actions and its API. The same source gives the same log, row for row.

mod counter;
mod menu;

use crate::Dice;
use edge::access::{Actor, hashing};
use edge::cli::sample::data::Restaurant;
use edge::cli::sample::history::Trade;
use edge::cli::sample::seed::{self, Hashes, SampleError, Seeded};
use edge::data_dir::DataDir;
use edge::db::{Db, Env, Options, Row, list};
use edge::resources::outlets;
use edge::resources::outlets::rules::{NewOutlet, Settings};
pub use menu::Menu;
use std::ops::Range;
use std::sync::Arc;
use tiffin_common::clock::ManualClock;
use tiffin_common::frame::{Hash, Header, Kind};
use tiffin_common::sync::batch::{Batch, Dictionary, Frame, encode_with};
use tiffin_common::{Clock, Millis, Uuid};

/// A branch to be recorded.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Source {
    /// Its menu.
    pub menu: Menu,
    /// Draws everything else: ids, moments, guests.
    pub seed: u64,
    /// The morning it begins.
    pub begins: &'static str,
    /// Days of simulated history: guests at tables, kitchen, deliveries, staff, closes.
    pub days: u32,
    /// Orders at the counter after that, one after the other, over the API: two to four dishes, paid at once, which makes the bill.
    pub orders: usize,
}

/// What a dictionary is trained on: the sample restaurant and nine others, at other times of other years; the same for each, as the
/// product of its day records them.
pub const TRAINING: [Source; 10] = {
    const fn other(seed: u64, ingredients: usize, begins: &'static str) -> Source {
        let menu = Menu::Drawn { seed, ingredients };
        Source { menu, seed: 100 + seed, begins, days: 1, orders: 150 }
    }
    [
        Source { menu: Menu::Sample, ..other(0, 0, "2026-01-05T01:00:00.000Z") },
        other(1, 1, "2026-05-11T01:00:00.000Z"),
        other(2, 2, "2027-08-07T01:00:00.000Z"),
        other(3, 3, "2028-02-26T01:00:00.000Z"),
        other(4, 4, "2027-03-03T01:00:00.000Z"),
        other(5, 6, "2026-09-01T01:00:00.000Z"),
        other(6, 2, "2026-10-01T01:00:00.000Z"),
        other(7, 3, "2027-01-15T01:00:00.000Z"),
        other(8, 5, "2027-12-30T01:00:00.000Z"),
        other(9, 2, "2028-07-07T01:00:00.000Z"),
    ]
};

/// A restaurant that no dictionary has seen, of the size that the aims are set for: its orders take about as many dishes and stock
/// as those of the recorded day in `benches/sync`.
pub const HELD_OUT: Source = Source {
    menu: Menu::Drawn { seed: 901, ingredients: 2 },
    seed: 901,
    begins: "2027-06-16T01:00:00.000Z",
    days: 0,
    orders: 200,
};

/// Another, whose dishes take twice the stock.
pub const HELD_OUT_RICH: Source = Source {
    menu: Menu::Drawn { seed: 902, ingredients: 5 },
    seed: 902,
    begins: "2026-12-24T01:00:00.000Z",
    days: 1,
    orders: 200,
};

/// The sample restaurant on days, with guests and ids, that no dictionary has seen.
pub const HELD_OUT_SAMPLE: Source =
    Source { menu: Menu::Sample, seed: 903, begins: "2026-11-20T01:00:00.000Z", days: 1, orders: 200 };

/// A branch's log.
pub struct Recording {
    /// All of it.
    pub frames: Vec<Frame>,
    /// The rows of the simulated days: after those that make the restaurant.
    pub history: Range<usize>,
    /// The orders of the simulated days.
    pub visits: usize,
    /// The rows of each order at the counter: itself, its payment, its bill.
    pub orders: Vec<Range<usize>>,
}

impl Recording {
    /// Bytes that each of the later orders takes in a body of its own, where head office knows `dictionary`: what is new at first
    /// counts for nothing.
    pub fn alone(&self, dictionary: Dictionary) -> f64 {
        let later = &self.orders[self.orders.len() / 2..];
        let bytes =
            later.iter().map(|rows| encode_with(&self.batch(rows.clone()), dictionary).unwrap().len());
        bytes.sum::<usize>() as f64 / later.len() as f64
    }

    /// Bytes that an order takes in one body of all of them.
    pub fn in_backlog(&self, dictionary: Dictionary) -> f64 {
        let rows = self.orders[0].start..self.orders[self.orders.len() - 1].end;
        encode_with(&self.batch(rows), dictionary).unwrap().len() as f64 / self.orders.len() as f64
    }

    /// Bytes that an order of the simulated days takes, with everything that happens around it.
    pub fn of_history(&self, dictionary: Dictionary) -> f64 {
        encode_with(&self.batch(self.history.clone()), dictionary).unwrap().len() as f64 / self.visits as f64
    }

    /// Some of the rows, as a push carries them.
    pub fn batch(&self, rows: Range<usize>) -> Batch {
        let previous = rows.start.checked_sub(1).map_or(Hash::START, |before| self.frames[before].hash);
        Batch { previous, frames: self.frames[rows].to_vec() }
    }
}

impl Source {
    /// Trades.
    pub async fn record(self) -> Recording {
        let folder = tempfile::tempdir().unwrap();
        let data = DataDir::open(folder.path()).unwrap();
        let restaurant = Arc::new(self.menu.restaurant());
        let clock = Arc::new(ManualClock::new(self.begins.parse::<Millis>().unwrap()));
        let env = |life: &str| {
            let random = Arc::new(Dice::fork(self.seed, life));
            Env::new(Arc::clone(&clock) as Arc<dyn Clock>, random).inline()
        };
        edge::secrets::load_or_create(data.path(), &Dice::fork(self.seed, "secrets")).unwrap();
        // Three process starts: what was made before has ids of another maker, as at any branch.
        let (seeded, made) = self.open(&data, env("set up"), &restaurant);
        let db = Db::open(&Options::new(data.database()), env("history")).unwrap();
        let mut trade =
            Trade::new(db.clone(), Arc::clone(&clock), restaurant, seeded.clone(), self.seed).unwrap();
        let trading = tokio::task::spawn_blocking(move || {
            (0..self.days).for_each(|_| trade.day().unwrap());
            trade.morning().unwrap();
            trade.orders()
        });
        let visits = usize::try_from(trading.await.unwrap()).unwrap();
        let end = log(&db).len();
        drop(db);
        let mut counter = counter::Counter::open(&data, env("counter"), clock, seeded);
        let orders = counter.trade(self).await;
        Recording { frames: log(counter.db()), history: made..end, visits, orders }
    }

    /// Makes the restaurant; answers it, and how many log rows that took.
    fn open(self, data: &DataDir, env: Env, restaurant: &Arc<Restaurant>) -> (Seeded, usize) {
        let db = Db::open(&Options::new(data.database()), env).unwrap();
        let (code, timezone, currency) = self.menu.place();
        let mut settings = Settings::new(timezone, currency);
        settings.address = Some(restaurant.outlet.address.clone());
        // Drawn in India's form: elsewhere it is none.
        settings.tax_id = settings.profile().checked_tax_id(&restaurant.outlet.tax_id).ok();
        let new = NewOutlet { code: code.into(), name: restaurant.outlet.name.clone(), settings };
        let all = Arc::clone(restaurant);
        let seeded = db.write_blocking(move |tx| -> Result<Seeded, SampleError> {
            let outlet = outlets::actions::create(tx, &Actor::system(Uuid::nil()), new).unwrap().id;
            let pins =
                all.employees.iter().map(|e| hashing::pin(&e.pin, outlet, &[1; 32]).unwrap()).collect();
            let passwords = all.accounts.iter().map(|_| "not a hash".to_owned()).collect();
            seed::seed(tx, &all, outlet, &Hashes { passwords, pins }, "")
        });
        (seeded.unwrap(), log(&db).len())
    }
}

fn log(db: &Db) -> Vec<Frame> {
    let sql = "SELECT seq, epoch, kind, hlc, wall_ms, schema_v, n, body, hash FROM sync_log ORDER BY seq";
    let frame = |row: &Row<'_>| {
        let header = Header {
            seq: row.get(0)?,
            epoch: row.get(1)?,
            kind: Kind::from_number(row.get(2)?).unwrap(),
            hlc: row.get(3)?,
            wall: row.get(4)?,
            schema: row.get(5)?,
            count: row.get(6)?,
        };
        Ok(Frame { header, body: row.get(7)?, hash: Hash(row.get(8)?) })
    };
    db.read_blocking(move |from| list(from, sql, [], frame)).unwrap()
}
