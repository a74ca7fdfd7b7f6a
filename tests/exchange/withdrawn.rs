//! A box whose key head office has withdrawn: it says on every page and in its status that it is no longer the branch's, hears all the same
//! who was dismissed, and is the branch's again with a new key. Nothing else is told to it.

use crate::numbers::{alike, all_of, level, sell};
use crate::office::Place;
use crate::put_back::{EMAIL, News, may_sign_in, until};
use crate::site::Site;
use tiffin_tests::postgres::Database;

async fn withdrawn(database: Option<Database>) {
    let folder = tempfile::tempdir_in(env!("CARGO_TARGET_TMPDIR")).unwrap();
    let place = Place::make(folder.path(), database.as_ref().map(|database| database.url.clone()));
    let hub = place.serve().await;
    let admin = hub.admin().await;
    let mut site = Site::join(folder.path(), 11, &hub, &admin).await;
    site.wait_until_confirmed().await;
    let news = News::prepare(&admin, &site).await;
    let mut sales = sell(&site, 2).await;
    site.wait_until_confirmed().await;
    let key = std::fs::read_to_string(site.data.join("secrets/hub.key")).unwrap();

    admin.delete(&format!("/hub/enrolments/{}", site.outlet)).await.expect(200);
    sales.extend(sell(&site, 1).await);
    until("it knows", async || site.exchange().await["standing"] == "REVOKED").await;
    let page = reqwest::get(format!("{}/", site.base())).await.unwrap().text().await.unwrap();
    assert!(page.contains("no longer the branch"), "{page}");

    // Dismissed at head office, and dear at head office: the one is heard, the other is not.
    assert!(may_sign_in(&site).await);
    let items = "SELECT count(*) FROM menu_items WHERE price_cents = 77700";
    news.raise_and_close(&admin).await;
    site.kill();
    site.start().await;
    until("the waiter is shut out", async || !may_sign_in(&site).await).await;
    assert_eq!(site.exchange().await["standing"], "REVOKED");
    assert_eq!(crate::put_back::number(&site, items), 0, "a box without a key learns nothing else");

    // Whoever has the old key is told who was dismissed, and nothing of anybody.
    let key = key.split(['"', '\n', ' ']).find(|word| word.starts_with("tfk_")).unwrap();
    let ask = async |path: &str| {
        let asked = reqwest::Client::new().get(format!("{}/sync/v1/{path}", hub.base())).bearer_auth(key);
        asked.send().await.unwrap()
    };
    for path in ["pull?feed=0", "snapshot?phase=A", "papers"] {
        assert_eq!(ask(path).await.status(), 401, "{path}");
    }
    let told = ask("dismissed").await;
    assert_eq!(told.status(), 200);
    let told = told.text().await.unwrap();
    assert!(told.contains("changes") && !told.contains(EMAIL), "{told}");
    let changes: serde_json::Value = serde_json::from_str(&told).unwrap();
    assert_eq!(changes["changes"].as_array().unwrap().len(), 1, "{told}");

    // A new key, and it is the branch's again: nothing it sold meanwhile is lost.
    site.enrol(&admin, false).await;
    until("it is the branch's again", async || site.exchange().await["standing"] == "NORMAL").await;
    until("all the news arrive", async || crate::put_back::number(&site, items) == 1).await;
    sales.extend(sell(&site, 1).await);
    let money = level(&place, &mut site, sales.len()).await;
    assert_eq!((money.orders, money.payments), (all_of(&sales), all_of(&sales)));
    assert!(!may_sign_in(&site).await);
    alike(&place, &site).await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_box_whose_key_was_withdrawn_says_so_and_hears_of_dismissed_staff_on_files() {
    withdrawn(None).await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_box_whose_key_was_withdrawn_says_so_and_hears_of_dismissed_staff_on_postgresql() {
    withdrawn(Some(Database::new())).await;
}
