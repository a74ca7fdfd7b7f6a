//! Price lists by rules alone: whose price holds, when it begins and ends, and how it is rounded.

use super::super::price_lists::{PriceEntry, PriceListDraft, check_entries};
use super::*;
use crate::http::FieldError;
use crate::resources::outlets::rules::{OrderType, Weekday};
use chrono::NaiveDate;
use chrono_tz::Tz;
use tiffin_common::{Bps, Millis, money::MAX_CENTS};

const DISH: Uuid = Uuid::from_u128(1);
const HALF: Uuid = Uuid::from_u128(2);
const MAINS: Uuid = Uuid::from_u128(3);
const OWN: Cents = Cents::new(10_000);

fn in_kolkata(text: &str) -> LocalNow {
    LocalNow::new(text.parse().unwrap(), Tz::Asia__Kolkata)
}

fn rated(id: u128, draft: PriceListDraft, rates: &[(Uuid, Rate)]) -> Rated {
    let moment = Millis::new(0);
    let list = PriceList {
        id: Uuid::from_u128(id),
        draft,
        is_in_force: false,
        entries_count: rates.len(),
        entries: None,
        version: 1,
        created_at: moment,
        updated_at: moment,
    };
    Rated { list, rates: rates.iter().copied().collect() }
}

/// What half a dish costs at a moment, and what it cost before where that is still charged.
fn half(lists: Vec<Rated>, at: &LocalNow, occasion: &Occasion) -> (i64, Vec<i64>) {
    let lists = PriceLists(lists);
    let prices = lists.prices(at, occasion);
    let targets = [HALF, DISH, MAINS];
    let before = prices.honoured(&targets, OWN).into_iter().map(|listed| listed.price.get());
    (prices.now(&targets, OWN).price.get(), before.collect())
}

fn price(cents: i64) -> Rate {
    Rate::Price(Cents::new(cents))
}

#[test]
fn what_is_said_most_exactly_holds_within_a_list_and_the_first_list_that_says_anything() {
    let noon = in_kolkata("2026-11-20T06:30:00Z");
    let plain = || PriceListDraft::named("Any");
    let all = [(HALF, price(1)), (DISH, price(2)), (MAINS, price(3))];
    let of = |rates: &[(Uuid, Rate)], below: &[(Uuid, Rate)]| {
        half(vec![rated(10, plain(), rates), rated(11, plain(), below)], &noon, &Occasion::default()).0
    };
    assert_eq!(of(&all, &all), 1);
    assert_eq!(
        of(&all[1..], &all),
        2,
        "a list that names the dish goes before one below that names the size"
    );
    assert_eq!(of(&all[2..], &all), 3);
    assert_eq!(of(&[], &all), 1);
    assert_eq!(of(&[], &[]), 10_000);
}

#[test]
fn an_adjustment_is_of_the_outlets_price_and_rounds_half_away_from_zero() {
    let adjusted = |own: i64, bps: i64| Rate::Adjusted(Bps::new(bps)).on(Cents::new(own)).get();
    assert_eq!(adjusted(10_000, -2_000), 8_000);
    assert_eq!(adjusted(10_000, 1_500), 11_500);
    // A half more, and a half less, each away from zero.
    assert_eq!((adjusted(25, 1_000), adjusted(25, -1_000)), (28, 22));
    assert_eq!((adjusted(33, -10_000), adjusted(0, 5_000)), (0, 0));
    assert_eq!(adjusted(MAX_CENTS, 100_000), MAX_CENTS);
}

#[test]
fn a_list_is_for_the_orders_it_names_alone() {
    let occasion = |order_type, channel: Option<u128>, area: Option<&str>| Occasion {
        order_type,
        channel_id: channel.map(Uuid::from_u128),
        channel_list_id: None,
        area: area.map(str::to_owned),
    };
    let draft = PriceListDraft {
        order_types: Some(vec![OrderType::DineIn]),
        areas: Some(vec!["Terrace".into()]),
        ..PriceListDraft::named("Terrace")
    };
    let draft = rated(10, draft, &[]).list;
    assert!(draft.is_for(&occasion(Some(OrderType::DineIn), None, Some("terrace"))));
    assert!(!draft.is_for(&occasion(Some(OrderType::DineIn), None, None)));
    assert!(!draft.is_for(&occasion(Some(OrderType::Takeaway), None, Some("Terrace"))));
    assert!(!draft.is_for(&occasion(None, None, Some("Terrace"))));
    let channel =
        PriceListDraft { channel_ids: Some(vec![Uuid::from_u128(9)]), ..PriceListDraft::named("Aggregator") };
    let channel = rated(11, channel, &[]).list;
    assert!(channel.is_for(&occasion(Some(OrderType::Delivery), Some(9), None)));
    assert!(!channel.is_for(&occasion(Some(OrderType::Delivery), Some(8), None)));
    assert!(!channel.is_for(&occasion(Some(OrderType::Delivery), None, None)));
    let theirs = Occasion { channel_list_id: Some(channel.id), ..occasion(None, Some(8), None) };
    assert!(channel.is_for(&theirs), "the channel names it");
}

