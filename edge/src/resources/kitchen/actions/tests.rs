//! The kitchen, end to end on one store.

use super::*;
use crate::access::Actor;
use crate::config::{Config, Printers, Sources};
use crate::db;
use crate::paper::Row;
use crate::resources::kitchen::rules::{
    Holding, ItemStatus, Move, Progress, StationFields, TicketLine, TicketOrder, TicketStatus, TicketType,
    Verb,
};
use crate::testing::Fixture;
use proptest::prelude::*;
use std::sync::Mutex;

/// Where printers may be, when no setting says otherwise.
fn reach() -> Printers {
    Config::resolve(&Sources::default()).unwrap().printers
}

/// A kitchen with one order's lines as numbers: line n is dish n.
struct Kitchen {
    fixture: Fixture,
    grill: Uuid,
}

fn id(n: u128) -> Uuid {
    Uuid::from_u128(n)
}

fn off(n: u128, quantity: i64) -> Unwanted {
    Unwanted { order_item: id(n), quantity, left: 0, was_made: false, is_handed_over: false }
}

fn line(n: u128, quantity: i64, course: Option<i64>) -> TicketLine<'static> {
    TicketLine {
        order_item_id: id(n),
        menu_item_id: id(n),
        variant_id: None,
        name: "Dosa",
        quantity,
        weight: None,
        modifiers: vec!["extra ghee".into()],
        notes: Some("crisp"),
        seat_number: Some(2),
        course,
        station_id: None,
        combo_name: None,
        prep_minutes: Some(8),
        hold: false,
    }
}

fn order(n: u128) -> TicketOrder<'static> {
    TicketOrder {
        order_id: id(1_000 + n),
        order_number: "BLR1-261120-0001",
        token_number: 1,
        order_type: "DINE_IN",
        table_number: Some("4"),
        business_date: "2026-11-20".parse().unwrap(),
        notes: None,
        holding: Holding::LaterCourses,
        wanted_at: None,
    }
}

fn ignore(_: &Tx<'_>, _: &Actor, _: Uuid, _: Progress) -> db::Result<()> {
    Ok(())
}

impl Kitchen {
    fn new() -> Kitchen {
        let fixture = Fixture::new();
        let grill = StationFields { name: "Grill".into(), ..StationFields::first() };
        let grill = fixture.write(move |tx, actor| create_station(tx, actor, grill, &reach())).unwrap().id;
        Kitchen { fixture, grill }
    }

    fn run<T: Send + 'static>(
        &self,
        change: impl FnOnce(&Tx<'_>, &Actor) -> Result<T, KitchenError> + Send + 'static,
    ) -> T {
        self.fixture.write(change).unwrap()
    }

    fn dispatch(&self, n: u128, lines: Vec<TicketLine<'static>>, kind: TicketType) -> Vec<Uuid> {
        self.run(move |tx, actor| dispatch(tx, actor, &order(n), &lines, kind))
    }

    fn act(&self, ticket: Uuid, verb: Verb) -> Ticket {
        self.run(move |tx, actor| act(tx, actor, ticket, verb, ignore))
    }

    fn ticket(&self, ticket: Uuid) -> Ticket {
        self.run(move |tx, actor| find(tx, actor.outlet_id, ticket))
    }

    fn count(&self, condition: &str) -> i64 {
        self.fixture.number(&format!("SELECT count(*) FROM kitchen_tickets WHERE {condition}"))
    }

    /// Portions that cooks are or were asked for.
    fn portions(&self) -> i64 {
        self.fixture.number(
            "SELECT coalesce(sum(i.quantity), 0) FROM kitchen_ticket_items i JOIN kitchen_tickets t ON t.id = i.ticket_id
             WHERE t.type IN ('NEW', 'ADDITION') AND i.status <> 'CANCELLED'",
        )
    }
}

