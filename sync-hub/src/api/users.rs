//! `/hub/users`: the people of head office.

use super::guard::Cx;
use crate::registry::users::{self, User, Wanted};
use crate::state::Routes;
use axum::http::StatusCode;
use axum::response::Response;
use edge::access::{Permission, Role, get, hashing, patch, post};
use edge::http::{Data, Json, Paged, Paging, Path, Problem, Query, Replace};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use tiffin_common::{Millis, Uuid};

pub(super) fn routes() -> Routes {
    Routes::group(
        "hub",
        [
            get("/hub/users", Permission::AccountsManage, list_users)
                .summary("The people of head office")
                .query::<Paging>()
                .lists::<HubUser>(),
            post("/hub/users", Permission::AccountsManage, post_user)
                .summary("Adds somebody to head office")
                .takes::<NewUser>()
                .creates::<HubUser>(),
            get("/hub/users/{id}", Permission::AccountsManage, get_user)
                .summary("One of the people of head office")
                .returns::<HubUser>(),
            patch("/hub/users/{id}", Permission::AccountsManage, patch_user)
                .summary("Changes somebody below; a new password or isActive false signs them out everywhere")
                .takes::<UserPatch>()
                .returns::<HubUser>(),
        ],
    )
}

/// Somebody at head office.
#[derive(Debug, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
struct HubUser {
    id: Uuid,
    email: String,
    name: String,
    role: Role,
    is_active: bool,
    /// Empty for a super-admin: all outlets.
    outlets: Vec<Uuid>,
    created_at: Millis,
    version: i64,
}

impl std::convert::From<User> for HubUser {
    fn from(user: User) -> HubUser {
        let User { id, email, name, role, is_active, outlets, created_at, version } = user;
        HubUser { id, email, name, role, is_active, outlets, created_at, version }
    }
}

/// Somebody to add.
#[derive(Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
#[schemars(rename = "NewHubUser")]
struct NewUser {
    #[schemars(email, length(max = 254))]
    email: String,
    #[schemars(length(min = 1, max = 120))]
    name: String,
    #[schemars(length(min = 10, max = 128))]
    password: String,
    /// SUPER_ADMIN, OWNER, MANAGER or ACCOUNTANT.
    role: Role,
    /// Which outlets; empty for a super-admin.
    #[serde(default)]
    #[schemars(length(max = 10_000))]
    outlets: Vec<Uuid>,
}

/// What to change.
#[derive(Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
#[schemars(rename = "HubUserPatch")]
struct UserPatch {
    #[serde(default)]
    #[schemars(email, length(max = 254))]
    email: Replace<String>,
    #[serde(default)]
    #[schemars(length(min = 1, max = 120))]
    name: Replace<String>,
    #[serde(default)]
    #[schemars(length(min = 10, max = 128))]
    password: Replace<String>,
    #[serde(default)]
    role: Replace<Role>,
    /// Which outlets they may see; empty for a super-admin.
    #[serde(default)]
    #[schemars(length(max = 10_000))]
    outlets: Replace<Vec<Uuid>>,
    #[serde(default)]
    is_active: Replace<bool>,
    /// False takes their second factor away: the authenticator is lost.
    #[serde(default)]
    totp: Replace<bool>,
}

async fn list_users(cx: Cx, Query(paging): Query<Paging>) -> Result<Paged<HubUser>, Problem> {
    let actor = cx.actor();
    let page = cx.app.look(move |from| Ok(users::list(from, &actor, paging)?)).await?;
    let items = page.items.into_iter().map(HubUser::from).collect();
    Ok(Paged::new(edge::http::Page { items, total: page.total }, paging))
}

async fn get_user(cx: Cx, Path(id): Path<Uuid>) -> Result<Data<HubUser>, Problem> {
    let actor = cx.actor();
    let user = cx.app.look(move |from| users::visible(from, &actor, id)).await?;
    Ok(Data::new(user.into()))
}

/// The hash of a password that is chosen for somebody known by `about`.
async fn hashed(cx: &Cx, password: String, about: Vec<String>) -> Result<String, Problem> {
    hashing::chosen("password", password, about, cx.app.env().random_bytes()).await
}

async fn post_user(cx: Cx, Json(new): Json<NewUser>) -> Result<Response, Problem> {
    let NewUser { email, name, password, role, outlets } = new;
    let hash = hashed(&cx, password, vec![email.clone(), name.clone()]).await?;
    let wanted = Wanted { email, name, role, is_active: true, outlets };
    cx.change(StatusCode::CREATED, move |change, actor| {
        users::create(change, actor, &wanted, &hash).map(HubUser::from)
    })
    .await
}

async fn patch_user(cx: Cx, Path(id): Path<Uuid>, Json(patch): Json<UserPatch>) -> Result<Response, Problem> {
    let UserPatch { email, name, password, role, outlets, is_active, totp } = patch;
    if totp.0 == Some(true) {
        return Err(Problem::field("totp", "is turned on by its holder: /hub/auth/totp"));
    }
    let hash = match password.0 {
        Some(password) => Some(hashed(&cx, password, Vec::new()).await?),
        None => None,
    };
    let expected = cx.expected_version();
    cx.change(StatusCode::OK, move |change, actor| {
        let alter = |user: &User| {
            let role = role.apply(user.role);
            // Whoever becomes a super-admin needs no list any more.
            let outlets = match (outlets.0, role) {
                (None, Role::SuperAdmin) => Vec::new(),
                (given, _) => given.unwrap_or_else(|| user.outlets.clone()),
            };
            Wanted {
                email: email.apply(user.email.clone()),
                name: name.apply(user.name.clone()),
                is_active: is_active.apply(user.is_active),
                role,
                outlets,
            }
        };
        let changed = users::update(change, actor, id, expected, alter, hash.as_deref())?;
        if totp.0.is_some() {
            users::forget_totp(change, actor, &changed)?;
        }
        Ok(HubUser::from(changed))
    })
    .await
}
