//! Every message of the exchange as each released version sends it: `golden/v1` and so on. All of them are read for ever, and what
//! is sent today is the newest set to the byte. Never rewritten by a test.
//!
//! When the second test fails, a message has changed, and its words say where today's set was written. While the newest set is of
//! no release yet, and the change is meant, copy that over it. Otherwise branches and head offices out there send the old form:
//! what is new must have a default, so that the old set still reads; then copy today's set into a folder of its own and add it to
//! [`VERSIONS`]. Packed rows are texts to these messages: the golden bytes of their coding lie beside the coding.

use edge::sync::{Answer, Hub, HubClient, Reply, Request};
use serde::Serialize;
use serde::de::DeserializeOwned;
use serde_json::Value;
use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex};
use tiffin_common::frame::{Body, Hash, Header, Kind};
use tiffin_common::sync::batch::{self, Batch, Frame};
use tiffin_common::sync::{
    At, BucketCard, ChainCard, Class, EnrolRequest, Enrolled, EpochCard, FRAMES_TYPE, FeedRow, FramesQuery,
    HashText, Hello, HelloRequest, OutletCard, Pacing, Phase, PullQuery, PullReply, PushReply, Refused,
    RefusedReason, ScheduledRow, SnapshotPage, SnapshotQuery, Standing, StockCard,
};
use tiffin_common::{Hlc, Millis, Uuid};

/// The folders, oldest first.
const VERSIONS: &[&str] = &["v1"];

/// Packed rows in base64.
const PACKED: &str = "AQIDBAU=";

type Set = BTreeMap<&'static str, Vec<u8>>;

fn folder(version: &str) -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("exchange/golden").join(version)
}

fn id(number: u128) -> Uuid {
    Uuid::from_u128(0x019a_9f2e_c700_7000_8000_0000_0000_0000 | number)
}

fn at(seq: i64) -> At {
    At { epoch: id(3), seq, hash: HashText(Hash([seq as u8; 16])) }
}

const WALL: Millis = Millis::new(1_795_177_800_000);

const PACING: Pacing = Pacing { max_bytes: 1_048_576, min_gap_ms: 250 };

fn outlet() -> OutletCard {
    OutletCard {
        id: id(1),
        code: "BLR1".into(),
        name: "Tiffin Indiranagar".into(),
        timezone: "Asia/Kolkata".into(),
        currency: "INR".into(),
    }
}

/// The first row of a log.
fn rows() -> Batch {
    let (previous, body) = (Hash::START, Body::epoch_start(None));
    let header = Header {
        seq: 1,
        epoch: id(3),
        kind: Kind::EpochStart,
        hlc: Hlc::ZERO,
        wall: WALL,
        schema: 12,
        count: 0,
    };
    let hash = previous.next(&header, &body);
    Batch { previous, frames: vec![Frame { header, body, hash }] }
}

fn json(message: &impl Serialize) -> Vec<u8> {
    let mut text = serde_json::to_vec_pretty(message).unwrap();
    text.push(b'\n');
    text
}

fn value(bytes: &[u8]) -> Value {
    serde_json::from_slice(bytes).unwrap()
}

fn hello(standing: Standing) -> Hello {
    Hello {
        hub_epoch: id(5),
        cursor: Some(at(9)),
        standing,
        feed: 17,
        pacing: PACING,
        dictionaries: vec![1],
        lives: 2,
        wall: WALL,
    }
}

