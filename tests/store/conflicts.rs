//! Two editors who did not know of each other: the rule decides, the loser is kept and can be brought back.

use crate::feed::{edit, pull};
use crate::ground::Ground;
use crate::log::{BEGIN, Log, category, delete, insert, new_id, pack, update};
use sync_hub::hub::{Conflict, Edit, Settled};
use tiffin_common::frame::{Op, Value};
use tiffin_common::{Millis, Uuid};

fn item<'a>(outlet: Uuid, id: Uuid, category: Uuid, name: &'a str, price: i64) -> Op<'a> {
    insert(
        "menu_items",
        &[
            ("id", Value::Id(id)),
            ("outlet_id", Value::Id(outlet)),
            ("category_id", Value::Id(category)),
            ("name", Value::Text(name)),
            ("price_cents", Value::Integer(price)),
            ("allergens", Value::Text("[]")),
            ("is_active", Value::Integer(1)),
            ("sort_order", Value::Integer(0)),
            ("version", Value::Integer(1)),
            ("created_at", Value::Integer(BEGIN)),
            ("updated_at", Value::Integer(BEGIN)),
        ],
    )
}

/// A branch with one dish, which head office knows.
async fn kitchen(ground: &Ground) -> (Log, Uuid) {
    let (mut log, group, dish) = (Log::new(ground.outlet), new_id(), new_id());
    log.propose(&[category(ground.outlet, group, "Soups"), item(ground.outlet, dish, group, "Dal", 900)]);
    log.drain(&ground.hub).await.unwrap();
    (log, dish)
}

/// Head office's edit that was made at `made_at` and is put into the feed now.
async fn edit_made(ground: &Ground, made_at: i64, ops: &[Op<'_>]) {
    let changes = pack(ops).bytes().to_vec();
    let made_at = Some(Millis::new(made_at));
    let edit = Edit { changes, editor: "Asha".to_owned(), made_at, ..Edit::default() };
    ground.hub.set_master(ground.outlet, edit).await.unwrap();
}

async fn only(ground: &Ground) -> Conflict {
    let mut all = ground.hub.conflicts(ground.outlet, true, 100).await.unwrap();
    assert_eq!(all.len(), 1, "{all:?}");
    all.remove(0)
}

/// What head office has of a dish: its columns by name.
async fn master(ground: &Ground, dish: Uuid) -> Option<serde_json::Value> {
    let kept: Option<String> = ground.look(|from| {
        let sql = "SELECT hex(row) FROM hub_master WHERE row_id = ?1 AND deleted = 0";
        edge::db::opt(from, sql, [dish], |row| row.get(0))
    });
    let bytes: Vec<u8> = kept?
        .as_bytes()
        .chunks(2)
        .map(|two| u8::from_str_radix(std::str::from_utf8(two).unwrap(), 16).unwrap())
        .collect();
    let op = tiffin_common::frame::Ops::of(&bytes).next().unwrap().unwrap();
    let value = |value: &Value<'_>| match value {
        Value::Integer(integer) => serde_json::Value::from(*integer),
        Value::Text(text) => serde_json::Value::from(*text),
        _ => serde_json::Value::Null,
    };
    let columns = crate::log::table("menu_items").columns;
    Some(
        op.columns
            .iter()
            .map(|(column, v)| (columns[*column].to_owned(), value(v)))
            .collect::<serde_json::Map<_, _>>()
            .into(),
    )
}