#[test]
fn the_kitchen_never_gets_it_silently_unknown_station_goes_to_the_default() {
    let k = Kitchen::new();
    let stray = TicketLine { station_id: Some(id(77)), ..line(1, 1, None) };
    let made = k.dispatch(1, vec![stray], TicketType::New);
    let ticket = k.ticket(made[0]);
    assert_eq!((ticket.station_id, ticket.status, ticket.ticket_number), (k.grill, TicketStatus::Queued, 1));
    assert_eq!(ticket.target_ready_at, Some(ticket.created_at.after(8 * 60_000)));
    // An outlet without any station gets one.
    let bare = Fixture::new();
    let made = bare.write(|tx, actor| dispatch(tx, actor, &order(1), &[line(1, 1, None)], TicketType::New));
    assert_eq!(made.unwrap().len(), 1);
    assert_eq!(bare.number("SELECT is_default FROM kitchen_stations"), 1);
}

#[test]
fn an_addition_is_only_the_addition_and_numbers_count_per_station_and_day() {
    let k = Kitchen::new();
    k.dispatch(1, vec![line(1, 2, None)], TicketType::New);
    let added = k.dispatch(1, vec![line(2, 1, None)], TicketType::Addition);
    let ticket = k.ticket(added[0]);
    assert_eq!((ticket.ticket_number, ticket.items.len(), ticket.kind), (2, 1, TicketType::Addition));
    let next_day = TicketOrder { business_date: "2026-11-21".parse().unwrap(), ..order(2) };
    let made = k.run(move |tx, actor| dispatch(tx, actor, &next_day, &[line(3, 1, None)], TicketType::New));
    assert_eq!(k.ticket(made[0]).ticket_number, 1);
}

#[test]
fn a_held_course_waits_until_it_is_fired_once() {
    let k = Kitchen::new();
    let made = k.dispatch(1, vec![line(1, 1, Some(1)), line(2, 1, Some(2))], TicketType::New);
    let (starter, main) = (made[0], made[1]);
    assert_eq!(k.ticket(main).status, TicketStatus::Held);
    k.act(starter, Verb::Serve);
    k.fixture.clock.advance(60_000);
    let fired: Vec<usize> =
        (0..2).map(|_| k.run(|tx, actor| fire(tx, actor, order(1).order_id, Some(2)))).collect();
    assert_eq!(fired, [1, 0]);
    let main = k.ticket(main);
    assert_eq!((main.status, main.fired_at), (TicketStatus::Queued, Some(main.created_at.after(60_000))));
}

#[test]
fn the_order_follows_the_first_start_and_the_last_ready() {
    static TOLD: Mutex<Vec<(Uuid, Progress)>> = Mutex::new(Vec::new());
    fn listen(_: &Tx<'_>, _: &Actor, order: Uuid, progress: Progress) -> db::Result<()> {
        TOLD.lock().unwrap().push((order, progress));
        Ok(())
    }
    let k = Kitchen::new();
    let made = k.dispatch(1, vec![line(1, 1, Some(1)), line(2, 1, Some(2))], TicketType::New);
    let tap = |ticket, verb| drop(k.run(move |tx, actor| act(tx, actor, ticket, verb, listen)));
    let told = || TOLD.lock().unwrap().drain(..).map(|(_, progress)| progress).collect::<Vec<_>>();
    tap(made[0], Verb::Ack);
    assert_eq!(told(), []);
    tap(made[0], Verb::Start);
    tap(made[0], Verb::Start);
    assert_eq!(told(), [Progress::Started]);
    tap(made[0], Verb::Ready);
    assert_eq!(told(), [], "the held course is not ready");
    k.run(|tx, actor| fire(tx, actor, order(1).order_id, Some(2)));
    tap(made[1], Verb::Ready);
    tap(made[1], Verb::Ready);
    assert_eq!(told(), [Progress::Started, Progress::AllReady]);
}

