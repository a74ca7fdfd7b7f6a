//! The carrier over HTTP(S): bounded in time and size, follows no redirect, and takes a fresh connection after any error. Never
//! speaks plain HTTP with another host unless it was told to.

use super::client::{Answer, HubClient, HubError, Reply, Request};
use super::enrolment::Enrolment;
use crate::config::Secret;
use reqwest::redirect::Policy;
use std::error::Error;
use std::path::Path;
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;
use tiffin_common::sync::CLASS_HEADER;

/// Largest answer taken, in bytes.
const ANSWER_BYTES: usize = 64 * 1024 * 1024;

/// How long a connection may take to be made.
const CONNECT: Duration = Duration::from_secs(10);

/// How long nothing may come although something is on its way. A long poll waits at most 50 s for its first byte.
const IDLE: Duration = Duration::from_secs(65);

/// Why head office cannot be spoken with at all. For the person who set it up.
#[derive(Debug, thiserror::Error)]
pub enum CarrierError {
    /// No `http://` or `https://` address.
    #[error("{0} is no address such as https://hub.example.com")]
    Address(String),
    /// It would be plain HTTP over a network.
    #[error("{0} is not encrypted; use https://, or allow it with --hub-insecure on a network of your own")]
    Insecure(String),
    /// The authority's certificate.
    #[error("{path}: {reason}")]
    Authority {
        /// Its file.
        path: String,
        /// What is wrong with it.
        reason: String,
    },
    /// The system refuses.
    #[error("{0}")]
    Client(#[from] reqwest::Error),
}

/// How a box reaches the head office of an enrolment.
pub type Way = Box<dyn Fn(&Enrolment) -> Result<Arc<dyn HubClient>, CarrierError> + Send + Sync>;

/// Head office over HTTP. One connection is kept while all goes well.
pub struct HttpCarrier {
    http: Mutex<reqwest::Client>,
    base: String,
    key: Option<Secret>,
    authority: Option<Vec<u8>>,
}

impl HttpCarrier {
    /// To head office at `url`; `key` is the box's, none for enrolment. `authority` is the file of an own certificate authority.
    ///
    /// # Errors
    /// See [`CarrierError`].
    pub fn new(
        url: &str,
        key: Option<Secret>,
        authority: Option<&Path>,
        insecure: bool,
    ) -> Result<HttpCarrier, CarrierError> {
        let address = || CarrierError::Address(url.to_owned());
        let parsed = reqwest::Url::parse(url).map_err(|_| address())?;
        let host = parsed.host_str().filter(|host| !host.is_empty()).ok_or_else(address)?;
        match parsed.scheme() {
            "https" => {}
            "http" if insecure || is_this_machine(host) => {}
            "http" => return Err(CarrierError::Insecure(url.to_owned())),
            _ => return Err(address()),
        }
        let authority = authority.map(read_authority).transpose()?;
        let http = Mutex::new(client(authority.as_deref())?);
        let base = format!("{}/sync/v1/", url.trim_end_matches('/'));
        Ok(HttpCarrier { http, base, key, authority })
    }

    /// To the head office of `enrolment`, with the box's key.
    ///
    /// # Errors
    /// See [`CarrierError`].
    pub fn of(enrolment: &Enrolment) -> Result<HttpCarrier, CarrierError> {
        let Enrolment { hub_url, key, authority, insecure, .. } = enrolment;
        HttpCarrier::new(hub_url, Some(key.clone()), authority.as_deref(), *insecure)
    }

    fn http(&self) -> reqwest::Client {
        self.http.lock().unwrap_or_else(PoisonError::into_inner).clone()
    }

    /// Whatever connection there was is not used again.
    fn renew(&self) {
        if let Ok(fresh) = client(self.authority.as_deref()) {
            *self.http.lock().unwrap_or_else(PoisonError::into_inner) = fresh;
        }
    }

