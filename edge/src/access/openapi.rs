//! The OpenAPI 3.1 document, generated from the route table and the schemas the requests are checked against. Never
//! written by hand.

use super::operation::{Refusals, SchemaOf};
use super::routes::{Access, Route, Routes};
use super::words;
use crate::http::error::{Code, ProblemDocument};
use axum::http::{Method, StatusCode};
use schemars::SchemaGenerator;
use schemars::generate::SchemaSettings;
use serde_json::{Map, Value, json};
use std::collections::BTreeSet;

const SCHEMAS: &str = "/components/schemas";

/// Which API a document is of.
#[derive(Debug, Clone, Copy)]
pub struct About {
    /// Its name.
    pub title: &'static str,
    /// What it is, in a line.
    pub description: &'static str,
    /// What its server is called.
    pub server: &'static str,
}

/// The branch's API.
pub const BRANCH: About = About {
    title: "Restaurant Operations Service API",
    description: "The whole API of one branch. It keeps working when the internet does not. \
        What a client should know before it calls a route stands in the [guide](/docs/guide).",
    server: "This branch",
};

/// Writes the document of `routes` for a server at `public_url`.
pub fn document<S, R>(routes: &Routes<S, R>, about: &About, public_url: &str) -> Value {
    let mut writer = Writer {
        requests: settings().into_generator(),
        answers: settings().for_serialize().into_generator(),
        has_devices: routes.iter().any(|route| route.access == Access::Device),
    };
    let mut paths = Map::new();
    let mut tags = Vec::new();
    for route in routes.iter() {
        let operation = writer.operation(route);
        let path = paths.entry(route.path).or_insert_with(|| json!({}));
        path[route.method.as_str().to_ascii_lowercase()] = operation;
        if !tags.contains(&route.operation.group) {
            tags.push(route.operation.group);
        }
    }
    json!({
        "openapi": "3.1.0",
        "info": {
            "title": about.title,
            "description": about.description,
            "version": "1.0.0",
            "license": {"name": "MIT OR Apache-2.0", "identifier": "MIT OR Apache-2.0"},
            "contact": {"name": "Tiffin", "url": public_url},
        },
        "servers": [
            {"url": "/api/v1", "description": about.server},
            {"url": "/v1", "description": "The same API under its short prefix"},
        ],
        "tags": tags.iter().map(|tag| json!({"name": tag, "description": words::group(tag)})).collect::<Vec<_>>(),
        "paths": paths,
        "components": writer.components(),
    })
}

fn settings() -> SchemaSettings {
    SchemaSettings::draft2020_12().with(|s| {
        s.definitions_path = SCHEMAS.into();
        s.meta_schema = None;
    })
}

struct Writer {
    requests: SchemaGenerator,
    answers: SchemaGenerator,
    has_devices: bool,
}

impl Writer {
    fn operation<S, R>(&mut self, route: &Route<S, R>) -> Value {
        let mut operation = json!({
            "operationId": operation_id(&route.method, route.path),
            "summary": route.operation.summary,
            "description": describe(route.access, route.operation.summary),
            "tags": [route.operation.group],
            "parameters": self.parameters(route),
            "responses": self.responses(route),
            "security": match route.access {
                Access::Public => json!([]),
                Access::SignedIn | Access::Needs(_) => json!([{"bearer": []}]),
                Access::Device => json!([{"device": []}]),
            },
        });
        if route.operation.deprecated.is_some() {
            operation["deprecated"] = json!(true);
        }
        if let Some((media_type, schema)) = route.operation.body {
            let schema = self.request(schema);
            let required = !route.operation.body_is_optional;
            operation["requestBody"] =
                json!({"required": required, "content": {media_type: {"schema": schema}}});
        }
        operation
    }

