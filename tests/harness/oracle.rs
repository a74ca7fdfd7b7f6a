//! What must hold between a branch and head office, worked out from the two databases by code that shares nothing with the
//! product but the list of captured tables.

use base64::Engine;
use base64::engine::general_purpose::STANDARD;
use rusqlite::types::Value;
use rusqlite::{Connection, OpenFlags, OptionalExtension, params};
use std::collections::{BTreeMap, HashMap};
use std::path::Path;
use std::sync::Mutex;
use std::sync::atomic::{AtomicU64, Ordering};
use tiffin_common::Uuid;
use tiffin_common::frame::{OpKind, Ops, Value as Packed};
use tiffin_common::registry::{self, Owner, RETIRED, TABLES};

use crate::proxy::{Carried, Observer};
use crate::trade::Ledger;

/// The rows of every captured table: by table and id, each its values in the order of the registry's columns.
pub type Rows = BTreeMap<&'static str, BTreeMap<Uuid, Vec<Value>>>;

/// The changes that a page of the exchange carries as text: at most 4 MiB of them.
pub fn unpacked(text: &str) -> Vec<u8> {
    zstd::bulk::decompress(&STANDARD.decode(text).unwrap(), 4 << 20).unwrap()
}

/// The columns of a table that the schema has, the key first.
pub fn columns(table: &tiffin_common::registry::Table) -> Vec<&'static str> {
    table.columns.iter().copied().filter(|name| !name.starts_with(RETIRED)).collect()
}

/// The rows of the SQLite database at `path`, a branch's or head office's copy of one.
pub fn rows_of(path: &Path) -> Rows {
    let conn = open(path);
    let mut rows = Rows::new();
    for table in TABLES {
        let columns = columns(table);
        let sql = format!("SELECT {} FROM {}", columns.join(", "), table.name);
        let mut statement = conn.prepare(&sql).unwrap_or_else(|error| panic!("{}: {error}", path.display()));
        let read = statement.query_map([], |row| {
            let values: rusqlite::Result<Vec<Value>> = (0..columns.len()).map(|i| row.get(i)).collect();
            Ok((row.get::<_, Uuid>(0)?, values?))
        });
        rows.insert(table.name, read.unwrap().collect::<Result<_, _>>().unwrap());
    }
    rows
}

/// Opens a database to look at it.
pub fn open(path: &Path) -> Connection {
    let conn = Connection::open_with_flags(path, OpenFlags::SQLITE_OPEN_READ_ONLY)
        .unwrap_or_else(|error| panic!("{}: {error}", path.display()));
    conn.busy_timeout(std::time::Duration::from_secs(10)).unwrap();
    conn
}

/// Every difference between a branch's rows and head office's copy, in words; none when they are equal.
pub fn differences(branch: &Rows, copy: &Rows) -> Vec<String> {
    let mut found = Vec::new();
    for table in TABLES {
        let (here, there) = (&branch[table.name], &copy[table.name]);
        let names = columns(table);
        for (id, values) in here {
            match there.get(id) {
                None => found.push(format!("{} {id}: not at head office", table.name)),
                Some(other) => {
                    let differing = names.iter().zip(values.iter().zip(other)).filter(|(_, (a, b))| a != b);
                    for (name, (a, b)) in differing {
                        found.push(format!("{} {id}.{name}: {a:?} here, {b:?} at head office", table.name));
                    }
                }
            }
        }
        let invented = there.keys().filter(|id| !here.contains_key(id));
        found.extend(invented.map(|id| format!("{} {id}: only at head office", table.name)));
    }
    found
}

/// Fails with the differences, if there are any.
#[track_caller]
pub fn assert_equal(what: &str, branch: &Rows, copy: &Rows) {
    let found = differences(branch, copy);
    let first: Vec<_> = found.iter().take(20).collect();
    assert!(found.is_empty(), "{what}: {} differences, such as {first:#?}", found.len());
}

