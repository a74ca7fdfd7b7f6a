//! `/hub/enrolments`: one-time codes for boxes, and their end.

use super::done::Done;
use super::guard::Cx;
use crate::registry::codes::{self, Code};
use crate::state::Routes;
use axum::http::StatusCode;
use axum::response::Response;
use edge::access::{Permission, delete, get, post};
use edge::http::{Data, Json, Path, Problem};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use tiffin_common::{Millis, Uuid};

pub(super) fn routes() -> Routes {
    Routes::group(
        "hub",
        [
            get("/hub/enrolments", Permission::OutletsWrite, list_enrolments)
                .summary("Codes that wait to be used")
                .returns::<Vec<Enrolment>>(),
            post("/hub/enrolments", Permission::OutletsWrite, post_enrolment)
                .summary("A one-time code for a new box, or with outletId for its replacement")
                .takes::<NewEnrolment>()
                .creates::<IssuedCode>(),
            delete("/hub/enrolments/{id}", Permission::OutletsWrite, delete_enrolment)
                .summary("Withdraws a code; with an outlet's id: the outlet's key and its codes")
                .returns::<Done>(),
        ],
    )
}

/// What the code is for.
#[derive(Debug, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
struct NewEnrolment {
    /// The outlet whose box is replaced or gets a new key; absent: a new outlet.
    #[serde(default)]
    outlet_id: Option<Uuid>,
}

/// A code. Shown once.
#[derive(Debug, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
struct IssuedCode {
    /// The enrolment's id, to withdraw it by.
    id: Uuid,
    /// The code itself.
    code: String,
    /// Until when it holds.
    expires_at: Millis,
    outlet_id: Option<Uuid>,
}

/// A code that waits to be used, without its text.
#[derive(Debug, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
struct Enrolment {
    id: Uuid,
    outlet_id: Option<Uuid>,
    created_at: Millis,
    /// Who gave it out.
    created_by: String,
    expires_at: Millis,
}

async fn list_enrolments(cx: Cx) -> Result<Data<Vec<Enrolment>>, Problem> {
    let (visible, now) = (cx.visible(), cx.app.env().clock.now());
    let open = cx.app.look(move |from| Ok(codes::open(from, now)?)).await?;
    let shows = |code: &Code| match &visible {
        None => true,
        Some(outlets) => code.outlet_id.is_some_and(|outlet| outlets.contains(&outlet)),
    };
    let of = |code: Code| Enrolment {
        id: code.id,
        outlet_id: code.outlet_id,
        created_at: code.created_at,
        created_by: code.created_by_name,
        expires_at: code.expires_at,
    };
    Ok(Data::new(open.into_iter().filter(shows).map(of).collect()))
}

async fn post_enrolment(cx: Cx, Json(new): Json<NewEnrolment>) -> Result<Response, Problem> {
    if new.outlet_id.is_none() && !cx.principal.role.holds(Permission::OutletsCreate) {
        let problem = Problem::new(edge::http::Code::Forbidden);
        return Err(problem.detail("Only a super-admin adds outlets; name the outlet to replace its box"));
    }
    cx.change(StatusCode::CREATED, move |change, actor| {
        let (code, kept) = codes::create(change, actor, new.outlet_id)?;
        Ok(IssuedCode { id: kept.id, code, expires_at: kept.expires_at, outlet_id: kept.outlet_id })
    })
    .await
}

async fn delete_enrolment(cx: Cx, Path(id): Path<Uuid>) -> Result<Response, Problem> {
    cx.change(StatusCode::OK, move |change, actor| {
        // One path for both: an id is an outlet's or a code's, never both.
        match codes::withdraw(change, actor, id) {
            Err(crate::registry::RegistryError::NotFound(_)) => codes::revoke(change, actor, id).map(drop)?,
            other => other?,
        }
        Ok(Done {})
    })
    .await
}
