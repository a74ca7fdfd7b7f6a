//! What orders write, learned from the rows that a running branch has more of after each: every table, whatever the schema, so that
//! all contenders write the rows of the product as it is now. Never knows a table by name.

use super::branch::Branch;
use rusqlite::types::Value;
use rusqlite::{Connection, OpenFlags, Row};
use serde::{Deserialize, Serialize};
use std::collections::{BTreeMap, HashMap, HashSet};
use std::path::Path;

/// All orders of the run.
#[derive(Debug, Serialize, Deserialize)]
pub(super) struct Plan {
    pub(super) orders: Vec<Order>,
}

/// What one order writes and how it is answered.
#[derive(Debug, Serialize, Deserialize)]
pub(super) struct Order {
    pub(super) answer: String,
    pub(super) writes: Vec<Write>,
}

/// One row: a statement with a value for each of its parameters.
#[derive(Debug, Serialize, Deserialize)]
pub(super) struct Write {
    pub(super) sql: String,
    pub(super) cells: Vec<Cell>,
}

/// A value, and what becomes of it when the order is written again.
#[derive(Debug, Clone, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub(super) enum Cell {
    Null,
    Integer(i64),
    Real(f64),
    Text(String),
    Blob(Vec<u8>),
    /// The id of a row that the order makes: the next order's begins with a later moment.
    Id(Vec<u8>),
    /// A number that no two orders share.
    Counter(i64),
    /// A text that no two orders share.
    Unique(String),
}

impl Plan {
    pub(super) fn read(path: &Path) -> Plan {
        serde_json::from_slice(&std::fs::read(path).unwrap()).unwrap()
    }

    /// What an order writes, on average, table by table.
    pub(super) fn summary(&self) -> String {
        let mut rows: BTreeMap<&str, usize> = BTreeMap::new();
        for write in self.orders.iter().flat_map(|order| &order.writes) {
            // INSERT INTO "table", UPDATE "table".
            *rows.entry(write.sql.split('"').nth(1).unwrap()).or_default() += 1;
        }
        let an_order = |count: usize| count as f64 / self.orders.len() as f64;
        let tables: Vec<String> =
            rows.iter().map(|(table, count)| format!("{table} {:.1}", an_order(*count))).collect();
        format!("rows that an order writes: {:.1} ({})", an_order(rows.values().sum()), tables.join(", "))
    }
}

/// Takes every order once and looks what has changed.
pub(super) async fn learn(branch: &Branch) -> Plan {
    let [before, after] = [(); 2]
        .map(|()| Connection::open_with_flags(branch.database(), OpenFlags::SQLITE_OPEN_READ_ONLY).unwrap());
    let tables = tables(&before);
    let mut till = branch.tills.connect(branch.edge.listen()).await;
    // The first order of a day makes its counters; later ones are like every other.
    till.place(0).await;
    let mut orders = Vec::new();
    for number in 0..branch.bodies.len() {
        let snapshot = before.unchecked_transaction().unwrap();
        let old: Vec<Vec<Vec<Value>>> = tables.iter().map(|table| table.rows(&snapshot)).collect();
        let answer = till.place(number).await;
        drop(snapshot);
        let new: Vec<_> = tables.iter().map(|table| table.rows(&after)).collect();
        orders.push(Order { answer, writes: writes(&tables, &old, new) });
    }
    Plan { orders }
}

/// A table of the branch.
struct Table {
    name: String,
    columns: Vec<String>,
    /// Its primary key, as places of columns.
    key: Vec<usize>,
    /// The key is a number that SQLite gives.
    is_numbered: bool,
    /// Columns that no two rows share, set by set; the key is one.
    uniques: Vec<Vec<usize>>,
    /// Tables that its rows refer to.
    parents: Vec<String>,
}

/// All tables, those that others refer to first.
fn tables(conn: &Connection) -> Vec<Table> {
    let sql = "SELECT name FROM pragma_table_list WHERE schema = 'main' AND type = 'table' AND name NOT LIKE 'sqlite\\_%' ESCAPE '\\'";
    let mut left: Vec<Table> =
        list(conn, sql, [], |row| row.get(0)).into_iter().map(|name| table(conn, name)).collect();
    let mut sorted: Vec<Table> = Vec::new();
    while !left.is_empty() {
        let is_free = |table: &Table| {
            table.parents.iter().all(|name| *name == table.name || sorted.iter().any(|t| t.name == *name))
        };
        // Tables that refer to each other come as they are.
        let next = left.iter().position(is_free).unwrap_or(0);
        sorted.push(left.remove(next));
    }
    sorted
}

