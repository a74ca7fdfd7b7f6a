//! `GET /menu`: the whole tree at the prices of such an order, or 304 when the client's is current.

use crate::access::Cx;
use crate::db::{DbError, Source};
use crate::http::{Checks, Data, Query, Result, compress, etag, language};
use crate::resources::channels;
use crate::resources::menu::rules::{LocalNow, MenuError, Occasion, Result as MenuResult};
use crate::resources::menu::store;
use crate::resources::outlets;
use crate::resources::outlets::rules::OrderType;
use axum::body::Bytes;
use axum::http::{HeaderMap, HeaderValue, header};
use axum::response::Response;
use std::collections::VecDeque;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
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
    /// One of the outlet's `languages`; absent: the first of `Accept-Language` that is one of them.
    #[schemars(length(max = 40))]
    lang: Option<String>,
}

impl MenuQuery {
    fn occasion(&self, conn: &dyn Source, outlet: Uuid) -> MenuResult<Occasion> {
        let mut checks = Checks::new();
        let area = match self.table_id {
            Some(id) => store::find_area(conn, outlet, id)?,
            None => Some(None),
        };
        checks.require(area.is_some(), "tableId", "is no table of this outlet");
        let list = match self.channel_id {
            Some(id) => channels::store::find_list(conn, outlet, id)?,
            None => Some(None),
        };
        checks.require(list.is_some(), "channelId", "is no channel of this outlet");
        let occasion = Occasion {
            order_type: self.order_type,
            channel_id: self.channel_id,
            channel_list_id: list.flatten(),
            area: area.flatten(),
        };
        checks.finish(occasion).map_err(MenuError::Invalid)
    }
}

/// A menu as it is answered, and the same compressed.
#[derive(Debug, Clone)]
struct Answered {
    plain: Bytes,
    packed: Bytes,
}

/// Menus as they were answered, by their tags, the one that was asked for last behind: as long as nothing changes, a menu is put together
/// and compressed once, whoever asks for it.
#[derive(Debug, Clone, Default)]
pub struct Kept(Arc<Mutex<VecDeque<(String, Answered)>>>);

/// So many are kept: in three languages, by each of a few price lists. Then the one goes that nobody has asked for the longest.
const MOST: usize = 16;

impl Kept {
    fn menus(&self) -> MutexGuard<'_, VecDeque<(String, Answered)>> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn find(&self, tag: &str) -> Option<Answered> {
        let mut menus = self.menus();
        let place = menus.iter().position(|(known, _)| known == tag)?;
        let found = menus.remove(place)?;
        let menu = found.1.clone();
        menus.push_back(found);
        Some(menu)
    }

    fn keep(&self, tag: &str, menu: &Answered) {
        let mut menus = self.menus();
        if menus.len() >= MOST {
            menus.pop_front();
        }
        menus.push_back((tag.to_owned(), menu.clone()));
    }
}

/// The whole menu with live availability, in the language that is asked for; `texts` has the others.
pub async fn get_menu(
    cx: Cx,
    Query(query): Query<MenuQuery>,
    headers: HeaderMap,
    kept: Kept,
) -> Result<Response> {
    let (now, is_packed) = (cx.db.env().clock.now(), compress::reads_gzip(&headers));
    let (tag, language, menu) = cx
        .read(move |conn, outlet| -> MenuResult<_> {
            let occasion = query.occasion(conn, outlet)?;
            let house = outlets::store::find(conn, outlet)?;
            let at = LocalNow::new(now, house.timezone);
            let chosen = language::choose(&house.languages, query.lang.as_deref(), &headers);
            let conditions = store::find_conditions(conn, outlet, &at, &occasion)?;
            // The marks of food are the country's.
            let tag = etag::of(&format!("{conditions}/{}/{}", house.country, chosen.unwrap_or_default()));
            let language = chosen.map(str::to_owned);
            if etag::holds(&etag::known(&headers), &tag) {
                return Ok((tag, language, None));
            }
            if let Some(menu) = kept.find(&tag) {
                return Ok((tag, language, Some(menu)));
            }
            let mut tree = store::find_tree(conn, outlet, &at, &occasion, false)?;
            tree.put_in(house.profile(), chosen);
            let menu =
                serde_json::to_vec(&Data::new(tree)).map_err(|error| DbError::Other(error.to_string()))?;
            let packed = compress::gzip(&menu).map_err(|error| DbError::Other(error.to_string()))?;
            let menu = Answered { packed, plain: Bytes::from(menu) };
            kept.keep(&tag, &menu);
            Ok((tag, language, Some(menu)))
        })
        .await?;
    let json = HeaderValue::from_static("application/json");
    let is_sent = menu.is_some();
    let body = menu.map(|menu| if is_packed { menu.packed } else { menu.plain });
    let mut response = etag::answer(&tag, body.map(|body| ([(header::CONTENT_TYPE, json)], body)));
    if is_packed && is_sent {
        response.headers_mut().insert(header::CONTENT_ENCODING, HeaderValue::from_static("gzip"));
    }
    let vary = HeaderValue::from_static("authorization, x-outlet-id, accept-encoding");
    response.headers_mut().insert(header::VARY, vary);
    language::label(response.headers_mut(), language.as_deref());
    Ok(response)
}
