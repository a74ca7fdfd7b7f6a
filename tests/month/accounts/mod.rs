//! A chain's books kept by hand: two houses of one company in two states, one of them with tax in its prices, and a third under the
//! composition scheme, over the end of two months and of the fiscal year. Whatever the branches and head office say of it, on either
//! store, has to be what the books say, to the cent. `TIFFIN_MONTH_SEED` draws other days.

mod arithmetic;
mod assistant;
mod chain;
mod channel;
mod figures;
mod ledger;
mod money;
mod orders;
mod returns;
mod script;
mod shop;

use arithmetic::Terms;
use edge::access::Role;
use returns::Range;
use shop::{House, Shop};
use tiffin_tests::{Client, HeadOffice};

/// The end of February, March, the begin of the new fiscal year, and all of it.
const RANGES: [Range<'static>; 4] = [
    Range { from: script::FROM, to: "2027-02-28" },
    Range { from: "2027-03-01", to: "2027-03-31" },
    Range { from: "2027-04-01", to: script::TO },
    Range { from: script::FROM, to: script::TO },
];

/// The months as the assistant is asked of them on 4 April, and what there is of each. What is still open counts on that date, and so in
/// "this month", too: the books know it as open, not as sold.
const MONTHS: [(&str, Range<'static>); 5] = [
    ("in february", RANGES[0]),
    ("in march", RANGES[1]),
    ("last month", RANGES[1]),
    ("from 1 april 2027 to 3 april 2027", RANGES[2]),
    ("from 26 february 2027 to 3 april 2027", RANGES[3]),
];

fn houses() -> [House; 3] {
    let terms = Terms { included: false, untaxed: false, service_bps: 1_000, step: 100, by_operator: false };
    [
        House { code: "BLR1", tax_id: "29AAFCT4512Q1ZS", scheme: "REGULAR", terms, automatic: false },
        House {
            code: "BOM1",
            tax_id: "27AAPFU0939F1ZV",
            scheme: "REGULAR",
            terms: Terms { included: true, service_bps: 500, ..terms },
            automatic: true,
        },
        House {
            code: "MYS1",
            tax_id: "29AAGCB7383J1Z4",
            scheme: "COMPOSITION",
            terms: Terms { untaxed: true, step: 0, ..terms },
            automatic: false,
        },
    ]
}

/// Everything that is said of one house.
async fn check(client: &Client, shop: &Shop) {
    for range in RANGES {
        returns::check(client, &shop.house, &shop.books, range).await;
        figures::check(client, &shop.books, range).await;
    }
}

/// Lets all houses trade, and looks at each.
async fn trade() -> Vec<Shop> {
    let seed = std::env::var("TIFFIN_MONTH_SEED").map_or(1, |text| text.parse().unwrap());
    println!("again with: TIFFIN_MONTH_SEED={seed} cargo nextest run -p tiffin-tests --test month accounts");
    let mut shops = Vec::new();
    for house in houses() {
        let mut shop = Shop::open(house).await;
        script::trade(&mut shop, seed).await;
        let owner = shop.branch.sign_in(Role::Owner);
        check(&owner, &shop).await;
        for (name, range) in MONTHS {
            assistant::check(&owner, &shop.books, name, range).await;
        }
        assert_eq!(owner.get("/orders/invoices/verify").await.expect(200).data()["valid"], true);
        shops.push(shop);
    }
    shops
}

/// What head office says of each house, and of the chain.
async fn at_head_office(hub: &HeadOffice, shops: &[Shop]) {
    hub.clock.set(shops[0].branch.db.env().clock.now());
    for shop in shops {
        let request = hub.request(&hub.code(None).await, Some(&shop.branch.card().await));
        hub.enrol(&request).await.push_all(&shop.branch).await;
        let admin = hub.admin().with_outlet(shop.branch.outlet_id);
        check(&admin, shop).await;
        for date in shop.books.days.keys().filter(|date| (script::FROM..=script::TO).contains(&date.as_str()))
        {
            let close = admin.get(&format!("/day-close/{date}")).await.expect(200).data();
            let own = shop.owner.get(&format!("/day-close/{date}")).await.expect(200).data();
            assert_eq!(close, own, "the close of {date} at {}", shop.house.code);
        }
    }
    for range in RANGES {
        chain::check(&hub.admin(), shops, range).await;
    }
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn the_books_of_a_chain_agree_to_the_cent_at_the_branches_and_at_head_office() {
    let shops = trade().await;
    at_head_office(&HeadOffice::start().await.without_workers(), &shops).await;
    at_head_office(&HeadOffice::on_postgres().await.without_workers(), &shops).await;
}
