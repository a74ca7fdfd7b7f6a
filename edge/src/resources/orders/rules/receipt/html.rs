//! A receipt as a page that needs nothing from elsewhere. Everything that came from people is escaped.

use super::Row;

const STYLE: &str = "body{font:14px/1.4 ui-monospace,monospace;max-width:24rem;margin:1rem auto;padding:0 .5rem}\
h1{font-size:1.25rem;text-align:center;margin:0}p{margin:0;white-space:pre-wrap}.c{text-align:center}\
.p{display:flex;justify-content:space-between;gap:1rem}.s{font-weight:700;font-size:1.1rem}\
hr{border:0;border-top:1px dashed}@media print{body{margin:0}}";

/// The rows as a page called `title`.
pub fn html(title: &str, rows: &[Row]) -> String {
    let mut page = format!(
        "<!doctype html><html lang=\"en\"><head><meta charset=\"utf-8\"><title>{}</title>\
         <meta name=\"viewport\" content=\"width=device-width\"><style>{STYLE}</style></head><body>",
        escape(title)
    );
    for row in rows {
        page.push_str(&match row {
            Row::Title(text) => format!("<h1>{}</h1>", escape(text)),
            Row::Centre(text) => format!("<p class=\"c\">{}</p>", escape(text)),
            Row::Plain(text) => format!("<p>{}</p>", escape(text)),
            Row::Pair(left, right) => pair("p", left, right),
            Row::Strong(left, right) => pair("p s", left, right),
            Row::Rule => "<hr>".to_owned(),
        });
    }
    page.push_str("</body></html>");
    page
}

fn pair(class: &str, left: &str, right: &str) -> String {
    format!("<p class=\"{class}\"><span>{}</span><span>{}</span></p>", escape(left), escape(right))
}

fn escape(text: &str) -> String {
    let mut safe = String::with_capacity(text.len());
    for c in text.chars() {
        match c {
            '&' => safe.push_str("&amp;"),
            '<' => safe.push_str("&lt;"),
            '>' => safe.push_str("&gt;"),
            '"' => safe.push_str("&quot;"),
            '\'' => safe.push_str("&#39;"),
            c => safe.push(c),
        }
    }
    safe
}
