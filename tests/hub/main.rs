//! Head office over HTTP, on SQLite: people, boxes, what may be done at once, outlets and the figures of the chain.

mod access;
mod chain;
mod contract;
mod enrolment;
mod exchange;
mod people;

use tiffin_common::frame::{Hash, Header, Kind};
use tiffin_common::sync::batch::{self, Batch, Frame};
use tiffin_common::sync::{Class, OutletCard};
use tiffin_common::{Hlc, Millis, Uuid};
use tiffin_tests::{BoxClient, Branch, HeadOffice};

/// The log of `branch` after row `after`.
async fn log(branch: &Branch, after: i64) -> Batch {
    let read = move |conn: &dyn edge::db::Source| -> Result<Batch, edge::db::DbError> {
        let sql = "SELECT seq, epoch, kind, hlc, wall_ms, schema_v, n, body, hash FROM sync_log
            WHERE seq > ?1 ORDER BY seq LIMIT 400";
        let frames = edge::db::list(conn, sql, [after], |row| {
            let header = Header {
                seq: row.get(0)?,
                epoch: row.get(1)?,
                kind: Kind::from_number(row.get(2)?).unwrap(),
                hlc: Hlc::new(row.get(3)?),
                wall: Millis::new(row.get(4)?),
                schema: row.get(5)?,
                count: row.get(6)?,
            };
            Ok(Frame { header, body: row.get(7)?, hash: Hash(row.get(8)?) })
        })?;
        let before = "SELECT hash FROM sync_log WHERE seq = ?1";
        let previous = edge::db::opt(conn, before, [after], |row| row.get(0))?;
        Ok(Batch { previous: previous.map_or(Hash::START, Hash), frames })
    };
    branch.db.read(read).await.unwrap()
}

/// Pushes everything that head office does not hold of `branch` yet.
async fn push_all(branch: &Branch, sender: &BoxClient) {
    let mut after = 0;
    loop {
        let batch = log(branch, after).await;
        let Some(last) = batch.frames.last() else { return };
        let seq = last.header.seq;
        let reply = sender.push(Class::Backlog, batch::encode(&batch).unwrap()).await.expect(200).json();
        assert_eq!(reply["cursor"]["seq"], seq);
        after = seq;
    }
}

/// Enrols the box of `branch` as `code`.
async fn enrol(hub: &HeadOffice, branch: &Branch, code: &str) -> BoxClient {
    let card = OutletCard {
        id: branch.outlet_id,
        code: code.into(),
        name: format!("Outlet {code}"),
        timezone: "Asia/Kolkata".into(),
        currency: "INR".into(),
    };
    let request = hub.request(&hub.code(None).await, Some(&card));
    hub.enrol(&request).await
}

/// A made-up id.
const UNKNOWN: Uuid = Uuid::from_u128(0x0190_0000_0000_7000_8000_0000_0000_0001);
