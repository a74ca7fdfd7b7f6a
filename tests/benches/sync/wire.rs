//! Bytes an order takes, alone and in a backlog, beside its packed log rows and those under zstd; and how fast the codec is.

use super::median;
use std::time::Instant;
use tiffin_common::frame::Hash;
use tiffin_common::sync::batch::{self, Batch, Frame};
use tiffin_tests::chain::Day;

pub(super) fn measure(day: &Day) {
    let orders = day.orders();
    let (mut live, mut plain, mut packed) = (Vec::new(), Vec::new(), Vec::new());
    for frames in orders.iter().skip(orders.len() / 2).take(100) {
        let batch = batch(day, frames);
        live.push(batch::encode(&batch).unwrap().len() as f64);
        plain.push(batch::encode_plain(&batch).unwrap().len() as f64);
        packed.push(frames.iter().map(|frame| frame.body.len()).sum::<usize>() as f64);
    }
    let all = Batch { previous: Hash::START, frames: day.frames.clone() };
    let bytes = batch::encode(&all).unwrap();
    let each = |bytes: usize| bytes as f64 / orders.len() as f64;
    println!("bytes an order                 on the wire   under zstd alone   packed log rows");
    println!(
        "alone, at once (aim 600)       {:>11.0} {:>18.0} {:>17.0}",
        mean(&live),
        mean(&plain),
        mean(&packed)
    );
    let size = day.frames.iter().map(|frame| frame.body.len()).sum::<usize>();
    let under_zstd = batch::encode_plain(&all).unwrap().len();
    println!(
        "in a backlog (aim 300)         {:>11.0} {:>18.0} {:>17.0}",
        each(bytes.len()),
        each(under_zstd),
        each(size)
    );
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
        let (megabytes, rows) = (size as f64 / seconds / 1e6, day.changes as f64 / seconds);
        println!(
            "{name}                         {megabytes:>11.1} MB/s of packed log rows, {rows:.0} row changes/s"
        );
    }
    println!();
}

fn batch(day: &Day, frames: &[Frame]) -> Batch {
    let before = frames[0].header.seq as usize - 2;
    let previous = day.frames.get(before).map_or(Hash::START, |frame| frame.hash);
    Batch { previous, frames: frames.to_vec() }
}

fn mean(values: &[f64]) -> f64 {
    values.iter().sum::<f64>() / values.len() as f64
}
