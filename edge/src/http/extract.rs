//! Extractors that fail in our error shape. Never axum's own: those answer in plain text and stop at the first error.

use super::error::{Code, FieldError, Problem, Result};
use super::schema::{self, Compiled, NO_CONTROL};
use axum::body::{Bytes, HttpBody};
use axum::extract::{FromRequest, FromRequestParts, RawPathParams, Request};
use axum::http::request::Parts;
use axum::http::{HeaderMap, StatusCode, header};
use futures_util::future::BoxFuture;
use schemars::JsonSchema;
use serde::de::DeserializeOwned;
use serde_json::{Map, Value};
use uuid::Uuid;

/// A JSON body, checked against the published schema of `T` before it is read.
#[derive(Debug)]
pub struct Json<T>(pub T);

impl<T, S> FromRequest<S> for Json<T>
where
    T: DeserializeOwned + JsonSchema + 'static,
    S: Send + Sync,
{
    type Rejection = Problem;

    async fn from_request(request: Request, _: &S) -> Result<Self> {
        let value = boxed(request).await?;
        from_value(value).map(Json).map_err(Problem::invalid)
    }
}

/// [`body_of`] behind a pointer: one place in a handler's memory, not all that reading a body takes.
fn boxed(request: Request) -> BoxFuture<'static, Result<Value>> {
    Box::pin(body_of(request))
}

/// The JSON of a request's body, of whatever form.
async fn body_of(request: Request) -> Result<Value> {
    if !is_json(&request) {
        return Err(Problem::new(Code::UnsupportedMediaType).detail("Send application/json"));
    }
    let bytes = Bytes::from_request(request, &()).await.map_err(|rejection| {
        match axum::response::IntoResponse::into_response(rejection).status() {
            StatusCode::PAYLOAD_TOO_LARGE => Problem::new(Code::PayloadTooLarge),
            _ => Problem::new(Code::BadRequest).detail("The body could not be read"),
        }
    })?;
    value_of(&bytes)
}

/// A JSON body whose fields may all be absent; no body at all is an empty one.
#[derive(Debug)]
pub struct MaybeJson<T>(pub T);

impl<T, S> FromRequest<S> for MaybeJson<T>
where
    T: DeserializeOwned + JsonSchema + 'static,
    S: Send + Sync,
{
    type Rejection = Problem;

    async fn from_request(request: Request, state: &S) -> Result<Self> {
        if request.body().is_end_stream() {
            return parse(b"{}").map(MaybeJson);
        }
        Json::from_request(request, state).await.map(|Json(body)| MaybeJson(body))
    }
}

/// The media type of a body, such as `text/csv`: in small letters, without its parameters; empty where none is told.
pub fn media_type(headers: &HeaderMap) -> String {
    let told = headers.get(header::CONTENT_TYPE).and_then(|kind| kind.to_str().ok()).unwrap_or_default();
    told.split(';').next().unwrap_or_default().trim().to_ascii_lowercase()
}

fn is_json(request: &Request) -> bool {
    if !request.headers().contains_key(header::CONTENT_TYPE) {
        return true;
    }
    let essence = media_type(request.headers());
    essence == "application/json" || (essence.starts_with("application/") && essence.ends_with("+json"))
}

/// Reads `bytes` as a `T`.
///
/// # Errors
/// 400 when it is no JSON; 422 with all offending fields when it does not fit.
pub fn parse<T: DeserializeOwned + JsonSchema + 'static>(bytes: &[u8]) -> Result<T> {
    from_value(value_of(bytes)?).map_err(Problem::invalid)
}

fn value_of(bytes: &[u8]) -> Result<Value> {
    serde_json::from_slice(bytes).map_err(|error| {
        Problem::new(Code::BadRequest).detail(format!(
            "The body is not valid JSON (line {}, column {})",
            error.line(),
            error.column()
        ))
    })
}

/// Reads `value` as a `T`, each end of a line in its texts as one newline, with all offending fields on failure.
///
/// # Errors
/// The offending fields with their paths.
pub fn from_value<T: DeserializeOwned + JsonSchema + 'static>(value: Value) -> Result<T, Vec<FieldError>> {
    let value = checked(&schema::of::<T>(), value)?;
    serde_path_to_error::deserialize(value).map_err(named)
}

/// `value`, each end of a line in its texts as one newline, if it fits `schema`.
fn checked(schema: &Compiled, mut value: Value) -> Result<Value, Vec<FieldError>> {
    schema::settle_lines(&mut value);
    let found = schema.check(&value);
    if found.is_empty() { Ok(value) } else { Err(found) }
}

fn named(error: serde_path_to_error::Error<serde_json::Error>) -> Vec<FieldError> {
    let path = error.path().to_string();
    let path = if path == "." { String::new() } else { path };
    vec![FieldError::new(path, reason_of(error.inner()))]
}

/// Serde's message without the value it quotes.
fn reason_of(error: &serde_json::Error) -> String {
    let text = error.to_string();
    if text.starts_with("invalid ") || text.starts_with("unknown ") || text.starts_with("data did not") {
        "is out of range or of the wrong form".to_owned()
    } else {
        text
    }
}

/// The query string as a `T`.
#[derive(Debug)]
pub struct Query<T>(pub T);

