//! `/notifications` over HTTP.

use super::rules::{self, Severity};
use super::{actions, store};
use crate::access::Cx;
use crate::db::{self, Source};
use crate::http::sse::Shown;
use crate::http::{Id, Paged, Paging, Problem, Query, Result, Updated};
use tiffin_common::{Millis, Uuid};

view! {
    /// What a notification is about.
    #[schemars(rename = "NotificationEntity")]
    pub struct Entity of entity: rules::Entity {
        /// What kind of record it is.
        r#type: String = entity.kind,
        id: Uuid,
    }
}

view! {
    /// Something that staff are told.
    pub struct Notification of notification: rules::Notification {
        id: Uuid,
        /// Such as `LOW_STOCK`.
        r#type: String = notification.kind,
        /// INFO, WARNING or CRITICAL.
        #[schemars(with = "String")]
        severity: Severity,
        title: String,
        body: String,
        /// What it is about, where that is one record.
        entity: Option<Entity> = notification.entity.map(Entity::from),
        /// How often it happened while unread.
        count: i64,
        created_at: Millis,
        updated_at: Millis,
        read_at: Option<Millis>,
    }
}

/// A notification as the list shows it, with the audience that sees it; none where the outlet has none of that id.
pub fn shown(conn: &dyn Source, outlet: Uuid, id: Uuid) -> db::Result<Option<(String, Shown)>> {
    let found = store::find_addressed(conn, outlet, id)?;
    Ok(found.map(|(audience, found)| {
        let version = found.updated_at.get();
        (audience, Shown::of(version, &Notification::from(found)))
    }))
}

/// What is wrong with the box of an outlet, as it told its staff who have not ticked it off; the newest first.
pub fn of_box(conn: &dyn Source, outlet: Uuid) -> db::Result<Vec<Notification>> {
    Ok(store::list_of_box(conn, outlet)?.into_iter().map(Notification::from).collect())
}

/// Filters of the list.
#[apply(request!)]
pub struct ListNotifications {
    /// Only what nobody has ticked off.
    #[serde(default)]
    unread_only: bool,
    #[serde(flatten)]
    paging: Paging,
}

/// Lists what the caller may see, newest first.
pub async fn list_notifications(
    cx: Cx,
    Query(filter): Query<ListNotifications>,
) -> Result<Paged<Notification>> {
    let audiences = actions::audiences(&cx.actor());
    let ListNotifications { unread_only, paging } = filter;
    cx.list(paging, move |conn, outlet| store::list(conn, outlet, &audiences, unread_only, paging)).await
}

/// Ticks off one notification.
pub async fn read_notification(cx: Cx, Id(id): Id) -> Result<Updated<Notification>> {
    cx.update(move |tx, actor| -> Result<_> {
        let read = actions::read(tx, actor, id)?.ok_or_else(|| Problem::not_found("notification"))?;
        Ok(Notification::from(read))
    })
    .await
}

/// How many were ticked off.
#[apply(answer!)]
#[schemars(rename = "NotificationsRead")]
pub struct ReadAll {
    /// Notifications ticked off by this call.
    read: usize,
}

/// Ticks off everything the caller sees.
pub async fn read_all_notifications(cx: Cx) -> Result<Updated<ReadAll>> {
    cx.update(|tx, actor| actions::read_all(tx, actor).map(|read| ReadAll { read })).await
}

#[cfg(test)]
mod tests {
    use super::actions::{notify, read_all};
    use super::rules::{Audience, Notice, Severity};
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
        assert_eq!(fixture.write(read_all).unwrap(), 1);
        tell();
        assert_eq!(fixture.number("SELECT count(*) FROM notifications"), 2);
    }
}
