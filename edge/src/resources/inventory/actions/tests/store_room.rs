//! The store room of two outlets under random days: received, sold, voided, cancelled, thrown away, found again, counted, sent to
//! each other and called back. Whatever happens, the ledger adds up and nothing comes back twice.

use super::*;
use crate::resources::inventory::rules::stocktakes::{Count, NewStocktake, StocktakeScope, Uncounted};
use crate::resources::inventory::rules::transfers::{Arrival, NewTransfer, NewTransferItem};
use crate::resources::inventory::rules::{UnitConversion, Waste, WasteReason, Wasted};
use crate::resources::inventory::store::{movements, stocktakes, transfers};
use crate::testing::Fixture;
use tiffin_common::Millis;
use tiffin_common::money::round_div;
use tiffin_common::quantity::MILLION;

#[derive(Debug, Clone)]
enum Deed {
    Receive { at: usize, item: usize, quantity: i64, cost: i64, expires_in: Option<i64> },
    Order { portions: i64 },
    Void { line: usize, portions: i64, was_made: bool },
    CancelOrder { line: usize },
    Waste { at: usize, item: usize, quantity: i64, expired: bool },
    Burn { portions: i64 },
    Reverse { waste: usize },
    Send { from: usize, item: usize, quantity: i64 },
    CallBack { transfer: usize },
    TakeIn { transfer: usize, per_mille: i64 },
    Count { item: usize, off: i64, sold_meanwhile: i64, zero: bool },
    NextDay,
}

fn deed() -> impl Strategy<Value = Deed> {
    let (at, item) = (0usize..2, 0usize..3);
    prop_oneof![
        4 => (at.clone(), item.clone(), 1i64..3_000_000, 0i64..900_000_000, proptest::option::of(0i64..4))
            .prop_map(|(at, item, quantity, cost, expires_in)| Deed::Receive { at, item, quantity, cost, expires_in }),
        4 => (1i64..9).prop_map(|portions| Deed::Order { portions }),
        2 => (0usize..6, 1i64..9, any::<bool>())
            .prop_map(|(line, portions, was_made)| Deed::Void { line, portions, was_made }),
        1 => (0usize..6).prop_map(|line| Deed::CancelOrder { line }),
        2 => (at.clone(), item.clone(), 1i64..2_000_000, any::<bool>())
            .prop_map(|(at, item, quantity, expired)| Deed::Waste { at, item, quantity, expired }),
        1 => (1i64..5_000_000).prop_map(|portions| Deed::Burn { portions }),
        2 => (0usize..6).prop_map(|waste| Deed::Reverse { waste }),
        2 => (at, item.clone(), 1i64..2_000_000).prop_map(|(from, item, quantity)| Deed::Send { from, item, quantity }),
        1 => (0usize..6).prop_map(|transfer| Deed::CallBack { transfer }),
        2 => (0usize..6, 0i64..=1000).prop_map(|(transfer, per_mille)| Deed::TakeIn { transfer, per_mille }),
        2 => (item, -2_000_000i64..2_000_000, 1i64..6, any::<bool>())
            .prop_map(|(item, off, sold_meanwhile, zero)| Deed::Count { item, off, sold_meanwhile, zero }),
        1 => Just(Deed::NextDay),
    ]
}

/// Two outlets, the first with a dish, and what happened there.
struct House {
    actors: [Actor; 2],
    items: [Vec<Uuid>; 2],
    kitchen: Kitchen,
    wastes: Vec<(usize, Uuid)>,
    transfers: Vec<(usize, Uuid)>,
}

impl House {
    fn open(tx: &Tx<'_>, first: &Actor, second: Uuid) -> Result<House, StockError> {
        let second = Actor::system(second);
        let kitchen = Kitchen::open(tx, first)?;
        let mut there = Vec::new();
        for name in ["A", "B", "C"] {
            there.push(create_item(tx, &second, item_draft(name, "kg"))?.id);
        }
        let items = [kitchen.items.clone(), there];
        Ok(House {
            actors: [first.clone(), second],
            items,
            kitchen,
            wastes: Vec::new(),
            transfers: Vec::new(),
        })
    }

