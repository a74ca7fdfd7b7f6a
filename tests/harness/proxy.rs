//! A bad network between a branch and head office: carries HTTP requests one by one over any byte streams (the simulation's or
//! real TCP) and does to each what a seeded draw says. Never understands what it carries beyond where a message ends.

use crate::Dice;
use crate::wire::{Wire, first_line, head_end};
use std::future::Future;
use std::io;
use std::sync::{Arc, Mutex};
use std::time::Duration;
use tokio::io::{AsyncRead, AsyncWrite, AsyncWriteExt};
use tokio::sync::watch;

/// What becomes of one request.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Fate {
    /// It is carried and answered.
    Pass,
    /// It and its answer are slow.
    Slow(Duration),
    /// It never arrives; the connection breaks.
    LoseRequest,
    /// It arrives and is worked on; its answer is lost with the connection.
    LoseReply,
    /// So many thousandths of it arrive, then the connection breaks at both ends.
    CutRequest(u16),
    /// So many thousandths of its answer arrive.
    CutReply(u16),
    /// Nothing comes back and nobody hangs up.
    HalfOpen,
    /// The asker's connection breaks at once; the request arrives that much later, behind younger ones.
    Late(Duration),
    /// It is carried and answered, and arrives a second time that much later.
    Twice(Duration),
    /// Somebody else answers 200 with a page to sign in at.
    Portal,
    /// Somebody on the way answers that it is too much: the status, and how long to stay away in seconds, if said.
    Busy(u16, Option<u16>),
}

/// How often, in a thousand requests, the network does something else than carry them.
#[derive(Debug, Clone, Copy, Default)]
pub struct Weather {
    /// See [`Fate::Slow`].
    pub slow: u64,
    /// See [`Fate::LoseRequest`].
    pub lose_request: u64,
    /// See [`Fate::LoseReply`].
    pub lose_reply: u64,
    /// See [`Fate::CutRequest`].
    pub cut_request: u64,
    /// See [`Fate::CutReply`].
    pub cut_reply: u64,
    /// See [`Fate::HalfOpen`].
    pub half_open: u64,
    /// See [`Fate::Late`].
    pub late: u64,
    /// See [`Fate::Twice`].
    pub twice: u64,
    /// See [`Fate::Portal`].
    pub portal: u64,
    /// See [`Fate::Busy`].
    pub busy: u64,
}

impl Weather {
    /// Everything is carried.
    pub const CALM: Weather = Weather {
        slow: 0,
        lose_request: 0,
        lose_reply: 0,
        cut_request: 0,
        cut_reply: 0,
        half_open: 0,
        late: 0,
        twice: 0,
        portal: 0,
        busy: 0,
    };

    /// Two requests of five go wrong, in every way there is.
    pub const STORM: Weather = Weather {
        slow: 50,
        lose_request: 50,
        lose_reply: 70,
        cut_request: 60,
        cut_reply: 40,
        half_open: 10,
        late: 30,
        twice: 60,
        portal: 20,
        busy: 40,
    };

    fn draw(&self, dice: &Dice) -> Fate {
        let long = || Duration::from_millis(dice.between(1_000, 240_000));
        let short = || Duration::from_millis(dice.between(50, 4_000));
        let share = || u16::try_from(dice.below(1_000)).unwrap_or(0);
        let fates: [(u64, &dyn Fn() -> Fate); 10] = [
            (self.slow, &|| Fate::Slow(short())),
            (self.lose_request, &|| Fate::LoseRequest),
            (self.lose_reply, &|| Fate::LoseReply),
            (self.cut_request, &|| Fate::CutRequest(share())),
            (self.cut_reply, &|| Fate::CutReply(share())),
            (self.half_open, &|| Fate::HalfOpen),
            (self.late, &|| Fate::Late(long())),
            (self.twice, &|| Fate::Twice(long())),
            (self.portal, &|| Fate::Portal),
            (self.busy, &|| Fate::Busy(*dice.pick(&[429, 503]), *dice.pick(&[None, Some(1), Some(3)]))),
        ];
        let mut drawn = dice.below(1_000);
        for (weight, fate) in fates {
            match drawn.checked_sub(weight) {
                Some(rest) => drawn = rest,
                None => return fate(),
            }
        }
        Fate::Pass
    }
}

/// A request that was carried, with its answer.
#[derive(Debug)]
pub struct Carried<'m> {
    /// Which connection's network it was, as its maker named it.
    pub name: &'m str,
    /// Method, path and query, such as `POST /sync/v1/push`.
    pub asked: &'m str,
    /// What `begin` of the observer said when it was sent on.
    pub token: u64,
    /// The status of the answer.
    pub status: u16,
    /// The body of the answer.
    pub body: &'m [u8],
}

/// Sees what is carried. Answers of head office that the asker never gets are seen too.
pub trait Observer: Send + Sync + 'static {
    /// Just before a request goes to head office; its answer comes back with what this returns.
    fn begin(&self, name: &str, asked: &str) -> u64;
    /// Just after head office has answered.
    fn answered(&self, carried: &Carried<'_>);
}

