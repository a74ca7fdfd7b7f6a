//! Trains a dictionary for the bodies of the exchange, and says what it is worth. A dictionary that is released never changes: the
//! next one gets the next number, and a place in `common/src/sync/batch/dictionary.rs`.
//!
//!     cargo run --release -p tiffin-tests --bin dictionary -- target/dictionary.bin

use std::path::PathBuf;
use tiffin_common::sync::batch::{Batch, Dictionary, encode_with};
use tiffin_tests::corpus::{HELD_OUT, HELD_OUT_RICH, HELD_OUT_SAMPLE, TRAINING};

/// Most bytes of a dictionary.
const SIZE: usize = 160 * 1024;

/// Log rows of a sample that is no order, and how many of them make room for one such sample: what a branch sends when little happens.
const ROWS: usize = 4;
const EVERY: usize = 16;

#[tokio::main]
async fn main() {
    let path: PathBuf = std::env::args_os().nth(1).expect("where to write the dictionary").into();
    let (mut samples, mut others) = (Vec::new(), Vec::new());
    for source in TRAINING {
        let recording = source.record().await;
        samples.extend(recording.orders.iter().map(|rows| packed(&recording.batch(rows.clone()))));
        let rows = recording.history.clone().step_by(EVERY);
        others.extend(rows.map(|row| packed(&recording.batch(row..recording.history.end.min(row + ROWS)))));
        println!("{:?}: {} log rows", source.menu, recording.frames.len());
    }
    samples.append(&mut others);
    println!("{} samples, {} bytes", samples.len(), samples.iter().map(Vec::len).sum::<usize>());
    let dictionary = zstd::dict::from_samples(&samples, SIZE).unwrap();
    std::fs::write(&path, &dictionary).unwrap();
    println!("{} bytes in {}; built in already, beside none:", dictionary.len(), path.display());
    for source in [HELD_OUT, HELD_OUT_RICH, HELD_OUT_SAMPLE] {
        let held_out = source.record().await;
        for with in [Dictionary::NEWEST, Dictionary::NONE] {
            let (alone, backlog) = (held_out.alone(with), held_out.in_backlog(with));
            println!("{:?}: an order alone {alone:.0} bytes, in a backlog {backlog:.0}", source.menu);
        }
    }
}

/// What a block holds before compression.
fn packed(batch: &Batch) -> Vec<u8> {
    let body = encode_with(batch, Dictionary::NONE).unwrap();
    // Two hashes (one of them half), a length and the dictionary's number stand before it.
    let (_, block) = body.split_at(16 + 4 + 1 + 8);
    zstd::bulk::decompress(block, 1 << 24).unwrap()
}
