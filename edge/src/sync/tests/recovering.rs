//! A database that was put back from an old backup: what it lost comes back, nothing made since is overwritten, no number means
//! two things.

use super::*;
use crate::db::Options;
use crate::db::{Env, OsRandom};
use crate::resources::orders::store::next_number;
use crate::sync::recovery;
use crate::sync::trouble::Trouble;
use tiffin_common::clock::ManualClock;
use tiffin_common::frame::{Kind, Position};
use tiffin_common::sync::batch::{Dictionary, Frame};
use tiffin_common::sync::{At, Standing};
use tiffin_common::{Clock, Millis};

fn position(frame: &Frame) -> Position {
    Position { epoch: frame.header.epoch, seq: frame.header.seq, hash: frame.hash }
}

fn frames(db: &Db) -> Vec<Frame> {
    db.read_blocking(|from| store::list_after(from, 0, usize::MAX, usize::MAX)).unwrap()
}

/// What a lost part of a log is made of: the same database, opened twice from one copy.
pub(super) struct Twice {
    ancestor: Position,
    lost: Vec<Frame>,
    pub(super) db: Db,
    outlet: Uuid,
    _folder: tempfile::TempDir,
}

pub(super) fn number(db: &Db, sql: &str) -> i64 {
    let connection = rusqlite::Connection::open(db.path()).unwrap();
    connection.query_row(sql, [], |row| row.get(0)).unwrap()
}

fn open(path: &std::path::Path) -> Db {
    let clock = Arc::new(ManualClock::new(crate::testing::START.parse::<Millis>().unwrap()));
    Db::open(&Options::new(path), Env::new(clock as Arc<dyn Clock>, Arc::new(OsRandom)).inline()).unwrap()
}

/// `before` is in the backup; `lost` was done after it and reached head office; `since` was done on the backup.
pub(super) fn twice(
    before: impl FnOnce(&Fixture),
    lost: impl FnOnce(&Db, Uuid),
    since: impl FnOnce(&Db, Uuid),
) -> Twice {
    let fixture = Fixture::inline();
    before(&fixture);
    let outlet = fixture.outlet_id;
    let ancestor = position(frames(&fixture.db).last().unwrap());
    let folder = tempfile::tempdir().unwrap();
    let copy = |name: &str| {
        let path = folder.path().join(name);
        let sql = "VACUUM INTO ?1";
        let connection = rusqlite::Connection::open(fixture.db.path()).unwrap();
        connection.execute(sql, [path.to_str().unwrap()]).unwrap();
        path
    };
    let (first, second) = (open(&copy("first.db")), copy("second.db"));
    lost(&first, outlet);
    let lost = frames(&first).into_iter().filter(|frame| frame.header.seq > ancestor.seq).collect();
    let db = open(&second);
    since(&db, outlet);
    db.write_blocking(|tx| adopt(tx, Uuid::from_u128(9))).unwrap();
    Twice { ancestor, lost, db, outlet, _folder: folder }
}

impl Twice {
    /// A head office that holds what was lost, and nothing of what was done since.
    fn hub(&self) -> Arc<FakeHub> {
        let hub = Arc::new(FakeHub::new(self.outlet));
        let mut state = hub.state.lock().unwrap();
        state.frames =
            frames(&self.db).into_iter().filter(|frame| frame.header.seq <= self.ancestor.seq).collect();
        state.lost = self.lost.clone();
        let (ancestor, lost_to) = (Some(self.ancestor.into()), self.lost_to());
        state.standing = Some(Standing::LostSuffix { ancestor, lost_to });
        drop(state);
        hub
    }

    /// The last row of it.
    fn lost_to(&self) -> At {
        At::from(position(self.lost.last().unwrap()))
    }

