//! The refresh token of a browser, in a cookie that no script reads and no other site's page sends. Taken and given to pages of this
//! server's own alone. Never an access token: those stand in the `Authorization` header, which no browser sends by itself.

use super::super::actions::Device;
use crate::access::describe::Describe;
use crate::access::operation::Operation;
use crate::http::client::OverTls;
use crate::http::{Code, Data, Problem, Result};
use axum::extract::{FromRequestParts, OriginalUri};
use axum::http::request::Parts;
use axum::http::uri::Authority;
use axum::http::{HeaderMap, HeaderValue, Uri, header};
use axum::response::{IntoResponse, Response};
use cookie::time::Duration;
use cookie::{Cookie, SameSite};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use std::convert::Infallible;
use tiffin_common::Millis;

/// The page of a tablet that waits to be let in; its cookie is sent below it alone.
pub const PAIRING_PATH: &str = "/pair";

/// A refresh token.
#[derive(Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct RefreshToken {
    /// Absent where this server's cookie has it.
    #[schemars(length(min = 1, max = 512))]
    refresh_token: Option<String>,
}

/// What a browser sent along: the cookie of this server, and whose page asked.
pub struct Jar {
    name: String,
    path: String,
    token: Option<String>,
    pairing: String,
    /// What a tablet waits with that shows a code: the code, and what it asks with.
    pub waiting: Option<String>,
    is_own_page: bool,
    is_secure: bool,
    /// Whether it came over TLS that ends here.
    pub is_over_tls: bool,
}

impl Describe for Jar {
    fn describe(operation: &mut Operation) {
        operation.asks_origin = true;
    }
}

impl<S: Send + Sync> FromRequestParts<S> for Jar {
    type Rejection = Infallible;

    async fn from_request_parts(parts: &mut Parts, _: &S) -> Result<Self, Infallible> {
        let own = parts.uri.authority().cloned().or_else(|| authority(parts.headers.get(header::HOST)?));
        let page =
            parts.headers.get(header::ORIGIN).and_then(|value| value.to_str().ok()?.parse::<Uri>().ok());
        let scheme = page.as_ref().and_then(Uri::scheme_str).unwrap_or_default();
        let over_tls = parts.extensions.get::<OverTls>().is_some();
        let asked = page.as_ref().and_then(Uri::authority);
        // Cookies are not kept apart by port: servers on one machine must not take each other's.
        let port = own.as_ref().and_then(Authority::port_u16).map(|port| format!("-{port}"));
        let port = port.unwrap_or_default();
        let (name, pairing) = (format!("tiffin-refresh{port}"), format!("tiffin-pairing{port}"));
        Ok(Jar {
            path: base(parts).to_owned(),
            token: sent(&parts.headers, &name),
            waiting: sent(&parts.headers, &pairing),
            is_own_page: asked.is_some() && asked == own.as_ref() && (scheme == "https" || !over_tls),
            is_secure: scheme == "https",
            is_over_tls: over_tls,
            name,
            pairing,
        })
    }
}

fn authority(value: &HeaderValue) -> Option<Authority> {
    value.to_str().ok()?.parse().ok()
}

/// The path below which the cookie is sent: the prefix that the request came by; head office signs its people in beside the branches' own.
fn base(parts: &Parts) -> &'static str {
    let path = parts.extensions.get::<OriginalUri>().map_or(parts.uri.path(), |original| original.path());
    match (path.starts_with("/v1/"), path.contains("/v1/hub/")) {
        (true, false) => "/v1/auth",
        (false, false) => "/api/v1/auth",
        (true, true) => "/v1/hub/auth",
        (false, true) => "/api/v1/hub/auth",
    }
}

fn sent(headers: &HeaderMap, name: &str) -> Option<String> {
    let lines = headers.get_all(header::COOKIE).iter().filter_map(|line| line.to_str().ok());
    let mut cookies = lines.flat_map(Cookie::split_parse).flatten();
    cookies.find(|cookie| cookie.name() == name).map(|cookie| cookie.value().to_owned())
}

impl Jar {
    /// Whether the answer may give a cookie, where it is `wanted`.
    ///
    /// # Errors
    /// 403 where the page that asks is not this server's own, or none.
    pub fn demand_own_page(&self, wanted: bool) -> Result<()> {
        if wanted && !self.is_own_page {
            let detail =
                "A cookie is for pages of this server: the Origin of the request is another one, or none";
            return Err(Problem::new(Code::Forbidden).detail(detail));
        }
        Ok(())
    }

    /// The refresh token in the body, or else in the cookie; and whether it was in the cookie.
    ///
    /// # Errors
    /// 422 where there is neither; 403 for a cookie that another site's page sent.
    pub fn token(&self, body: RefreshToken) -> Result<(String, bool)> {
        match (body.refresh_token, &self.token) {
            (Some(token), _) => Ok((token, false)),
            (None, Some(token)) => self.demand_own_page(true).map(|()| (token.clone(), true)),
            (None, None) => Err(Problem::field("refreshToken", "is needed, here or as this server's cookie")),
        }
    }

    /// The device's refresh token for the body, or else the cookie that has it.
    pub fn keep(
        &self,
        device: &Device,
        in_cookie: bool,
        now: Millis,
    ) -> (Option<String>, Option<HeaderValue>) {
        self.give(&device.refresh_token, in_cookie, device.until.since(now) / 1_000)
    }

    /// A refresh token for the body, or else the cookie that has it for so many seconds.
    pub fn give(&self, token: &str, in_cookie: bool, seconds: i64) -> (Option<String>, Option<HeaderValue>) {
        if !in_cookie {
            return (Some(token.to_owned()), None);
        }
        (None, self.cookie(&self.name, &self.path, token, seconds))
    }

    /// The cookie that takes the place of what was there and is gone at once.
    pub fn empty(&self) -> Option<HeaderValue> {
        self.cookie(&self.name, &self.path, "", 0)
    }

    /// The cookie that a tablet waits with, for so long; gone at once after 0 seconds.
    pub fn wait(&self, value: &str, seconds: i64) -> Option<HeaderValue> {
        self.cookie(&self.pairing, PAIRING_PATH, value, seconds)
    }

    fn cookie(&self, name: &str, path: &str, value: &str, seconds: i64) -> Option<HeaderValue> {
        let cookie = Cookie::build((name, value))
            .path(path)
            .max_age(Duration::seconds(seconds))
            .http_only(true)
            .same_site(SameSite::Strict)
            .secure(self.is_secure);
        HeaderValue::try_from(cookie.build().to_string()).ok()
    }
}

/// An answer that may set a cookie.
pub struct WithCookie<T>(pub Option<HeaderValue>, pub Data<T>);

impl<T: JsonSchema> Describe for WithCookie<T> {
    fn describe(operation: &mut Operation) {
        Data::<T>::describe(operation);
    }
}

impl<T: Serialize> IntoResponse for WithCookie<T> {
    fn into_response(self) -> Response {
        let mut response = self.1.into_response();
        if let Some(cookie) = self.0 {
            response.headers_mut().append(header::SET_COOKIE, cookie);
        }
        response
    }
}
