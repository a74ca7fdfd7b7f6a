//! What a handler is given: the caller, the outlet, the store, and the request's conditions. Never the body.

use super::describe::Describe;
use super::guard::Scope;
use super::once::{Again, Find, Made, keep_once, make_once};
use super::permission::{Permission, Role};
use super::principal::{Actor, Principal};
use crate::db::{Db, Source, Tx};
use crate::http::idempotency::{self, Idempotency};
use crate::http::reply::respond;
use crate::http::{Code, Created, Data, Page, Paged, Paging, Problem, Result, Updated};
use axum::extract::{FromRef, FromRequestParts};
use axum::http::request::Parts;
use axum::http::{HeaderMap, StatusCode, header};
use axum::response::Response;
use serde::Serialize;
use tiffin_common::Uuid;

/// The context of one signed request.
pub struct Cx {
    /// The caller.
    pub principal: Principal,
    /// The outlet everything is scoped by.
    pub outlet_id: Uuid,
    /// The store, as far as the outlet goes.
    pub db: Db,
    if_match: Option<i64>,
    idempotency: Option<Idempotency>,
}

impl Describe for Cx {}

impl<S> FromRequestParts<S> for Cx
where
    S: Send + Sync,
    Db: FromRef<S>,
{
    type Rejection = Problem;

    async fn from_request_parts(parts: &mut Parts, state: &S) -> Result<Self> {
        Cx::of(parts, Db::from_ref(state))
    }
}

/// The version in `If-Match: "3"`; `*` and no header mean any.
pub fn if_match(headers: &HeaderMap) -> Result<Option<i64>> {
    let Some(value) = headers.get(header::IF_MATCH) else { return Ok(None) };
    let text = value.to_str().unwrap_or_default().trim();
    if text == "*" {
        return Ok(None);
    }
    let number = text.strip_prefix('"').and_then(|t| t.strip_suffix('"')).unwrap_or(text);
    number.parse().map(Some).map_err(|_| {
        Problem::new(Code::BadRequest)
            .detail("If-Match must be a version in quotes")
            .with_field("If-Match", "must be a version in quotes")
    })
}

impl Cx {
    fn of(parts: &mut Parts, db: Db) -> Result<Self> {
        let scope = parts.extensions.remove::<Scope>().ok_or_else(|| {
            tracing::error!("a handler asks for its caller on a public route");
            Problem::new(Code::Internal)
        })?;
        Ok(Cx {
            principal: scope.principal,
            outlet_id: scope.outlet_id,
            db: db.of(scope.outlet_id),
            if_match: if_match(&parts.headers)?,
            idempotency: parts.extensions.remove::<Idempotency>(),
        })
    }

    /// Who acts, for actions.
    pub fn actor(&self) -> Actor {
        Actor {
            outlet_id: self.outlet_id,
            account_id: Some(self.principal.account_id),
            employee_id: self.principal.employee_id,
            name: self.principal.name.clone(),
            role: Some(self.principal.role),
            device: Some(self.principal.session_id.to_string()),
            by_pin: self.principal.by_pin,
        }
    }

    /// Whose its idempotency keys are: the device's, whose PIN ever was entered there last; another system has one account on many.
    fn owner(&self) -> Uuid {
        let device = match self.principal.role {
            Role::Integration => self.principal.account_id,
            _ => self.principal.session_id,
        };
        idempotency::owner(self.outlet_id, device.as_bytes())
    }

    /// The version the client expects, from `If-Match`.
    pub fn expected_version(&self) -> Option<i64> {
        self.if_match
    }

    /// Refuses the request unless the caller's role holds `permission` (for handlers where it depends on the body).
    ///
    /// # Errors
    /// 403.
    pub fn demand(&self, permission: Permission) -> Result<()> {
        if self.principal.holds(permission) {
            return Ok(());
        }
        Err(Problem::new(Code::Forbidden).detail(format!("The permission {} is needed", permission.name())))
    }

    /// Reads from one snapshot of the store.
    pub async fn read<T, E, F>(&self, look: F) -> Result<T>
    where
        F: FnOnce(&dyn Source, Uuid) -> Result<T, E> + Send + 'static,
        T: Send + 'static,
        E: Into<Problem> + 'static,
    {
        let outlet = self.outlet_id;
        self.db.read(move |conn| look(conn, outlet).map_err(Into::into)).await
    }

    /// Reads from one snapshot of the store; answers 200 with what a client sees of it, enveloped.
    pub async fn get<R, T, E, F>(&self, look: F) -> Result<Data<T>>
    where
        F: FnOnce(&dyn Source, Uuid) -> Result<R, E> + Send + 'static,
        R: Into<T> + Send + 'static,
        E: Into<Problem> + 'static,
    {
        self.read(look).await.map(|found| Data::new(found.into()))
    }

    /// Reads the page of a list that `paging` asks for from one snapshot of the store; answers 200 with what a
    /// client sees of it.
    pub async fn list<R, T, E, F>(&self, paging: Paging, look: F) -> Result<Paged<T>>
    where
        F: FnOnce(&dyn Source, Uuid) -> Result<Page<R>, E> + Send + 'static,
        R: Into<T> + Send + 'static,
        E: Into<Problem> + 'static,
    {
        self.read(look).await.map(|page| Paged::new(page.map(Into::into), paging))
    }