    pub(super) async fn recover(&self, bugs: Bugs) -> Worker {
        let hub = self.hub();
        let client = Arc::clone(&hub);
        let mut worker = Worker::with_hub(self.db.clone(), client, Settings { bugs, ..settings() });
        for _ in 0..9 {
            let next = worker.push_step().await;
            if next.nudge {
                break;
            }
        }
        assert_eq!(hub.frames(), frames(&self.db), "head office follows the new lineage");
        worker
    }
}

pub(super) fn sql(db: &Db, outlet: Uuid, text: &'static str) {
    db.write_blocking(move |tx: &Tx<'_>| tx.execute(text, [outlet])).unwrap();
}

const SUPPLIER: &str = "INSERT INTO suppliers (id, outlet_id, name, created_at, updated_at) VALUES
    (x'01970000000070008000000000000001', ?1, 'Fresh Farms', 1, 1)";

#[tokio::test]
async fn what_nobody_touched_since_comes_back_and_is_logged_whole() {
    let twice = twice(
        |fixture| sql(&fixture.db, fixture.outlet_id, SUPPLIER),
        |db, outlet| {
            sql(db, outlet, "UPDATE suppliers SET phone = '080-1' WHERE outlet_id = ?1");
            sql(
                db,
                outlet,
                "INSERT INTO counters (id, outlet_id, series, value) VALUES (x'01970000000070008000000000000002', ?1, 'X', 5)",
            );
            sql(db, outlet, "UPDATE counters SET value = 7 WHERE outlet_id = ?1");
        },
        |db, outlet| {
            sql(db, outlet, "UPDATE suppliers SET email = 'me@farm.test' WHERE outlet_id = ?1");
            db.write_blocking(move |tx: &Tx<'_>| next_number(tx, outlet, "X")).unwrap();
        },
    );
    twice.recover(Bugs::default()).await;
    let kept = "SELECT count(*) FROM suppliers WHERE phone = '080-1' AND email = 'me@farm.test'";
    assert_eq!(number(&twice.db, kept), 1);
    assert_eq!(number(&twice.db, "SELECT value FROM counters WHERE series = 'X'"), 7, "the higher goes on");
    assert_eq!(number(&twice.db, "SELECT count(*) FROM counters WHERE series = 'X'"), 1);
    assert_eq!(number(&twice.db, "SELECT count(*) FROM sync_reviews"), 0);
    let recovered: Vec<_> =
        frames(&twice.db).into_iter().filter(|frame| frame.header.kind == Kind::Recovered).collect();
    assert_eq!(recovered.len(), 1);
    let body = tiffin_common::frame::Body::decode(&recovered[0].header, &recovered[0].body).unwrap();
    // The supplier, our own counter, and that the lost counter's row is not there.
    assert_eq!(body.ops().len(), 3);
    assert_eq!(number(&twice.db, "SELECT count(*) FROM notifications WHERE type = 'SYNC_RECOVERED'"), 1);
    assert_eq!(number(&twice.db, "SELECT count(*) FROM sync_peer WHERE standing = 'NORMAL'"), 1);
}

#[tokio::test]
async fn a_head_office_put_back_to_the_moment_of_a_recovery_of_long_ago_can_be_filled() {
    let twice = twice(
        |fixture| sql(&fixture.db, fixture.outlet_id, SUPPLIER),
        |db, outlet| sql(db, outlet, "UPDATE suppliers SET phone = '080-1' WHERE outlet_id = ?1"),
        |db, outlet| sql(db, outlet, "UPDATE suppliers SET email = 'me@farm.test' WHERE outlet_id = ?1"),
    );
    twice.recover(Bugs::default()).await;
    // Weeks later what it confirmed since is no longer kept.
    let conn = rusqlite::Connection::open(twice.db.path()).unwrap();
    let prune = "DROP TRIGGER capture_keep_sync_log_delete;
        DELETE FROM sync_log WHERE seq < (SELECT max(seq) FROM sync_log)";
    conn.execute_batch(prune).unwrap();
    let lacks =
        |cursor: At| twice.db.read_blocking(move |from| crate::sync::reseed::is_lacking(from, Some(cursor)));
    let mut worker = Worker::with_hub(twice.db.clone(), twice.hub(), settings());
    worker.push_step().await;
    assert_eq!(number(&twice.db, "SELECT count(lacking_since) FROM sync_peer"), 1, "it is said");
    assert_eq!(lacks(twice.lost_to()).unwrap(), Some(true), "and a person can do what is asked for");
    let of_another =
        At { hash: tiffin_common::sync::HashText(tiffin_common::frame::Hash([7; 16])), ..twice.lost_to() };
    assert_eq!(lacks(of_another).unwrap(), None, "what this box never had comes back first");
}

#[tokio::test]
async fn what_was_changed_since_stays_and_what_was_lost_is_on_record() {
    let cases = [
        (Bugs::default(), "new"),
        // A release has no switches.
        #[cfg(debug_assertions)]
        (Bugs { recovery_overwrites: true, ..Bugs::default() }, "old"),
    ];
    for (bugs, phone) in cases {
        let twice = twice(
            |fixture| sql(&fixture.db, fixture.outlet_id, SUPPLIER),
            |db, outlet| {
                sql(db, outlet, "UPDATE suppliers SET phone = 'old', name = 'Farms' WHERE outlet_id = ?1");
            },
            |db, outlet| sql(db, outlet, "UPDATE suppliers SET phone = 'new' WHERE outlet_id = ?1"),
        );
        twice.recover(bugs).await;
        let standing = format!("SELECT count(*) FROM suppliers WHERE phone = '{phone}' AND name = 'Farms'");
        assert_eq!(number(&twice.db, &standing), 1, "{bugs:?}");
        let on_record = "SELECT count(*) FROM sync_reviews WHERE reason = 'CHANGED_SINCE' AND lost LIKE '%old%' AND kept LIKE '%new%'";
        assert_eq!(number(&twice.db, on_record), i64::from(phone == "new"));
    }
}

#[tokio::test]
async fn how_often_a_box_told_something_is_no_persons_to_compare() {
    const TOLD: &str = "INSERT INTO notifications
        (id, outlet_id, type, severity, title, body, dedupe_key, created_at, updated_at)
        VALUES (x'01970000000070008000000000000002', ?1, 'SYNC_GONE', 'INFO', 'A title', 'Words', 'key', 1, 1)";
    let twice = twice(
        |fixture| sql(&fixture.db, fixture.outlet_id, TOLD),
        |db, outlet| {
            sql(db, outlet, "UPDATE notifications SET count = 14, body = 'Fourteen' WHERE outlet_id = ?1")
        },
        |db, outlet| {
            sql(db, outlet, "UPDATE notifications SET count = 12, body = 'Twelve' WHERE outlet_id = ?1")
        },
    );
    twice.recover(Bugs::default()).await;
    assert_eq!(number(&twice.db, "SELECT count FROM notifications WHERE dedupe_key = 'key'"), 12);
    assert_eq!(number(&twice.db, "SELECT count(*) FROM sync_reviews"), 0);
}

#[tokio::test]
async fn a_number_that_was_given_out_again_costs_neither_row_and_both_are_on_record() {
    // By another process start, or by this one, which was put back together with its memory: the ends of its ids are the same.
    let since = [
        "INSERT INTO day_closes (id, outlet_id, business_date, z_number, report, at)
            VALUES (x'01970000000070008000000000000004', ?1, '2026-11-20', 1, '{}', 1)",
        "INSERT INTO day_closes (id, outlet_id, business_date, z_number, report, at)
            VALUES (x'01970000000070008000010000000003', ?1, '2026-11-20', 1, '{}', 1)",
    ];
    for since in since {
        let twice = twice(
            |_| {},
            |db, outlet| {
                let lost = "INSERT INTO day_closes (id, outlet_id, business_date, z_number, report, at)
                    VALUES (x'01970000000070008000000000000003', ?1, '2026-11-20', 1, '{\"lost\":1}', 1)";
                sql(db, outlet, lost);
            },
            |db, outlet| sql(db, outlet, since),
        );
        twice.recover(Bugs::default()).await;
        assert_eq!(number(&twice.db, "SELECT count(*) FROM day_closes"), 2);
        let on_record =
            "SELECT count(*) FROM sync_reviews WHERE reason = 'NUMBER_TAKEN' AND lost LIKE '%lost%'
            AND kept IS NOT NULL AND kept NOT LIKE '%lost%'";
        assert_eq!(number(&twice.db, on_record), 1);
    }
}

/// An order that a channel sent under its number `external`, by the end of its id.
fn sent(end: u8, number: &str, external: &str) -> String {
    format!(
        "INSERT INTO orders (id, outlet_id, order_number, token_number, business_date, order_type, source, status, prices_include_tax,
           service_charge_bps, cash_rounding_cents, gross_cents, subtotal_cents, total_cents, created_at, updated_at, channel_id, external_id)
         VALUES (x'019700000000700080000000000000{end}', ?1, '{number}', 1, '2026-11-20', 'DELIVERY', 'ZOMATO', 'PENDING', 0, 0, 0, 9, 9, 9,
           1, 1, x'01970000000070008000000000000040', '{external}')"
    )
}

#[tokio::test]
async fn an_order_that_a_channel_sent_to_both_lives_costs_neither_and_both_are_on_record() {
    let (lost, since) = (sent(41, "BLR1-9", "Z-7"), sent(42, "BLR1-A9", "Z-7"));
    let run = |text: String| {
        move |db: &Db, outlet: Uuid| {
            db.write_blocking(move |tx: &Tx<'_>| tx.execute(&text, [outlet])).unwrap()
        }
    };
    let twice = twice(|_| {}, run(lost), run(since));
    twice.recover(Bugs::default()).await;
    assert_eq!(number(&twice.db, "SELECT count(*) FROM orders WHERE external_id = 'Z-7'"), 2);
    let on_record =
        "SELECT count(*) FROM sync_reviews WHERE table_name = 'orders' AND reason = 'NUMBER_TAKEN'
        AND lost LIKE '%BLR1-9%' AND kept LIKE '%BLR1-A9%'";
    assert_eq!(number(&twice.db, on_record), 1);
}

/// A delivery that was taken in under the invoice `INV-7` of a supplier, by the end of its id.
fn delivered(end: u8, note: &str) -> String {
    format!(
        "INSERT INTO purchase_deliveries (id, outlet_id, purchase_order_id, supplier_id, invoice_ref, note, total_cents, business_date, at,
           by_name)
         VALUES (x'019700000000700080000000000000{end}', ?1, x'01970000000070008000000000000050', x'01970000000070008000000000000051', 'INV-7',
           '{note}', 9, '2026-11-20', 1, 'Keeper')"
    )
}

#[tokio::test]
async fn an_invoice_that_both_lives_took_in_costs_neither_and_both_are_on_record() {
    const ORDER: [&str; 2] = [
        "INSERT INTO suppliers (id, outlet_id, name, created_at, updated_at)
           VALUES (x'01970000000070008000000000000051', ?1, 'Farm', 1, 1)",
        "INSERT INTO purchase_orders (id, outlet_id, po_number, mode, status, supplier_id, supplier_name, expected_delivery_date, total_cents,
           business_date, created_by_name, created_at, updated_at)
         VALUES (x'01970000000070008000000000000050', ?1, 'PO-BLR1-261120-001', 'MANUAL', 'SENT', x'01970000000070008000000000000051', 'Farm',
           '2026-11-20', 9, '2026-11-20', 'Keeper', 1, 1)",
    ];
    let run = |text: String| {
        move |db: &Db, outlet: Uuid| {
            db.write_blocking(move |tx: &Tx<'_>| tx.execute(&text, [outlet])).unwrap()
        }
    };
    let twice = twice(
        |fixture| ORDER.iter().for_each(|text| sql(&fixture.db, fixture.outlet_id, text)),
        run(delivered(61, "then")),
        run(delivered(62, "since")),
    );
    twice.recover(Bugs::default()).await;
    assert_eq!(number(&twice.db, "SELECT count(*) FROM purchase_deliveries WHERE invoice_ref = 'INV-7'"), 2);
    let on_record =
        "SELECT count(*) FROM sync_reviews WHERE table_name = 'purchase_deliveries' AND reason = 'NUMBER_TAKEN'
        AND lost LIKE '%then%' AND kept LIKE '%since%'";
    assert_eq!(number(&twice.db, on_record), 1);
}

pub(super) const RICE: &str =
    "INSERT INTO stock_items (id, outlet_id, name, category, unit, created_at, updated_at)
    VALUES (x'01970000000070008000000000000010', ?1, 'Rice', 'Dry', 'kg', 1, 1)";

/// A movement of rice for the line of an order, by the ends of its id and of the one that it takes back.
fn moved(end: u8, kind: &str, quantity: i64, reverses: Option<u8>) -> String {
    let id = |end: u8| format!("x'019700000000700080000000000000{end}'");
    format!(
        "INSERT INTO stock_movements (id, outlet_id, stock_item_id, kind, quantity_delta, quantity_before, quantity_after, unit_cost,
           cost_micros, cause_type, order_item_id, reverses_id, business_date, at)
         VALUES ({}, ?1, x'01970000000070008000000000000010', '{kind}', {quantity}, 0, 0, 0, 0, 'ORDER', x'01970000000070008000000000000011', {}, '2026-11-20', 1)",
        id(end),
        reverses.map_or("NULL".to_owned(), id)
    )
}

