//! Settings of outlets: published by group, now and later, to one and to many; refused where a branch would refuse them; decided where
//! both ends edited.

use crate::site::{Site, progress};
use edge::access::Role;
use serde_json::{Value, json};
use tiffin_common::Uuid;
use tiffin_tests::{Client, HeadOffice};

const HOUR: i64 = 3_600_000;

/// A group of an outlet's settings, as head office shows them.
async fn group(hub: &Client, outlet: Uuid, name: &str) -> Value {
    let shown = hub.get(&format!("/hub/outlets/{outlet}/settings")).await.expect(200).data();
    let groups = shown["groups"].as_array().unwrap();
    groups.iter().find(|group| group["group"] == name).unwrap_or_else(|| panic!("{shown}")).clone()
}

async fn publish(hub: &Client, outlet: Uuid, body: Value) -> String {
    let done = hub.patch(&format!("/hub/outlets/{outlet}/settings"), body).await.expect(200);
    assert_eq!(done.data()["kind"], "SETTINGS");
    done.header("x-publication-id").to_owned()
}

/// The branch's own outlet, as its owner sees it.
async fn own(site: &Site) -> Value {
    site.owner.get(&format!("/outlets/{}", site.outlet)).await.expect(200).data()
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn settings_of_a_group_arrive_and_are_seen_to() {
    let hub = HeadOffice::start().await;
    let admin = hub.admin();
    let mut site = Site::open(&hub, "BLR1").await;
    let before = own(&site).await;
    let guests = group(&admin, site.outlet, "GUESTS").await;
    assert_eq!(guests["inForce"]["holdCourses"], false);
    assert_eq!((&guests["isArrived"], &guests["pending"]), (&json!(true), &json!([])));

    let body = json!({"group": "GUESTS", "settings": {"holdCourses": true, "scheduleLeadMinutes": 25}});
    let publication = publish(&admin, site.outlet, body).await;
    progress(&admin, &publication, site.outlet, "DELIVERED").await;
    let guests = group(&admin, site.outlet, "GUESTS").await;
    assert_eq!(
        (&guests["inForce"]["holdCourses"], &guests["wanted"]["holdCourses"]),
        (&json!(false), &json!(true))
    );
    assert_eq!(guests["isArrived"], false);
    let pending = &guests["pending"][0];
    assert_eq!(pending["settings"], json!({"holdCourses": true, "scheduleLeadMinutes": 25}));
    assert_eq!((&pending["publicationId"], &pending["state"]), (&json!(publication), &json!("DELIVERED")));

    site.until("SELECT hold_courses FROM outlets", 1).await;
    progress(&admin, &publication, site.outlet, "EFFECTIVE").await;
    let now = own(&site).await;
    assert_eq!((&now["holdCourses"], &now["scheduleLeadMinutes"]), (&json!(true), &json!(25)));
    for same in ["name", "till", "taxScheme", "guestDataDays", "shiftTimes", "currency"] {
        assert_eq!(now[same], before[same], "{same}");
    }
    let guests = group(&admin, site.outlet, "GUESTS").await;
    assert_eq!((&guests["isArrived"], &guests["pending"]), (&json!(true), &json!([])));
    assert_eq!(guests["inForce"]["scheduleLeadMinutes"], 25);
    let shown = admin.get(&format!("/hub/publications/{publication}")).await.expect(200).data();
    assert_eq!(shown["changes"]["shown"][0]["name"], "GUESTS");
    assert_eq!(shown["changes"]["shown"][0]["columns"]["hold_courses"]["to"], 1);

    // A part of what lies in another setting, and what is to be empty.
    site.owner.patch(&format!("/outlets/{}", site.outlet), json!({"phone": "080 1"})).await.expect(200);
    site.push().await;
    let charge = json!({"group": "TAX", "settings": {"serviceCharge": {"bps": 700}}});
    publish(&admin, site.outlet, charge).await;
    publish(&admin, site.outlet, json!({"group": "HOUSE", "settings": {"phone": null}})).await;
    site.until("SELECT service_charge_bps + (phone IS NULL) FROM outlets", 701).await;
    let charge = own(&site).await["serviceCharge"].clone();
    assert_eq!(
        (&charge["bps"], &charge["orderTypes"]),
        (&json!(700), &before["serviceCharge"]["orderTypes"])
    );
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn many_outlets_at_once_each_keep_the_rest_of_their_own() {
    let hub = HeadOffice::start().await;
    let admin = hub.admin();
    let mut first = Site::open(&hub, "BLR1").await;
    let mut second = Site::open(&hub, "BLR2").await;
    let mut third = Site::open(&hub, "BLR3").await;
    let grace = json!({"voidGraceSeconds": 10});
    second.owner.patch(&format!("/outlets/{}", second.outlet), grace).await.expect(200);
    second.push().await;
    let body = json!({"group": "TILL", "settings": {"waitersTakePayments": true}});
    let all = admin.patch("/hub/settings", body).await.expect(200).data();
    assert_eq!(all["outlets"].as_array().unwrap().len(), 3, "{all}");
    for site in [&mut first, &mut second, &mut third] {
        site.until("SELECT waiters_take_payments FROM outlets", 1).await;
    }
    assert_eq!(own(&second).await["voidGraceSeconds"], 10);

    let some = json!({"group": "STORE", "outletIds": [first.outlet, third.outlet], "settings": {"stockPolicy": "BLOCK"}});
    let some = admin.patch("/hub/settings", some).await.expect(200).data();
    assert_eq!(some["outlets"].as_array().unwrap().len(), 2, "{some}");
    for site in [&mut first, &mut third] {
        site.until("SELECT count(*) FROM outlets WHERE stock_policy = 'BLOCK'", 1).await;
    }
    second.pull().await;
    assert_eq!(own(&second).await["stockPolicy"], "ALLOW_NEGATIVE");
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_branch_that_is_offline_goes_by_them_on_time_and_one_can_be_taken_back() {
    let hub = HeadOffice::start().await;
    let admin = hub.admin();
    let mut site = Site::open(&hub, "BLR1").await;
    let at = "2026-11-20T14:30:00.000Z";
    let later = json!({"group": "STAFF", "effectiveAt": at, "settings": {"attendance": {"graceMinutes": 15, "maxBreakMinutes": 45}}});
    let later = publish(&admin, site.outlet, later).await;
    let never = json!({"group": "GUESTS", "effectiveAt": at, "settings": {"guestDataDays": 30}});
    let never = publish(&admin, site.outlet, never).await;
    site.until("SELECT count(*) FROM sync_scheduled", 2).await;
    progress(&admin, &later, site.outlet, "ARRIVED").await;
    let staff = group(&admin, site.outlet, "STAFF").await;
    assert_eq!(staff["pending"][0]["effectiveAt"], at);
    assert_eq!(staff["pending"][0]["settings"]["attendance"]["graceMinutes"], 15);
    assert_eq!(
        (&staff["isArrived"], &staff["inForce"]["attendance"]["graceMinutes"]),
        (&json!(true), &json!(5))
    );
    admin.post(&format!("/hub/publications/{never}/cancel"), json!({})).await.expect(200);
    site.until("SELECT count(*) FROM sync_scheduled WHERE applied_at IS NULL", 1).await;

    hub.pass(2 * HOUR);
    site.branch.pass(2 * HOUR);
    site.chores().await;
    let now = own(&site).await;
    assert_eq!(now["attendance"], json!({"graceMinutes": 15, "maxBreakMinutes": 45}), "by its own clock");
    assert_eq!(now["guestDataDays"], 365);
    site.push().await;
    site.pull().await;
    site.push().await;
    progress(&admin, &later, site.outlet, "EFFECTIVE").await;
    progress(&admin, &never, site.outlet, "CANCELLED").await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn settings_edited_at_both_ends_are_a_conflict_with_both_values() {
    let hub = HeadOffice::start().await;
    let admin = hub.admin();
    let mut site = Site::open(&hub, "BLR1").await;
    let local = format!("/outlets/{}", site.outlet);
    // Neither knows of the other; what only those on the spot know is theirs, taxes are head office's.
    site.owner.patch(&local, json!({"holdCourses": true, "cashRoundingCents": 50})).await.expect(200);
    let guests = json!({"group": "GUESTS", "settings": {"holdCourses": false, "guestDataDays": 90}});
    publish(&admin, site.outlet, guests).await;
    publish(&admin, site.outlet, json!({"group": "TAX", "settings": {"cashRoundingCents": 100}})).await;
    let both = json!({"group": "GUESTS", "settings": {"scheduleLeadMinutes": 5}});
    let last = publish(&admin, site.outlet, both).await;
    progress(&admin, &last, site.outlet, "DELIVERED").await;
    site.push().await;
    site.until("SELECT cash_rounding_cents FROM outlets", 100).await;
    site.until("SELECT guest_data_days FROM outlets", 90).await;
    let now = own(&site).await;
    assert_eq!((&now["holdCourses"], &now["scheduleLeadMinutes"]), (&json!(true), &json!(5)));

    let list = admin.get("/hub/conflicts").await.expect(200).json();
    let conflicts = list["data"].as_array().unwrap();
    let about = |group: &str| {
        conflicts.iter().find(|one| one["columns"] == group).unwrap_or_else(|| panic!("{list}"))
    };
    let tax = about("tax");
    assert_eq!((&tax["table"], &tax["winner"]), (&json!("outlets"), &json!("HEAD_OFFICE")));
    assert_eq!(tax["branch"]["values"]["cash_rounding_cents"], 50);
    assert_eq!(tax["headOffice"]["values"]["cash_rounding_cents"], 100);
    let shown = admin.get(&format!("/hub/outlets/{}/settings", site.outlet)).await.expect(200).data();
    assert_eq!(shown["conflicts"], list["meta"]["total"]);
    admin
        .post(&format!("/hub/conflicts/{}/restore", tax["id"].as_str().unwrap()), json!({}))
        .await
        .expect(200);
    site.until("SELECT cash_rounding_cents FROM outlets", 50).await;

    // Who knew of head office's value and sets another has the last word.
    site.owner.patch(&local, json!({"guestDataDays": 400})).await.expect(200);
    site.push().await;
    let guests = group(&admin, site.outlet, "GUESTS").await;
    assert_eq!((&guests["wanted"]["guestDataDays"], &guests["isArrived"]), (&json!(400), &json!(true)));
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn what_a_branch_would_refuse_is_refused_and_leaves_nothing() {
    let hub = HeadOffice::start().await;
    let admin = hub.admin();
    let site = Site::open(&hub, "BLR1").await;
    let other = Site::open(&hub, "BLR2").await;
    let path = format!("/hub/outlets/{}/settings", site.outlet);
    let wrong = async |body: Value| {
        admin.patch(&path, body).await.refused(422, "PAYLOAD_VALIDATION").invalid_fields()
    };
    let of_tax = |settings: Value| json!({"group": "TAX", "settings": settings});
    assert_eq!(wrong(of_tax(json!({"taxId": "nonsense"}))).await, ["settings.taxId"]);
    assert_eq!(wrong(of_tax(json!({"cashRoundingCents": -1}))).await, ["settings.cashRoundingCents"]);
    assert_eq!(wrong(of_tax(json!({"blindCount": true}))).await, ["settings.blindCount"]);
    assert_eq!(wrong(of_tax(json!({"currency": "GBP"}))).await, ["settings.currency"]);
    assert_eq!(wrong(of_tax(json!({}))).await, ["settings"]);
    let till = json!({"till": {"ageing": {"warnMinutes": 30, "lateMinutes": 20}}});
    assert_eq!(wrong(json!({"group": "TILL", "settings": till})).await, ["settings.till.ageing.lateMinutes"]);
    let past = json!({"group": "GUESTS", "settings": {"holdCourses": true}, "effectiveAt": "2020-01-01T00:00:00.000Z"});
    assert_eq!(wrong(past).await, ["effectiveAt"]);
    let body = json!({"group": "GUESTS", "settings": {"holdCourses": true}});
    hub.sign_in(Role::Waiter, &[site.outlet]).patch(&path, body.clone()).await.expect(403);
    let stranger = hub.sign_in(Role::Owner, &[other.outlet]);
    stranger.patch(&path, body.clone()).await.refused(404, "NOT_FOUND");
    stranger.get(&path).await.refused(404, "NOT_FOUND");
    let theirs = json!({"group": "GUESTS", "settings": {"holdCourses": true}, "outletIds": [site.outlet]});
    stranger.patch("/hub/settings", theirs).await.refused(403, "INVALID_OUTLET_SCOPE");
    assert_eq!(admin.get("/hub/publications").await.expect(200).json()["meta"]["total"], 0);
    // All that one has are one's own.
    let mine = stranger.patch("/hub/settings", body).await.expect(200).data();
    assert_eq!(mine["outlets"].as_array().unwrap().len(), 1, "{mine}");
}
