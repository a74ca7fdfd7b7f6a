//! The digest of rows: what a branch and head office compare to know that both hold the same. Never reads a database, and
//! never depends on the order in which rows come.
//!
//! A row's canonical form is its table's number and, for every column that the schema still has and that is not null, the
//! column's number and its typed value. So a column that is new or gone changes no digest until somebody writes into it.

use crate::frame::{Bucket, DigestEntry, Value};
use crate::registry::{Owner, Table};
use crate::text;
use crate::{Millis, Uuid};
use chrono::{DateTime, NaiveDate, NaiveTime};
use std::ops::Range;

const DAY_MS: i64 = 86_400_000;

/// Bytes that nearly every row is within.
const ROW: usize = 512;

/// How many rows, and the wrapping sum of their hashes. Rows may come in any order and be taken out again.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct RowSum {
    /// Rows.
    pub count: u64,
    /// The sum of their [`row_hash`]es.
    pub sum: u128,
}

impl RowSum {
    /// Takes a row in.
    pub fn add(&mut self, row: u128) {
        self.count = self.count.wrapping_add(1);
        self.sum = self.sum.wrapping_add(row);
    }

    /// Takes a row out again.
    pub fn remove(&mut self, row: u128) {
        self.count = self.count.wrapping_sub(1);
        self.sum = self.sum.wrapping_sub(row);
    }

    /// As a digest row of the log has it.
    pub fn entry(self, bucket: Bucket) -> DigestEntry {
        DigestEntry { bucket, count: self.count, sum: self.sum.to_be_bytes() }
    }
}

impl From<&DigestEntry> for RowSum {
    fn from(entry: &DigestEntry) -> RowSum {
        RowSum { count: entry.count, sum: u128::from_be_bytes(entry.sum) }
    }
}

/// The hash of one row: `values` are its live columns ([`Table::live_columns`]) in ascending order. Nulls count for nothing,
/// an id is the same as a blob of its 16 bytes, and a text counts as [`text::clean`] makes it: rows of an older version are the same
/// whether they were cleaned or not.
pub fn row_hash<'a>(table: &Table, values: impl IntoIterator<Item = (usize, Value<'a>)>) -> u128 {
    // Together first: a hasher that is told of a few bytes at a time takes twice as long.
    let mut row = Vec::with_capacity(ROW);
    row.extend_from_slice(&table.no.to_le_bytes());
    for (column, value) in values {
        let plain;
        let (tag, bytes): (u8, &[u8]) = match &value {
            Value::Null => continue,
            Value::Integer(integer) => (1, &integer.to_le_bytes()),
            Value::Real(real) => (2, &real.to_bits().to_le_bytes()),
            Value::Text(held) => {
                plain = text::clean(held);
                (3, plain.as_bytes())
            }
            Value::Id(id) => (4, id.as_bytes()),
            Value::Blob(blob) => (4, blob),
        };
        row.extend_from_slice(&(column as u16).to_le_bytes());
        row.push(tag);
        row.extend_from_slice(&(bytes.len() as u64).to_le_bytes());
        row.extend_from_slice(bytes);
    }
    let mut short = [0; 16];
    blake3::Hasher::new().update(&row).finalize_xof().fill(&mut short);
    u128::from_be_bytes(short)
}

/// The bucket that a row belongs to. Every id has one, whoever made it.
pub fn bucket_of(table: &Table, id: Uuid) -> Bucket {
    let day = match table.owner {
        Owner::Outlet => {
            DateTime::from_timestamp_millis((id.as_u128() >> 80) as i64).map(|at| at.date_naive())
        }
        Owner::Shared => None,
    };
    Bucket { table: table.no, day }
}

/// The ids whose time is on `day` (UTC), for a range scan of the primary key: the first, and the first beyond.
pub fn ids_of_day(day: NaiveDate) -> Range<Uuid> {
    let start = day.and_time(NaiveTime::MIN).and_utc().timestamp_millis();
    bound(start)..bound(start.saturating_add(DAY_MS))
}

/// Below every id that was made at `at` or later, and not below one from before.
pub fn first_id(at: Millis) -> Uuid {
    bound(at.get())
}