/// The rows of one outlet in head office's PostgreSQL.
pub async fn rows_of_postgres(url: &str, outlet: Uuid) -> Rows {
    use tokio_postgres::types::Type;
    let (client, connection) = tokio_postgres::connect(url, tokio_postgres::NoTls).await.unwrap();
    tokio::spawn(connection);
    let mut rows = Rows::new();
    for table in TABLES {
        let owner = if table.columns.contains(&"outlet_id") { "outlet_id" } else { "id" };
        let names = columns(table).join(", ");
        let sql = format!("SELECT {names} FROM merged.{} WHERE {owner} = $1", table.name);
        let read = client.query(&sql, &[&outlet.as_bytes().as_slice()]).await;
        let read = read.unwrap_or_else(|error| panic!("{sql}: {error:?}"));
        let value = |row: &tokio_postgres::Row, i: usize| match *row.columns()[i].type_() {
            Type::INT8 => row.get::<_, Option<i64>>(i).map_or(Value::Null, Value::Integer),
            Type::BYTEA => row.get::<_, Option<Vec<u8>>>(i).map_or(Value::Null, Value::Blob),
            Type::FLOAT8 => row.get::<_, Option<f64>>(i).map_or(Value::Null, Value::Real),
            _ => row.get::<_, Option<String>>(i).map_or(Value::Null, Value::Text),
        };
        let values = read.iter().map(|row| {
            let id = Uuid::from_slice(row.get::<_, &[u8]>(0)).unwrap();
            (id, (0..row.len()).map(|i| value(row, i)).collect())
        });
        rows.insert(table.name, values.collect());
    }
    rows
}

/// Every difference between a branch's shared rows and head office's view of them (`hub_master` of the outlet's file), in words.
pub fn shared_differences(branch: &Rows, hub: &Connection) -> Vec<String> {
    let mut statement = hub.prepare("SELECT table_no, row_id, deleted, row FROM hub_master").unwrap();
    let listed = statement.query_map([], |row| {
        Ok((row.get::<_, u16>(0)?, row.get::<_, Uuid>(1)?, row.get::<_, bool>(2)?, row.get::<_, Vec<u8>>(3)?))
    });
    let listed: Vec<_> = listed.unwrap().map(Result::unwrap).collect();
    let mut found = Vec::new();
    let mut seen: HashMap<&str, usize> = HashMap::new();
    for (no, id, deleted, packed) in listed {
        let table = registry::table(no).unwrap();
        let here = branch[table.name].get(&id);
        if deleted {
            found.extend(here.map(|_| format!("{} {id}: deleted at head office, here still", table.name)));
            continue;
        }
        *seen.entry(table.name).or_default() += 1;
        let op = Ops::of(&packed).next().unwrap().unwrap();
        assert_eq!(op.kind, OpKind::Insert);
        let Some(here) = here else {
            found.push(format!("{} {id}: head office has it, the branch has not", table.name));
            continue;
        };
        for (name, value) in columns(table).into_iter().zip(here) {
            let no = table.column(name).unwrap();
            let theirs =
                op.columns.iter().find(|(column, _)| *column == no).map_or(Value::Null, |(_, v)| plain(v));
            // What it packed before a column came says nothing of it.
            let is_of_before =
                || theirs == Value::Null && default(hub, table.name, name).as_ref() == Some(value);
            if *value != theirs && !is_of_before() {
                found.push(format!(
                    "{} {id}.{name}: {value:?} here, head office means {theirs:?}",
                    table.name
                ));
            }
        }
    }
    for table in TABLES.iter().filter(|table| table.owner == Owner::Shared) {
        let (here, there) = (branch[table.name].len(), seen.get(table.name).copied().unwrap_or(0));
        if here != there {
            found.push(format!("{}: {here} rows here, {there} in head office's view", table.name));
        }
    }
    found
}

/// What a column that is never null holds where nobody says anything.
fn default(hub: &Connection, table: &str, column: &str) -> Option<Value> {
    let sql = "SELECT dflt_value FROM pragma_table_info(?1) WHERE name = ?2 AND \"notnull\" = 1";
    let text: Option<String> = hub.query_row(sql, [table, column], |row| row.get(0)).optional().unwrap()?;
    Some(hub.query_row(&format!("SELECT {}", text?), [], |row| row.get(0)).unwrap())
}

fn plain(value: &Packed<'_>) -> Value {
    match *value {
        Packed::Null => Value::Null,
        Packed::Integer(n) => Value::Integer(n),
        Packed::Real(x) => Value::Real(x),
        Packed::Text(text) => Value::Text(text.to_owned()),
        Packed::Id(id) => Value::Blob(id.as_bytes().to_vec()),
        Packed::Blob(bytes) => Value::Blob(bytes.to_vec()),
    }
}