    fn run(&mut self, tx: &Tx<'_>, policy: StockPolicy, deed: &Deed, n: usize) -> Outcome {
        // No two deeds at one moment: what comes in by a transfer has the ids of the transfer, which are older.
        let late = tx.at(tx.now().after(self.kitchen.days * 86_400_000 + i64::try_from(n).unwrap()));
        let outlets = [outlet(tx, &self.actors[0], policy), outlet(tx, &self.actors[1], policy)];
        let first = self.actors[0].clone();
        let before = count(tx, "SELECT count(*) FROM stock_movements");
        match deed.clone() {
            Deed::NextDay => {
                self.kitchen.run(tx, &first, policy, &Step::NextDay, n)?;
                // Mostly after some days at once, and before somebody puts the clock back.
                if n.is_multiple_of(3) {
                    file_all(tx, &outlets, late.now());
                }
            }
            Deed::Receive { at, item, quantity, cost, expires_in } => {
                let today = outlets[at].business_date(late.now());
                let expiry =
                    expires_in.map(|days| (today + chrono::Days::new(days.unsigned_abs())).to_string());
                let unit_cost = UnitCost::from_millionths(cost);
                let quantity = Quantity::from_millionths(quantity);
                let receipt =
                    incoming(self.items[at][item], quantity, unit_cost, &format!("b{n}"), expiry.as_deref());
                receive(&late, &self.actors[at], &outlets[at], &receipt)?;
            }
            Deed::Order { portions } => self.kitchen.run(tx, &first, policy, &Step::Order { portions }, n)?,
            Deed::Void { line, portions, was_made: true } => {
                self.kitchen.run(tx, &first, policy, &Step::Waste { line, portions }, n)?;
            }
            Deed::Void { line, portions, was_made: false } => {
                self.kitchen.run(tx, &first, policy, &Step::Return { line, portions }, n)?;
            }
            Deed::CancelOrder { line } => {
                for _ in 0..2 {
                    self.kitchen.run(tx, &first, policy, &Step::Return { line, portions: i64::MAX }, n)?;
                }
            }
            Deed::Waste { at, item, quantity, expired } => {
                let what =
                    Wasted::Item { id: self.items[at][item], unit: Some("g".into()), batch_number: None };
                // Whole milligrams, so that grams have six decimals.
                let quantity = Quantity::from_millionths(quantity * 1000);
                let reason = if expired { WasteReason::Expired } else { WasteReason::Spoilage };
                self.waste(&late, at, &outlets[at], Waste { what, quantity, reason, note: None })?;
            }
            Deed::Burn { portions } => {
                let what = Wasted::Dish {
                    id: self.kitchen.dish,
                    variant_id: None,
                    name: "Dish".into(),
                    station_id: None,
                    unit: "portions",
                };
                let quantity = Quantity::from_millionths(portions);
                let reason = WasteReason::PrepError;
                self.waste(&late, 0, &outlets[0], Waste { what, quantity, reason, note: None })?;
            }
            Deed::Reverse { waste } => {
                let Some((at, id)) = self.wastes.get(waste).copied() else { return Ok(()) };
                let (actor, outlet) = (&self.actors[at], &outlets[at]);
                if reverse_waste(&late, actor, outlet, id, "wrong").is_ok() {
                    let again = reverse_waste(&late, actor, outlet, id, "again");
                    assert!(matches!(again, Err(StockError::Conflict(_))));
                }
            }
            Deed::Send { .. } | Deed::CallBack { .. } | Deed::TakeIn { .. } => {
                self.transfer(&late, &outlets, deed)?;
            }
            Deed::Count { .. } => self.count(&late, &outlets[0], policy, deed)?,
        }
        if !matches!(deed, Deed::Count { .. } | Deed::Void { .. }) {
            assert_earliest_first(tx, outlets[0].business_date(late.now()), before);
        }
        Ok(())
    }

    fn waste(&mut self, tx: &Tx<'_>, at: usize, outlet: &Outlet, waste: Waste) -> Outcome {
        let before = count(tx, "SELECT count(*) FROM stock_movements");
        match log_waste(tx, &self.actors[at], outlet, &waste) {
            Ok(log) => self.wastes.push((at, log.id)),
            Err(StockError::Invalid(fields)) => {
                assert_eq!(fields[0].name, "quantity");
                assert_eq!(count(tx, "SELECT count(*) FROM stock_movements"), before);
            }
            Err(other) => return Err(other),
        }
        Ok(())
    }

