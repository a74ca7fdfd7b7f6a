//! `GET /menu`: the whole tree at the prices of such an order, or 304 when the client's is current.

use crate::access::Cx;
use crate::db::Source;
use crate::http::{Checks, Data, Query, Result, etag};
use crate::resources::channels;
use crate::resources::menu::rules::{MenuError, Occasion, Result as MenuResult};
use crate::resources::menu::store;
use crate::resources::outlets::rules::OrderType;
use axum::http::{HeaderMap, HeaderValue, header};
use axum::response::Response;
use tiffin_common::Uuid;

/// Whose prices are asked for: without any of them, those that hold for every order.
#[apply(filters!)]
pub struct MenuQuery {
    /// How the order reaches its guest.
    order_type: Option<OrderType>,
    /// Its table: the prices of its area.
    table_id: Option<Uuid>,
    /// The channel it comes through.
    channel_id: Option<Uuid>,
}

impl MenuQuery {
    fn occasion(&self, conn: &dyn Source, outlet: Uuid) -> MenuResult<Occasion> {
        let mut checks = Checks::new();
        let area = match self.table_id {
            Some(id) => store::find_area(conn, outlet, id)?,
            None => Some(None),
        };
        checks.require(area.is_some(), "tableId", "is no table of this outlet");
        if let Some(id) = self.channel_id {
            let is_there = channels::store::is_there(conn, outlet, id)?;
            checks.require(is_there, "channelId", "is no channel of this outlet");
        }
        let area = area.flatten();
        let occasion = Occasion { order_type: self.order_type, channel_id: self.channel_id, area };
        checks.finish(occasion).map_err(MenuError::Invalid)
    }
}

/// The whole menu with live availability.
pub async fn get_menu(cx: Cx, Query(query): Query<MenuQuery>, headers: HeaderMap) -> Result<Response> {
    let now = cx.db.env().clock.now();
    let known = etag::known(&headers);
    let (tag, tree) = cx
        .read(move |conn, outlet| -> MenuResult<_> {
            let occasion = query.occasion(conn, outlet)?;
            let at = store::find_local_now(conn, outlet, now)?;
            let tag = etag::of(&store::find_conditions(conn, outlet, &at, &occasion)?);
            if etag::holds(&known, &tag) {
                return Ok((tag, None));
            }
            Ok((tag, Some(store::find_tree(conn, outlet, &at, &occasion, false)?)))
        })
        .await?;
    let mut response = etag::answer(&tag, tree.map(Data::new));
    let vary = HeaderValue::from_static("authorization, x-outlet-id");
    response.headers_mut().insert(header::VARY, vary);
    Ok(response)
}
