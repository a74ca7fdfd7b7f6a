//! A head office in memory: it keeps the log it is sent, answers from lists that tests fill, and misbehaves on command.

use crate::sync::apply::Packed;
use crate::sync::{Answer, HubClient, HubError, Reply, Request};
use base64::Engine;
use base64::engine::general_purpose::STANDARD;
use serde_json::json;
use std::collections::VecDeque;
use std::sync::Mutex;
use tiffin_common::frame::{Changes, Hash, Op, OpKind, Position, Value};
use tiffin_common::sync::batch::{self, Batch, Dictionary, Frame};
use tiffin_common::sync::{
    At, BucketCard, FRAMES_TYPE, FeedRow, FramesQuery, Hello, HelloRequest, Pacing, PullQuery, PullReply,
    PushReply, SalvagePage, ScheduledRow, SnapshotPage, Standing,
};
use tiffin_common::{Millis, Uuid};

/// What it does instead of answering, once.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Mishap {
    /// The request never arrives.
    Lost,
    /// It is done, and the answer never arrives.
    Unheard,
    /// This status, with its own kind of body.
    Status(u16),
    /// A captive portal answers.
    Portal,
    /// It confirms what it was never sent.
    Lie,
}

pub(super) struct State {
    pub(super) frames: Vec<Frame>,
    pub(super) standing: Option<Standing>,
    /// What it says from the second hello on.
    pub(super) then: Option<Standing>,
    pub(super) lost: Vec<Frame>,
    pub(super) epoch: Uuid,
    pub(super) feed: Vec<(i64, Vec<u8>)>,
    pub(super) reset: bool,
    pub(super) decided_to: Option<i64>,
    pub(super) scheduled: Vec<ScheduledRow>,
    /// What the last greeting said that it had been told to drop.
    pub(super) withdrawn: Vec<Uuid>,
    pub(super) mishaps: VecDeque<Mishap>,
    pub(super) bad: Vec<BucketCard>,
    /// What its clock says; none: what the box's does.
    pub(super) wall: Option<Millis>,
    /// Whether that stays so, whatever is sent.
    pub(super) stays_bad: bool,
    pub(super) salvaged: Vec<Frame>,
    /// What it wants the box to take over.
    pub(super) salvage: Option<SalvagePage>,
    /// What it knows to read.
    pub(super) dictionaries: Vec<u32>,
    /// What the last body was packed with.
    pub(super) packed_with: Option<u8>,
    /// Requests by path, with the class of a push.
    pub(super) asked: Vec<String>,
}

pub(super) struct FakeHub {
    pub(super) state: Mutex<State>,
}

impl FakeHub {
    pub(super) fn new(_outlet: Uuid) -> FakeHub {
        let state = State {
            frames: Vec::new(),
            standing: None,
            then: None,
            lost: Vec::new(),
            epoch: Uuid::from_u128(9),
            feed: Vec::new(),
            reset: false,
            decided_to: None,
            scheduled: Vec::new(),
            withdrawn: Vec::new(),
            mishaps: VecDeque::new(),
            bad: Vec::new(),
            wall: None,
            stays_bad: false,
            salvaged: Vec::new(),
            salvage: None,
            dictionaries: Dictionary::known(),
            packed_with: None,
            asked: Vec::new(),
        };
        FakeHub { state: Mutex::new(state) }
    }

    pub(super) fn epoch(&self) -> Uuid {
        self.state.lock().unwrap().epoch
    }

    pub(super) fn frames(&self) -> Vec<Frame> {
        self.state.lock().unwrap().frames.clone()
    }

    pub(super) fn mishap(&self, mishap: Mishap) {
        self.state.lock().unwrap().mishaps.push_back(mishap);
    }

    pub(super) fn asked(&self, path: &str) -> usize {
        self.state.lock().unwrap().asked.iter().filter(|asked| asked.starts_with(path)).count()
    }

    /// Head office has this row now.
    pub(super) fn feed(&self, op: Vec<u8>) {
        let mut state = self.state.lock().unwrap();
        let feed = state.feed.last().map_or(0, |(feed, _)| *feed) + 1;
        state.feed.push((feed, op));
    }
}

