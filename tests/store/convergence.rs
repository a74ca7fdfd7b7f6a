//! Two editors of the same rows in any order, with pushes and pulls in between: at the end both sides hold the same, every edit
//! that lost is recorded, and what was deleted stays deleted.

use crate::feed::{edit, pull};
use crate::ground::{Ground, run};
use crate::log::{BEGIN, Log, column, delete, insert, new_id, table, update};
use base64::Engine;
use base64::engine::general_purpose::STANDARD;
use proptest::prelude::*;
use std::collections::{BTreeMap, BTreeSet};
use tiffin_common::Uuid;
use tiffin_common::frame::{Op, OpKind, Ops, Value};
use tiffin_common::sync::PullReply;

/// One column of each rule: head office's, the branch's, the later one's.
const COLUMNS: [&str; 3] = ["price_cents", "sort_order", "prep_minutes"];
const LATER: &str = "course";

#[derive(Debug, Clone, Copy)]
enum Step {
    BranchSets(usize, usize),
    BranchDeletes(usize),
    HeadOfficeSets(usize, usize),
    HeadOfficeDeletes(usize),
    Push,
    Pull,
}

fn step() -> impl Strategy<Value = Step> {
    let (row, column) = (0usize..3, 0usize..4);
    prop_oneof![
        5 => (row.clone(), column.clone()).prop_map(|(row, column)| Step::BranchSets(row, column)),
        5 => (row.clone(), column).prop_map(|(row, column)| Step::HeadOfficeSets(row, column)),
        1 => row.clone().prop_map(Step::BranchDeletes),
        1 => row.prop_map(Step::HeadOfficeDeletes),
        2 => Just(Step::Push),
        3 => Just(Step::Pull),
    ]
}

fn name_of(place: usize) -> &'static str {
    COLUMNS.get(place).copied().unwrap_or(LATER)
}

/// The integers of a row by column number.
type Row = BTreeMap<usize, i64>;

fn row_of(op: &Op<'_>) -> Row {
    let integers = op.columns.iter().filter_map(|(column, value)| match value {
        Value::Integer(integer) => Some((*column, *integer)),
        _ => None,
    });
    integers.collect()
}

fn id_of(op: &Op<'_>) -> Uuid {
    let key = if op.kind == OpKind::Insert { op.columns[0].1 } else { op.key };
    let Value::Id(id) = key else { panic!("no id: {op:?}") };
    id
}

struct Play {
    ground: Ground,
    log: Log,
    ids: Vec<Uuid>,
    /// What the branch holds.
    rows: BTreeMap<Uuid, Row>,
    /// Rows with edits that head office has not confirmed.
    pending: BTreeSet<Uuid>,
    last: Option<PullReply>,
    written: BTreeSet<i64>,
    /// Values that somebody saw and replaced.
    replaced: BTreeSet<i64>,
    deleted: BTreeSet<Uuid>,
}

impl Play {
    async fn new() -> Play {
        let ground = Ground::sqlite();
        let mut log = Log::new(ground.outlet);
        let ids: Vec<Uuid> = (0..3).map(|_| new_id()).collect();
        let mut rows = BTreeMap::new();
        for id in &ids {
            let op = insert(
                "menu_items",
                &[
                    ("id", Value::Id(*id)),
                    ("outlet_id", Value::Id(ground.outlet)),
                    ("category_id", Value::Id(*id)),
                    ("name", Value::Text("Dal")),
                    ("price_cents", Value::Integer(1)),
                    ("allergens", Value::Text("[]")),
                    ("is_active", Value::Integer(1)),
                    ("sort_order", Value::Integer(1)),
                    ("prep_minutes", Value::Integer(1)),
                    ("course", Value::Integer(1)),
                    ("version", Value::Integer(1)),
                    ("created_at", Value::Integer(BEGIN)),
                    ("updated_at", Value::Integer(BEGIN)),
                    ("is_default", Value::Integer(0)),
                ],
            );
            rows.insert(*id, row_of(&op));
            log.propose(&[op]);
        }
        log.drain(&ground.hub).await.unwrap();
        Play {
            ground,
            log,
            ids,
            rows,
            pending: BTreeSet::new(),
            last: None,
            written: BTreeSet::new(),
            replaced: BTreeSet::new(),
            deleted: BTreeSet::new(),
        }
    }

    /// What head office has.
    fn master(&self) -> BTreeMap<Uuid, Row> {
        let packed: Vec<Vec<u8>> = self.ground.look(|from| {
            edge::db::list(from, "SELECT row FROM hub_master WHERE deleted = 0", [], |row| row.get(0))
        });
        let ops = packed.iter().map(|packed| Ops::of(packed).next().unwrap().unwrap());
        ops.map(|op| (id_of(&op), row_of(&op))).collect()
    }

    fn replaces(&mut self, row: &Row) {
        self.replaced.extend(row.values().copied());
    }

