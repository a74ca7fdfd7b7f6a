//! Settings of outlets between real processes: to all at once with one cut off and head office killed on the way, and a branch's own edit
//! meanwhile. Each arrives once, and both values are kept.

use crate::office::Place;
use crate::site::{Site, until};
use serde_json::{Value, json};
use std::sync::Arc;
use tiffin_tests::oracle::Cursors;
use tiffin_tests::postgres::Database;

async fn own(site: &Site) -> Value {
    site.owner().get(&format!("/outlets/{}", site.outlet)).await.expect(200).data()
}

async fn published(database: Option<Database>) {
    let folder = tempfile::tempdir_in(env!("CARGO_TARGET_TMPDIR")).unwrap();
    let place = Place::make(folder.path(), database.as_ref().map(|database| database.url.clone()));
    let mut hub = place.serve().await;
    let admin = hub.admin().await;
    let cursors = Arc::new(Cursors::default());
    let mut near = Site::make(folder.path(), "BLR1", 1, &cursors).await;
    let mut far = Site::make(folder.path(), "BLR2", 2, &cursors).await;
    for site in [&mut near, &mut far] {
        site.proxy.to(&[hub.base()]);
        site.enrol(&admin, false).await;
        site.start().await;
        site.wait_until_confirmed().await;
    }
    until("both have sent their settings", async || {
        let settings = async |site: &Site| {
            let path = format!("/hub/outlets/{}/settings", site.outlet);
            admin.get(&path).await.expect(200).data()["groups"].as_array().unwrap().len()
        };
        (settings(&near).await == 6 && settings(&far).await == 6).then_some(())
    })
    .await;

    // One is cut off and sets a tax of its own; head office sets the same for all, and dies once it has said so.
    far.proxy.network.set_up(false);
    let rounding = |cents: i64| json!({"cashRoundingCents": cents});
    far.owner().patch(&format!("/outlets/{}", far.outlet), rounding(50)).await.expect(200);
    let to_all = json!({"group": "TAX", "settings": rounding(500)});
    let publication = admin.patch("/hub/settings", to_all).await.expect(200).data();
    assert_eq!(publication["outlets"].as_array().unwrap().len(), 2, "{publication}");
    let port = hub.base().rsplit(':').next().unwrap().parse().unwrap();
    hub.kill();
    hub = place.serve_on(port).await;
    let admin = hub.admin().await;
    let path = format!("/hub/publications/{}", publication["id"].as_str().unwrap());
    let progress = async |state: &str, wanted: i64| {
        until(&format!("{state} at {wanted}"), async || {
            let shown = admin.get(&path).await.expect(200).data();
            (shown["progress"][state] == wanted).then_some(())
        })
        .await;
    };
    progress("effective", 1).await;
    progress("delivered", 1).await;
    assert_eq!(own(&near).await["cashRoundingCents"], 500);
    assert_eq!(own(&far).await["cashRoundingCents"], 50);
    far.proxy.network.set_up(true);
    progress("effective", 2).await;
    assert_eq!(own(&far).await["cashRoundingCents"], 500);
    let list = admin.get("/hub/conflicts").await.expect(200).json();
    let values = (
        &list["data"][0]["branch"]["values"]["cash_rounding_cents"],
        &list["data"][0]["headOffice"]["values"]["cash_rounding_cents"],
    );
    assert_eq!((&list["meta"]["total"], values), (&json!(1), (&json!(50), &json!(500))), "{list}");
    let shown = admin.get(&format!("/hub/outlets/{}/settings", far.outlet)).await.expect(200).data();
    let tax = shown["groups"].as_array().unwrap().iter().find(|one| one["group"] == "TAX").unwrap();
    assert_eq!((&tax["isArrived"], &tax["inForce"]["cashRoundingCents"]), (&json!(true), &json!(500)));
    assert_eq!(shown["conflicts"], 1);
}

#[tokio::test(flavor = "multi_thread", worker_threads = 4)]
async fn settings_reach_every_branch_once() {
    published(None).await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 4)]
async fn settings_reach_every_branch_once_from_postgresql() {
    published(Some(Database::new())).await;
}