/// A packed change of one row.
pub(super) fn packed(table: &str, kind: OpKind, id: Uuid, columns: &[(&str, Value<'_>)]) -> Vec<u8> {
    let table = tiffin_common::registry::table_named(table).unwrap();
    let number = |name: &str| table.column(name).unwrap();
    let mut columns: Vec<_> = columns.iter().map(|(name, value)| (number(name), *value)).collect();
    let key = match kind {
        OpKind::Insert => {
            columns.push((0, Value::Id(id)));
            Value::Null
        }
        _ => Value::Id(id),
    };
    columns.sort_by_key(|(no, _)| *no);
    let mut changes = Changes::default();
    changes.push(&Op { table: table.no, kind, key, saw: None, columns });
    assert!(Packed(changes.bytes().to_vec()).op().is_some());
    changes.bytes().to_vec()
}

fn at(frame: Option<&Frame>) -> Option<At> {
    frame.map(|frame| {
        At::from(Position { epoch: frame.header.epoch, seq: frame.header.seq, hash: frame.hash })
    })
}

impl State {
    fn answer(&mut self, request: &Request) -> Answer {
        let path = request.path.split('?').next().unwrap();
        let body = match path {
            "hello" => {
                let asked: HelloRequest = serde_json::from_slice(&request.body).unwrap();
                let standing = self.standing.clone().unwrap_or(Standing::Normal);
                self.standing = self.then.take().or(self.standing.take());
                self.withdrawn = asked.withdrawn.unwrap_or_default();
                serde_json::to_value(Hello {
                    hub_epoch: self.epoch,
                    cursor: at(self.frames.last()),
                    standing,
                    feed: self.feed.last().map_or(0, |(feed, _)| *feed),
                    pacing: PACING,
                    dictionaries: self.dictionaries.clone(),
                    lives: 1,
                    wall: self.wall.unwrap_or(asked.wall),
                })
            }
            "push" => return self.push(request),
            "pull" => {
                let query: PullQuery =
                    serde_urlencoded::from_str(request.path.split_once('?').unwrap().1).unwrap();
                serde_json::to_value(self.pull(&query))
            }
            "frames" => {
                let query: FramesQuery =
                    serde_urlencoded::from_str(request.path.split_once('?').unwrap().1).unwrap();
                let after = |frame: &&Frame| frame.header.seq > query.after;
                let frames: Vec<Frame> = self.lost.iter().filter(after).cloned().collect();
                let body = batch::encode(&Batch { previous: self.before(&frames), frames });
                return Answer {
                    status: 200,
                    content_type: Some(FRAMES_TYPE.into()),
                    body: body.unwrap().into(),
                    ..Answer::default()
                };
            }
            "salvage" => serde_json::to_value(self.salvage.as_ref().expect("nothing is to be taken over")),
            // Nothing is left to fill a box with.
            "snapshot" => {
                let (cursor, rows, stock) = (at(self.frames.last()), String::new(), Vec::new());
                serde_json::to_value(SnapshotPage { cursor, rows, count: 0, next: None, stock })
            }
            other => panic!("{other} is not scripted"),
        };
        json_answer(200, &body.unwrap())
    }

    fn before(&self, lost: &[Frame]) -> Hash {
        let first = lost.first().map_or(1, |frame| frame.header.seq);
        self.frames.iter().find(|frame| frame.header.seq == first - 1).map_or(Hash::START, |frame| frame.hash)
    }

    fn push(&mut self, request: &Request) -> Answer {
        let (batch, cut) = batch::decode(&request.body, 1 << 30).unwrap();
        assert!(!cut);
        // Behind the hash of the row before, and the length of the first block.
        self.packed_with = request.body.get(20).copied();
        if request.class == Some(tiffin_common::sync::Class::Salvage) {
            self.salvaged.extend(batch.frames);
            return self.reply();
        }
        // A new lineage goes on from a row that is known.
        if self.standing.take().is_some() {
            let from = batch.frames[0].header.seq;
            self.frames.retain(|frame| frame.header.seq < from);
        }
        for frame in batch.frames {
            match self.frames.last() {
                Some(last) if frame.header.seq <= last.header.seq => {
                    let held = self.frames.iter().find(|held| held.header.seq == frame.header.seq);
                    assert_eq!(held, Some(&frame), "another row of the same number");
                }
                last => {
                    assert_eq!(frame.header.seq, last.map_or(0, |last| last.header.seq) + 1);
                    let previous = last.map_or(Hash::START, |last| last.hash);
                    assert_eq!(frame.hash, previous.next(&frame.header, &frame.body));
                    self.frames.push(frame);
                }
            }
        }
        self.reply()
    }

    fn reply(&mut self) -> Answer {
        let digest = self.frames.iter().rev().find(|frame| frame.header.kind as i64 == 3);
        let bad = if self.stays_bad { self.bad.clone() } else { std::mem::take(&mut self.bad) };
        let reply = PushReply {
            cursor: at(self.frames.last()),
            feed: self.feed.last().map_or(0, |(feed, _)| *feed),
            pacing: PACING,
            agreed_at: digest.map(|frame| frame.header.seq).filter(|_| bad.is_empty()),
            bad,
            wall: self.wall.unwrap_or(Millis::new(0)),
        };
        json_answer(200, &serde_json::to_value(reply).unwrap())
    }

    fn pull(&self, query: &PullQuery) -> PullReply {
        let head = self.feed.last().map_or(0, |(feed, _)| *feed);
        let new: Vec<_> = self.feed.iter().filter(|(feed, _)| self.reset || *feed > query.feed).collect();
        // A row a page, so that pages are put together; but all of them at once after a reset.
        let page = if self.reset { new.len() } else { 1.min(new.len()) };
        let feed = if self.reset { head } else { new.first().map_or(query.feed, |(feed, _)| *feed) };
        let row = |(feed, op): &&(i64, Vec<u8>)| FeedRow { feed: *feed, op: STANDARD.encode(op) };
        PullReply {
            hub_epoch: self.epoch,
            reset: self.reset,
            decided_to: self.decided_to.unwrap_or_else(|| self.frames.last().map_or(0, |f| f.header.seq)),
            rows: new.iter().take(page).map(row).collect(),
            scheduled: self.scheduled.clone(),
            feed,
            mark: format!("{feed:016x}"),
            more: new.len() > page,
            salvage: false,
            chain: None,
        }
    }
}

const PACING: Pacing = Pacing { max_bytes: 1 << 20, min_gap_ms: 0 };

fn json_answer(status: u16, body: &serde_json::Value) -> Answer {
    Answer {
        status,
        content_type: Some("application/json".into()),
        retry_after: (status == 503 || status == 429).then_some(30),
        body: body.to_string().into(),
    }
}

impl HubClient for FakeHub {
    fn send(&self, request: Request) -> Reply<'_> {
        Box::pin(async move {
            let mut state = self.state.lock().unwrap();
            let class = request.class.map_or("", |class| class.name());
            state.asked.push(format!("{} {class}", request.path.split('?').next().unwrap()));
            match state.mishaps.pop_front() {
                None => Ok(state.answer(&request)),
                Some(Mishap::Lost) => Err(HubError::Offline("no link".into())),
                Some(Mishap::Unheard) => {
                    state.answer(&request);
                    Err(HubError::Offline("no answer".into()))
                }
                Some(Mishap::Status(status)) => {
                    Ok(json_answer(status, &json!({"code": "ERR_SCRIPTED", "detail": "scripted"})))
                }
                Some(Mishap::Portal) => Ok(Answer {
                    status: 200,
                    content_type: Some("text/html".into()),
                    body: "<html>Welcome".into(),
                    ..Answer::default()
                }),
                Some(Mishap::Lie) => {
                    let mut answer = state.answer(&request);
                    let mut body: serde_json::Value = serde_json::from_slice(&answer.body).unwrap();
                    body["cursor"]["seq"] = json!(1_000_000);
                    answer.body = body.to_string().into();
                    Ok(answer)
                }
            }
        })
    }
}
