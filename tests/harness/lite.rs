//! A light-weight branch: its log is made here, in memory, and it speaks the real protocol. Hundreds of them fit a test. Holds
//! nothing but petty cash and one counter; whatever is lost or doubled at head office shows in the two.

use crate::Dice;
use edge::sync::{Hub, HubError};
use tiffin_common::frame::{Body, Changes, Hash, Header, Kind, Op, OpKind, Position, Value};
use tiffin_common::sync::batch::{self, Batch, Dictionary, Frame};
use tiffin_common::sync::{
    At, Class, EnrolRequest, Enrolled, EpochCard, HashText, HelloRequest, OutletCard, PROTOCOL, PushReply,
    Standing,
};
use tiffin_common::{Hlc, Ids, Millis, Uuid, registry};

/// The moment the first row is made at.
const BEGIN: i64 = 1_790_000_000_000;

/// See the module.
#[derive(Debug)]
pub struct Lite {
    /// Its outlet.
    pub outlet: Uuid,
    /// Its code.
    pub code: String,
    /// Its box.
    pub device: Uuid,
    /// Its log, from row 1.
    pub log: Vec<Frame>,
    /// Movements of cash it made.
    pub movements: i64,
    /// What they add up to, in cents.
    pub cents: i64,
    /// Rows head office has confirmed.
    pub confirmed: i64,
    /// The schema its rows are of.
    pub schema: u32,
    /// Pushes that were answered 200.
    pub pushes: u64,
    epochs: Vec<EpochCard>,
    hub_epoch: Option<Uuid>,
    ids: Ids,
    counter: Uuid,
    counted: i64,
    now: i64,
    hlc: Hlc,
}

impl Lite {
    /// A branch that has just been set up; `seed` and `number` determine all of it.
    pub fn new(seed: u64, number: u64) -> Lite {
        let dice = Dice::fork(seed, &format!("lite {number}"));
        let ids = Ids::new(dice.next());
        let now = BEGIN + i64::try_from(dice.below(1_000)).unwrap();
        let id = || ids.next(Millis::new(now));
        let (outlet, device, counter) = (id(), id(), id());
        let mut lite = Lite {
            outlet,
            code: format!("L{number}"),
            device,
            log: Vec::new(),
            movements: 0,
            cents: 0,
            confirmed: 0,
            schema: tiffin_migrations::edge_schema_version(),
            pushes: 0,
            epochs: Vec::new(),
            hub_epoch: None,
            ids,
            counter,
            counted: 0,
            now,
            hlc: Hlc::ZERO,
        };
        lite.start();
        lite
    }

    /// The end of its log.
    pub fn head(&self) -> Option<Position> {
        self.log.last().map(|frame| Position {
            epoch: frame.header.epoch,
            seq: frame.header.seq,
            hash: frame.hash,
        })
    }

    /// Its process starts (again).
    pub fn start(&mut self) {
        let parent = self.head();
        let epoch = self.ids.next(Millis::new(self.now));
        self.epochs.insert(0, EpochCard { epoch, parent: parent.map(At::from) });
        self.epochs.truncate(64);
        self.append(Kind::EpochStart, 0, Body::epoch_start(parent.as_ref()));
    }

    fn append(&mut self, kind: Kind, count: u32, body: Vec<u8>) {
        self.now += 1_000;
        self.hlc = self.hlc.tick(Millis::new(self.now));
        let header = Header {
            seq: self.log.len() as i64 + 1,
            epoch: self.epochs[0].epoch,
            kind,
            hlc: self.hlc,
            wall: Millis::new(self.now),
            schema: self.schema,
            count,
        };
        let previous = self.log.last().map_or(Hash::START, |frame| frame.hash);
        let hash = previous.next(&header, &body);
        self.log.push(Frame { header, body, hash });
    }

    /// One action: `movements` of cash, and the counter that counts them.
    pub fn trade(&mut self, movements: i64) {
        let mut changes = Changes::default();
        let outlet = Value::Id(self.outlet);
        let cash = number_of("cash_movements");
        for n in 0..movements {
            let id = self.ids.next(Millis::new(self.now));
            let cents = (self.movements + n) % 997;
            let columns = vec![
                (0, Value::Id(id)),
                (1, outlet),
                (2, Value::Id(self.device)),
                (3, Value::Text("PAY_IN")),
                (4, Value::Integer(cents)),
                (5, Value::Text("petty cash")),
                (6, Value::Text("2026-11-20")),
                (7, Value::Integer(self.now)),
            ];
            changes.push(&Op { table: cash, kind: OpKind::Insert, key: Value::Null, saw: None, columns });
            self.cents += cents;
        }
        self.movements += movements;
        let (table, key) = (number_of("counters"), Value::Id(self.counter));
        let op = if self.counted == 0 {
            let columns =
                vec![(0, key), (1, outlet), (2, Value::Text("CASH")), (3, Value::Integer(self.movements))];
            Op { table, kind: OpKind::Insert, key: Value::Null, saw: None, columns }
        } else {
            Op {
                table,
                kind: OpKind::Update,
                key,
                saw: None,
                columns: vec![(3, Value::Integer(self.movements))],
            }
        };
        changes.push(&op);
        self.counted += 1;
        let (count, body) = (changes.count(), changes.bytes().to_vec());
        self.append(Kind::Data, count, body);
    }

