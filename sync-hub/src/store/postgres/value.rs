//! Values between rusqlite's types, in which the house's texts speak, and PostgreSQL's binary formats. A parameter takes the type
//! that the statement gives it; a value of an answer becomes what SQLite would have answered. Never loses digits silently.

use bytes::{BufMut, BytesMut};
use edge::db::{Column, DbError, Result, Values};
use rusqlite::types::{ToSqlOutput, Value, ValueRef};
use std::borrow::Cow;
use tiffin_common::Uuid;
use tokio_postgres::Row;
use tokio_postgres::types::{FromSql, IsNull, ToSql, Type, to_sql_checked};

type Wrong = Box<dyn std::error::Error + Sync + Send>;

/// An id as bytes.
#[derive(Debug)]
pub(super) struct Id(pub Uuid);

impl ToSql for Id {
    fn to_sql(&self, _: &Type, out: &mut BytesMut) -> std::result::Result<IsNull, Wrong> {
        out.put_slice(self.0.as_bytes());
        Ok(IsNull::No)
    }

    fn accepts(ty: &Type) -> bool {
        *ty == Type::BYTEA
    }

    to_sql_checked!();
}

/// A parameter.
#[derive(Debug, Clone, Copy)]
pub(super) struct Param<'a>(pub ValueRef<'a>);

impl<'a> Param<'a> {
    /// What `output` holds.
    pub(super) fn of(output: &'a ToSqlOutput<'a>) -> Result<Param<'a>> {
        match output {
            ToSqlOutput::Borrowed(value) => Ok(Param(*value)),
            ToSqlOutput::Owned(value) => Ok(Param(value.into())),
            _ => Err(DbError::Other("a parameter is no plain value".into())),
        }
    }
}

impl ToSql for Param<'_> {
    fn to_sql(&self, ty: &Type, out: &mut BytesMut) -> std::result::Result<IsNull, Wrong> {
        let wrong = || -> Wrong { format!("{} is not a value for {ty}", self.0.data_type()).into() };
        match self.0 {
            ValueRef::Null => return Ok(IsNull::Yes),
            ValueRef::Integer(value) => integer(value, ty, out).ok_or_else(wrong)??,
            ValueRef::Real(value) => match *ty {
                Type::FLOAT8 => out.put_f64(value),
                _ => return Err(wrong()),
            },
            ValueRef::Text(value) => match *ty {
                Type::TEXT | Type::VARCHAR | Type::BPCHAR | Type::NAME | Type::JSON | Type::UNKNOWN => {
                    // PostgreSQL holds no zero byte in a text; elsewhere, too, such a text counts without.
                    value.split(|byte| *byte == 0).for_each(|part| out.put_slice(part));
                }
                _ => return Err(wrong()),
            },
            ValueRef::Blob(value) => match *ty {
                Type::BYTEA => out.put_slice(value),
                // As in SQLite: bytes equal no text.
                Type::TEXT => {
                    value.iter().for_each(|byte| out.put_slice(format!("\\x{byte:02x}").as_bytes()))
                }
                _ => return Err(wrong()),
            },
        }
        Ok(IsNull::No)
    }

    fn accepts(_: &Type) -> bool {
        true
    }

    to_sql_checked!();
}

/// Writes `value` as a `ty`; none when that type holds no integers.
fn integer(value: i64, ty: &Type, out: &mut BytesMut) -> Option<std::result::Result<(), Wrong>> {
    match *ty {
        Type::INT8 => out.put_i64(value),
        Type::INT4 => match i32::try_from(value) {
            Ok(value) => out.put_i32(value),
            Err(error) => return Some(Err(error.into())),
        },
        Type::INT2 => match i16::try_from(value) {
            Ok(value) => out.put_i16(value),
            Err(error) => return Some(Err(error.into())),
        },
        Type::BOOL => out.put_u8(u8::from(value != 0)),
        Type::NUMERIC => numeric(value, out),
        #[expect(clippy::cast_precision_loss, reason = "as SQLite does for a REAL column")]
        Type::FLOAT8 => out.put_f64(value as f64),
        Type::TEXT | Type::VARCHAR | Type::UNKNOWN => out.put_slice(value.to_string().as_bytes()),
        _ => return None,
    }
    Some(Ok(()))
}