    fn transfer(&mut self, tx: &Tx<'_>, outlets: &[Outlet; 2], deed: &Deed) -> Outcome {
        let place = match *deed {
            Deed::Send { from, item, quantity } => {
                let wanted = NewTransferItem {
                    stock_item_id: self.items[from][item],
                    quantity: Quantity::from_millionths(quantity),
                    unit: None,
                    batch_number: None,
                };
                let to_outlet_id = outlets[1 - from].id;
                let new = NewTransfer { to_outlet_id, items: vec![wanted], note: None };
                match send_transfer(tx, &self.actors[from], &outlets[from], &new) {
                    Ok(sent) => self.transfers.push((from, sent.id)),
                    Err(StockError::Invalid(fields)) => assert_eq!(fields[0].name, "items[0].quantity"),
                    Err(other) => return Err(other),
                }
                return Ok(());
            }
            Deed::CallBack { transfer } | Deed::TakeIn { transfer, .. } => transfer,
            _ => return Ok(()),
        };
        let Some((from, id)) = self.transfers.get(place).copied() else { return Ok(()) };
        let to = 1 - from;
        let open = transfers::find(tx, outlets[to].id, id)?.unwrap();
        let is_open = open.received_at.is_none() && open.cancelled_at.is_none();
        for attempt in 0..2 {
            let done = match *deed {
                Deed::TakeIn { per_mille, .. } => {
                    let arrivals: Vec<Arrival> = transfers::list_lines(tx, &open)?
                        .into_iter()
                        .map(|line| Arrival {
                            line_id: Some(line.id),
                            quantity: Some(line.quantity.ratio(per_mille, 1000).unwrap()),
                            stock_item_id: None,
                        })
                        .collect();
                    receive_transfer(tx, &self.actors[to], &outlets[to], id, &arrivals, None)
                }
                _ => cancel_transfer(tx, &self.actors[from], &outlets[from], id, None),
            };
            // Taken in again it stays as it is.
            let again = matches!(deed, Deed::TakeIn { .. })
                && (open.received_at.is_some() || (is_open && attempt == 1));
            assert_eq!(done.is_ok(), (is_open && attempt == 0) || again, "{done:?}");
        }
        Ok(())
    }

    /// One item is counted, then portions are sold, then the count is closed.
    fn count(&mut self, tx: &Tx<'_>, outlet: &Outlet, policy: StockPolicy, deed: &Deed) -> Outcome {
        let Deed::Count { item, off, sold_meanwhile, zero } = *deed else { return Ok(()) };
        let actor = self.actors[0].clone();
        let new = NewStocktake { name: None, scope: StocktakeScope::Store, is_blind: false, note: None };
        let open = open_stocktake(tx, &actor, outlet, &new)?;
        assert!(matches!(open_stocktake(tx, &actor, outlet, &new), Err(StockError::Conflict(_))));
        let date = outlet.business_date(tx.now());
        let now = |id: Uuid| levels::list(tx, actor.outlet_id, &[id], date).unwrap()[&id].current().unwrap();
        let id = self.items[0][item];
        let expected = now(id);
        let counted = expected.plus(Quantity::from_millionths(off))?.max(Quantity::ZERO);
        let one = Count { stock_item_id: id, batch_number: None, quantity: counted, unit: None };
        count_stock(tx, &actor, outlet, open.id, &[one])?;
        let use_id = tx.new_id();
        match deduct(tx, &actor, outlet, tx.new_id(), &[line(use_id, self.kitchen.dish, sold_meanwhile)]) {
            Ok(()) => self.kitchen.lines.push((use_id, sold_meanwhile)),
            Err(StockError::Short(_)) if policy == StockPolicy::Block => {}
            Err(other) => return Err(other),
        }
        let before = now(id);
        let uncounted = if zero { Uncounted::Zero } else { Uncounted::Keep };
        let others: Vec<Uuid> = self.items[0].iter().copied().filter(|other| *other != id).collect();
        let kept: Vec<Quantity> = others.iter().map(|id| now(*id)).collect();
        let closed = close_stocktake(tx, &actor, outlet, open.id, uncounted)?;
        assert_eq!(
            now(id),
            before.plus(counted.minus(expected)?)?,
            "only the difference of the count is booked"
        );
        for (other, kept) in others.into_iter().zip(kept) {
            assert_eq!(now(other), if zero { Quantity::ZERO } else { kept });
        }
        let booked = "SELECT coalesce(sum(cost_micros), 0) FROM stock_movements WHERE kind = 'STOCKTAKE' AND cause_id = ?1";
        let booked: i64 = crate::db::one(tx, booked, [open.id], |row| row.get(0)).unwrap();
        let lines = stocktakes::list_lines(tx, actor.outlet_id, open.id)?;
        let lines: i64 = lines.iter().filter_map(|line| line.variance_micros).sum();
        assert_eq!((closed.variance_micros, lines), (Some(booked), booked), "lines add up to the movements");
        Ok(())
    }
}

