//! `/problems/{kind}`: the page that an error's `type` points to, for the person who has to deal with it. Never knows a
//! particular error.

use crate::http::html::document;
use crate::http::{Code, Path, Problem, Result};
use axum::Router;
use axum::http::header;
use axum::response::IntoResponse;
use axum::routing::get;
use maud::{Markup, html};

const POLICY: &str = "default-src 'none'; style-src 'unsafe-inline'; base-uri 'none'; frame-ancestors 'none'";

/// A page per kind of problem, and the list of all.
pub fn routes<S: Clone + Send + Sync + 'static>() -> Router<S> {
    Router::new().route("/problems", get(list_problems)).route("/problems/{kind}", get(get_problem))
}

/// What to do about it.
fn advice(code: Code) -> &'static str {
    match code {
        Code::BadRequest => {
            "The request itself is malformed: its JSON, its path, its query or a header. Correct it; sending it again unchanged will fail again."
        }
        Code::OutletRequired => {
            "This account may use every outlet, so it must say which one: send its id in the header x-outlet-id."
        }
        Code::AuthorizationPending => "Go on asking, as often as interval says, until a manager decides.",
        Code::SlowDown => "Wait five seconds longer between two questions from now on; then ask again.",
        Code::AccessDenied => "A manager refused or removed it. POST /devices/pair begins anew.",
        Code::ExpiredToken => {
            "The code is older than ten minutes, was used already, or was never given. POST /devices/pair begins anew."
        }
        Code::Unauthorized => "Send Authorization: Bearer with an access token from POST /auth/login.",
        Code::TokenExpired => "Access tokens live for 15 minutes. Get a new one with POST /auth/refresh.",
        Code::InvalidCredentials => "Check the email and the password. Repeated failures are limited.",
        Code::InvalidPin => {
            "Check the PIN. Five wrong PINs in five minutes lock PIN entry on the device for five minutes."
        }
        Code::Forbidden => {
            "The account's role does not hold the permission this needs. A manager can do it, or approve it with a PIN where that is offered."
        }
        Code::OutletForbidden => "The account does not belong to the outlet named in x-outlet-id.",
        Code::NotFound => {
            "There is no such route or record in this outlet. Records of other outlets are not found either."
        }
        Code::MethodNotAllowed => {
            "The path exists, the method does not. The header Allow lists those that do."
        }
        Code::PayloadTooLarge => "Bodies may have 1 MiB, documents 10 MiB. Send less at once.",
        Code::UnsupportedMediaType => "Send the body as application/json unless the route says otherwise.",
        Code::InvalidTransition => {
            "The record's state does not allow this step. The detail names the steps it allows."
        }
        Code::Conflict => {
            "Something that must be unique is taken, or somebody else was faster. invalidParams names the field."
        }
        Code::ConfirmationNeeded => "Look at what invalidParams names. If it is right: again, confirm: true.",
        Code::TotpRequired => {
            "The password is right; send the six digits of the authenticator as totp, too. Who has none makes one: POST /auth/totp, at head office POST /hub/auth/totp."
        }
        Code::TlsRequired => "This server takes no plain HTTP from this machine. Call it with https.",
        Code::Fenced => {
            "Head office has put another box in this one's place. What it still holds can be handed in for review, nothing more."
        }
        Code::UpgradeRequired => "Install a newer version. Nothing is lost: what waits is sent then.",
        Code::StaleVersion => "The record has changed since it was read. Read it again and decide anew.",
        Code::PayloadValidation => {
            "The body is well-formed, but invalid. invalidParams names every offending field and why."
        }
        Code::IdempotencyKeyReused => {
            "The Idempotency-Key was used for another request. Make a new key for each new request and keep it for its retries."
        }
        Code::Locked => "Too many failures: wait as long as Retry-After says, or ask a manager.",
        Code::RateLimited => "Too many requests from this client. Wait as long as Retry-After says.",
        Code::Internal => {
            "Something unexpected happened at the server. Nothing was half-written. The requestId finds it in the log."
        }
        Code::Unavailable => {
            "The server is starting, stopping or overloaded. Try again after Retry-After with the same Idempotency-Key."
        }
        Code::Damaged => {
            "The database file of this server is damaged, so it is not served. Stop the server and put the newest backup back: edge restore."
        }
        Code::StorageFull => {
            "The disk of the branch server is full. Nothing was half-written. Free some space; orders go on at once."
        }
    }
}

const STYLE: &str = "body{font:1.1em/1.5 sans-serif;max-width:40em;margin:3em auto;padding:0 1em}";

fn page(title: &str, body: Markup) -> impl IntoResponse + use<> {
    let head = html! { meta name="viewport" content="width=device-width, initial-scale=1"; };
    let page = document(title, STYLE, head, html! { h1 { (title) } (body) });
    let headers =
        [(header::CONTENT_TYPE, "text/html; charset=utf-8"), (header::CONTENT_SECURITY_POLICY, POLICY)];
    (headers, page.into_string())
}

async fn list_problems() -> impl IntoResponse {
    let mut slugs: Vec<String> = Code::ALL.iter().map(|code| code.slug()).collect();
    slugs.dedup();
    page("Problems", html! { ul { @for slug in slugs { li { a href={ "/problems/" (slug) } { (slug) } } } } })
}

async fn get_problem(Path(kind): Path<String>) -> Result<impl IntoResponse> {
    let codes: Vec<Code> = Code::ALL.iter().copied().filter(|code| code.slug() == kind).collect();
    let Some(first) = codes.first() else {
        return Err(Problem::new(Code::NotFound).detail("No such kind of problem"));
    };
    let about = html! {
        @for code in &codes {
            h2 { (code.title()) }
            p { code { (code.status().as_u16()) " ERR_" (code.name()) } }
            p { (advice(*code)) }
        }
    };
    Ok(page(first.name(), about))
}