    fn parameters<S, R>(&mut self, route: &Route<S, R>) -> Vec<Value> {
        let mut list: Vec<Value> = path_parameters(route.path).collect();
        if let Some(schema) = route.operation.query {
            let schema = self.request(schema);
            let required: BTreeSet<&str> =
                schema["required"].as_array().into_iter().flatten().filter_map(Value::as_str).collect();
            for (name, schema) in schema["properties"].as_object().into_iter().flatten() {
                list.push(json!({
                    "name": name, "in": "query", "required": required.contains(name.as_str()),
                    "description": meaning(name, schema), "schema": schema,
                }));
            }
        }
        let mut header = |name: &str, description: &str, schema: Value| {
            list.push(json!({"name": name, "in": "header", "required": false, "description": description, "schema": schema}));
        };
        if matches!(route.access, Access::SignedIn | Access::Needs(_)) {
            header(
                "x-outlet-id",
                "The outlet; the account's first one when absent",
                json!({"type": "string", "format": "uuid"}),
            );
        }
        if route.method == Method::POST && !is_exchange(route) {
            let schema =
                json!({"type": "string", "minLength": 1, "maxLength": 255, "pattern": "^[\\x21-\\x7e]+$"});
            header("Idempotency-Key", "The same key gets the first answer again, for 7 days", schema);
        }
        if let Some(own) = route.operation.header {
            let schema = (own.schema)(&mut self.requests).to_value();
            header(own.name, own.description, schema);
        }
        if matches!(route.method, Method::PATCH | Method::DELETE) {
            header(
                "If-Match",
                "The version the change is meant for",
                json!({"type": "string", "pattern": "^\"[0-9]{1,9}\"$"}),
            );
        }
        list
    }

    fn responses<S, R>(&mut self, route: &Route<S, R>) -> Value {
        let success = route.operation.success;
        let mut content = json!({ success.media_type: {} });
        if let Some(schema) = success.schema {
            let schema = self.answers_ref(schema);
            content[success.media_type] = json!({ "schema": schema });
        }
        for media_type in success.others {
            content[media_type] = json!({});
        }
        let mut responses = json!({ success.status.as_str(): {"description": "Done", "headers": limit_headers(), "content": content} });
        if route.operation.or_found {
            responses["200"] = responses[success.status.as_str()].clone();
        }
        let statuses: BTreeSet<StatusCode> = match route.operation.refusals {
            Some(Refusals { codes, .. }) => codes.iter().map(|code| code.status()).collect(),
            None => Code::ALL.iter().map(|c| c.status()).filter(|s| applies(*s, route)).collect(),
        };
        for status in statuses {
            responses[status.as_str()] =
                json!({"$ref": format!("#/components/responses/{}", status.as_u16())});
        }
        if let Some(Refusals { codes, more: Some((status, schema)) }) = route.operation.refusals {
            let code = codes.iter().find(|code| code.status() == status);
            let content = json!({ "application/problem+json": {"schema": self.answers_ref(schema)} });
            responses[status.as_str()] =
                json!({"description": code.map(|code| code.title()), "content": content});
        }
        if route.method == Method::GET && route.path == "/menu" {
            responses["304"] = json!({"description": "Not changed since the ETag in If-None-Match"});
        }
        responses
    }

    fn request(&mut self, schema: SchemaOf) -> Value {
        schema(&mut self.requests).to_value()
    }

    fn answers_ref(&mut self, schema: SchemaOf) -> Value {
        schema(&mut self.answers).to_value()
    }

    fn components(mut self) -> Value {
        let problem = self.answers.subschema_for::<ProblemDocument>().to_value();
        let mut responses = Map::new();
        for code in Code::ALL {
            let content = json!({ "application/problem+json": {"schema": problem} });
            let mut response = json!({"description": code.title(), "content": content});
            if code.status() == StatusCode::TOO_MANY_REQUESTS {
                let mut headers = limit_headers();
                headers["Retry-After"] = integer("Seconds to wait");
                response["headers"] = headers;
            }
            responses.entry(code.status().as_str()).or_insert(response);
        }
        let mut schemas = merge(self.requests.take_definitions(false), self.answers.take_definitions(false));
        schemas.values_mut().for_each(words::describe);
        let mut schemes = json!({"bearer": {"type": "http", "scheme": "bearer", "bearerFormat": "JWT"}});
        if self.has_devices {
            let description = "The key that a box got when it was enrolled";
            schemes["device"] = json!({"type": "http", "scheme": "bearer", "description": description});
        }
        json!({
            "securitySchemes": schemes,
            "schemas": schemas,
            "responses": responses,
        })
    }
}