/// What guests were told and the branch no longer says. Orders, bills and payments are there, whatever lies in the review list; what else
/// differs may lie in it.
pub fn ledger_problems(branch: &Connection, ledger: &Ledger) -> Vec<String> {
    let mut problems = Vec::new();
    let reviewed = |id: &Uuid| {
        let sql = "SELECT EXISTS (SELECT 1 FROM sync_reviews WHERE row_id = ?1)";
        branch.query_row(sql, params![id], |row| row.get::<_, bool>(0)).unwrap()
    };
    for (id, number) in &ledger.orders {
        let sql = "SELECT order_number FROM orders WHERE id = ?1";
        let found: Option<String> = branch.query_row(sql, [id], |row| row.get(0)).optional().unwrap();
        if found.as_ref() != Some(number) {
            problems.push(format!("order {number} was confirmed; now it is {found:?}"));
        }
    }
    for (id, cents) in &ledger.payments {
        let sql = "SELECT amount_cents FROM payments WHERE id = ?1";
        let found: Option<i64> = branch.query_row(sql, [id], |row| row.get(0)).optional().unwrap();
        if found != Some(*cents) {
            problems.push(format!("a payment of {cents} cents was confirmed; now it is {found:?}"));
        }
    }
    for (dish, text) in &ledger.descriptions {
        let sql = "SELECT description FROM menu_items WHERE id = ?1";
        let found: Option<Option<String>> =
            branch.query_row(sql, [dish], |row| row.get(0)).optional().unwrap();
        if found.is_some() && found != Some(Some(text.clone())) && !reviewed(dish) {
            problems.push(format!("dish {dish} was described as {text:?}; now it is {found:?}"));
        }
    }
    let sql = "SELECT id, order_number, paid_cents, (SELECT coalesce(sum(amount_cents), 0) FROM payments WHERE order_id = orders.id)
        FROM orders WHERE paid_cents <> (SELECT coalesce(sum(amount_cents), 0) FROM payments WHERE order_id = orders.id)";
    let mut statement = branch.prepare(sql).unwrap();
    let unequal = statement.query_map([], |row| {
        Ok((row.get::<_, Uuid>(0)?, row.get::<_, String>(1)?, row.get::<_, i64>(2)?, row.get::<_, i64>(3)?))
    });
    for (id, number, says, paid) in unequal.unwrap().map(Result::unwrap) {
        if !reviewed(&id) {
            problems.push(format!("order {number} says {says} cents are paid; its payments say {paid}"));
        }
    }
    for (order, number) in &ledger.invoices {
        // Two lives may have given out one number: its own bill is among them.
        let sql = "SELECT count(*) FROM invoices WHERE number = ?1 AND order_id = ?2";
        let found: i64 = branch.query_row(sql, params![number, order], |row| row.get(0)).unwrap();
        if found == 0 {
            problems.push(format!("bill {number} of order {order} was confirmed; now it is not there"));
        }
    }
    problems
}

/// What a ledger says of money: how many orders, bills and credit notes, payments and refunds there are, and the cents of each. Orders and
/// documents that hang on nothing are counted as strays.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Money {
    /// Orders, and their totals.
    pub orders: (usize, i64),
    /// Bills, and their totals.
    pub bills: (usize, i64),
    /// Credit notes, and their totals.
    pub credits: (usize, i64),
    /// Payments.
    pub payments: (usize, i64),
    /// Refunds.
    pub refunds: (usize, i64),
    /// Rows of money or stock whose order is not there.
    pub strays: usize,
}

/// The money in `rows`.
pub fn money_in(rows: &Rows) -> Money {
    let place = |table: &'static str, column: &str| {
        columns(registry::table_named(table).unwrap()).iter().position(|name| *name == column).unwrap()
    };
    let sum = |table: &'static str, column: &str, only: Option<(&str, &str)>| {
        let at = place(table, column);
        let is_meant = |row: &&Vec<Value>| {
            only.is_none_or(|(name, word)| row[place(table, name)] == Value::Text(word.to_owned()))
        };
        let meant: Vec<i64> = (rows[table].values().filter(is_meant))
            .map(|row| if let Value::Integer(cents) = row[at] { cents } else { panic!("{table}.{column}") })
            .collect();
        (meant.len(), meant.iter().sum())
    };
    let is_order = |value: &Value| match value {
        Value::Blob(id) => rows["orders"].contains_key(&Uuid::from_slice(id).unwrap()),
        _ => true,
    };
    let strays = ["payments", "refunds", "invoices", "order_items", "stock_movements"].map(|table| {
        let at = place(table, "order_id");
        rows[table].values().filter(|row| !is_order(&row[at])).count()
    });
    Money {
        orders: sum("orders", "total_cents", None),
        bills: sum("invoices", "total_cents", Some(("kind", "INVOICE"))),
        credits: sum("invoices", "total_cents", Some(("kind", "CREDIT_NOTE"))),
        payments: sum("payments", "amount_cents", None),
        refunds: sum("refunds", "amount_cents", None),
        strays: strays.iter().sum(),
    }
}