#[tokio::test]
async fn stock_that_came_back_in_both_lives_came_back_once() {
    let run = |db: &Db, outlet: Uuid, all: Vec<String>| {
        let run = move |tx: &Tx<'_>| all.iter().try_for_each(|text| tx.execute(text, [outlet]));
        db.write_blocking(run).unwrap();
    };
    let cases = [
        // Nothing of it came back here; a part; all of it, which was thrown away in the lost life.
        (vec![], vec![moved(21, "RETURN", 3, Some(20))], 0, 0),
        (vec![moved(31, "RETURN", 1, Some(20))], vec![moved(21, "RETURN", 2, Some(20))], 0, 0),
        (
            vec![moved(31, "RETURN", 3, Some(20))],
            vec![moved(21, "RETURN", 3, Some(20)), moved(22, "WASTE", -3, None)],
            0,
            2,
        ),
        // One portion went to waste in either.
        (
            vec![moved(31, "RETURN", 1, Some(20)), moved(32, "WASTE", -1, None)],
            vec![moved(21, "RETURN", 1, Some(20)), moved(22, "WASTE", -1, None)],
            -3,
            0,
        ),
    ];
    for (since, lost, on_hand, refused) in cases {
        let twice = twice(
            |fixture| {
                sql(&fixture.db, fixture.outlet_id, RICE);
                run(&fixture.db, fixture.outlet_id, vec![moved(20, "SALE", -3, None)]);
            },
            |db, outlet| run(db, outlet, lost),
            |db, outlet| run(db, outlet, since),
        );
        twice.recover(Bugs::default()).await;
        assert_eq!(number(&twice.db, "SELECT on_hand FROM stock_levels"), on_hand);
        let back = "SELECT sum(quantity_delta) FROM stock_movements WHERE reverses_id IS NOT NULL";
        assert!(number(&twice.db, back) <= 3);
        let on_record = "SELECT count(*) FROM sync_reviews WHERE table_name = 'stock_movements' AND reason = 'CHANGED_SINCE'";
        assert_eq!(number(&twice.db, on_record), refused);
    }
}