fn table(conn: &Connection, name: String) -> Table {
    let sql = "SELECT name, type, pk FROM pragma_table_info(?1) ORDER BY cid";
    let columns: Vec<(String, String, u32)> =
        list(conn, sql, [&name], |row| Ok((row.get(0)?, row.get(1)?, row.get(2)?)));
    let mut key: Vec<usize> = (0..columns.len()).filter(|at| columns[*at].2 > 0).collect();
    key.sort_by_key(|at| columns[*at].2);
    let is_numbered = key.len() == 1 && columns[key[0]].1 == "INTEGER";
    let sql = "SELECT l.name, i.cid FROM pragma_index_list(?1) l, pragma_index_info(l.name) i
      WHERE l.\"unique\" AND i.cid >= 0 ORDER BY l.seq, i.seqno";
    let mut uniques: BTreeMap<String, Vec<usize>> = BTreeMap::new();
    for (index, at) in list(conn, sql, [&name], |row| Ok((row.get(0)?, row.get::<_, u32>(1)? as usize))) {
        uniques.entry(index).or_default().push(at);
    }
    let mut uniques: Vec<Vec<usize>> = uniques.into_values().collect();
    uniques.push(key.clone());
    let parents = list(conn, "SELECT \"table\" FROM pragma_foreign_key_list(?1)", [&name], |row| row.get(0));
    let columns = columns.into_iter().map(|(name, ..)| name).collect();
    Table { name, columns, key, is_numbered, uniques, parents }
}