every_store! {
    async fn head_office_wins_a_price_and_the_branchs_is_kept(ground) {
        let (mut log, dish) = kitchen(ground).await;
        edit(ground, &[update("menu_items", dish, &[("price_cents", Value::Integer(1_000))])]).await;
        // The branch, which has not pulled, changes price and place on the screen.
        log.propose(&[update("menu_items", dish, &[("price_cents", Value::Integer(950)), ("sort_order", Value::Integer(3)), ("version", Value::Integer(2))])]);
        log.drain(&ground.hub).await.unwrap();
        let conflict = only(ground).await;
        assert!(conflict.head_office_won && conflict.policy == "HQ_WINS" && conflict.group == "price");
        assert_eq!(conflict.head_office.unwrap()["price_cents"], 1_000);
        assert_eq!(conflict.branch.unwrap()["price_cents"], 950);
        assert_eq!(conflict.head_office_by.as_deref(), Some("Asha"));
        let row = master(ground, dish).await.unwrap();
        assert_eq!((&row["price_cents"], &row["sort_order"]), (&1_000.into(), &3.into()));
        assert!(row["version"].as_i64() > Some(2), "newer than both sides: {row}");
        assert_eq!(pull(ground, None).await.rows.len(), 1, "the branch hears of it");

        let edited = ground.hub.settle(ground.outlet, conflict.id, "Asha".to_owned(), Settled::Restored).await.unwrap();
        assert_eq!(edited.changed, 1);
        assert_eq!(master(ground, dish).await.unwrap()["price_cents"], 950);
        assert!(ground.hub.conflicts(ground.outlet, true, 9).await.unwrap().is_empty());
        assert!(ground.hub.settle(ground.outlet, conflict.id, "Asha".to_owned(), Settled::Dismissed).await.is_err());
    }

    async fn an_edit_that_knew_of_the_other_is_no_conflict(ground) {
        let (mut log, dish) = kitchen(ground).await;
        let edited = edit(ground, &[update("menu_items", dish, &[("price_cents", Value::Integer(1_000))])]).await;
        log.pulled(edited.feed, &[]);
        log.propose(&[update("menu_items", dish, &[("price_cents", Value::Integer(950))])]);
        log.drain(&ground.hub).await.unwrap();
        assert!(ground.hub.conflicts(ground.outlet, false, 9).await.unwrap().is_empty());
        assert_eq!(master(ground, dish).await.unwrap()["price_cents"], 950);
        assert_eq!(ground.hub.standings(ground.outlet).await.unwrap().arrived, edited.feed);
    }

    async fn the_branch_wins_its_kitchen_and_the_later_edit_a_name(ground) {
        let (mut log, dish) = kitchen(ground).await;
        // Head office edits an hour before the branch does, by the logical clock of both.
        edit(ground, &[update("menu_items", dish, &[("prep_minutes", Value::Integer(10)), ("name", Value::Text("Dal fry"))])]).await;
        for _ in 0..3 {
            log.propose(&[update("menu_items", dish, &[("prep_minutes", Value::Integer(20)), ("name", Value::Text("Dal tadka"))])]);
        }
        log.drain(&ground.hub).await.unwrap();
        let all = ground.hub.conflicts(ground.outlet, true, 9).await.unwrap();
        assert_eq!(all.len(), 2, "each once, though the branch said it three times");
        assert!(all.iter().all(|conflict| !conflict.head_office_won));
        let row = master(ground, dish).await.unwrap();
        assert_eq!((&row["prep_minutes"], &row["name"]), (&20.into(), &"Dal tadka".into()));
    }

    async fn what_is_deleted_stays_deleted(ground) {
        let (mut log, dish) = kitchen(ground).await;
        edit(ground, &[delete("menu_items", dish)]).await;
        log.propose(&[update("menu_items", dish, &[("price_cents", Value::Integer(950))])]);
        log.drain(&ground.hub).await.unwrap();
        assert!(master(ground, dish).await.is_none());
        let conflict = only(ground).await;
        assert!(conflict.head_office_won && conflict.head_office.is_none());
        assert_eq!(conflict.branch.unwrap()["name"], "Dal", "the whole row, to be brought back");
        let reply = pull(ground, None).await;
        assert_eq!(reply.rows.len(), 1);
        ground.hub.settle(ground.outlet, conflict.id, "Asha".to_owned(), Settled::Restored).await.unwrap();
        assert_eq!(master(ground, dish).await.unwrap()["price_cents"], 950);
    }

    async fn a_dish_the_branch_deleted_is_not_brought_back_by_an_edit(ground) {
        let (mut log, dish) = kitchen(ground).await;
        edit(ground, &[update("menu_items", dish, &[("price_cents", Value::Integer(1_000))])]).await;
        log.propose(&[delete("menu_items", dish)]);
        log.drain(&ground.hub).await.unwrap();
        assert!(master(ground, dish).await.is_none());
        let conflict = only(ground).await;
        assert!(!conflict.head_office_won && conflict.branch.is_none());
        assert_eq!(conflict.head_office.unwrap()["price_cents"], 1_000);
        let late = edit(ground, &[update("menu_items", dish, &[("price_cents", Value::Integer(1_100))])]).await;
        assert_eq!(late.changed, 0);
        assert!(master(ground, dish).await.is_none());
    }

    async fn an_edit_that_comes_late_into_the_feed_knew_no_more_than_when_it_was_made(ground) {
        let (mut log, dish) = kitchen(ground).await;
        log.propose(&[update("menu_items", dish, &[
            ("price_cents", Value::Integer(950)), ("prep_minutes", Value::Integer(20)), ("name", Value::Text("Dal tadka")),
        ])]);
        ground.at(BEGIN + 60_000);
        log.drain(&ground.hub).await.unwrap();
        ground.at(BEGIN + 90_000);
        let ours = [update("menu_items", dish, &[
            ("price_cents", Value::Integer(1_000)), ("prep_minutes", Value::Integer(10)), ("name", Value::Text("Dal fry")),
            ("hsn_sac", Value::Text("2106")),
        ])];
        // Before the branch's, by the logical clock.
        edit_made(ground, BEGIN + 1, &ours).await;
        let all = ground.hub.conflicts(ground.outlet, true, 9).await.unwrap();
        let found = |group: &str| all.iter().find(|conflict| conflict.group == group).unwrap();
        assert_eq!(all.len(), 3, "{all:?}");
        assert!(found("price").head_office_won && !found("kitchen").head_office_won && !found("name").head_office_won);
        for (group, column, ours, theirs) in [
            ("price", "price_cents", serde_json::json!(1_000), serde_json::json!(950)),
            ("kitchen", "prep_minutes", 10.into(), 20.into()),
            ("name", "name", "Dal fry".into(), "Dal tadka".into()),
        ] {
            let conflict = found(group);
            assert_eq!(conflict.head_office.as_ref().unwrap()[column], ours);
            assert_eq!(conflict.branch.as_ref().unwrap()[column], theirs);
            assert_eq!(conflict.head_office_by.as_deref(), Some("Asha"));
        }
        let row = master(ground, dish).await.unwrap();
        assert_eq!((&row["price_cents"], &row["prep_minutes"]), (&1_000.into(), &20.into()));
        assert_eq!((&row["name"], &row["hsn_sac"]), (&"Dal tadka".into(), &"2106".into()), "what nobody else changed is changed");

        // What was known when it was made is no conflict.
        edit_made(ground, BEGIN + 80_000, &[update("menu_items", dish, &[("name", Value::Text("Dal fry"))])]).await;
        assert_eq!(ground.hub.conflicts(ground.outlet, true, 9).await.unwrap().len(), 3);
        assert_eq!(master(ground, dish).await.unwrap()["name"], "Dal fry");
    }

    async fn what_either_deletes_while_the_other_edits_it_stays_deleted_however_late(ground) {
        let (mut log, dish) = kitchen(ground).await;
        log.propose(&[update("menu_items", dish, &[("price_cents", Value::Integer(950))])]);
        ground.at(BEGIN + 60_000);
        log.drain(&ground.hub).await.unwrap();
        edit_made(ground, BEGIN + 1, &[delete("menu_items", dish)]).await;
        assert!(master(ground, dish).await.is_none());
        let conflict = only(ground).await;
        assert!(conflict.head_office_won && conflict.head_office.is_none());
        assert_eq!(conflict.branch.unwrap()["price_cents"], 950);
        ground.hub.settle(ground.outlet, conflict.id, "Asha".to_owned(), Settled::Restored).await.unwrap();
        assert_eq!(master(ground, dish).await.unwrap()["price_cents"], 950);

        let fed = pull(ground, None).await.feed;
        log.pulled(fed, &[]);
        log.propose(&[delete("menu_items", dish)]);
        ground.at(BEGIN + 120_000);
        log.drain(&ground.hub).await.unwrap();
        edit_made(ground, BEGIN + 90_000, &[update("menu_items", dish, &[("price_cents", Value::Integer(1_000))])]).await;
        assert!(master(ground, dish).await.is_none());
        let conflict = only(ground).await;
        assert!(!conflict.head_office_won && conflict.branch.is_none());
        assert_eq!(conflict.head_office.unwrap()["price_cents"], 1_000);
    }

    async fn a_proposal_that_came_before_the_backup_is_not_decided_twice(ground) {
        let (mut log, dish) = kitchen(ground).await;
        log.propose(&[update("menu_items", dish, &[("price_cents", Value::Integer(950))])]);
        log.drain(&ground.hub).await.unwrap();
        edit(ground, &[update("menu_items", dish, &[("price_cents", Value::Integer(1_000))])]).await;
        let before = log.clone();
        let mut old = log.restored(2);
        old.hello(&ground.hub).await;
        old.recovered(before.head(), &[]);
        old.push(&ground.hub, 3, i64::MAX).await.unwrap();
        // The first box is put back; it sends its rows again.
        let mut back = before.restored(before.head().seq);
        back.hello(&ground.hub).await;
        back.recovered(old.head(), &[]);
        back.push(&ground.hub, 3, i64::MAX).await.unwrap();
        assert!(ground.hub.conflicts(ground.outlet, false, 9).await.unwrap().is_empty());
        assert_eq!(master(ground, dish).await.unwrap()["price_cents"], 1_000);
    }
}
