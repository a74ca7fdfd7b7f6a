//! The parts of a snapshot: together every row once, each page bounded, open orders in the first.

use crate::ground::Ground;
use crate::log::{BEGIN, Log, category, counter, insert, new_id};
use std::collections::{BTreeMap, BTreeSet};
use tiffin_common::frame::{Op, Ops, Value};
use tiffin_common::sync::{Phase, SnapshotPage, SnapshotQuery};
use tiffin_common::{Ids, Millis, Uuid};
use tiffin_tests::oracle::unpacked;

const DAY: i64 = 86_400_000;

fn order<'a>(outlet: Uuid, id: Uuid, token: i64, status: &'a str) -> Op<'a> {
    insert(
        "orders",
        &[
            ("id", Value::Id(id)),
            ("outlet_id", Value::Id(outlet)),
            ("order_number", Value::Text("B1-1")),
            ("token_number", Value::Integer(token)),
            ("business_date", Value::Text("2026-09-21")),
            ("order_type", Value::Text("COUNTER")),
            ("source", Value::Text("POS")),
            ("status", Value::Text(status)),
            ("prices_include_tax", Value::Integer(0)),
            ("service_charge_bps", Value::Integer(0)),
            ("cash_rounding_cents", Value::Integer(0)),
            ("gross_cents", Value::Integer(900)),
            ("subtotal_cents", Value::Integer(900)),
            ("total_cents", Value::Integer(900)),
            ("created_at", Value::Integer(BEGIN)),
            ("updated_at", Value::Integer(BEGIN)),
        ],
    )
}

fn history<'a>(outlet: Uuid, id: Uuid, of: Uuid) -> Op<'a> {
    insert(
        "order_status_history",
        &[
            ("id", Value::Id(id)),
            ("outlet_id", Value::Id(outlet)),
            ("order_id", Value::Id(of)),
            ("to_status", Value::Text("PENDING")),
            ("at", Value::Integer(BEGIN)),
            ("by_name", Value::Text("Asha")),
        ],
    )
}

fn batch<'a>(outlet: Uuid, id: Uuid, item: Uuid) -> Op<'a> {
    insert(
        "stock_batches",
        &[
            ("id", Value::Id(id)),
            ("outlet_id", Value::Id(outlet)),
            ("stock_item_id", Value::Id(item)),
            ("batch_number", Value::Text("B-1")),
            ("received_at", Value::Integer(BEGIN)),
            ("unit_cost", Value::Integer(7)),
            ("source_type", Value::Text("DELIVERY")),
        ],
    )
}

fn movement<'a>(outlet: Uuid, id: Uuid, (item, batch): (Uuid, Uuid), kind: &'a str, delta: i64) -> Op<'a> {
    insert(
        "stock_movements",
        &[
            ("id", Value::Id(id)),
            ("outlet_id", Value::Id(outlet)),
            ("stock_item_id", Value::Id(item)),
            ("batch_id", Value::Id(batch)),
            ("kind", Value::Text(kind)),
            ("quantity_delta", Value::Integer(delta)),
            ("quantity_before", Value::Integer(0)),
            ("quantity_after", Value::Integer(0)),
            ("unit_cost", Value::Integer(7)),
            ("cost_micros", Value::Integer(7 * delta)),
            ("cause_type", Value::Text("DELIVERY")),
            ("business_date", Value::Text("2026-09-21")),
            ("at", Value::Integer(BEGIN)),
        ],
    )
}

/// The ids of a phase's rows.
async fn ids(ground: &Ground, phase: Phase) -> BTreeSet<Uuid> {
    let mut found = BTreeSet::new();
    for page in pages(ground, phase).await {
        let packed = unpacked(&page.rows);
        found.extend(Ops::of(&packed).map(|op| match op.unwrap().columns[0].1 {
            Value::Id(id) => id,
            ref other => panic!("{other:?}"),
        }));
    }
    found
}

async fn pages(ground: &Ground, phase: Phase) -> Vec<SnapshotPage> {
    let (mut pages, mut after) = (Vec::new(), None);
    loop {
        let page = ground.hub.snapshot(ground.outlet, SnapshotQuery { phase, after }).await.unwrap();
        after = page.next.clone();
        pages.push(page);
        if after.is_none() {
            return pages;
        }
    }
}

