//! How the exchange refuses, route by route, as the published document tells it. Never decides a refusal.

use edge::http::Code;
use edge::http::error::ProblemDocument;
use schemars::JsonSchema;
use serde::Serialize;
use tiffin_common::sync::Refused;

/// A push that does not follow from what head office holds.
#[derive(Serialize, JsonSchema)]
pub(super) struct PushProblem {
    #[serde(flatten)]
    problem: ProblemDocument,
    /// What does not follow, and where the outlet's log stands.
    refused: Refused,
}

pub(super) const ENROL: &[Code] = &[
    Code::BadRequest,
    Code::InvalidCredentials,
    Code::Conflict,
    Code::PayloadTooLarge,
    Code::PayloadValidation,
    Code::Locked,
    Code::UpgradeRequired,
    Code::RateLimited,
    Code::Internal,
    Code::Unavailable,
    Code::StorageFull,
];

pub(super) const HELLO: &[Code] = &[
    Code::BadRequest,
    Code::Unauthorized,
    Code::Forbidden,
    Code::Fenced,
    Code::PayloadTooLarge,
    Code::PayloadValidation,
    Code::UpgradeRequired,
    Code::RateLimited,
    Code::Internal,
    Code::Unavailable,
    Code::StorageFull,
];

pub(super) const PUSH: &[Code] = &[
    Code::BadRequest,
    Code::Unauthorized,
    Code::Conflict,
    Code::Fenced,
    Code::PayloadTooLarge,
    Code::UnsupportedMediaType,
    Code::PayloadValidation,
    Code::RateLimited,
    Code::Internal,
    Code::Unavailable,
    Code::StorageFull,
];

pub(super) const PAPERS: &[Code] = &[
    Code::BadRequest,
    Code::Unauthorized,
    Code::NotFound,
    Code::Fenced,
    Code::PayloadTooLarge,
    Code::PayloadValidation,
    Code::RateLimited,
    Code::Internal,
    Code::Unavailable,
    Code::StorageFull,
];

pub(super) const READING: &[Code] = &[
    Code::BadRequest,
    Code::Unauthorized,
    Code::NotFound,
    Code::Fenced,
    Code::PayloadValidation,
    Code::RateLimited,
    Code::Internal,
    Code::Unavailable,
];

pub(super) const DISMISSED: &[Code] = &[
    Code::BadRequest,
    Code::Unauthorized,
    Code::NotFound,
    Code::RateLimited,
    Code::Internal,
    Code::Unavailable,
];
