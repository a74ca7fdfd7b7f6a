//! The chain simulator on a small scale, against a head office in this process: every outlet's rows arrive, every digest agrees.

use tiffin_tests::{HeadOffice, chain};

#[tokio::test(flavor = "multi_thread")]
async fn outlets_that_replay_a_day_all_at_once_end_with_equal_digests() {
    let office = HeadOffice::start().await;
    let mut codes = Vec::new();
    for _ in 0..6 {
        codes.push(office.code(None).await);
    }
    println!("{}", chain::run(office.base(), codes, 8).await);
}
