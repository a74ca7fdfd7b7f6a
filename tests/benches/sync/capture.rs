//! What it costs a branch to capture an order: its row writes through the writer, with the capture's triggers and without them.

use super::median;
use edge::db::{Db, DbError, Env, Options};
use std::time::Instant;
use tiffin_common::frame::Body;
use tiffin_tests::chain::Day;

pub(super) fn measure(day: &Day) {
    let orders = day.orders().len() as f64;
    let mut rounds: [Vec<f64>; 2] = Default::default();
    for _ in 0..3 {
        for (captures, times) in [true, false].into_iter().zip(&mut rounds) {
            times.push(write(day, captures) / orders);
        }
    }
    let [with, without] = rounds.map(median);
    println!(
        "an order's row writes          {:>11.0} µs with their capture, {:.0} µs without: {:.0} µs the capture\n",
        with * 1e6,
        without * 1e6,
        (with - without) * 1e6
    );
}

/// Writes the whole day again in one action, so that the disk's waits count for nothing.
fn write(day: &Day, captures: bool) -> f64 {
    let folder = tempfile::tempdir().unwrap();
    let db = Db::open(&Options::new(folder.path().join("tiffin.db")), Env::system()).unwrap();
    if !captures {
        db.write_blocking(|tx| {
            let sql = "SELECT name FROM sqlite_master WHERE type = 'trigger' AND name LIKE 'capture_%'";
            let names: Vec<String> =
                tx.prepare(sql)?.query_map([], |row| row.get(0))?.collect::<rusqlite::Result<_>>()?;
            names.iter().try_for_each(|name| tx.execute_batch(&format!("DROP TRIGGER \"{name}\"")))?;
            Ok::<(), DbError>(())
        })
        .unwrap();
    }
    let frames = day.frames.clone();
    let begin = Instant::now();
    db.write_blocking(move |tx| {
        for frame in &frames {
            for op in Body::decode(&frame.header, &frame.body).map_err(|_| DbError::Overflow)?.ops() {
                sync_hub::replay::apply(tx, op).map_err(|_| DbError::Overflow)?;
            }
        }
        Ok::<(), DbError>(())
    })
    .unwrap();
    begin.elapsed().as_secs_f64()
}
