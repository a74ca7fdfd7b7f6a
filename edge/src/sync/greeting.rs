//! What a box says first, and again where it learns that its own log parts from what it sent. Never decides what the answer means.

use super::exchange::Exchange;
use super::store::{self, Later, Peer};
use super::trouble::Trouble;
use super::{Enrolment, Hub, resumed};
use crate::db::{DbError, Source};
use crate::secrets;
use base64::Engine;
use base64::engine::general_purpose::STANDARD;
use std::path::Path;
use std::sync::atomic::Ordering;
use tiffin_common::sync::batch::Dictionary;
use tiffin_common::sync::{At, Hello, HelloRequest, PROTOCOL, ScheduledRow};

fn card((id, effective_at, op): Later) -> ScheduledRow {
    ScheduledRow { id, effective_at, op: STANDARD.encode(op) }
}

/// The certificate authority that the tablets of the box in `data_dir` believe; none where its key would travel in clear.
fn authority(data_dir: &Path) -> Option<String> {
    let is_open = Enrolment::load(data_dir).ok()?.is_none_or(|enrolment| enrolment.insecure);
    if is_open { None } else { secrets::tls_authority(data_dir) }
}

/// Says hello.
pub(super) async fn greet(exchange: &Exchange, hub: &Hub, peer: &Peer) -> Result<Hello, Trouble> {
    let hello = hub.hello(&request(exchange, peer).await?).await?;
    exchange.0.greetings.fetch_add(1, Ordering::SeqCst);
    if !resumed::part(exchange, hub, peer, &hello).await? {
        return Ok(hello);
    }
    Ok(hub.hello(&request(exchange, peer).await?).await?)
}

/// What the box says first.
async fn request(exchange: &Exchange, peer: &Peer) -> Result<HelloRequest, DbError> {
    let wall = exchange.now();
    let (device_id, hub_epoch, acked) = (peer.device_id, peer.hub_epoch, peer.acked);
    let (feed, mark) = (peer.feed, peer.feed_mark.clone());
    let tls_authority = exchange.db().path().parent().and_then(authority);
    let look = move |from: &dyn Source| -> Result<HelloRequest, DbError> {
        let head = store::find_head(from)?;
        let backlog = head.map_or(0, |head| head.seq) - acked.map_or(0, |acked| acked.seq);
        Ok(HelloRequest {
            device_id,
            protocol: PROTOCOL,
            schema: tiffin_migrations::edge_schema_version(),
            version: env!("CARGO_PKG_VERSION").to_owned(),
            wall,
            head: head.map(At::from),
            epochs: store::list_epochs(from, 64)?,
            backlog: backlog.max(0),
            hub_epoch,
            dictionaries: Dictionary::known(),
            feed,
            mark,
            kept_from: store::find_first_kept(from)?,
            scheduled: store::list_scheduled(from)?.into_iter().map(card).collect(),
            withdrawn: Some(store::list_withdrawn(from)?),
            tls_authority,
        })
    };
    exchange.db().read(look).await
}
