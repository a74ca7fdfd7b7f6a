//! `/hub/audit-log`: who changed what at head office.

use super::guard::Cx;
use crate::registry::audit::{self, Entry, Filter};
use crate::state::Routes;
use edge::access::{Permission, get};
use edge::http::{Paged, Paging, Problem, Query};
use schemars::JsonSchema;
use serde::Deserialize;
use tiffin_common::{Millis, Uuid};

pub(super) fn routes() -> Routes {
    Routes::group(
        "hub",
        [get("/hub/audit-log", Permission::AuditRead, list_audit_log)
            .summary("Who changed what at head office, newest first")
            .query::<ListAuditLog>()
            .lists::<Entry>()],
    )
}

/// Filters of the audit log.
#[derive(Debug, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
#[schemars(rename = "ListHubAuditLog")]
struct ListAuditLog {
    /// The user that acted.
    actor: Option<Uuid>,
    /// Such as `user.create`.
    #[schemars(length(max = 64))]
    action: Option<String>,
    /// The kind of record, such as `user`.
    #[schemars(length(max = 64))]
    entity: Option<String>,
    /// The outlet it was about.
    outlet_id: Option<Uuid>,
    /// From this moment.
    from: Option<Millis>,
    /// Before this moment.
    to: Option<Millis>,
    #[serde(flatten)]
    paging: Paging,
}

async fn list_audit_log(cx: Cx, Query(query): Query<ListAuditLog>) -> Result<Paged<Entry>, Problem> {
    let ListAuditLog { actor, action, entity, outlet_id: outlet, from, to, paging } = query;
    let filter = Filter { actor, action, entity, outlet, from, to, visible: cx.visible() };
    let page = cx.app.look(move |from| Ok(audit::list(from, &filter, paging)?)).await?;
    Ok(Paged::new(page, paging))
}