/// Requests and answers share one namespace. Where a type is both and its two schemas differ (an optional field is always
/// present in an answer), the answer's stands: it accepts what the server sends, and requests are checked by the server.
fn merge(requests: Map<String, Value>, answers: Map<String, Value>) -> Map<String, Value> {
    let mut all = requests;
    all.extend(answers);
    all
}

fn applies<S, R>(status: StatusCode, route: &Route<S, R>) -> bool {
    let has_body = route.operation.body.is_some();
    match status {
        // The last two are for the exchange between branch and head office, which names its refusals.
        StatusCode::METHOD_NOT_ALLOWED | StatusCode::GONE | StatusCode::UPGRADE_REQUIRED => false,
        StatusCode::UNSUPPORTED_MEDIA_TYPE => has_body,
        StatusCode::PAYLOAD_TOO_LARGE => has_body || route.method == Method::POST,
        StatusCode::CONFLICT if route.operation.may_conflict => true,
        StatusCode::PRECONDITION_FAILED | StatusCode::CONFLICT => route.method != Method::GET,
        StatusCode::FORBIDDEN => route.access != Access::Public || route.operation.asks_origin,
        _ => true,
    }
}

fn describe(access: Access, summary: &str) -> String {
    match access {
        Access::Public => format!("{summary}. Needs no token; limited per client address."),
        Access::SignedIn => format!("{summary}. For any signed-in account."),
        Access::Needs(permission) => format!("{summary}. Needs the permission `{}`.", permission.name()),
        Access::Device => format!("{summary}. For a box, by the key it got when it was enrolled."),
    }
}

fn limit_headers() -> Value {
    json!({
        "RateLimit-Limit": integer("Requests in the window"),
        "RateLimit-Remaining": integer("Requests left in the window"),
        "RateLimit-Reset": integer("Seconds until the window resets"),
    })
}

fn integer(description: &str) -> Value {
    json!({"description": description, "schema": {"type": "integer"}})
}

fn path_parameters(path: &str) -> impl Iterator<Item = Value> {
    path.split('/').filter_map(|part| part.strip_prefix('{')?.strip_suffix('}')).map(|name| {
        let schema = match name {
            "token" => json!({"type": "string", "minLength": 1, "maxLength": 64, "pattern": "^[A-Za-z0-9_-]+$"}),
            "date" => json!({"type": "string", "format": "date"}),
            _ => json!({"type": "string", "format": "uuid"}),
        };
        json!({"name": name, "in": "path", "required": true, "description": meaning(name, &Value::Null), "schema": schema})
    })
}

/// What the parameter `name` says of itself, or what its name means everywhere.
fn meaning(name: &str, schema: &Value) -> String {
    let own = schema["description"].as_str().or_else(|| words::field(name));
    own.map_or_else(|| format!("The {name}"), str::to_owned)
}

/// The name of an operation in generated clients. A path's first parameter is told as the `Id` of what its segment holds, however the
/// path calls it (`/orders/{orderId}`).
fn operation_id(method: &Method, path: &str) -> String {
    let (first, holder) = path.split_once("/{").map_or(("", ""), |(before, rest)| {
        (rest.split('}').next().unwrap_or_default(), before.rsplit('/').next().unwrap_or_default())
    });
    let words = path.split(['/', '-']).filter(|part| !part.is_empty()).map(|part| {
        let name = part.trim_matches(['{', '}']);
        let is_holders =
            part.starts_with('{') && name == first && name == format!("{}Id", holder.trim_end_matches('s'));
        let mut letters = if is_holders { "id" } else { name }.chars();
        letters
            .next()
            .map(|first| first.to_uppercase().chain(letters).collect::<String>())
            .unwrap_or_default()
    });
    std::iter::once(method.as_str().to_ascii_lowercase()).chain(words).collect()
}

/// Whether a route belongs to the exchange between branch and head office: whoever repeats a request there gets the present answer.
fn is_exchange<S, R>(route: &Route<S, R>) -> bool {
    route.operation.refusals.is_some()
}