/// What the last deed took it took in order: nothing usable that goes before a batch it took from is left.
fn assert_earliest_first(tx: &Tx<'_>, date: chrono::NaiveDate, before: i64) {
    let sql = "WITH taken AS (
                 SELECT m.stock_item_id, b.id, coalesce(b.expiry_date, '9999-12-31') AS expiry, b.received_at
                 FROM (SELECT * FROM stock_movements ORDER BY rowid LIMIT -1 OFFSET ?2) m JOIN stock_batches b ON b.id = m.batch_id
                 WHERE m.quantity_delta < 0 AND m.kind IN ('SALE', 'WASTE', 'TRANSFER_OUT')
                   AND coalesce(b.expiry_date, '9999-12-31') >= ?1)
               SELECT count(*) FROM taken t JOIN stock_batch_levels l ON l.stock_item_id = t.stock_item_id
               WHERE l.expiry_date >= ?1 AND (l.expiry_date, l.received_at, l.batch_id) < (t.expiry, t.received_at, t.id)";
    let earlier: i64 = crate::db::one(tx, sql, params![date, before], |row| row.get(0)).unwrap();
    assert_eq!(earlier, 0, "a batch was passed over");
}

fn file_all(tx: &Tx<'_>, outlets: &[Outlet; 2], now: Millis) {
    for outlet in outlets {
        let today = outlet.business_date(now);
        while let Some(date) = movements::find_unfiled(tx, outlet.id, today).unwrap() {
            file_movements(tx, outlet.id, date).unwrap();
        }
    }
}

/// Filed or not, an item's ledger is all of its movements, the newest first.
fn assert_every_movement_is_found_by_its_item(tx: &Tx<'_>, house: &House) {
    for (actor, items) in house.actors.iter().zip(&house.items) {
        for item in items {
            let all = "SELECT id FROM stock_movements WHERE outlet_id = ?1 AND stock_item_id = ?2 ORDER BY at DESC, id DESC";
            let all: Vec<Uuid> =
                crate::db::list(tx, all, [actor.outlet_id, *item], |row| row.get(0)).unwrap();
            let page = movements::list(tx, actor.outlet_id, *item, &Default::default(), (1_000, 0)).unwrap();
            assert_eq!(page.total, i64::try_from(all.len()).unwrap());
            assert_eq!(page.items.iter().map(|movement| movement.id).collect::<Vec<_>>(), all);
        }
    }
}

