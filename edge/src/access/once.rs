//! One action and its answer, once per idempotency key. One function for all actions: compiled once for each of them, it was megabytes of
//! the program. Never knows what an action does or answers.

use super::principal::Actor;
use crate::db::{Db, Tx};
use crate::http::idempotency::{self, Idempotency};
use crate::http::reply::{json, respond};
use crate::http::{Code, Problem, Result};
use axum::http::StatusCode;
use axum::response::Response;
use serde::Serialize;
use tiffin_common::Uuid;

/// Finds what was made before by an id.
pub type Find<T, E> = fn(&Tx<'_>, &Actor, Uuid) -> Result<T, E>;

/// What is answered to a request that the box before this one has answered.
#[derive(Debug, Clone, Copy)]
pub enum Again<T, E> {
    /// That it was done.
    Refused,
    /// The action finds by itself what it made.
    Itself,
    /// What it made, as it is now.
    By(Find<T, E>),
}

/// How an action came to its result.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Made {
    /// It made it: 201.
    New,
    /// It was there and is what was asked for: 200.
    Found,
    /// The same request has made it before, by a key of its own: 201, as a replay.
    Before,
    /// It did something else, of this status.
    Did(StatusCode),
}

impl Made {
    fn status(self) -> StatusCode {
        match self {
            Made::New | Made::Before => StatusCode::CREATED,
            Made::Found => StatusCode::OK,
            Made::Did(status) => status,
        }
    }
}

/// A result that is still to be written as an answer's JSON.
trait Answer: Send {
    fn json(&self) -> Result<Vec<u8>>;
}

impl<T: Serialize + Send> Answer for T {
    fn json(&self) -> Result<Vec<u8>> {
        json(self)
    }
}

/// A change and what it answers, whatever that is.
type Change = dyn FnOnce(&Tx<'_>, &Actor) -> Result<(Box<dyn Answer>, Made)> + Send;

/// The JSON of what a box before this one made, by its id; none where it is not there.
type Before = dyn FnOnce(&Tx<'_>, &Actor, Uuid) -> Option<Result<Vec<u8>>> + Send;

/// [`Again`], whatever the answer is.
enum Repeated {
    Refused,
    Itself,
    By(Box<Before>),
}

/// What the writer hands back.
enum Outcome {
    /// The action's result, still to be written as JSON: only a key needs the text inside the transaction.
    Made(Box<dyn Answer>, Made),
    /// The text that the key keeps; `replayed` when an earlier request wrote it.
    Kept { status: u16, body: Vec<u8>, replayed: bool },
}

/// Runs `change` as one transaction, once per idempotency key of `owner`, and answers with its JSON.
///
/// # Errors
/// The action's own, or the store's; 422 for a key that stood for another request.
pub async fn keep_once<T, E, F>(
    db: &Db,
    idempotency: Option<Idempotency>,
    owner: Uuid,
    actor: Actor,
    status: StatusCode,
    change: F,
) -> Result<Response>
where
    F: FnOnce(&Tx<'_>, &Actor) -> Result<T, E> + Send + 'static,
    T: Serialize + Send + 'static,
    E: Into<Problem> + 'static,
{
    let change =
        move |tx: &Tx<'_>, actor: &Actor| change(tx, actor).map(|result| (result, Made::Did(status)));
    make_once(db, idempotency, owner, actor, (Again::<T, E>::Refused, change)).await
}

/// [`keep_once`] for what says itself how it came to its result; `again` answers for what a box before this one may have done.
pub(super) async fn make_once<T, E, F>(
    db: &Db,
    idempotency: Option<Idempotency>,
    owner: Uuid,
    actor: Actor,
    (again, change): (Again<T, E>, F),
) -> Result<Response>
where
    F: FnOnce(&Tx<'_>, &Actor) -> Result<(T, Made), E> + Send + 'static,
    T: Serialize + Send + 'static,
    E: Into<Problem> + 'static,
{
    let change = move |tx: &Tx<'_>, actor: &Actor| match change(tx, actor) {
        Ok((result, made)) => Ok((Box::new(result) as Box<dyn Answer>, made)),
        Err(error) => Err::<_, Problem>(error.into()),
    };
    let again = match again {
        Again::Refused => Repeated::Refused,
        Again::Itself => Repeated::Itself,
        Again::By(find) => Repeated::By(Box::new(move |tx: &Tx<'_>, actor: &Actor, made| {
            find(tx, actor, made).ok().map(|found| json(&found))
        })),
    };
    answer_once(db, idempotency, owner, actor, (again, Box::new(change))).await
}

async fn answer_once(
    db: &Db,
    idempotency: Option<Idempotency>,
    owner: Uuid,
    actor: Actor,
    (again, change): (Repeated, Box<Change>),
) -> Result<Response> {
    let outcome = db
        .write(move |tx| -> Result<_> {
            let Some(key) = idempotency else {
                return change(tx, &actor).map(|(result, made)| Outcome::Made(result, made));
            };
            if let Some(stored) = key.find(tx, owner, tx.now())? {
                return Ok(Outcome::Kept { status: stored.status, body: stored.body, replayed: true });
            }
            if !matches!(again, Repeated::Itself)
                && let Some(before) = key.find_before(tx, actor.outlet_id, tx.now())?
            {
                return done_before(tx, &actor, before, again);
            }
            let (result, made) = change(tx, &actor)?;
            let (body, status) = (result.json()?, made.status().as_u16());
            key.keep(tx, owner, actor.outlet_id, status, &body)?;
            Ok(Outcome::Kept { status, body, replayed: made == Made::Before })
        })
        .await?;
    Ok(match outcome {
        Outcome::Made(result, made) => respond(made.status().as_u16(), result.json()?, made == Made::Before),
        Outcome::Kept { status, body, replayed } => respond(status, body, replayed),
    })
}

/// The answer to what the box before this one has done: it is not done again.
fn done_before(tx: &Tx<'_>, actor: &Actor, before: idempotency::Before, again: Repeated) -> Result<Outcome> {
    let found = match (again, before.made) {
        (Repeated::By(find), Some(made)) => find(tx, actor, made),
        _ => None,
    };
    let Some(found) = found else {
        return Err(Problem::new(Code::Conflict).detail(
            "This was done before, at the box that was here then: look at what is there before you ask anew",
        ));
    };
    Ok(Outcome::Kept { status: before.status, body: found?, replayed: true })
}
