//! A simulated outlet: its day as push bodies, made beforehand, and the protocol's calls over one shared HTTP client. It waits as
//! long as head office asks it to, and never sends two pushes at once.

use super::day::{Day, other_id};
use edge::sync::{Answer, Hub, HubClient, HubError, Reply, Request};
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::{Duration, Instant};
use tiffin_common::frame::{Hash, Position};
use tiffin_common::sync::batch::{Batch, Dictionary, Frame, encode};
use tiffin_common::sync::{At, Class, EnrolRequest, EpochCard, HelloRequest, OutletCard, PROTOCOL, Standing};
use tiffin_common::{Millis, Uuid};

/// What all outlets count together.
#[derive(Debug, Default)]
pub struct Counts {
    /// Bytes of push bodies.
    pub bytes: AtomicU64,
    /// Pushes that were answered.
    pub pushes: AtomicU64,
    /// Answers that asked to wait (429, 503).
    pub busy: AtomicU64,
}

/// One outlet.
pub struct Outlet {
    card: OutletCard,
    device: Uuid,
    epoch: Uuid,
    /// Bodies, and the row that each ends with.
    bodies: Vec<(Vec<u8>, Position)>,
    wall: Millis,
    schema: u32,
}

/// Log rows of one push of a backlog; the worker's are as large as the link allows.
const ROWS: usize = 400;

impl Outlet {
    /// Outlet `number` with the day's rows, `live` of them one to a push.
    pub fn new(day: &Day, number: u64, live: bool) -> Outlet {
        let frames = day.at(number);
        let (first, last) = (frames.first().unwrap().header, frames.last().unwrap().header);
        let mut previous = Hash::START;
        let most = if live { 2 } else { ROWS };
        let bodies = frames.chunks(most).map(|chunk: &[Frame]| {
            let end = chunk.last().unwrap();
            let batch = Batch { previous, frames: chunk.to_vec() };
            previous = end.hash;
            let position = Position { epoch: end.header.epoch, seq: end.header.seq, hash: end.hash };
            (encode(&batch).unwrap(), position)
        });
        Outlet {
            bodies: bodies.collect(),
            card: OutletCard {
                id: other_id(day.outlet, number),
                code: format!("C{number}"),
                name: format!("Outlet {number}"),
                timezone: "Asia/Kolkata".into(),
                currency: "INR".into(),
            },
            device: Uuid::from_u128(0x1000 + u128::from(number)),
            epoch: first.epoch,
            wall: last.wall,
            schema: last.schema,
        }
    }

    /// Enrols; the answer speaks with the outlet's key.
    pub async fn enrol(&self, carrier: &Carrier, code: &str) -> Hub {
        let request = EnrolRequest {
            code: code.to_owned(),
            device_id: self.device,
            outlet: Some(self.card.clone()),
            replace: false,
            reseed: false,
            protocol: PROTOCOL,
            schema: self.schema,
            version: env!("CARGO_PKG_VERSION").into(),
            wall: self.wall,
            pepper: None,
        };
        let enrolled = Hub::new(Arc::new(carrier.clone())).enrol(&request).await.unwrap();
        Hub::new(Arc::new(Carrier { key: Some(enrolled.key), ..carrier.clone() }))
    }

    fn head(&self) -> At {
        At::from(self.bodies.last().unwrap().1)
    }

    fn hello(&self) -> HelloRequest {
        HelloRequest {
            device_id: self.device,
            protocol: PROTOCOL,
            schema: self.schema,
            version: env!("CARGO_PKG_VERSION").into(),
            wall: self.wall,
            head: Some(self.head()),
            epochs: vec![EpochCard { epoch: self.epoch, parent: None }],
            backlog: self.head().seq,
            hub_epoch: None,
            dictionaries: Dictionary::known(),
            feed: 0,
            mark: None,
            kept_from: None,
            scheduled: Vec::new(),
            withdrawn: Some(Vec::new()),
            tls_authority: None,
        }
    }

