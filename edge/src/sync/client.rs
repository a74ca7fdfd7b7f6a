//! How a branch speaks with head office: one small trait that carries a request and brings an answer, and on top of it the
//! typed calls of `/sync/v1`, the same over any carrier. Never retries, never decides what a refusal means for the branch.

use bytes::Bytes;
use serde::Serialize;
use serde::de::DeserializeOwned;
use std::future::Future;
use std::pin::Pin;
use std::sync::Arc;
use std::time::Duration;
use tiffin_common::sync::{
    Class, Dismissed, EnrolRequest, Enrolled, FRAMES_TYPE, FramesQuery, Hello, HelloRequest, PaperPart,
    PaperPlace, PapersLacking, PullQuery, PullReply, PushReply, Refused, SalvagePage, SnapshotPage,
    SnapshotQuery, batch,
};

/// Most bytes of log rows fetched back in one answer, decompressed.
const FRAMES_BYTES: usize = 256 * 1024 * 1024;

/// How long an ordinary request may take in all.
const PATIENCE: Duration = Duration::from_secs(30);

/// How long a request with much to carry may take in all.
const LONG_PATIENCE: Duration = Duration::from_secs(90);

/// Why a call brought nothing.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum HubError {
    /// No answer: no link, no connection, a deadline passed, or the answer was cut.
    #[error("head office does not answer: {0}")]
    Offline(String),
    /// It asks to be left alone for a while (429, 503).
    #[error("head office is busy")]
    Busy {
        /// Not before this.
        retry_after: Option<Duration>,
    },
    /// Another box has taken this one's place (410).
    #[error("another box has taken this one's place")]
    Fenced,
    /// The log does not go on from what head office holds (409).
    #[error("head office refuses these rows: {0:?}")]
    Refused(Refused),
    /// The body is larger than it takes (413).
    #[error("too much at once")]
    TooLarge,
    /// This program is too old for it (426).
    #[error("this program is too old for head office")]
    TooOld,
    /// The key is not, or no longer, known (401, 403).
    #[error("head office does not know this box's key")]
    Unauthorized,
    /// Somebody else answered: a captive portal, a proxy's page.
    #[error("this is not head office's answer: {0}")]
    NotOurs(String),
    /// It says that the request itself is wrong, or has failed.
    #[error("head office answered {status}: {detail}")]
    Bad {
        /// The status.
        status: u16,
        /// Its words.
        detail: String,
    },
}

/// A request, for a carrier to carry.
#[derive(Debug, Clone)]
pub struct Request {
    /// `GET` or `POST`.
    pub method: &'static str,
    /// Below `/sync/v1/`, with its query.
    pub path: String,
    /// The body's media type.
    pub content_type: &'static str,
    /// The body; empty for `GET`.
    pub body: Bytes,
    /// The value of `x-tiffin-class`.
    pub class: Option<Class>,
    /// How long the whole of it may take.
    pub patience: Duration,
}

/// What came back.
#[derive(Debug, Clone, Default)]
pub struct Answer {
    /// The status.
    pub status: u16,
    /// `content-type`.
    pub content_type: Option<String>,
    /// `retry-after`, in seconds.
    pub retry_after: Option<u64>,
    /// The body.
    pub body: Bytes,
}

/// An answer that is on its way.
pub type Reply<'a> = Pin<Box<dyn Future<Output = Result<Answer, HubError>> + Send + 'a>>;

/// Carries requests to head office, with the box's key. After any error the connection is not used again.
pub trait HubClient: Send + Sync + 'static {
    /// Carries `request`; an error is [`HubError::Offline`].
    fn send(&self, request: Request) -> Reply<'_>;
}

/// Head office, over some carrier. Cheap to clone.
#[derive(Clone)]
pub struct Hub(Arc<dyn HubClient>);

impl Hub {
    /// Over `client`.
    pub fn new(client: Arc<dyn HubClient>) -> Hub {
        Hub(client)
    }

    /// `POST enrol`.
    ///
    /// # Errors
    /// See [`HubError`].
    pub async fn enrol(&self, request: &EnrolRequest) -> Result<Enrolled, HubError> {
        json(&self.ask(post("enrol", request)?).await?)
    }

    /// `POST hello`.
    ///
    /// # Errors
    /// See [`HubError`].
    pub async fn hello(&self, request: &HelloRequest) -> Result<Hello, HubError> {
        json(&self.ask(post("hello", request)?).await?)
    }

    /// `POST push`: an encoded batch.
    ///
    /// # Errors
    /// See [`HubError`].
    pub async fn push(&self, body: Vec<u8>, class: Class) -> Result<PushReply, HubError> {
        let request = Request {
            method: "POST",
            path: "push".into(),
            content_type: FRAMES_TYPE,
            body: body.into(),
            class: Some(class),
            patience: LONG_PATIENCE,
        };
        json(&self.ask(request).await?)
    }

    /// `GET pull`: waits there for as long as the query says.
    ///
    /// # Errors
    /// See [`HubError`].
    pub async fn pull(&self, query: &PullQuery) -> Result<PullReply, HubError> {
        let waits = Duration::from_secs(query.wait.unwrap_or(0).into());
        json(&self.ask(Request { patience: PATIENCE + waits, ..get("pull", query)? }).await?)
    }

