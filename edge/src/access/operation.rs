//! What the published document says of a route beside its method, its path and who may call it. Never decides what a route does.

use crate::http::Code;
use axum::http::StatusCode;
use schemars::{Schema, SchemaGenerator};

/// How a schema is asked for: once for the document, of the type the route names.
pub(crate) type SchemaOf = fn(&mut SchemaGenerator) -> Schema;

/// A success answer.
#[derive(Clone, Copy)]
pub(crate) struct Success {
    pub(crate) status: StatusCode,
    pub(crate) media_type: &'static str,
    pub(crate) schema: Option<SchemaOf>,
    /// Other media types it may have, where the caller asks for another form.
    pub(crate) others: &'static [&'static str],
}

/// A header that a request may carry.
#[derive(Clone, Copy)]
pub(crate) struct Header {
    pub(crate) name: &'static str,
    pub(crate) description: &'static str,
    pub(crate) schema: SchemaOf,
}

/// How a route refuses, where that is not what every route of its kind does.
#[derive(Clone, Copy)]
pub(crate) struct Refusals {
    /// The codes it may answer.
    pub(crate) codes: &'static [Code],
    /// The body of one of their statuses, where it says more than a problem does.
    pub(crate) more: Option<(StatusCode, SchemaOf)>,
}

/// When a route was deprecated, and what replaces it (12 months' notice).
#[derive(Debug, Clone, Copy)]
pub struct Deprecation {
    /// `Deprecation` header: an RFC 9745 date, such as `@1735689600`.
    pub since: &'static str,
    /// `Sunset` header: an HTTP date.
    pub sunset: &'static str,
    /// `Link` header: where the replacement is described.
    pub link: &'static str,
}

/// See the module.
#[derive(Clone, Copy)]
pub struct Operation {
    pub(crate) group: &'static str,
    pub(crate) summary: &'static str,
    pub(crate) query: Option<SchemaOf>,
    pub(crate) body: Option<(&'static str, SchemaOf)>,
    pub(crate) success: Success,
    pub(crate) header: Option<Header>,
    pub(crate) refusals: Option<Refusals>,
    pub(crate) deprecated: Option<Deprecation>,
    /// Whether it refuses pages of other sites, though it asks for no token.
    pub(crate) asks_origin: bool,
    /// Whether it may be called without its body.
    pub(crate) body_is_optional: bool,
    /// Whether it answers 200 with the same where what it makes is there already.
    pub(crate) or_found: bool,
    /// Whether it may be refused by what the outlet is, though it changes nothing.
    pub(crate) may_conflict: bool,
}

impl Default for Operation {
    /// Nothing asked for, some JSON answered.
    fn default() -> Self {
        let success =
            Success { status: StatusCode::OK, media_type: "application/json", schema: None, others: &[] };
        Operation {
            group: "",
            summary: "",
            query: None,
            body: None,
            success,
            header: None,
            refusals: None,
            deprecated: None,
            asks_origin: false,
            body_is_optional: false,
            or_found: false,
            may_conflict: false,
        }
    }
}
