//! `/audit-log` over HTTP.

use super::rules::Record;
use super::store::{self, Filter};
use crate::access::Cx;
use crate::http::{Paged, Paging, Query, Result};
use chrono::NaiveDate;
use serde_json::Value;
use tiffin_common::{Millis, Uuid};

view! {
    /// One entry of the audit log.
    pub struct AuditEntry of record: Record {
        id: Uuid,
        at: Millis,
        #[schemars(with = "String")]
        business_date: NaiveDate,
        /// The account that did it.
        actor_id: Option<Uuid>,
        actor_name: String,
        /// The employee whose PIN approved.
        approver_id: Option<Uuid> = record.entry.approver_id,
        approver_name: Option<String> = record.entry.approver_name,
        /// The signed-in device.
        device: Option<String>,
        clock_suspect: bool,
        /// Such as `order.void`.
        action: String = record.entry.action,
        entity_type: String = record.entry.entity_type,
        entity_id: Option<Uuid> = record.entry.entity_id,
        /// What it was before, field by field; null where it was not there.
        before: Option<Value> = record.entry.before,
        /// What it is now, field by field; null where it is gone.
        after: Option<Value> = record.entry.after,
        reason: Option<String> = record.entry.reason,
    }
}

/// Filters of the audit log.
#[apply(request!)]
pub struct ListAuditLog {
    /// The account that acted.
    actor: Option<Uuid>,
    /// Such as `order.void`.
    #[schemars(length(max = 64))]
    action: Option<String>,
    /// The kind of entity, such as `order`.
    #[schemars(length(max = 64))]
    entity: Option<String>,
    /// From this moment.
    from: Option<Millis>,
    /// Before this moment.
    to: Option<Millis>,
    #[serde(flatten)]
    paging: Paging,
}

/// Lists the audit log, newest first.
pub async fn list_audit_log(cx: Cx, Query(query): Query<ListAuditLog>) -> Result<Paged<AuditEntry>> {
    let ListAuditLog { actor, action, entity, from, to, paging } = query;
    let filter = Filter { actor, action, entity, from, to };
    cx.list(paging, move |conn, outlet| store::list(conn, outlet, &filter, paging)).await
}
