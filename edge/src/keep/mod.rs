//! Keeping what a box knows: backups, putting one back, exports, and noticing damage before it is served. Never serves anything,
//! never knows what an order or a price is.

pub mod backup;
mod copying;
mod error;
pub mod export;
pub mod guard;
pub mod health;
pub mod many;
mod names;
pub mod nightly;
mod numbers;
mod packing;
pub mod restore;
pub mod retention;
mod rotation;
pub mod secret_file;
pub mod space;
pub mod tell;
mod watch;

pub use backup::Destinations;
pub use copying::{Contents, contents_of};
pub use error::BackupError;
pub use health::{Unfit, examine, prepare};
pub use names::{Backup, Kind, Reason};
pub use rotation::Rules;
pub use watch::watch;
