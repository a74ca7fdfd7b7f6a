//! The one error body: an RFC 9457 document that carries the envelope, too (contract section 1). Never knows a resource or shows internal text.

use crate::db::DbError;
use axum::http::{HeaderValue, StatusCode, header};
use axum::response::{IntoResponse, Response};
use serde::{Deserialize, Serialize};
use tiffin_common::Overflow;

macro_rules! codes {
    ($($variant:ident $status:ident $code:literal $title:literal,)*) => {
        /// Every error code of the API, with its status and title.
        #[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
        pub enum Code {
            $(#[doc = $title] $variant,)*
        }

        impl Code {
            /// All codes.
            pub const ALL: &'static [Code] = &[$(Code::$variant,)*];

            /// The HTTP status.
            pub fn status(self) -> StatusCode {
                match self { $(Code::$variant => StatusCode::$status,)* }
            }

            /// The code without its `ERR_` prefix: the envelope's `error.code`.
            pub fn name(self) -> &'static str {
                match self { $(Code::$variant => $code,)* }
            }

            /// The title of the problem.
            pub fn title(self) -> &'static str {
                match self { $(Code::$variant => $title,)* }
            }
        }
    };
}

codes! {
    BadRequest BAD_REQUEST "BAD_REQUEST" "The request cannot be read",
    OutletRequired BAD_REQUEST "INVALID_OUTLET_SCOPE" "An outlet must be named",
    AuthorizationPending BAD_REQUEST "AUTHORIZATION_PENDING" "Nobody has approved this device yet",
    SlowDown BAD_REQUEST "SLOW_DOWN" "The device asks too often",
    AccessDenied BAD_REQUEST "ACCESS_DENIED" "The device was refused",
    ExpiredToken BAD_REQUEST "EXPIRED_TOKEN" "The device's code holds no longer",
    Unauthorized UNAUTHORIZED "UNAUTHORIZED" "Sign in first",
    TokenExpired UNAUTHORIZED "TOKEN_EXPIRED" "The access token has expired",
    InvalidCredentials UNAUTHORIZED "INVALID_CREDENTIALS" "Wrong email or password",
    InvalidPin UNAUTHORIZED "INVALID_PIN" "Wrong PIN",
    TotpRequired UNAUTHORIZED "TOTP_REQUIRED" "A code of the authenticator is needed",
    Forbidden FORBIDDEN "FORBIDDEN" "Not allowed",
    OutletForbidden FORBIDDEN "INVALID_OUTLET_SCOPE" "Not an outlet of this account",
    TlsRequired FORBIDDEN "TLS_REQUIRED" "Call with TLS",
    NotFound NOT_FOUND "NOT_FOUND" "Not found",
    MethodNotAllowed METHOD_NOT_ALLOWED "METHOD_NOT_ALLOWED" "Method not allowed",
    PayloadTooLarge PAYLOAD_TOO_LARGE "PAYLOAD_TOO_LARGE" "The body is too large",
    UnsupportedMediaType UNSUPPORTED_MEDIA_TYPE "UNSUPPORTED_MEDIA_TYPE" "Unsupported media type",
    InvalidTransition CONFLICT "INVALID_TRANSITION" "The state does not allow it",
    Conflict CONFLICT "CONFLICT" "Conflict",
    ConfirmationNeeded CONFLICT "CONFIRMATION_NEEDED" "Somebody has to confirm it",
    Fenced GONE "DEVICE_FENCED" "This box was replaced by another",
    StaleVersion PRECONDITION_FAILED "STALE_VERSION" "The record has changed",
    PayloadValidation UNPROCESSABLE_ENTITY "PAYLOAD_VALIDATION" "The payload failed validation",
    IdempotencyKeyReused UNPROCESSABLE_ENTITY "IDEMPOTENCY_KEY_REUSED" "The idempotency key was used for another request",
    UpgradeRequired UPGRADE_REQUIRED "UPGRADE_REQUIRED" "The program is too old for this server",
    Locked LOCKED "LOCKED" "Locked after repeated failures",
    RateLimited TOO_MANY_REQUESTS "RATE_LIMITED" "Too many requests",
    Internal INTERNAL_SERVER_ERROR "INTERNAL" "Unexpected error",
    Unavailable SERVICE_UNAVAILABLE "UNAVAILABLE" "Unavailable for the moment",
    Damaged SERVICE_UNAVAILABLE "DATABASE_DAMAGED" "The database is damaged",
    StorageFull INSUFFICIENT_STORAGE "STORAGE_FULL" "The disk is full",
}

