//! The page that loads a screen: its styles, its modules and nothing else. Never a script within the page, never anything of another host.

use super::bundle::{Bundle, FILES};
use crate::http::finish::Page;
use axum::http::{HeaderName, HeaderValue, StatusCode, header};
use axum::response::{IntoResponse, Response};
use maud::{DOCTYPE, Markup, html};
use std::collections::BTreeSet;
use std::sync::Arc;

/// Only this server's own files; text never becomes markup or a script (Trusted Types): the one policy there is names the worker that keeps
/// pages for when the box is away.
const POLICY: &str = "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' data: blob:; connect-src 'self'; \
    manifest-src 'self'; worker-src 'self'; base-uri 'none'; form-action 'self'; frame-ancestors 'none'; \
    require-trusted-types-for 'script'; trusted-types worker";

/// A screen: where it stands, and the folder of its files, whose `main.js` begins it and whose `main.css` dresses it.
#[derive(Debug, Clone, Copy)]
pub struct Screen {
    /// The path of its page, such as `/pos`.
    pub path: &'static str,
    /// Its folder among the files.
    pub folder: &'static str,
    /// What the tab is called until the screen knows better.
    pub title: &'static str,
}

/// What a screen is told by its page.
#[derive(Debug, Clone, Default)]
pub struct Told {
    /// The password of all sample accounts, where the branch is a sample: it signs in by one tap.
    pub sample_password: Option<&'static str>,
    /// What is shown until the script runs, or where there is none.
    pub meanwhile: Option<Markup>,
}

impl Screen {
    /// The page.
    pub fn page(&self, bundle: &Bundle, told: &Told) -> Markup {
        let hash = bundle.hash();
        let at = |name: &str| format!("{FILES}/{hash}/{name}");
        let entry = format!("{}/main.js", self.folder);
        let styles =
            ["kit/tokens.css".to_owned(), "kit/parts.css".to_owned(), format!("{}/main.css", self.folder)];
        html! {
            (DOCTYPE)
            html lang="en" {
                head {
                    meta charset="utf-8";
                    title { (self.title) }
                    meta name="viewport" content="width=device-width, initial-scale=1, viewport-fit=cover";
                    meta name="color-scheme" content="light dark";
                    link rel="icon" href=(at("kit/icon.svg"));
                    @for style in &styles { link rel="stylesheet" href=(at(style)); }
                    @for module in &*modules(bundle, &entry) { link rel="modulepreload" href=(at(module)); }
                    script type="module" src=(at(&entry)) {}
                }
                body {
                    div #screen data-sample=[told.sample_password] {
                        @if let Some(meanwhile) = &told.meanwhile { (meanwhile) }
                    }
                    @if told.meanwhile.is_none() { noscript { p { "This screen needs JavaScript." } } }
                }
            }
        }
    }
}

/// The modules that `entry` needs, itself among them: each is found by the import lines of another.
pub fn modules(bundle: &Bundle, entry: &str) -> Arc<BTreeSet<String>> {
    bundle.modules_of(entry, || look_for_modules(bundle, entry))
}

fn look_for_modules(bundle: &Bundle, entry: &str) -> BTreeSet<String> {
    let mut found = BTreeSet::new();
    let mut waiting = vec![entry.to_owned()];
    while let Some(name) = waiting.pop() {
        let Some(file) = bundle.find(&name) else { continue };
        waiting.extend(imports(&name, &file.text().unwrap_or_default()));
        if !found.insert(name) {
            continue;
        }
        waiting.retain(|name| !found.contains(name));
    }
    found
}

/// What the module `name` with this `text` imports, by the names of files: each `from "…"` stands on one line.
fn imports<'a>(name: &'a str, text: &'a str) -> impl Iterator<Item = String> + 'a {
    let begins = |line: &&str| ["import ", "export ", "} from "].iter().any(|sign| line.starts_with(sign));
    let paths = text.lines().filter(begins).filter_map(|line| line.rsplit('"').nth(1));
    paths.filter(|path| path.starts_with('.') && path.ends_with(".js")).map(move |path| resolve(name, path))
}

/// `path` as the file `name` means it.
fn resolve(name: &str, path: &str) -> String {
    let mut parts: Vec<&str> = name.split('/').collect();
    parts.pop();
    for part in path.split('/') {
        match part {
            "." => {}
            ".." => {
                parts.pop();
            }
            part => parts.push(part),
        }
    }
    parts.join("/")
}

/// Sends the page of a screen. It names files by their hash, so it is asked for each time.
pub fn send(status: StatusCode, page: Markup) -> Response {
    let headers = [
        (header::CONTENT_TYPE, HeaderValue::from_static("text/html; charset=utf-8")),
        (header::CONTENT_SECURITY_POLICY, HeaderValue::from_static(POLICY)),
        (header::CACHE_CONTROL, HeaderValue::from_static("no-store")),
        (header::X_CONTENT_TYPE_OPTIONS, HeaderValue::from_static("nosniff")),
        // A table's code or an order's number in an address is told to nobody else.
        (header::REFERRER_POLICY, HeaderValue::from_static("same-origin")),
        (HeaderName::from_static("cross-origin-opener-policy"), HeaderValue::from_static("same-origin")),
    ];
    let mut response = (status, headers, page.into_string()).into_response();
    response.extensions_mut().insert(Page);
    response
}
