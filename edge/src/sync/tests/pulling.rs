//! Head office's rows at the branch: parents before children, names that collide, own edits that wait, what takes effect later.

use super::hub::packed;
use super::*;
use tiffin_common::Clock;
use tiffin_common::frame::{Body, Kind, OpKind, Value};
use tiffin_common::sync::ScheduledRow;

const NOW: Value<'static> = Value::Integer(1_763_640_000_000);

fn category(outlet: Uuid, id: u128, name: &str) -> Vec<u8> {
    let id = Uuid::from_u128(id);
    let columns = [
        ("outlet_id", Value::Id(outlet)),
        ("name", Value::Text(name)),
        ("sort_order", Value::Integer(0)),
        ("is_active", Value::Integer(1)),
        ("version", Value::Integer(1)),
        ("created_at", NOW),
        ("updated_at", NOW),
    ];
    packed("menu_categories", OpKind::Insert, id, &columns)
}

fn dish(outlet: Uuid, id: u128, category: u128, name: &str, price: i64) -> Vec<u8> {
    let columns = [
        ("outlet_id", Value::Id(outlet)),
        ("category_id", Value::Id(Uuid::from_u128(category))),
        ("name", Value::Text(name)),
        ("price_cents", Value::Integer(price)),
        ("version", Value::Integer(1)),
        ("created_at", NOW),
        ("updated_at", NOW),
    ];
    packed("menu_items", OpKind::Insert, Uuid::from_u128(id), &columns)
}

/// The outlet's own row, without which a list of all rows is none.
fn outlet_card(outlet: Uuid) -> Vec<u8> {
    let columns = [("code", Value::Text("BLR1")), ("name", Value::Text("New"))];
    packed("outlets", OpKind::Insert, outlet, &columns)
}

#[tokio::test]
async fn rows_come_in_any_order_and_are_logged_whole_with_their_version() {
    let mut stage = Stage::new();
    let outlet = stage.fixture.outlet_id;
    stage.push(9).await;
    // The dish changed before its category did.
    stage.hub.feed(dish(outlet, 20, 10, "Thali", 100));
    stage.hub.feed(category(outlet, 10, "Mains"));
    let revision = "SELECT coalesce(max(revision), 0) FROM menu_revision";
    let before = stage.fixture.number(revision);
    stage.pull().await;
    assert_eq!(stage.fixture.number("SELECT count(*) FROM menu_items WHERE name = 'Thali'"), 1);
    assert!(stage.fixture.number(revision) > before, "the menu is another");
    assert_eq!(stage.fixture.number("SELECT feed FROM sync_peer"), 2);
    stage.push(9).await;
    stage.assert_equal_logs();
    let frames = stage.hub.frames();
    let pulled: Vec<_> = frames.iter().filter(|frame| frame.header.kind == Kind::Pulled).collect();
    assert_eq!((pulled.len(), pulled[0].header.count), (1, 2));
    // Nothing new: nothing is written, whatever is asked.
    let rows = stage.fixture.number("SELECT max(seq) FROM sync_log");
    stage.pull().await;
    assert_eq!(stage.fixture.number("SELECT max(seq) FROM sync_log"), rows);
    // And no proposal came of it.
    assert_eq!(stage.fixture.number("SELECT count(*) FROM sync_log WHERE kind = 5 AND seq > 4"), 0);
}

#[tokio::test]
async fn names_may_be_swapped_and_one_that_is_taken_gives_way_as_an_edit_of_the_branch() {
    let mut stage = Stage::new();
    let outlet = stage.fixture.outlet_id;
    stage.hub.feed(category(outlet, 10, "Mains"));
    stage.hub.feed(category(outlet, 11, "Sides"));
    stage.push(9).await;
    stage.pull().await;
    stage.hub.feed(category(outlet, 10, "Sides"));
    stage.hub.feed(category(outlet, 11, "Mains"));
    stage.pull().await;
    let named = |stage: &Stage, name: &str| {
        stage.fixture.number(&format!("SELECT count(*) FROM menu_categories WHERE name = '{name}'"))
    };
    assert_eq!((named(&stage, "Sides"), named(&stage, "Mains")), (1, 1));
    assert_eq!(stage.fixture.number("SELECT count(*) FROM sync_reviews"), 0);
    // The branch has one of that name, which head office has not heard of.
    stage
        .fixture
        .write(|tx, actor| create_category(tx, actor, CategoryDraft::named("Specials", 0)))
        .map_err(|error| error.to_string())
        .unwrap();
    stage.push(9).await;
    stage.hub.feed(category(outlet, 12, "Specials"));
    stage.hub.feed(category(outlet, 13, "Drinks"));
    stage.pull().await;
    assert_eq!(
        (named(&stage, "Specials"), named(&stage, "Specials (2)"), named(&stage, "Drinks")),
        (1, 1, 1)
    );
    assert_eq!(stage.fixture.number("SELECT count(*) FROM sync_reviews WHERE reason = 'NAME_TAKEN'"), 1);
    assert_eq!(stage.fixture.number("SELECT count(*) FROM sync_proposals"), 1, "the new name is proposed");
}