#[test]
fn a_void_that_nobody_saw_disappears_and_one_that_was_seen_makes_a_slip() {
    let k = Kitchen::new();
    let made = k.dispatch(1, vec![line(1, 3, None)], TicketType::New);
    k.run(|tx, actor| cancel_line(tx, actor, off(1, 1), "changed their mind"));
    assert_eq!((k.ticket(made[0]).items[0].quantity, k.count("type = 'CANCELLATION'")), (2, 0));
    k.act(made[0], Verb::Start);
    k.run(|tx, actor| cancel_line(tx, actor, off(1, 1), "changed their mind"));
    assert_eq!((k.ticket(made[0]).items[0].quantity, k.count("type = 'CANCELLATION'")), (1, 1));
    // More than there is: what is there goes, nothing twice.
    k.run(|tx, actor| cancel_line(tx, actor, off(1, 5), "changed their mind"));
    k.run(|tx, actor| cancel_line(tx, actor, off(1, 5), "changed their mind"));
    assert_eq!((k.ticket(made[0]).status, k.count("type = 'CANCELLATION'")), (TicketStatus::Cancelled, 2));
    assert!(!k.run(|tx, _| Ok(started(tx, id(1))?)));
}

#[test]
fn what_was_made_leaves_the_cooks_with_what_is_still_wanted() {
    let k = Kitchen::new();
    let made = k.dispatch(1, vec![line(1, 3, None)], TicketType::New);
    k.act(made[0], Verb::Start);
    let spoilt = |left| Unwanted { left, was_made: true, ..off(1, 1) };
    k.run(move |tx, actor| cancel_line(tx, actor, spoilt(2), "burnt"));
    assert_eq!((k.ticket(made[0]).items[0].quantity, k.count("type = 'CANCELLATION'")), (2, 1));
    // One of two tickets went out: the portion that comes back is that one, the other is still to be cooked.
    k.act(made[0], Verb::Serve);
    let more = k.dispatch(1, vec![line(1, 1, None)], TicketType::Addition);
    k.act(more[0], Verb::Ack);
    k.run(move |tx, actor| cancel_line(tx, actor, spoilt(2), "too salty"));
    assert_eq!((k.ticket(more[0]).items[0].quantity, k.count("type = 'CANCELLATION'")), (1, 1));
    k.run(move |tx, actor| cancel_line(tx, actor, spoilt(0), "too salty"));
    assert_eq!((k.ticket(more[0]).status, k.count("type = 'CANCELLATION'")), (TicketStatus::Cancelled, 2));
}

#[test]
fn voiding_the_last_unready_line_leaves_the_order_ready() {
    let k = Kitchen::new();
    let made = k.dispatch(1, vec![line(1, 1, None), line(2, 1, None)], TicketType::New);
    let item = k.ticket(made[0]).items[0].id;
    k.run(move |tx, actor| act_on_item(tx, actor, (made[0], item), Verb::Ready, ignore));
    let other = if k.run(|tx, _| Ok(started(tx, id(1))?)) { 2 } else { 1 };
    let progress = k.run(move |tx, actor| cancel_line(tx, actor, off(other, 1), "no"));
    assert_eq!(progress, Some(Progress::AllReady));
}

#[test]
fn cancelling_an_order_spares_what_has_gone_out_and_other_orders() {
    let k = Kitchen::new();
    let first = k.dispatch(1, vec![line(1, 1, None)], TicketType::New);
    let second = k.dispatch(1, vec![line(2, 1, None)], TicketType::Addition);
    let other = k.dispatch(2, vec![line(3, 1, None)], TicketType::New);
    k.act(first[0], Verb::Serve);
    k.act(second[0], Verb::Ack);
    k.run(|tx, actor| cancel_order(tx, actor, order(1).order_id));
    let states = [first[0], second[0], other[0]].map(|ticket| k.ticket(ticket).status);
    assert_eq!(states, [TicketStatus::Served, TicketStatus::Cancelled, TicketStatus::Queued]);
    assert_eq!(k.count("type = 'CANCELLATION'"), 1);
}