#[tokio::test]
async fn much_is_taken_back_in_steps_and_begun_again_it_ends_the_same() {
    let twice = twice(
        |fixture| sql(&fixture.db, fixture.outlet_id, SUPPLIER),
        |db, outlet| {
            let many = "INSERT INTO counters (id, outlet_id, series, value)
                WITH RECURSIVE n (i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 150) SELECT randomblob(16), ?1, hex(randomblob(8)), i FROM n";
            (0..9).for_each(|_| sql(db, outlet, many));
            sql(db, outlet, "UPDATE suppliers SET phone = 'lost' WHERE outlet_id = ?1");
        },
        |db, outlet| sql(db, outlet, "UPDATE suppliers SET phone = 'since' WHERE outlet_id = ?1"),
    );
    let steps = |db: &Db| frames(db).into_iter().filter(|f| f.header.kind == Kind::Recovered).count();
    // The box stops after a step.
    let to = position(twice.lost.last().unwrap());
    let origin = Position { epoch: to.epoch, seq: 0, hash: tiffin_common::frame::Hash::START };
    let half = twice.lost[..4].to_vec();
    let since = twice.ancestor.seq;
    let take = move |tx: &Tx<'_>| recovery::take_step(tx, since, &half, origin);
    twice.db.write_blocking(take).unwrap();
    let before = steps(&twice.db);
    twice.recover(Bugs::default()).await;
    assert!(steps(&twice.db) > before + 3, "{} steps", steps(&twice.db) - before);
    let made = "SELECT count(*) FROM counters WHERE length(series) = 16";
    assert_eq!(number(&twice.db, made), 9 * 150);
    let on_record = "SELECT count(*) FROM sync_reviews WHERE reason = 'CHANGED_SINCE'";
    assert_eq!(number(&twice.db, on_record), 1, "what was taken back before is not an own change");
    assert_eq!(number(&twice.db, "SELECT count(*) FROM suppliers WHERE phone = 'since'"), 1);
}