    /// `GET frames`: rows of the outlet's own log.
    ///
    /// # Errors
    /// See [`HubError`].
    pub async fn frames(&self, query: &FramesQuery) -> Result<batch::Batch, HubError> {
        let answer = self.ask(Request { patience: LONG_PATIENCE, ..get("frames", query)? }).await?;
        if !is_of_type(&answer, FRAMES_TYPE) {
            return Err(HubError::NotOurs(answer.content_type.unwrap_or_default()));
        }
        // A cut body still gives its first rows; the next request asks for those after them.
        match batch::decode(&answer.body, FRAMES_BYTES) {
            Ok((batch, _)) => Ok(batch),
            Err(error) => Err(HubError::Bad { status: answer.status, detail: error.to_string() }),
        }
    }

    /// `GET salvage`: what is to be taken over of what another box had.
    ///
    /// # Errors
    /// See [`HubError`].
    pub async fn salvage(&self) -> Result<SalvagePage, HubError> {
        json(&self.ask(Request { patience: LONG_PATIENCE, ..plain("salvage".to_owned()) }).await?)
    }

    /// `GET dismissed`: who of the staff may not sign in any more. Answered to a key that has ended, too.
    ///
    /// # Errors
    /// See [`HubError`].
    pub async fn dismissed(&self) -> Result<Dismissed, HubError> {
        json(&self.ask(plain("dismissed".to_owned())).await?)
    }

    /// `GET papers`: what head office lacks of the staff's papers.
    ///
    /// # Errors
    /// See [`HubError`].
    pub async fn papers(&self) -> Result<PapersLacking, HubError> {
        json(&self.ask(plain("papers".to_owned())).await?)
    }

    /// `POST papers`: a part of a paper; answers where to go on.
    ///
    /// # Errors
    /// See [`HubError`].
    pub async fn send_paper(&self, part: &PaperPart) -> Result<PaperPlace, HubError> {
        json(&self.ask(Request { patience: LONG_PATIENCE, ..post("papers", part)? }).await?)
    }

    /// `GET papers/content`: the part of a paper that begins there.
    ///
    /// # Errors
    /// See [`HubError`].
    pub async fn paper(&self, place: &PaperPlace) -> Result<PaperPart, HubError> {
        json(&self.ask(Request { patience: LONG_PATIENCE, ..get("papers/content", place)? }).await?)
    }

    /// `GET snapshot`: a page of the outlet's rows.
    ///
    /// # Errors
    /// See [`HubError`].
    pub async fn snapshot(&self, query: &SnapshotQuery) -> Result<SnapshotPage, HubError> {
        json(&self.ask(Request { patience: LONG_PATIENCE, ..get("snapshot", query)? }).await?)
    }

    async fn ask(&self, request: Request) -> Result<Answer, HubError> {
        let patience = request.patience;
        let answer = tokio::time::timeout(patience, self.0.send(request)).await;
        judge(answer.map_err(|_| HubError::Offline("it took too long".into()))??)
    }
}

fn post(path: &str, body: &impl Serialize) -> Result<Request, HubError> {
    let body = serde_json::to_vec(body).map_err(|error| unwritable(&error))?;
    Ok(Request { method: "POST", body: body.into(), ..plain(path.to_owned()) })
}

fn get(path: &str, query: &impl Serialize) -> Result<Request, HubError> {
    let query = serde_urlencoded::to_string(query).map_err(|error| unwritable(&error))?;
    Ok(plain(format!("{path}?{query}")))
}

fn plain(path: String) -> Request {
    let content_type = "application/json";
    Request { method: "GET", path, content_type, body: Bytes::new(), class: None, patience: PATIENCE }
}

fn unwritable(error: &dyn std::error::Error) -> HubError {
    HubError::Bad { status: 0, detail: error.to_string() }
}

/// Sorts an answer: what is no success is an error.
fn judge(answer: Answer) -> Result<Answer, HubError> {
    let is_json = is_of_type(&answer, "application/json") || is_of_type(&answer, "application/problem+json");
    let not_ours = || HubError::NotOurs(format!("{} {:?}", answer.status, answer.content_type));
    match answer.status {
        200..=299 => Ok(answer),
        // A page of a hotel's network, or of a proxy whose head office is down.
        _ if !is_json => Err(not_ours()),
        // A gateway on the way refuses in JSON, too; what shuts a box out is head office's word alone.
        401 | 403 | 410 | 426 if !is_problem(&answer) => Err(not_ours()),
        429 | 503 => Err(HubError::Busy { retry_after: answer.retry_after.map(Duration::from_secs) }),
        401 | 403 => Err(HubError::Unauthorized),
        409 => Err(refusal(&answer)),
        410 => Err(HubError::Fenced),
        413 => Err(HubError::TooLarge),
        426 => Err(HubError::TooOld),
        _ => Err(bad(&answer)),
    }
}

