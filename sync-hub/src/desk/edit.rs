//! One edit of the catalogue: the branch's handler changes the bench, what it wrote goes into the store, and only then the answer goes
//! out. When another process was first, the bench is filled anew and the handler runs once more.

use super::bench::{Bench, Locale, Written};
use super::parts::{PARTS, Part};
use super::post::{self, Answer, Posting, Reach};
use super::publications::{Draft, Kind};
use super::rows::{self, RowChange};
use super::{Desk, DeskError, HQ, State};
use crate::store::{StoreError, Stores, Wake};
use axum::body::{Body, Bytes, to_bytes};
use axum::http::{HeaderName, HeaderValue, Request, StatusCode, header, request};
use axum::response::Response;
use edge::access::describe::Describe;
use edge::access::{Principal, Role};
use edge::db::{Source, list, opt};
use edge::http::idempotency::Idempotency;
use edge::http::{Code, Problem};
use std::collections::BTreeSet;
use tiffin_common::frame::{OpKind, Position};
use tiffin_common::registry::table_named;
use tiffin_common::{Millis, Uuid};

/// Names the publication that an edit became.
pub const PUBLICATION_HEADER: HeaderName = HeaderName::from_static("x-publication-id");

/// How often an edit is tried when others are first.
const TRIES: usize = 3;

/// The largest answer of the branch's handlers that is passed on.
const ANSWER_BYTES: usize = 64 << 20;

/// Who asks, and under which key.
#[derive(Debug, Clone)]
pub struct Caller {
    /// The user.
    pub principal: Principal,
    /// The key of a POST.
    pub key: Option<Idempotency>,
}

impl Describe for Caller {}

/// When and where an edit is to hold.
#[derive(Debug, Clone, Default)]
pub struct Wish {
    /// When; none for at once.
    pub effective_at: Option<Millis>,
    /// Where; none for wherever it concerns.
    pub outlets: Option<Vec<Uuid>>,
}

/// What is to be done with changes, in the same unit of work.
#[derive(Debug, Clone)]
pub(super) struct Errand {
    /// The publication to make of them, and where it may go.
    pub(super) publication: Option<(Draft, Reach)>,
    /// The publication they take back.
    pub(super) cancels: Option<Uuid>,
    /// The answer to keep.
    pub(super) answer: Answer,
}

/// An outlet, as the registry has it.
#[derive(Debug, Clone)]
pub struct Known {
    /// Its id.
    pub id: Uuid,
    /// Its code.
    pub code: String,
    /// Its name.
    pub name: String,
    /// Its time zone.
    pub timezone: String,
    /// Its currency.
    pub currency: String,
}

impl Desk {
    /// Has a reading request answered from the catalogue.
    pub(super) async fn ask(&self, who: &Principal, request: Request<Body>) -> Result<Response, DeskError> {
        let bench = self.bench().await?;
        {
            let mut state = self.inner.state.lock().await;
            self.fill(bench, &mut state).await?;
        }
        Ok(bench.call(who, request).await?)
    }

    /// Has a changing request answered, and publishes what it changed.
    ///
    /// # Errors
    /// [`DeskError::Overtaken`] when others were first every time; a refusal of where it is to hold.
    pub(super) async fn change(
        &self,
        who: &Caller,
        wish: &Wish,
        parts: &request::Parts,
        body: &Bytes,
    ) -> Result<Response, DeskError> {
        let bench = self.bench().await?;
        let mut state = self.inner.state.lock().await;
        for _ in 0..TRIES {
            self.fill(bench, &mut state).await?;
            if let Some(answer) = self.answered(who).await? {
                return Ok(respond(&answer, true));
            }
            let reach = self.reach(&who.principal, wish.outlets.as_deref()).await?;
            let mut request = Request::new(Body::from(body.clone()));
            *request.method_mut() = parts.method.clone();
            *request.uri_mut() = parts.uri.clone();
            *request.headers_mut() = parts.headers.clone();
            let response = bench.call(&who.principal, request).await?;
            if !response.status().is_success() {
                return Ok(response);
            }
            let written = bench.since(state.written_to).await?;
            if written.is_empty() {
                return Ok(response);
            }
            // Until the store has it, the bench holds what nobody else knows.
            let filled = state.filled.take();
            let (status, content) = (response.status(), response.into_body());
            let content = to_bytes(content, ANSWER_BYTES).await.map_err(|_| Problem::new(Code::Internal))?;
            let draft = self.draft(who, wish, Kind::Edit);
            let answer =
                Answer { status: status.as_u16(), body: content.to_vec(), publication: Some(draft.id) };
            let expected = filled.flatten();
            let errand = Errand { publication: Some((draft, reach)), cancels: None, answer };
            match self.post(&mut state, expected, written, errand, who).await {
                Err(DeskError::Overtaken) => {}
                posted => return posted.map(|answer| respond(&answer, false)),
            }
        }
        Err(DeskError::Overtaken)
    }

