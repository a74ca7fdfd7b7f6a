//! The head-office server's library. So far it can prove that a branch's change log is complete and unbroken; it does not
//! receive anything yet.

pub mod replay;
pub mod verify;
