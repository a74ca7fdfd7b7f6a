//! Change capture: every action's row changes become one row of the change log, in the same transaction.

use rusqlite::Connection;
use tiffin_common::Millis;

/// The buffer of row changes between savepoint and seal.
#[derive(Debug)]
pub struct Capture;

/// A place in the buffer to cut back to.
#[derive(Debug, Clone, Copy)]
pub struct Mark;

impl Capture {
    /// Prepares `conn`.
    pub fn install(_: &Connection) -> rusqlite::Result<Capture> {
        Ok(Capture)
    }
    /// Begins this process start's epoch.
    pub fn start_epoch(&self, _: &Connection, _: [u8; 16], _: Millis) -> rusqlite::Result<()> {
        Ok(())
    }
    /// Where the buffer stands.
    pub fn mark(&self) -> Mark {
        Mark
    }
    /// Forgets what came after `mark`.
    pub fn cut(&self, _: Mark) {}
    /// Writes the log row of what is buffered.
    pub fn seal(&self, _: &Connection, _: Millis) -> rusqlite::Result<Option<i64>> {
        Ok(None)
    }
    /// Forgets everything and reads the head again.
    pub fn reset(&self, _: &Connection) -> rusqlite::Result<()> {
        Ok(())
    }
}
