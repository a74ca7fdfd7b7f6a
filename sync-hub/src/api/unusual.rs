//! `/hub/unusual`: what should not be usual, of all outlets and of head office itself, in one list. Never says who did wrong.

use super::chain::{self, ChainError};
use super::guard::Cx;
use crate::registry::audit;
use crate::state::Routes;
use edge::access::{Permission, get};
use edge::http::{Data, Problem, Query};
use edge::resources::dashboard::{Oddity, list_oddities};
use futures_util::{StreamExt, pin_mut};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use std::cmp::Reverse;
use tiffin_common::{Millis, Uuid};

/// The list shows so many.
const MOST: i64 = 100;

/// What is looked at unless the caller says otherwise.
const DAY_MS: i64 = 24 * 3_600_000;

pub(super) fn routes() -> Routes {
    Routes::group(
        "hub",
        [get("/hub/unusual", Permission::AuditRead, list_unusual)
            .summary(
                "Locks, resets, looks and changes by hand, exports and restores of all outlets, newest first",
            )
            .query::<ListUnusual>()
            .returns::<Unusual>()],
    )
}

/// Of which outlets, since when.
#[derive(Debug, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
struct ListUnusual {
    /// Comma-separated ids; all that the caller may see, and head office itself, when absent.
    #[schemars(length(max = 4000))]
    outlet_ids: Option<String>,
    /// From this moment on; the last 24 hours when absent.
    from: Option<Millis>,
}

/// What somebody should look at.
#[derive(Debug, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
struct Unusual {
    /// How often since then.
    count: i64,
    /// The newest hundred.
    latest: Vec<UnusualEntry>,
    /// How often at each outlet, most first; those where nothing was are left out.
    outlets: Vec<UnusualOutlet>,
}

/// Something that should not be usual.
#[derive(Debug, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
struct UnusualEntry {
    /// Where; null at head office itself.
    outlet_id: Option<Uuid>,
    /// The outlet's code.
    code: Option<String>,
    at: Millis,
    /// Such as `auth.pin_locked`; the audit log has the rest.
    action: String,
    actor_name: String,
    /// The signed-in device, or the address where nobody was signed in.
    device: Option<String>,
}

/// How often something was unusual at an outlet.
#[derive(Debug, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
struct UnusualOutlet {
    outlet_id: Uuid,
    code: String,
    name: String,
    /// How often since then.
    count: i64,
}

async fn list_unusual(cx: Cx, Query(asked): Query<ListUnusual>) -> Result<Data<Unusual>, Problem> {
    let since = asked.from.unwrap_or_else(|| cx.app.env().clock.now().after(-DAY_MS));
    let is_of_all = asked.outlet_ids.is_none() && cx.visible().is_none();
    let outlets = chain::asked(&cx, asked.outlet_ids.as_deref()).await?;
    let answers = chain::each(&cx.app, outlets, move |from, outlet| -> Result<_, ChainError> {
        Ok(list_oddities(from, outlet.card.id, since, MOST)?)
    });
    pin_mut!(answers);
    let mut found = Unusual { count: 0, latest: Vec::new(), outlets: Vec::new() };
    while let Some(answer) = answers.next().await {
        let chain::Answer { outlet, found: page, .. } = answer?;
        let Some(page) = page.filter(|page| page.total > 0) else { continue };
        let card = outlet.card;
        found.count = found.count.saturating_add(page.total);
        found.latest.extend(page.items.into_iter().map(|Oddity { at, action, actor_name, device }| {
            UnusualEntry {
                outlet_id: Some(card.id),
                code: Some(card.code.clone()),
                at,
                action,
                actor_name,
                device,
            }
        }));
        found.outlets.push(UnusualOutlet {
            outlet_id: card.id,
            code: card.code,
            name: card.name,
            count: page.total,
        });
    }
    if is_of_all {
        let own = cx.app.look(move |from| Ok(audit::unusual(from, since, MOST)?)).await?;
        found.count = found.count.saturating_add(own.total);
        found.latest.extend(own.items.into_iter().map(|entry| {
            let audit::Entry { at, action, actor_name, device, .. } = entry;
            UnusualEntry { outlet_id: None, code: None, at, action, actor_name, device }
        }));
    }
    found.latest.sort_by_key(|entry| Reverse(entry.at));
    found.latest.truncate(usize::try_from(MOST).unwrap_or(usize::MAX));
    found.outlets.sort_by_key(|outlet| Reverse(outlet.count));
    Ok(Data::new(found))
}