#[test]
fn the_kitchen_gets_a_ticket_twice_never_by_split_merge_or_transfer() {
    let k = Kitchen::new();
    let made = k.dispatch(1, vec![line(1, 3, None), line(2, 1, None)], TicketType::New);
    k.act(made[0], Verb::Start);
    let cooked = |k: &Kitchen| k.count("type IN ('NEW', 'ADDITION')");
    // Split: one of three portions goes to another bill.
    let part = [Move { from: id(1), to: id(11), quantity: 1 }];
    k.run(move |tx, actor| move_lines(tx, actor, &order(2), &part));
    assert_eq!((cooked(&k), k.portions()), (1, 4));
    assert_eq!(k.ticket(made[0]).order_id, order(1).order_id);
    assert!(k.run(|tx, _| Ok(started(tx, id(11))?)), "the portion that moved is on the fire already");
    // Merge: the rest follows; the ticket is the other order's now.
    let rest = [Move { from: id(1), to: id(12), quantity: 2 }, Move { from: id(2), to: id(13), quantity: 1 }];
    let at_nine = TicketOrder { table_number: Some("9"), ..order(2) };
    k.run(move |tx, actor| move_lines(tx, actor, &at_nine, &rest));
    let ticket = k.ticket(made[0]);
    assert_eq!((ticket.order_id, ticket.table_number.as_deref()), (order(2).order_id, Some("9")));
    // Transfer: told, not cooked.
    k.run(|tx, actor| retable(tx, actor, order(2).order_id, Some("7")));
    k.run(|tx, actor| retable(tx, actor, order(2).order_id, Some("7")));
    assert_eq!((cooked(&k), k.portions(), k.count("type = 'TRANSFER'")), (1, 4, 2));
    assert_eq!(k.ticket(made[0]).table_number.as_deref(), Some("7"));
}

#[test]
fn a_reprint_says_copy_n_and_is_never_cooked() {
    let k = Kitchen::new();
    let made = k.dispatch(1, vec![line(1, 2, None)], TicketType::New);
    let first = k.run(move |tx, actor| reprint(tx, actor, made[0]));
    let second = k.run(move |tx, actor| reprint(tx, actor, first.id));
    assert_eq!((first.copy_number, second.copy_number), (1, 2));
    assert_eq!((second.refers_to_id, second.kind), (first.refers_to_id, TicketType::Reprint));
    assert_eq!(k.portions(), 2);
    let refused = k.fixture.write(move |tx, actor| act(tx, actor, second.id, Verb::Start, ignore));
    assert!(matches!(refused, Err(KitchenError::Transition(_))));
    assert!(first.paper(|_| "18:00".into()).contains(&Row::Reverse("COPY 1".into())));
}

#[test]
fn an_amended_line_changes_in_place_and_is_told_where_it_was_seen() {
    let k = Kitchen::new();
    let made = k.dispatch(1, vec![line(1, 2, None)], TicketType::New);
    k.run(|tx, actor| amend_line(tx, actor, id(1), Amended { quantity: 3, ..Amended::default() }));
    assert_eq!((k.ticket(made[0]).items[0].quantity, k.count("type = 'MODIFICATION'")), (3, 0));
    k.act(made[0], Verb::Ack);
    k.run(|tx, actor| amend_line(tx, actor, id(1), Amended { quantity: 3, ..Amended::default() }));
    k.run(|tx, actor| {
        amend_line(tx, actor, id(1), Amended { quantity: 1, notes: Some(Some("soft".into())), weight: None })
    });
    let item = k.ticket(made[0]).items[0].clone();
    assert_eq!((item.quantity, item.notes.as_deref(), item.status), (1, Some("soft"), ItemStatus::Queued));
    assert_eq!((k.count("type = 'MODIFICATION'"), k.portions()), (1, 1));
}

