//! Where the catalogue is edited: a branch of head office's own in a temporary folder, whose handlers are the branch's. It holds what
//! the store holds, or is filled anew from it. Nothing here survives the process, and nothing here is the truth.

use super::parts::{PARTS, Part};
use super::rows::{Columns, Held, RowChange};
use axum::Router;
use axum::body::Body;
use axum::http::{HeaderValue, Request, header};
use axum::response::Response;
use edge::access::{Actor, Principal, Tokens};
use edge::app::{self, OpenError};
use edge::config::{Config, ConfigError, Sources};
use edge::data_dir::{DataDir, DataDirError};
use edge::db::{Db, DbError, Env, Tx, list, one};
use edge::http::shutdown::Shutdown;
use edge::http::{Code, Problem};
use edge::resources::outlets::rules::profile::country_of;
use edge::resources::{self, inventory, menu};
use edge::state::Routes;
use rusqlite::params_from_iter;
use tempfile::TempDir;
use tiffin_common::frame::{Kind, OpKind};
use tiffin_common::registry::{Table, table_named};
use tiffin_common::{Millis, Uuid};
use tower::ServiceExt;

/// Head office's own outlet: the same id at every head office, so that nothing need be looked up.
pub const HQ: Uuid = Uuid::from_u128(0x7469_6666_696e_8000_8000_0068_6561_6471);

/// Its code.
pub const HQ_CODE: &str = "HQ";

/// How long the token lives that a request is handed on with, in milliseconds.
const TOKEN_MS: i64 = 60_000;

/// Settings that are rate limits: head office counts requests before they come here.
const LIMITS: [&str; 9] = [
    "limit-general",
    "limit-login",
    "limit-pin",
    "limit-qr-menu",
    "limit-qr-order",
    "limit-feedback",
    "limit-forgot-password",
    "limit-pairing",
    "limit-qr-call",
];

