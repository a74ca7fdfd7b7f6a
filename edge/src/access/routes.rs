//! The route table: method, path, permission, handler and what the published document says of them, in one place. From it
//! come the router, the listing (`edge routes`) and the OpenAPI document. Never a route beside it.

use super::describe::Described;
use super::guard::{self, Guard};
use super::operation::{Deprecation, Header, Operation, Refusals, SchemaOf, Success};
use super::permission::Permission;
use super::revocations::Revocations;
use super::tokens::Tokens;
use crate::db::Db;
use crate::http::Code;
use crate::http::limit::{self, Class, Limits};
use crate::http::reply::{Data, Paged};
use axum::Router;
use axum::extract::FromRef;
use axum::handler::Handler;
use axum::http::{HeaderName, HeaderValue, Method, StatusCode};
use axum::middleware::{from_fn_with_state, map_response};
use axum::routing::{MethodFilter, MethodRouter, on};
use schemars::JsonSchema;

/// Who may call a route.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Access {
    /// Anybody; limited per client address.
    Public,
    /// Any signed-in account.
    SignedIn,
    /// Accounts whose role holds the permission.
    Needs(Permission),
    /// Boxes of outlets, each by its key; who answers asks for it. Routes of head office alone.
    Device,
}

/// What answers a route.
enum Answers<S, R> {
    /// It may ask for any part of the application's state.
    Whole(MethodRouter<S>),
    /// It needs no more than the reading state.
    Reading(MethodRouter<R>),
}

/// One route of an application whose state is `S`; its GET routes need no more than `R`, a small part of it.
#[must_use]
pub struct Route<S, R = S> {
    pub(crate) method: Method,
    pub(crate) path: &'static str,
    pub(crate) access: Access,
    pub(crate) operation: Operation,
    limit: Option<Class>,
    handler: Answers<S, R>,
}