#[test]
fn an_unacknowledged_ticket_goes_to_the_fallback_once_and_raises_an_alarm() {
    let k = Kitchen::new();
    let bar = StationFields { name: "Bar".into(), is_default: false, ..StationFields::first() };
    let bar = k.run(move |tx, actor| create_station(tx, actor, bar, &reach())).id;
    let grill = k.grill;
    let fallback = move |s: StationFields| StationFields {
        name: s.name,
        fallback_station_id: Some(bar),
        ..StationFields::first()
    };
    k.run(move |tx, actor| update_station(tx, actor, grill, None, fallback, &reach()));
    let made = k.dispatch(1, vec![line(1, 1, None)], TicketType::New);
    let seen = k.dispatch(1, vec![line(2, 1, None)], TicketType::Addition);
    k.act(seen[0], Verb::Ack);
    let late = |k: &Kitchen| k.run(|tx, _| escalate_unacked(tx, 20_000));
    k.fixture.clock.advance(19_999);
    assert_eq!(late(&k), 0);
    k.fixture.clock.advance(1);
    assert_eq!((late(&k), late(&k)), (1, 0));
    assert_eq!(k.ticket(made[0]).escalated_to_id, Some(bar));
    assert_eq!(k.fixture.number("SELECT sum(count) FROM notifications WHERE type = 'TICKET_UNACKED'"), 1);
    k.act(made[0], Verb::Ack);
    assert_eq!(k.ticket(made[0]).escalated_to_id, Some(bar), "the fallback's display sees that it was taken");
}

#[test]
fn an_unacknowledged_ticket_goes_to_the_stations_printer() {
    let k = Kitchen::new();
    let grill = k.grill;
    let with_printer = |s: StationFields| StationFields {
        name: s.name,
        printer_address: Some("10.0.0.9".into()),
        ..StationFields::first()
    };
    k.run(move |tx, actor| update_station(tx, actor, grill, None, with_printer, &reach()));
    k.dispatch(1, vec![line(1, 1, None)], TicketType::New);
    assert_eq!(k.fixture.number("SELECT count(*) FROM print_jobs"), 0);
    k.fixture.clock.advance(20_000);
    k.run(|tx, _| escalate_unacked(tx, 20_000));
    assert_eq!(
        k.fixture.number("SELECT count(*) FROM print_jobs WHERE printer_address = '10.0.0.9:9100'"),
        1
    );
}

#[test]
fn tickets_of_an_evening_the_box_was_off_are_told_of_but_not_printed() {
    let k = Kitchen::new();
    let grill = k.grill;
    let with_printer = |s: StationFields| StationFields {
        name: s.name,
        printer_address: Some("10.0.0.9".into()),
        ..StationFields::first()
    };
    k.run(move |tx, actor| update_station(tx, actor, grill, None, with_printer, &reach()));
    k.dispatch(1, vec![line(1, 1, None)], TicketType::New);
    k.fixture.clock.advance(12 * 3_600_000);
    assert_eq!(k.run(|tx, _| escalate_unacked(tx, 20_000)), 1);
    assert_eq!(k.fixture.number("SELECT count(*) FROM print_jobs"), 0);
    assert_eq!(k.fixture.number("SELECT count(*) FROM notifications WHERE type = 'TICKET_UNACKED'"), 1);
}

#[test]
fn a_line_on_two_tickets_is_amended_by_the_difference() {
    let k = Kitchen::new();
    k.dispatch(1, vec![line(1, 2, None)], TicketType::New);
    k.dispatch(1, vec![line(1, 2, None)], TicketType::Addition);
    k.run(|tx, actor| amend_line(tx, actor, id(1), Amended { quantity: 5, ..Amended::default() }));
    assert_eq!(k.portions(), 5);
    k.run(|tx, actor| amend_line(tx, actor, id(1), Amended { quantity: 1, ..Amended::default() }));
    assert_eq!(k.portions(), 1);
}