/// Why there is no bench.
#[derive(Debug, thiserror::Error)]
pub enum BenchError {
    /// No temporary folder.
    #[error("no temporary folder: {0}")]
    Folder(#[from] std::io::Error),
    /// The folder cannot be used.
    #[error(transparent)]
    DataDir(#[from] DataDirError),
    /// The settings contradict each other.
    #[error(transparent)]
    Config(#[from] ConfigError),
    /// The branch in it cannot be opened.
    #[error(transparent)]
    Open(#[from] OpenError),
}

/// A row of the bench's own change log.
#[derive(Debug)]
pub struct Written {
    /// What it is.
    pub kind: Kind,
    /// When.
    pub wall: Millis,
    /// How many changes it holds.
    pub count: u32,
    /// The changes.
    pub body: Vec<u8>,
}

/// What head office's own outlet is made with.
#[derive(Debug, Clone)]
pub struct Locale {
    /// IANA name of its time zone.
    pub timezone: String,
    /// ISO 4217 code of its currency.
    pub currency: String,
}

/// See the module.
pub struct Bench {
    db: Db,
    tokens: Tokens,
    router: Router,
    _folder: TempDir,
}

/// What of a branch's API edits the catalogue: what is published, and nothing that is an outlet's own.
pub fn routes() -> Routes {
    resources::routes().only(|_, path| {
        let own =
            ["/availability", "/price", "/pin", "/batches", "/movements", "/trace", "/image", "/checkout"];
        let listed =
            ["/inventory/items", "/inventory/recipes", "/inventory/preparations", "/inventory/suppliers"];
        let parts = path.starts_with("/menu") || path.starts_with("/employees");
        (parts || listed.iter().any(|start| path.starts_with(start)))
            && !path.contains("/documents")
            && !own.iter().any(|end| path.ends_with(end))
    })
}

impl Bench {
    /// An empty one. Blocking.
    ///
    /// # Errors
    /// When the folder or the database in it cannot be made.
    pub fn open(env: &Env) -> Result<Bench, BenchError> {
        let folder = tempfile::tempdir()?;
        let flags = LIMITS.map(|limit| (limit, "off".to_owned())).into_iter().collect();
        let config = Config::resolve(&Sources { flags, ..Sources::default() })?;
        let data = DataDir::open(folder.path())?;
        let state = app::open(&config, &data, env.clone(), "http://localhost", &Shutdown::new())?;
        let router = routes().into_router(&state).with_state(state.clone());
        Ok(Bench { db: state.db.clone(), tokens: state.tokens.clone(), router, _folder: folder })
    }

    /// Clock, ids and randomness.
    pub fn env(&self) -> &Env {
        self.db.env()
    }

    /// Makes the bench hold exactly `rows`, or an empty catalogue at `place` when there are none; answers the end of its log.
    pub async fn fill(&self, rows: Vec<RowChange>, place: Locale) -> Result<i64, DbError> {
        self.db.write(move |tx| fill(tx, &rows)).await?;
        // What is written from here on is head office's to keep: with a new catalogue, its outlet.
        let head = self.head().await?;
        self.db.write(move |tx| found(tx, &place)).await?;
        Ok(head)
    }

    /// The end of the log.
    pub async fn head(&self) -> Result<i64, DbError> {
        let last = "SELECT coalesce(max(seq), 0) FROM sync_log";
        self.db.read(move |from| one(from, last, [], |row| row.get(0))).await
    }

    /// What was written after row `seq` of the log.
    pub async fn since(&self, seq: i64) -> Result<Vec<Written>, DbError> {
        let sql = "SELECT kind, wall_ms, n, body FROM sync_log WHERE seq > ?1 ORDER BY seq";
        self.db
            .read(move |from| {
                list(from, sql, [seq], |row| {
                    let kind = Kind::from_number(row.get("kind")?)
                        .map_err(|error| DbError::Other(error.to_string()))?;
                    Ok(Written {
                        kind,
                        wall: row.get("wall_ms")?,
                        count: row.get("n")?,
                        body: row.get("body")?,
                    })
                })
            })
            .await
    }

    /// Has a request answered by the branch's handlers, as `who` at head office's own outlet.
    ///
    /// # Errors
    /// When no token can be made.
    pub async fn call(&self, who: &Principal, mut request: Request<Body>) -> Result<Response, Problem> {
        let env = self.env();
        let now = env.clock.now();
        let caller = Principal { outlets: vec![HQ], ..who.clone() };
        let token = self.tokens.issue(&caller, env.ids.next(now), TOKEN_MS)?;
        let value = |text: String| HeaderValue::from_str(&text).map_err(|_| Problem::new(Code::Internal));
        let headers = request.headers_mut();
        headers.insert(header::AUTHORIZATION, value(format!("Bearer {token}"))?);
        headers.insert("x-outlet-id", value(HQ.to_string())?);
        // Kept with the catalogue, not here.
        headers.remove("idempotency-key");
        let answer = self.router.clone().oneshot(request).await;
        Ok(answer.unwrap_or_else(|never| match never {}))
    }
}

fn tables() -> impl DoubleEndedIterator<Item = &'static Table> {
    table_named("outlets").into_iter().chain(PARTS.iter().filter_map(Part::table))
}

fn fill(tx: &Tx<'_>, rows: &[RowChange]) -> Result<(), DbError> {
    tx.execute_batch("PRAGMA defer_foreign_keys = ON")?;
    for derived in ["portion_needs", "stock_levels"] {
        tx.execute(&format!("DELETE FROM {derived}"), [])?;
    }
    for table in tables().rev() {
        tx.execute(&format!("DELETE FROM \"{}\"", table.name), [])?;
    }
    for row in rows {
        insert(tx, row)?;
    }
    if rows.is_empty() {
        return Ok(());
    }
    menu::store::next_revision(tx, HQ)?;
    inventory::actions::rebuild_needs(tx, &Actor::system(HQ))
}

fn insert(tx: &Tx<'_>, row: &RowChange) -> Result<(), DbError> {
    if row.kind != OpKind::Insert {
        return Ok(());
    }
    let id = Held::Id(row.id);
    let values = || std::iter::once((&0, &id)).chain(&row.columns);
    let names: Vec<String> = values()
        .filter_map(|(column, _)| row.table.columns.get(*column))
        .map(|name| format!("\"{name}\""))
        .collect();
    let places: Vec<String> = (1..=names.len()).map(|place| format!("?{place}")).collect();
    let sql =
        format!("INSERT INTO \"{}\" ({}) VALUES ({})", row.table.name, names.join(", "), places.join(", "));
    tx.execute(&sql, params_from_iter(values().map(|(_, value)| value)))?;
    Ok(())
}

/// Makes head office's own outlet, unless it is there. Dishes do not follow stock there: it has none.
fn found(tx: &Tx<'_>, place: &Locale) -> Result<(), DbError> {
    let there: i64 = one(&**tx, "SELECT count(*) FROM outlets WHERE id = ?1", [HQ], |row| row.get(0))?;
    let (Some(table), 0) = (table_named("outlets"), there) else { return Ok(()) };
    let limits = resources::outlets::rules::default_discount_limits();
    let json = |value| serde_json::to_string(value).unwrap_or_default();
    let text = |text: &str| Held::Text(text.to_owned());
    let times = serde_json::to_string(&resources::outlets::rules::ShiftTimes::default()).unwrap_or_default();
    let now = Held::Integer(tx.now().get());
    let values = [
        ("code", text(HQ_CODE)),
        ("name", text("Head office")),
        ("timezone", text(&place.timezone)),
        ("currency", text(&place.currency)),
        ("country", text(&country_of(&place.timezone, &place.currency))),
        ("shift_times", Held::Text(times)),
        ("discount_limit_bps", Held::Text(json(&limits))),
        ("auto_availability", Held::Integer(0)),
        ("created_at", now.clone()),
        ("updated_at", now),
    ];
    let columns: Columns =
        values.into_iter().filter_map(|(name, value)| Some((table.column(name)?, value))).collect();
    insert(tx, &RowChange { table, kind: OpKind::Insert, id: HQ, columns })
}
