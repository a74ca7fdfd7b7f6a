//! Rows of `second_factors`. Never returns a secret but sealed.

use super::super::rules::Account;
use crate::db::{self, Columns, Source, Tx, opt};
use tiffin_common::Uuid;

table! {
    /// The second factor of an account.
    pub(in super::super) struct Factor: second_factors {
        /// Its secret, sealed.
        pub(in super::super) secret: Vec<u8>,
        /// Whether a code of it has opened.
        pub(in super::super) is_confirmed: bool,
        /// The step of the newest code that did.
        pub(in super::super) last_step: i64,
    }
}

pub(in super::super) fn find(conn: &dyn Source, account: Uuid) -> db::Result<Option<Factor>> {
    opt(conn, select!(Factor, "WHERE account_id = ?1"), [account], Factor::read)
}

/// Keeps a secret that no code has confirmed yet, in the place of another such.
pub(in super::super) fn insert(tx: &Tx<'_>, account: &Account, secret: Vec<u8>) -> db::Result<()> {
    delete(tx, account.id)?;
    let factor = Factor { secret, is_confirmed: false, last_step: 0 };
    let (id, outlet) = (account.id, account.outlet_id);
    insert!(tx, second_factors { account_id: id, outlet_id: outlet, created_at: tx.now(), ..&factor })
        .map(drop)
}

pub(in super::super) fn set_used(tx: &Tx<'_>, account: Uuid, step: i64) -> db::Result<()> {
    update!(tx, second_factors { is_confirmed: true, last_step: step } where { account_id: account })
        .map(drop)
}

pub(in super::super) fn delete(tx: &Tx<'_>, account: Uuid) -> db::Result<()> {
    tx.execute("DELETE FROM second_factors WHERE account_id = ?1", [account]).map(drop)
}
