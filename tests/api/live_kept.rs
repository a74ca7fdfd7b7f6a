//! `GET /stream` by what is kept: a log of which the oldest rows have gone, and what people are told as their list shows it.

use edge::access::Role;
use edge::db::DbError;
use edge::log::Job;
use serde_json::json;
use tiffin_tests::{Branch, Events, House};

#[tokio::test]
async fn who_was_away_for_longer_than_the_log_is_kept_begins_anew() {
    let branch = Branch::start().await;
    let house = House::open(&branch).await;
    let cashier = branch.sign_in(Role::Cashier);
    let mut stream = Events::open(&cashier, "/stream?topics=orders", None).await;
    assert_eq!(stream.next().await.name, "hello");
    let mut places = Vec::new();
    for quantity in 1..=3 {
        let order = house.place(&cashier, house.counter(&[("Dal", quantity)])).await;
        stream.until(|event| event.data["rowId"] == order["id"]).await;
        places.push(stream.last_id.clone().unwrap());
    }
    drop(stream);
    // Head office has the first of them, and the box lets go of what it has.
    let kept: i64 = places[1].split('.').next().unwrap().parse().unwrap();
    let gone = branch.db.write(move |tx| -> Result<(), DbError> {
        tx.job(Job::Prune, || tx.execute("DELETE FROM sync_log WHERE seq < ?1", [kept]))
    });
    gone.await.unwrap();
    for path in ["/stream?topics=orders", "/kitchen/stream"] {
        let mut late = Events::open(&branch.sign_in(Role::Waiter), path, Some(&places[0])).await;
        assert_eq!(late.next().await.name, "reset", "{path}");
        // It goes on from there.
        let order = house.place(&cashier, house.counter(&[("Dal", 1)])).await;
        let is_it = |data: &serde_json::Value| data.to_string().contains(order["id"].as_str().unwrap());
        late.until(|event| is_it(&event.data)).await;
    }
    let mut in_time = Events::open(&cashier, "/stream?topics=orders", Some(&places[1])).await;
    assert_eq!(in_time.next().await.name, "hello");
}

#[tokio::test]
async fn a_notice_is_told_as_its_list_shows_it_and_once_more_when_it_is_read() {
    let branch = Branch::start().await;
    let house = House::open(&branch).await;
    let waiter = branch.sign_in(Role::Waiter);
    let table = house.owner.get(&format!("/tables/{}", house.table(4))).await.expect(200).data();
    house.place(&waiter, house.at_table(4, &[("Lassi", 1)])).await;
    let mut stream = Events::open(&waiter, "/stream?topics=notifications", None).await;
    assert_eq!(stream.next().await.name, "hello");
    let call = format!("/orders/tables/{}/call", table["qrToken"].as_str().unwrap());
    branch.anonymous().post(&call, json!({"what": "WAITER"})).await.expect(200);
    for is_read in [false, true] {
        let told = stream.until(|event| event.name == "notification").await;
        let listed = waiter.get("/notifications").await.expect(200).data();
        let listed = listed.as_array().unwrap().iter().find(|notice| notice["id"] == told.data["rowId"]);
        assert_eq!(Some(&told.data["data"]), listed);
        assert_eq!(told.data["data"]["readAt"].is_string(), is_read);
        assert!(stream.last_id.is_some() && told.data["id"].is_string(), "{}", told.data);
        let read = format!("/notifications/{}/read", told.data["rowId"].as_str().unwrap());
        waiter.post(&read, json!({})).await.expect(200);
    }
}