/// Keeps of what guests were told only what head office holds: the rest was lost with the branch's disk.
pub fn forget_what_is_lost(ledger: &mut Ledger, held: &Rows) {
    let value = |table: &'static str, id: &Uuid, column: &str| {
        let table = registry::table_named(table).unwrap();
        let at = columns(table).iter().position(|name| *name == column).unwrap();
        Some(held[table.name].get(id)?[at].clone())
    };
    ledger.orders.retain(|id, _| held["orders"].contains_key(id));
    ledger.payments.retain(|id, _| held["payments"].contains_key(id));
    ledger
        .descriptions
        .retain(|id, text| value("menu_items", id, "description") == Some(Value::Text(text.clone())));
    let billed = held["invoices"].keys().filter_map(|id| value("invoices", id, "order_id"));
    let billed: Vec<_> = billed.collect();
    ledger.invoices.retain(|order, _| billed.contains(&Value::Blob(order.as_bytes().to_vec())));
}

/// What the answers of head office say of an outlet's cursor: it may not go back unless something allows it.
#[derive(Debug, Default)]
pub struct Cursors {
    tracks: Mutex<HashMap<String, Track>>,
    pushing: AtomicU64,
    fed: AtomicU64,
}

#[derive(Debug, Default)]
struct Track {
    highest: u64,
    /// Counts what allows a cursor to be lower: answers to questions asked before it do not count.
    age: u64,
    is_free: bool,
    problems: Vec<String>,
}

impl Cursors {
    /// From here on a lower cursor is right: the branch or head office was put back.
    pub fn allow_back(&self, name: &str) {
        let mut tracks = self.tracks.lock().unwrap();
        let track = tracks.entry(name.to_owned()).or_default();
        (track.highest, track.age) = (0, track.age + 1);
    }

    /// From here on a lower cursor is right whenever it comes: the branch was put back, and head office goes over to its new history
    /// once it has heard of it.
    pub fn allow_another_history(&self, name: &str) {
        self.tracks.lock().unwrap().entry(name.to_owned()).or_default().is_free = true;
    }

    /// Pushes that were sent on to head office.
    pub fn pushing(&self) -> u64 {
        self.pushing.load(Ordering::SeqCst)
    }

    /// Pulls that were answered with rows.
    pub fn fed(&self) -> u64 {
        self.fed.load(Ordering::SeqCst)
    }

    /// What was wrong so far.
    pub fn problems(&self) -> Vec<String> {
        self.tracks.lock().unwrap().values().flat_map(|track| track.problems.clone()).collect()
    }
}

/// Bits of a token that hold the cursor; the age lies above.
const CURSOR_BITS: u32 = 40;

impl Observer for Cursors {
    fn begin(&self, name: &str, asked: &str) -> u64 {
        if asked.contains("/sync/v1/push") {
            self.pushing.fetch_add(1, Ordering::SeqCst);
        }
        let mut tracks = self.tracks.lock().unwrap();
        let track = tracks.entry(name.to_owned()).or_default();
        track.age << CURSOR_BITS | track.highest
    }

    fn answered(&self, carried: &Carried<'_>) {
        let cursor_route =
            ["/sync/v1/push", "/sync/v1/hello"].iter().any(|path| carried.asked.contains(path));
        if !cursor_route {
            let reply: serde_json::Value = serde_json::from_slice(carried.body).unwrap_or_default();
            if reply["rows"].as_array().is_some_and(|rows| !rows.is_empty()) {
                self.fed.fetch_add(1, Ordering::SeqCst);
            }
            return;
        }
        let mut tracks = self.tracks.lock().unwrap();
        let track = tracks.entry(carried.name.to_owned()).or_default();
        // Neither a busy nor a full head office is at fault.
        if carried.status >= 500 && ![503, 507].contains(&carried.status) {
            let body = String::from_utf8_lossy(carried.body);
            track
                .problems
                .push(format!("{}: {} answered {}: {body}", carried.name, carried.asked, carried.status));
        }
        let (age, before) = (carried.token >> CURSOR_BITS, carried.token & ((1 << CURSOR_BITS) - 1));
        let reply: serde_json::Value = serde_json::from_slice(carried.body).unwrap_or_default();
        if carried.status != 200 || age != track.age {
            return;
        }
        let cursor = reply["cursor"]["seq"].as_u64().unwrap_or(0);
        if cursor < before && !track.is_free {
            let (name, asked) = (carried.name, carried.asked);
            track
                .problems
                .push(format!("{name}: {asked} answered cursor {cursor} after {before} had been answered"));
        }
        track.highest = track.highest.max(cursor);
    }
}
