//! The API's own GET routes, callable inside this process with the caller's token and outlet. Never a route that writes,
//! streams, or belongs to an account; never another caller's rights.

use super::rules::call::{Call, Reply};
use super::rules::remote::function_name;
use crate::access::Route;
use crate::access::operation::SchemaOf;
use crate::http::{Code, Problem, Result};
use crate::state::{AppState, Reading, Routes};
use axum::Router;
use axum::body::{Body, to_bytes};
use axum::http::{HeaderMap, HeaderValue, Request, StatusCode, header};
use schemars::generate::SchemaSettings;
use serde_json::{Map, Value, json};
use std::sync::{Arc, OnceLock};
use tiffin_common::Uuid;
use tower::Service;

/// What may be read.
const ALLOWED: &[&str] = &[
    "/analytics/daily",
    "/analytics/hourly",
    "/analytics/menu-engineering",
    "/analytics/reports/discounts",
    "/analytics/reports/inventory",
    "/analytics/reports/labor",
    "/analytics/reports/payments",
    "/analytics/reports/pnl",
    "/analytics/reports/purchases",
    "/analytics/reports/sales",
    "/analytics/reports/tax",
    "/analytics/reports/variance",
    "/analytics/reports/voids",
    "/analytics/reports/waste",
    "/analytics/summary",
    "/analytics/top-sellers",
    "/attendance",
    "/attendance/present",
    "/attendance/timesheets",
    "/cash-sessions",
    "/cash-sessions/{id}",
    "/dashboard",
    "/day-close",
    "/day-close/{date}",
    "/inventory/items",
    "/inventory/items/{id}/batches",
    "/inventory/portions",
    "/inventory/suppliers",
    "/inventory/suppliers/{id}/performance",
    "/kitchen/stats",
    "/kitchen/tickets",
    "/leave-requests",
    "/leave-requests/balances",
    "/orders",
    "/purchase-orders",
    "/tickets/feedback",
    "/tickets/feedback/summary",
    "/waste-logs",
    "/waste-logs/summary",
    "/workforce/roster",
];

/// Largest answer of a route that is read.
const BODY_LIMIT: usize = 8 * 1024 * 1024;

/// The routes. Cheap to clone.
#[derive(Clone)]
pub(super) struct Reads(Arc<Inner>);

struct Inner {
    router: Router,
    routes: Vec<Readable>,
    functions: OnceLock<Vec<Function>>,
}

/// What the route table says of a route.
struct Readable {
    path: &'static str,
    summary: &'static str,
    query: Option<SchemaOf>,
}

/// A route as a model is offered it.
pub(super) struct Function {
    /// The route.
    pub(super) path: &'static str,
    /// Its name as a function.
    pub(super) name: String,
    /// What it answers.
    pub(super) summary: &'static str,
    /// The JSON Schema of its parameters.
    pub(super) parameters: Value,
}

/// Whose rights the reads have.
#[derive(Clone)]
pub(super) struct Caller {
    authorization: HeaderValue,
    outlet: Uuid,
}

impl Caller {
    /// The caller of a request that the guard let in for `outlet`.
    ///
    /// # Errors
    /// 401 without a token.
    pub(super) fn of(headers: &HeaderMap, outlet: Uuid) -> Result<Caller> {
        let authorization = headers.get(header::AUTHORIZATION).cloned();
        let authorization = authorization.ok_or_else(|| Problem::new(Code::Unauthorized))?;
        Ok(Caller { authorization, outlet })
    }
}

impl Reads {
    /// The readable ones of `routes`.
    pub(super) fn new(state: &AppState, routes: Routes) -> Reads {
        let routes: Routes = routes.reads(ALLOWED);
        let readable = |r: &Route<AppState, Reading>| Readable {
            path: r.path,
            summary: r.operation.summary,
            query: r.operation.query,
        };
        let listed = routes.iter().map(readable).collect();
        let router = routes.into_router(state).with_state(state.clone());
        Reads(Arc::new(Inner { router, routes: listed, functions: OnceLock::new() }))
    }

    /// What a model may call.
    pub(super) fn functions(&self) -> &[Function] {
        self.0.functions.get_or_init(|| {
            let settings = SchemaSettings::draft2020_12().with(|s| {
                s.inline_subschemas = true;
                s.meta_schema = None;
            });
            let mut generator = settings.into_generator();
            let function = |route: &Readable| Function {
                path: route.path,
                name: function_name(route.path),
                summary: route.summary,
                parameters: parameters(
                    route.path,
                    route.query.map(|schema| schema(&mut generator).to_value()),
                ),
            };
            self.0.routes.iter().map(function).collect()
        })
    }