fn assert_store_room(tx: &Tx<'_>, house: &House, policy: StockPolicy) {
    assert_invariants(tx, &house.actors[0], policy, &house.kitchen);
    assert_levels_are_the_ledger(tx, house.actors[1].outlet_id);
    assert_every_movement_is_found_by_its_item(tx, house);
    let over = "SELECT count(*) FROM stock_movements s WHERE s.quantity_delta < 0 AND -s.quantity_delta <
                (SELECT coalesce(sum(r.quantity_delta), 0) FROM stock_movements r WHERE r.reverses_id = s.id)";
    assert_eq!(count(tx, over), 0, "never more back than was taken");
    let waste = "SELECT count(*) FROM (SELECT w.reversed_at AS undone, w.cost_micros AS said,
                   (SELECT coalesce(sum(m.quantity_delta), 0) FROM stock_movements m WHERE m.cause_id = w.id) AS gone,
                   (SELECT -coalesce(sum(m.cost_micros), 0) FROM stock_movements m WHERE m.cause_id = w.id) AS cost
                 FROM waste_logs w) WHERE CASE WHEN undone IS NULL THEN cost <> said ELSE gone <> 0 END";
    assert_eq!(count(tx, waste), 0, "an entry is its movements; one that was undone is nothing");
    let all = "SELECT (SELECT coalesce(-sum(cost_micros), 0) FROM stock_movements WHERE kind = 'WASTE')
                 - (SELECT coalesce(sum(cost_micros), 0) FROM waste_logs WHERE reversed_at IS NULL)";
    if policy == StockPolicy::Block {
        // Where nothing is sold without stock, what comes back costs what it took.
        assert_eq!(count(tx, all), 0);
    }
    let sent = "SELECT count(*) FROM stock_transfers t WHERE t.cancelled_at IS NOT NULL AND
                  (SELECT sum(m.cost_micros) <> 0 OR sum(m.quantity_delta) <> 0 FROM stock_movements m WHERE m.cause_id = t.id)";
    assert_eq!(count(tx, sent), 0, "what was called back is all back");
    let came = "SELECT coalesce(sum(quantity_delta), 0) FROM stock_movements WHERE kind = 'TRANSFER_IN'";
    let told = "SELECT coalesce(sum(quantity_received), 0) FROM stock_transfer_receipt_lines";
    assert_eq!(count(tx, came), count(tx, told));
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(24))]
    #[test]
    fn whatever_happens_in_the_store_room_the_ledger_adds_up(
        deeds in proptest::collection::vec(deed(), 1..40),
        block in any::<bool>(),
    ) {
        let policy = if block { StockPolicy::Block } else { StockPolicy::AllowNegative };
        let fixture = Fixture::new();
        let second = fixture.second_outlet();
        fixture
            .write(move |tx, actor| -> Outcome {
                let mut house = House::open(tx, actor, second)?;
                availability::follow(tx, actor, &outlet(tx, actor, policy), None)?;
                for (n, deed) in deeds.iter().enumerate() {
                    house.run(tx, policy, deed, n)?;
                }
                assert_store_room(tx, &house, policy);
                Ok(())
            })
            .unwrap();
    }

    /// A preparation bought in crates and used in grams, and milligrams of the same: sold and thrown away to the millionth.
    #[test]
    fn crates_grams_and_nested_preparations_are_exact(
        crates in 1i64..40, holds in 1i64..60, makes in 1i64..30, grams in 1i64..2_000, mg in 1i64..5_000, portions in 1i64..30,
    ) {
        Fixture::new()
            .write(move |tx, actor| -> Outcome {
                let outlet = outlet(tx, actor, StockPolicy::Block);
                let own = vec![UnitConversion { unit: "crate".into(), factor: Quantity::units(holds)? }];
                let draft = ItemDraft { unit_conversions: own, ..item_draft("Tomato", "kg") };
                let tomato = create_item(tx, actor, draft)?.id;
                receive(tx, actor, &outlet, &incoming(tomato, Quantity::units(90_000_000)?, cost("1"), "t", None))?;
                let paste = recipe(&makes.to_string(), "kg", vec![of(tomato, &crates.to_string(), "crate")]);
                let paste = create_preparation(tx, actor, "Paste".into(), paste)?.id;
                let sauce = recipe("1", "kg", vec![made_of(paste, "1000", "g")]);
                let sauce = create_preparation(tx, actor, "Sauce".into(), sauce)?.id;
                let curry = dish(tx, actor, "Curry");
                let ingredients = vec![made_of(sauce, &grams.to_string(), "g"), of(tomato, &mg.to_string(), "mg")];
                put_recipe(tx, actor, curry, None, recipe("1", "pcs", ingredients))?;
                deduct(tx, actor, &outlet, tx.new_id(), &[line(tx.new_id(), curry, portions)])?;
                let what = Wasted::Dish { id: curry, variant_id: None, name: "Curry".into(), station_id: None, unit: "portions" };
                let quantity = Quantity::units(portions)?;
                log_waste(tx, actor, &outlet, &Waste { what, quantity, reason: WasteReason::Dropped, note: None })?;
                // Millionths of a kilo: crates × holds ÷ makes of it for each kilo of paste, grams ÷ 1000 of that; and the milligrams.
                let paste = i128::from(crates) * i128::from(holds) * i128::from(grams) * 1000;
                let exact = i128::from(portions) * (paste + i128::from(mg) * i128::from(makes));
                let expected = round_div(exact, i128::from(makes)).unwrap();
                let taken: Vec<i64> = ledger(tx, tomato).into_iter().map(|(_, _, delta, _)| -delta).collect();
                assert_eq!(taken, [-90_000_000 * MILLION, expected, expected]);
                Ok(())
            })
            .unwrap();
    }
}