impl Code {
    /// The last part of the problem's `type` URI.
    pub fn slug(self) -> String {
        self.name().to_ascii_lowercase().replace('_', "-")
    }
}

/// One offending field.
#[apply(value!)]
pub struct FieldError {
    /// The path of the field, such as `items[0].quantity`.
    pub name: String,
    /// What is wrong with it. Never the value.
    pub reason: String,
}

impl FieldError {
    /// `name` is wrong because of `reason`.
    pub fn new(name: impl Into<String>, reason: impl Into<String>) -> Self {
        FieldError { name: name.into(), reason: reason.into() }
    }
}

/// Collects offending fields, so that all are named at once.
#[derive(Debug, Default)]
pub struct Checks(Vec<FieldError>);

impl Checks {
    /// Nothing found yet.
    pub fn new() -> Self {
        Checks::default()
    }

    /// Notes `name` when `holds` is false.
    pub fn require(&mut self, holds: bool, name: impl Into<String>, reason: impl Into<String>) {
        if !holds {
            self.add(name, reason);
        }
    }

    /// Notes an offending field.
    pub fn add(&mut self, name: impl Into<String>, reason: impl Into<String>) {
        self.0.push(FieldError::new(name, reason));
    }

    /// Whether nothing was found.
    pub fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    /// `value` when nothing was found.
    ///
    /// # Errors
    /// All fields found.
    pub fn finish<T>(self, value: T) -> Result<T, Vec<FieldError>> {
        if self.0.is_empty() { Ok(value) } else { Err(self.0) }
    }
}

/// An error on its way to the client. `public_url`, `instance` and `requestId` are filled in on the way out.
#[derive(Debug)]
#[must_use]
pub struct Problem {
    code: Code,
    detail: String,
    fields: Vec<FieldError>,
    retry_after: Option<u64>,
    member: Option<(&'static str, serde_json::Value)>,
}

/// The record has changed since the client read it; with its present version.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
#[error("the record is at version {0}")]
pub struct Stale(pub i64);

impl Stale {
    /// Refuses a change that was meant for another version than the `present` one.
    pub fn check(expected: Option<i64>, present: i64) -> Result<(), Stale> {
        if expected.is_some_and(|version| version != present) { Err(Stale(present)) } else { Ok(()) }
    }
}

/// What a handler and what it calls answer, or a problem.
pub type Result<T, E = Problem> = std::result::Result<T, E>;

/// What a [`Problem`] leaves in the response's extensions, for the layer that writes the body with the request's path.
#[derive(Debug, Clone)]
pub(crate) struct ProblemBody {
    pub(crate) code: Code,
    pub(crate) detail: String,
    pub(crate) fields: Vec<FieldError>,
    pub(crate) member: Option<(&'static str, serde_json::Value)>,
}

impl Problem {
    /// A problem with the code's title as its detail.
    pub fn new(code: Code) -> Self {
        Problem { code, detail: code.title().to_owned(), fields: Vec::new(), retry_after: None, member: None }
    }

    /// 412 for a change of `what` that was meant for another version.
    pub fn stale(what: &str, Stale(version): Stale) -> Self {
        Problem::new(Code::StaleVersion).detail(format!("The {what} is at version {version}"))
    }