    /// Asks `call` as `caller`. What cannot be asked at all is answered as 404.
    pub(super) async fn ask(&self, caller: &Caller, call: &Call) -> Reply {
        let Some(request) = self.request(caller, call) else {
            return Reply { status: StatusCode::NOT_FOUND.as_u16(), body: Value::Null };
        };
        let mut router = self.0.router.clone();
        // A `Router` is always ready and never fails.
        let Ok(response) = router.call(request).await;
        let status = response.status().as_u16();
        let body = to_bytes(response.into_body(), BODY_LIMIT).await;
        let body = body.ok().and_then(|bytes| serde_json::from_slice(&bytes).ok()).unwrap_or_default();
        Reply { status, body }
    }

    fn request(&self, caller: &Caller, call: &Call) -> Option<Request<Body>> {
        self.0.routes.iter().find(|route| route.path == call.endpoint)?;
        let uri = uri(call)?;
        Request::get(uri)
            .header(header::AUTHORIZATION, &caller.authorization)
            .header("x-outlet-id", caller.outlet.to_string())
            .body(Body::empty())
            .ok()
    }
}

/// The address of a call: path parameters filled in, the others behind the question mark.
fn uri(call: &Call) -> Option<String> {
    let mut params = call.params.clone();
    let mut path = String::new();
    for part in call.endpoint.split('/').skip(1) {
        path.push('/');
        match part.strip_prefix('{').and_then(|part| part.strip_suffix('}')) {
            Some(name) => {
                let value = text(&params.remove(name)?)?;
                // Ids and dates: nothing that could lead to another path.
                let plain =
                    !value.is_empty() && value.bytes().all(|b| b.is_ascii_alphanumeric() || b == b'-');
                plain.then(|| path.push_str(&value))?;
            }
            None => path.push_str(part),
        }
    }
    let pairs: Option<Vec<(&String, String)>> =
        params.iter().map(|(name, value)| Some((name, text(value)?))).collect();
    let query = serde_urlencoded::to_string(pairs?).ok()?;
    Some(if query.is_empty() { path } else { format!("{path}?{query}") })
}

fn text(value: &Value) -> Option<String> {
    match value {
        Value::String(text) => Some(text.clone()),
        Value::Number(number) => Some(number.to_string()),
        Value::Bool(flag) => Some(flag.to_string()),
        _ => None,
    }
}

/// The schema of a route's parameters: those of its path are required. Answers are JSON here, so `format` is not offered.
fn parameters(path: &str, query: Option<Value>) -> Value {
    let mut properties =
        query.as_ref().and_then(|q| q.get("properties")?.as_object().cloned()).unwrap_or_default();
    properties.remove("format");
    let required = query.as_ref().and_then(|q| q.get("required")?.as_array().cloned());
    let mut required = required.unwrap_or_default();
    for name in path.split('/').filter_map(|part| part.strip_prefix('{')?.strip_suffix('}')) {
        let format = if name == "date" { "date" } else { "uuid" };
        properties.insert(name.to_owned(), json!({"type": "string", "format": format}));
        required.push(name.into());
    }
    let mut schema = Map::new();
    schema.insert("type".into(), "object".into());
    schema.insert("properties".into(), properties.into());
    schema.insert("required".into(), required.into());
    schema.insert("additionalProperties".into(), false.into());
    schema.into()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn parameters_cannot_lead_elsewhere() {
        let call = Call::get("/day-close/{date}").with("date", "2026-11-20").with("x", "a&b=c#/..");
        assert_eq!(uri(&call).unwrap(), "/day-close/2026-11-20?x=a%26b%3Dc%23%2F..");
        for wrong in ["../auth/me", "", "a/b", "%2e", "a?b", "ä"] {
            assert_eq!(uri(&Call::get("/day-close/{date}").with("date", wrong)), None, "{wrong}");
        }
        assert_eq!(uri(&Call::get("/day-close/{date}")), None);
        assert_eq!(uri(&Call::get("/orders").with("q", json!(["a"]))), None);
    }

    #[test]
    fn everything_that_may_be_read_is_a_get_route_of_the_api_or_of_a_later_version() {
        let reads: Routes = crate::app::routes().reads(ALLOWED);
        assert!(reads.iter().all(|route| route.method == axum::http::Method::GET));
        assert!(reads.iter().all(|route| !route.path.contains("stream") && !route.path.starts_with("/ai")));
    }
}
