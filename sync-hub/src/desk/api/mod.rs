//! The desk over HTTP: the branch's routes that edit the catalogue, below `/hub`; publications; conflicts.

mod settings;
mod views;

use super::bench;
use super::conflicts::ConflictView;
use super::edit::{Caller, Errand, Wish, respond};
use super::post::Answer;
use super::publications::{self, Kind};
use super::{Desk, DeskError};
use crate::hub::Settled;
use axum::body::{Body, Bytes};
use axum::extract::{FromRequestParts, Request};
use axum::http::request::Parts;
use axum::http::{Method, Uri};
use axum::response::Response;
use edge::access::{Permission, Principal, Routes, Scope, get, post};
use edge::http::idempotency::Idempotency;
use edge::http::page::{Page, Paging};
use edge::http::{Code, Data, Json, Paged, Path, Problem, Query};
use serde::Serialize;
use tiffin_common::Uuid;
use views::{
    ImportCatalogue, Imported, ListConflicts, OfOutlet, PublicationView, PublishCatalogue, PublishQuery,
};

/// Where the branch's routes are found.
const PREFIX: &str = "/hub";

/// The largest body of an edit: what the branch takes for an import.
const BODY_BYTES: usize = 10 << 20;

impl<S: Send + Sync> FromRequestParts<S> for Caller {
    type Rejection = Problem;

    async fn from_request_parts(parts: &mut Parts, _: &S) -> Result<Self, Problem> {
        let scope = parts.extensions.get::<Scope>().map(|scope| scope.principal.clone());
        let principal = parts.extensions.get::<Principal>().cloned().or(scope).ok_or_else(|| {
            tracing::error!("the desk is asked without a caller");
            Problem::new(Code::Internal)
        })?;
        Ok(Caller { principal, key: parts.extensions.get::<Idempotency>().cloned() })
    }
}

