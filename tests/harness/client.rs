//! A client of the API. Never retries by itself and never hides an answer.

use reqwest::{Method, header};
use serde_json::Value;
use tiffin_common::Uuid;

/// One caller: a token, an outlet.
#[derive(Clone)]
pub struct Client {
    http: reqwest::Client,
    base: String,
    token: Option<String>,
    outlet: Option<Uuid>,
    account: Option<Uuid>,
    headers: Vec<(String, String)>,
}

/// An answer.
#[derive(Debug, Clone)]
pub struct Reply {
    /// The HTTP status.
    pub status: u16,
    /// The headers.
    pub headers: header::HeaderMap,
    /// The body as text.
    pub text: String,
    /// The body as bytes.
    pub bytes: Vec<u8>,
    /// What was asked, for failures.
    pub asked: String,
}

impl Client {
    /// A caller of the branch at `base`, without a token.
    pub fn new(base: &str) -> Client {
        Client {
            http: reqwest::Client::new(),
            base: base.to_owned(),
            token: None,
            outlet: None,
            account: None,
            headers: Vec::new(),
        }
    }

    /// The same caller, of the server at `base`.
    #[must_use]
    pub fn at(mut self, base: &str) -> Client {
        self.base = base.to_owned();
        self
    }

    /// The same caller with an access token.
    #[must_use]
    pub fn with_token(mut self, token: String) -> Client {
        self.token = Some(token);
        self
    }

    /// The same caller, who knows their account.
    #[must_use]
    pub fn with_account(mut self, account: Uuid) -> Client {
        self.account = Some(account);
        self
    }

    /// The same caller naming an outlet.
    #[must_use]
    pub fn with_outlet(mut self, outlet: Uuid) -> Client {
        self.outlet = Some(outlet);
        self
    }

    /// The same caller naming no outlet.
    #[must_use]
    pub fn without_outlet(mut self) -> Client {
        self.outlet = None;
        self
    }

    /// The same caller sending one more header.
    #[must_use]
    pub fn with_header(mut self, name: &str, value: &str) -> Client {
        self.headers.push((name.to_owned(), value.to_owned()));
        self
    }

    /// The access token.
    pub fn token(&self) -> Option<&str> {
        self.token.as_deref()
    }

    /// The account, where it is known.
    pub fn account_id(&self) -> Option<Uuid> {
        self.account
    }

    /// GET below `/api/v1`.
    pub async fn get(&self, path: &str) -> Reply {
        self.send(self.request(Method::GET, path)).await
    }

    /// POST of a JSON body.
    pub async fn post(&self, path: &str, body: Value) -> Reply {
        self.send(self.request(Method::POST, path).json(&body)).await
    }

    /// POST of a JSON body under an idempotency key.
    pub async fn post_keyed(&self, path: &str, key: &str, body: Value) -> Reply {
        self.send(self.request(Method::POST, path).header("Idempotency-Key", key).json(&body)).await
    }

    /// POST of anything.
    pub async fn post_raw(&self, path: &str, media_type: &str, body: impl Into<reqwest::Body>) -> Reply {
        self.send(self.request(Method::POST, path).header(header::CONTENT_TYPE, media_type).body(body)).await
    }

    /// PUT of a JSON body.
    pub async fn put(&self, path: &str, body: Value) -> Reply {
        self.send(self.request(Method::PUT, path).json(&body)).await
    }

    /// PUT of anything.
    pub async fn put_raw(&self, path: &str, media_type: &str, body: impl Into<reqwest::Body>) -> Reply {
        self.send(self.request(Method::PUT, path).header(header::CONTENT_TYPE, media_type).body(body)).await
    }

    /// PATCH with a JSON body.
    pub async fn patch(&self, path: &str, body: Value) -> Reply {
        self.send(self.request(Method::PATCH, path).json(&body)).await
    }

    /// DELETE.
    pub async fn delete(&self, path: &str) -> Reply {
        self.send(self.request(Method::DELETE, path)).await
    }

    /// A request to build on.
    pub fn request(&self, method: Method, path: &str) -> reqwest::RequestBuilder {
        let root = ["/health", "/ready", "/metrics", "/docs", "/problems", "/v1/", "/sync/"]
            .iter()
            .any(|p| path.starts_with(p));
        let prefix = if root { "" } else { "/api/v1" };
        let mut request = self.http.request(method, format!("{}{prefix}{path}", self.base));
        if let Some(token) = &self.token {
            request = request.bearer_auth(token);
        }
        if let Some(outlet) = self.outlet {
            request = request.header("x-outlet-id", outlet.to_string());
        }
        for (name, value) in &self.headers {
            request = request.header(name, value);
        }
        request
    }

    /// Sends a request that was built.
    pub async fn send(&self, request: reqwest::RequestBuilder) -> Reply {
        self.try_send(request).await.unwrap()
    }

    /// Sends a request to a server that may be gone.
    pub async fn try_send(&self, request: reqwest::RequestBuilder) -> reqwest::Result<Reply> {
        self.try_execute(request.build()?).await
    }

    /// Sends a finished request, whose headers may be anything.
    pub async fn execute(&self, request: reqwest::Request) -> Reply {
        self.try_execute(request).await.unwrap()
    }

    async fn try_execute(&self, request: reqwest::Request) -> reqwest::Result<Reply> {
        let asked = format!("{} {}", request.method(), request.url());
        let response = self.http.execute(request).await?;
        let (status, headers) = (response.status().as_u16(), response.headers().clone());
        let bytes = response.bytes().await?.to_vec();
        Ok(Reply { status, headers, text: String::from_utf8_lossy(&bytes).into_owned(), bytes, asked })
    }
}

impl Reply {
    /// The reply, which must have `status`.
    #[track_caller]
    pub fn expect(self, status: u16) -> Reply {
        assert_eq!(self.status, status, "{} answered {}: {}", self.asked, self.status, self.text);
        self
    }

    /// The reply, which must be a refusal with `status` and `code` (without `ERR_`), in both error shapes.
    #[track_caller]
    pub fn refused(self, status: u16, code: &str) -> Reply {
        let reply = self.expect(status);
        let body = reply.json();
        assert_eq!(reply.header("content-type"), "application/problem+json", "{}", reply.asked);
        assert_eq!(body["code"], format!("ERR_{code}"), "{} answered {}", reply.asked, reply.text);
        assert_eq!(body["error"]["code"], code);
        assert_eq!(body["success"], false);
        assert_eq!(body["status"], status);
        reply
    }

    /// The names in `invalidParams`.
    #[track_caller]
    pub fn invalid_fields(&self) -> Vec<String> {
        let body = self.json();
        let list = body["invalidParams"].as_array().cloned().unwrap_or_default();
        list.iter().map(|field| field["name"].as_str().unwrap().to_owned()).collect()
    }

    /// The body as JSON.
    #[track_caller]
    pub fn json(&self) -> Value {
        serde_json::from_str(&self.text)
            .unwrap_or_else(|_| panic!("{} answered no JSON: {}", self.asked, self.text))
    }

    /// The envelope's data of a 2xx answer.
    #[track_caller]
    pub fn data(&self) -> Value {
        assert!((200..300).contains(&self.status), "{} answered {}: {}", self.asked, self.status, self.text);
        let body = self.json();
        assert_eq!(body["success"], true, "{} answered no envelope: {}", self.asked, self.text);
        body["data"].clone()
    }

    /// A header's text, or nothing.
    pub fn header(&self, name: &str) -> &str {
        self.headers.get(name).map_or("", |value| value.to_str().unwrap_or_default())
    }
}
