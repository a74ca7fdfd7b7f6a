//! A branch's log, made by hand: every kind of row, restarts, old backups, clones.

use sync_hub::hub::{Hub, HubError};
use tiffin_common::frame::{
    Body, Bucket, Changes, DigestEntry, Hash, Header, Kind, Op, OpKind, Position, Value,
};
use tiffin_common::registry::{Table, table_named};
use tiffin_common::sync::batch::{self, Batch, Dictionary, Frame};
use tiffin_common::sync::{At, Class, EpochCard, Hello, HelloRequest, PROTOCOL, PushReply, ScheduledRow};
use tiffin_common::{Hlc, Ids, Millis, Uuid};

/// A moment in 2026.
pub const BEGIN: i64 = 1_790_000_000_000;

pub fn table(name: &str) -> &'static Table {
    table_named(name).unwrap_or_else(|| panic!("no table {name}"))
}

pub fn column(of: &str, name: &str) -> usize {
    table(of).column(name).unwrap_or_else(|| panic!("no {of}.{name}"))
}

fn values<'a>(of: &str, columns: &[(&str, Value<'a>)]) -> Vec<(usize, Value<'a>)> {
    let mut values: Vec<_> = columns.iter().map(|(name, value)| (column(of, name), *value)).collect();
    values.sort_by_key(|(column, _)| *column);
    values
}

pub fn insert<'a>(of: &str, columns: &[(&str, Value<'a>)]) -> Op<'a> {
    Op {
        table: table(of).no,
        kind: OpKind::Insert,
        key: Value::Null,
        saw: None,
        columns: values(of, columns),
    }
}

pub fn update<'a>(of: &str, id: Uuid, columns: &[(&str, Value<'a>)]) -> Op<'a> {
    let columns = values(of, columns);
    Op { table: table(of).no, kind: OpKind::Update, key: Value::Id(id), saw: None, columns }
}

pub fn delete(of: &str, id: Uuid) -> Op<'static> {
    Op { table: table(of).no, kind: OpKind::Delete, key: Value::Id(id), saw: None, columns: Vec::new() }
}

pub fn pack(ops: &[Op<'_>]) -> Changes {
    let mut changes = Changes::default();
    ops.iter().for_each(|op| changes.push(op));
    changes
}

/// A counter's insert.
pub fn counter(outlet: Uuid, id: Uuid, value: i64) -> Op<'static> {
    let columns = [
        ("id", Value::Id(id)),
        ("outlet_id", Value::Id(outlet)),
        ("series", Value::Text("S")),
        ("value", Value::Integer(value)),
    ];
    insert("counters", &columns)
}

/// A menu category's insert.
pub fn category<'a>(outlet: Uuid, id: Uuid, name: &'a str) -> Op<'a> {
    let columns = [
        ("id", Value::Id(id)),
        ("outlet_id", Value::Id(outlet)),
        ("name", Value::Text(name)),
        ("sort_order", Value::Integer(0)),
        ("is_active", Value::Integer(1)),
        ("version", Value::Integer(1)),
        ("created_at", Value::Integer(BEGIN)),
        ("updated_at", Value::Integer(BEGIN)),
    ];
    insert("menu_categories", &columns)
}

/// See the module.
#[derive(Debug, Clone)]
pub struct Log {
    pub outlet: Uuid,
    pub device: Uuid,
    pub frames: Vec<Frame>,
    pub epochs: Vec<EpochCard>,
    pub schema: u32,
    now: i64,
    hlc: Hlc,
}

thread_local! {
    static IDS: Ids = Ids::new(7);
}

pub fn new_id() -> Uuid {
    IDS.with(|ids| ids.next(Millis::new(BEGIN)))
}

impl Log {
    /// A branch that has just started for the first time.
    pub fn new(outlet: Uuid) -> Log {
        let mut log = Log {
            outlet,
            device: new_id(),
            frames: Vec::new(),
            epochs: Vec::new(),
            schema: tiffin_migrations::edge_schema_version(),
            now: BEGIN,
            hlc: Hlc::ZERO,
        };
        log.start();
        log
    }

    pub fn head(&self) -> Position {
        let last = self.frames.last().unwrap();
        Position { epoch: last.header.epoch, seq: last.header.seq, hash: last.hash }
    }

    /// The process starts (again).
    pub fn start(&mut self) {
        let parent = (!self.frames.is_empty()).then(|| self.head());
        self.epochs.insert(0, EpochCard { epoch: new_id(), parent: parent.map(At::from) });
        self.row(Kind::EpochStart, 0, Body::epoch_start(parent.as_ref()));
    }