#[tokio::test]
async fn a_row_nobody_can_place_never_blocks_the_others() {
    let mut stage = Stage::new();
    let outlet = stage.fixture.outlet_id;
    stage.push(9).await;
    stage.hub.feed(dish(outlet, 20, 999, "Orphan", 100));
    stage.hub.feed(category(outlet, 10, "Mains"));
    stage.pull().await;
    assert_eq!(stage.fixture.number("SELECT count(*) FROM menu_categories WHERE name = 'Mains'"), 1);
    assert_eq!(stage.fixture.number("SELECT count(*) FROM sync_reviews WHERE reason = 'REFUSED'"), 1);
    assert_eq!(stage.fixture.number("SELECT feed FROM sync_peer"), 2);
}

async fn edited_on_both_sides(bugs: Bugs) -> (Stage, i64, i64) {
    let mut stage = Stage::with(bugs);
    let outlet = stage.fixture.outlet_id;
    stage.hub.feed(category(outlet, 10, "Mains"));
    stage.push(9).await;
    stage.pull().await;
    stage.push(9).await;
    let decided = stage.fixture.number("SELECT max(seq) FROM sync_log");
    stage.hub.state.lock().unwrap().decided_to = Some(decided);
    run_sql(&stage.fixture.db, "UPDATE menu_categories SET name = 'Own' WHERE name = 'Mains'");
    stage.hub.feed(category(outlet, 14, "Before"));
    stage.hub.feed(category(outlet, 10, "Theirs"));
    stage.hub.feed(category(outlet, 15, "After"));
    stage.pull().await;
    let own = stage.fixture.number("SELECT count(*) FROM menu_categories WHERE name = 'Own'");
    let feed = stage.fixture.number("SELECT feed FROM sync_peer");
    (stage, own, feed)
}

#[tokio::test]
async fn an_own_edit_is_not_overwritten_before_head_office_has_decided() {
    let (mut stage, own, feed) = edited_on_both_sides(Bugs::default()).await;
    assert_eq!((own, feed), (1, 2), "it stays, and the feed is asked for from there");
    assert_eq!(stage.fixture.number("SELECT count(*) FROM menu_categories WHERE name = 'Before'"), 1);
    assert_eq!(stage.fixture.number("SELECT count(*) FROM menu_categories WHERE name = 'After'"), 0);
    stage.push(9).await;
    stage.hub.state.lock().unwrap().decided_to = None;
    stage.pull().await;
    assert_eq!(stage.fixture.number("SELECT count(*) FROM menu_categories WHERE name = 'Theirs'"), 1);
    assert_eq!(stage.fixture.number("SELECT count(*) FROM sync_proposals"), 0);
    assert_eq!(stage.fixture.number("SELECT feed FROM sync_peer"), 4);
    // A head office that forgets what it sent knows by them what it was.
    let frames = stage.hub.frames();
    let told = frames.iter().filter_map(|frame| match Body::decode(&frame.header, &frame.body) {
        Ok(Body::Pulled { feed, .. }) => Some(feed),
        _ => None,
    });
    assert_eq!(told.collect::<Vec<_>>(), [1, 2], "each part with its own version");
}

