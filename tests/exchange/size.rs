//! What an order takes on the wire, on trade that no dictionary has seen (`tests/corpus` names its seeds).

use tiffin_common::sync::batch::Dictionary;
use tiffin_tests::corpus::{HELD_OUT, HELD_OUT_RICH, HELD_OUT_SAMPLE, Source};

/// Most bytes of an order alone and in a backlog. Every order that is paid has its bill: its text, a hash and a signature of 64 bytes that
/// nothing makes smaller, some 300 bytes. Order and payment come under keys, which takes 45 bytes, 25 in a backlog. The aims of 600 and 300
/// are for orders without a bill.
const CEILINGS: [(Source, f64, f64); 3] =
    [(HELD_OUT, 1_015.0, 566.0), (HELD_OUT_RICH, 1_130.0, 640.0), (HELD_OUT_SAMPLE, 1_042.0, 636.0)];

#[tokio::test(flavor = "multi_thread")]
async fn an_order_stays_within_its_ceiling() {
    for (source, most_alone, most_in_backlog) in CEILINGS {
        let trade = source.record().await;
        let [with, without] = [Dictionary::NEWEST, Dictionary::NONE].map(|by| trade.alone(by));
        let backlog = trade.in_backlog(Dictionary::NEWEST);
        println!("{:?}: alone {with:.0} bytes, in a backlog {backlog:.0}", source.menu);
        assert!(with <= most_alone, "an order of {:?} alone takes {with:.0} bytes", source.menu);
        assert!(backlog <= most_in_backlog, "one of {:?} in a backlog takes {backlog:.0} bytes", source.menu);
        assert!(with < without * 0.8, "the dictionary saves too little: {with:.0} of {without:.0} bytes");
    }
}
