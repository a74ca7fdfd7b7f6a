//! One branch's day, recorded once: a branch in this process takes the orders over HTTP, and its log is read from its database.
//! Never invents a row.

use crate::{Branch, House};
use rusqlite::Connection;
use serde_json::json;
use sync_hub::replay;
use tiffin_common::Uuid;
use tiffin_common::digest::{RowSum, bucket_of, row_hash};
use tiffin_common::frame::{
    Body, Bucket, Changes, DigestEntry, Hash, Header, Kind, Op, OpKind, Position, Value,
};
use tiffin_common::registry::{self, TABLES, Table};
use tiffin_common::sync::batch::Frame;

/// A recorded day.
pub struct Day {
    /// The outlet it was recorded at.
    pub outlet: Uuid,
    /// Its log.
    pub frames: Vec<Frame>,
    /// Row changes in it.
    pub changes: u64,
    /// Every row as it is at the end.
    rows: Vec<(&'static Table, Vec<(usize, Owned)>)>,
}

/// A value of its own.
#[derive(Debug, Clone)]
enum Owned {
    Integer(i64),
    Real(f64),
    Text(String),
    Id(Uuid),
    Blob(Vec<u8>),
}

impl Day {
    /// Lets a branch take `orders` orders: three lines, tickets, stock of their recipes, a payment and every fourth a bill.
    pub async fn record(orders: usize) -> Day {
        Day::record_at(&Branch::start().await, orders).await
    }

    /// The same at `branch`, which has done nothing yet.
    pub async fn record_at(branch: &Branch, orders: usize) -> Day {
        let house = House::open(branch).await;
        let mut owner = branch.sign_in(edge::access::Role::Owner);
        let list = owner.get("/inventory/items?limit=100").await.expect(200).json();
        for item in list["items"].as_array().unwrap() {
            let more = json!({"inventoryItemId": item["id"], "quantityDelta": 100_000, "unitCostCents": 50, "reason": "opening"});
            owner.post("/inventory/adjustments", more).await.expect(201);
        }
        for n in 0..orders {
            // A sign-in does not last for as long as many orders take.
            if n % 100 == 99 {
                owner = branch.sign_in(edge::access::Role::Owner);
            }
            let lines = [("Dal", 1 + n as i64 % 2), ("Butter Chicken", 1), ("Lassi", 1 + n as i64 % 3)];
            let order = house.place(&owner, house.counter(&lines)).await;
            house.settle(&owner, &order).await.expect(201);
            branch.pass(90_000);
        }
        let frames = branch.log(0).await;
        let changes = frames.iter().map(|frame| u64::from(frame.header.count)).sum();
        Day { outlet: branch.outlet_id, rows: rows(&frames), frames, changes }
    }

    /// The log from each order to the next.
    pub fn orders(&self) -> Vec<&[Frame]> {
        let orders = registry::table_named("orders").unwrap().no;
        let begins = |frame: &Frame| {
            let body = Body::decode(&frame.header, &frame.body).unwrap();
            body.ops().iter().any(|op| op.table == orders && op.kind == OpKind::Insert)
        };
        let mut starts: Vec<usize> = (0..self.frames.len()).filter(|at| begins(&self.frames[*at])).collect();
        starts.push(self.frames.len());
        starts.windows(2).map(|pair| &self.frames[pair[0]..pair[1]]).collect()
    }

    /// The same day at another outlet: other ids, another process start, hashes that chain; at its end the digest of all rows.
    pub fn at(&self, outlet: u64) -> Vec<Frame> {
        let (mut frames, mut hash) = (Vec::with_capacity(self.frames.len() + 1), Hash::START);
        let mut push = |header: Header, body: Vec<u8>| {
            hash = hash.next(&header, &body);
            frames.push(Frame { header, body, hash });
            hash
        };
        let mut before = Hash::START;
        for Frame { header, body, .. } in &self.frames {
            let header = Header { epoch: other_id(header.epoch, outlet), ..*header };
            before = match Body::decode(&header, body).unwrap() {
                Body::EpochStart(None) => push(header, body.clone()),
                Body::EpochStart(Some(parent)) => {
                    let parent = Position { epoch: other_id(parent.epoch, outlet), hash: before, ..parent };
                    push(header, Body::epoch_start(Some(&parent)))
                }
                Body::Schema { .. } => push(header, body.clone()),
                // Of the rows it was recorded with; a row must stand in its place.
                Body::Digest(_) => push(Header { count: 0, ..header }, Body::digest(&[])),
                Body::Data(ops) | Body::Proposal(ops) => {
                    let mut packed = Changes::default();
                    ops.iter().for_each(|op| packed.push(&other_op(op, outlet)));
                    push(header, packed.bytes().to_vec())
                }
                other => panic!("a branch alone does not write {other:?}"),
            };
        }
        let entries = self.digest(outlet);
        let last = frames.last().unwrap().header;
        let header = Header {
            seq: last.seq + 1,
            kind: Kind::Digest,
            hlc: last.hlc.tick(last.wall),
            count: u32::try_from(entries.len()).unwrap(),
            ..last
        };
        let body = Body::digest(&entries);
        let hash = frames.last().unwrap().hash.next(&header, &body);
        frames.push(Frame { header, body, hash });
        frames
    }

