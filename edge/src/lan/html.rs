//! What all pages for a person look like: plain HTML with its style inside. Never loads anything, never needs a script, never
//! lets a text become markup.

use axum::http::{HeaderName, StatusCode, header};
use axum::response::{IntoResponse, Response};

/// Nothing is loaded; forms go to this server alone.
const POLICY: &str = "default-src 'none'; style-src 'unsafe-inline'; img-src data:; base-uri 'none'; form-action 'self'; \
    frame-ancestors 'none'";

/// Colours by day and by night, each readable on its ground (WCAG AA); whatever is tapped is at least 44 pixels high.
const STYLE: &str = ":root{color-scheme:light dark;--text:#1b1b1b;--soft:#4a4a4a;--paper:#fff;--line:#6b6b6b;--link:#0b57a4;\
    --button:#0b57a4;--bad:#a3000b;--bad-paper:#fff1f1;--good:#1a6b2d;--good-paper:#effaf1;--ring:#b35c00}\
    @media(prefers-color-scheme:dark){:root{--text:#ececec;--soft:#bcbcbc;--paper:#16181b;--line:#8d9299;--link:#8cc2ff;\
    --button:#1c66b5;--bad:#ff9a94;--bad-paper:#3a1719;--good:#7fd495;--good-paper:#15301c;--ring:#ffc247}}\
    *{box-sizing:border-box}html{-webkit-text-size-adjust:100%}body{font:1.125em/1.5 system-ui,sans-serif;max-width:40em;\
    margin:0 auto;padding:1.5em 1em 3em;color:var(--text);background:var(--paper);overflow-wrap:break-word}h1{line-height:1.2;\
    margin:0 0 .6em}h2{margin:1.6em 0 .5em}a{color:var(--link);padding:.65em 0}code{font-family:ui-monospace,monospace,monospace;\
    font-size:.95em;overflow-wrap:anywhere}\
    fieldset{min-width:0;border:1px solid var(--line);border-radius:.5em;margin:1.5em 0;padding:.2em 1em 1.2em}\
    legend{font-weight:bold;padding:0 .3em}label{display:block;margin-top:1em;font-weight:600}\
    input,select,textarea{font:inherit;width:100%;min-height:2.75em;margin-top:.25em;padding:.5em;border:1px solid var(--line);\
    border-radius:.3em;background:var(--paper);color:inherit}[autocapitalize=characters]{text-transform:uppercase}\
    ::placeholder{color:var(--soft);opacity:1;text-transform:none}.tick label{display:flex;align-items:center;gap:.7em;min-height:2.75em;\
    margin-top:.6em}.tick input{flex:none;width:1.5em;height:1.5em;min-height:0;margin:0}.hint{color:var(--soft);font-size:.9em;\
    margin:.3em 0 0}.wrong{color:var(--bad);margin:.3em 0 0;font-weight:600}[aria-invalid=true]{border:2px solid var(--bad)}\
    .alarm,.good{border-left:.4em solid var(--bad);background:var(--bad-paper);margin:1em 0;padding:.7em 1em}\
    .good{border-color:var(--good);background:var(--good-paper)}.alarm p,.good p{margin:0}.alarm ul{margin:0;padding-left:1.2em}\
    li{margin:.3em 0}.alarm li,.steps li{margin:.7em 0}\
    details{border:1px solid var(--line);border-radius:.5em;margin:1em 0;padding:0 1em}details[open]{padding-bottom:1em}\
    summary{cursor:pointer;font-weight:bold;margin:0 -1em;padding:.7em 1em}summary h3{display:inline;font-size:1em}\
    button,.button{display:inline-block;font:inherit;font-weight:600;text-align:center;text-decoration:none;padding:.7em 1.5em;border:0;\
    border-radius:.4em;background:var(--button);color:#fff;cursor:pointer}@media(max-width:30em){button,.button{width:100%}}\
    :focus-visible{outline:3px solid var(--ring);outline-offset:2px}dt{font-weight:600;margin-top:.7em}dd{margin:0}\
    .print{display:block;font-size:1.1em;max-width:24ch;word-break:break-all}";

/// A tin of three, as the sign of the page's tab; a browser asks for no other then.
const SIGN: &str = "<link rel=\"icon\" href=\"data:image/svg+xml,%3Csvg xmlns='http:%2F%2Fwww.w3.org%2F2000%2Fsvg' viewBox='0 0 16 16'%3E\
    %3Cpath fill='none' stroke='%230b57a4' stroke-width='2' d='M5 3a3 2 0 0 1 6 0M3 4h10v10H3zM3 7.5h10M3 11h10'/%3E%3C/svg%3E\">";

/// `text` inside HTML, also inside a quoted attribute.
pub(super) fn escaped(text: &str) -> String {
    let mut safe = String::with_capacity(text.len());
    for letter in text.chars() {
        match letter {
            '&' => safe.push_str("&amp;"),
            '<' => safe.push_str("&lt;"),
            '>' => safe.push_str("&gt;"),
            '"' => safe.push_str("&quot;"),
            '\'' => safe.push_str("&#39;"),
            other => safe.push(other),
        }
    }
    safe
}

/// A whole page; `title` is text, `head` and `body` are markup.
pub(super) fn document(title: &str, head: &str, body: &str) -> String {
    let title = escaped(title);
    format!(
        "<!doctype html>\n<html lang=\"en\"><head><meta charset=\"utf-8\"><title>{title}</title>\
         <meta name=\"viewport\" content=\"width=device-width, initial-scale=1\">{SIGN}{head}</head>\n<body>{body}</body></html>\n"
    )
}

/// A page in the common style.
pub(super) fn page(title: &str, body: &str) -> String {
    let body = format!("<main><h1>{}</h1>{body}</main>", escaped(title));
    document(title, &format!("<style>{STYLE}</style>"), &body)
}

/// [`page`] that says in its tab, too, that something is wrong.
pub(super) fn trouble(title: &str, body: &str) -> String {
    let body = format!("<main><h1>{}</h1>{body}</main>", escaped(title));
    document(&format!("Error: {title}"), &format!("<style>{STYLE}</style>"), &body)
}

/// A page that asks for itself again in a moment.
pub(super) fn waiting(title: &str, seconds: u32, address: &str, body: &str) -> String {
    let again = format!("<meta http-equiv=\"refresh\" content=\"{seconds};url={}\">", escaped(address));
    let body = format!("<main><h1>{}</h1>{body}</main>", escaped(title));
    document(title, &format!("{again}<style>{STYLE}</style>"), &body)
}

/// Sends a page. It is never kept: what it says holds for now.
pub(super) fn send(status: StatusCode, text: String) -> Response {
    let headers = [
        (header::CONTENT_TYPE, "text/html; charset=utf-8"),
        (header::CONTENT_SECURITY_POLICY, POLICY),
        (header::CACHE_CONTROL, "no-store"),
        (header::X_CONTENT_TYPE_OPTIONS, "nosniff"),
        // Not `no-referrer`: a form would then be sent with the origin `null`.
        (HeaderName::from_static("referrer-policy"), "same-origin"),
    ];
    let mut response = (status, headers, text).into_response();
    response.extensions_mut().insert(crate::http::finish::Page);
    response
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_text_stays_a_text() {
        let text = page("<script>alert('1')</script>", "");
        assert!(!text.contains("<script>") && text.contains("&lt;script&gt;alert(&#39;1&#39;)"));
        assert_eq!(escaped("\"a\" & b"), "&quot;a&quot; &amp; b");
    }
}
