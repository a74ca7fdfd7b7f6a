//! Routes: each has a permission or is known to be public, and each is called by an HTTP test.

use crate::{none, sources};
use edge::access::Access;
use regex::Regex;

/// Routes that anybody may call. May only shrink.
const PUBLIC: &[&str] = &[
    "GET /menu/items/{id}/image",
    "GET /orders/tables/{token}/menu",
    "GET /orders/tables/{token}/orders",
    "POST /auth/forgot-password",
    "POST /auth/login",
    "POST /auth/logout",
    "POST /auth/refresh",
    "POST /auth/reset-password",
    "POST /devices/pair",
    "POST /devices/token",
    "POST /orders/tables/{token}/call",
    "POST /orders/tables/{token}/orders",
    "POST /orders/tables/{token}/quote",
    "POST /tickets/feedback",
];

#[test]
fn public_routes_are_the_known_ones() {
    let mut found: Vec<String> = edge::resources::routes()
        .listing()
        .into_iter()
        .filter(|(_, _, access)| *access == Access::Public)
        .map(|(method, path, _)| format!("{method} {path}"))
        .collect();
    found.sort();
    assert_eq!(found, PUBLIC);
}

#[test]
fn every_route_is_called_by_a_test() {
    let tests: String = sources("tests/api").into_iter().map(|source| source.text).collect();
    let mut found = Vec::new();
    for (method, path, _) in edge::resources::routes().listing() {
        let verb = method.as_str().to_ascii_lowercase();
        let pattern: Vec<String> = path
            .split('/')
            .skip(1)
            .map(|part| if part.starts_with('{') { r#"[^/"?]+"#.to_owned() } else { regex::escape(part) })
            .collect();
        let called = format!(r#"\.{verb}\w*\(\s*&?(?:format!\(\s*)?"/{}["?]"#, pattern.join("/"));
        if !Regex::new(&called).unwrap().is_match(&tests) {
            found.push(format!("{method} {path}"));
        }
    }
    none(&found, "no test in tests/api calls this route");
}
