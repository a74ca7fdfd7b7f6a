//! What all pages for a person look like: plain HTML with its style inside. Never loads anything, never needs a script.

use crate::db::Env;
use crate::http::html::document;
use axum::http::{HeaderName, StatusCode, header};
use axum::response::{IntoResponse, Response};
use maud::{Markup, html};

/// Nothing is loaded; forms go to this server alone.
const POLICY: &str = "default-src 'none'; style-src 'unsafe-inline'; img-src data:; base-uri 'none'; form-action 'self'; \
    frame-ancestors 'none'";

/// Colours by day and by night, each readable on its ground (WCAG AA); whatever is tapped is at least 44 pixels high.
const STYLE: &str = include_str!("pages.css");

/// A tin of three, as the sign of the page's tab; a browser asks for no other then.
const SIGN: &str = "data:image/svg+xml,%3Csvg xmlns='http:%2F%2Fwww.w3.org%2F2000%2Fsvg' viewBox='0 0 16 16'%3E\
    %3Cpath fill='none' stroke='%230b57a4' stroke-width='2' d='M5 3a3 2 0 0 1 6 0M3 4h10v10H3zM3 7.5h10M3 11h10'/%3E%3C/svg%3E";

/// A page with the sign of ours.
pub(super) fn signed(title: &str, style: &str, head: Markup, body: Markup) -> Markup {
    let head = html! {
        meta name="viewport" content="width=device-width, initial-scale=1";
        link rel="icon" href=(SIGN);
        (head)
    };
    document(title, style, head, body)
}

/// A page in the common style.
#[derive(Debug)]
pub(super) struct Page {
    tab: String,
    title: String,
    head: Markup,
    pub(super) body: Markup,
}

/// A page in the common style.
pub(super) fn page(title: &str, body: Markup) -> Page {
    Page { tab: title.to_owned(), title: title.to_owned(), head: html! {}, body }
}

/// [`page`] that says in its tab, too, that something is wrong.
pub(super) fn trouble(title: &str, body: Markup) -> Page {
    Page { tab: format!("Error: {title}"), ..page(title, body) }
}

/// A page that asks for itself again in a moment.
pub(super) fn waiting(title: &str, seconds: u32, address: &str, body: Markup) -> Page {
    let head = html! { meta http-equiv="refresh" content={ (seconds) ";url=" (address) }; };
    Page { head, ..page(title, body) }
}

impl Page {
    /// As it is sent by a box whose clock may be doubtful: no page is without the alarm then.
    fn shown(self, env: &Env) -> Markup {
        signed(&self.tab, STYLE, self.head, html! { main { h1 { (self.title) } (alarm(env)) (self.body) } })
    }
}

/// Says that the machine's clock is not followed; nothing while it is. On the screen alone.
pub(super) fn alarm(env: &Env) -> Markup {
    html! {
        @if let Some(doubt) = env.clock_doubt() {
            p.alarm.screen role="alert" {
                b { "The clock of this box is wrong. " } (doubt) " Set the machine's clock, or a manager says what time it is."
            }
        }
    }
}

/// Sends a page. It is never kept: what it says holds for now.
pub(super) fn send(status: StatusCode, page: Page, env: &Env) -> Response {
    send_as_it_is(status, page.shown(env))
}

/// Sends a page that is a whole document of its own.
pub(super) fn send_as_it_is(status: StatusCode, page: Markup) -> Response {
    let headers = [
        (header::CONTENT_TYPE, "text/html; charset=utf-8"),
        (header::CONTENT_SECURITY_POLICY, POLICY),
        (header::CACHE_CONTROL, "no-store"),
        (header::X_CONTENT_TYPE_OPTIONS, "nosniff"),
        // Not `no-referrer`: a form would then be sent with the origin `null`.
        (HeaderName::from_static("referrer-policy"), "same-origin"),
    ];
    let mut response = (status, headers, page.into_string()).into_response();
    response.extensions_mut().insert(crate::http::finish::Page);
    response
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_text_stays_a_text() {
        let quoted = "\"a\" & b";
        let text = page("<script>alert('1')</script>", html! { p title=(quoted) {} });
        let text = text.shown(&Env::system()).into_string();
        assert!(!text.contains("<script>") && text.contains("&lt;script&gt;alert("));
        assert!(text.contains("<p title=\"&quot;a&quot; &amp; b\">"));
    }
}
