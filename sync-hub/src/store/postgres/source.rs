//! A connection within a transaction, as the house's texts see it. Blocking: used on threads that may wait, never on those of
//! the async runtime.

use super::error::said;
use super::text::{Translated, translate};
use super::value::{Answer, Param};
use super::wait::Waiter;
use deadpool_postgres::ClientWrapper;
use edge::db::Result;
use edge::db::{Row, Source, Sql};
use rusqlite::types::ToSql;
use std::collections::HashMap;
use std::sync::{Arc, PoisonError, RwLock};
use tokio_postgres::Statement;
use tokio_postgres::types::{ToSql as PgToSql, Type};

/// Texts that are remembered; more than there are in the house, and a bound for those made up while running.
const REMEMBERED: usize = 4_000;
/// Statements that a connection keeps prepared.
const PREPARED: usize = 1_500;

/// A text as it is prepared.
#[derive(Debug)]
struct Known {
    sql: String,
    /// Types to state; empty where PostgreSQL infers them all.
    types: Vec<Type>,
}

/// What is known of texts, for all connections.
#[derive(Debug, Default)]
pub(super) struct Texts(RwLock<HashMap<String, Arc<Known>>>);

impl Texts {
    fn find(&self, sql: &str) -> Option<Arc<Known>> {
        self.0.read().unwrap_or_else(PoisonError::into_inner).get(sql).cloned()
    }

    fn keep(&self, sql: &str, known: Known) -> Arc<Known> {
        let mut all = self.0.write().unwrap_or_else(PoisonError::into_inner);
        if all.len() >= REMEMBERED {
            all.clear();
        }
        let known = Arc::new(known);
        all.insert(sql.to_owned(), Arc::clone(&known));
        known
    }
}

/// A connection in a transaction.
pub(super) struct PgSource<'c> {
    pub(super) waiter: &'c Waiter,
    pub(super) client: &'c ClientWrapper,
    pub(super) texts: &'c Texts,
}

impl PgSource<'_> {
    /// Prepares `sql`, a text of the house.
    async fn prepare(&self, sql: &str) -> Result<Statement> {
        let known = match self.texts.find(sql) {
            Some(known) => known,
            None => self.learn(sql).await?,
        };
        self.prepared(&known.sql, &known.types).await
    }

    /// Prepares a text of PostgreSQL's own.
    pub(super) async fn prepared(&self, sql: &str, types: &[Type]) -> Result<Statement> {
        if self.client.statement_cache.size() >= PREPARED {
            self.client.statement_cache.clear();
        }
        self.client.prepare_typed_cached(sql, types).await.map_err(|error| said(&error))
    }

    /// Finds out how to prepare a text that is seen for the first time. A parameter that is first met where nothing tells its type
    /// (`?1 IS NULL OR id = ?1`) is an error of PostgreSQL's: the types are asked for without such uses.
    async fn learn(&self, sql: &str) -> Result<Arc<Known>> {
        let Translated { sql: text, typing } = translate(sql);
        // What fails must not end the transaction it is asked in.
        self.batch("SAVEPOINT learning").await?;
        let outcome = self.types(&text, typing.as_deref()).await;
        self.batch("ROLLBACK TO learning; RELEASE learning").await?;
        Ok(self.texts.keep(sql, Known { sql: text, types: outcome? }))
    }

    /// The types to state. SQLite has one size of integers: a parameter that PostgreSQL takes for a smaller one (`2 * ?1`) is a
    /// bigint where the text then still means something.
    async fn types(&self, text: &str, typing: Option<&str>) -> Result<Vec<Type>> {
        let statement = self.client.prepare(typing.unwrap_or(text)).await.map_err(|error| said(&error))?;
        let found = statement.params().to_vec();
        if !found.contains(&Type::INT4) && !found.contains(&Type::INT2) {
            return Ok(if typing.is_some() { found } else { Vec::new() });
        }
        let is_small = |ty: &Type| *ty == Type::INT4 || *ty == Type::INT2;
        let wide: Vec<Type> =
            found.iter().map(|ty| if is_small(ty) { Type::INT8 } else { ty.clone() }).collect();
        match self.client.prepare_typed(text, &wide).await {
            Ok(_) => Ok(wide),
            Err(_) => Ok(found),
        }
    }

    /// Runs statements without parameters.
    pub(super) async fn batch(&self, sql: &str) -> Result<()> {
        self.client.batch_execute(sql).await.map_err(|error| said(&error))
    }

    async fn query(&self, sql: &str, params: &[&dyn ToSql]) -> Result<Vec<tokio_postgres::Row>> {
        let statement = self.prepare(sql).await?;
        let outputs = params.iter().map(|param| param.to_sql()).collect::<rusqlite::Result<Vec<_>>>()?;
        let params = outputs.iter().map(Param::of).collect::<Result<Vec<_>>>()?;
        let params: Vec<&(dyn PgToSql + Sync)> = params.iter().map(|param| param as _).collect();
        self.client.query(&statement, &params).await.map_err(|error| said(&error))
    }

    async fn change(&self, sql: &str, params: &[&dyn ToSql]) -> Result<usize> {
        let statement = self.prepare(sql).await?;
        let outputs = params.iter().map(|param| param.to_sql()).collect::<rusqlite::Result<Vec<_>>>()?;
        let params = outputs.iter().map(Param::of).collect::<Result<Vec<_>>>()?;
        let params: Vec<&(dyn PgToSql + Sync)> = params.iter().map(|param| param as _).collect();
        let changed = self.client.execute(&statement, &params).await.map_err(|error| said(&error))?;
        Ok(usize::try_from(changed).unwrap_or(usize::MAX))
    }
}

impl Source for PgSource<'_> {
    fn rows(
        &self,
        sql: &str,
        params: &[&dyn ToSql],
        each: &mut dyn FnMut(&Row<'_>) -> Result<bool>,
    ) -> Result<()> {
        // All of them first: what `each` asks meanwhile would wait for the rest of them.
        let rows = self.waiter.wait(self.query(sql, params))?;
        for row in &rows {
            if !each(&Row::of(&Answer::of(row)?))? {
                break;
            }
        }
        Ok(())
    }
}

impl Sql for PgSource<'_> {
    fn execute(&self, sql: &str, params: &[&dyn ToSql]) -> Result<usize> {
        self.waiter.wait(self.change(sql, params))
    }
}
