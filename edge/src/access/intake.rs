//! Taking in a file as one action, or finding out what that would do. Never knows what is in it.

use super::cx::Cx;
use super::describe::Describe;
use super::operation::Operation;
use super::principal::Actor;
use crate::db::Tx;
use crate::http::intake::{File, ImportFile, ImportQuery};
use crate::http::{Data, Problem, Result, Updated};
use axum::response::IntoResponse;
use schemars::JsonSchema;
use serde::Serialize;

impl<T: JsonSchema> Describe for File<T> {
    fn describe(operation: &mut Operation) {
        operation.body_of::<ImportFile<T>>("application/json");
    }
}

impl Cx {
    /// [`Cx::update`]; as a dry run the same work with the same answer, of which nothing stays: no row, and no answer under its
    /// idempotency key.
    pub async fn take_in<T, E, F>(self, query: &ImportQuery, work: F) -> Result<Updated<T>>
    where
        F: FnOnce(&Tx<'_>, &Actor) -> Result<T, E> + Send + 'static,
        T: Serialize + Send + 'static,
        E: Into<Problem> + 'static,
    {
        if !query.dry_run {
            return self.update(work).await;
        }
        let actor = self.actor();
        let look = move |tx: &Tx<'_>| tx.rehearse(|| work(tx, &actor).map_err(Into::into));
        let found: T = self.db.write::<_, Problem, _>(look).await?;
        Ok(Updated::new(Data::new(found).into_response()))
    }
}
