//! `/hub/auth`: signing in to head office, staying signed in, signing out. The rules are the branch's own.

use super::done::Done;
use super::guard::{Cx, From as Caller};
use crate::registry::sign_in::{self, Client, Renewal, Second, SignIn};
use crate::registry::users::User;
use crate::registry::{RegistryError, outlets, users};
use crate::state::{AppState, Routes};
use axum::extract::State;
use edge::access::{Access, Permission, Role, get, hashing, post, tokens};
use edge::db::Source;
use edge::http::limit::Class;
use edge::http::{Data, Json, Problem};
use edge::resources::auth::api::cookies::{Jar, RefreshToken, WithCookie};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use std::net::IpAddr;
use tiffin_common::{Millis, Uuid};

/// The seconds an access token lives.
const EXPIRES_IN: i64 = tokens::LIFETIME_MS / 1000;

pub(super) fn routes() -> Routes {
    Routes::group(
        "hub",
        [
            post("/hub/auth/login", Access::Public, login)
                .summary("Signs in with email and password")
                .limited(Class::Login)
                .takes::<Login>()
                .returns::<SignedIn>(),
            post("/hub/auth/refresh", Access::Public, refresh)
                .summary("A new access token; the refresh token is replaced")
                .takes::<RefreshToken>()
                .returns::<Refreshed>(),
            post("/hub/auth/logout", Access::Public, logout)
                .summary("Signs this device out")
                .takes::<RefreshToken>()
                .returns::<Done>(),
            get("/hub/auth/me", Access::SignedIn, get_me).summary("Who is signed in").returns::<Me>(),
        ],
    )
}

/// Email and password of an account.
#[derive(Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
#[schemars(rename = "HubLogin")]
pub(super) struct Login {
    #[schemars(email, length(max = 254))]
    pub(super) email: String,
    #[schemars(length(min = 1, max = 128))]
    pub(super) password: String,
    /// What the list of signed-in devices shows.
    #[schemars(length(max = 80))]
    pub(super) device_name: Option<String>,
    /// The six digits of the authenticator, where one is asked for (`ERR_TOTP_REQUIRED`).
    #[schemars(length(max = 10))]
    totp: Option<String>,
    /// Whether the refresh token goes into an HttpOnly cookie instead of the body: for pages of this server.
    #[serde(default)]
    cookie: bool,
}

/// A signed-in device.
#[derive(Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
#[schemars(rename = "HubSignedIn")]
struct SignedIn {
    /// A JWT, sent as `Authorization: Bearer`.
    access_token: String,
    /// For `POST /hub/auth/refresh`; one signs in anew after 30 days. Absent where a cookie has it.
    #[serde(skip_serializing_if = "Option::is_none")]
    refresh_token: Option<String>,
    /// Seconds the access token lives.
    expires_in: i64,
    user: Me,
}

/// Who is signed in.
#[derive(Debug, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
#[schemars(rename = "HubMe")]
struct Me {
    id: Uuid,
    email: String,
    name: String,
    role: Role,
    /// What the role holds.
    permissions: Vec<Permission>,
    /// The default one first; for a super-admin all.
    outlets: Vec<MyOutlet>,
}

/// An outlet of a user.
#[derive(Debug, Serialize, JsonSchema)]
#[schemars(rename = "HubMyOutlet")]
struct MyOutlet {
    id: Uuid,
    code: String,
    name: String,
}

impl Me {
    fn of(from: &dyn Source, user: &User) -> edge::db::Result<Me> {
        let mut all = outlets::list(from)?;
        if user.role != Role::SuperAdmin {
            all.retain(|outlet| user.outlets.contains(&outlet.card.id));
            all.sort_by_key(|outlet| user.outlets.iter().position(|id| *id == outlet.card.id));
        }
        Ok(Me {
            id: user.id,
            email: user.email.clone(),
            name: user.name.clone(),
            role: user.role,
            permissions: user.role.permissions(),
            outlets: all
                .into_iter()
                .map(|outlet| MyOutlet { id: outlet.card.id, code: outlet.card.code, name: outlet.card.name })
                .collect(),
        })
    }
}

