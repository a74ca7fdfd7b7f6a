//! The people of head office. Never above the actor's own role or beyond the actor's own outlets; never returns a password's hash
//! with a user.

use super::{Actor, Change, RegistryError, audit, outlets};
use edge::access::{Principal, Role};
use edge::db::{Columns, Source, list as rows, one, opt};
use edge::http::{Checks, Page, Paging};
use edge::{insert, select, table, update};
use rusqlite::params;
use serde_json::json;
use tiffin_common::{Millis, Uuid};

/// The roles that people of head office can have.
pub const ROLES: [Role; 4] = [Role::SuperAdmin, Role::Owner, Role::Manager, Role::Accountant];

table! {
    /// A user.
    #[derive(PartialEq, Eq)]
    pub struct User: registry_users {
        /// The id.
        pub id: Uuid,
        /// What they sign in with, in lower case.
        pub email: String,
        /// Their name.
        pub name: String,
        /// Their role.
        pub role: Role,
        /// Whether they may sign in.
        pub is_active: bool,
        /// Their outlets, the default first; empty for a super-admin: all.
        pub outlets: Vec<Uuid> => none,
        /// When they were added.
        pub created_at: Millis,
        /// 1, 2, ….
        pub version: i64,
    }
}

impl User {
    /// The user as the caller on device `session_id`.
    pub fn principal(&self, session_id: Uuid) -> Principal {
        Principal {
            account_id: self.id,
            session_id,
            employee_id: None,
            name: self.name.clone(),
            role: self.role,
            outlets: if self.role == Role::SuperAdmin { Vec::new() } else { self.outlets.clone() },
            by_pin: false,
        }
    }

    /// Whether `actor` may see them: those who share an outlet, and not those above.
    fn is_visible_to(&self, actor: &Actor) -> bool {
        actor.user_id == Some(self.id)
            || actor.may_grant(self.role)
                && (self.outlets.iter().any(|outlet| actor.covers(*outlet))
                    || actor.role.is_none_or(|role| role == Role::SuperAdmin))
    }
}

/// A user to add or to change into.
#[derive(Debug, Clone)]
pub struct Wanted {
    /// What they sign in with.
    pub email: String,
    /// Their name.
    pub name: String,
    /// Their role.
    pub role: Role,
    /// Whether they may sign in.
    pub is_active: bool,
    /// Their outlets.
    pub outlets: Vec<Uuid>,
}

fn with_outlets(from: &dyn Source, mut user: User) -> edge::db::Result<User> {
    let sql = "SELECT outlet_id FROM registry_user_outlets WHERE user_id = ?1 ORDER BY place";
    user.outlets = rows(from, sql, [user.id], |row| row.get(0))?;
    Ok(user)
}

/// The user of that id.
pub fn find(from: &dyn Source, id: Uuid) -> edge::db::Result<Option<User>> {
    let found = opt(from, select!(User, "WHERE id = ?1"), [id], User::read)?;
    found.map(|user| with_outlets(from, user)).transpose()
}

/// The user who signs in with `email`.
pub fn find_by_email(from: &dyn Source, email: &str) -> edge::db::Result<Option<User>> {
    let found = opt(from, select!(User, "WHERE email = ?1"), [normal(email)], User::read)?;
    found.map(|user| with_outlets(from, user)).transpose()
}

/// The PHC string of a user's password.
pub fn password_hash(from: &dyn Source, id: Uuid) -> edge::db::Result<Option<String>> {
    opt(from, "SELECT password_hash FROM registry_users WHERE id = ?1", [id], |row| row.get(0))
}

/// An email in its one spelling.
pub fn normal(email: &str) -> String {
    email.trim().to_lowercase()
}

/// Whether there is anybody yet.
pub fn any(from: &dyn Source) -> edge::db::Result<bool> {
    one(from, "SELECT count(*) FROM registry_users", [], |row| row.get::<_, i64>(0)).map(|n| n > 0)
}