    pub fn row(&mut self, kind: Kind, count: u32, body: Vec<u8>) -> i64 {
        self.now += 1_000;
        self.hlc = self.hlc.tick(Millis::new(self.now));
        let header = Header {
            seq: self.frames.len() as i64 + 1,
            epoch: self.epochs[0].epoch,
            kind,
            hlc: self.hlc,
            wall: Millis::new(self.now),
            schema: self.schema,
            count,
        };
        let previous = self.frames.last().map_or(Hash::START, |frame| frame.hash);
        let hash = previous.next(&header, &body);
        self.frames.push(Frame { header, body, hash });
        header.seq
    }

    pub fn data(&mut self, ops: &[Op<'_>]) -> i64 {
        let changes = pack(ops);
        self.row(Kind::Data, changes.count(), changes.bytes().to_vec())
    }

    pub fn propose(&mut self, ops: &[Op<'_>]) -> i64 {
        let changes = pack(ops);
        self.row(Kind::Proposal, changes.count(), changes.bytes().to_vec())
    }

    pub fn pulled(&mut self, feed: i64, ops: &[Op<'_>]) -> i64 {
        let changes = pack(ops);
        self.row(Kind::Pulled, changes.count(), Body::pulled(feed, changes.bytes()))
    }

    pub fn recovered(&mut self, origin: Position, ops: &[Op<'_>]) -> i64 {
        let changes = pack(ops);
        self.row(Kind::Recovered, changes.count(), Body::recovered(&origin, changes.bytes()))
    }

    pub fn repair(&mut self, bucket: Bucket, ops: &[Op<'_>]) -> i64 {
        let changes = pack(ops);
        self.row(Kind::Repair, changes.count(), Body::repair(bucket, changes.bytes()))
    }

    pub fn digest(&mut self, entries: &[DigestEntry]) -> i64 {
        self.row(Kind::Digest, entries.len() as u32, Body::digest(entries))
    }

    /// The box as it was at row `seq`: an old backup, which then starts.
    pub fn restored(&self, seq: i64) -> Log {
        let mut old = self.clone();
        old.frames.truncate(seq as usize);
        let last = old.head().epoch;
        let place = old.epochs.iter().position(|card| card.epoch == last).unwrap();
        old.epochs.drain(..place);
        old.start();
        old
    }

    /// The body of a push of rows `from` to `to`.
    pub fn body(&self, from: i64, to: i64) -> Vec<u8> {
        let (from, to) = (from as usize, (to as usize).min(self.frames.len()));
        let previous = if from > 1 { self.frames[from - 2].hash } else { Hash::START };
        batch::encode(&Batch { previous, frames: self.frames[from - 1..to].to_vec() }).unwrap()
    }

    pub async fn push(&self, hub: &Hub, from: i64, to: i64) -> Result<PushReply, HubError> {
        hub.push(self.outlet, self.device, Class::Live, self.body(from, to).into()).await
    }

    /// Pushes all that follows head office's cursor.
    pub async fn drain(&self, hub: &Hub) -> Result<PushReply, HubError> {
        let held = hub.standings(self.outlet).await?.cursor.map_or(0, |cursor| cursor.seq);
        self.push(hub, held + 1, i64::MAX).await
    }

    pub async fn hello(&self, hub: &Hub) -> Hello {
        self.greet(hub, (0, ""), (Vec::new(), Some(Vec::new()))).await
    }

    /// The same of a branch that has that version of the feed with its mark, and knows this of what takes effect later.
    pub async fn greet(
        &self,
        hub: &Hub,
        (feed, mark): (i64, &str),
        (scheduled, withdrawn): (Vec<ScheduledRow>, Option<Vec<Uuid>>),
    ) -> Hello {
        let request = HelloRequest {
            device_id: self.device,
            protocol: PROTOCOL,
            schema: self.schema,
            version: "test".to_owned(),
            wall: Millis::new(self.now),
            head: Some(self.head().into()),
            epochs: self.epochs.iter().take(64).copied().collect(),
            backlog: 0,
            hub_epoch: None,
            dictionaries: Dictionary::known(),
            feed,
            mark: (feed > 0).then(|| mark.to_owned()),
            kept_from: None,
            scheduled,
            withdrawn,
            tls_authority: None,
        };
        hub.hello(self.outlet, request).await.unwrap()
    }
}
