//! `/notifications` over HTTP.

use super::{actions, store};
use crate::access::Cx;
use crate::http::{Paged, Paging, Path, Problem, Query};
use axum::response::Response;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use tiffin_common::{Millis, Uuid};

/// What a notification is about.
#[derive(Debug, Serialize, JsonSchema)]
#[schemars(rename = "NotificationEntity")]
pub struct Entity {
    /// What kind of record it is.
    pub(super) r#type: String,
    pub(super) id: Uuid,
}

/// A notification.
#[derive(Debug, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct Notification {
    pub(super) id: Uuid,
    /// Such as `LOW_STOCK`.
    pub(super) r#type: String,
    /// INFO, WARNING or CRITICAL.
    pub(super) severity: String,
    pub(super) title: String,
    pub(super) body: String,
    /// What it is about, where that is one record.
    pub(super) entity: Option<Entity>,
    /// How often it happened while unread.
    pub(super) count: i64,
    pub(super) created_at: Millis,
    pub(super) updated_at: Millis,
    pub(super) read_at: Option<Millis>,
}

/// Filters of the list.
#[derive(Debug, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct ListNotifications {
    /// Only what nobody has ticked off.
    #[serde(default)]
    pub(super) unread_only: bool,
    #[serde(flatten)]
    pub(super) paging: Paging,
}

/// Lists what the caller may see, newest first.
pub(super) async fn list_notifications(
    cx: Cx,
    Query(filter): Query<ListNotifications>,
) -> Result<Paged<Notification>, Problem> {
    let audiences = actions::audiences(&cx.actor());
    let paging = filter.paging;
    let page = cx.read(move |conn, outlet| store::list(conn, outlet, &audiences, &filter)).await?;
    Ok(Paged::new(page, paging))
}

/// Ticks off one notification.
pub(super) async fn read_notification(cx: Cx, Path(id): Path<Uuid>) -> Result<Response, Problem> {
    cx.update(move |tx, actor| -> Result<_, Problem> {
        actions::read(tx, actor, id)?.ok_or_else(|| Problem::not_found("notification"))
    })
    .await
}

/// How many were ticked off.
#[derive(Debug, Serialize, JsonSchema)]
#[schemars(rename = "NotificationsRead")]
pub struct ReadAll {
    /// Notifications ticked off by this call.
    read: usize,
}

/// Ticks off everything the caller sees.
pub(super) async fn read_all_notifications(cx: Cx) -> Result<Response, Problem> {
    cx.update(|tx, actor| actions::read_all(tx, actor).map(|read| ReadAll { read })).await
}

#[cfg(test)]
mod tests {
    use super::actions::{Audience, Notice, Severity, notify, read_all};
    use crate::db::DbError;
    use crate::testing::Fixture;

    fn low_stock() -> Notice {
        Notice {
            kind: "LOW_STOCK",
            severity: Severity::Warning,
            title: "Rice is low".into(),
            body: "2 kg left".into(),
            audience: Audience::Staff,
            entity: None,
            dedupe_key: "low-stock:rice".into(),
        }
    }

    #[test]
    fn repeats_are_counted_until_somebody_reads_them() {
        let fixture = Fixture::new();
        let tell = || {
            fixture.write(|tx, actor| notify(tx, actor.outlet_id, low_stock())).unwrap();
        };
        (0..3).for_each(|_| tell());
        assert_eq!(fixture.number("SELECT count FROM notifications"), 3);
        assert_eq!(fixture.number("SELECT count(*) FROM notification_events"), 3);
        assert_eq!(fixture.write(|tx, actor| read_all(tx, actor)).unwrap(), 1);
        tell();
        assert_eq!(fixture.number("SELECT count(*) FROM notifications"), 2);
    }
}