/// Writes an integer as a numeric: groups of four digits, the highest first.
fn numeric(value: i64, out: &mut BytesMut) {
    let mut groups = Vec::with_capacity(5);
    let mut rest = value.unsigned_abs();
    while rest > 0 {
        groups.push(u16::try_from(rest % 10_000).unwrap_or_default());
        rest /= 10_000;
    }
    let count = u16::try_from(groups.len()).unwrap_or_default();
    out.put_u16(count);
    out.put_u16(count.saturating_sub(1));
    out.put_u16(if value < 0 { 0x4000 } else { 0 });
    out.put_u16(0);
    groups.iter().rev().for_each(|group| out.put_u16(*group));
}

/// A numeric, which is what PostgreSQL makes of a bigint's sum, as an integer where it is one.
fn from_numeric(raw: &[u8]) -> Option<Value> {
    let word = |at: usize| Some(u16::from_be_bytes(raw.get(at * 2..at * 2 + 2)?.try_into().ok()?));
    let (count, weight, sign) = (word(0)?, i32::from(word(1)?.cast_signed()), word(2)?);
    let mut whole: i128 = 0;
    let mut is_whole = true;
    for place in 0..i32::from(count).max(weight + 1) {
        let digits = if place < i32::from(count) { word(4 + usize::try_from(place).ok()?)? } else { 0 };
        if place <= weight {
            whole = whole.checked_mul(10_000)?.checked_add(i128::from(digits))?;
        } else {
            is_whole &= digits == 0;
        }
    }
    let signed = match sign {
        0 => whole,
        0x4000 => -whole,
        _ => return None,
    };
    if is_whole { i64::try_from(signed).ok().map(Value::Integer) } else { None }
}

/// One value of an answer: as it came, or made of what came.
enum Held {
    /// Text or bytes, at this place of the row.
    There,
    /// Anything else.
    Made(Value),
}

/// One row of an answer, as [`edge::db::Row::of`] wants it.
pub(super) struct Answer<'a> {
    row: &'a Row,
    held: Vec<Held>,
}

/// A value as it came.
struct Bytes<'a>(&'a [u8]);

impl<'a> FromSql<'a> for Bytes<'a> {
    fn from_sql(_: &Type, raw: &'a [u8]) -> std::result::Result<Self, Wrong> {
        Ok(Bytes(raw))
    }

    fn accepts(_: &Type) -> bool {
        true
    }
}

