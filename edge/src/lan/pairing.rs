//! `/pair`: what a tablet opens that shall belong to the branch. It says what it is for, shows its code until a manager has let it in, and
//! has its sign-in in a cookie from then on. Needs no script; never lets anything in by itself, and never shows a token.

use super::html::{self, Page};
use super::screens;
use crate::http::client::TlsTrust;
use crate::http::extract::from_value;
use crate::http::limit::{self, Class, Limits};
use crate::http::{Code, FieldError, Problem, Query, Result};
use crate::resources::auth::api::cookies::{Jar, PAIRING_PATH as PATH};
use crate::resources::auth::api::{Caller, Desk};
use crate::resources::devices::actions::Poll;
use crate::resources::devices::api::pairing::{self, PairDevice};
use crate::resources::devices::rules::{CODE_LIFETIME_MS, DeviceKind, INTERVAL_MS, Standing};
use axum::Router;
use axum::http::{HeaderValue, StatusCode, header};
use axum::response::{IntoResponse, Redirect, Response};
use axum::routing::{get, post};
use maud::{Markup, html};
use schemars::JsonSchema;
use serde::Deserialize;
use serde_json::{Map, Value};
use std::net::IpAddr;

/// What the page is called.
const TITLE: &str = "Pair this screen";

/// The page and its forms.
pub fn routes<S: Clone + Send + Sync + 'static>(desk: Desk, trust: TlsTrust, limits: Limits) -> Router<S> {
    let tablet = Tablet { desk, trust };
    let (asks, opens) = (tablet.clone(), tablet.clone());
    let page = get(async move |jar: Jar, Query(asked): Query<Asked>| {
        tablet.shown(&jar, asked.kind.as_deref().and_then(DeviceKind::of_name)).await
    });
    let ask = post(async move |Caller(ip): Caller, jar: Jar, form: String| asks.ask(ip, &jar, &form).await);
    let open = post(async move |Caller(ip): Caller, jar: Jar| opens.open(ip, &jar).await);
    Router::new()
        .route(PATH, page)
        .route("/pair/ask", limit::layer(ask, limits, Class::Pairing))
        .route("/pair/open", open)
}

/// What a screen sends here with, so that nobody has to choose.
#[derive(Debug, Default, Deserialize, JsonSchema)]
struct Asked {
    /// What it is for; anything else asks the person.
    kind: Option<String>,
}

#[derive(Clone)]
struct Tablet {
    desk: Desk,
    trust: TlsTrust,
}

impl Tablet {
    /// How it stands with the tablet whose cookie `jar` has. Looks only: a page may be asked for at any time.
    async fn shown(&self, jar: &Jar, kind: Option<DeviceKind>) -> Result<Response> {
        let Some((shown, code)) = jar.waiting.as_deref().and_then(|waiting| waiting.split_once('.')) else {
            return Ok(self.send(StatusCode::OK, form(kind, None, &[])));
        };
        let page = match pairing::look(&self.desk, code).await? {
            Standing::Pending | Standing::TooSoon => waits(shown),
            Standing::Approved(_) => let_in(),
            Standing::Denied => form(kind, Some("A manager refused this screen."), &[]),
            Standing::Expired | Standing::Replayed => {
                form(kind, Some("The code holds no more: it is older than ten minutes, or was used."), &[])
            }
        };
        Ok(self.send(StatusCode::OK, page))
    }

    /// Gives the tablet its code.
    async fn ask(&self, ip: IpAddr, jar: &Jar, text: &str) -> Result<Response> {
        jar.demand_own_page(true)?;
        let fields: Vec<(String, String)> = serde_urlencoded::from_str(text).unwrap_or_default();
        let chosen = fields.iter().find(|(name, _)| name == "kind");
        let kind = chosen.and_then(|(_, kind)| DeviceKind::of_name(kind));
        let fields: Map<String, Value> =
            fields.into_iter().map(|(name, value)| (name, value.into())).collect();
        let asked = match from_value::<PairDevice>(Value::Object(fields)) {
            Ok(wanted) => pairing::ask(self.desk.db(), ip, wanted).await,
            Err(wrong) => Err(Problem::invalid(wrong)),
        };
        match asked {
            Ok(codes) => {
                let kept = format!("{}.{}", codes.user, codes.device);
                Ok(on(PATH, [jar.wait(&kept, CODE_LIFETIME_MS / 1_000)]))
            }
            Err(problem) => match problem.fields() {
                [] if problem.code() == Code::RateLimited => {
                    let why = "Too many screens ask to be paired. Try again in some minutes.";
                    Ok(self.send(StatusCode::TOO_MANY_REQUESTS, form(kind, Some(why), &[])))
                }
                [] => Err(problem),
                wrong => Ok(self.send(StatusCode::UNPROCESSABLE_ENTITY, form(kind, None, wrong))),
            },
        }
    }

