//! Whatever is done, in whatever order: what lines come to is what documents come to is what was paid and is open, and a date that is
//! closed never changes. `PROPTEST_CASES` draws more than CI does.

mod assistant;
mod days;
mod readings;
mod shop;
mod steps;
mod truth;
mod truths;

use proptest::prelude::*;
use shop::Shop;
use steps::{Step, Terms, terms};
use tiffin_common::Clock;

/// Steps between two looks at the readings; at the rows it looks after each.
const OFTEN: usize = 20;

async fn carry_out(terms: &Terms, steps: &[Step]) {
    let mut shop = Shop::open(terms).await;
    let first = shop.today().await;
    for (at, step) in steps.iter().enumerate() {
        // Two things at the same moment would hide which was first.
        shop.branch.pass(1_000);
        shop.take(step).await;
        let broken = truth::broken(&shop).await;
        assert!(broken.is_empty(), "after step {at}, {step:?}: {broken:#?}");
        if at % OFTEN == OFTEN - 1 {
            check(&shop, &first).await;
        }
    }
    check(&shop, &first).await;
    println!("answers by status: {:?}", shop.answers);
    let proof = shop.accountant().get("/orders/invoices/verify").await.expect(200).data();
    assert_eq!(proof["valid"], true, "{proof}");
}

/// Every date from the first on, closed or not.
async fn check(shop: &Shop, first: &str) {
    let today = shop.today().await;
    let first: chrono::NaiveDate = first.parse().unwrap();
    for date in first.iter_days().map(|date| date.to_string()).take_while(|date| *date <= today) {
        truth::of_readings(shop, &date, &today).await;
    }
    let client = shop.accountant();
    for (date, known) in &shop.closed {
        truth::of_close(shop, date).await;
        let now = readings::of_date(&client, date).await;
        assert_eq!(now, *known, "{date} was closed and is another, at {}", shop.branch.clock.now());
    }
}

proptest! {
    #![proptest_config(ProptestConfig {
        cases: if std::env::var_os("PROPTEST_CASES").is_some() { ProptestConfig::default().cases } else { 6 },
        max_shrink_iters: 40,
        ..ProptestConfig::default()
    })]

    #[test]
    fn documents_are_tenders_and_what_is_open_and_a_closed_date_stays(
        terms in terms(), steps in steps::some(),
    ) {
        let runtime = tokio::runtime::Builder::new_multi_thread().worker_threads(2).enable_all().build().unwrap();
        runtime.block_on(carry_out(&terms, &steps.0));
    }
}
