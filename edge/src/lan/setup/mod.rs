//! `/setup`: how a box without a branch gets one from a browser in its network. Open only while there is no branch, and only to
//! who has the code from the box's own screen. Never makes the branch itself: it hands the wish to the very code of `edge init`
//! and `edge enroll`.

mod fields;
mod form;
mod gate;
mod locale;
mod outcome;
mod page;

pub use form::{Branch, Form, HeadOffice, Password, Wish};
pub use gate::Gate;
pub use locale::Locale;
pub use outcome::{Made, Wrong};

use super::{Reach, html};
use crate::db::Env;
use crate::http::Query;
use crate::http::client::ClientAddress;
use axum::Router;
use axum::body::Bytes;
use axum::extract::Extension;
use axum::http::{HeaderMap, HeaderValue, StatusCode, header};
use axum::response::{Redirect, Response};
use axum::routing::get;
use gate::Admitted;
use schemars::JsonSchema;
use serde::Deserialize;
use std::net::IpAddr;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Duration;
use tokio::sync::oneshot;

/// How long an answer waits for the work before it shows a page that asks again.
const PATIENCE: Duration = Duration::from_secs(8);

/// Makes the branch that is wished for. Blocks.
pub type Make = Arc<dyn Fn(Wish) -> Result<Made, Vec<Wrong>> + Send + Sync>;

/// How far the setup is.
#[derive(Default)]
enum Progress {
    /// Waiting for somebody.
    #[default]
    Idle,
    /// The branch is being made.
    Working,
    /// It could not be made: what was wished for, and what was wrong with it.
    Refused(Box<Form>, Vec<Wrong>),
    /// It is there.
    Done(Made),
}

/// The setup of this start. All clones are one.
#[derive(Clone)]
pub struct Setup {
    gate: Arc<Mutex<Gate>>,
    progress: Arc<Mutex<Progress>>,
    make: Make,
    reach: Reach,
    place: Locale,
    env: Env,
}

impl Setup {
    /// A setup with a new code, of a box in `place` that is called by `reach`.
    pub fn new(env: Env, reach: Reach, place: Locale, make: Make) -> Setup {
        let gate = Arc::new(Mutex::new(Gate::new(&env)));
        Setup { gate, progress: Arc::default(), make, reach, place, env }
    }

    /// The code that opens it.
    pub fn code(&self) -> String {
        locked(&self.gate).code().to_owned()
    }

