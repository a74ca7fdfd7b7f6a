//! The last word on every answer: errors get their body, whoever made them. Never changes a success.

use super::error::{Code, Problem, ProblemBody};
use axum::body::Body;
use axum::extract::{Request, State};
use axum::http::{StatusCode, header};
use axum::middleware::Next;
use axum::response::{IntoResponse, Response};
use std::sync::Arc;

/// The id of a request: echoed in `x-request-id` and in the log.
#[derive(Debug, Clone)]
pub struct RequestId(pub String);

/// Marks a page for a person, whose body stays as it is although its status says that something is wrong.
#[derive(Debug, Clone, Copy)]
pub struct Page;

/// Writes the body of every error but a [`Page`], with the request's path and id.
pub async fn write_problems(State(public_url): State<Arc<str>>, request: Request, next: Next) -> Response {
    let instance = request.uri().path().to_owned();
    let id = request.extensions().get::<RequestId>().map(|id| id.0.clone()).unwrap_or_default();
    let mut response = next.run(request).await;
    let is_error = response.status().is_client_error() || response.status().is_server_error();
    if !is_error || response.extensions().get::<Page>().is_some() {
        return response;
    }
    if response.extensions().get::<ProblemBody>().is_none() {
        response = adopt(response);
    }
    let Some(problem) = response.extensions_mut().remove::<ProblemBody>() else { return response };
    response.headers_mut().remove(header::CONTENT_LENGTH);
    *response.body_mut() = Body::from(problem.render(&public_url, &instance, &id));
    response
}

/// Turns an error that no handler of ours made (unknown route, wrong method, a layer's refusal) into a problem.
fn adopt(response: Response) -> Response {
    let code = match response.status() {
        StatusCode::NOT_FOUND => Code::NotFound,
        StatusCode::METHOD_NOT_ALLOWED => Code::MethodNotAllowed,
        StatusCode::PAYLOAD_TOO_LARGE => Code::PayloadTooLarge,
        StatusCode::UNSUPPORTED_MEDIA_TYPE => Code::UnsupportedMediaType,
        StatusCode::REQUEST_TIMEOUT | StatusCode::SERVICE_UNAVAILABLE => Code::Unavailable,
        status if status.is_client_error() => Code::BadRequest,
        _ => Code::Internal,
    };
    let mut adopted = Problem::new(code).into_response();
    if let Some(allow) = response.headers().get(header::ALLOW) {
        adopted.headers_mut().insert(header::ALLOW, allow.clone());
    }
    adopted
}