/// A page of the users `actor` may see, by name.
pub fn list(from: &dyn Source, actor: &Actor, paging: Paging) -> edge::db::Result<Page<User>> {
    // People of head office are few; who may see whom is a matter of their outlets.
    let all = rows(from, select!(User, "ORDER BY name, id"), [], User::read)?;
    let mut visible = Vec::new();
    for user in all {
        let user = with_outlets(from, user)?;
        if user.is_visible_to(actor) {
            visible.push(user);
        }
    }
    let total = i64::try_from(visible.len()).unwrap_or(i64::MAX);
    let items = visible.into_iter().skip(paging.offset as usize).take(paging.limit as usize).collect();
    Ok(Page { items, total })
}

/// The user of that id, when `actor` may see them.
///
/// # Errors
/// No such user.
pub fn visible(from: &dyn Source, actor: &Actor, id: Uuid) -> Result<User, RegistryError> {
    let found = find(from, id)?.filter(|user| user.is_visible_to(actor));
    found.ok_or(RegistryError::NotFound("user"))
}

fn check(
    change: &Change<'_>,
    actor: &Actor,
    wanted: &Wanted,
    own: Option<Uuid>,
) -> Result<(), RegistryError> {
    if !actor.may_grant(wanted.role) {
        return Err(RegistryError::Forbidden("Nobody gives a role above their own"));
    }
    let mut checks = Checks::new();
    checks.require(ROLES.contains(&wanted.role), "role", "must be a role of head office");
    checks.require(!wanted.name.trim().is_empty(), "name", "must not be empty");
    let is_super = wanted.role == Role::SuperAdmin;
    checks.require(
        !is_super || wanted.outlets.is_empty(),
        "outlets",
        "a super-admin has all outlets: leave it empty",
    );
    checks.require(is_super || !wanted.outlets.is_empty(), "outlets", "must name at least one outlet");
    for (place, outlet) in wanted.outlets.iter().enumerate() {
        let known = actor.covers(*outlet) && outlets::find(change.sql, *outlet)?.is_some();
        checks.require(known, format!("outlets[{place}]"), "no such outlet");
        let twice = wanted.outlets.iter().take(place).any(|other| other == outlet);
        checks.require(!twice, format!("outlets[{place}]"), "is there twice");
    }
    checks.finish(()).map_err(RegistryError::Invalid)?;
    let holder = find_by_email(change.sql, &wanted.email)?.map(|user| user.id);
    if holder.is_some() && holder != own {
        let problem = edge::http::Problem::new(edge::http::Code::Conflict)
            .detail("email is already in use")
            .with_field("email", "is already in use");
        return Err(RegistryError::Refused(Box::new(problem)));
    }
    Ok(())
}

/// Adds a user.
///
/// # Errors
/// A role above the actor's, an outlet that is not the actor's, an email that is taken.
pub fn create(
    change: &Change<'_>,
    actor: &Actor,
    wanted: &Wanted,
    password_hash: &str,
) -> Result<User, RegistryError> {
    check(change, actor, wanted, None)?;
    let id = change.new_id();
    insert!(
        change.sql,
        registry_users {
            id: id,
            email: normal(&wanted.email),
            name: wanted.name.trim(),
            password_hash: password_hash,
            role: wanted.role,
            is_active: wanted.is_active,
            created_at: change.now,
            updated_at: change.now,
        }
    )?;
    set_outlets(change, id, &wanted.outlets)?;
    let detail =
        json!({"after": {"email": normal(&wanted.email), "role": wanted.role, "outlets": wanted.outlets}});
    audit::record(change, actor, audit::Note::new("user.create", "user", Some(id)).detail(detail))?;
    find(change.sql, id)?.ok_or(RegistryError::NotFound("user"))
}