    /// 422 with all offending fields.
    pub fn invalid(fields: Vec<FieldError>) -> Self {
        let detail = match fields.as_slice() {
            [only] => format!("{}: {}", only.name, only.reason),
            many => format!("{} fields are invalid", many.len()),
        };
        Problem { fields, ..Problem::new(Code::PayloadValidation).detail(detail) }
    }

    /// 422 with one offending field.
    pub fn field(name: impl Into<String>, reason: impl Into<String>) -> Self {
        Problem::invalid(vec![FieldError::new(name, reason)])
    }

    /// 404 of a kind of record, such as `order`.
    pub fn not_found(what: &str) -> Self {
        Problem::new(Code::NotFound).detail(format!("No such {what}"))
    }

    /// Says what happened, for a person.
    pub fn detail(mut self, detail: impl Into<String>) -> Self {
        self.detail = detail.into();
        self
    }

    /// Adds an offending field (for 409 and 400 answers that name one).
    pub fn with_field(self, name: impl Into<String>, reason: impl Into<String>) -> Self {
        self.with_fields(vec![FieldError::new(name, reason)])
    }

    /// Adds offending fields.
    pub fn with_fields(mut self, fields: Vec<FieldError>) -> Self {
        self.fields.extend(fields);
        self
    }

    /// Adds `Retry-After`, in seconds.
    pub fn retry_after(mut self, seconds: u64) -> Self {
        self.retry_after = Some(seconds);
        self
    }

    /// Adds a member of its own to the body: what a program needs to go on.
    pub fn with_member(mut self, name: &'static str, value: impl Serialize) -> Self {
        self.member = serde_json::to_value(value).ok().map(|value| (name, value));
        self
    }

    /// The code.
    pub fn code(&self) -> Code {
        self.code
    }

    /// The offending fields.
    pub fn fields(&self) -> &[FieldError] {
        &self.fields
    }
}

impl std::fmt::Display for Problem {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "{}: {}", self.code.name(), self.detail)?;
        for field in &self.fields {
            write!(f, "; {} {}", field.name, field.reason)?;
        }
        Ok(())
    }
}

impl std::error::Error for Problem {}

impl From<Vec<FieldError>> for Problem {
    fn from(fields: Vec<FieldError>) -> Self {
        Problem::invalid(fields)
    }
}

impl From<Overflow> for Problem {
    fn from(_: Overflow) -> Self {
        Problem::new(Code::PayloadValidation).detail("A sum of this request is too large")
    }
}

impl From<DbError> for Problem {
    fn from(error: DbError) -> Self {
        match error {
            DbError::Taken { column, .. } => {
                let field = camel_case(&column);
                Problem::new(Code::Conflict)
                    .detail(format!("{field} is already in use"))
                    .with_field(field, "is already in use")
            }
            DbError::Overflow => Overflow.into(),
            DbError::NoOutlet => Problem::new(Code::OutletForbidden).detail("No such outlet"),
            DbError::Full => Problem::new(Code::StorageFull)
                .detail("The branch server's disk is full: nothing was saved. Free some space there; then try again")
                .retry_after(30),
            DbError::Unavailable(reason) => {
                tracing::error!(reason, "the store is unavailable");
                Problem::new(Code::Unavailable).retry_after(1)
            }
            DbError::Damaged(what) => {
                tracing::error!(what, "the database is damaged");
                Problem::new(Code::Damaged).detail(
                    "The database of this branch is damaged, so nothing is read from it or written to it any more. \
                     On the box: stop the server and start it again; it then names the backup to put back with edge restore",
                )
            }
            DbError::Unreadable(unreadable) => {
                unreadable.log();
                Problem::new(Code::Internal)
            }
            error @ (DbError::Refused(_) | DbError::Missing | DbError::Other(_)) => {
                tracing::error!(%error, "the store failed");
                Problem::new(Code::Internal)
            }
        }
    }
}

