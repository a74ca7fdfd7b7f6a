//! How fast head office takes a backlog in, on SQLite and on PostgreSQL, beside the floor: the same row changes as bare prepared
//! statements into an empty database with the same tables, one commit for each push.

use super::median;
use rusqlite::Connection;
use std::time::Instant;
use sync_hub::replay;
use tiffin_common::frame::Body;
use tiffin_common::sync::Class;
use tiffin_tests::HeadOffice;
use tiffin_tests::chain::{Carrier, Counts, Day, Outlet};

/// Outlets one after the other, so that every round meets new rows.
const ROUNDS: u64 = 3;

pub(super) async fn measure(day: &Day) {
    let floor = median((0..ROUNDS).map(|_| floor(day)).collect());
    println!("row changes a second                      of the floor");
    println!("bare statements, SQLite        {floor:>11.0}          100 %");
    let sqlite = office(&HeadOffice::start().await, day).await;
    println!(
        "head office on SQLite          {sqlite:>11.0} {:>12.0} %   (aim 100,000)",
        sqlite / floor * 100.0
    );
    let postgres = office(&HeadOffice::on_postgres().await, day).await;
    println!(
        "head office on PostgreSQL      {postgres:>11.0} {:>12.0} %   (aim 60,000)\n",
        postgres / floor * 100.0
    );
}

/// Over HTTP on loopback, by the real protocol.
async fn office(office: &HeadOffice, day: &Day) -> f64 {
    let carrier = Carrier { http: reqwest::Client::new(), base: office.base().to_owned(), key: None };
    let mut rates = Vec::new();
    for number in 0..ROUNDS {
        let outlet = Outlet::new(day, number, false);
        let hub = outlet.enrol(&carrier, &office.code(None).await).await;
        let (counts, begin) = (Counts::default(), Instant::now());
        outlet.drain(&hub, Class::Backlog, std::time::Duration::ZERO, &counts).await;
        rates.push(day.changes as f64 / begin.elapsed().as_secs_f64());
    }
    median(rates)
}

fn floor(day: &Day) -> f64 {
    let folder = tempfile::tempdir().unwrap();
    let mut conn = Connection::open(folder.path().join("floor.db")).unwrap();
    conn.pragma_update(None, "journal_mode", "WAL").unwrap();
    conn.pragma_update(None, "synchronous", "FULL").unwrap();
    tiffin_migrations::migrate_edge(&mut conn).unwrap();
    conn.pragma_update(None, "foreign_keys", false).unwrap();
    conn.set_prepared_statement_cache_capacity(512);
    let begin = Instant::now();
    for push in day.frames.chunks(400) {
        let tx = conn.transaction().unwrap();
        for frame in push {
            for op in Body::decode(&frame.header, &frame.body).unwrap().ops() {
                replay::apply(&tx, op).unwrap();
            }
        }
        tx.commit().unwrap();
    }
    day.changes as f64 / begin.elapsed().as_secs_f64()
}