    fn digest(&self, outlet: u64) -> Vec<DigestEntry> {
        let mut sums: std::collections::BTreeMap<Bucket, RowSum> = Default::default();
        for (table, row) in &self.rows {
            let values = row.iter().map(|(column, value)| (*column, other(borrow(value), outlet)));
            let Some((_, Value::Id(id))) = values.clone().next() else { panic!("a row without an id") };
            sums.entry(bucket_of(table, id)).or_default().add(row_hash(table, values));
        }
        sums.into_iter().map(|(bucket, sum)| sum.entry(bucket)).collect()
    }
}

/// An id of another outlet: another maker of ids, the same moment and number. So buckets stay what they are.
pub fn other_id(id: Uuid, outlet: u64) -> Uuid {
    Uuid::from_u128(id.as_u128() ^ (u128::from(outlet + 1) * 0x9E37_79B9 % (1 << 42)))
}

fn other(value: Value<'_>, outlet: u64) -> Value<'_> {
    match value {
        Value::Id(id) if id.get_version_num() == 7 => Value::Id(other_id(id, outlet)),
        value => value,
    }
}

fn other_op<'a>(op: &Op<'a>, outlet: u64) -> Op<'a> {
    Op {
        key: other(op.key, outlet),
        columns: op.columns.iter().map(|(column, value)| (*column, other(*value, outlet))).collect(),
        ..*op
    }
}

/// The rows that the log gives.
fn rows(frames: &[Frame]) -> Vec<(&'static Table, Vec<(usize, Owned)>)> {
    let mut conn = Connection::open_in_memory().unwrap();
    tiffin_migrations::migrate_edge(&mut conn).unwrap();
    conn.pragma_update(None, "foreign_keys", false).unwrap();
    conn.set_prepared_statement_cache_capacity(512);
    let tx = conn.transaction().unwrap();
    for Frame { header, body, .. } in frames {
        for op in Body::decode(header, body).unwrap().ops() {
            replay::apply(&tx, op).unwrap();
        }
    }
    let mut all = Vec::new();
    for table in TABLES {
        let (numbers, names): (Vec<_>, Vec<_>) = table.live_columns().unzip();
        let sql = format!("SELECT \"{}\" FROM \"{}\"", names.join("\", \""), table.name);
        let mut statement = tx.prepare(&sql).unwrap();
        let mut rows = statement.query([]).unwrap();
        while let Some(row) = rows.next().unwrap() {
            let value = |at: usize| match Value::try_from(row.get_ref_unwrap(at)).unwrap() {
                Value::Null => None,
                Value::Integer(integer) => Some(Owned::Integer(integer)),
                Value::Real(real) => Some(Owned::Real(real)),
                Value::Text(text) => Some(Owned::Text(text.to_owned())),
                Value::Id(id) => Some(Owned::Id(id)),
                Value::Blob(blob) => Some(Owned::Blob(blob.to_vec())),
            };
            let cells = numbers.iter().enumerate();
            all.push((table, cells.filter_map(|(at, column)| Some((*column, value(at)?))).collect()));
        }
    }
    all
}

fn borrow(value: &Owned) -> Value<'_> {
    match value {
        Owned::Integer(integer) => Value::Integer(*integer),
        Owned::Real(real) => Value::Real(*real),
        Owned::Text(text) => Value::Text(text),
        Owned::Id(id) => Value::Id(*id),
        Owned::Blob(blob) => Value::Blob(blob),
    }
}