fn list<T>(
    conn: &Connection,
    sql: &str,
    params: impl rusqlite::Params,
    read: impl FnMut(&Row<'_>) -> rusqlite::Result<T>,
) -> Vec<T> {
    conn.prepare(sql).unwrap().query_map(params, read).unwrap().collect::<Result<_, _>>().unwrap()
}

impl Table {
    /// All rows, in the order of the file.
    fn rows(&self, conn: &Connection) -> Vec<Vec<Value>> {
        let columns: Vec<String> = self.columns.iter().map(|name| format!("\"{name}\"")).collect();
        let sql = format!("SELECT {} FROM \"{}\" NOT INDEXED", columns.join(", "), self.name);
        list(conn, &sql, [], |row| (0..columns.len()).map(|at| row.get(at)).collect())
    }

    fn key_of(&self, row: &[Value]) -> String {
        let parts: Vec<&Value> = self.key.iter().map(|at| &row[*at]).collect();
        format!("{parts:?}")
    }

    fn insert(&self, row: Vec<Value>, made: &HashSet<Vec<u8>>) -> Write {
        let mut cells: Vec<Cell> = row.into_iter().map(|value| cell(value, made)).collect();
        for unique in &self.uniques {
            make_unique(unique, &mut cells, self.is_numbered.then(|| self.key[0]));
        }
        let mut columns = self.columns.clone();
        if self.is_numbered {
            cells.remove(self.key[0]);
            columns.remove(self.key[0]);
        }
        let places = vec!["?"; columns.len()].join(", ");
        let sql = format!("INSERT INTO \"{}\" ({}) VALUES ({places})", self.name, columns.join(", "));
        Write { sql, cells }
    }

    /// What has changed; numbers go on changing by as much.
    fn update(&self, old: &[Value], new: &[Value]) -> Write {
        let (mut sets, mut cells) = (Vec::new(), Vec::new());
        for ((name, old), new) in self.columns.iter().zip(old).zip(new).filter(|((_, old), new)| old != new) {
            match (old, new) {
                (Value::Integer(old), Value::Integer(new)) => {
                    sets.push(format!("{name} = {name} + ?"));
                    cells.push(Cell::Integer(new - old));
                }
                _ => {
                    sets.push(format!("{name} = ?"));
                    cells.push(cell(new.clone(), &HashSet::new()));
                }
            }
        }
        let keys: Vec<String> = self.key.iter().map(|at| format!("{} = ?", self.columns[*at])).collect();
        cells.extend(self.key.iter().map(|at| cell(new[*at].clone(), &HashSet::new())));
        let sql = format!("UPDATE \"{}\" SET {} WHERE {}", self.name, sets.join(", "), keys.join(" AND "));
        Write { sql, cells }
    }
}

/// The rows that are there now and were not so before. What was taken away meanwhile is left out: an order deletes nothing.
fn writes(tables: &[Table], old: &[Vec<Vec<Value>>], new: Vec<Vec<Vec<Value>>>) -> Vec<Write> {
    let (mut inserted, mut writes) = (Vec::new(), Vec::new());
    for ((table, old), new) in tables.iter().zip(old).zip(new) {
        let known: HashMap<String, &Vec<Value>> = old.iter().map(|row| (table.key_of(row), row)).collect();
        for row in new {
            match known.get(&table.key_of(&row)) {
                Some(same) if **same == row => {}
                Some(old) => writes.push(table.update(old, &row)),
                None => inserted.push((table, row)),
            }
        }
    }
    let keys = inserted.iter().flat_map(|(table, row)| table.key.iter().map(|at| &row[*at]));
    let made: HashSet<Vec<u8>> = keys
        .filter_map(|key| match key {
            Value::Blob(id) if id.len() == 16 && !is_old(tables, old, id) => Some(id.clone()),
            _ => None,
        })
        .collect();
    let inserts = inserted.into_iter().map(|(table, row)| table.insert(row, &made));
    inserts.chain(writes).collect()
}

/// Whether a row from before has this id, such as the outlet's in the key of a counter.
fn is_old(tables: &[Table], old: &[Vec<Vec<Value>>], id: &[u8]) -> bool {
    let id = Value::Blob(id.to_vec());
    tables
        .iter()
        .zip(old)
        .any(|(table, rows)| table.key.len() == 1 && rows.iter().any(|row| row[table.key[0]] == id))
}

fn cell(value: Value, made: &HashSet<Vec<u8>>) -> Cell {
    match value {
        Value::Null => Cell::Null,
        Value::Integer(number) => Cell::Integer(number),
        Value::Real(number) => Cell::Real(number),
        Value::Text(text) => Cell::Text(text),
        Value::Blob(id) if made.contains(&id) => Cell::Id(id),
        Value::Blob(bytes) => Cell::Blob(bytes),
    }
}

/// Lets one of these columns differ from order to order, where none does yet.
fn make_unique(columns: &[usize], cells: &mut [Cell], numbered: Option<usize>) {
    let differs = |at: &usize| {
        Some(*at) == numbered
            || matches!(cells[*at], Cell::Id(_) | Cell::Counter(_) | Cell::Unique(_) | Cell::Null)
    };
    if columns.iter().any(differs) {
        return;
    }
    let last = |wanted: fn(&Cell) -> bool| columns.iter().rev().copied().find(|at| wanted(&cells[*at]));
    let chosen = last(|cell| matches!(cell, Cell::Integer(_)))
        .or_else(|| last(|cell| matches!(cell, Cell::Text(_))))
        .or_else(|| last(|cell| matches!(cell, Cell::Blob(_))));
    let cell = &mut cells[chosen.expect("a set of columns that can differ")];
    *cell = match std::mem::replace(cell, Cell::Null) {
        Cell::Integer(number) => Cell::Counter(number),
        Cell::Text(text) => Cell::Unique(text),
        Cell::Blob(bytes) => Cell::Id(bytes),
        other => other,
    };
}

/// A copy of the branch's database whose rows anybody may write: its triggers call what only the product has.
pub(super) fn copy_without_triggers(from: &Path, to: &Path) {
    Connection::open(from).unwrap().execute("VACUUM INTO ?1", [to.to_str().unwrap()]).unwrap();
    let conn = Connection::open(to).unwrap();
    let sql = "SELECT 'DROP TRIGGER \"' || name || '\";' FROM sqlite_schema WHERE type = 'trigger'";
    let drops: Vec<String> = list(&conn, sql, [], |row| row.get(0));
    conn.execute_batch(&drops.concat()).unwrap();
}
