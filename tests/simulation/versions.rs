//! Programs of older schemas, and their upgrade in the middle: rows of the older one on their way in both directions, and a disk that really
//! is of the older schema when the newer program opens it. Never decides what is wrong in the end.

use crate::branches::storm;
use crate::mistakes;
use crate::troubles::Trouble;
use crate::with_seeds;
use crate::world::World;
use std::collections::{BTreeMap, BTreeSet};
use std::path::Path;
use std::pin::Pin;
use std::sync::Mutex;
use std::sync::atomic::{AtomicU32, Ordering};
use std::task::{Context, Poll};
use std::time::Duration;
use tiffin_common::older::{Older, play};
use tiffin_common::registry::{self, TABLES};
use tiffin_tests::Dice;

/// Which program a box or head office runs: today's, or an older one.
pub type Program = Option<&'static Older>;

type Layout = BTreeMap<String, BTreeSet<String>>;

/// A shared column that came with one of the last schemas, and may be any number.
pub const NEW: (&str, &str) = ("recipes", "shelf_life_days");

/// How many schemas before today's the newest program is that does not know [`NEW`], and the oldest that is tried.
const LEAST_BEHIND: u32 = 5;
pub const MOST_BEHIND: u32 = 6;

fn today() -> u32 {
    let played = play(None);
    let newest = tiffin_migrations::edge_schema_version();
    play(played);
    newest
}

/// The columns of today's schema that the schema so many before it has not, of the tables that both have.
fn unknown(behind: u32) -> Layout {
    let layout = |version| tiffin_migrations::edge_layout_at(version).unwrap();
    let before = layout(today() - behind);
    let of_both = layout(today()).into_iter().filter_map(|(table, columns)| {
        let known = before.get(&table)?;
        let new: BTreeSet<String> = columns.difference(known).cloned().collect();
        (!new.is_empty()).then_some((table, new))
    });
    of_both.collect()
}

/// The program of so many schemas before today's; none before is today's.
pub fn program(behind: u32) -> Program {
    static PROGRAMS: Mutex<BTreeMap<u32, &'static Older>> = Mutex::new(BTreeMap::new());
    if behind == 0 {
        return None;
    }
    let mut programs = PROGRAMS.lock().unwrap();
    let make = || {
        let unknown = unknown(behind);
        let of_table = |table: &registry::Table| {
            let no = table.no;
            let names = unknown.get(table.name).cloned().unwrap_or_default();
            names.iter().filter_map(|name| table.column(name)).map(|column| (no, column)).collect::<Vec<_>>()
        };
        let unknown = TABLES.iter().flat_map(of_table).collect();
        &*Box::leak(Box::new(Older { schema: today() - behind, unknown }))
    };
    Some(*programs.entry(behind).or_insert_with(make))
}

/// Which program somebody has: of so many schemas before today's.
#[derive(Debug, Default)]
pub struct Behind(AtomicU32);

impl Behind {
    /// One of so many schemas before today's.
    pub fn by(behind: u32) -> Behind {
        Behind(AtomicU32::new(behind))
    }

    /// By how many.
    pub fn get(&self) -> u32 {
        self.0.load(Ordering::SeqCst)
    }

    /// From now on by so many; answers by how many until now.
    pub fn set(&self, behind: u32) -> u32 {
        self.0.swap(behind, Ordering::SeqCst)
    }

    /// The program.
    pub fn program(&self) -> Program {
        program(self.get())
    }
}

/// By how many schemas head office and each branch is behind where `seed` draws it: one of them is.
pub fn drawn(seed: u64, branches: usize) -> (u32, Vec<u32>) {
    let dice = Dice::fork(seed, "versions");
    let behind = dice.between(LEAST_BEHIND.into(), u64::from(MOST_BEHIND) + 1) as u32;
    // A release plays no older programs.
    let who = if cfg!(debug_assertions) { dice.between(1, 2 << branches) } else { 0 };
    let of = |place: usize| if who >> place & 1 == 1 { behind } else { 0 };
    (of(0), (1..=branches).map(of).collect())
}

/// Takes out of a database what the program of so many schemas before today's never had. Nobody has it open.
pub fn take_back(database: &Path, behind: u32) {
    let conn = rusqlite::Connection::open(database).unwrap();
    // They name columns; who opens the database makes them anew.
    let made = "SELECT name FROM sqlite_schema WHERE type = 'trigger' AND name GLOB 'capture_*'";
    let mut statement = conn.prepare(made).unwrap();
    let triggers: Vec<String> =
        statement.query_map([], |row| row.get(0)).unwrap().map(Result::unwrap).collect();
    drop(statement);
    for name in triggers {
        conn.execute_batch(&format!("DROP TRIGGER \"{name}\"")).unwrap();
    }
    let before = tiffin_migrations::edge_indexes_at(today() - behind).unwrap();
    for name in tiffin_migrations::edge_indexes_at(today()).unwrap().difference(&before) {
        conn.execute_batch(&format!("DROP INDEX IF EXISTS \"{name}\"")).unwrap();
    }
    let layout = |version| tiffin_migrations::edge_layout_at(version).unwrap();
    let before = layout(today() - behind);
    for table in layout(today()).keys().filter(|table| !before.contains_key(*table)) {
        conn.execute_batch(&format!("DROP TABLE \"{table}\"")).unwrap();
    }
    for (table, columns) in unknown(behind) {
        for column in columns {
            conn.execute_batch(&format!("ALTER TABLE \"{table}\" DROP COLUMN \"{column}\"")).unwrap();
        }
    }
    let gone = "DELETE FROM refinery_schema_history WHERE version > ?1";
    conn.execute(gone, [today() - behind]).unwrap();
}