#[tokio::test]
async fn an_alarm_that_was_raised_here_too_is_nobodys_to_look_at() {
    const RAISED: &str = "INSERT INTO notifications (id, outlet_id, type, severity, title, body, dedupe_key, created_at, updated_at)
        VALUES (randomblob(16), ?1, 'NEGATIVE_STOCK', 'CRITICAL', 'Rice', 'Count it.', 'NEGATIVE_STOCK:rice', 1, 1)";
    let again = "UPDATE notifications SET count = count + 1 WHERE outlet_id = ?1";
    let twice = twice(
        |_| {},
        |db, outlet| [RAISED, again].into_iter().for_each(|text| sql(db, outlet, text)),
        |db, outlet| sql(db, outlet, RAISED),
    );
    twice.recover(Bugs::default()).await;
    assert_eq!(number(&twice.db, "SELECT count(*) FROM notifications WHERE type = 'NEGATIVE_STOCK'"), 1);
    assert_eq!(number(&twice.db, "SELECT count(*) FROM sync_reviews"), 0);
}

#[tokio::test]
async fn rows_that_do_not_chain_are_not_taken() {
    let twice = twice(|_| {}, |db, outlet| sql(db, outlet, SUPPLIER), |_, _| {});
    let hub = Arc::new(FakeHub::new(twice.outlet));
    let mut lost = twice.lost.clone();
    let to = position(lost.last().unwrap());
    lost.remove(0);
    {
        let mut state = hub.state.lock().unwrap();
        state.frames = frames(&twice.db).into_iter().filter(|f| f.header.seq <= twice.ancestor.seq).collect();
        state.lost = lost;
    }
    let client = Arc::clone(&hub);
    let worker = Worker::with_hub(twice.db.clone(), client, settings());
    let hub = crate::sync::Hub::new(hub);
    let outcome = recovery::recover(&worker.exchange, &hub, Some(twice.ancestor), to, Dictionary::NONE).await;
    assert!(matches!(outcome, Err(Trouble::Nonsense(_))));
    assert_eq!(number(&twice.db, "SELECT count(*) FROM suppliers"), 0);
}