    async fn exchange(&self, request: Request) -> Result<Answer, reqwest::Error> {
        let address = format!("{}{}", self.base, request.path);
        let http = self.http();
        let mut carried = match request.method {
            "POST" => http
                .post(address)
                .header(reqwest::header::CONTENT_TYPE, request.content_type)
                .body(request.body),
            _ => http.get(address),
        };
        if let Some(key) = &self.key {
            carried = carried.bearer_auth(key.reveal());
        }
        if let Some(class) = request.class {
            carried = carried.header(CLASS_HEADER, class.name());
        }
        let mut response = carried.timeout(request.patience).send().await?;
        let text = |name: reqwest::header::HeaderName| {
            response.headers().get(name).and_then(|value| value.to_str().ok()).map(str::to_owned)
        };
        let mut answer = Answer {
            status: response.status().as_u16(),
            content_type: text(reqwest::header::CONTENT_TYPE),
            retry_after: text(reqwest::header::RETRY_AFTER).and_then(|seconds| seconds.trim().parse().ok()),
            body: bytes::Bytes::new(),
        };
        let mut body = bytes::BytesMut::new();
        while let Some(chunk) = response.chunk().await? {
            if body.len() + chunk.len() > ANSWER_BYTES {
                // No answer of head office is so large.
                answer.content_type = None;
                return Ok(answer);
            }
            body.extend_from_slice(&chunk);
        }
        answer.body = body.freeze();
        Ok(answer)
    }
}

impl HubClient for HttpCarrier {
    fn send(&self, request: Request) -> Reply<'_> {
        Box::pin(async move {
            let outcome = self.exchange(request).await;
            if outcome.as_ref().map_or(true, |answer| answer.status >= 300) {
                self.renew();
            }
            outcome.map_err(|error| HubError::Offline(reason(error)))
        })
    }
}

/// A client for head office, whose certificate authority lies in the file `authority` where it has its own.
///
/// # Errors
/// When the file cannot be read or holds no certificate.
pub fn http_client(authority: Option<&Path>) -> Result<reqwest::Client, CarrierError> {
    client(authority.map(read_authority).transpose()?.as_deref())
}

fn read_authority(path: &Path) -> Result<Vec<u8>, CarrierError> {
    let wrong = |reason: String| CarrierError::Authority { path: path.display().to_string(), reason };
    std::fs::read(path).map_err(|error| wrong(error.to_string()))
}

fn client(authority: Option<&[u8]>) -> Result<reqwest::Client, CarrierError> {
    let mut builder = reqwest::Client::builder()
        .redirect(Policy::none())
        .connect_timeout(CONNECT)
        .read_timeout(IDLE)
        .pool_max_idle_per_host(2)
        .tcp_nodelay(true);
    if let Some(pem) = authority {
        let certificates = reqwest::Certificate::from_pem_bundle(pem)?;
        builder = builder.tls_certs_only(certificates);
    }
    Ok(builder.build()?)
}

/// What a request failed of, down to the cause: no name, no route, a certificate of nobody's.
fn reason(error: reqwest::Error) -> String {
    let error = error.without_url();
    let (mut words, mut cause) = (error.to_string(), error.source());
    while let Some(deeper) = cause {
        cause = deeper.source();
        if cause.is_none() {
            words = format!("{words}: {deeper}");
        }
    }
    if words.contains("UnknownIssuer") {
        words.push_str(
            " (nobody this machine trusts signed the certificate; one of your own authority: hub-ca)",
        );
    }
    words
}

fn is_this_machine(host: &str) -> bool {
    let bare = host.trim_matches(['[', ']']);
    bare == "localhost" || bare.parse::<std::net::IpAddr>().is_ok_and(|ip| ip.is_loopback())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn plain_http_stays_on_this_machine_unless_it_is_allowed() {
        for fine in
            ["https://hub.example.com", "http://127.0.0.1:8090/", "http://[::1]:8090", "http://localhost"]
        {
            assert!(HttpCarrier::new(fine, None, None, false).is_ok(), "{fine}");
        }
        let open = "http://hub.example.com";
        assert!(matches!(HttpCarrier::new(open, None, None, false), Err(CarrierError::Insecure(_))));
        assert!(HttpCarrier::new(open, None, None, true).is_ok());
        for wrong in ["hub.example.com", "ftp://hub", "https://"] {
            assert!(
                matches!(HttpCarrier::new(wrong, None, None, true), Err(CarrierError::Address(_))),
                "{wrong}"
            );
        }
    }

    #[tokio::test]
    async fn a_dead_address_is_offline() {
        let port = std::net::TcpListener::bind("127.0.0.1:0").unwrap().local_addr().unwrap().port();
        let carrier = HttpCarrier::new(&format!("http://127.0.0.1:{port}"), None, None, false).unwrap();
        let request = Request {
            method: "GET",
            path: "hello".into(),
            content_type: "application/json",
            body: bytes::Bytes::new(),
            class: None,
            patience: Duration::from_secs(5),
        };
        assert!(matches!(carrier.send(request).await, Err(HubError::Offline(_))));
    }
}