/// Whether the answer bears a code of head office's.
fn is_problem(answer: &Answer) -> bool {
    let body: serde_json::Value = serde_json::from_slice(&answer.body).unwrap_or_default();
    body["code"].as_str().is_some_and(|code| code.starts_with("ERR_"))
}

fn refusal(answer: &Answer) -> HubError {
    let found = serde_json::from_slice::<serde_json::Value>(&answer.body).ok().and_then(|body| {
        let refused = body.get("refused").or_else(|| body.get("error")?.get("refused"))?;
        serde_json::from_value(refused.clone()).ok()
    });
    found.map_or_else(|| bad(answer), HubError::Refused)
}

fn bad(answer: &Answer) -> HubError {
    let body: serde_json::Value = serde_json::from_slice(&answer.body).unwrap_or_default();
    let words = ["detail", "title", "message"].iter().find_map(|name| body.get(name)?.as_str());
    HubError::Bad { status: answer.status, detail: words.unwrap_or_default().chars().take(300).collect() }
}

fn is_of_type(answer: &Answer, wanted: &str) -> bool {
    let given = answer.content_type.as_deref().unwrap_or_default();
    given.split(';').next().is_some_and(|given| given.trim().eq_ignore_ascii_case(wanted))
}

/// The JSON of an answer, bare or in the API's envelope.
fn json<T: DeserializeOwned>(answer: &Answer) -> Result<T, HubError> {
    #[derive(serde::Deserialize)]
    struct Envelope<T> {
        data: T,
    }
    if !is_of_type(answer, "application/json") {
        return Err(HubError::NotOurs(format!("{:?}", answer.content_type)));
    }
    let bare = serde_json::from_slice::<T>(&answer.body);
    let enveloped = || serde_json::from_slice::<Envelope<T>>(&answer.body).map(|envelope| envelope.data);
    // The first error says what is missing in head office's own form.
    bare.or_else(|error| enveloped().map_err(|_| error)).map_err(|error| HubError::NotOurs(error.to_string()))
}

#[cfg(test)]
mod tests {
    use super::*;
    use tiffin_common::sync::RefusedReason;

    fn answer(status: u16, content_type: &str, body: &str) -> Answer {
        Answer {
            status,
            content_type: Some(content_type.into()),
            retry_after: Some(7),
            body: Bytes::copy_from_slice(body.as_bytes()),
        }
    }

    #[test]
    fn every_refusal_is_told_apart() {
        let problem = "application/problem+json";
        let of = |status, body: &str| judge(answer(status, problem, body)).unwrap_err();
        assert_eq!(of(401, r#"{"code":"ERR_UNAUTHORIZED"}"#), HubError::Unauthorized);
        assert_eq!(of(403, r#"{"code":"ERR_FORBIDDEN"}"#), HubError::Unauthorized);
        assert_eq!(of(410, r#"{"code":"ERR_DEVICE_FENCED"}"#), HubError::Fenced);
        assert_eq!(of(413, "{}"), HubError::TooLarge);
        assert_eq!(of(426, r#"{"code":"ERR_UPGRADE_REQUIRED"}"#), HubError::TooOld);
        assert_eq!(of(503, "{}"), HubError::Busy { retry_after: Some(Duration::from_secs(7)) });
        assert_eq!(of(500, r#"{"detail":"broken"}"#), HubError::Bad { status: 500, detail: "broken".into() });
        let gap = of(409, r#"{"status":409,"refused":{"reason":"GAP","cursor":null}}"#);
        assert_eq!(gap, HubError::Refused(Refused { reason: RefusedReason::Gap, cursor: None }));
        assert!(matches!(of(409, "{}"), HubError::Bad { status: 409, .. }));
    }

    #[test]
    fn a_portal_that_answers_for_head_office_is_found_out() {
        for (status, body) in [
            (200, "<html>Welcome to the hotel</html>"),
            (302, ""),
            (403, "<html>"),
            (404, ""),
            (429, ""),
            (503, ""),
        ] {
            let told = judge(answer(status, "text/html; charset=utf-8", body));
            let told = told.and_then(|answer| json::<serde_json::Value>(&answer));
            assert!(matches!(told, Err(HubError::NotOurs(_))), "{status}");
        }
        // Even one that claims to speak JSON.
        for status in [401, 403, 410, 426] {
            let told = judge(answer(status, "application/json", r#"{"message":"Forbidden"}"#));
            assert!(matches!(told, Err(HubError::NotOurs(_))), "{status}");
        }
        let told = json::<Refused>(&answer(200, "application/json", r#"{"welcome":true}"#));
        assert!(matches!(told, Err(HubError::NotOurs(_))));
        let cut = json::<Refused>(&answer(200, "application/json", r#"{"reason":"GAP","#));
        assert!(matches!(cut, Err(HubError::NotOurs(_))));
    }

    #[test]
    fn an_answer_may_come_in_the_envelope() {
        let body = r#"{"success":true,"data":{"reason":"FORK","cursor":null}}"#;
        let refused = json::<Refused>(&answer(200, "application/json; charset=utf-8", body)).unwrap();
        assert_eq!(refused.reason, RefusedReason::Fork);
    }
}
