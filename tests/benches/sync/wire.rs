//! Bytes an order takes, alone and in a backlog, beside those under zstd without a dictionary and its packed log rows; and how fast
//! the codec is. On the recorded day and on trade that no dictionary has seen: `tests/corpus` names the seeds.

use super::median;
use std::time::Instant;
use tiffin_common::frame::Hash;
use tiffin_common::sync::batch::{self, Batch, Dictionary, Frame};
use tiffin_tests::chain::Day;
use tiffin_tests::corpus::{HELD_OUT, HELD_OUT_RICH, HELD_OUT_SAMPLE, Recording};

pub(super) async fn measure(day: &Day) {
    println!("bytes an order                 on the wire   under zstd alone   packed log rows");
    let first = |frames: &[Frame]| usize::try_from(frames[0].header.seq).unwrap() - 1;
    let orders = day.orders().into_iter().map(|frames| first(frames)..first(frames) + frames.len());
    let recorded =
        Recording { orders: orders.collect(), frames: day.frames.clone(), history: 0..0, visits: 0 };
    print("the recorded day", &recorded);
    for source in [HELD_OUT, HELD_OUT_RICH, HELD_OUT_SAMPLE] {
        let held_out = source.record().await;
        print(&format!("{:?}, seed {}", source.menu, source.seed), &held_out);
        if held_out.visits > 0 {
            let [with, without] = [Dictionary::NEWEST, Dictionary::NONE].map(|by| held_out.of_history(by));
            let rows = size(&held_out.frames[held_out.history.clone()]) / held_out.visits as f64;
            println!("with all that happens on a day {with:>11.0} {without:>18.0} {rows:>17.0}");
        }
    }
    speed(day);
}

fn print(what: &str, trade: &Recording) {
    let [alone, alone_under_zstd] = [Dictionary::NEWEST, Dictionary::NONE].map(|by| trade.alone(by));
    let [backlog, backlog_under_zstd] = [Dictionary::NEWEST, Dictionary::NONE].map(|by| trade.in_backlog(by));
    let later = trade.orders[trade.orders.len() / 2..].iter();
    let rows = later.clone().map(|rows| size(&trade.frames[rows.clone()])).sum::<f64>() / later.len() as f64;
    println!("{what}");
    println!("  alone, at once (aim 600)     {alone:>11.0} {alone_under_zstd:>18.0} {rows:>17.0}");
    println!("  in a backlog (aim 300)       {backlog:>11.0} {backlog_under_zstd:>18.0} {rows:>17.0}");
}

fn size(frames: &[Frame]) -> f64 {
    frames.iter().map(|frame| frame.body.len()).sum::<usize>() as f64
}

fn speed(day: &Day) {
    let all = Batch { previous: Hash::START, frames: day.frames.clone() };
    let bytes = batch::encode(&all).unwrap();
    let time = |work: &dyn Fn()| {
        let one = || {
            let begin = Instant::now();
            work();
            begin.elapsed().as_secs_f64()
        };
        median((0..5).map(|_| one()).collect())
    };
    let encode = time(&|| drop(batch::encode(&all).unwrap()));
    let decode = time(&|| assert!(!batch::decode(&bytes, usize::MAX).unwrap().1));
    for (name, seconds) in [("encode", encode), ("decode", decode)] {
        let (megabytes, rows) = (size(&day.frames) / seconds / 1e6, day.changes as f64 / seconds);
        println!(
            "{name}                         {megabytes:>11.1} MB/s of packed log rows, {rows:.0} row changes/s"
        );
    }
    println!();
}
