//! What all pages for a person look like: plain HTML with its style inside. Never loads anything, never needs a script, never
//! lets a text become markup.

use axum::http::{HeaderName, StatusCode, header};
use axum::response::{IntoResponse, Response};

/// Nothing is loaded; forms go to this server alone.
const POLICY: &str = "default-src 'none'; style-src 'unsafe-inline'; img-src data:; base-uri 'none'; form-action 'self'; \
    frame-ancestors 'none'";

const STYLE: &str = "*{box-sizing:border-box}body{font:1.1em/1.5 system-ui,sans-serif;max-width:42em;margin:2em auto;padding:0 1em;\
    color:#1b1b1b;background:#fff}h1{line-height:1.2}a{color:#0b57a4}code,kbd{font-size:1em;word-break:break-all}\
    fieldset{border:1px solid #767676;border-radius:.4em;margin:1.5em 0;padding:.5em 1em 1em}legend{font-weight:bold;padding:0 .3em}\
    label{display:block;margin-top:.9em;font-weight:600}input,select,textarea{font:inherit;width:100%;padding:.5em;\
    border:1px solid #595959;border-radius:.3em;background:#fff;color:inherit}input[type=checkbox]{width:1.3em;height:1.3em;\
    vertical-align:middle;margin-right:.5em}.hint{color:#4a4a4a;font-size:.9em;margin:.2em 0 0}.wrong{color:#a3000b;margin:.2em 0 0;\
    font-weight:600}[aria-invalid=true]{border:2px solid #a3000b}.alarm{border-left:.4em solid #a3000b;background:#fff1f1;\
    padding:.7em 1em}.good{border-left:.4em solid #1a6b2d;background:#effaf1;padding:.7em 1em}button{font:inherit;font-weight:600;\
    padding:.7em 1.5em;border:0;border-radius:.4em;background:#0b57a4;color:#fff;cursor:pointer}:focus-visible{outline:3px solid \
    #e8a200;outline-offset:2px}dt{font-weight:600}dd{margin:0 0 .7em}";

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
         <meta name=\"viewport\" content=\"width=device-width, initial-scale=1\">{head}</head>\n<body>{body}</body></html>\n"
    )
}

/// A page in the common style.
pub(super) fn page(title: &str, body: &str) -> String {
    let body = format!("<main><h1>{}</h1>{body}</main>", escaped(title));
    document(title, &format!("<style>{STYLE}</style>"), &body)
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