fn bound(ms: i64) -> Uuid {
    match u128::try_from(ms) {
        Ok(ms) if ms < 1 << 48 => Uuid::from_u128(ms << 80),
        Ok(_) => Uuid::max(),
        Err(_) => Uuid::nil(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::ids::Ids;
    use crate::registry::table_named;
    use proptest::prelude::*;

    fn orders() -> &'static Table {
        table_named("orders").unwrap()
    }

    #[test]
    fn the_hash_of_a_row_stays_what_it_is() {
        // Both ends of an exchange may be of different versions: this figure never changes.
        let id = Uuid::from_u128(0x0197_f6a2_1c3d_7abc_9def_0123_4567_89ab);
        let row = [
            (0, Value::Id(id)),
            (2, Value::Text("B1-0042")),
            (3, Value::Integer(42)),
            (9, Value::Null),
            (12, Value::Real(0.5)),
        ];
        assert_eq!(row_hash(orders(), row), GOLDEN);
        let blob = row.map(
            |(column, value)| if column == 0 { (0, Value::Blob(id.as_bytes())) } else { (column, value) },
        );
        assert_eq!(row_hash(orders(), blob), GOLDEN);
        assert_eq!(row_hash(orders(), row.into_iter().filter(|(column, _)| *column != 9)), GOLDEN);
    }

    const GOLDEN: u128 = 311_445_800_801_631_203_273_966_344_684_649_996_628;

    #[test]
    fn values_do_not_run_into_each_other() {
        let hash = |row: &[(usize, Value<'_>)]| row_hash(orders(), row.iter().copied());
        let rows: [&[(usize, Value<'_>)]; 7] = [
            &[],
            &[(1, Value::Integer(5))],
            &[(2, Value::Integer(5))],
            &[(1, Value::Text("5"))],
            &[(1, Value::Blob(b"5"))],
            &[(1, Value::Text("ab")), (2, Value::Text("c"))],
            &[(1, Value::Text("a")), (2, Value::Text("bc"))],
        ];
        let hashes: std::collections::HashSet<u128> = rows.iter().map(|row| hash(row)).collect();
        assert_eq!(hashes.len(), rows.len());
        assert_ne!(row_hash(table_named("payments").unwrap(), []), row_hash(orders(), []));
    }

    #[test]
    fn a_text_counts_as_every_store_can_hold_it() {
        let hash = |text: &'static str| row_hash(orders(), [(2, Value::Text(text))]);
        assert_eq!(hash("A\0sha\0"), hash("Asha"));
        assert_ne!(hash("A sha"), hash("Asha"));
    }

    proptest! {
        #[test]
        fn an_id_lies_in_the_range_of_its_day(bits: u128) {
            let id = Uuid::from_u128(bits);
            let bucket = bucket_of(orders(), id);
            let ids = ids_of_day(bucket.day.unwrap());
            prop_assert!(ids.contains(&id) || id == Uuid::max());
        }

        #[test]
        fn sums_do_not_depend_on_order(mut rows in proptest::collection::vec(any::<u128>(), 0..9), out: u128) {
            let sum = |rows: &[u128]| {
                let mut sum = RowSum::default();
                rows.iter().for_each(|row| sum.add(*row));
                sum
            };
            let before = sum(&rows);
            rows.reverse();
            rows.push(out);
            let mut after = sum(&rows);
            after.remove(out);
            prop_assert_eq!(before, after);
            let bucket = Bucket { table: 71, day: None };
            prop_assert_eq!(RowSum::from(&before.entry(bucket)), before);
        }
    }

    #[test]
    fn days_meet_without_a_gap() {
        let day = NaiveDate::from_ymd_opt(2027, 3, 28).unwrap();
        assert_eq!(ids_of_day(day).end, ids_of_day(day.succ_opt().unwrap()).start);
        let midnight = Millis::new(ids_of_day(day).end.as_u128().wrapping_shr(80) as i64);
        let ids = Ids::new(5);
        assert_eq!(bucket_of(orders(), ids.next(Millis::new(midnight.get() - 1))).day, Some(day));
        assert_eq!(bucket_of(orders(), ids.next(midnight)).day, day.succ_opt());
        assert_eq!(bucket_of(table_named("menu_items").unwrap(), ids.next(midnight)).day, None);
        let early = NaiveDate::from_ymd_opt(1969, 12, 31).unwrap();
        assert!(ids_of_day(early).is_empty());
    }
}
