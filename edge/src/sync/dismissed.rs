//! A box that head office takes nothing from hears all the same who was dismissed, as far as it can still be told. Never learns anything
//! else, and never gives a right.

use super::Hub;
use super::apply::{self, Applied, Packed};
use super::exchange::Exchange;
use super::trouble::Trouble;
use crate::db::{DbError, Tx};
use base64::Engine;
use base64::engine::general_purpose::STANDARD;
use tiffin_common::frame::OpKind;
use tiffin_common::sync::Dismissed;

/// Asks once, and shuts out whoever head office names.
pub(super) async fn hear(exchange: &Exchange, hub: &Hub) -> Result<(), Trouble> {
    let changes = read(&hub.dismissed().await?)?;
    let shut = move |tx: &Tx<'_>| -> Result<Applied, DbError> { apply::apply_changes(tx, &changes) };
    let applied = exchange.db().write(shut).await?;
    exchange.0.revocations.revoke_all(applied.signed_out.iter().copied(), exchange.now());
    Ok(())
}

/// The changes that take a right away; whatever else is said does not count.
fn read(told: &Dismissed) -> Result<Vec<Packed>, Trouble> {
    let mut changes = Vec::new();
    for text in &told.changes {
        let packed = STANDARD.decode(text).map_err(|_| Trouble::Nonsense("its changes are no base64"))?;
        let packed = Packed(packed);
        let takes = packed.op().is_some_and(|(op, table, _)| match op.kind {
            OpKind::Update => ["accounts", "employees"].contains(&table.name),
            OpKind::Delete => table.name == "account_outlets",
            OpKind::Insert => false,
        });
        if takes {
            changes.push(packed);
        }
    }
    Ok(changes)
}
