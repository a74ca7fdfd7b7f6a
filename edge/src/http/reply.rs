//! Successful bodies: the envelope and its list form (contract section 1). Never an empty body.

use super::error::{Code, Problem, Result};
use super::page::{Page, Paging};
use axum::body::Body;
use axum::http::{HeaderName, HeaderValue, StatusCode, header};
use axum::response::{IntoResponse, Response};
use serde::{Deserialize, Serialize};
use std::marker::PhantomData;

/// `{"success": true, "data": …}`.
#[derive(Debug, Serialize, Deserialize, schemars::JsonSchema)]
#[schemars(rename = "DataOf{T}")]
pub struct Data<T> {
    /// True, in every answer.
    pub success: bool,
    /// What was asked for.
    pub data: T,
}

impl<T> Data<T> {
    /// Wraps `data`.
    pub fn new(data: T) -> Self {
        Data { success: true, data }
    }
}

/// Where a page stands in its list.
#[derive(Debug, Serialize, Deserialize, schemars::JsonSchema)]
pub struct Meta {
    /// The most rows a page holds.
    pub limit: u32,
    /// Rows of the whole list that were skipped.
    pub offset: u32,
    /// Rows in the whole list.
    pub total: i64,
}

/// `{"success": true, "data": [...], "meta": {...}}`.
#[derive(Debug, Serialize, Deserialize, schemars::JsonSchema)]
#[schemars(rename = "PageOf{T}")]
pub struct Paged<T> {
    /// True, in every answer.
    pub success: bool,
    /// The rows of this page.
    pub data: Vec<T>,
    /// Where the page stands.
    pub meta: Meta,
}

impl<T> Paged<T> {
    /// A page of the list that `paging` asked for.
    pub fn new(page: Page<T>, paging: Paging) -> Self {
        let meta = Meta { limit: paging.limit, offset: paging.offset, total: page.total };
        Paged { success: true, data: page.items, meta }
    }
}

/// 201 with the `T` that an action made, enveloped: written already, since an idempotency key keeps the text.
#[derive(Debug)]
pub struct Created<T>(Response, PhantomData<fn() -> T>);

/// 200 with the `T` that an action changed, enveloped and written already.
#[derive(Debug)]
pub struct Updated<T>(Response, PhantomData<fn() -> T>);

macro_rules! written {
    ($($name:ident)*) => {
        $(impl<T> $name<T> {
            pub(crate) fn new(response: Response) -> Self {
                $name(response, PhantomData)
            }
        }

        impl<T> IntoResponse for $name<T> {
            fn into_response(self) -> Response {
                self.0
            }
        })*
    };
}

written! { Created Updated }

impl<T: Serialize> IntoResponse for Data<T> {
    fn into_response(self) -> Response {
        bare(self)
    }
}

impl<T: Serialize> IntoResponse for Paged<T> {
    fn into_response(self) -> Response {
        bare(self)
    }
}

/// A bare body, for the typed operations of the specification.
pub fn bare<T: Serialize>(body: T) -> Response {
    sent(json(&body))
}

fn sent(written: Result<Vec<u8>>) -> Response {
    written.map_or_else(Problem::into_response, |body| respond(StatusCode::OK.as_u16(), body, false))
}

/// An answer as JSON: for all that is answered, so that each type is compiled once.
///
/// # Errors
/// 500 when it cannot be written, which the log tells of.
pub fn json(answer: &impl Serialize) -> Result<Vec<u8>> {
    serde_json::to_vec(answer).map_err(|error| {
        tracing::error!(%error, "an answer could not be written as JSON");
        Problem::new(Code::Internal)
    })
}

/// JSON as an answer of that status, marked when it is a stored one.
pub fn respond(status: u16, body: Vec<u8>, replayed: bool) -> Response {
    let mut response = Response::new(Body::from(body));
    *response.status_mut() = StatusCode::from_u16(status).unwrap_or(StatusCode::OK);
    let headers = response.headers_mut();
    headers.insert(header::CONTENT_TYPE, HeaderValue::from_static("application/json"));
    if replayed {
        headers.insert(HeaderName::from_static("idempotency-replayed"), HeaderValue::from_static("true"));
    }
    response
}