/// The stored hash that `password` fits, of the user of `email`, while guesses from `ip` are not locked out.
pub(super) async fn verified(
    app: &AppState,
    email: &str,
    password: String,
    ip: IpAddr,
) -> Result<Option<String>, Problem> {
    let (asked, now) = (email.to_owned(), app.env().clock.now());
    let stored = app
        .look(move |from| {
            if let Some(seconds) = sign_in::login_lock(from, &asked, ip, now)? {
                return Err(RegistryError::Locked(seconds));
            }
            let user = users::find_by_email(from, &asked)?;
            Ok(user.map(|user| users::password_hash(from, user.id)).transpose()?.flatten())
        })
        .await?;
    // The same work whether or not there is such a user.
    hashing::apart(move || {
        let fits = hashing::verify(&password, stored.as_deref());
        stored.filter(|_| fits)
    })
    .await
}

async fn login(
    State(app): State<AppState>,
    Caller(ip): Caller,
    jar: Jar,
    Json(body): Json<Login>,
) -> Result<WithCookie<SignedIn>, Problem> {
    let Login { email, password, device_name, totp, cookie } = body;
    jar.demand_own_page(cookie)?;
    let fits = verified(&app, &email, password, ip).await?;
    let client = Client { ip, device_name };
    let (is_required, sealer) = (app.config.require_totp, app.keys.sealer.clone());
    let outcome = app
        .change_quietly(move |change| {
            let second = Second { code: totp.as_deref(), is_required, sealer: &sealer };
            let outcome = sign_in::sign_in(change, &email, &client, fits.as_deref(), &second)?;
            let me = match &outcome {
                SignIn::Done { user, .. } => Some(Me::of(change.sql, user)?),
                _ => None,
            };
            Ok((outcome, me))
        })
        .await?;
    match outcome {
        (SignIn::Done { user, session_id, refresh_token, until }, Some(me)) => {
            let access_token = app.issue(&user.principal(session_id))?;
            let (refresh_token, cookie) = jar.give(&refresh_token, cookie, seconds_until(&app, until));
            let signed_in = SignedIn { access_token, refresh_token, expires_in: EXPIRES_IN, user: me };
            Ok(WithCookie(cookie, Data::new(signed_in)))
        }
        (SignIn::Locked(seconds), _) => Err(RegistryError::Locked(seconds).into()),
        (SignIn::NeedsCode, _) => Err(RegistryError::NeedsCode.into()),
        _ => Err(RegistryError::WrongCredentials.into()),
    }
}

/// How long a cookie is kept that holds until then.
fn seconds_until(app: &AppState, until: Millis) -> i64 {
    until.since(app.env().clock.now()) / 1_000
}

/// The next tokens of a signed-in device.
#[derive(Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
#[schemars(rename = "HubRefreshed")]
struct Refreshed {
    access_token: String,
    /// Replaces the one that was sent; absent where a cookie has it.
    #[serde(skip_serializing_if = "Option::is_none")]
    refresh_token: Option<String>,
    /// Seconds the access token lives.
    expires_in: i64,
}

async fn refresh(
    State(app): State<AppState>,
    jar: Jar,
    Json(body): Json<RefreshToken>,
) -> Result<WithCookie<Refreshed>, Problem> {
    let (token, in_cookie) = jar.token(body)?;
    let key = app.keys.refresh_key.clone();
    let outcome = app.change_quietly(move |change| sign_in::refresh(change, &token, &key)).await?;
    match outcome {
        Renewal::Done { user, session_id, refresh_token, until } => {
            let access_token = app.issue(&user.principal(session_id))?;
            let (refresh_token, cookie) = jar.give(&refresh_token, in_cookie, seconds_until(&app, until));
            let refreshed = Refreshed { access_token, refresh_token, expires_in: EXPIRES_IN };
            Ok(WithCookie(cookie, Data::new(refreshed)))
        }
        Renewal::Reused => {
            app.change(|_| Ok(())).await?;
            Err(RegistryError::SignedOut.into())
        }
        Renewal::Refused => Err(RegistryError::SignedOut.into()),
    }
}

async fn logout(
    State(app): State<AppState>,
    jar: Jar,
    Json(body): Json<RefreshToken>,
) -> Result<WithCookie<Done>, Problem> {
    let (token, in_cookie) = jar.token(body)?;
    app.change(move |change| sign_in::sign_out(change, &token)).await?;
    Ok(WithCookie(in_cookie.then(|| jar.empty()).flatten(), Data::new(Done {})))
}

async fn get_me(cx: Cx) -> Result<Data<Me>, Problem> {
    let id = cx.principal.account_id;
    let me = cx.app.look(move |from| {
        let user = users::find(from, id)?.ok_or(RegistryError::SignedOut)?;
        Ok(Me::of(from, &user)?)
    });
    Ok(Data::new(me.await?))
}