impl<T, S> FromRequestParts<S> for Query<T>
where
    T: DeserializeOwned + JsonSchema + 'static,
    S: Send + Sync,
{
    type Rejection = Problem;

    async fn from_request_parts(parts: &mut Parts, _: &S) -> Result<Self> {
        let value = query_of(parts.uri.query().unwrap_or_default(), &schema::of::<T>())?;
        from_value(value).map(Query).map_err(|fields| {
            Problem::new(Code::BadRequest).detail("A query parameter is invalid").with_fields(fields)
        })
    }
}

/// A query string as the object that `schema` wants.
fn query_of(text: &str, schema: &Compiled) -> Result<Value> {
    let pairs = form_pairs(text)?.into_iter();
    let object: Map<String, Value> = pairs
        .map(|(name, value)| {
            let value = typed(&schema.schema, &name, value);
            (name, value)
        })
        .collect();
    Ok(Value::Object(object))
}

fn form_pairs(text: &str) -> Result<Vec<(String, String)>> {
    serde_urlencoded::from_str(text)
        .map_err(|_| Problem::new(Code::BadRequest).detail("The query string could not be read"))
}

/// A parameter's text as the JSON type its schema wants; text that does not fit stays text, for the check to name.
fn typed(schema: &Value, name: &str, text: String) -> Value {
    let kind = schema.pointer(&format!("/properties/{name}/type"));
    let wants = |t: &str| match kind {
        Some(Value::String(one)) => one == t,
        Some(Value::Array(many)) => many.iter().any(|k| k == t),
        _ => false,
    };
    if wants("integer") || wants("number") {
        return serde_json::from_str(&text).ok().filter(Value::is_number).unwrap_or(Value::String(text));
    }
    match text.as_str() {
        "true" if wants("boolean") => Value::Bool(true),
        "false" if wants("boolean") => Value::Bool(false),
        _ => Value::String(text),
    }
}

/// Path parameters: a [`Uuid`], or a tuple of them.
#[derive(Debug)]
pub struct Path<T>(pub T);

/// What [`Path`] can hold.
pub trait FromPath: Sized {
    /// Reads the parameters in the order of the path.
    ///
    /// # Errors
    /// 400 naming a parameter that is no id.
    fn from_path(parameters: &[(&str, &str)]) -> Result<Self>;
}

fn id(parameters: &[(&str, &str)], index: usize) -> Result<Uuid> {
    let (name, text) = parameters.get(index).copied().unwrap_or_default();
    // The hyphenated form only: a path has one spelling.
    let id = (text.len() == 36).then(|| Uuid::try_parse(text).ok()).flatten();
    id.ok_or_else(|| {
        Problem::new(Code::BadRequest)
            .detail(format!("{name} must be a UUID"))
            .with_field(name, "must be a valid uuid")
    })
}

impl FromPath for Uuid {
    fn from_path(parameters: &[(&str, &str)]) -> Result<Self> {
        id(parameters, 0)
    }
}

impl FromPath for (Uuid, Uuid) {
    fn from_path(parameters: &[(&str, &str)]) -> Result<Self> {
        Ok((id(parameters, 0)?, id(parameters, 1)?))
    }
}

impl FromPath for (Uuid, Uuid, i64) {
    fn from_path(parameters: &[(&str, &str)]) -> Result<Self> {
        let (name, text) = parameters.get(2).copied().unwrap_or_default();
        let number = text.parse().map_err(|_| {
            Problem::new(Code::BadRequest)
                .detail(format!("{name} must be a number"))
                .with_field(name, "must be a whole number")
        })?;
        Ok((id(parameters, 0)?, id(parameters, 1)?, number))
    }
}

impl FromPath for String {
    fn from_path(parameters: &[(&str, &str)]) -> Result<Self> {
        match parameters.first() {
            Some((name, text)) if !tiffin_common::text::is_clean(text) => Err(Problem::new(Code::BadRequest)
                .detail(format!("{name} {NO_CONTROL}"))
                .with_field(*name, NO_CONTROL)),
            found => Ok(found.map(|(_, text)| (*text).to_owned()).unwrap_or_default()),
        }
    }
}

impl FromPath for chrono::NaiveDate {
    fn from_path(parameters: &[(&str, &str)]) -> Result<Self> {
        let (name, text) = parameters.first().copied().unwrap_or_default();
        text.parse().map_err(|_| {
            Problem::new(Code::BadRequest)
                .detail(format!("{name} must be a date"))
                .with_field(name, "must be a date, YYYY-MM-DD")
        })
    }
}

impl<T: FromPath, S: Send + Sync> FromRequestParts<S> for Path<T> {
    type Rejection = Problem;

    async fn from_request_parts(parts: &mut Parts, state: &S) -> Result<Self> {
        let parameters = RawPathParams::from_request_parts(parts, state)
            .await
            .map_err(|_| Problem::new(Code::BadRequest).detail("The path is not valid UTF-8"))?;
        let list: Vec<(&str, &str)> = parameters.iter().collect();
        T::from_path(&list).map(Path)
    }
}

/// The id that the path names.
#[derive(Debug)]
pub struct Id(pub Uuid);

impl<S: Send + Sync> FromRequestParts<S> for Id {
    type Rejection = Problem;

    async fn from_request_parts(parts: &mut Parts, state: &S) -> Result<Self> {
        Path::from_request_parts(parts, state).await.map(|Path(id)| Id(id))
    }
}