impl Desk {
    /// The desk's routes. Whoever mounts them leaves the [`Principal`] in a request's extensions, and the [`Idempotency`] of a keyed POST.
    pub fn routes<S: Clone + Send + Sync + 'static>(&self) -> Routes<S> {
        let desk = self.clone();
        let forward = move || {
            let desk = desk.clone();
            move |caller: Caller, request: Request| {
                let desk = desk.clone();
                async move { desk.forward(caller, request).await }
            }
        };
        Routes::all([
            bench::routes().handed_on::<S, PublishQuery, _, _>(PREFIX, "hub", forward),
            self.publication_routes(),
            self.conflict_routes(),
            self.settings_routes(),
        ])
    }

    fn publication_routes<S: Clone + Send + Sync + 'static>(&self) -> Routes<S> {
        let [list, one, publish, cancel, import] = std::array::from_fn(|_| self.clone());
        Routes::group(
            "hub",
            [
                get(
                    "/hub/publications",
                    Permission::MenuRead,
                    move |caller: Caller, paging: Query<Paging>| list.clone().list(caller, paging),
                )
                .summary("What was published, the newest first, and how far it has come")
                .query::<Paging>()
                .lists::<PublicationView>(),
                get("/hub/publications/{id}", Permission::MenuRead, move |caller: Caller, id: Path<Uuid>| {
                    one.clone().one(caller, id)
                })
                .summary("A publication, what it changed, and how far it has come at each outlet")
                .returns::<PublicationView>(),
                post(
                    "/hub/publications",
                    Permission::MenuWrite,
                    move |caller: Caller, body: Json<PublishCatalogue>| publish.clone().publish(caller, body),
                )
                .summary("Publish the whole catalogue, to a new outlet for instance")
                .takes::<PublishCatalogue>()
                .creates::<PublicationView>(),
                post(
                    "/hub/publications/{id}/cancel",
                    Permission::MenuWrite,
                    move |caller: Caller, id: Path<Uuid>| cancel.clone().take_back(caller, id),
                )
                .summary("Take a publication back before it takes effect")
                .returns::<PublicationView>(),
                post(
                    "/hub/catalogue/import",
                    Permission::MenuWrite,
                    move |caller: Caller, body: Json<ImportCatalogue>| import.clone().take_in(caller, body),
                )
                .summary("Add a branch's menu, stock items and recipes to the catalogue")
                .takes::<ImportCatalogue>()
                .creates::<Imported>(),
            ],
        )
    }

    fn conflict_routes<S: Clone + Send + Sync + 'static>(&self) -> Routes<S> {
        let [list, restore, dismiss] = std::array::from_fn(|_| self.clone());
        Routes::group(
            "hub",
            [
                get(
                    "/hub/conflicts",
                    Permission::MenuRead,
                    move |caller: Caller, filter: Query<ListConflicts>| {
                        list.clone().list_conflicts(caller, filter)
                    },
                )
                .summary("Edits made at both ends: both values, who and when, and which holds")
                .query::<ListConflicts>()
                .lists::<ConflictView>(),
                post(
                    "/hub/conflicts/{id}/restore",
                    Permission::MenuWrite,
                    move |caller: Caller, id: Path<Uuid>, of: Query<OfOutlet>| {
                        restore.clone().settle_conflict(caller, id, of, Settled::Restored)
                    },
                )
                .summary("Bring the edit that lost back, as a new one of head office")
                .query::<OfOutlet>()
                .returns::<ConflictView>(),
                post(
                    "/hub/conflicts/{id}/dismiss",
                    Permission::MenuWrite,
                    move |caller: Caller, id: Path<Uuid>, of: Query<OfOutlet>| {
                        dismiss.clone().settle_conflict(caller, id, of, Settled::Dismissed)
                    },
                )
                .summary("Leave a conflict as it was decided")
                .query::<OfOutlet>()
                .returns::<ConflictView>(),
            ],
        )
    }

    /// Has one of the branch's own handlers answer.
    async fn forward(self, caller: Caller, request: Request) -> Result<Response, Problem> {
        let (mut parts, body) = request.into_parts();
        let mut query = parts.clone();
        let (own, rest) = split(parts.uri.query().unwrap_or_default());
        let path = parts.uri.path();
        let path = path.find(PREFIX).and_then(|at| path.get(at + PREFIX.len()..)).unwrap_or(path).to_owned();
        let to = |path: &str, query: &str| {
            let text = if query.is_empty() { path.to_owned() } else { format!("{path}?{query}") };
            text.parse::<Uri>().map_err(|_| Problem::new(Code::BadRequest))
        };
        parts.uri = to(&path, &rest)?;
        if parts.method == Method::GET {
            let request = Request::from_parts(parts, Body::empty());
            return Ok(self.ask(&caller.principal, request).await?);
        }
        query.uri = to("/", &own)?;
        let Query(wish) = Query::<PublishQuery>::from_request_parts(&mut query, &()).await?;
        let wish = self.wish(wish)?;
        let body: Bytes =
            axum::body::to_bytes(body, BODY_BYTES).await.map_err(|_| Problem::new(Code::PayloadTooLarge))?;
        Ok(self.change(&caller, &wish, &parts, &body).await?)
    }

    fn wish(&self, query: PublishQuery) -> Result<Wish, Problem> {
        let mut problem = Problem::new(Code::BadRequest).detail("A query parameter is invalid");
        let mut is_valid = true;
        let now = self.hub().env().clock.now();
        if query.effective_at.is_some_and(|at| at <= now) {
            problem = problem.with_field("effectiveAt", "must be in the future; leave it out for at once");
            is_valid = false;
        }
        let ids = query.outlet_ids.as_deref().map(|text| {
            text.split(',').map(|id| Uuid::try_parse(id.trim())).collect::<Result<Vec<Uuid>, _>>()
        });
        let outlets = match ids.transpose() {
            Ok(mut outlets) => {
                if let Some(outlets) = &mut outlets {
                    outlets.sort_unstable();
                    outlets.dedup();
                }
                outlets
            }
            Err(_) => {
                problem = problem.with_field("outletIds", "must be ids of outlets, separated by commas");
                is_valid = false;
                None
            }
        };
        if is_valid { Ok(Wish { effective_at: query.effective_at, outlets }) } else { Err(problem) }
    }

    async fn list(
        self,
        caller: Caller,
        Query(paging): Query<Paging>,
    ) -> Result<Paged<PublicationView>, Problem> {
        let outlets = self.outlets(&caller.principal).await?;
        let (found, total) = self
            .at_head_office_if_any(move |from| {
                let Page { items, total } = publications::page(from, paging)?;
                let mut found = Vec::new();
                for publication in items {
                    let targets = publications::targets(from, publication.id)?;
                    found.push((publication, targets));
                }
                Ok((found, total))
            })
            .await?
            .unwrap_or_default();
        let items = found
            .into_iter()
            .map(|(publication, targets)| {
                // Each outlet by itself is shown with the one publication.
                PublicationView::of(publication, targets, &outlets).without_outlets()
            })
            .collect();
        Ok(Paged::new(Page { items, total }, paging))
    }

    async fn one(self, caller: Caller, Path(id): Path<Uuid>) -> Result<Data<PublicationView>, Problem> {
        Ok(Data::new(self.view(&caller, id).await?))
    }

    async fn view(&self, caller: &Caller, id: Uuid) -> Result<PublicationView, DeskError> {
        let outlets = self.outlets(&caller.principal).await?;
        let found = self
            .at_head_office_if_any(move |from| {
                let Some(publication) = publications::find(from, id)? else { return Ok(None) };
                Ok(Some((publication, publications::targets(from, id)?)))
            })
            .await?;
        let (publication, targets) = found.flatten().ok_or(DeskError::NotFound("publication"))?;
        Ok(PublicationView::of(publication, targets, &outlets))
    }

    async fn publish(self, caller: Caller, Json(body): Json<PublishCatalogue>) -> Result<Response, Problem> {
        let now = self.hub().env().clock.now();
        if body.effective_at.is_some_and(|at| at <= now) {
            let why = "must be in the future; leave it out for at once";
            return Err(Problem::new(Code::PayloadValidation).detail(why).with_field("effectiveAt", why));
        }
        let reach = self.reach(&caller.principal, body.outlet_ids.as_deref()).await?;
        let wish = Wish { effective_at: body.effective_at, outlets: body.outlet_ids };
        let mut draft = self.draft(&caller, &wish, Kind::Catalogue);
        draft.people = body.include_staff;
        let id = draft.id;
        let answer = Answer { status: 201, body: Vec::new(), publication: Some(id) };
        let errand = Errand { publication: Some((draft, reach)), cancels: None, answer };
        let (answer, replayed) = self.write(&caller, &errand, |_| Ok(Vec::new())).await?;
        self.shown(&caller, answer, replayed).await
    }

    async fn take_back(self, caller: Caller, Path(id): Path<Uuid>) -> Result<Response, Problem> {
        let found = self.at_head_office_if_any(move |from| Ok(publications::find(from, id)?)).await?;
        let publication = found.flatten().ok_or(DeskError::NotFound("publication"))?;
        let answer = Answer { status: 200, body: Vec::new(), publication: Some(id) };
        let (mut answer, replayed) = self.cancel(&caller, &publication, answer).await?;
        answer.publication = Some(id);
        self.shown(&caller, answer, replayed).await
    }

    /// The publication that an answer is about, as it is now: what is kept under a key is only which.
    async fn shown(&self, caller: &Caller, mut answer: Answer, replayed: bool) -> Result<Response, Problem> {
        let id = answer.publication.ok_or(DeskError::NotFound("publication"))?;
        answer.body = json(&Data::new(self.view(caller, id).await?))?;
        Ok(respond(&answer, replayed))
    }

    async fn take_in(self, caller: Caller, Json(body): Json<ImportCatalogue>) -> Result<Response, Problem> {
        let ImportCatalogue { outlet_id, include_staff } = body;
        let outlets = self.outlets(&caller.principal).await?;
        if !outlets.iter().any(|outlet| outlet.id == outlet_id) {
            let why = "is not an outlet of your account";
            return Err(Problem::new(Code::OutletForbidden).detail(why).with_field("outletId", why));
        }
        self.reach(&caller.principal, Some(&[outlet_id])).await?;
        let answer = |rows_added| {
            let body = json(&Data::new(Imported { outlet_id, rows_added }))?;
            Ok(Answer { status: 201, body, publication: None })
        };
        let (answer, replayed) = self.import(&caller, outlet_id, include_staff, answer).await?;
        Ok(respond(&answer, replayed))
    }

    async fn list_conflicts(
        self,
        caller: Caller,
        Query(filter): Query<ListConflicts>,
    ) -> Result<Paged<ConflictView>, Problem> {
        let ListConflicts { outlet_id, state, paging } = filter;
        let (items, total) =
            self.conflicts(&caller.principal, outlet_id, state, paging.limit, paging.offset).await?;
        Ok(Paged::new(Page { items, total }, paging))
    }

    async fn settle_conflict(
        self,
        caller: Caller,
        Path(id): Path<Uuid>,
        Query(of): Query<OfOutlet>,
        how: Settled,
    ) -> Result<Data<ConflictView>, Problem> {
        Ok(Data::new(self.settle(&caller.principal, of.outlet_id, id, how).await?))
    }
}

/// The parameters of publishing, and the others.
fn split(query: &str) -> (String, String) {
    let is_own = |pair: &&str| pair.starts_with("effectiveAt=") || pair.starts_with("outletIds=");
    let (own, rest): (Vec<&str>, Vec<&str>) = query.split('&').partition(is_own);
    (own.join("&"), rest.join("&"))
}

fn json(answer: &impl Serialize) -> Result<Vec<u8>, Problem> {
    serde_json::to_vec(answer).map_err(|error| {
        tracing::error!(%error, "an answer could not be written as JSON");
        Problem::new(Code::Internal)
    })
}