    /// The stored answer, when the request repeats one that was answered under its idempotency key: for handlers that
    /// have long work to do before their action.
    ///
    /// # Errors
    /// 422 for a key that stood for another request; the store's own.
    pub async fn answered(&self) -> Result<Option<Response>> {
        let Some(key) = self.idempotency.clone() else { return Ok(None) };
        let (owner, now) = (self.owner(), self.db.env().clock.now());
        let stored = self.db.read(move |conn| key.find(conn, owner, now)).await?;
        Ok(stored.map(|stored| respond(stored.status, stored.body, true)))
    }

    /// One action in one transaction; answers 201 with what a client sees of its result, enveloped.
    pub async fn create<R, T, E, F>(self, change: F) -> Result<Created<T>>
    where
        F: FnOnce(&Tx<'_>, &Actor) -> Result<R, E> + Send + 'static,
        R: Into<T>,
        T: Serialize + Send + 'static,
        E: Into<Problem> + 'static,
    {
        let seen = move |tx: &Tx<'_>, actor: &Actor| change(tx, actor).map(|made| Data::new(made.into()));
        self.run(StatusCode::CREATED, seen).await.map(Created::new)
    }

    /// One action in one transaction; answers 200 with what a client sees of its result, enveloped.
    pub async fn update<R, T, E, F>(self, change: F) -> Result<Updated<T>>
    where
        F: FnOnce(&Tx<'_>, &Actor) -> Result<R, E> + Send + 'static,
        R: Into<T>,
        T: Serialize + Send + 'static,
        E: Into<Problem> + 'static,
    {
        let seen =
            move |tx: &Tx<'_>, actor: &Actor| change(tx, actor).map(|changed| Data::new(changed.into()));
        self.run(StatusCode::OK, seen).await.map(Updated::new)
    }

    /// [`Cx::update`] with an action that is told the version the client expects.
    pub async fn change<R, T, E, F>(self, change: F) -> Result<Updated<T>>
    where
        F: FnOnce(&Tx<'_>, &Actor, Option<i64>) -> Result<R, E> + Send + 'static,
        R: Into<T>,
        T: Serialize + Send + 'static,
        E: Into<Problem> + 'static,
    {
        let expected = self.expected_version();
        self.update(move |tx, actor| change(tx, actor, expected)).await
    }

    /// [`Cx::create`] of what may be there already: 201 for what is new, 200 for what was asked for again, and 201 as a replay for what an
    /// order's own key finds.
    pub async fn make<R, T, E, F>(self, change: F) -> Result<Created<T>>
    where
        F: FnOnce(&Tx<'_>, &Actor) -> Result<(R, Made), E> + Send + 'static,
        R: Into<T>,
        T: Serialize + Send + 'static,
        E: Into<Problem> + 'static,
    {
        let seen = move |tx: &Tx<'_>, actor: &Actor| {
            change(tx, actor).map(|(result, made)| (Data::new(result.into()), made))
        };
        self.run_made(seen).await.map(Created::new)
    }

    /// [`Cx::make`] with the bare result.
    pub async fn run_made<T, E, F>(self, change: F) -> Result<Response>
    where
        F: FnOnce(&Tx<'_>, &Actor) -> Result<(T, Made), E> + Send + 'static,
        T: Serialize + Send + 'static,
        E: Into<Problem> + 'static,
    {
        self.run_again(Again::Itself, change).await
    }

    /// [`Cx::run_made`] for what a box before this one may have done: `again` answers then.
    pub async fn run_again<T, E, F>(self, again: Again<T, E>, change: F) -> Result<Response>
    where
        F: FnOnce(&Tx<'_>, &Actor) -> Result<(T, Made), E> + Send + 'static,
        T: Serialize + Send + 'static,
        E: Into<Problem> + 'static,
    {
        let actor = self.actor();
        let owner = self.owner();
        make_once(&self.db, self.idempotency, owner, actor, (again, change)).await
    }

    /// [`Cx::create`] of what a box before this one may have made: `again` finds it by the first id of its answer.
    pub async fn create_again<T, E, F>(self, again: Find<Data<T>, E>, change: F) -> Result<Created<T>>
    where
        F: FnOnce(&Tx<'_>, &Actor) -> Result<T, E> + Send + 'static,
        T: Serialize + Send + 'static,
        E: Into<Problem> + 'static,
    {
        let seen =
            move |tx: &Tx<'_>, actor: &Actor| change(tx, actor).map(|made| (Data::new(made), Made::New));
        self.run_again(Again::By(again), seen).await.map(Created::new)
    }

    /// One action in one transaction; answers `status` with its bare result (the specification's typed operations).
    pub async fn run<T, E, F>(self, status: StatusCode, change: F) -> Result<Response>
    where
        F: FnOnce(&Tx<'_>, &Actor) -> Result<T, E> + Send + 'static,
        T: Serialize + Send + 'static,
        E: Into<Problem> + 'static,
    {
        let actor = self.actor();
        let owner = self.owner();
        keep_once(&self.db, self.idempotency, owner, actor, status, change).await
    }
}