#[test]
fn there_is_one_default_station_and_it_cannot_go_before_another_takes_over() {
    let k = Kitchen::new();
    let grill = k.grill;
    let bar = StationFields { name: "Bar".into(), ..StationFields::first() };
    k.run(move |tx, actor| create_station(tx, actor, bar, &reach()));
    assert_eq!(k.fixture.number("SELECT count(*) FROM kitchen_stations WHERE is_default = 1"), 1);
    k.dispatch(1, vec![TicketLine { station_id: Some(grill), ..line(1, 1, None) }], TicketType::New);
    let gone = |k: &Kitchen| k.fixture.write(move |tx, actor| archive_station(tx, actor, grill, None));
    assert!(matches!(gone(&k), Err(KitchenError::Conflict(_))), "it has an open ticket");
    k.run(|tx, actor| cancel_order(tx, actor, order(1).order_id));
    assert!(gone(&k).is_ok());
    let again =
        k.dispatch(1, vec![TicketLine { station_id: Some(grill), ..line(2, 1, None) }], TicketType::Addition);
    assert_eq!(k.ticket(again[0]).station_name, "Bar");
}

#[test]
fn another_outlets_tickets_and_stations_are_not_found() {
    let k = Kitchen::new();
    let made = k.dispatch(1, vec![line(1, 1, None)], TicketType::New);
    let stranger = Actor::system(k.fixture.second_outlet());
    let (grill, ticket) = (k.grill, made[0]);
    let refused = k.fixture.db.write_blocking(move |tx| act(tx, &stranger, ticket, Verb::Ack, ignore));
    assert!(matches!(refused, Err(KitchenError::NotFound(_))));
    let stranger = Actor::system(id(5));
    let refused = k.fixture.db.write_blocking(move |tx| archive_station(tx, &stranger, grill, None));
    assert!(matches!(refused, Err(KitchenError::NotFound(_))));
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(24))]

    /// Complaints 4 and 5: whatever is sent, voided, split and moved, the portions the kitchen was asked for are those
    /// that were ordered and not voided.
    #[test]
    fn portions_are_neither_lost_nor_doubled(steps in proptest::collection::vec((0u8..4, 1u128..4, 1i64..4), 1..14)) {
        let k = Kitchen::new();
        // Portions per line; lines 1–3 are order 1's, 11–13 order 2's.
        let mut wanted = std::collections::BTreeMap::<u128, i64>::new();
        for (step, n, quantity) in steps {
            match step {
                0 | 1 => {
                    k.dispatch(1, vec![line(n, quantity, None)], TicketType::Addition);
                    *wanted.entry(n).or_default() += quantity;
                }
                2 => {
                    k.run(move |tx, actor| cancel_line(tx, actor, off(n, quantity), "no"));
                    let there = wanted.entry(n).or_default();
                    *there = (*there - quantity).max(0);
                }
                _ => {
                    let moved = quantity.min(*wanted.entry(n).or_default());
                    let step = [Move { from: id(n), to: id(10 + n), quantity }];
                    k.run(move |tx, actor| move_lines(tx, actor, &order(2), &step));
                    *wanted.entry(n).or_default() -= moved;
                    *wanted.entry(10 + n).or_default() += moved;
                }
            }
        }
        for (n, portions) in &wanted {
            let sql = format!(
                "SELECT coalesce(sum(i.quantity), 0) FROM kitchen_ticket_items i JOIN kitchen_tickets t ON t.id = i.ticket_id
                 WHERE t.type IN ('NEW', 'ADDITION') AND i.status <> 'CANCELLED' AND i.order_item_id = x'{}'",
                id(*n).simple()
            );
            prop_assert_eq!(k.fixture.number(&sql), *portions, "line {}", n);
        }
        prop_assert_eq!(k.portions(), wanted.values().sum::<i64>());
    }
}