    /// Its routes.
    pub fn routes<S: Clone + Send + Sync + 'static>(&self) -> Router<S> {
        let (show, submit, progress) = (self.clone(), self.clone(), self.clone());
        let show =
            get(async move |Extension(client): Extension<ClientAddress>, Query(asked): Query<Asked>| {
                show.show(client.ip, &asked.code)
            });
        let submit = show.post(
            async move |Extension(client): Extension<ClientAddress>, headers: HeaderMap, body: Bytes| {
                submit.submit(client.ip, &headers, &body).await
            },
        );
        let progress =
            get(async move |Extension(client): Extension<ClientAddress>, Query(asked): Query<Asked>| {
                progress.tell(client.ip, &asked.code)
            });
        Router::new()
            .route("/", get(async || Redirect::to("/setup")))
            .route("/setup", submit)
            .route("/setup/progress", progress)
    }

    /// The form, for who has the code.
    fn show(&self, client: IpAddr, code: &str) -> Response {
        if code.is_empty() {
            return self.send(StatusCode::OK, page::ask_for_code(None));
        }
        if let Err(refused) = self.admit(client, code) {
            return *refused;
        }
        self.answer(code, StatusCode::OK)
    }

    /// The form came back.
    async fn submit(&self, client: IpAddr, headers: &HeaderMap, body: &[u8]) -> Response {
        if !is_own_page(headers) {
            return self.refused(StatusCode::FORBIDDEN, "This form was not sent from this box's own page.");
        }
        let form = serde_urlencoded::from_bytes::<Form>(body).ok();
        // No field of a page gives a zero, and not every store keeps one.
        let Some(form) = form.filter(|_| !body.contains(&0) && !body.windows(3).any(|part| part == b"%00"))
        else {
            return self.refused(
                StatusCode::BAD_REQUEST,
                "The form cannot be read: send it from this box's own page.",
            );
        };
        let code = form.code.clone();
        if let Err(refused) = self.admit(client, &code) {
            return *refused;
        }
        if let Some(done) = self.begin(form) {
            // Long work goes on behind a page that asks again.
            let _ = tokio::time::timeout(PATIENCE, done).await;
        }
        self.answer(&code, StatusCode::UNPROCESSABLE_ENTITY)
    }

    /// Begins the work, unless it has begun already or the form is wrong.
    fn begin(&self, form: Form) -> Option<oneshot::Receiver<()>> {
        let mut progress = locked(&self.progress);
        if matches!(*progress, Progress::Working | Progress::Done(_)) {
            return None;
        }
        let wish = match form.wish() {
            Ok(wish) => wish,
            Err(wrong) => {
                *progress = Progress::Refused(Box::new(form), wrong);
                return None;
            }
        };
        *progress = Progress::Working;
        drop(progress);
        let (finished, done) = oneshot::channel();
        let setup = self.clone();
        tokio::spawn(async move {
            let make = Arc::clone(&setup.make);
            let made = tokio::task::spawn_blocking(move || make(wish)).await;
            let made = made.unwrap_or_else(|_| {
                Err(vec![Wrong::new("", "Something unexpected happened; the box's log says what")])
            });
            *locked(&setup.progress) = match made {
                Ok(made) => Progress::Done(made),
                Err(wrong) => Progress::Refused(Box::new(form), wrong),
            };
            // Whoever asked may have gone.
            let _ = finished.send(());
        });
        Some(done)
    }

    /// How far it is, for who has the code.
    fn tell(&self, client: IpAddr, code: &str) -> Response {
        match self.admit(client, code) {
            Ok(()) => self.answer(code, StatusCode::OK),
            Err(refused) => *refused,
        }
    }

    /// The page for how far it is; a form with errors is sent with the status `refused`.
    fn answer(&self, code: &str, refused: StatusCode) -> Response {
        match &*locked(&self.progress) {
            Progress::Idle => self.send(StatusCode::OK, page::form(&Form::new(code, &self.place), &[])),
            Progress::Working => self.send(StatusCode::ACCEPTED, page::working(code)),
            Progress::Refused(form, wrong) => self.send(refused, page::form(form, wrong)),
            Progress::Done(made) => self.send(StatusCode::CREATED, page::done(made, &self.reach)),
        }
    }

    fn send(&self, status: StatusCode, page: html::Page) -> Response {
        html::send(status, page, &self.env)
    }

    /// A page that says why not.
    fn refused(&self, status: StatusCode, reason: &str) -> Response {
        self.send(status, page::refused(reason))
    }

    /// Lets in who has the code.
    fn admit(&self, client: IpAddr, code: &str) -> Result<(), Box<Response>> {
        let mut gate = locked(&self.gate);
        match gate.admit(client, code, &self.env) {
            Admitted::Yes => Ok(()),
            Admitted::No { renewed } => {
                if renewed {
                    tracing::warn!(
                        code = gate.code(),
                        "too many wrong codes for the setup; this one holds from now on"
                    );
                }
                let text = page::ask_for_code(Some("is not the one on the box's screen"));
                Err(Box::new(self.send(StatusCode::FORBIDDEN, text)))
            }
            Admitted::Later { seconds } => {
                let minutes = seconds.div_ceil(60);
                let reason = format!(
                    "Too many wrong codes from this device. Wait {minutes} min, or use another device in this network."
                );
                let mut answer = self.refused(StatusCode::TOO_MANY_REQUESTS, &reason);
                answer.headers_mut().insert(header::RETRY_AFTER, HeaderValue::from(seconds));
                Err(Box::new(answer))
            }
        }
    }
}

#[derive(Debug, Default, Deserialize, JsonSchema)]
struct Asked {
    #[serde(default)]
    code: String,
}

/// Whether a form was sent from a page of this very server, as far as the client says. What is no browser says nothing.
fn is_own_page(headers: &HeaderMap) -> bool {
    let text = |name: &str| headers.get(name).map(|value| value.to_str().unwrap_or("?"));
    if text("sec-fetch-site").is_some_and(|site| site != "same-origin" && site != "none") {
        return false;
    }
    let Some(origin) = text(header::ORIGIN.as_str()) else { return true };
    let host = text(header::HOST.as_str());
    origin.split_once("://").is_some_and(|(_, authority)| Some(authority) == host)
}

fn locked<T>(cell: &Mutex<T>) -> MutexGuard<'_, T> {
    cell.lock().unwrap_or_else(PoisonError::into_inner)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_form_of_another_site_is_told_from_our_own() {
        let own = |lines: &[(&'static str, &str)]| {
            let mut headers = HeaderMap::new();
            for (name, value) in lines {
                headers.insert(*name, value.parse().unwrap());
            }
            is_own_page(&headers)
        };
        let host = ("host", "192.168.1.20:8080");
        assert!(own(&[host]) && own(&[host, ("origin", "http://192.168.1.20:8080")]));
        assert!(own(&[host, ("origin", "http://192.168.1.20:8080"), ("sec-fetch-site", "same-origin")]));
        for other in
            ["http://evil.example", "null", "http://192.168.1.20", "http://192.168.1.20:8080.evil.example"]
        {
            assert!(!own(&[host, ("origin", other)]), "{other}");
        }
        assert!(!own(&[host, ("sec-fetch-site", "cross-site")]));
    }
}
