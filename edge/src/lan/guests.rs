//! `/t/{token}`: what a guest's phone opens that scanned a table's code. The guests' screen, and until its script runs, or where there is none,
//! what a page can do alone: the menu, how far the party's orders are, and whom to call. Never a name or a phone of anybody, never a dish
//! outside its hours.

use super::{html, screens};
use crate::access::Actor;
use crate::db::{Db, Source};
use crate::http::limit::{self, Class, Limits};
use crate::http::{Code, Path, Problem, Query, Result, language};
use crate::resources::ai::rules::money::Currency;
use crate::resources::menu::rules::{
    Component, Dietary, FoodMark, LocalNow, MenuChapter, MenuHours, MenuItem,
};
use crate::resources::orders::actions::qr::{self, Wish};
use crate::resources::orders::rules::{OrderError, OrderRecord, OrderStatus};
use crate::resources::tables::rules::TableFields;
use crate::resources::{menu, orders, outlets, tables};
use crate::ui::{self, Bundle, Told};
use axum::Router;
use axum::http::{HeaderMap, StatusCode};
use axum::response::{IntoResponse, Redirect, Response};
use axum::routing::{get, post};
use maud::{Markup, html};
use schemars::JsonSchema;
use serde::Deserialize;
use tiffin_common::Millis;

/// The page and its form.
pub fn routes<S: Clone + Send + Sync + 'static>(db: Db, limits: Limits, bundle: Bundle) -> Router<S> {
    let (desk, counted) = (Desk { db, bundle }, limits.clone());
    let caller = desk.clone();
    let page = get(async move |Path(token): Path<String>, Query(query): Query<Said>, headers: HeaderMap| {
        desk.shown(token, query, headers).await
    });
    let call = post(async move |Path(token): Path<String>, body: String| caller.called(token, &body).await);
    Router::new()
        .route("/t/{token}", limit::layer(page, limits, Class::QrMenu))
        .route("/t/{token}/call", limit::layer(call, counted, Class::QrCall))
}

/// Who answers guests, and the screen they are given.
#[derive(Clone)]
struct Desk {
    db: Db,
    bundle: Bundle,
}

/// What has just been done.
#[derive(Debug, Default, Deserialize, JsonSchema)]
struct Said {
    /// What staff were told.
    called: Option<Wish>,
    /// The language of the menu; what the phone asks for where absent.
    lang: Option<String>,
}

/// What a guest calls for.
#[derive(Debug, Deserialize)]
struct Call {
    /// `WAITER` or `BILL`.
    what: String,
}

/// What the page shows.
struct Table {
    token: String,
    outlet: String,
    number: String,
    currency: Currency,
    chapters: Vec<MenuChapter>,
    language: Option<String>,
    /// None: nobody has ordered yet.
    orders: Option<Vec<OrderRecord>>,
}

/// What is behind `token`; none where it is no table's.
fn find(
    conn: &dyn Source,
    token: String,
    now: Millis,
    (lang, headers): (Option<&str>, &HeaderMap),
) -> Result<Option<Table>> {
    let Some(table) = tables::store::find_by_token(conn, &token)? else { return Ok(None) };
    let outlet = outlets::store::find(conn, table.outlet_id)?;
    let at = LocalNow::new(now, outlet.timezone);
    let mut tree = menu::store::find_tree(conn, outlet.id, &at, &qr::occasion_of(&table), false)?;
    let language = language::choose(&outlet.languages, lang, headers);
    tree.put_in(outlet.profile(), language);
    let language = language.map(str::to_owned);
    let mut chapters = tree.categories;
    chapters.retain(|MenuChapter { category, .. }| {
        category.draft.is_active && MenuHours::any_holds(&category.draft.windows, &at)
    });
    for chapter in &mut chapters {
        let is_served = |dish: &MenuItem| dish.draft.is_active && dish.draft.window.contains(&at);
        chapter.items.retain(is_served);
    }
    chapters.retain(|chapter| !chapter.items.is_empty());
    let orders = match table.current_session {
        Some(session) => Some(orders::store::list_of_session(conn, outlet.id, session.id, false)?),
        None => None,
    };
    let TableFields { mut number, texts, .. } = table.fields;
    if let Some(language) = &language {
        texts.put(language, &mut number, None);
    }
    let currency = Currency(outlet.currency.clone());
    Ok(Some(Table { token, outlet: outlet.name.clone(), number, currency, chapters, language, orders }))
}

/// The code is no table's, or no longer.
const DEAD: &str = "This code is no longer in use";

impl Desk {
    async fn shown(&self, token: String, query: Said, headers: HeaderMap) -> Result<Response> {
        let now = self.db.env().clock.now();
        let Said { called, lang } = query;
        let look = move |conn: &dyn Source| find(conn, token, now, (lang.as_deref(), &headers));
        let Some(table) = self.db.read(look).await? else {
            return Ok(self.scan_again());
        };
        let body = html! {
            h1 { (table.outlet) }
            @if let Some(wish) = called {
                p.good role="status" { (said(wish)) }
            }
            p { "Table " b { (table.number) } }
            (table.ordered())
            (table.menu())
        };
        let mut response = self.send(StatusCode::OK, &body);
        language::label(response.headers_mut(), None);
        Ok(response)
    }

    /// Says that the code is no table's, or no longer.
    fn scan_again(&self) -> Response {
        let body = html! {
            h1 { (DEAD) }
            p { "Please scan the code on your table again, or ask our staff." }
        };
        self.send(StatusCode::NOT_FOUND, &body)
    }

