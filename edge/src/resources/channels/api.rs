//! `/channels` over HTTP.

use super::rules::{Channel, ChannelError, ChannelFields, ChannelKind, TaxedBy};
use super::{actions, store};
use crate::access::Cx;
use crate::http::{Created, Data, Id, Json, Paged, Paging, Patch, Query, Replace, Result, Updated};
use tiffin_common::{Bps, Uuid};

answered! {
    ChannelError of "channel" {}
}

/// Lists the outlet's channels.
pub async fn list_channels(cx: Cx, Query(paging): Query<Paging>) -> Result<Paged<Channel>> {
    cx.list(paging, move |conn, outlet| store::list(conn, outlet, paging)).await
}

/// One channel.
pub async fn get_channel(cx: Cx, Id(id): Id) -> Result<Data<Channel>> {
    cx.get(move |conn, outlet| store::find(conn, outlet, id)).await
}

/// A new channel.
#[apply(request!)]
pub struct CreateChannel {
    /// Unique in the outlet.
    #[schemars(length(min = 1, max = 60))]
    name: String,
    /// What it is.
    kind: ChannelKind,
    /// Who owes the tax of the food: the house where absent.
    #[serde(default)]
    taxed_by: Option<TaxedBy>,
    /// The tax id of whoever runs it.
    #[serde(default)]
    #[schemars(length(max = 40))]
    operator_tax_id: Option<String>,
    /// What it keeps of each order, in basis points of what is charged without tax.
    #[serde(default)]
    #[schemars(range(min = 0, max = 10_000))]
    commission_bps: Option<Bps>,
    /// The price list that is for its orders, whatever channels that list names.
    #[serde(default)]
    price_list_id: Option<Uuid>,
}

/// Makes a channel.
pub async fn create_channel(cx: Cx, Json(body): Json<CreateChannel>) -> Result<Created<Channel>> {
    let fields = ChannelFields {
        name: body.name,
        kind: body.kind,
        taxed_by: body.taxed_by.unwrap_or(TaxedBy::Restaurant),
        operator_tax_id: body.operator_tax_id,
        commission_bps: body.commission_bps.unwrap_or_default(),
        price_list_id: body.price_list_id,
    };
    cx.create(move |tx, actor| actions::create(tx, actor, fields)).await
}

patch! {
    /// A change of a channel; it holds for the orders that come from then on.
    pub struct UpdateChannel of ChannelFields {
        /// Unique in the outlet.
        #[schemars(length(min = 1, max = 60))]
        name: Replace<String>,
        /// What it is.
        kind: Replace<ChannelKind>,
        /// Who owes the tax of the food.
        taxed_by: Replace<TaxedBy>,
        /// The tax id of whoever runs it.
        #[schemars(length(max = 40))]
        operator_tax_id: Patch<String>,
        /// What it keeps of each order, in basis points of what is charged without tax.
        #[schemars(range(min = 0, max = 10_000))]
        commission_bps: Replace<Bps>,
        /// The price list that is for its orders, whatever channels that list names.
        price_list_id: Patch<Uuid>,
    }
}

/// Changes a channel.
pub async fn update_channel(cx: Cx, Id(id): Id, Json(body): Json<UpdateChannel>) -> Result<Updated<Channel>> {
    cx.change(move |tx, actor, expected| actions::update(tx, actor, id, expected, |fields| body.over(fields)))
        .await
}

/// A channel that is archived.
#[apply(answer!)]
pub struct ChannelArchived {
    /// Id of the channel.
    id: Uuid,
    /// True: it takes no more orders.
    archived: bool,
}

/// Archives a channel.
pub async fn delete_channel(cx: Cx, Id(id): Id) -> Result<Updated<ChannelArchived>> {
    cx.change(move |tx, actor, expected| {
        actions::archive(tx, actor, id, expected).map(|_| ChannelArchived { id, archived: true })
    })
    .await
}