/// One network, shared by its connections and by the test that steers it. Cheap to clone.
#[derive(Clone)]
pub struct Network {
    name: Arc<str>,
    dice: Arc<Dice>,
    weather: Arc<Mutex<Weather>>,
    script: Arc<Mutex<Vec<Fate>>>,
    up: Arc<watch::Sender<bool>>,
    fates: Arc<Mutex<std::collections::BTreeMap<&'static str, u64>>>,
    observer: Option<Arc<dyn Observer>>,
}

impl Network {
    /// A calm network.
    pub fn new(name: &str, dice: Dice) -> Network {
        Network {
            name: name.into(),
            dice: Arc::new(dice),
            weather: Arc::new(Mutex::new(Weather::CALM)),
            script: Arc::default(),
            up: Arc::new(watch::Sender::new(true)),
            fates: Arc::default(),
            observer: None,
        }
    }

    /// The same, seen by `observer`.
    #[must_use]
    pub fn seen_by(self, observer: Arc<dyn Observer>) -> Network {
        Network { observer: Some(observer), ..self }
    }

    /// From now on it is like this.
    pub fn weather(&self, weather: Weather) {
        *self.weather.lock().unwrap() = weather;
    }

    /// What becomes of the next requests, before any drawing.
    pub fn script(&self, fates: &[Fate]) {
        self.script.lock().unwrap().extend(fates.iter().rev().copied());
    }

    /// Cuts every connection and lets none through, or lets them through again.
    pub fn set_up(&self, up: bool) {
        self.up.send_replace(up);
    }

    /// Whether it lets connections through.
    pub fn is_up(&self) -> bool {
        *self.up.borrow()
    }

    /// What became of the requests, by name of their fate.
    pub fn fates(&self) -> std::collections::BTreeMap<&'static str, u64> {
        self.fates.lock().unwrap().clone()
    }

    /// What becomes of the next request.
    pub fn draw(&self) -> Fate {
        let scripted = self.script.lock().unwrap().pop();
        let fate = scripted.unwrap_or_else(|| self.weather.lock().unwrap().draw(&self.dice));
        *self.fates.lock().unwrap().entry(name_of(fate)).or_default() += 1;
        fate
    }

    /// Carries what comes on `client` to what `dial` connects to, until one of them hangs up or the network is cut.
    pub async fn carry<C, S, D, F>(self, client: C, dial: D)
    where
        C: AsyncRead + AsyncWrite + Unpin + Send + 'static,
        S: AsyncRead + AsyncWrite + Unpin + Send + 'static,
        D: Fn() -> F + Clone + Send + Sync + 'static,
        F: Future<Output = io::Result<S>> + Send + 'static,
    {
        let mut up = self.up.subscribe();
        tokio::select! {
            biased;
            _ = up.wait_for(|up| !up) => {}
            // Hanging up is how connections end.
            _ended = self.carry_all(Wire::new(client), dial) => {}
        }
    }

    async fn carry_all<C, S, D, F>(&self, mut client: Wire<C>, dial: D) -> io::Result<()>
    where
        C: AsyncRead + AsyncWrite + Unpin + Send + 'static,
        S: AsyncRead + AsyncWrite + Unpin + Send + 'static,
        D: Fn() -> F + Clone + Send + Sync + 'static,
        F: Future<Output = io::Result<S>> + Send + 'static,
    {
        let mut server: Option<Wire<S>> = None;
        while let Some(request) = client.message(None).await? {
            let fate = self.draw();
            match fate {
                Fate::LoseRequest => return Ok(()),
                Fate::Portal => {
                    let page = "<html><body>Welcome to Hotel Wi-Fi. Please sign in.</body></html>";
                    client.answer(200, "Content-Type: text/html\r\n", page).await?;
                    continue;
                }
                Fate::Busy(status, wait) => {
                    let wait = wait.map(|s| format!("Retry-After: {s}\r\n")).unwrap_or_default();
                    client.answer(status, &wait, "").await?;
                    continue;
                }
                Fate::HalfOpen => return std::future::pending().await,
                Fate::Late(after) => {
                    self.send_later(request, after, dial);
                    return Ok(());
                }
                Fate::CutRequest(share) => {
                    let mut server = Wire::new(dial().await?);
                    server.stream.write_all(&request[..part(request.len(), share)]).await?;
                    server.stream.flush().await?;
                    return server.stream.shutdown().await;
                }
                Fate::Slow(by) => tokio::time::sleep(by / 2).await,
                Fate::Twice(after) => self.send_later(request.clone(), after, dial.clone()),
                Fate::Pass | Fate::LoseReply | Fate::CutReply(_) => {}
            }
            let mut wire = match server.take() {
                Some(wire) => wire,
                None => Wire::new(dial().await?),
            };
            let reply = tokio::select! {
                biased;
                reply = self.exchange(&mut wire, &request) => reply?,
                // The asker has given up: so does the network, and head office sees the connection break.
                gone = client.closed() => return gone,
            };
            match fate {
                Fate::LoseReply => return Ok(()),
                Fate::CutReply(share) => {
                    client.stream.write_all(&reply[..part(reply.len(), share)]).await?;
                    client.stream.flush().await?;
                    return client.stream.shutdown().await;
                }
                Fate::Slow(by) => tokio::time::sleep(by / 2).await,
                _ => {}
            }
            client.stream.write_all(&reply).await?;
            client.stream.flush().await?;
            server = Some(wire);
        }
        Ok(())
    }

    async fn exchange<S>(&self, wire: &mut Wire<S>, request: &[u8]) -> io::Result<Vec<u8>>
    where
        S: AsyncRead + AsyncWrite + Unpin,
    {
        let asked = first_line(request);
        let token = self.observer.as_ref().map(|observer| observer.begin(&self.name, &asked));
        wire.stream.write_all(request).await?;
        wire.stream.flush().await?;
        let reply = wire.message(Some(&asked)).await?.ok_or(io::ErrorKind::UnexpectedEof)?;
        if let (Some(observer), Some(token)) = (&self.observer, token) {
            let status = first_line(&reply).split(' ').nth(1).and_then(|text| text.parse().ok()).unwrap_or(0);
            let body = &reply[head_end(&reply).unwrap_or(reply.len())..];
            observer.answered(&Carried { name: &self.name, asked: &asked, token, status, body });
        }
        Ok(reply)
    }

    /// Sends `request` once more, on a connection of its own, and throws the answer away.
    fn send_later<S, D, F>(&self, request: Vec<u8>, after: Duration, dial: D)
    where
        S: AsyncRead + AsyncWrite + Unpin + Send + 'static,
        D: Fn() -> F + Send + Sync + 'static,
        F: Future<Output = io::Result<S>> + Send + 'static,
    {
        let network = self.clone();
        tokio::spawn(async move {
            tokio::time::sleep(after).await;
            if let Ok(stream) = dial().await {
                // Whether it arrives is up to the server, which may be gone.
                let _lost = network.exchange(&mut Wire::new(stream), &request).await;
            }
        });
    }
}

