//! Successful bodies: the envelope and its list form (contract section 1). Never an empty body.

use super::error::{Code, Problem};
use super::page::{Page, Paging};
use axum::http::{HeaderValue, header};
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
    // As actions write theirs: what is answered in both ways is compiled once.
    sent(serde_json::to_vec(&body))
}

fn sent(written: serde_json::Result<Vec<u8>>) -> Response {
    match written {
        Ok(body) => {
            ([(header::CONTENT_TYPE, HeaderValue::from_static("application/json"))], body).into_response()
        }
        Err(error) => {
            tracing::error!(%error, "an answer could not be written as JSON");
            Problem::new(Code::Internal).into_response()
        }
    }
}