/// `price_cents` → `priceCents`.
pub(super) fn camel_case(column: &str) -> String {
    let mut words = column.split('_');
    let first = words.next().unwrap_or_default().to_owned();
    words.fold(first, |name, word| {
        let (initial, rest) = word.split_at_checked(1).unwrap_or_default();
        name + &initial.to_uppercase() + rest
    })
}

/// The body, as the OpenAPI document describes it.
#[derive(Debug, Serialize, Deserialize, schemars::JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct ProblemDocument {
    /// A page that explains the kind of problem.
    #[schemars(extend("format" = "uri"))]
    pub r#type: String,
    /// The kind of problem, in words.
    pub title: String,
    /// The HTTP status.
    pub status: u16,
    /// What happened this time.
    pub detail: String,
    /// The machine-readable code, `ERR_…`.
    pub code: String,
    /// The path of the request.
    pub instance: String,
    /// The offending fields; always present with 422 ERR_PAYLOAD_VALIDATION.
    #[serde(skip_serializing_if = "Vec::is_empty", default)]
    pub invalid_params: Vec<FieldError>,
    /// Names the log line of a 500.
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub request_id: Option<String>,
    /// False, in every error.
    pub success: bool,
    /// The envelope's view.
    pub error: EnvelopeError,
}

/// The envelope's view of an error.
#[derive(Debug, Serialize, Deserialize, schemars::JsonSchema)]
pub struct EnvelopeError {
    /// `code` without `ERR_`.
    pub code: String,
    /// What happened, for a person; decide by `code`.
    pub message: String,
}

impl ProblemBody {
    /// The body for a request to `instance`.
    pub(crate) fn render(&self, public_url: &str, instance: &str, request_id: &str) -> Vec<u8> {
        let status = self.code.status();
        let document = ProblemDocument {
            r#type: format!("{public_url}/problems/{}", self.code.slug()),
            title: self.code.title().to_owned(),
            status: status.as_u16(),
            detail: self.detail.clone(),
            code: format!("ERR_{}", self.code.name()),
            instance: instance.to_owned(),
            invalid_params: self.fields.clone(),
            request_id: status.is_server_error().then(|| request_id.to_owned()),
            success: false,
            error: EnvelopeError { code: self.code.name().to_owned(), message: self.detail.clone() },
        };
        let Some((name, value)) = &self.member else {
            return serde_json::to_vec(&document).unwrap_or_default();
        };
        let mut body = serde_json::to_value(&document).unwrap_or_default();
        if let Some(members) = body.as_object_mut() {
            members.insert((*name).to_owned(), value.clone());
        }
        serde_json::to_vec(&body).unwrap_or_default()
    }
}

impl Problem {
    /// The whole answer to a request for `path`, for who stands outside of the layer that writes bodies.
    pub(crate) fn rendered(self, public_url: &str, path: &str) -> Response {
        let mut response = self.into_response();
        let body = response.extensions_mut().remove::<ProblemBody>();
        response.map(|_| body.map(|body| body.render(public_url, path, "")).unwrap_or_default().into())
    }
}

impl IntoResponse for Problem {
    fn into_response(self) -> Response {
        let mut response = self.code.status().into_response();
        let headers = response.headers_mut();
        headers.insert(header::CONTENT_TYPE, HeaderValue::from_static("application/problem+json"));
        headers.insert(header::CACHE_CONTROL, HeaderValue::from_static("no-store"));
        if let Some(seconds) = self.retry_after {
            headers.insert(header::RETRY_AFTER, HeaderValue::from(seconds));
        }
        if self.code.status() == StatusCode::UNAUTHORIZED {
            headers.insert(header::WWW_AUTHENTICATE, HeaderValue::from_static("Bearer"));
        }
        let body =
            ProblemBody { code: self.code, detail: self.detail, fields: self.fields, member: self.member };
        response.extensions_mut().insert(body);
        response
    }
}