#[tokio::test]
async fn a_part_of_the_feed_ends_before_what_cannot_be_written_without_the_rest() {
    let mut stage = Stage::new();
    let outlet = stage.fixture.outlet_id;
    stage.hub.feed(category(outlet, 10, "Mains"));
    stage.push(9).await;
    stage.pull().await;
    stage.push(9).await;
    let decided = stage.fixture.number("SELECT max(seq) FROM sync_log");
    stage.hub.state.lock().unwrap().decided_to = Some(decided);
    run_sql(&stage.fixture.db, "UPDATE menu_categories SET name = 'Own' WHERE name = 'Mains'");
    stage.hub.feed(category(outlet, 14, "Before"));
    stage.hub.feed(dish(outlet, 20, 15, "Thali", 100));
    stage.hub.feed(category(outlet, 10, "Theirs"));
    stage.hub.feed(category(outlet, 15, "After"));
    stage.pull().await;
    assert_eq!(stage.fixture.number("SELECT feed FROM sync_peer"), 2, "the dish waits for its category");
    assert_eq!(stage.fixture.number("SELECT count(*) FROM sync_reviews"), 0, "nobody is asked about it");
    stage.push(9).await;
    stage.hub.state.lock().unwrap().decided_to = None;
    stage.pull().await;
    assert_eq!(stage.fixture.number("SELECT feed FROM sync_peer"), 5);
    assert_eq!(stage.fixture.number("SELECT count(*) FROM menu_items WHERE name = 'Thali'"), 1);
}

// A release has no switches.
#[cfg(debug_assertions)]
#[tokio::test]
async fn the_known_bugs_of_pulling_are_seen_when_they_are_put_back() {
    let (_, own, _) = edited_on_both_sides(Bugs { pull_overwrites_pending: true, ..Bugs::default() }).await;
    assert_eq!(own, 0, "the own edit is gone before anybody decided");
    let (_, own, feed) = edited_on_both_sides(Bugs { pull_past_pending: true, ..Bugs::default() }).await;
    assert_eq!((own, feed), (1, 4), "the row that was skipped will never come again");
}

#[tokio::test]
async fn after_a_reset_what_head_office_does_not_list_is_gone_unless_it_has_not_heard_of_it() {
    let mut stage = Stage::new();
    let outlet = stage.fixture.outlet_id;
    stage.hub.feed(category(outlet, 10, "Mains"));
    stage.hub.feed(category(outlet, 11, "Sides"));
    stage.push(9).await;
    stage.pull().await;
    stage.push(9).await;
    {
        let mut state = stage.hub.state.lock().unwrap();
        state.reset = true;
        state.feed.retain(|(feed, _)| *feed != 2);
    }
    let count = "SELECT count(*) FROM menu_categories";
    stage.pull().await;
    stage.push(9).await;
    stage.pull().await;
    assert_eq!(stage.fixture.number(count), 2, "a list without the outlet is no list");
    stage.hub.feed(outlet_card(outlet));
    stage.hub.state.lock().unwrap().decided_to = Some(0);
    run_sql(&stage.fixture.db, "UPDATE menu_categories SET name = 'Own' WHERE name = 'Mains'");
    stage.pull().await;
    assert_eq!(stage.fixture.number(count), 2, "it does not know our edit yet");
    stage.push(9).await;
    stage.hub.state.lock().unwrap().decided_to = None;
    stage.pull().await;
    assert_eq!(stage.fixture.number(count), 1);
    assert_eq!(stage.fixture.number("SELECT count(*) FROM outlets WHERE name = 'New' AND timezone <> ''"), 1);
}

/// A price for later of the dish whose id is 20.
fn later(stage: &Stage, id: u128, price: i64) -> ScheduledRow {
    let price = [("price_cents", Value::Integer(price))];
    let op = packed("menu_items", OpKind::Update, Uuid::from_u128(20), &price);
    let op = base64::Engine::encode(&base64::engine::general_purpose::STANDARD, op);
    let effective_at = stage.fixture.clock.now().after(3_600_000);
    ScheduledRow { id: Uuid::from_u128(id), effective_at, op }
}