fn name_of(fate: Fate) -> &'static str {
    match fate {
        Fate::Pass => "pass",
        Fate::Slow(_) => "slow",
        Fate::LoseRequest => "lose request",
        Fate::LoseReply => "lose reply",
        Fate::CutRequest(_) => "cut request",
        Fate::CutReply(_) => "cut reply",
        Fate::HalfOpen => "half open",
        Fate::Late(_) => "late",
        Fate::Twice(_) => "twice",
        Fate::Portal => "portal",
        Fate::Busy(..) => "busy",
    }
}

fn part(length: usize, per_mille: u16) -> usize {
    length * usize::from(per_mille) / 1_000
}

/// A [`Network`] that listens on loopback and carries to whichever servers are named at the moment.
pub struct Proxy {
    /// The network, to steer.
    pub network: Network,
    base: String,
    targets: Arc<Mutex<Vec<std::net::SocketAddr>>>,
    listening: tokio::task::JoinHandle<()>,
}

impl Proxy {
    /// Listens on a free port.
    pub async fn start(network: Network) -> Proxy {
        let listener = tokio::net::TcpListener::bind("127.0.0.1:0").await.unwrap();
        let base = format!("http://{}", listener.local_addr().unwrap());
        let targets: Arc<Mutex<Vec<std::net::SocketAddr>>> = Arc::default();
        let listening = tokio::spawn({
            let (network, targets) = (network.clone(), Arc::clone(&targets));
            async move {
                for turn in 0.. {
                    let Ok((client, _)) = listener.accept().await else { return };
                    let targets = Arc::clone(&targets);
                    let dial = move || {
                        let list = targets.lock().unwrap().clone();
                        async move {
                            let target = list.get(turn % list.len().max(1)).copied();
                            tokio::net::TcpStream::connect(target.ok_or(io::ErrorKind::ConnectionRefused)?)
                                .await
                        }
                    };
                    if network.is_up() {
                        tokio::spawn(network.clone().carry(client, dial));
                    }
                }
            }
        });
        Proxy { network, base, targets, listening }
    }

    /// Where it answers: `http://127.0.0.1:…`.
    pub fn base(&self) -> &str {
        &self.base
    }

    /// Carries to these servers from now on (`http://127.0.0.1:…`), by turns.
    pub fn to(&self, bases: &[&str]) {
        let address = |base: &&str| base.trim_start_matches("http://").parse().unwrap();
        *self.targets.lock().unwrap() = bases.iter().map(address).collect();
    }
}

impl Drop for Proxy {
    fn drop(&mut self) {
        self.network.set_up(false);
        self.listening.abort();
    }
}