/// A GET route for accounts that hold `permission`, of a handler that needs no more than the reading state.
pub fn get<S, R, H, T, D>(path: &'static str, access: impl Into<Access>, handler: H) -> Route<S, R>
where
    H: Handler<T, R> + Described<D>,
    T: 'static,
    R: Clone + Send + Sync + 'static,
{
    let handler = Answers::Reading(on(MethodFilter::GET, handler));
    let (method, access, operation) = (Method::GET, access.into(), H::operation());
    Route { method, path, access, operation, limit: None, handler }
}

macro_rules! verbs {
    ($($verb:ident $method:ident $what:literal)*) => {
        $(
            #[doc = concat!("A ", stringify!($method), " route for accounts that hold `permission`", $what)]
            pub fn $verb<S, R, H, T, D>(path: &'static str, access: impl Into<Access>, handler: H) -> Route<S, R>
            where
                H: Handler<T, S> + Described<D>,
                T: 'static,
                S: Clone + Send + Sync + 'static,
            {
                let handler = Answers::Whole(on(MethodFilter::$method, handler));
                let (method, access, operation) = (Method::$method, access.into(), H::operation());
                Route { method, path, access, operation, limit: None, handler }
            }
        )*
    };
}

verbs! {
    get_here GET ", of a handler that needs more than the reading state: nobody else can answer it."
    post POST "."
    put PUT "."
    patch PATCH "."
    delete DELETE "."
}

impl From<Permission> for Access {
    fn from(permission: Permission) -> Self {
        Access::Needs(permission)
    }
}

impl<S, R> Route<S, R> {
    /// What the route does, in a line.
    pub fn summary(mut self, text: &'static str) -> Self {
        self.operation.summary = text;
        self
    }

    /// The query parameters are the fields of `T`, where the handler reads them itself.
    pub fn query<T: JsonSchema>(mut self) -> Self {
        self.operation.query_of::<T>();
        self
    }

    /// The body is a JSON `T`, where the handler reads it itself.
    pub fn takes<T: JsonSchema>(self) -> Self {
        self.takes_as::<T>("application/json")
    }

    /// The body is a `T` in another media type.
    pub fn takes_as<T: JsonSchema>(mut self, media_type: &'static str) -> Self {
        self.operation.body_of::<T>(media_type);
        self
    }

    /// Answers 200 with an enveloped `T`, where the handler writes it itself.
    pub fn returns<T: JsonSchema>(self) -> Self {
        self.typed::<Data<T>>(StatusCode::OK)
    }

    /// Answers 201 with an enveloped `T`, where the handler writes it itself.
    pub fn creates<T: JsonSchema>(self) -> Self {
        self.typed::<Data<T>>(StatusCode::CREATED)
    }

    /// Answers 200 with an enveloped page of `T`.
    pub fn lists<T: JsonSchema>(self) -> Self {
        self.typed::<Paged<T>>(StatusCode::OK)
    }

    /// Answers with a bare `T` (the specification's typed operations).
    pub fn typed<T: JsonSchema>(mut self, status: StatusCode) -> Self {
        self.operation.answer_of::<T>(status);
        self
    }

    /// Answers 200 with something that is no JSON.
    pub fn produces(mut self, media_type: &'static str) -> Self {
        self.operation.success = Success { status: StatusCode::OK, media_type, schema: None, others: &[] };
        self
    }

    /// The success answer may also come as one of `media_types`, none of them JSON.
    pub fn or_produces(mut self, media_types: &'static [&'static str]) -> Self {
        self.operation.success.others = media_types;
        self
    }

    /// Answers 200 with the same where what it makes is there already.
    pub fn or_found(mut self) -> Self {
        self.operation.or_found = true;
        self
    }

    /// May be refused with 409 by what the outlet is, though it changes nothing.
    pub fn may_conflict(mut self) -> Self {
        self.operation.may_conflict = true;
        self
    }

    /// A request may carry the header `name`, a `T`.
    pub fn header<T: JsonSchema>(mut self, name: &'static str, description: &'static str) -> Self {
        let schema: SchemaOf = |generator| generator.subschema_for::<T>();
        self.operation.header = Some(Header { name, description, schema });
        self
    }

    /// Refuses by these codes and no other.
    pub fn refuses(mut self, codes: &'static [Code]) -> Self {
        self.operation.refusals = Some(Refusals { codes, more: None });
        self
    }

    /// Refuses by these codes and no other; with `status`, the body is a `T`.
    pub fn refuses_with<T: JsonSchema>(mut self, codes: &'static [Code], status: StatusCode) -> Self {
        let schema: SchemaOf = |generator| generator.subschema_for::<T>();
        self.operation.refusals = Some(Refusals { codes, more: Some((status, schema)) });
        self
    }

    /// Also limited by `class`.
    pub fn limited(mut self, class: Class) -> Self {
        self.limit = Some(class);
        self
    }

    /// Marks the route as deprecated: it says so with every answer and in the document.
    pub fn deprecated(mut self, notice: Deprecation) -> Self {
        self.operation.deprecated = Some(notice);
        self
    }
}

/// The routes of one group, or of the whole API.
#[must_use]
pub struct Routes<S, R = S> {
    list: Vec<Route<S, R>>,
}

impl<S, R> Routes<S, R> {
    /// The routes of group `name` (the first segment of their paths, as the specification's table has it).
    pub fn group(name: &'static str, routes: impl IntoIterator<Item = Route<S, R>>) -> Self {
        let mut list: Vec<_> = routes.into_iter().collect();
        list.iter_mut().for_each(|route| route.operation.group = name);
        Routes { list }
    }

    /// All of `groups` in their order.
    pub fn all(groups: impl IntoIterator<Item = Routes<S, R>>) -> Self {
        Routes { list: groups.into_iter().flat_map(|group| group.list).collect() }
    }

    /// The routes of these paths that need no more than the reading state, and no other: for somebody who must not be able to change
    /// anything, or whose state is another one.
    pub fn reads<T>(self, paths: &[&str]) -> Routes<T, R> {
        let read = |route: Route<S, R>| {
            let Answers::Reading(handler) = route.handler else { return None };
            let Route { method, path, access, operation, limit, .. } = route;
            Some(Route { method, path, access, operation, limit, handler: Answers::Reading(handler) })
        };
        let asked = self.list.into_iter().filter(|route| paths.contains(&route.path));
        Routes { list: asked.filter_map(read).collect() }
    }

    /// The routes that are `wanted`, and no other.
    pub fn only(mut self, wanted: impl Fn(&Method, &str) -> bool) -> Routes<S, R> {
        self.list.retain(|route| wanted(&route.method, route.path));
        self
    }

    /// The same routes below `prefix` in a group of their own, for somebody who hands the requests on: each is answered by what `handler`
    /// makes. Those that change something also take the query of `W`. To be called once per process: the paths stay in memory.
    pub fn handed_on<T, W, H, M>(
        self,
        prefix: &str,
        group: &'static str,
        handler: impl Fn() -> H,
    ) -> Routes<T>
    where
        T: Clone + Send + Sync + 'static,
        W: JsonSchema,
        H: Handler<M, T>,
        M: 'static,
    {
        let hand_on = |old: Route<S, R>| {
            let filter = MethodFilter::try_from(old.method.clone()).ok()?;
            let path: &'static str = Box::leak(format!("{prefix}{}", old.path).into_boxed_str());
            let mut operation = Operation { group, ..old.operation };
            if old.method != Method::GET {
                operation.query_of::<W>();
            }
            let handler = Answers::Whole(on(filter, handler()));
            Some(Route { method: old.method, path, access: old.access, operation, limit: None, handler })
        };
        Routes { list: self.list.into_iter().filter_map(hand_on).collect() }
    }

    /// The routes in their order.
    pub fn iter(&self) -> impl Iterator<Item = &Route<S, R>> {
        self.list.iter()
    }

    /// Method, path and access of every route.
    pub fn listing(&self) -> Vec<(Method, &'static str, Access)> {
        self.list.iter().map(|r| (r.method.clone(), r.path, r.access)).collect()
    }
}

impl<S, R> Routes<S, R>
where
    S: Clone + Send + Sync + 'static,
    R: FromRef<S> + Clone + Send + Sync + 'static,
{
    /// The router of an application in `state`, with every route behind what `guard` puts before it.
    pub fn into_router_behind(
        self,
        state: &S,
        limits: &Limits,
        guard: impl Fn(Access, MethodRouter<S>) -> MethodRouter<S>,
    ) -> Router<S> {
        self.list.into_iter().fold(Router::new(), |router, route| {
            let Route { path, access, operation, limit, handler, .. } = route;
            let mut handler = match handler {
                Answers::Whole(handler) => handler,
                Answers::Reading(handler) => handler.with_state(R::from_ref(state)),
            };
            if let Some(class) = limit {
                handler = limit::layer(handler, limits.clone(), class);
            }
            handler = guard(access, handler);
            if let Some(notice) = operation.deprecated {
                handler = announce(handler, notice);
            }
            router.route(path, handler)
        })
    }
}

impl<S, R> Routes<S, R>
where
    S: Clone + Send + Sync + 'static,
    R: FromRef<S> + Clone + Send + Sync + 'static,
    Tokens: FromRef<S>,
    Revocations: FromRef<S>,
    Db: FromRef<S>,
    Limits: FromRef<S>,
{
    /// The router, with every route behind its guard.
    pub fn into_router(self, state: &S) -> Router<S> {
        self.into_router_behind(state, &Limits::from_ref(state), |access, handler| match access {
            Access::Public => handler.route_layer(from_fn_with_state(Tokens::from_ref(state), guard::public)),
            // A branch has no boxes of its own: where nobody else stands guard, an account it is.
            Access::SignedIn | Access::Device => {
                handler.route_layer(from_fn_with_state(Guard::new(state, None), guard::signed))
            }
            Access::Needs(permission) => {
                handler.route_layer(from_fn_with_state(Guard::new(state, Some(permission)), guard::signed))
            }
        })
    }
}

fn announce<S: Clone + Send + Sync + 'static>(
    handler: MethodRouter<S>,
    notice: Deprecation,
) -> MethodRouter<S> {
    handler.route_layer(map_response(move |mut response: axum::response::Response| async move {
        for (name, value) in [("deprecation", notice.since), ("sunset", notice.sunset), ("link", notice.link)]
        {
            response.headers_mut().insert(HeaderName::from_static(name), HeaderValue::from_static(value));
        }
        response
    }))
}