/// What head office answers today.
fn answers() -> Set {
    let lost = Standing::LostSuffix { ancestor: Some(at(7)), lost_to: at(9) };
    let enrolled = Enrolled {
        outlet: outlet(),
        key: "tfk_0123456789".into(),
        hub_epoch: id(5),
        cursor: Some(at(9)),
        pepper: Some("ab".repeat(32)),
        lives: 3,
        tls_authority: None,
    };
    let pushed = PushReply {
        cursor: Some(at(17)),
        feed: 18,
        pacing: PACING,
        bad: vec![
            BucketCard { table: 71, day: chrono::NaiveDate::from_ymd_opt(2026, 11, 20) },
            BucketCard { table: 22, day: None },
        ],
        agreed_at: Some(14),
        wall: WALL,
    };
    let pulled = PullReply {
        hub_epoch: id(5),
        reset: false,
        decided_to: 13,
        rows: vec![FeedRow { feed: 18, op: PACKED.into() }],
        scheduled: vec![ScheduledRow { id: id(40), effective_at: WALL, op: PACKED.into() }],
        feed: 18,
        mark: "0123456789abcdef".into(),
        more: true,
        salvage: true,
        chain: Some(ChainCard { mark: "00000000000000cd".into(), outlets: vec![outlet()] }),
    };
    let page = SnapshotPage {
        cursor: Some(at(17)),
        rows: PACKED.into(),
        count: 1,
        next: Some(format!("71:{}", id(20))),
        stock: vec![StockCard {
            item: id(50),
            batch: Some(id(51)),
            quantity: 2_500_000,
            cost_micros: 100_000,
        }],
    };
    let refused = Refused { reason: RefusedReason::Mismatch, cursor: Some(at(9)) };
    BTreeMap::from([
        ("enrol.answer.json", json(&enrolled)),
        ("hello.answer.json", json(&hello(Standing::Normal))),
        ("hello.lost.answer.json", json(&hello(lost))),
        ("hello.fork.answer.json", json(&hello(Standing::Fork))),
        ("push.answer.json", json(&pushed)),
        ("push.refused.json", json(&refused)),
        ("pull.answer.json", json(&pulled)),
        ("snapshot.answer.json", json(&page)),
    ])
}

/// Keeps the last request and answers it from a set.
struct Recorder {
    set: Set,
    last: Mutex<Option<Request>>,
}

impl HubClient for Recorder {
    fn send(&self, request: Request) -> Reply<'_> {
        let call = request.path.split('?').next().unwrap().to_owned();
        *self.last.lock().unwrap() = Some(request);
        let (content_type, body) = match call.as_str() {
            "frames" => (FRAMES_TYPE, batch::encode(&rows()).unwrap()),
            _ => ("application/json", self.set[&*format!("{call}.answer.json")].clone()),
        };
        let content_type = Some(content_type.to_owned());
        Box::pin(std::future::ready(Ok(Answer {
            status: 200,
            content_type,
            retry_after: None,
            body: body.into(),
        })))
    }
}

/// What a branch sends today, from its own client. That client reads head office's answers by the way.
async fn requests() -> Set {
    let recorder = Arc::new(Recorder { set: answers(), last: Mutex::default() });
    let hub = Hub::new(recorder.clone());
    let mut set = Set::new();
    let sent = || recorder.last.lock().unwrap().take().unwrap();
    let lines = |body: &[u8]| json(&value(body));
    let path = |request: Request| format!("{}\n", request.path).into_bytes();
    let enrol = EnrolRequest {
        code: "7H2K-9QXM".into(),
        device_id: id(2),
        outlet: Some(outlet()),
        replace: false,
        reseed: false,
        protocol: 1,
        schema: 12,
        version: "1.0.0".into(),
        wall: WALL,
        pepper: Some("ab".repeat(32)),
    };
    hub.enrol(&enrol).await.unwrap();
    set.insert("enrol.request.json", lines(&sent().body));
    let hello = HelloRequest {
        device_id: id(2),
        protocol: 1,
        schema: 12,
        version: "1.0.0".into(),
        wall: WALL,
        head: Some(at(17)),
        epochs: vec![
            EpochCard { epoch: id(4), parent: Some(at(9)) },
            EpochCard { epoch: id(3), parent: None },
        ],
        backlog: 8,
        hub_epoch: Some(id(5)),
        dictionaries: vec![1],
        feed: 17,
        mark: Some("00000000000000ab".into()),
        kept_from: Some(3),
        scheduled: Vec::new(),
        withdrawn: None,
        tls_authority: None,
    };
    hub.hello(&hello).await.unwrap();
    set.insert("hello.request.json", lines(&sent().body));
    hub.push(batch::encode(&rows()).unwrap(), Class::Live).await.unwrap();
    let pull = PullQuery {
        feed: 17,
        mark: Some("0123456789abcdef".into()),
        hub_epoch: Some(id(5)),
        wait: Some(50),
        chain: Some("00000000000000ab".into()),
    };
    hub.pull(&pull).await.unwrap();
    set.insert("pull.request.txt", path(sent()));
    let frames = FramesQuery { epoch: id(4), to: 17, after: 9, limit: Some(4_096), dictionary: Some(1) };
    assert_eq!(hub.frames(&frames).await.unwrap(), rows());
    set.insert("frames.request.txt", path(sent()));
    let snapshot = SnapshotQuery { phase: Phase::B, after: Some(format!("71:{}", id(20))) };
    hub.snapshot(&snapshot).await.unwrap();
    set.insert("snapshot.request.txt", path(sent()));
    set
}