    /// Writes changes of the catalogue that no handler made, and what else is to be done with them in the same unit of work.
    ///
    /// # Errors
    /// As [`change`](Self::change).
    pub(super) async fn write(
        &self,
        who: &Caller,
        errand: &Errand,
        changes: impl Fn(&dyn Source) -> Result<Vec<RowChange>, DeskError> + Clone + Send + 'static,
    ) -> Result<(Answer, bool), DeskError> {
        let bench = self.bench().await?;
        let mut state = self.inner.state.lock().await;
        for _ in 0..TRIES {
            // Its outlet is made with the first row.
            self.fill(bench, &mut state).await?;
            if let Some(answer) = self.answered(who).await? {
                return Ok((answer, true));
            }
            let mut written = bench.since(state.written_to).await?;
            let made = self.at_head_office(changes.clone()).await?;
            let expected = state.filled.take().flatten();
            if !made.is_empty() {
                written.push(self.written(&made));
            }
            let posted = self.post(&mut state, expected, written, errand.clone(), who).await;
            // The bench does not have these rows.
            state.filled = None;
            match posted {
                Err(DeskError::Overtaken) => {}
                posted => return posted.map(|answer| (answer, false)),
            }
        }
        Err(DeskError::Overtaken)
    }

    fn written(&self, changes: &[RowChange]) -> Written {
        let now = self.hub().env().clock.now();
        Written {
            kind: tiffin_common::frame::Kind::Proposal,
            wall: now,
            count: u32::try_from(changes.len()).unwrap_or(u32::MAX),
            body: rows::pack(changes),
        }
    }

    async fn post(
        &self,
        state: &mut State,
        expected: Option<Position>,
        written: Vec<Written>,
        errand: Errand,
        who: &Caller,
    ) -> Result<Answer, DeskError> {
        let Errand { publication, cancels, mut answer } = errand;
        if expected.is_none_or(|position| position.epoch != state.epoch) {
            state.epoch = Uuid::from_bytes(self.hub().env().random_bytes());
        }
        let head = self.bench().await?.head().await?;
        if publication.is_none() {
            answer.publication = None;
        }
        let key = who.key.clone().map(|key| (key, who.principal.account_id, answer.clone()));
        let (epoch, device) = (state.epoch, self.inner.device);
        let cancels = cancels.map(|id| (id, who.principal.name.clone()));
        let posting = Posting { expected, written, epoch, device, publication, cancels, answer: key };
        let (at, pacing) = (self.hub().at(HQ), self.hub().limits().pacing);
        let stores = self.hub().stores();
        let posted = stores
            .run(move |stores| stores.outlet_blocking(HQ, |tx| post::post(tx, &at, pacing, &posting)))
            .await?;
        state.filled = Some(posted.head);
        state.written_to = head;
        if !posted.published {
            answer.publication = None;
        }
        stores.store().wake(Wake::Pushed(HQ));
        stores.store().wake(Wake::Registry);
        Ok(answer)
    }

    /// A publication of `kind`.
    pub(super) fn draft(&self, who: &Caller, wish: &Wish, kind: Kind) -> Draft {
        let env = self.hub().env();
        let now = env.clock.now();
        Draft {
            id: env.ids.next(now),
            kind,
            people: false,
            made_at: now,
            made_by: (who.principal.account_id, who.principal.name.clone()),
            effective_at: wish.effective_at,
            named: wish.outlets.clone(),
            settings: None,
        }
    }

    /// The answer that the caller's key had.
    async fn answered(&self, who: &Caller) -> Result<Option<Answer>, DeskError> {
        let Some(key) = who.key.clone() else { return Ok(None) };
        let (owner, now) = (who.principal.account_id, self.hub().env().clock.now());
        self.at_head_office(move |from| post::answered(from, &key, owner, now)).await
    }

    /// The outlets a user's publication may go to. Those that are `named` must be among them.
    ///
    /// # Errors
    /// 403 for an outlet that is not of the account, 422 for one that trades in another currency.
    pub(super) async fn reach(&self, who: &Principal, named: Option<&[Uuid]>) -> Result<Reach, DeskError> {
        let known = self.outlets(who).await?;
        let currency = self.currency().await?;
        let fits = |outlet: &Known| currency.as_ref().is_none_or(|currency| *currency == outlet.currency);
        for id in named.unwrap_or_default() {
            let refuse = |code, why: &str| Problem::new(code).detail(why).with_field("outletIds", why);
            match known.iter().find(|outlet| outlet.id == *id) {
                None => {
                    let why = format!("{id} is not an outlet of your account");
                    return Err(refuse(Code::OutletForbidden, &why).into());
                }
                Some(outlet) if !fits(outlet) => {
                    let why =
                        format!("{id} trades in {}, which is not the catalogue's currency", outlet.currency);
                    return Err(refuse(Code::PayloadValidation, &why).into());
                }
                Some(_) => {}
            }
        }
        let outlets: BTreeSet<Uuid> =
            known.iter().filter(|outlet| fits(outlet)).map(|outlet| outlet.id).collect();
        Ok(Reach { outlets, whole: who.role == Role::SuperAdmin })
    }