impl<'a> Answer<'a> {
    /// Reads `row`.
    ///
    /// # Errors
    /// When it holds what SQLite could not have answered.
    pub(super) fn of(row: &'a Row) -> Result<Answer<'a>> {
        let columns = row.columns().iter().enumerate();
        let held = columns.map(|(place, column)| made(row, place, column.type_())).collect::<Result<_>>()?;
        Ok(Answer { row, held })
    }
}

fn made(row: &Row, place: usize, ty: &Type) -> Result<Held> {
    let wrong = || {
        let text = format!("an answer of type {ty} means nothing here");
        DbError::Other(format!("column {place}: {text}"))
    };
    let raw: Option<Bytes<'_>> = row.try_get(place).map_err(|_| wrong())?;
    let Some(Bytes(raw)) = raw else { return Ok(Held::Made(Value::Null)) };
    Ok(match *ty {
        Type::TEXT | Type::VARCHAR | Type::BPCHAR | Type::NAME | Type::JSON | Type::UNKNOWN | Type::BYTEA => {
            Held::There
        }
        Type::INT8 => Held::Made(Value::Integer(i64::from_be_bytes(raw.try_into().map_err(|_| wrong())?))),
        Type::INT4 => {
            Held::Made(Value::Integer(i32::from_be_bytes(raw.try_into().map_err(|_| wrong())?).into()))
        }
        Type::INT2 => {
            Held::Made(Value::Integer(i16::from_be_bytes(raw.try_into().map_err(|_| wrong())?).into()))
        }
        Type::BOOL => Held::Made(Value::Integer(i64::from(raw != [0]))),
        Type::FLOAT8 => Held::Made(Value::Real(f64::from_be_bytes(raw.try_into().map_err(|_| wrong())?))),
        Type::NUMERIC => Held::Made(from_numeric(raw).ok_or_else(wrong)?),
        _ => return Err(wrong()),
    })
}

impl Values for Answer<'_> {
    fn value(&self, column: Column<'_>) -> Result<ValueRef<'_>> {
        let place = match column {
            Column::Place(place) => place,
            Column::Name(name) => self
                .row
                .columns()
                .iter()
                .position(|column| column.name().eq_ignore_ascii_case(name))
                .ok_or_else(|| DbError::Other(format!("no column {name}")))?,
        };
        let missing = || DbError::Other(format!("no column {place}"));
        match self.held.get(place).ok_or_else(missing)? {
            Held::Made(value) => Ok(value.into()),
            Held::There => {
                let Bytes(raw) = self.row.try_get(place).map_err(|_| missing())?;
                let is_bytes = *self.row.columns()[place].type_() == Type::BYTEA;
                Ok(if is_bytes { ValueRef::Blob(raw) } else { ValueRef::Text(raw) })
            }
        }
    }

    fn name(&self, place: usize) -> Option<Cow<'_, str>> {
        Some(self.row.columns().get(place)?.name().into())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn whole_numerics_come_back_and_others_do_not() {
        for value in [0, 1, -1, 9_999, 10_000, -10_001, 123_456_789_012, i64::MAX, i64::MIN, 100_000_000] {
            let mut out = BytesMut::new();
            numeric(value, &mut out);
            assert_eq!(from_numeric(&out), Some(Value::Integer(value)));
        }
        // 10000 with its trailing group left out, as PostgreSQL writes it; then 1.5, NaN and 10^40.
        assert_eq!(from_numeric(&[0, 1, 0, 1, 0, 0, 0, 0, 0, 1]), Some(Value::Integer(10_000)));
        assert_eq!(from_numeric(&[0, 2, 0, 0, 0, 0, 0, 1, 0, 1, 0x13, 0x88]), None);
        assert_eq!(from_numeric(&[0, 0, 0, 0, 0xC0, 0, 0, 0]), None);
        assert_eq!(from_numeric(&[0, 1, 0, 10, 0, 0, 0, 0, 0, 1]), None);
    }

    #[test]
    fn a_parameter_takes_the_statements_type_or_is_refused() {
        let mut out = BytesMut::new();
        assert!(Param(ValueRef::Integer(1 << 40)).to_sql(&Type::INT4, &mut out).is_err());
        assert!(Param(ValueRef::Text(b"a")).to_sql(&Type::INT8, &mut out).is_err());
        assert!(Param(ValueRef::Blob(b"a")).to_sql(&Type::INT8, &mut out).is_err());
        assert!(matches!(Param(ValueRef::Null).to_sql(&Type::INT8, &mut out), Ok(IsNull::Yes)));
        assert!(out.is_empty());
        Param(ValueRef::Integer(7)).to_sql(&Type::TEXT, &mut out).unwrap();
        assert_eq!(&out[..], b"7");
        out.clear();
        Param(ValueRef::Text(b"a\0b")).to_sql(&Type::TEXT, &mut out).unwrap();
        assert_eq!(&out[..], b"ab", "a text without its zeros, which no store of this kind holds");
    }
}
