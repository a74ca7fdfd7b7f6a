//! The statements that write what changes come to: one for each table and kind, with whole columns as parameters. Sent at once, one
//! behind the other; what the changes expected is seen from the counts.

use super::columns::{Columns, Holds};
use super::days::{self, Days};
use super::error::{is_the_stores, said};
use super::fold::{EndState, Expects, Fold, Key, Net};
use super::source::PgSource;
use super::value::Id;
use crate::store::StoreError;
use bytes::{BufMut, BytesMut};
use futures_util::future::{join_all, join3};
use std::collections::BTreeMap;
use tiffin_common::Uuid;
use tiffin_common::frame::Value;
use tiffin_common::registry;
use tiffin_common::text::clean;
use tokio_postgres::Statement;
use tokio_postgres::types::{IsNull, ToSql, Type, to_sql_checked};

type Wrong = Box<dyn std::error::Error + Sync + Send>;

/// Why a number of log rows could not be made at once.
pub(super) enum Failed {
    /// They do not fit to what is there.
    Misfit(String),
    Store(StoreError),
}

impl From<edge::db::DbError> for Failed {
    fn from(error: edge::db::DbError) -> Self {
        if is_the_stores(&error) {
            return Failed::Store(error.into());
        }
        Failed::Misfit(error.to_string())
    }
}

/// One statement and its rows.
struct Step<'f> {
    sql: String,
    columns: &'static Columns,
    places: Vec<usize>,
    rows: Vec<RowValues<'f>>,
    /// How many rows it must find; none: as many as there are.
    expected: Option<u64>,
    /// For the reason, if it does not.
    what: &'static str,
}

/// What a step takes the values of a row from.
#[derive(Clone, Copy)]
enum RowValues<'f> {
    Row(&'f [Value<'f>]),
    Patch(Uuid, &'f [(usize, Value<'f>)]),
    Id(Uuid),
}

impl<'f> RowValues<'f> {
    /// The value of the step's `n`th column, which stands at `place`.
    fn value(&self, n: usize, place: usize) -> Value<'f> {
        match self {
            RowValues::Row(row) => row.get(place).copied().unwrap_or(Value::Null),
            RowValues::Patch(id, _) if n == 0 => Value::Id(*id),
            RowValues::Patch(_, patch) => patch.get(n - 1).map_or(Value::Null, |(_, value)| *value),
            RowValues::Id(id) => Value::Id(*id),
        }
    }
}

/// The statements for a fold.
pub(super) struct Plan<'f>(Vec<Step<'f>>);

/// What is done to rows; the order of the statements does not matter, each row is in one of them.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
enum Deed {
    Insert,
    MakeEqual,
    /// Set the columns at these places; whether each row must be there.
    Update(Vec<usize>, bool),
    /// Whether each row must be there.
    Delete(bool),
    /// No row may be there.
    Find,
}

impl<'f> Plan<'f> {
    pub(super) fn of(fold: &'f Fold<'_>) -> Result<Plan<'f>, String> {
        let mut deeds: BTreeMap<(u16, Deed), Vec<RowValues<'f>>> = BTreeMap::new();
        // By id, that is by time: new rows then lie beside each other in the table, and at the end of its key's index.
        let mut rows: Vec<(&Key, &Net<'_>)> = fold.rows.iter().collect();
        rows.sort_unstable_by_key(|(key, _)| **key);
        for (key, net) in rows {
            let (number, id) = *key;
            let (deed, from) = deed(key, net);
            if let Some(deed) = deed {
                deeds.entry((number, deed)).or_default().push(from.unwrap_or(RowValues::Id(id)));
            }
        }
        let steps = deeds.into_iter().map(|((number, deed), rows)| step(number, deed, rows));
        steps.collect::<Result<_, _>>().map(Plan)
    }

    /// Writes them behind the statement `save` and what takes `days` off the list as they were before.
    pub(super) async fn run(
        &self,
        source: &PgSource<'_>,
        outlet: Uuid,
        save: &str,
        days: &Days<'_>,
    ) -> Result<(), Failed> {
        let mut prepared = Vec::with_capacity(self.0.len());
        for step in &self.0 {
            prepared.push(source.prepared(&step.sql, &[]).await?);
        }
        let drops = days.before(source).await?;
        // Sent at once, one after the other; the answers come in the same order.
        let saved = source.batch(save);
        let dropped = days::run(&drops, source, outlet);
        let ran = join_all(
            self.0.iter().zip(&prepared).map(|(step, statement)| step.run(source, outlet, statement)),
        );
        let (saved, dropped, counts) = join3(saved, dropped, ran).await;
        saved?;
        dropped?;
        // The first failure is the cause of those after it.
        for (step, count) in self.0.iter().zip(counts) {
            let (count, name) = (count?, step.columns.table.name);
            if let Some(expected) = step.expected.filter(|expected| *expected != count) {
                return Err(Failed::Misfit(format!(
                    "{} in {name}: {count} of {expected} rows are there",
                    step.what
                )));
            }
        }
        Ok(())
    }
}