    /// The outlets of the user's account.
    pub(super) async fn outlets(&self, who: &Principal) -> Result<Vec<Known>, DeskError> {
        let look = |stores: &Stores| stores.read_registry_blocking(known);
        let mut outlets: Vec<Known> = self.hub().stores().run(look).await?;
        outlets.retain(|outlet| who.role == Role::SuperAdmin || who.outlets.contains(&outlet.id));
        Ok(outlets)
    }

    /// The catalogue's currency, once there is a catalogue.
    async fn currency(&self) -> Result<Option<String>, DeskError> {
        let sql = "SELECT currency FROM outlets WHERE id = ?1";
        Ok(self
            .at_head_office_if_any(move |from| Ok(opt(from, sql, [HQ], |row| row.get(0))?))
            .await?
            .flatten())
    }

    /// Looks at head office's own outlet.
    pub(super) async fn at_head_office<T: Send + 'static>(
        &self,
        look: impl FnOnce(&dyn Source) -> Result<T, DeskError> + Send + 'static,
    ) -> Result<T, DeskError> {
        let look = move |stores: &Stores| stores.read_outlet_blocking(HQ, look);
        self.hub().stores().run(look).await
    }

    /// The same, and none when head office has no outlet of its own yet.
    pub(super) async fn at_head_office_if_any<T: Send + 'static>(
        &self,
        look: impl FnOnce(&dyn Source) -> Result<T, DeskError> + Send + 'static,
    ) -> Result<Option<T>, DeskError> {
        match self.at_head_office(look).await {
            Err(DeskError::Store(StoreError::NoOutlet)) => Ok(None),
            found => found.map(Some),
        }
    }

    async fn bench(&self) -> Result<&Bench, DeskError> {
        let open = || async {
            self.hub().create_outlet(HQ).await?;
            let env = self.hub().env().clone();
            self.hub().stores().run(move |_| Bench::open(&env).map_err(DeskError::from)).await
        };
        self.inner.bench.get_or_try_init(open).await
    }

    /// Makes the bench hold what the store holds, unless it does.
    async fn fill(&self, bench: &Bench, state: &mut State) -> Result<(), DeskError> {
        let filled = state.filled;
        let look = move |from: &dyn Source| {
            let head = post::head(from)?;
            if filled == Some(head) {
                Ok((head, None))
            } else {
                everything(from).map(|rows| (head, Some(rows)))
            }
        };
        let (head, rows) = self.at_head_office(look).await?;
        if let Some(rows) = rows {
            let first = |stores: &Stores| stores.read_registry_blocking(known);
            let first = self.hub().stores().run(first).await?.into_iter().next();
            let place = first.map_or_else(
                || Locale { timezone: "Asia/Kolkata".into(), currency: "INR".into() },
                |outlet: Known| Locale { timezone: outlet.timezone, currency: outlet.currency },
            );
            state.written_to = bench.fill(rows, place).await?;
            state.filled = Some(head);
        }
        Ok(())
    }
}

/// Every outlet of the registry, the oldest first.
fn known(from: &dyn Source) -> Result<Vec<Known>, DeskError> {
    let sql = "SELECT id, code, name, timezone, currency FROM registry_outlets ORDER BY created_at, code";
    Ok(list(from, sql, [], |row| {
        Ok(Known {
            id: row.get("id")?,
            code: row.get("code")?,
            name: row.get("name")?,
            timezone: row.get("timezone")?,
            currency: row.get("currency")?,
        })
    })?)
}

/// All rows of the catalogue, and of its outlet.
fn everything(from: &dyn Source) -> Result<Vec<RowChange>, DeskError> {
    let mut all = Vec::new();
    for table in table_named("outlets").into_iter().chain(PARTS.iter().filter_map(Part::table)) {
        let rows = rows::read(from, table, None)?;
        all.extend(rows.into_iter().map(|(id, columns)| RowChange {
            table,
            kind: OpKind::Insert,
            id,
            columns,
        }));
    }
    Ok(all)
}

/// The answer, with the publication it became.
pub(super) fn respond(answer: &Answer, replayed: bool) -> Response {
    let mut response = Response::new(Body::from(answer.body.clone()));
    *response.status_mut() = StatusCode::from_u16(answer.status).unwrap_or(StatusCode::OK);
    let headers = response.headers_mut();
    headers.insert(header::CONTENT_TYPE, HeaderValue::from_static("application/json"));
    if let Some(id) = answer.publication
        && let Ok(value) = HeaderValue::from_str(&id.to_string())
    {
        headers.insert(PUBLICATION_HEADER, value);
    }
    if replayed {
        headers.insert(HeaderName::from_static("idempotency-replayed"), HeaderValue::from_static("true"));
    }
    response
}
