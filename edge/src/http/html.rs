//! What every page is: its head, its language, its style. Never a text that becomes markup: `maud` escapes what is not markup.

use maud::{DOCTYPE, Markup, PreEscaped, html};

/// A whole page. `style` is CSS of ours, `head` what stands in the head besides.
pub fn document(title: &str, style: &str, head: Markup, body: Markup) -> Markup {
    html! {
        (DOCTYPE)
        html lang="en" {
            head {
                meta charset="utf-8";
                title { (title) }
                (head)
                style { (PreEscaped(style)) }
            }
            body { (body) }
        }
    }
}
