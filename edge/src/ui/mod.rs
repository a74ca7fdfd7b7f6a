//! The screens for people: their files as they lie in the binary, and the page that loads them. Never a word of the business: what a
//! screen shows, it asks the API for.

mod bundle;
mod shell;

pub use bundle::{Bundle, Packed, Root};
pub use shell::{Screen, Told, send};

use crate::http::compress::reads_gzip;
use crate::http::{Code, Problem};
use axum::Router;
use axum::http::{HeaderMap, Uri};
use axum::response::IntoResponse;
use axum::routing::get;

/// The folder `screens` of the crate that asks, as its build script has packed it.
#[macro_export]
macro_rules! screens {
    () => {
        $crate::ui::Root::new(
            // Where the files lay when it was built is for a build for work alone.
            if cfg!(debug_assertions) { concat!(env!("CARGO_MANIFEST_DIR"), "/screens") } else { "" },
            include!(concat!(env!("OUT_DIR"), "/screens.rs")),
        )
    };
}

/// The files of the branch's screens and what all screens are made of, which head office lends for its own.
pub fn branch() -> Root {
    screens!()
}

/// The files of `bundle`: kept for ever by a browser that asks by the hash of today.
pub fn files<S: Clone + Send + Sync + 'static>(bundle: Bundle) -> Router<S> {
    let file = get(async move |uri: Uri, headers: HeaderMap| {
        let below = uri.path().strip_prefix(bundle::FILES).and_then(|path| path.strip_prefix('/'));
        let (hash, name) = below.and_then(|path| path.split_once('/')).unwrap_or_default();
        bundle.find(name).map_or_else(
            || Problem::new(Code::NotFound).detail("No such file").into_response(),
            |file| file.answer(bundle.is_current(hash), reads_gzip(&headers)),
        )
    });
    Router::new().route("/a/{hash}/{*path}", file)
}

/// The worker that keeps the pages of screens in browsers: at the top, so that it may keep all of them, and looked for at each visit.
pub fn worker<S: Clone + Send + Sync + 'static>(bundle: Bundle) -> Router<S> {
    let file = get(async move |headers: HeaderMap| {
        let found = bundle.find("kit/worker.js").map(|file| file.answer(false, reads_gzip(&headers)));
        found.unwrap_or_else(|| Problem::new(Code::NotFound).into_response())
    });
    Router::new().route("/worker.js", file)
}

#[cfg(test)]
mod tests;