    /// Pushes everything, `gap` apart. Answers how long each push took from its making to its confirmation, waits included.
    pub async fn drain(&self, hub: &Hub, class: Class, gap: Duration, counts: &Counts) -> Vec<Duration> {
        self.greet(hub, counts).await;
        let mut lags = Vec::new();
        for number in 0..self.pushes() {
            let begin = Instant::now();
            self.push(hub, number, class, counts).await;
            lags.push(begin.elapsed());
            // None at all is not even a tick of the clock.
            if !gap.is_zero() {
                tokio::time::sleep(gap).await;
            }
        }
        lags
    }

    /// Says hello to a head office that has nothing of it yet.
    pub async fn greet(&self, hub: &Hub, counts: &Counts) {
        let hello = patiently(counts, async || hub.hello(&self.hello()).await).await;
        assert_eq!((hello.standing, hello.cursor), (Standing::Normal, None), "outlet {}", self.card.code);
    }

    /// How many pushes the day is.
    pub fn pushes(&self) -> usize {
        self.bodies.len()
    }

    /// Sends one of the day's pushes, until it is confirmed.
    pub async fn push(&self, hub: &Hub, number: usize, class: Class, counts: &Counts) {
        let (body, end) = &self.bodies[number];
        let reply = patiently(counts, async || {
            counts.bytes.fetch_add(body.len() as u64, Ordering::Relaxed);
            hub.push(body.clone(), class).await
        })
        .await;
        counts.pushes.fetch_add(1, Ordering::Relaxed);
        assert_eq!(reply.cursor, Some(At::from(*end)), "outlet {}", self.card.code);
        assert!(reply.bad.is_empty(), "outlet {}: {:?} differ", self.card.code, reply.bad);
    }

    /// Whether head office stands at the end of the day, and its rows were compared there and found equal.
    pub async fn check(&self, hub: &Hub, counts: &Counts) {
        let hello = patiently(counts, async || hub.hello(&self.hello()).await).await;
        assert_eq!(hello.cursor, Some(self.head()), "outlet {}", self.card.code);
        let (body, _) = self.bodies.last().unwrap();
        let again = patiently(counts, async || hub.push(body.clone(), Class::Backlog).await).await;
        assert_eq!(again.cursor, Some(self.head()), "outlet {}: a repeat moved it", self.card.code);
        assert!(again.bad.is_empty(), "outlet {}: {:?} differ", self.card.code, again.bad);
        assert_eq!(again.agreed_at, Some(self.head().seq), "outlet {}: no digest agreed", self.card.code);
    }
}

/// Repeats what head office had no time for, after as long as it asked for.
async fn patiently<T>(counts: &Counts, call: impl AsyncFn() -> Result<T, HubError>) -> T {
    loop {
        match call().await {
            Ok(answer) => return answer,
            Err(HubError::Busy { retry_after }) => {
                counts.busy.fetch_add(1, Ordering::Relaxed);
                tokio::time::sleep(retry_after.unwrap_or(Duration::from_secs(1))).await;
            }
            Err(error) => panic!("head office: {error}"),
        }
    }
}

/// Carries requests over a client that all outlets share.
#[derive(Clone)]
pub struct Carrier {
    /// The client.
    pub http: reqwest::Client,
    /// Where head office answers.
    pub base: String,
    /// The outlet's key.
    pub key: Option<String>,
}

impl HubClient for Carrier {
    fn send(&self, request: Request) -> Reply<'_> {
        Box::pin(async move {
            let offline = |error: reqwest::Error| HubError::Offline(error.to_string());
            let method = reqwest::Method::from_bytes(request.method.as_bytes()).unwrap();
            let mut builder = self
                .http
                .request(method, format!("{}/sync/v1/{}", self.base, request.path))
                .header("content-type", request.content_type)
                .timeout(request.patience)
                .body(request.body);
            if let Some(class) = request.class {
                builder = builder.header(tiffin_common::sync::CLASS_HEADER, class.name());
            }
            if let Some(key) = &self.key {
                builder = builder.bearer_auth(key);
            }
            let answer = builder.send().await.map_err(offline)?;
            let header = |name: &str| answer.headers().get(name).and_then(|value| value.to_str().ok());
            let (content_type, retry_after) = (
                header("content-type").map(str::to_owned),
                header("retry-after").and_then(|v| v.parse().ok()),
            );
            let status = answer.status().as_u16();
            Ok(Answer { status, content_type, retry_after, body: answer.bytes().await.map_err(offline)? })
        })
    }
}
