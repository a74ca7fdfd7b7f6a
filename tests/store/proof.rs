//! Digests: compared at exactly their place in the log, told to the branch when they differ, repaired.

use crate::log::{Log, counter, new_id, table, update};
use tiffin_common::digest::{RowSum, bucket_of, row_hash};
use tiffin_common::frame::{Bucket, DigestEntry, Op, Value};

/// What the branch says of rows that it holds.
fn entry(of: &str, rows: &[Op<'_>]) -> DigestEntry {
    let mut sum = RowSum::default();
    rows.iter().for_each(|row| sum.add(row_hash(table(of), row.columns.iter().copied())));
    sum.entry(bucket(of, rows))
}

fn bucket(of: &str, rows: &[Op<'_>]) -> Bucket {
    let Value::Id(id) = rows[0].columns[0].1 else { panic!("no id") };
    bucket_of(table(of), id)
}

every_store! {
    async fn what_is_equal_is_said_to_be_equal_at_every_row_of_the_log(ground) {
        let (mut log, ids) = (Log::new(ground.outlet), [new_id(), new_id()]);
        log.data(&ids.map(|id| counter(ground.outlet, id, 1)));
        for value in 2..20 {
            log.data(&[update("counters", ids[0], &[("value", Value::Integer(value))])]);
            let rows = [counter(ground.outlet, ids[0], value), counter(ground.outlet, ids[1], 1)];
            log.digest(&[entry("counters", &rows)]);
        }
        let reply = log.drain(&ground.hub).await.unwrap();
        assert!(reply.bad.is_empty());
        assert_eq!(reply.agreed_at, Some(log.head().seq));
    }

    async fn what_differs_is_told_until_it_is_repaired(ground) {
        let (mut log, ids) = (Log::new(ground.outlet), [new_id(), new_id()]);
        let rows = ids.map(|id| counter(ground.outlet, id, 1));
        log.data(&rows);
        log.drain(&ground.hub).await.unwrap();
        ground.tamper("UPDATE counters SET value = 2 WHERE id = ?1", &[&ids[0]]);
        ground.tamper("INSERT INTO counters (id, outlet_id, series, value) VALUES (?1, ?2, 'X', 1)", &[&new_id(), &ground.outlet]);
        log.digest(&[entry("counters", &rows)]);
        let told = log.drain(&ground.hub).await.unwrap().bad;
        assert_eq!((told.len(), told[0].table), (1, 70));
        let again = log.push(&ground.hub, 1, 2).await.unwrap().bad;
        assert_eq!(again, told, "an answer may have been lost");
        log.repair(bucket("counters", &rows), &rows);
        log.digest(&[entry("counters", &rows)]);
        let reply = log.drain(&ground.hub).await.unwrap();
        assert!(reply.bad.is_empty());
        assert_eq!(reply.agreed_at, Some(log.head().seq));
        assert_eq!(ground.number("SELECT sum(value) FROM counters"), 2);
    }

    async fn a_digest_of_rows_that_were_kept_apart_is_bad(ground) {
        let mut log = Log::new(ground.outlet);
        let row = counter(ground.outlet, new_id(), 1);
        log.data(&[row.clone(), update("counters", new_id(), &[("value", Value::Integer(1))])]);
        log.digest(&[entry("counters", &[row])]);
        assert_eq!(log.drain(&ground.hub).await.unwrap().bad.len(), 1);
    }
}