    /// What enrolment needs to know of it.
    pub fn card(&self) -> OutletCard {
        OutletCard {
            id: self.outlet,
            code: self.code.clone(),
            name: format!("Branch {}", self.code),
            timezone: "Asia/Kolkata".into(),
            currency: "INR".into(),
        }
    }

    /// Enrols with a one-time code.
    pub async fn enrol(&self, hub: &Hub, code: &str) -> Result<Enrolled, HubError> {
        let request = EnrolRequest {
            code: code.to_owned(),
            device_id: self.device,
            outlet: Some(self.card()),
            replace: false,
            reseed: false,
            protocol: PROTOCOL,
            schema: tiffin_migrations::edge_schema_version(),
            version: "1.0.0".into(),
            wall: Millis::new(self.now),
            pepper: None,
        };
        hub.enrol(&request).await
    }

    /// One connection: says hello and pushes up to `most` rows at a time until head office has everything.
    ///
    /// # Errors
    /// The first that comes; the next call goes on.
    pub async fn exchange(&mut self, hub: &Hub, most: usize, class: Class) -> Result<(), HubError> {
        let hello = hub
            .hello(&HelloRequest {
                device_id: self.device,
                protocol: PROTOCOL,
                schema: self.schema,
                version: "1.0.0".into(),
                wall: Millis::new(self.now),
                head: self.head().map(At::from),
                epochs: self.epochs.clone(),
                backlog: self.log.len() as i64 - self.confirmed,
                hub_epoch: self.hub_epoch,
                dictionaries: Dictionary::known(),
                feed: 0,
                mark: None,
                kept_from: None,
                scheduled: Vec::new(),
                withdrawn: Some(Vec::new()),
                tls_authority: None,
            })
            .await?;
        self.hub_epoch = Some(hello.hub_epoch);
        if hello.standing != Standing::Normal {
            return Err(HubError::Bad { status: 0, detail: format!("{:?}", hello.standing) });
        }
        let mut cursor = self.known(hello.cursor)?;
        // Of a push whose answer was lost, the greeting tells.
        self.confirmed = cursor as i64;
        while cursor < self.log.len() {
            let end = (cursor + most.max(1)).min(self.log.len());
            let previous = cursor.checked_sub(1).map_or(Hash::START, |before| self.log[before].hash);
            let batch = Batch { previous, frames: self.log[cursor..end].to_vec() };
            let body = batch::encode(&batch).map_err(|error| wrong(&error.to_string()))?;
            let reply = hub.push(body, class).await?;
            self.pushes += 1;
            let next = self.known(reply.cursor)?;
            if next <= cursor {
                return Err(wrong("a push moved nothing"));
            }
            cursor = next;
            self.confirmed = cursor as i64;
        }
        Ok(())
    }

    /// Sends rows `from + 1` to `to` of the log, whatever head office waits for.
    pub async fn send(&self, hub: &Hub, from: usize, to: usize, class: Class) -> Result<PushReply, HubError> {
        let previous = from.checked_sub(1).map_or(Hash::START, |before| self.log[before].hash);
        let batch = Batch { previous, frames: self.log[from..to].to_vec() };
        hub.push(batch::encode(&batch).map_err(|error| wrong(&error.to_string()))?, class).await
    }

    /// Adds a log row that changes a row which was never there: head office cannot make the change.
    pub fn poison(&mut self) {
        let key = Value::Id(self.ids.next(Millis::new(self.now)));
        self.write(&Op {
            table: number_of("counters"),
            kind: OpKind::Update,
            key,
            saw: None,
            columns: vec![(3, Value::Integer(1))],
        });
    }

    /// Adds a log row that brings a counter of another outlet.
    pub fn trespass(&mut self, other: Uuid) {
        let id = Value::Id(self.ids.next(Millis::new(self.now)));
        let columns =
            vec![(0, id), (1, Value::Id(other)), (2, Value::Text("STOLEN")), (3, Value::Integer(1))];
        let table = number_of("counters");
        self.write(&Op { table, kind: OpKind::Insert, key: Value::Null, saw: None, columns });
    }

    fn write(&mut self, op: &Op<'_>) {
        let mut changes = Changes::default();
        changes.push(op);
        self.append(Kind::Data, 1, changes.bytes().to_vec());
    }

    /// How many rows a cursor of head office covers; it must be one of this log.
    fn known(&self, cursor: Option<At>) -> Result<usize, HubError> {
        let Some(at) = cursor else { return Ok(0) };
        let found = usize::try_from(at.seq).ok().and_then(|seq| self.log.get(seq.checked_sub(1)?));
        match found {
            Some(frame) if HashText(frame.hash) == at.hash => Ok(at.seq as usize),
            _ => Err(wrong("a cursor that is not of this log")),
        }
    }
}

fn wrong(detail: &str) -> HubError {
    HubError::Bad { status: 0, detail: detail.to_owned() }
}

fn number_of(table: &str) -> u16 {
    registry::table_named(table).unwrap().no
}
