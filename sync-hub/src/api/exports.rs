//! Files that leave head office: each is on record with who took it, before they have it. Never looks into one.

use crate::registry::audit::{self, Note};
use crate::registry::{Actor, RegistryError, users};
use crate::state::AppState;
use axum::extract::{Request, State};
use axum::http::header::CONTENT_TYPE;
use axum::middleware::Next;
use axum::response::Response;
use edge::http::Problem;
use edge::http::client::ClientAddress;
use edge::http::observe::Served;
use serde_json::json;
use tiffin_common::Uuid;

/// Puts a file for spreadsheets on record; one that cannot be is not given.
pub async fn note(State(app): State<AppState>, request: Request, next: Next) -> Result<Response, Problem> {
    let path = request.uri().path().to_owned();
    let query = request.uri().query().unwrap_or_default().to_owned();
    let address = request.extensions().get::<ClientAddress>().map(|client| client.ip.to_string());
    let response = next.run(request).await;
    let kind = response.headers().get(CONTENT_TYPE).and_then(|kind| kind.to_str().ok());
    let served = response.extensions().get::<Served>();
    let (true, Some(served)) = (kind.is_some_and(|kind| kind.starts_with("text/csv")), served) else {
        return Ok(response);
    };
    let (account, outlet) = (served.account, served.outlet);
    let recorded = app.change_quietly(move |change| -> Result<(), RegistryError> {
        let name = users::find(change.sql, account)?.map_or_else(|| account.to_string(), |user| user.name);
        let actor = Actor { user_id: Some(account), ..Actor::named(name, address) };
        let note = Note::new("report.export", "report", None).at((outlet != Uuid::nil()).then_some(outlet));
        audit::record(change, &actor, note.detail(json!({"path": path, "query": query})))
    });
    recorded.await?;
    Ok(response)
}