/// Changes a user and signs them out where something of theirs was taken away.
///
/// # Errors
/// As [`create`]; a user above the actor; an older version; the last super-admin.
pub fn update(
    change: &Change<'_>,
    actor: &Actor,
    id: Uuid,
    expected: Option<i64>,
    alter: impl FnOnce(&User) -> Wanted,
    password_hash: Option<&str>,
) -> Result<User, RegistryError> {
    let before = visible(change.sql, actor, id)?;
    if expected.is_some_and(|version| version != before.version) {
        return Err(RegistryError::Stale);
    }
    let wanted = alter(&before);
    let own = actor.user_id == Some(id);
    if own && password_hash.is_some() {
        return Err(RegistryError::Forbidden(
            "Change your own password with the one you have: /hub/auth/change-password",
        ));
    }
    // Nobody at head office stands above a super-admin: they see to each other, but for passwords, which are the command line's.
    let are_admins = actor.role == Some(Role::SuperAdmin) && before.role == Role::SuperAdmin;
    if !(own || actor.outranks(before.role) || are_admins && password_hash.is_none()) {
        return Err(RegistryError::Forbidden("Somebody above them must change them"));
    }
    if own && (wanted.role != before.role || wanted.outlets != before.outlets || !wanted.is_active) {
        return Err(RegistryError::Forbidden("Nobody changes their own role, outlets or standing"));
    }
    check(change, actor, &wanted, Some(id))?;
    let loses_admin =
        before.role == Role::SuperAdmin && (wanted.role != Role::SuperAdmin || !wanted.is_active);
    if loses_admin && last_admin(change.sql, id)? {
        return Err(RegistryError::Conflict("Head office needs a super-admin who can sign in"));
    }
    update!(
        change.sql,
        registry_users {
            email: normal(&wanted.email),
            name: wanted.name.trim(),
            role: wanted.role,
            is_active: wanted.is_active,
            updated_at: change.now;
            "version = version + 1"
        } where { id: id }
    )?;
    if let Some(hash) = password_hash {
        update!(change.sql, registry_users { password_hash: hash } where { id: id })?;
    }
    set_outlets(change, id, &wanted.outlets)?;
    if !wanted.is_active || password_hash.is_some() {
        super::sessions::end_all(change, id, None, "the user was changed")?;
    }
    let shown = |role: Role, outlets: &[Uuid], email: &str, is_active: bool| json!({"email": email, "role": role, "outlets": outlets, "isActive": is_active});
    let detail = json!({
        "before": shown(before.role, &before.outlets, &before.email, before.is_active),
        "after": shown(wanted.role, &wanted.outlets, &normal(&wanted.email), wanted.is_active),
        "password": password_hash.is_some(),
    });
    audit::record(change, actor, audit::Note::new("user.update", "user", Some(id)).detail(detail))?;
    find(change.sql, id)?.ok_or(RegistryError::NotFound("user"))
}

/// Takes the second factor of somebody below away.
///
/// # Errors
/// One's own, or that of an equal.
pub fn forget_totp(change: &Change<'_>, actor: &Actor, user: &User) -> Result<(), RegistryError> {
    if !actor.outranks(user.role) {
        return Err(RegistryError::Forbidden("Somebody above them must take their second factor away"));
    }
    super::totp::forget(change, user.id)?;
    audit::record(change, actor, audit::Note::new("user.forget_second_factor", "user", Some(user.id)))
}

/// Whether nobody but `id` is an active super-admin.
fn last_admin(from: &dyn Source, id: Uuid) -> edge::db::Result<bool> {
    let sql = "SELECT count(*) FROM registry_users WHERE role = 'SUPER_ADMIN' AND is_active = 1 AND id <> ?1";
    one(from, sql, [id], |row| row.get::<_, i64>(0)).map(|others| others == 0)
}

fn set_outlets(change: &Change<'_>, id: Uuid, outlets: &[Uuid]) -> Result<(), RegistryError> {
    change.sql.execute("DELETE FROM registry_user_outlets WHERE user_id = ?1", params![id])?;
    for (place, outlet) in (0_i64..).zip(outlets) {
        insert!(change.sql, registry_user_outlets { user_id: id, outlet_id: outlet, place: place })?;
    }
    Ok(())
}
