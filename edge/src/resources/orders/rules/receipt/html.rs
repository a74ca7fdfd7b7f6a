//! A receipt as a page that needs nothing from elsewhere. Everything that came from people is escaped, and no element has a style of
//! its own: the one style sheet is named by its hash, so that the strictest policy lets it through.

use crate::http::html::document;
use crate::paper::{Row, is_right_to_left};
use crate::resources::tables::qr;
use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use maud::html;
use std::sync::LazyLock;

const STYLE: &str = "body{font:14px/1.4 ui-monospace,monospace;max-width:24rem;margin:1rem auto;padding:0 .5rem}\
h1{font-size:1.25rem;text-align:center;margin:0}p{margin:0;white-space:pre-wrap}.c{text-align:center}\
.p{display:flex;justify-content:space-between;gap:1rem}.p span:last-child{text-align:end}.s{font-weight:700;font-size:1.1rem}\
.r{background:#000;color:#fff}hr{border:0;border-top:1px dashed}img,svg{display:block;margin:.5rem auto;max-width:100%}\
@media print{body{margin:0}}";

/// What the page may do: show itself, and nothing else.
pub static POLICY: LazyLock<String> = LazyLock::new(|| {
    let hash = aws_lc_rs::digest::digest(&aws_lc_rs::digest::SHA256, STYLE.as_bytes());
    let hash = STANDARD.encode(hash.as_ref());
    format!(
        "default-src 'none'; style-src 'sha256-{hash}'; img-src data:; base-uri 'none'; form-action 'none'; \
         frame-ancestors 'self'"
    )
});

/// The rows, in `language`, as a page called `title`.
pub fn html(title: &str, language: Option<&str>, rows: &[Row]) -> String {
    let pair = |class: &str, left: &str, right: &str| {
        html! { p class=(class) { span dir="auto" { (left) } span dir="auto" { (right) } } }
    };
    let body = html! {
        div lang=(language.unwrap_or("en")) dir=(if is_right_to_left(language) { "rtl" } else { "ltr" }) {
            @for row in rows {
                @match row {
                    Row::Title(text) => h1 dir="auto" { (text) },
                    Row::Centre(text) => p.c dir="auto" { (text) },
                    Row::Plain(text) => p dir="auto" { (text) },
                    Row::Bold(text) | Row::Large(text) => p.s dir="auto" { (text) },
                    Row::Reverse(text) => p.s.r dir="auto" { (text) },
                    Row::Pair(left, right) => (pair("p", left, right)),
                    Row::Strong(left, right) => (pair("p s", left, right)),
                    Row::Rule => hr;,
                    Row::Qr(text) => @if let Ok(code) = qr::markup(text) { (code) },
                    Row::Picture(png) => img alt="" src={ "data:image/png;base64," (png) };,
                }
            }
        }
    };
    document(title, STYLE, html! { meta name="viewport" content="width=device-width"; }, body).into_string()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn no_element_has_a_style_or_a_script_and_the_sheet_is_the_one_that_is_let_through() {
        let rows =
            [Row::Qr("x".into()), Row::Picture("iVBO".into()), Row::Pair("a".into(), "b".into()), Row::Rule];
        let page = html("Bill", Some("ar"), &rows);
        assert!(!page.contains("style=") && !page.contains("<script") && !page.contains(" on"), "{page}");
        assert!(
            page.contains("<svg")
                && page.contains("data:image/png;base64,iVBO")
                && page.contains("dir=\"rtl\"")
        );
        let sheet = page.split("<style>").nth(1).and_then(|rest| rest.split("</style>").next()).unwrap();
        let hash = aws_lc_rs::digest::digest(&aws_lc_rs::digest::SHA256, sheet.as_bytes());
        assert!(POLICY.contains(&format!("'sha256-{}'", STANDARD.encode(hash.as_ref()))));
    }
}