every_store! {
    async fn the_parts_together_are_every_row_once(ground) {
        let outlet = ground.outlet;
        let mut log = Log::new(outlet);
        let makers = Ids::new(9);
        let mut expected = BTreeMap::new();
        for n in 0..9_000i64 {
            // From a year ago until today.
            let at = Millis::new(BEGIN - 365 * DAY + n * 365 * DAY / 9_000);
            let (id, line) = (makers.next(at), makers.next(at));
            let open = n % 1_000 == 7;
            log.data(&[order(outlet, id, n, if open { "READY" } else { "COMPLETED" }), history(outlet, line, id)]);
            let phase = if open { Phase::A } else if at.get() > BEGIN - 44 * DAY { Phase::B } else { Phase::C };
            if open || (at.get() - (BEGIN - 45 * DAY)).abs() > 2 * DAY {
                expected.insert(id, phase);
                expected.insert(line, phase);
            }
        }
        let (shared, count) = (new_id(), new_id());
        log.propose(&[category(outlet, shared, "Soups")]);
        log.data(&[counter(outlet, count, 9)]);
        expected.extend([(shared, Phase::A), (count, Phase::A)]);
        log.drain(&ground.hub).await.unwrap();
        assert_eq!(ground.number("SELECT count(*) FROM hub_quarantine"), 0);

        let mut found: BTreeMap<Uuid, Vec<Phase>> = BTreeMap::new();
        for phase in [Phase::A, Phase::B, Phase::C] {
            let pages = pages(ground, phase).await;
            for page in &pages {
                assert_eq!(page.cursor, Some(log.head().into()));
                let packed = unpacked(&page.rows);
                assert!(packed.len() < (256 << 10) + 4_096, "a page is bounded: {}", packed.len());
                let ops: Vec<Op<'_>> = Ops::of(&packed).collect::<Result<_, _>>().unwrap();
                assert_eq!(ops.len() as u32, page.count);
                for op in ops {
                    let Value::Id(id) = op.columns[0].1 else { panic!("{op:?}") };
                    found.entry(id).or_default().push(phase);
                }
            }
            if phase == Phase::C {
                assert!(pages.len() > 1, "the test has too few rows to be paged");
            }
        }
        assert_eq!(found.len(), 18_002);
        for (id, phases) in &found {
            assert_eq!(phases.len(), 1, "{id} comes more than once");
            assert!(expected.get(id).is_none_or(|expected| *expected == phases[0]), "{id}: {phases:?}");
        }
    }

    async fn what_is_needed_only_when_the_house_is_open_comes_with_the_rest(ground) {
        let (outlet, makers) = (ground.outlet, Ids::new(4));
        let mut log = Log::new(outlet);
        let old = || makers.next(Millis::new(BEGIN - 200 * DAY));
        let (item, empty, came, went) = (old(), old(), old(), old());
        log.data(&[
            batch(outlet, empty, item),
            movement(outlet, came, (item, empty), "RECEIPT", 5),
            movement(outlet, went, (item, empty), "WASTE", -5),
        ]);
        log.drain(&ground.hub).await.unwrap();
        assert!(ids(ground, Phase::A).await.is_empty(), "nothing is left of it");
        // While the box is filled something comes back to the batch.
        let back = makers.next(Millis::new(BEGIN));
        log.data(&[movement(outlet, back, (item, empty), "RETURN", 1)]);
        log.drain(&ground.hub).await.unwrap();
        let mut rest = ids(ground, Phase::B).await;
        rest.extend(ids(ground, Phase::C).await);
        assert!(rest.is_superset(&[empty, came, went].into()), "{rest:?}");
        assert!(ids(ground, Phase::A).await.contains(&empty), "a house that opens now needs it");
    }

    async fn a_page_that_no_page_named_is_refused(ground) {
        let query = SnapshotQuery { phase: Phase::A, after: Some("nonsense".to_owned()) };
        assert!(matches!(ground.hub.snapshot(ground.outlet, query).await, Err(sync_hub::hub::HubError::Invalid(_))));
    }

    async fn an_outlet_without_rows_has_an_empty_snapshot(ground) {
        let page = ground.hub.snapshot(ground.outlet, SnapshotQuery { phase: Phase::A, after: None }).await.unwrap();
        assert_eq!((page.count, page.cursor, page.next), (0, None, None));
    }
}
