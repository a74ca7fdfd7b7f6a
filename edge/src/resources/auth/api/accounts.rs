//! The accounts of employees over HTTP.

use super::super::rules::{Account, AuthError, NewAccount};
use super::super::{actions, store};
use super::Desk;
use crate::access::{Cx, Role, hashing};
use crate::db::{Source, Tx};
use crate::http::{Created, Data, Id, Json, Problem, Replace, Result};
use crate::resources::employees;
use axum::extract::State;
use schemars::JsonSchema;
use serde::Deserialize;
use tiffin_common::Uuid;

view! {
    /// The account of an employee.
    #[schemars(rename = "Account")]
    pub struct AccountView of account: Account, has_factor: bool {
        id: Uuid,
        email: String,
        name: String,
        role: Role,
        /// The default one first.
        outlets: Vec<Uuid>,
        /// Whether it can sign in.
        active: bool = account.is_usable(),
        employee_id: Option<Uuid>,
        /// Of another system: the channels whose orders it is there for; none: those that it takes itself.
        channel_ids: Vec<Uuid>,
        /// Whether a code of an authenticator is asked for beside the password.
        totp: bool = has_factor,
        version: i64,
    }
}

/// The account of an employee.
pub async fn get_account(cx: Cx, Id(employee): Id) -> Result<Data<AccountView>> {
    let look = move |conn: &dyn Source, outlet: Uuid| -> Result<AccountView, AuthError> {
        let found = store::find_by_employee(conn, outlet, employee)?;
        let account = found.ok_or(AuthError::NotFound("account"))?;
        let totp = actions::has_factor(conn, account.id)?;
        Ok(AccountView::of(account, totp))
    };
    Ok(Data::new(cx.read(look).await?))
}

/// A new account.
#[derive(Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct CreateAccount {
    #[schemars(email, length(max = 254))]
    email: String,
    #[schemars(length(min = 10, max = 128))]
    password: String,
    role: Role,
    /// The default one first; this outlet when absent.
    #[schemars(length(min = 1, max = 100))]
    outlets: Option<Vec<Uuid>>,
    /// Of another system (INTEGRATION): the channels whose orders it is there for.
    #[schemars(length(max = 50))]
    channel_ids: Option<Vec<Uuid>>,
}

/// Gives an employee an account.
pub async fn create_account(
    cx: Cx,
    Id(employee): Id,
    Json(body): Json<CreateAccount>,
) -> Result<Created<AccountView>> {
    let CreateAccount { email, password, role, outlets, channel_ids } = body;
    let salt = cx.db.env().random_bytes();
    let password_hash = hashing::chosen("password", password, vec![email.clone()], salt).await?;
    cx.create(move |tx, actor| -> Result<AccountView, AuthError> {
        let found = employees::store::find(tx, actor.outlet_id, employee)?;
        let name = found.ok_or(AuthError::NotFound("employee"))?.record.name;
        let outlets = outlets.unwrap_or_else(|| vec![actor.outlet_id]);
        let employee_id = Some(employee);
        let new = NewAccount { email, name, role, password_hash, employee_id, outlets };
        let mut made = actions::create_account(tx, actor, new)?;
        if let Some(channels) = channel_ids {
            made = actions::bind_channels(tx, actor, made, &channels)?;
        }
        Ok(AccountView::of(made, false))
    })
    .await
}

/// A change of an account.
#[apply(request!)]
pub struct UpdateAccount {
    #[serde(default)]
    role: Replace<Role>,
    /// The default one first.
    #[serde(default)]
    #[schemars(length(min = 1, max = 100))]
    outlets: Replace<Vec<Uuid>>,
    /// Of another system (INTEGRATION): the channels whose orders it is there for; none: those that it takes itself.
    #[serde(default)]
    #[schemars(length(max = 50))]
    channel_ids: Replace<Vec<Uuid>>,
    /// A closed account opens nothing; its devices are signed out.
    #[serde(default)]
    active: Replace<bool>,
    /// False takes a second factor away; its holder turns one on.
    #[serde(default)]
    totp: Replace<bool>,
}

/// Changes an account; its access tokens are void at once and must be refreshed.
pub async fn update_account(
    cx: Cx,
    State(desk): State<Desk>,
    Id(employee): Id,
    Json(body): Json<UpdateAccount>,
) -> Result<Data<AccountView>> {
    let change = actions::AccountChange {
        role: body.role.0,
        outlets: body.outlets.0,
        active: body.active.0,
        channels: body.channel_ids.0,
    };
    if body.totp.0 == Some(true) {
        return Err(Problem::field("totp", "is turned on by its holder: /auth/totp"));
    }
    let forgets = body.totp.0.is_some();
    let (actor, expected) = (cx.actor(), cx.expected_version());
    let change = move |tx: &Tx<'_>| -> Result<_, AuthError> {
        let (account, signed_out) = actions::change_account(tx, &actor, employee, expected, &change)?;
        if forgets {
            actions::forget_factor(tx, &actor, account.id)?;
        }
        let totp = actions::has_factor(tx, account.id)?;
        Ok((account, signed_out, totp))
    };
    let (account, signed_out, totp) = desk.db.write(change).await?;
    desk.void(signed_out.into_iter().chain([account.id]));
    Ok(Data::new(AccountView::of(account, totp)))
}
