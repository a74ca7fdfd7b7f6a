//! Changes of a row come to one change, and what makes no sense is refused before the database is asked.

use super::*;
use tiffin_common::registry::table_named;

const OUTLET: Uuid = Uuid::from_u128(1);
const ROW: Uuid = Uuid::from_u128(2);

fn op(kind: OpKind, columns: &[(&str, Value<'static>)]) -> Op<'static> {
    let table = table_named("counters").unwrap();
    let at = |name: &str| table.column(name).unwrap();
    let mut all: Vec<_> = columns.iter().map(|(name, value)| (at(name), *value)).collect();
    if kind == OpKind::Insert {
        all.extend([(0, Value::Id(ROW)), (at("outlet_id"), Value::Id(OUTLET))]);
    }
    let key = if kind == OpKind::Insert { Value::Null } else { Value::Id(ROW) };
    Op { table: table.no, kind, key, saw: None, columns: all }
}

fn insert(value: i64) -> Op<'static> {
    op(OpKind::Insert, &[("series", Value::Text("ORDER")), ("value", Value::Integer(value))])
}

fn update(value: i64) -> Op<'static> {
    op(OpKind::Update, &[("value", Value::Integer(value))])
}

fn delete() -> Op<'static> {
    op(OpKind::Delete, &[])
}

fn whole(value: i64) -> EndState<'static> {
    EndState::Put(vec![Value::Id(ROW), Value::Text("ORDER"), Value::Integer(value)])
}

fn fold(steps: &[(Strictness, Op<'static>)]) -> Result<Net<'static>, Stop> {
    let mut fold = Fold::new(OUTLET);
    for (strictness, op) in steps {
        // A fresh borrow for each: the values are static.
        let ops: &'static [Op<'static>] = Box::leak(vec![op.clone()].into_boxed_slice());
        fold.add(&Replay { ops, strictness: *strictness })?;
    }
    Ok(fold.rows.into_values().next().unwrap())
}

#[test]
fn many_changes_of_a_row_are_one() {
    use Strictness::Exact;
    let net = |steps: &[Op<'static>]| {
        fold(&steps.iter().map(|op| (Exact, op.clone())).collect::<Vec<_>>()).unwrap()
    };
    let came = |expects, end| Net { expects, end };
    assert_eq!(net(&[insert(1), update(2), update(3)]), came(Expects::Absent, whole(3)));
    let patch = EndState::Patch(vec![(2, Value::Integer(5))]);
    assert_eq!(net(&[update(4), update(5)]), came(Expects::Present, patch));
    assert_eq!(net(&[insert(1), delete()]), came(Expects::Absent, EndState::Gone));
    assert_eq!(net(&[update(1), delete()]), came(Expects::Present, EndState::Gone));
    assert_eq!(net(&[delete(), insert(7), update(8)]), came(Expects::Present, whole(8)));
}

#[test]
fn what_the_changes_themselves_contradict_is_refused() {
    use Strictness::{Exact, Images, Lenient};
    let reason = |steps: &[(Strictness, Op<'static>)]| match fold(steps) {
        Err(Stop::Never(Unapplied(text))) => text,
        other => panic!("{other:?}"),
    };
    assert!(reason(&[(Exact, insert(1)), (Exact, insert(2))]).contains("already there"));
    assert!(reason(&[(Exact, delete()), (Exact, update(2))]).contains("not there"));
    assert!(reason(&[(Images, update(2))]).contains("no image"));
    assert_eq!(fold(&[(Lenient, update(1)), (Exact, update(2))]), Err(Stop::First));
    assert_eq!(fold(&[(Lenient, update(1)), (Exact, insert(2))]), Err(Stop::First));
}

#[test]
fn after_a_loss_and_for_images_the_row_may_be_there_or_not() {
    use Strictness::{Exact, Images, Lenient};
    let any = |end| Net { expects: Expects::Any, end };
    assert_eq!(fold(&[(Lenient, insert(1))]).unwrap(), any(whole(1)));
    assert_eq!(
        fold(&[(Lenient, update(1)), (Lenient, update(2))]).unwrap(),
        any(EndState::Patch(vec![(2, Value::Integer(2))]))
    );
    assert_eq!(fold(&[(Lenient, delete()), (Lenient, update(2))]).unwrap(), any(EndState::Gone));
    assert_eq!(fold(&[(Images, insert(1)), (Exact, update(2))]).unwrap(), any(whole(2)));
    assert_eq!(fold(&[(Images, delete())]).unwrap(), any(EndState::Gone));
}

#[test]
fn a_log_row_is_taken_whole_or_not_at_all() {
    let bad = [insert(1), op(OpKind::Update, &[("value", Value::Text("many"))])];
    let mut fold = Fold::new(OUTLET);
    assert!(fold.add(&Replay { ops: &bad, strictness: Strictness::Exact }).is_err());
    assert!(fold.rows.is_empty());
}

#[test]
fn rows_of_others_unknown_columns_and_wrong_types_are_refused() {
    let refused = |op: Op<'static>| {
        let ops = [op];
        let mut fold = Fold::new(OUTLET);
        match fold.add(&Replay { ops: &ops, strictness: Strictness::Images }) {
            Err(Stop::Never(Unapplied(text))) => text,
            other => panic!("{other:?}"),
        }
    };
    let table = table_named("counters").unwrap();
    let mut foreign = insert(1);
    foreign.columns.retain(|(number, _)| table.columns[*number] != "outlet_id");
    foreign.columns.push((1, Value::Id(Uuid::from_u128(9))));
    assert!(refused(foreign).contains("another outlet"));
    let mut newer = insert(1);
    newer.columns.push((200, Value::Null));
    assert!(refused(newer).contains("no column 200"));
    let mut unknown = insert(1);
    unknown.table = 4;
    assert!(refused(unknown).contains("table 4"));
    let number = op(OpKind::Insert, &[("series", Value::Integer(2)), ("value", Value::Integer(1))]);
    assert!(refused(number).contains("counters.series"));
    let mut nameless = insert(1);
    nameless.columns.retain(|(number, _)| *number != 0);
    assert!(refused(nameless).contains("without an id"));
    assert!(refused(op(OpKind::Insert, &[("value", Value::Integer(1))])).contains("not whole"));
    assert!(refused(op(OpKind::Insert, &[("series", Value::Null)])).contains("counters.series"));
    let mut outlet = insert(1);
    outlet.table = table_named("outlets").unwrap().no;
    outlet.columns = vec![(0, Value::Id(ROW))];
    assert!(refused(outlet).contains("another outlet"));
}