/// Work of a box, whose program may be another than head office's.
pub struct Played<F> {
    program: Program,
    work: Pin<Box<F>>,
}

/// `work` as that program does it.
pub fn played<F: Future>(program: Program, work: F) -> Played<F> {
    Played { program, work: Box::pin(work) }
}

impl<F: Future> Future for Played<F> {
    type Output = F::Output;

    fn poll(mut self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<F::Output> {
        let others = play(self.program);
        let polled = self.work.as_mut().poll(context);
        play(others);
        polled
    }
}

impl World {
    /// Before anybody starts: head office has the program of so many schemas before today's. A branch has that which made its template.
    pub fn begin_behind(&mut self, office: u32) {
        self.office.behind.set(office);
        play(program(office));
    }

    /// Who has an older program: branches by their numbers, head office none.
    fn behind_today(&self) -> Vec<Option<usize>> {
        let sites = (0..self.sites.len()).filter(|number| self.sites[*number].behind.get() > 0).map(Some);
        let office = (self.office.behind.get() > 0).then_some(None);
        sites.chain(office).collect()
    }

    /// One who has an older program gets today's, amid whatever is on its way; a branch may be cut off before.
    pub fn upgrade_one(&mut self, long: Duration) {
        let who = self.behind_today();
        let Some(who) = (!who.is_empty()).then(|| *self.dice.pick(&who)) else { return self.pass(long) };
        let number = who.unwrap_or_else(|| self.dice.below(self.sites.len() as u64) as usize);
        let is_cut = self.dice.happens(500);
        self.networks[number].set_up(!is_cut);
        self.change_what_is_new(number);
        self.change_something(number);
        self.watch(long / 2);
        self.change_something(number);
        self.upgrade(who);
        self.watch(long / 2);
        self.networks[number].set_up(true);
        self.watch(long / 2);
    }

    /// It gets today's program.
    fn upgrade(&mut self, who: Option<usize>) {
        match who {
            None => {
                // What its people do has ended: nobody else holds its directory.
                self.pass(Duration::from_secs(5));
                self.crash("hub");
                let behind = self.office.behind.set(0);
                play(None);
                for file in std::fs::read_dir(self.office.folder.join("outlets")).unwrap() {
                    let path = file.unwrap().path();
                    if path.extension().is_some_and(|end| end == "db") {
                        take_back(&path, behind);
                    }
                }
                self.start("hub");
            }
            Some(number) => {
                let site = self.sites[number].clone();
                self.crash(&site.name);
                let behind = site.behind.set(0);
                take_back(&site.folder.join("tiffin.db"), behind);
                self.start(&site.name);
            }
        }
    }

    /// Head office gets today's program.
    pub fn upgrade_office(&mut self) {
        self.upgrade(None);
        self.pass(Duration::from_secs(5));
    }

    /// Everybody has today's program from now on.
    pub fn upgrade_all(&mut self) {
        for who in self.behind_today() {
            self.upgrade(who);
            self.pass(Duration::from_secs(5));
        }
    }

    /// Head office changes what a branch's older program does not know.
    fn change_what_is_new(&mut self, number: usize) {
        if self.office.behind.program().is_none_or(knows) {
            self.set_number(number, NEW.0, NEW.1);
        }
    }
}

/// Whether a program knows [`NEW`].
fn knows(older: &Older) -> bool {
    let (table, column) = (registry::table_named(NEW.0).unwrap(), NEW.1);
    let no = table.column(column).unwrap();
    !older.unknown.contains(&(table.no, no))
}

/// Whether a branch has taken what was new to it with its program: until then it may have a version of the feed without its columns.
pub fn is_taken(branch: &rusqlite::Connection) -> bool {
    branch
        .query_row("SELECT feed_schema FROM sync_peer", [], |row| row.get(0))
        .is_ok_and(|schema: u32| schema == today())
}

/// A schema that brings no shared column moves both numbers on; one that brings some may take the place of [`NEW`].
#[test]
fn older_programs_do_not_know_what_is_new() {
    let knowing = (LEAST_BEHIND..=MOST_BEHIND).filter(|behind| program(*behind).is_none_or(knows));
    assert_eq!(knowing.count(), 0);
    assert!(program(LEAST_BEHIND - 1).is_some_and(knows));
}

#[test]
fn an_upgrade_in_the_middle_loses_nothing_and_passes_nothing_over() {
    let troubles = [Trouble::Upgrade, Trouble::Edits, Trouble::Crash];
    with_seeds(1, |seed| storm(seed, mistakes::NONE, &troubles));
}

/// What a dead box of a newer program had sent is read by an upgraded head office, although nobody sends anything any more.
#[test]
fn a_box_is_replaced_that_was_newer_than_head_office() {
    let office_is_older = |seed: &u64| drawn(*seed, 2).0 > 0;
    let troubles = [Trouble::Replaced, Trouble::Upgrade];
    with_seeds(1, |number| {
        let seed = (1..).filter(office_is_older).nth(number as usize).unwrap();
        storm(seed, mistakes::NONE, &troubles)
    });
}