    async fn step(&mut self, number: i64, step: Step) {
        match step {
            Step::BranchSets(row, place) => {
                let (id, name) = (self.ids[row], name_of(place));
                let Some(row) = self.rows.get_mut(&id) else { return };
                let version = row.entry(column("menu_items", "version")).or_default();
                *version += 1;
                let version = *version;
                self.replaced.extend(row.insert(column("menu_items", name), number));
                self.written.insert(number);
                let columns = [(name, Value::Integer(number)), ("version", Value::Integer(version))];
                self.log.propose(&[update("menu_items", id, &columns)]);
                self.pending.insert(id);
            }
            Step::BranchDeletes(row) => {
                let id = self.ids[row];
                let Some(gone) = self.rows.remove(&id) else { return };
                self.replaces(&gone);
                self.log.propose(&[delete("menu_items", id)]);
                self.pending.insert(id);
                self.deleted.insert(id);
            }
            Step::HeadOfficeSets(row, place) => {
                let (id, name) = (self.ids[row], name_of(place));
                let Some(seen) = self.master().remove(&id) else { return };
                self.replaced.extend(seen.get(&column("menu_items", name)));
                self.written.insert(number);
                edit(&self.ground, &[update("menu_items", id, &[(name, Value::Integer(number))])]).await;
            }
            Step::HeadOfficeDeletes(row) => {
                let id = self.ids[row];
                let Some(seen) = self.master().remove(&id) else { return };
                self.replaces(&seen);
                edit(&self.ground, &[delete("menu_items", id)]).await;
                self.deleted.insert(id);
            }
            Step::Push => {
                self.log.drain(&self.ground.hub).await.unwrap();
                self.pending.clear();
            }
            Step::Pull => self.pull().await,
        }
    }

    /// Takes what is new, up to the first row with an edit of its own that is not confirmed.
    async fn pull(&mut self) {
        let mut reply = pull(&self.ground, self.last.as_ref()).await;
        assert!(!reply.reset);
        let packed: Vec<(i64, Vec<u8>)> =
            reply.rows.iter().map(|row| (row.feed, STANDARD.decode(&row.op).unwrap())).collect();
        let mut images = Vec::new();
        for (feed, bytes) in &packed {
            let op = Ops::of(bytes).next().unwrap().unwrap();
            let id = id_of(&op);
            if self.pending.contains(&id) {
                reply.feed = feed - 1;
                break;
            }
            match op.kind {
                OpKind::Insert => drop(self.rows.insert(id, row_of(&op))),
                _ => drop(self.rows.remove(&id)),
            }
            images.push(op);
        }
        if reply.feed != self.last.as_ref().map_or(0, |last| last.feed) {
            self.log.pulled(reply.feed, &images);
        }
        self.last = Some(reply);
    }

    async fn check(mut self) -> Result<(), TestCaseError> {
        for _ in 0..3 {
            self.step(0, Step::Push).await;
            self.step(0, Step::Pull).await;
        }
        self.step(0, Step::Push).await;
        prop_assert_eq!(&self.master(), &self.rows, "the two sides differ");
        for id in &self.deleted {
            prop_assert!(!self.rows.contains_key(id), "{} came back", id);
        }
        let conflicts = self.ground.hub.conflicts(self.ground.outlet, false, 10_000).await.unwrap();
        let sides = conflicts.iter().flat_map(|conflict| [&conflict.head_office, &conflict.branch]);
        let recorded: BTreeSet<i64> =
            sides.flatten().flat_map(|side| side.values().filter_map(serde_json::Value::as_i64)).collect();
        let held: BTreeSet<i64> = self.rows.values().flat_map(|row| row.values().copied()).collect();
        for value in &self.written {
            let known = held.contains(value) || self.replaced.contains(value) || recorded.contains(value);
            prop_assert!(known, "the edit {} is gone without a trace", value);
        }
        let quarantined = self.ground.hub.standings(self.ground.outlet).await.unwrap().quarantined;
        prop_assert_eq!(quarantined, 0, "a branch's own log could not be replayed");
        let copy = self.ground.look(|from| {
            let sql = format!("SELECT id, {}, {LATER}, version FROM menu_items", COLUMNS.join(", "));
            edge::db::list(from, &sql, [], |row| {
                let mut integers = Row::new();
                for (place, name) in COLUMNS.iter().chain(&[LATER, "version"]).enumerate() {
                    integers.insert(column("menu_items", name), row.get(place + 1)?);
                }
                Ok((row.get::<_, Uuid>(0)?, integers))
            })
        });
        for (id, integers) in copy {
            let own = &self.rows[&id];
            for (column, value) in integers {
                prop_assert_eq!(own.get(&column), Some(&value), "{}", table("menu_items").columns[column]);
            }
        }
        Ok(())
    }
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 48, max_shrink_iters: 400, ..ProptestConfig::default() })]
    #[test]
    fn both_sides_converge_and_no_edit_is_forgotten(steps in proptest::collection::vec(step(), 1..40)) {
        run(async {
            let mut play = Play::new().await;
            for (number, step) in steps.into_iter().enumerate() {
                play.step(1_000 + number as i64, step).await;
            }
            play.check().await
        })?;
    }
}
