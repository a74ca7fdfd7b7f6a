//! `/audit-log` over HTTP.

use super::store;
use crate::access::Cx;
use crate::http::{Paged, Paging, Problem, Query};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::Value;
use tiffin_common::{Millis, Uuid};

/// One entry of the audit log.
#[derive(Debug, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct AuditEntry {
    pub(super) id: Uuid,
    pub(super) at: Millis,
    pub(super) business_date: String,
    /// The account that did it.
    pub(super) actor_id: Option<Uuid>,
    pub(super) actor_name: String,
    /// The employee whose PIN approved.
    pub(super) approver_id: Option<Uuid>,
    pub(super) approver_name: Option<String>,
    /// The signed-in device.
    pub(super) device: Option<String>,
    /// Such as `order.void`.
    pub(super) action: String,
    pub(super) entity_type: String,
    pub(super) entity_id: Option<Uuid>,
    /// What it was before, field by field; null where it was not there.
    pub(super) before: Option<Value>,
    /// What it is now, field by field; null where it is gone.
    pub(super) after: Option<Value>,
    pub(super) reason: Option<String>,
}

/// Filters of the audit log.
#[derive(Debug, Deserialize, JsonSchema)]
pub struct ListAuditLog {
    /// The account that acted.
    pub(super) actor: Option<Uuid>,
    /// Such as `order.void`.
    #[schemars(length(max = 64))]
    pub(super) action: Option<String>,
    /// The kind of entity, such as `order`.
    #[schemars(length(max = 64))]
    pub(super) entity: Option<String>,
    /// From this moment.
    pub(super) from: Option<Millis>,
    /// Before this moment.
    pub(super) to: Option<Millis>,
    #[serde(flatten)]
    pub(super) paging: Paging,
}

/// Lists the audit log, newest first.
pub(super) async fn list_audit_log(
    cx: Cx,
    Query(filter): Query<ListAuditLog>,
) -> Result<Paged<AuditEntry>, Problem> {
    let paging = filter.paging;
    let page = cx.read(move |conn, outlet| store::list(conn, outlet, &filter)).await?;
    Ok(Paged::new(page, paging))
}
