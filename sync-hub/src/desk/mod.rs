//! Head office's master data: the catalogue of menu, stock items, recipes, suppliers and people, which is an outlet of its own (`HQ`),
//! edited by the branch's own handlers; what of it was published to which outlet and when it takes effect; and what became
//! of edits that were made at both ends. Nothing is authoritative in the process: a desk that was overtaken is made anew
//! from the store.

pub mod catalogue;
pub mod mapping;
pub mod parts;
pub mod rows;

use tiffin_common::Uuid;

/// Head office's own outlet: the same id at every head office, so that nothing need be looked up.
pub const HQ: Uuid = Uuid::from_u128(0x7469_6666_696e_8000_8000_0068_6561_6471);

/// Its code.
pub const HQ_CODE: &str = "HQ";