    /// Signs the tablet in that was let in: what it is given is in a cookie, and the code is gone.
    async fn open(&self, ip: IpAddr, jar: &Jar) -> Result<Response> {
        jar.demand_own_page(true)?;
        let Some((_, code)) = jar.waiting.as_deref().and_then(|waiting| waiting.split_once('.')) else {
            return Ok(on(PATH, []));
        };
        let Poll::Done(found) = pairing::fetch(&self.desk, &self.trust, jar, ip, code.to_owned()).await?
        else {
            return Ok(on(PATH, []));
        };
        let (signed_in, device) = *found;
        let (_, cookie) = jar.keep(&signed_in, true, self.desk.db().env().clock.now());
        let body = html! {
            p.good role="status" { "This screen is paired: " b { (device.name) } "." }
            p { a.button href=(screen_of(device.kind)) { "Go on: " (words_for(device.kind)) } }
            p { "It stays signed in until a manager removes it under Devices, or nobody uses it for 90 days." }
            @if device.kind == DeviceKind::Pos { p { "Everybody who works at it enters their own PIN." } }
        };
        let mut response = self.send(StatusCode::OK, html::page("Paired", body));
        give(&mut response, [cookie, jar.wait("", 0)]);
        Ok(response)
    }

    fn send(&self, status: StatusCode, page: Page) -> Response {
        html::send(status, page, self.desk.db().env())
    }
}

/// The way to another page, with cookies.
fn on<const N: usize>(path: &str, cookies: [Option<HeaderValue>; N]) -> Response {
    let mut response = Redirect::to(path).into_response();
    give(&mut response, cookies);
    response
}

fn give<const N: usize>(response: &mut Response, cookies: [Option<HeaderValue>; N]) {
    for cookie in cookies.into_iter().flatten() {
        response.headers_mut().append(header::SET_COOKIE, cookie);
    }
}

/// What a kind of device is called by who stands before it.
fn words_for(kind: DeviceKind) -> &'static str {
    match kind {
        DeviceKind::Pos => "Till",
        DeviceKind::Kitchen => "Kitchen display",
        DeviceKind::Clock => "Clock to punch in and out",
        DeviceKind::Board => "Board for guests",
    }
}

/// Where a kind of device goes on.
fn screen_of(kind: DeviceKind) -> &'static str {
    match kind {
        DeviceKind::Pos => screens::POS.path,
        DeviceKind::Kitchen => screens::KITCHEN.path,
        DeviceKind::Clock => screens::CLOCK.path,
        DeviceKind::Board => "/kitchen?board",
    }
}

/// Asks what the tablet is for, with why it is asked again.
fn form(chosen: Option<DeviceKind>, why: Option<&str>, wrong: &[FieldError]) -> Page {
    let reason = |name: &str| wrong.iter().find(|field| field.name == name).map(|field| &field.reason);
    let body = html! {
        @if let Some(why) = why { p.alarm role="alert" { (why) } }
        p { "Say what this screen is for. It shows a code then, which a manager types in." }
        form method="post" action="/pair/ask" autocomplete="off" {
            label for="kind" { "What it is" }
            select id="kind" name="kind" {
                @for kind in DeviceKind::ALL { option value=(kind.name()) selected[chosen == Some(*kind)] { (words_for(*kind)) } }
            }
            (beside("kind", reason("kind")))
            label for="name" { "Name" }
            input id="name" name="name" required maxlength="80" placeholder="Till at the door"
                aria-invalid=[reason("name").map(|_| "true")] aria-describedby=[reason("name").map(|_| "name-wrong")];
            (beside("name", reason("name")))
            p { button { "Show the code" } }
        }
    };
    if why.is_none() && wrong.is_empty() { html::page(TITLE, body) } else { html::trouble(TITLE, body) }
}

/// What is wrong with a field, beside it.
fn beside(field: &str, reason: Option<&String>) -> Markup {
    html! { @if let Some(reason) = reason { p.wrong id={ (field) "-wrong" } { "It " (reason) "." } } }
}

/// The code, until a manager has typed it in. The page asks again by itself.
fn waits(code: &str) -> Page {
    let seconds = u32::try_from(INTERVAL_MS / 1_000).unwrap_or(5);
    let body = html! {
        p { "A manager types this code in where they are signed in, under Devices:" }
        p { code.print { (code) } }
        p role="status" { "The code holds for ten minutes. This page asks again by itself; " a href=(PATH) { "ask now" } "." }
    };
    html::waiting(TITLE, seconds, PATH, body)
}

/// A manager has let it in: whoever stands before it takes it into use.
fn let_in() -> Page {
    let body = html! {
        p.good role="status" { "A manager has let this screen in." }
        form method="post" action="/pair/open" { p { button { "Open" } } }
    };
    html::page(TITLE, body)
}
