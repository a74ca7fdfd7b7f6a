//! A machine that was put back together with its memory: head office holds rows of its process start that it never made.

use super::hub::{Mishap, packed};
use super::*;
use std::collections::BTreeSet;
use tiffin_common::frame::{Header, Kind, OpKind, Position, Value};
use tiffin_common::sync::batch::Frame;
use tiffin_common::sync::{At, Standing};

fn position(frame: &Frame) -> At {
    At::from(Position { epoch: frame.header.epoch, seq: frame.header.seq, hash: frame.hash })
}

/// What the machine did after `last`, before it was put back: three rows.
fn forgotten(outlet: Uuid, last: &Frame) -> Vec<Frame> {
    let mut rows = vec![last.clone()];
    for no in 1..=3u8 {
        let before = &rows[rows.len() - 1];
        let columns = [
            ("outlet_id", Value::Id(outlet)),
            ("series", Value::Text(["", "X", "Y", "Z"][usize::from(no)])),
            ("value", Value::Integer(5)),
        ];
        let body = packed("counters", OpKind::Insert, Uuid::from_u128(0x900 + u128::from(no)), &columns);
        let header = Header { seq: before.header.seq + 1, kind: Kind::Data, count: 1, ..before.header };
        let hash = before.hash.next(&header, &body);
        rows.push(Frame { header, body, hash });
    }
    rows.split_off(1)
}

/// A branch that head office had heard up to `heard`, and that was then put back; what it forgot.
async fn put_back(sold_since: bool) -> (Stage, Vec<Frame>) {
    let mut stage = Stage::new();
    stage.item("Dal");
    stage.push(9).await;
    // Confirmed, and not yet kept: what both have goes further than the box says.
    let before = stage.fixture.number("SELECT acked_seq FROM sync_peer");
    stage.item("Naan");
    stage.push(9).await;
    stage.fixture.db.write_blocking(move |tx: &Tx<'_>| {
        let sql = "UPDATE sync_peer SET acked_seq = ?1, acked_hash = (SELECT hash FROM sync_log WHERE seq = ?1)";
        tx.execute(sql, [before])
    })
    .unwrap();
    let held = stage.hub.frames();
    let last = held.last().unwrap();
    let gone = forgotten(stage.fixture.outlet_id, last);
    {
        let mut state = stage.hub.state.lock().unwrap();
        state.frames.extend(gone.clone());
        state.lost = state.frames.iter().filter(|frame| frame.header.seq > before).cloned().collect();
        let lost_to = position(gone.last().unwrap());
        state.standing = Some(Standing::LostSuffix { ancestor: Some(position(last)), lost_to });
    }
    if sold_since {
        stage.item("Roti");
        stage.fixture.write(|tx, _| tx.execute("UPDATE outlets SET name = 'Since'", [])).unwrap();
    }
    // What it sends on does not fit, or the connection is dead.
    stage.hub.mishap(if sold_since { Mishap::Status(409) } else { Mishap::Lost });
    (stage, gone)
}

/// The program ends and starts again: another process start goes on from the end of the log.
fn start_again(stage: &Stage) {
    let head = stage.fixture.db.read_blocking(store::find_head).unwrap();
    stage.fixture.db.write_blocking(move |tx: &Tx<'_>| tx.begin_log_anew(head)).unwrap();
}

#[tokio::test]
async fn the_same_where_it_was_started_again_before_head_office_answered() {
    // What it did since goes as far as what it forgot, and further; or not so far.
    let all = ["Roti", "Puri", "Appam", "Idli", "Vada"];
    for dishes in [5, 1] {
        let (mut stage, gone) = put_back(false).await;
        all.iter().take(dishes).for_each(|dish| drop(stage.item(dish)));
        start_again(&stage);
        let ends_here = stage.fixture.number("SELECT max(parent_seq) FROM sync_meta");
        let last = gone.last().unwrap();
        assert_eq!(ends_here >= last.header.seq, dishes > 1, "{ends_here} of {}", last.header.seq);
        {
            let mut state = stage.hub.state.lock().unwrap();
            let parts = state.standing.replace(if dishes > 1 { Standing::Normal } else { Standing::Fork });
            state.then = parts;
        }
        stage.push(20).await;
        stage.push(20).await;
        stage.assert_equal_logs();
        assert_eq!(stage.fixture.number("SELECT count(*) FROM counters WHERE series IN ('X', 'Y', 'Z')"), 3);
        let kept = "SELECT count(*) FROM menu_items WHERE name NOT IN ('Dal', 'Naan')";
        assert_eq!(stage.fixture.number(kept), dishes as i64);
        let check = stage.fixture.db.read_blocking(|from| store::check_log(from, 10_000)).unwrap();
        assert_eq!(check.fault, None);
    }
}

#[tokio::test]
async fn what_was_done_since_gets_a_process_start_of_its_own_and_what_was_forgotten_comes_back() {
    for sold_since in [true, false] {
        let (mut stage, gone) = put_back(sold_since).await;
        if !sold_since {
            // It has nothing to send until it starts to speak again.
            stage.worker.exchange.0.greet.store(true, std::sync::atomic::Ordering::SeqCst);
        }
        stage.push(20).await;
        stage.push(20).await;
        stage.assert_equal_logs();
        let places = |frames: &[Frame]| -> BTreeSet<(Uuid, i64)> {
            frames.iter().map(|frame| (frame.header.epoch, frame.header.seq)).collect()
        };
        let all = stage.hub.frames();
        assert!(places(&all).is_disjoint(&places(&gone)), "a number of a row means one thing");
        let number = |sql: &str| stage.fixture.number(sql);
        assert_eq!(number("SELECT count(*) FROM counters WHERE series IN ('X', 'Y', 'Z')"), 3);
        assert_eq!(number("SELECT count(*) FROM menu_items WHERE name = 'Roti'"), i64::from(sold_since));
        assert_eq!(number("SELECT count(*) FROM outlets WHERE name = 'Since'"), i64::from(sold_since));
        assert_eq!(number("SELECT count(*) FROM sync_reviews"), 0);
        let strays =
            "SELECT count(*) FROM sync_proposals p LEFT JOIN sync_log l ON l.seq = p.seq AND l.kind = 5
            WHERE l.seq IS NULL";
        assert_eq!(number(strays), 0, "edits that wait for a decision are those of the log");
        assert_eq!(number("SELECT value FROM counters WHERE series = 'LIFE'"), 2);
        assert_eq!(number("SELECT count(*) FROM sync_peer WHERE standing = 'NORMAL'"), 1);
        let check = stage.fixture.db.read_blocking(|from| store::check_log(from, 10_000)).unwrap();
        assert_eq!(check.fault, None);

        // It goes on like any other.
        let starts = number("SELECT count(*) FROM sync_meta");
        stage.item("Rice");
        stage.push(9).await;
        stage.assert_equal_logs();
        assert_eq!(stage.fixture.number("SELECT count(*) FROM sync_meta"), starts);
    }
}
