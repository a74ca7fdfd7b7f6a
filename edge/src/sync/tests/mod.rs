//! What the exchange must never get wrong, against a head office that tests script.

mod filling;
mod hub;
mod pulling;
mod pushing;
mod recovering;
mod resumed;
mod retention;
mod salvaging;
mod stock;

use super::{Bugs, Settings, Worker, store};
use crate::db::{Db, DbError, Tx};
use crate::resources::menu::actions::{create_category, create_item};
use crate::resources::menu::rules::{CategoryDraft, ItemDraft, MenuItem};
use crate::testing::Fixture;
use hub::FakeHub;
use std::sync::Arc;
use std::time::Duration;
use tiffin_common::sync::Class;
use tiffin_common::{Cents, Uuid};

/// The box belongs to a head office from now on.
fn adopt(tx: &Tx<'_>, hub_epoch: Uuid) -> Result<(), DbError> {
    store::insert_peer(tx, Uuid::from_u128(77), "https://hub.test", hub_epoch, None, None)
}

fn settings() -> Settings {
    Settings {
        digest_every: Duration::from_secs(86_400 * 365),
        keep_every: Duration::ZERO,
        ..Settings::default()
    }
}

/// A branch that belongs to a head office.
struct Stage {
    fixture: Fixture,
    hub: Arc<FakeHub>,
    worker: Worker,
}

impl Stage {
    fn new() -> Stage {
        Stage::with(Bugs::default())
    }

    fn with(bugs: Bugs) -> Stage {
        let fixture = Fixture::inline();
        let hub = Arc::new(FakeHub::new(fixture.outlet_id));
        let settings = Settings { bugs, ..settings() };
        let client = Arc::clone(&hub);
        let worker = Worker::with_hub(fixture.db.clone(), client, settings);
        let epoch = hub.epoch();
        fixture.write(move |tx, _| adopt(tx, epoch)).unwrap();
        Stage { fixture, hub, worker }
    }

    /// Steps the push until it has nothing to do, at most `most` times.
    async fn push(&mut self, most: usize) {
        for _ in 0..most {
            let next = self.worker.push_step().await;
            if next.nudge {
                return;
            }
        }
    }

    async fn pull(&mut self) {
        self.worker.pull_step().await;
    }

    fn item(&self, name: &'static str) -> MenuItem {
        item(&self.fixture, name)
    }

    /// Asserts that head office holds exactly the branch's log.
    #[track_caller]
    fn assert_equal_logs(&self) {
        let own = self.fixture.db.read_blocking(|from| store::list_after(from, 0, usize::MAX, usize::MAX));
        let (own, theirs) = (own.unwrap(), self.hub.frames());
        assert_eq!(own.len(), theirs.len());
        assert_eq!(own, theirs);
    }
}

fn item(fixture: &Fixture, name: &'static str) -> MenuItem {
    fixture
        .write(move |tx, actor| {
            let category = create_category(tx, actor, CategoryDraft::named(format!("{name}s"), 0))?;
            create_item(tx, actor, ItemDraft::new(category.id, name, Cents::new(18_000)))
        })
        .map_err(|error: crate::resources::menu::rules::MenuError| error.to_string())
        .unwrap()
}

fn run_sql(db: &Db, sql: &'static str) {
    db.write_blocking(move |tx: &Tx<'_>| tx.execute(sql, [])).unwrap();
}

#[test]
fn a_push_reads_its_range_of_the_log_and_nothing_else() {
    let fixture = Fixture::new();
    let plan = |sql: &str| fixture.plan(sql).join("\n");
    let range = plan(
        "SELECT seq, epoch, kind, hlc, wall_ms, schema_v, n, body, hash FROM sync_log WHERE seq > 9 ORDER BY seq",
    );
    assert!(range.contains("SEARCH sync_log USING INTEGER PRIMARY KEY (rowid>?)"), "{range}");
    let last = plan(
        "SELECT seq FROM sync_log INDEXED BY sync_log_proposals WHERE kind = 5 ORDER BY seq DESC LIMIT 1",
    );
    assert!(last.contains("sync_log_proposals") && !last.contains("TEMP B-TREE"), "{last}");
}

#[test]
fn classes_are_named_as_the_header_has_them() {
    assert_eq!(Class::of_name("salvage"), Some(Class::Salvage));
}