#[test]
fn a_price_that_has_ended_is_charged_for_two_minutes_more() {
    let happy = PriceListDraft { to: Some("19:00".into()), ..PriceListDraft::named("Happy hour") };
    let at = |text: &str| {
        half(vec![rated(10, happy.clone(), &[(DISH, price(8_000))])], &in_kolkata(text), &Occasion::default())
    };
    // 19:00 in Kolkata is 13:30 by UTC.
    assert_eq!(at("2026-11-20T13:29:59.999Z"), (8_000, vec![]));
    assert_eq!(at("2026-11-20T13:30:00.000Z"), (10_000, vec![8_000, 8_000]));
    assert_eq!(at("2026-11-20T13:31:59.999Z"), (10_000, vec![8_000]));
    assert_eq!(at("2026-11-20T13:32:00.000Z"), (10_000, vec![]));
}

#[test]
fn a_night_belongs_to_the_day_it_begins_on_and_the_season_to_its_days() {
    let date = |text: &str| text.parse::<NaiveDate>().unwrap();
    let late = PriceListDraft {
        days: Some(vec![Weekday::Fri]),
        from: Some("22:00".into()),
        to: Some("02:00".into()),
        starts_on: Some(date("2026-11-20")),
        ends_on: Some(date("2026-11-20")),
        ..PriceListDraft::named("Late")
    };
    let holds = |draft: &PriceListDraft, text: &str| draft.holds(&in_kolkata(text));
    // Saturday at 01:59 is still Friday's, the last of its days; a week earlier it had not begun.
    assert!(holds(&late, "2026-11-20T20:29:00Z"));
    assert!(!holds(&late, "2026-11-20T20:30:00Z"));
    assert!(!holds(&late, "2026-11-13T17:00:00Z"));
    let saturday = PriceListDraft { starts_on: Some(date("2026-11-21")), ends_on: None, days: None, ..late };
    assert!(!holds(&saturday, "2026-11-20T20:00:00Z"), "what Friday began is none of Saturday's");
    assert!(holds(&saturday, "2026-11-21T17:00:00Z"));
}

#[test]
fn all_that_is_wrong_with_a_list_is_named_at_once() {
    let draft = PriceListDraft {
        name: " ".into(),
        priority: 5_000,
        order_types: Some(vec![]),
        areas: Some(vec!["Bar".into(), "Bar ".into()]),
        from: Some("9".into()),
        starts_on: Some("2026-11-21".parse().unwrap()),
        ends_on: Some("2026-11-20".parse().unwrap()),
        ..PriceListDraft::named("")
    };
    let names = |fields: Vec<FieldError>| fields.into_iter().map(|field| field.name).collect::<Vec<_>>();
    assert_eq!(
        names(draft.checked().unwrap_err()),
        ["name", "priority", "orderTypes", "areas", "from", "endsOn"]
    );
    let entry = |menu_item_id, variant_id, price_cents, adjust_bps| PriceEntry {
        menu_item_id,
        variant_id,
        category_id: None,
        price_cents: Option::map(price_cents, Cents::new),
        adjust_bps: Option::map(adjust_bps, Bps::new),
    };
    let entries = [
        entry(Some(DISH), None, Some(1), None),
        entry(Some(DISH), None, None, Some(-10_001)),
        entry(Some(DISH), Some(HALF), Some(1), None),
        entry(None, None, Some(1), None),
        entry(None, Some(MAINS), Some(1), Some(1)),
    ];
    assert_eq!(
        names(check_entries(&entries).unwrap_err()),
        ["entries[1].menuItemId", "entries[1].adjustBps", "entries[2]", "entries[3]", "entries[4]"]
    );
}