/// Head office takes a price back, publishes another, and is put back to what it was before; answers whether the branch holds the other
/// before it has greeted, and after.
async fn put_back_before_a_cancel(bugs: Bugs) -> (Stage, [bool; 2]) {
    let mut stage = Stage::with(bugs);
    let outlet = stage.fixture.outlet_id;
    stage.hub.feed(category(outlet, 10, "Mains"));
    stage.hub.feed(dish(outlet, 20, 10, "Thali", 100));
    stage.hub.feed(outlet_card(outlet));
    let (dropped, new) = (later(&stage, 1, 1), later(&stage, 2, 250));
    stage.hub.state.lock().unwrap().scheduled = vec![dropped.clone()];
    stage.push(9).await;
    stage.pull().await;
    stage.hub.state.lock().unwrap().scheduled = vec![new.clone()];
    stage.pull().await;
    stage.push(9).await;
    {
        let mut state = stage.hub.state.lock().unwrap();
        (state.reset, state.epoch, state.scheduled) = (true, Uuid::from_u128(10), vec![dropped.clone()]);
    }
    stage.pull().await;
    let holds_new = "SELECT count(*) FROM sync_scheduled WHERE applied_at IS NULL AND hex(id) LIKE '%02'";
    let before = stage.fixture.number(holds_new) == 1;
    stage.push(9).await;
    // It has heard what the branch holds.
    stage.hub.state.lock().unwrap().scheduled = vec![new];
    stage.pull().await;
    let after = stage.fixture.number(holds_new) == 1;
    (stage, [before, after])
}

#[tokio::test]
async fn a_head_office_that_was_put_back_hears_first_what_it_took_back_and_published() {
    let (mut stage, held) = put_back_before_a_cancel(Bugs::default()).await;
    assert_eq!(held, [true, true], "its list counts once it has heard of ours");
    assert_eq!(stage.hub.state.lock().unwrap().withdrawn, [Uuid::from_u128(1)]);
    assert_eq!(stage.fixture.number("SELECT feed FROM sync_peer"), 3);
    stage.fixture.clock.advance(3_600_000);
    stage.worker.chores_step().await;
    assert_eq!(stage.fixture.number("SELECT price_cents FROM menu_items"), 250);
    // Whatever an older head office lists again: it was taken back once.
    let dropped = later(&stage, 1, 1);
    stage.hub.state.lock().unwrap().scheduled = vec![dropped];
    stage.pull().await;
    assert_eq!(stage.fixture.number("SELECT count(*) FROM sync_scheduled WHERE applied_at IS NULL"), 0);
}

// A release has no switches.
#[cfg(debug_assertions)]
#[tokio::test]
async fn a_list_that_comes_before_the_greeting_drops_what_was_published() {
    let bugs = Bugs { list_before_greeting: true, ..Bugs::default() };
    let (_, held) = put_back_before_a_cancel(bugs).await;
    assert!(!held[0]);
}

#[tokio::test]
async fn what_takes_effect_later_does_so_at_its_time_without_any_link() {
    let mut stage = Stage::new();
    let outlet = stage.fixture.outlet_id;
    stage.hub.feed(category(outlet, 10, "Mains"));
    stage.hub.feed(dish(outlet, 20, 10, "Thali", 100));
    let later = later(&stage, 1, 250);
    stage.hub.state.lock().unwrap().scheduled = vec![later.clone()];
    stage.push(9).await;
    stage.pull().await;
    let price = "SELECT price_cents FROM menu_items";
    stage.worker.chores_step().await;
    assert_eq!(stage.fixture.number(price), 100);
    stage.fixture.clock.advance(3_600_000);
    let asked = stage.hub.state.lock().unwrap().asked.len();
    stage.worker.chores_step().await;
    assert_eq!(stage.fixture.number(price), 250);
    assert_eq!(stage.hub.state.lock().unwrap().asked.len(), asked, "without asking anybody");
    let pulled = "SELECT count(*) FROM sync_log WHERE kind = 7";
    assert_eq!(stage.fixture.number(pulled), 2);
    // Once: though head office lists it until it has done the same.
    stage.pull().await;
    stage.worker.chores_step().await;
    assert_eq!(stage.fixture.number(pulled), 2);
    assert!(stage.fixture.clock.now() >= later.effective_at);
}

#[tokio::test]
async fn a_page_of_a_portal_changes_nothing_and_the_timer_is_armed() {
    let mut stage = Stage::new();
    stage.push(9).await;
    stage.hub.mishap(super::hub::Mishap::Portal);
    let next = stage.worker.pull_step().await;
    assert!(next.after <= Duration::from_secs(60));
    assert_eq!(stage.fixture.number("SELECT feed FROM sync_peer"), 0);
}
