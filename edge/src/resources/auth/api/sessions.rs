//! Signed-in devices over HTTP.

use super::super::rules::AuthError;
use super::super::{actions, store};
use super::{Desk, Done};
use crate::access::{Cx, Permission, Role};
use crate::http::{Data, Id, Paged, Paging, Query, Result};
use axum::extract::State;
use tiffin_common::{Millis, Uuid};

view! {
    /// A signed-in device.
    #[schemars(rename = "Session")]
    pub struct SessionView of session: store::Session, asks: Uuid {
        id: Uuid,
        account_id: Uuid,
        account_name: String,
        role: Role,
        device_name: Option<String>,
        created_at: Millis,
        last_used_at: Millis,
        /// Signed out then, unless used before.
        expires_at: Millis,
        /// Whether it is the device that asks.
        current: bool = session.id == asks,
    }
}

/// Filters of the list.
#[apply(request!)]
pub struct ListSessions {
    /// The devices of every account of the outlet, for those who manage accounts: where a lost tablet is signed out.
    #[serde(default)]
    all: bool,
    #[serde(flatten)]
    paging: Paging,
}

/// Whoever is known by a PIN alone is at somebody else's device.
fn with_password(cx: &Cx) -> Result<()> {
    match cx.principal.by_pin {
        true => {
            Err(AuthError::Forbidden("A PIN opens the till alone: sign in with the password for this").into())
        }
        false => Ok(()),
    }
}

/// Lists signed-in devices, the last used first.
pub async fn list_sessions(cx: Cx, Query(filter): Query<ListSessions>) -> Result<Paged<SessionView>> {
    with_password(&cx)?;
    if filter.all {
        cx.demand(Permission::AccountsManage)?;
    }
    let account = (!filter.all).then_some(cx.principal.account_id);
    let (current, now) = (cx.principal.session_id, cx.db.env().clock.now());
    let page =
        cx.read(move |conn, outlet| store::list_sessions(conn, outlet, account, now, filter.paging)).await?;
    Ok(Paged::new(page.map(|session| SessionView::of(session, current)), filter.paging))
}

/// Signs a device out.
pub async fn delete_session(cx: Cx, State(desk): State<Desk>, Id(id): Id) -> Result<Data<Done>> {
    with_password(&cx)?;
    let actor = cx.actor();
    desk.db.write(move |tx| actions::revoke_session(tx, &actor, id)).await?;
    desk.void([id]);
    Ok(Data::new(Done {}))
}
