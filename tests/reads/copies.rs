//! Copies of a branch at head office, made by replaying its log as a push does. Never reads the branch's rows themselves.

use std::path::Path;
use sync_hub::days::{DaysError, Found, keep_some};
use sync_hub::derived;
use sync_hub::store::postgres::{PgStore, Settings};
use sync_hub::store::sqlite::{Limits, SqliteStore};
use sync_hub::store::{Replay, StoreError, Stores, Strictness};
use tiffin_common::Uuid;
use tiffin_common::frame::{Body, Op, OpKind, Value};
use tiffin_common::registry::table_named;
use tiffin_tests::Branch;
use tiffin_tests::postgres::Database;

/// A store on a PostgreSQL database of its own.
pub async fn on_postgres() -> Stores {
    let opened = tokio::task::spawn_blocking(|| {
        PgStore::open(&Settings::new(&Database::new().url), Uuid::from_u128(1)).unwrap()
    });
    Stores::new(opened.await.unwrap())
}

/// A store of outlet files in `folder`.
pub fn on_sqlite(folder: &Path) -> Stores {
    Stores::new(SqliteStore::open(folder, Limits::default()).unwrap())
}

fn is_of(op: &Op<'_>, outlet: Uuid) -> bool {
    let outlets = table_named("outlets").unwrap();
    op.table != outlets.no || op.kind != OpKind::Insert || op.columns.contains(&(0, Value::Id(outlet)))
}

/// Replays the branch's log into `stores`.
pub async fn replay(branch: &Branch, stores: &Stores) {
    let log = branch.log(0).await;
    let outlet = branch.outlet_id;
    let done = stores.run(move |stores| {
        stores.store().create_outlet(outlet)?;
        stores.outlet_blocking(outlet, |tx| -> Result<(), StoreError> {
            let bodies: Vec<_> =
                log.iter().map(|frame| Body::decode(&frame.header, &frame.body).unwrap()).collect();
            // The restaurant's box knows other outlets too, which a box of one outlet does not.
            let own: Vec<Vec<Op<'_>>> = bodies
                .iter()
                .map(|body| body.ops().iter().filter(|op| is_of(op, outlet)).cloned().collect())
                .collect();
            let rows: Vec<_> = own.iter().map(|ops| Replay { ops, strictness: Strictness::Exact }).collect();
            for (outcome, frame) in tx.apply(&rows)?.into_iter().zip(&log) {
                outcome.unwrap_or_else(|refused| panic!("log row {}: {refused}", frame.header.seq));
            }
            Ok(derived::settle(tx, outlet)?)
        })
    });
    done.await.unwrap();
}

/// Keeps the figures of every finished day; answers how many times something was missing.
pub async fn keep_days(branch: &Branch, stores: &Stores) -> u32 {
    let (outlet, now) = (branch.outlet_id, branch.db.env().clock.now());
    let kept = stores.run(move |stores| {
        let mut times = 0;
        while let Found::Missing(_) = keep_some(stores, outlet, now)? {
            times += 1;
        }
        Ok::<_, DaysError>(times)
    });
    kept.await.unwrap()
}
