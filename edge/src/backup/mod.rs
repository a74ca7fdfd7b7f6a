//! Backups: taking one, whole or not at all, what they are called, which may go, and how they stand. Never knows what an order or a
//! price is, never puts one back.

pub(crate) mod copying;
pub mod erased;
mod error;
pub mod many;
mod names;
pub mod nightly;
pub(crate) mod packing;
mod rotation;
pub mod secret_file;
mod taking;
pub mod tell;
mod watch;

pub use copying::{Contents, contents_of};
pub use error::{BackupError, Result};
pub use names::{Backup, Kind, Reason};
pub use rotation::Rules;
pub(crate) use taking::size_of;
pub use taking::{Destinations, folder, list, newest, rotate, take, take_poured};
pub use watch::watch;