/// Reads a message of any version; one of today's own comes out as it went in.
fn reads<T: Serialize + DeserializeOwned>(bytes: &[u8], is_own: bool) {
    let read: T = serde_json::from_slice(bytes).unwrap();
    if is_own {
        assert_eq!(serde_json::to_value(read).unwrap(), value(bytes));
    }
}

fn reads_query<T: DeserializeOwned>(bytes: &[u8]) {
    let text = std::str::from_utf8(bytes).unwrap().trim_end();
    serde_urlencoded::from_str::<T>(text.split_once('?').unwrap().1).unwrap();
}

#[test]
fn what_any_version_sends_is_read() {
    for version in VERSIONS {
        let mut count = 0;
        for entry in std::fs::read_dir(folder(version)).unwrap() {
            let path = entry.unwrap().path();
            let (bytes, name) = (std::fs::read(&path).unwrap(), path.file_name().unwrap().to_str().unwrap());
            let is_own = VERSIONS.last().unwrap() == version;
            count += 1;
            match name {
                "enrol.request.json" => reads::<EnrolRequest>(&bytes, is_own),
                "enrol.answer.json" => reads::<Enrolled>(&bytes, is_own),
                "hello.request.json" => reads::<HelloRequest>(&bytes, is_own),
                "push.answer.json" => reads::<PushReply>(&bytes, is_own),
                "push.refused.json" => reads::<Refused>(&bytes, is_own),
                "pull.answer.json" => reads::<PullReply>(&bytes, is_own),
                "snapshot.answer.json" => reads::<SnapshotPage>(&bytes, is_own),
                "pull.request.txt" => reads_query::<PullQuery>(&bytes),
                "frames.request.txt" => reads_query::<FramesQuery>(&bytes),
                "snapshot.request.txt" => reads_query::<SnapshotQuery>(&bytes),
                _ if name.starts_with("hello.") && name.ends_with("answer.json") => {
                    reads::<Hello>(&bytes, is_own);
                }
                _ => panic!("{version}/{name} is read by nobody"),
            }
        }
        assert_eq!(count, 13, "messages of {version}");
    }
}

#[tokio::test]
async fn what_is_sent_today_is_the_newest_set() {
    let newest = VERSIONS.last().unwrap();
    let mut today = requests().await;
    today.extend(answers());
    let written = Path::new(env!("CARGO_TARGET_TMPDIR")).join("golden");
    std::fs::create_dir_all(&written).unwrap();
    today.iter().for_each(|(name, bytes)| std::fs::write(written.join(name), bytes).unwrap());
    let differs = |(name, bytes): &(&&str, &Vec<u8>)| {
        let golden = std::fs::read(folder(newest).join(name)).unwrap_or_else(|_| b"null".to_vec());
        // The order of an object's members says nothing.
        if name.ends_with(".json") { value(&golden) != value(bytes) } else { golden != **bytes }
    };
    let changed: Vec<&str> = today.iter().filter(differs).map(|(name, _)| *name).collect();
    assert!(
        changed.is_empty(),
        "{changed:?} differ from golden/{newest}; today's are in {}",
        written.display()
    );
}
