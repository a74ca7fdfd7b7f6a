//! The function behind the triggers: packs one row change to the end of the body of the action that is running. Called for
//! every row that changes. Never keeps anything beyond the action.

use rusqlite::Error;
use rusqlite::functions::Context;
use rusqlite::types::ValueRef;
use tiffin_common::frame::{Changes, DecodeError, Op, OpKind, Value};
use tiffin_common::registry::{self, Owner, Table};

/// The changes of the action that is running.
#[derive(Debug, Default)]
pub(super) struct Buffer {
    pub(super) changes: Changes,
    /// How many of them are of shared tables.
    pub(super) shared: u32,
    /// Counts every change of a shared table, and every time that one was undone.
    pub(super) state: u64,
}

/// The second argument of the function.
pub(super) const INSERT: i64 = 1;
pub(super) const UPDATE: i64 = 2;
pub(super) const DELETE: i64 = 3;

/// The arguments before the values of an insert.
const HEAD: usize = 2;
/// The arguments before the value pairs of an update: also the key and the version seen.
const TARGET: usize = 4;

impl Buffer {
    /// Records `(table, kind, …)` as the triggers pass it.
    pub(super) fn record(&mut self, args: &Context<'_>) -> rusqlite::Result<()> {
        let table = registry::table(args.get(0)?).ok_or_else(|| refusal("unknown table number"))?;
        let op = match args.get(1)? {
            INSERT => insert(table, args)?,
            UPDATE => update(table, args)?,
            DELETE => delete(table, args)?,
            _ => return Err(refusal("unknown kind of change")),
        };
        if op.kind != OpKind::Delete && op.columns.is_empty() {
            return Ok(());
        }
        self.changes.push(&op);
        if table.owner == Owner::Shared {
            self.shared += 1;
            self.state += 1;
        }
        Ok(())
    }

    pub(super) fn clear(&mut self) {
        self.changes.clear();
        self.shared = 0;
    }
}

fn insert<'a>(table: &Table, args: &'a Context<'_>) -> rusqlite::Result<Op<'a>> {
    expect_arguments(args, HEAD + table.columns.len())?;
    let mut columns = Vec::with_capacity(table.columns.len());
    for column in 0..table.columns.len() {
        let new = args.get_raw(HEAD + column);
        if new != ValueRef::Null {
            columns.push((column, value(new)?));
        }
    }
    Ok(Op { table: table.no, kind: OpKind::Insert, key: Value::Null, saw: None, columns })
}

fn update<'a>(table: &Table, args: &'a Context<'_>) -> rusqlite::Result<Op<'a>> {
    expect_arguments(args, TARGET + 2 * table.columns.len())?;
    let (key, saw) = target(args)?;
    let mut columns = Vec::new();
    for column in 0..table.columns.len() {
        let (old, new) = (args.get_raw(TARGET + 2 * column), args.get_raw(TARGET + 2 * column + 1));
        // Compared here and not in SQL: there a NOCASE column would call "A@x" and "a@x" the same.
        if old != new {
            columns.push((column, value(new)?));
        }
    }
    Ok(Op { table: table.no, kind: OpKind::Update, key, saw, columns })
}

fn delete<'a>(table: &Table, args: &'a Context<'_>) -> rusqlite::Result<Op<'a>> {
    expect_arguments(args, TARGET)?;
    let (key, saw) = target(args)?;
    Ok(Op { table: table.no, kind: OpKind::Delete, key, saw, columns: Vec::new() })
}

/// The key of the row as it was, and its version where the table is shared and has one.
fn target<'a>(args: &'a Context<'_>) -> rusqlite::Result<(Value<'a>, Option<i64>)> {
    Ok((value(args.get_raw(2))?, args.get(3)?))
}

fn value(raw: ValueRef<'_>) -> rusqlite::Result<Value<'_>> {
    Value::try_from(raw).map_err(|error: DecodeError| Error::UserFunctionError(error.into()))
}

fn expect_arguments(args: &Context<'_>, wanted: usize) -> rusqlite::Result<()> {
    if args.len() == wanted { Ok(()) } else { Err(refusal("the trigger is not of this version")) }
}

fn refusal(why: &str) -> Error {
    Error::UserFunctionError(why.into())
}