    /// The guests' screen, with what is read where no script runs.
    fn send(&self, status: StatusCode, body: &Markup) -> Response {
        let meanwhile = html! { main.meanwhile { (html::alarm(self.db.env())) (body) } };
        let told = Told { sample_password: None, meanwhile: Some(meanwhile) };
        ui::send(status, screens::GUEST.page(&self.bundle, &told))
    }

    /// Tells staff, and goes back to the page.
    async fn called(&self, token: String, form: &str) -> Result<Response> {
        let wish = serde_urlencoded::from_str::<Call>(form).ok().and_then(|call| Wish::of_name(&call.what));
        let wish = wish.ok_or_else(|| Problem::field("what", "must be WAITER or BILL"))?;
        let known = token.clone();
        let told = self
            .db
            .write(move |tx| -> Result<(), OrderError> {
                let table = tables::store::find_by_token(tx, &known)?.ok_or(OrderError::NotFound("table"))?;
                qr::call(tx, &Actor::guest(table.outlet_id), &table, wish)
            })
            .await;
        match told {
            Ok(()) => Ok(Redirect::to(&format!("/t/{token}?called={wish}")).into_response()),
            Err(OrderError::NotFound(_)) => Ok(self.scan_again()),
            // Nobody sits there: the page says so.
            Err(OrderError::State(_)) => Ok(Redirect::to(&format!("/t/{token}")).into_response()),
            Err(error) => {
                let problem = Problem::from(error);
                tracing::warn!(?problem, "a guest's call could not be taken");
                Err(Problem::new(Code::Unavailable).detail("Please ask our staff").retry_after(5))
            }
        }
    }
}

/// What staff were told, for the guest.
fn said(wish: Wish) -> &'static str {
    match wish {
        Wish::Waiter => "We have told our staff that you would like somebody to come.",
        Wish::Bill => "We have told our staff that you would like the bill.",
    }
}

impl Table {
    /// How far the party's orders are, and whom to call.
    fn ordered(&self) -> Markup {
        let Some(orders) = &self.orders else {
            return html! { p { "Order with our staff; what you have ordered is shown here then." } };
        };
        html! {
            h2 { "Your orders" }
            @for order in orders.iter().filter(|order| order.status != OrderStatus::Cancelled) {
                p {
                    b { "No. " (order.token_number) ": " (state_of(order)) }
                    @for line in order.lines.iter().filter(|line| line.quantity > 0) {
                        @if line.is_component() { " · " (line.name) } @else { br; (line.amount()) " × " (line.name) }
                    }
                    br; (self.currency.show(order.total))
                }
            }
            form method="post" action={ "/t/" (self.token) "/call" } {
                p { button name="what" value=(Wish::Waiter) { "Call waiter" } }
                p { button name="what" value=(Wish::Bill) { "Bill" } }
            }
        }
    }

    fn menu(&self) -> Markup {
        html! {
            @for chapter in &self.chapters {
                h2 lang=[self.language.as_deref()] { (chapter.category.draft.name) }
                @for dish in &chapter.items {
                    p lang=[self.language.as_deref()] {
                        b { (dish.draft.name) }
                        @if dish.variants.is_empty() { " " (self.currency.show(dish.price)) }
                        @if let Some(unit) = dish.draft.weight_unit { " / " (unit.symbol()) }
                        @for size in &dish.variants {
                            " · " (size.name) " " (self.currency.show(size.price))
                            @if let Some(serving) = size.serving() { " (" (serving) ")" }
                            @if size.availability.is_out() { " (" b { "Sold out" } ")" }
                        }
                        @if let Some(dietary) = dish.draft.dietary { " · " (sign_of(dish.food_mark)) (word_of(dietary)) }
                        @if dish.availability.is_out() { " · " b { "Sold out" } }
                        @if let Some(more) = &dish.draft.description { br; (more) }
                        @if let Some(serving) = dish.serving() { br; small { (serving) } }
                        @for component in &dish.components { br; (component.name) ": " (choices(component)) }
                    }
                }
            }
        }
    }
}

/// What may be chosen for a component of a combo and can be had, for a guest.
fn choices(component: &Component) -> String {
    let names = component.options.iter().filter(|option| option.is_available).map(|o| o.name.as_str());
    names.collect::<Vec<_>>().join(", ")
}

/// How far an order is, for a guest.
fn state_of(order: &OrderRecord) -> &'static str {
    match order.status {
        _ if order.awaits_approval() => "waits for our staff",
        OrderStatus::Ready => "ready",
        OrderStatus::Delivered => "served",
        OrderStatus::Completed => "paid, thank you",
        OrderStatus::Cancelled => "cancelled",
        _ => "being prepared",
    }
}

/// The sign of what a dish is made of, where the law wants one: no colour alone.
fn sign_of(mark: Option<FoodMark>) -> &'static str {
    match mark {
        Some(FoodMark::Veg | FoodMark::Vegan) => "● ",
        Some(FoodMark::NonVeg) => "▲ ",
        None => "",
    }
}

/// The word for what a dish is made of.
fn word_of(dietary: Dietary) -> &'static str {
    match dietary {
        Dietary::Veg => "vegetarian",
        Dietary::Vegan => "vegan",
        Dietary::Egg => "with egg",
        Dietary::NonVeg => "not vegetarian",
    }
}
