//! The menu behind a table's QR code, in the guest's language. Never what cannot be ordered now.

use super::super::actions::qr::occasion_of;
use super::super::store;
use super::guests::table_of;
use crate::db::Db;
use crate::http::{Data, Path, Query, Result, etag, language};
use crate::resources::menu::rules::{LocalNow, MenuChapter};
use crate::resources::tables::rules::TableFields;
use crate::resources::{menu, outlets};
use axum::extract::State;
use axum::http::HeaderMap;
use axum::response::Response;
use tiffin_common::Uuid;

/// What a guest sees after scanning.
#[apply(answer!)]
pub struct GuestMenu {
    /// Where they are.
    outlet: GuestOutlet,
    /// The table whose code was scanned.
    table: GuestTable,
    /// Their seating, when one has begun.
    #[serde(skip_serializing_if = "Option::is_none")]
    session: Option<GuestSession>,
    /// What can be ordered now.
    categories: Vec<MenuChapter>,
}

/// The restaurant, for its guests.
#[apply(answer!)]
pub struct GuestOutlet {
    /// Name of the restaurant.
    name: String,
    /// ISO 4217 code, as INR.
    currency: String,
    /// Whether prices hold the tax.
    prices_include_tax: bool,
    /// The languages that the menu may be asked for in with `lang`; the first is the house's own.
    languages: Vec<String>,
}

/// In which language.
#[apply(filters!)]
pub struct GetTableMenu {
    /// One of the outlet's `languages`; absent: the first of `Accept-Language` that is one of them.
    #[schemars(length(max = 40))]
    lang: Option<String>,
}

/// A table, for its guests.
#[apply(answer!)]
pub struct GuestTable {
    /// Number of the table, as on its sign.
    number: String,
}

/// A seating, for its guests.
#[apply(answer!)]
pub struct GuestSession {
    /// Id of the party's stay at the table.
    id: Uuid,
    /// Orders of this seating.
    orders_count: usize,
}

/// The menu behind a QR code, or 304 when the phone's is current.
pub async fn get_table_menu(
    State(db): State<Db>,
    Path(token): Path<String>,
    headers: HeaderMap,
    Query(query): Query<GetTableMenu>,
) -> Result<Response> {
    let (now, known) = (db.env().clock.now(), etag::known(&headers));
    let (tag, language, menu) = db
        .read(move |conn| -> Result<_> {
            let table = table_of(conn, &token)?;
            let outlet = outlets::store::find(conn, table.outlet_id)?;
            let session = store::find_open_session(conn, outlet.id, table.id)?;
            let session = match session {
                None => None,
                Some(id) => {
                    let orders_count = store::list_of_session(conn, outlet.id, id, false)?.len();
                    Some(GuestSession { id, orders_count })
                }
            };
            let at = LocalNow::new(now, outlet.timezone);
            let occasion = occasion_of(&table);
            let conditions = menu::store::find_conditions(conn, outlet.id, &at, &occasion)?;
            let outlet_shown = GuestOutlet {
                name: outlet.name.clone(),
                currency: outlet.currency.clone(),
                prices_include_tax: outlet.prices_include_tax,
                languages: outlet.languages.clone(),
            };
            let chosen = language::choose(&outlet.languages, query.lang.as_deref(), &headers);
            let language = chosen.map(str::to_owned);
            let TableFields { mut number, texts, .. } = table.fields;
            if let Some(language) = chosen {
                texts.put(language, &mut number, None);
            }
            let table = GuestTable { number };
            let shown = format!("{} {outlet_shown:?} {table:?} {session:?} {chosen:?}", outlet.country);
            let tag = etag::of(&format!("{conditions} {shown}"));
            if etag::holds(&known, &tag) {
                return Ok((tag, language, None));
            }
            let mut tree = menu::store::find_tree(conn, outlet.id, &at, &occasion, true)?;
            tree.put_in(outlet.profile(), chosen);
            tree.drop_texts();
            let menu = GuestMenu { outlet: outlet_shown, table, session, categories: tree.categories };
            Ok((tag, language, Some(Data::new(menu))))
        })
        .await?;
    let mut response = etag::answer(&tag, menu);
    language::label(response.headers_mut(), language.as_deref());
    Ok(response)
}
