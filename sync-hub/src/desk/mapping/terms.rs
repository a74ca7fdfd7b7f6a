//! What a mapping asks and answers.

use super::super::rows::{Columns, Held, RowChange};
use tiffin_common::registry::Table;
use tiffin_common::{Millis, Uuid};

/// Which row of an outlet stands for which row of the catalogue.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Link {
    /// The table's number.
    pub table: u16,
    /// The row of the catalogue.
    pub catalogue_id: Uuid,
    /// The outlet's row.
    pub row_id: Uuid,
    /// From when there is such a row, where it comes later.
    pub from: Option<Millis>,
}

/// What the mapping asks of an outlet.
pub trait Lookup {
    /// What can go wrong.
    type Error;

    /// The outlet.
    fn outlet(&self) -> Uuid;

    /// The row that stands for a row of the catalogue.
    fn link(&self, table: &'static Table, catalogue_id: Uuid) -> Result<Option<Link>, Self::Error>;

    /// Whether the row stands for any row of the catalogue.
    fn is_linked(&self, table: &'static Table, row_id: Uuid) -> Result<bool, Self::Error>;

    /// The row as head office has it, or as the outlet has it where head office never had another.
    fn row(&self, table: &'static Table, id: Uuid) -> Result<Option<Columns>, Self::Error>;

    /// The rows with these values, in any case of letters; archived ones only where `archived`.
    fn alike(
        &self,
        table: &'static Table,
        values: &[(&'static str, Held)],
        archived: bool,
    ) -> Result<Vec<Uuid>, Self::Error>;
}

/// A change of an outlet's row.
#[derive(Debug, Clone, PartialEq)]
pub struct Mapped {
    /// The change, under the outlet's ids.
    pub change: RowChange,
    /// From when; none for at once.
    pub from: Option<Millis>,
}

/// What a publication means at one outlet.
#[derive(Debug, Default, PartialEq)]
pub struct Outcome {
    /// What changes.
    pub changes: Vec<Mapped>,
    /// Rows that are tied from now on.
    pub links: Vec<Link>,
}

/// The id of the outlet's row for a row of the catalogue that it has nothing alike for: the same whoever works it out.
pub fn derived(outlet: Uuid, table: u16, catalogue_id: Uuid) -> Uuid {
    let mut hasher = blake3::Hasher::new_derive_key("tiffin 2026-11 an outlet's rows of the catalogue");
    hasher.update(outlet.as_bytes()).update(&table.to_le_bytes()).update(catalogue_id.as_bytes());
    let mut bytes = [0; 16];
    hasher.finalize_xof().fill(&mut bytes);
    let bits = u128::from_be_bytes(bytes);
    // Version 8 (made by rules of one's own), the usual variant.
    let [version, variant] = [0xF_u128 << 76, 0b11_u128 << 62];
    Uuid::from_u128(bits & !version & !variant | 0x8 << 76 | 0b10 << 62)
}
