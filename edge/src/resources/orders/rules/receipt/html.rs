//! A receipt as a page that needs nothing from elsewhere. Everything that came from people is escaped.

use crate::http::html::document;
use crate::paper::Row;
use maud::html;

const STYLE: &str = "body{font:14px/1.4 ui-monospace,monospace;max-width:24rem;margin:1rem auto;padding:0 .5rem}\
h1{font-size:1.25rem;text-align:center;margin:0}p{margin:0;white-space:pre-wrap}.c{text-align:center}\
.p{display:flex;justify-content:space-between;gap:1rem}.s{font-weight:700;font-size:1.1rem}\
hr{border:0;border-top:1px dashed}@media print{body{margin:0}}";

/// The rows as a page called `title`.
pub fn html(title: &str, rows: &[Row]) -> String {
    let pair =
        |class: &str, left: &str, right: &str| html! { p class=(class) { span { (left) } span { (right) } } };
    let body = html! {
        @for row in rows {
            @match row {
                Row::Title(text) => h1 { (text) },
                Row::Centre(text) => p.c { (text) },
                Row::Plain(text) => p { (text) },
                Row::Bold(text) | Row::Large(text) | Row::Reverse(text) => p.s { (text) },
                Row::Pair(left, right) => (pair("p", left, right)),
                Row::Strong(left, right) => (pair("p s", left, right)),
                Row::Rule => hr;,
                // Of paper alone.
                Row::Qr(_) | Row::Picture(_) => {},
            }
        }
    };
    document(title, STYLE, html! { meta name="viewport" content="width=device-width"; }, body).into_string()
}
