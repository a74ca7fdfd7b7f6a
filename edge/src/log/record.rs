//! The function behind the triggers: encodes one row change to the end of the buffer. Called for every row that changes,
//! so it allocates nothing of its own.

use rusqlite::Error;
use rusqlite::functions::Context;
use rusqlite::types::ValueRef;
use tiffin_common::frame::{DecodeError, OpEncoder, Value};
use tiffin_common::registry::{self, Owner, Table};

/// The changes of the action that is running.
#[derive(Debug, Default)]
pub(super) struct Buffer {
    pub(super) bytes: Vec<u8>,
    pub(super) count: u32,
    /// How many of them are of shared tables.
    pub(super) shared: u32,
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
        let start = self.bytes.len();
        let outcome = match args.get(1)? {
            INSERT => insert(&mut self.bytes, table, args),
            UPDATE => update(&mut self.bytes, table, args),
            DELETE => delete(&mut self.bytes, table, args),
            _ => Err(refusal("unknown kind of change")),
        };
        match outcome {
            Ok(true) => {
                self.count += 1;
                self.shared += u32::from(table.owner == Owner::Shared);
                Ok(())
            }
            Ok(false) => Ok(()),
            Err(error) => {
                self.bytes.truncate(start);
                Err(error)
            }
        }
    }

    pub(super) fn clear(&mut self) {
        self.bytes.clear();
        self.count = 0;
        self.shared = 0;
    }
}

fn insert(out: &mut Vec<u8>, table: &Table, args: &Context<'_>) -> rusqlite::Result<bool> {
    expect_arguments(args, HEAD + table.columns.len())?;
    let mut op = OpEncoder::insert(out, table.no, table.columns.len());
    for column in 0..table.columns.len() {
        let new = args.get_raw(HEAD + column);
        if new != ValueRef::Null {
            op.set(column, value(new)?);
        }
    }
    Ok(op.finish())
}

fn update(out: &mut Vec<u8>, table: &Table, args: &Context<'_>) -> rusqlite::Result<bool> {
    expect_arguments(args, TARGET + 2 * table.columns.len())?;
    let (key, saw) = target(args)?;
    let mut op = OpEncoder::update(out, table.no, table.columns.len(), key, saw);
    for column in 0..table.columns.len() {
        let (old, new) = (args.get_raw(TARGET + 2 * column), args.get_raw(TARGET + 2 * column + 1));
        // Compared here and not in SQL: there a NOCASE column would call "A@x" and "a@x" the same.
        if old != new {
            op.set(column, value(new)?);
        }
    }
    Ok(op.finish())
}

fn delete(out: &mut Vec<u8>, table: &Table, args: &Context<'_>) -> rusqlite::Result<bool> {
    expect_arguments(args, TARGET)?;
    let (key, saw) = target(args)?;
    OpEncoder::delete(out, table.no, key, saw);
    Ok(true)
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