fn deed<'f>(key: &Key, net: &'f Net<'_>) -> (Option<Deed>, Option<RowValues<'f>>) {
    let strict = net.expects == Expects::Present;
    match (&net.end, net.expects) {
        (EndState::Put(row), Expects::Absent) => (Some(Deed::Insert), Some(RowValues::Row(row))),
        (EndState::Put(row), Expects::Any) => (Some(Deed::MakeEqual), Some(RowValues::Row(row))),
        // It was deleted and is there again: all of it is set.
        (EndState::Put(row), Expects::Present) => {
            (Some(Deed::Update(Vec::new(), true)), Some(RowValues::Row(row)))
        }
        (EndState::Patch(patch), _) if patch.is_empty() && !strict => (None, None),
        (EndState::Patch(patch), _) => {
            let places = patch.iter().map(|(place, _)| *place).collect();
            (Some(Deed::Update(places, strict)), Some(RowValues::Patch(key.1, patch)))
        }
        (EndState::Gone, Expects::Absent) => (Some(Deed::Find), None),
        (EndState::Gone, _) => (Some(Deed::Delete(strict)), None),
    }
}

fn step(number: u16, deed: Deed, rows: Vec<RowValues<'_>>) -> Result<Step<'_>, String> {
    let table = registry::table(number).ok_or_else(|| format!("no table {number}"))?;
    let columns = Columns::of(table)?;
    let key = columns.key();
    let count = u64::try_from(rows.len()).unwrap_or(u64::MAX);
    let whole = rows.first().is_some_and(|row| matches!(row, RowValues::Row(_)));
    let step = |sql, places, expected, what| Step { sql, columns, places, rows, expected, what };
    Ok(match deed {
        Deed::Insert => step(columns.insert(false), columns.everything(), None, "Insert"),
        Deed::MakeEqual => step(columns.insert(true), columns.everything(), None, "Insert"),
        Deed::Update(places, strict) => {
            let wanted = if whole { columns.everything() } else { places };
            let set: Vec<usize> = wanted.into_iter().filter(|place| *place != key).collect();
            let expected = strict.then_some(count);
            // A change of retired columns alone: the row must be there all the same.
            if set.is_empty() {
                return Ok(step(columns.look(), vec![key], expected, "Update"));
            }
            let all = std::iter::once(key).chain(set.iter().copied()).collect();
            step(columns.update(&set), all, expected, "Update")
        }
        Deed::Delete(strict) => step(columns.delete(), vec![key], strict.then_some(count), "Delete"),
        Deed::Find => step(columns.look(), vec![key], Some(0), "Insert"),
    })
}

impl Step<'_> {
    async fn run(&self, source: &PgSource<'_>, outlet: Uuid, statement: &Statement) -> Result<u64, Failed> {
        let outlet = Id(outlet);
        let arrays: Vec<Array<'_, '_>> =
            self.places.iter().enumerate().map(|(n, place)| Array { step: self, n, place: *place }).collect();
        let mut params: Vec<&(dyn ToSql + Sync)> = vec![&outlet];
        params.extend(arrays.iter().map(|array| array as &(dyn ToSql + Sync)));
        Ok(source.client.execute(statement, &params).await.map_err(|error| said(&error))?)
    }
}

/// One column of a step's rows, written straight into the message.
struct Array<'s, 'f> {
    step: &'s Step<'f>,
    n: usize,
    place: usize,
}

impl std::fmt::Debug for Array<'_, '_> {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "column {} of {}", self.n, self.step.columns.table.name)
    }
}

impl ToSql for Array<'_, '_> {
    fn to_sql(&self, _: &Type, out: &mut BytesMut) -> Result<IsNull, Wrong> {
        let holds = self.step.columns.all.get(self.place).ok_or("no such column")?.holds;
        let element = match holds {
            Holds::Integers => Type::INT8,
            Holds::Reals => Type::FLOAT8,
            Holds::Texts => Type::TEXT,
            Holds::Bytes => Type::BYTEA,
        };
        // Dimensions, whether there may be nulls, the type; then length and lower bound of the one dimension.
        out.put_i32(1);
        out.put_i32(1);
        out.put_u32(element.oid());
        out.put_i32(i32::try_from(self.step.rows.len())?);
        out.put_i32(1);
        for row in &self.step.rows {
            put(row.value(self.n, self.place), holds, out)?;
        }
        Ok(IsNull::No)
    }

    fn accepts(_: &Type) -> bool {
        true
    }

    to_sql_checked!();
}

fn put(value: Value<'_>, holds: Holds, out: &mut BytesMut) -> Result<(), Wrong> {
    let mut bytes = |bytes: &[u8]| -> Result<(), Wrong> {
        out.put_i32(i32::try_from(bytes.len())?);
        out.put_slice(bytes);
        Ok(())
    };
    match (value, holds) {
        (Value::Null, _) => {
            out.put_i32(-1);
            Ok(())
        }
        (Value::Integer(integer), Holds::Integers) => bytes(&integer.to_be_bytes()),
        #[expect(clippy::cast_precision_loss, reason = "as SQLite does for a REAL column")]
        (Value::Integer(integer), Holds::Reals) => bytes(&(integer as f64).to_be_bytes()),
        (Value::Real(real), Holds::Reals) => bytes(&real.to_be_bytes()),
        // The digest counts it so, too: a row that is possible at a branch is possible here, and the same.
        (Value::Text(text), Holds::Texts) => bytes(clean(text).as_bytes()),
        (Value::Id(id), Holds::Bytes) => bytes(id.as_bytes()),
        (Value::Blob(blob), Holds::Bytes) => bytes(blob),
        _ => Err("a value of another type".into()),
    }
}
