//! Rate limits: one limiter per class of request, keyed by client, with the headers the contract names. Never counts
//! one client's requests against another, and never grows without bound.
//!
//! The limiters are `tower_governor`'s (GCRA: `requests` at once, then refilled evenly over `seconds`). Its own layer
//! is not used: it sends `x-ratelimit-*`, rounds the wait down to 0 and never forgets a key.

use super::client::{ClientAddress, Device, network_of};
use super::error::{Code, Problem};
use crate::config::{LimitRates, Rate};
use axum::extract::{Request, State};
use axum::http::{HeaderName, HeaderValue};
use axum::middleware::{Next, from_fn_with_state};
use axum::response::{IntoResponse, Response};
use axum::routing::MethodRouter;
use governor::clock::{Clock, DefaultClock};
use governor::middleware::StateInformationMiddleware;
use std::net::{IpAddr, Ipv4Addr};
use std::sync::Arc;
use std::time::Duration;
use tiffin_common::Uuid;
use tokio::sync::watch;
use tower_governor::governor::{GovernorConfig, GovernorConfigBuilder};
use tower_governor::{GovernorError, key_extractor::KeyExtractor};

/// How often clients are forgotten.
const SWEEP_EVERY: Duration = Duration::from_secs(60);

/// What is limited. The numbers are settings.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Class {
    /// Every request but those of signed-in devices: one address may be a whole restaurant's.
    General,
    /// Signing in.
    Login,
    /// Everything that takes a PIN; counted per device.
    Pin,
    /// A guest reading the menu by QR code.
    QrMenu,
    /// A guest ordering by QR code.
    QrOrder,
    /// A guest's feedback.
    Feedback,
    /// Asking for a password reset.
    ForgotPassword,
    /// A device that asks to be paired.
    Pairing,
    /// A guest who calls.
    QrCall,
}

/// Who is counted.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
enum Key {
    /// An address; IPv6 by its /64, which one customer of a provider has to himself.
    Address(IpAddr),
    /// A signed-in device. A device id sent in a header is not used: anyone can invent one.
    Session(Uuid),
}

/// Finds the key of a request.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
struct ByClient {
    per_device: bool,
}

impl KeyExtractor for ByClient {
    type Key = Key;

    fn extract<T>(&self, request: &axum::http::Request<T>) -> Result<Key, GovernorError> {
        if self.per_device
            && let Some(Device(session)) = request.extensions().get::<Device>()
        {
            return Ok(Key::Session(*session));
        }
        let client = request.extensions().get::<ClientAddress>();
        Ok(Key::Address(client.map_or(IpAddr::V4(Ipv4Addr::UNSPECIFIED), |client| network_of(client.ip))))
    }
}

/// One class's limiter.
struct Limiter {
    requests: u32,
    seconds: u32,
    key: ByClient,
    governor: GovernorConfig<ByClient, StateInformationMiddleware>,
    clock: DefaultClock,
}

impl Limiter {
    fn new(rate: Rate, per_device: bool) -> Option<Self> {
        let Rate::Per { requests, seconds } = rate else { return None };
        let key = ByClient { per_device };
        let period = Duration::from_secs(seconds.into()).checked_div(requests)?.max(Duration::from_nanos(1));
        let mut builder = GovernorConfigBuilder::default().key_extractor(key).use_headers();
        let governor = builder.period(period).burst_size(requests).finish()?;
        Some(Limiter { requests, seconds, key, governor, clock: DefaultClock::default() })
    }

    /// Counts one request of its client: `Err` with the seconds to wait when it is one too many.
    fn count(&self, request: &Request) -> Result<Standing, (Standing, u64)> {
        let Ok(key) = self.key.extract(request) else { return Ok(self.standing(self.requests)) };
        match self.governor.limiter().check_key(&key) {
            Ok(state) => Ok(self.standing(state.remaining_burst_capacity())),
            Err(refused) => {
                let wait = refused.wait_time_from(self.clock.now());
                Err((
                    self.standing(0),
                    wait.as_secs().saturating_add(u64::from(wait.subsec_nanos() > 0)).max(1),
                ))
            }
        }
    }

    fn standing(&self, remaining: u32) -> Standing {
        let used = u64::from(self.requests.saturating_sub(remaining));
        let reset = used.saturating_mul(self.seconds.into()).div_ceil(self.requests.max(1).into());
        Standing { limit: self.requests, remaining, reset }
    }
}

/// How a client stands with one limit after this request.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
struct Standing {
    limit: u32,
    remaining: u32,
    /// Seconds until nothing is used up any more.
    reset: u64,
}

impl Standing {
    /// Writes the three headers, unless an inner layer wrote those of a tighter limit. The tightest is the one with
    /// the fewest requests remaining, and among equals the one that takes longest to reset: it will refuse first.
    fn mark(self, response: &mut Response) {
        let tightness = |s: &Standing| (s.remaining, std::cmp::Reverse(s.reset));
        if response.extensions().get::<Standing>().is_some_and(|inner| tightness(inner) <= tightness(&self)) {
            return;
        }
        response.extensions_mut().insert(self);
        let values = [
            ("ratelimit-limit", u64::from(self.limit)),
            ("ratelimit-remaining", self.remaining.into()),
            ("ratelimit-reset", self.reset),
        ];
        for (name, value) in values {
            response.headers_mut().insert(HeaderName::from_static(name), HeaderValue::from(value));
        }
    }
}

/// All limiters. Cheap to clone.
#[derive(Clone)]
pub struct Limits(Arc<[Option<Limiter>; 9]>);

/// All off.
impl Default for Limits {
    fn default() -> Self {
        Limits::new(&LimitRates::default())
    }
}

impl std::fmt::Debug for Limits {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "Limits({} clients)", self.clients())
    }
}

impl Limits {
    /// The limiters for the configured rates; a class that is off has none.
    pub fn new(rates: &LimitRates) -> Self {
        let by_address = |rate| Limiter::new(rate, false);
        Limits(Arc::new([
            by_address(rates.general),
            by_address(rates.login),
            Limiter::new(rates.pin, true),
            by_address(rates.qr_menu),
            by_address(rates.qr_order),
            by_address(rates.feedback),
            by_address(rates.forgot_password),
            by_address(rates.pairing),
            by_address(rates.qr_call),
        ]))
    }

    fn limiter(&self, class: Class) -> Option<&Limiter> {
        let [general, login, pin, qr_menu, qr_order, feedback, forgot_password, pairing, qr_call] = &*self.0;
        match class {
            Class::General => general,
            Class::Login => login,
            Class::Pin => pin,
            Class::QrMenu => qr_menu,
            Class::QrOrder => qr_order,
            Class::Feedback => feedback,
            Class::ForgotPassword => forgot_password,
            Class::Pairing => pairing,
            Class::QrCall => qr_call,
        }
        .as_ref()
    }

    /// Forgets clients whose count is back to nothing. Called once a minute, so that memory stays bounded by the
    /// clients of the longest window.
    pub fn sweep(&self) {
        for limiter in self.0.iter().flatten() {
            limiter.governor.limiter().retain_recent();
            limiter.governor.limiter().shrink_to_fit();
        }
    }

    /// Clients remembered at present, over all classes.
    pub fn clients(&self) -> usize {
        self.0.iter().flatten().map(|limiter| limiter.governor.limiter().len()).sum()
    }
}

/// Sweeps once a minute until `stopping`.
pub async fn sweep_until(limits: Limits, mut stopping: watch::Receiver<bool>) {
    let mut ticks = tokio::time::interval(SWEEP_EVERY);
    loop {
        tokio::select! {
            _ = stopping.wait_for(|stop| *stop) => return,
            _ = ticks.tick() => limits.sweep(),
        }
    }
}

/// Puts one route behind the limit of `class`; it counts in the general one too.
pub fn layer<S: Clone + Send + Sync + 'static>(
    handler: MethodRouter<S>,
    limits: Limits,
    class: Class,
) -> MethodRouter<S> {
    handler.layer(from_fn_with_state((limits, class), enforce))
}

/// Counts the request in `class` and refuses it with 429 when it is one too many.
///
/// For whole routers: `.layer(from_fn_with_state((limits, class), limit::enforce))`.
pub async fn enforce(
    State((limits, class)): State<(Limits, Class)>,
    request: Request,
    next: Next,
) -> Response {
    let Some(limiter) = limits.limiter(class) else { return next.run(request).await };
    let is_known = class == Class::General && request.extensions().get::<Device>().is_some();
    let counted = if is_known { Ok(limiter.standing(limiter.requests)) } else { limiter.count(&request) };
    let (standing, mut response) = match counted {
        Ok(standing) => (standing, next.run(request).await),
        Err((standing, wait)) => {
            let detail = format!("Too many requests. Try again in {wait} s.");
            (standing, Problem::new(Code::RateLimited).detail(detail).retry_after(wait).into_response())
        }
    };
    standing.mark(&mut response);
    response
}

#[cfg(test)]
mod tests {
    use super::*;
    use axum::Router;
    use axum::body::Body;
    use axum::routing::get;
    use tower::Service;

    const fn rate(requests: u32, seconds: u32) -> Rate {
        Rate::Per { requests, seconds }
    }

    fn app(rates: LimitRates) -> (Router, Limits) {
        let limits = Limits::new(&rates);
        let general = from_fn_with_state((limits.clone(), Class::General), enforce);
        let app = Router::new()
            .route("/menu", layer(get(async || "menu"), limits.clone(), Class::QrMenu))
            .route("/pin", layer(get(async || "pin"), limits.clone(), Class::Pin))
            .route("/other", get(async || "other"))
            .layer(general);
        (app, limits)
    }

    async fn ask(app: &mut Router, path: &str, ip: &str) -> (u16, String) {
        ask_as(app, path, ip, None).await
    }

    async fn ask_as(app: &mut Router, path: &str, ip: &str, device: Option<Device>) -> (u16, String) {
        let mut request = Request::get(path).body(Body::empty()).unwrap();
        device.map(|device| request.extensions_mut().insert(device));
        request.extensions_mut().insert(ClientAddress { ip: ip.parse().unwrap(), forwarded: false });
        let response = app.call(request).await.unwrap();
        let shown = ["ratelimit-limit", "ratelimit-remaining", "ratelimit-reset", "retry-after"];
        let text = |name| response.headers().get(name).map_or("-", |value| value.to_str().unwrap());
        (response.status().as_u16(), shown.map(text).join(" "))
    }

    #[tokio::test]
    async fn headers_tell_the_tightest_limit_also_on_404_and_429() {
        let rates = LimitRates { general: rate(100, 60), qr_menu: rate(3, 60), ..LimitRates::default() };
        let (mut app, _) = app(rates);
        let expected = [(200, "3 2 20 -"), (200, "3 1 40 -"), (200, "3 0 60 -"), (429, "3 0 60 20")];
        for (status, headers) in expected {
            assert_eq!(ask(&mut app, "/menu", "10.0.0.1").await, (status, headers.to_string()));
        }
        assert_eq!(ask(&mut app, "/nowhere", "10.0.0.1").await, (404, "100 95 3 -".into()));
        assert_eq!(ask(&mut app, "/menu", "10.0.0.2").await, (200, "3 2 20 -".into()));
    }

    #[tokio::test]
    async fn the_general_limit_shows_where_it_is_the_tighter_one() {
        let rates = LimitRates { general: rate(2, 90), qr_menu: rate(10, 60), ..LimitRates::default() };
        let (mut app, _) = app(rates);
        assert_eq!(ask(&mut app, "/menu", "10.0.0.1").await, (200, "2 1 45 -".into()));
        assert_eq!(ask(&mut app, "/other", "10.0.0.1").await, (200, "2 0 90 -".into()));
        assert_eq!(ask(&mut app, "/menu", "10.0.0.1").await, (429, "2 0 90 45".into()));
    }

    #[tokio::test]
    async fn off_sends_nothing_and_the_wait_is_never_zero() {
        let (mut app, limits) = app(LimitRates { qr_menu: rate(1_000, 1), ..LimitRates::default() });
        assert_eq!(ask(&mut app, "/other", "10.0.0.1").await, (200, "- - - -".into()));
        assert_eq!(limits.clients(), 0);
        let mut refused = 0;
        for _ in 0..3_000 {
            let (status, headers) = ask(&mut app, "/menu", "10.0.0.1").await;
            if status == 429 {
                assert!(headers.ends_with(" 1"), "{headers}");
                refused += 1;
            }
        }
        assert!(refused > 0);
    }

    #[tokio::test]
    async fn pins_count_by_device_even_behind_one_address() {
        let (mut app, _) = app(LimitRates { pin: rate(1, 60), ..LimitRates::default() });
        let [first, second] = [1, 2].map(|n| Some(Device(Uuid::from_u128(n))));
        assert_eq!(ask_as(&mut app, "/pin", "10.0.0.1", first).await.0, 200);
        assert_eq!(ask_as(&mut app, "/pin", "10.0.0.1", second).await.0, 200);
        assert_eq!(ask_as(&mut app, "/pin", "10.0.0.9", first).await, (429, "1 0 60 60".into()));
        assert_eq!(ask_as(&mut app, "/pin", "10.0.0.1", None).await.0, 200);
    }

    #[tokio::test]
    async fn ipv6_counts_by_network_and_memory_is_given_back() {
        let (mut app, limits) = app(LimitRates { general: rate(1_000_000, 1), ..LimitRates::default() });
        ask(&mut app, "/other", "2001:db8:1:2::1").await;
        ask(&mut app, "/other", "2001:db8:1:2:ffff::1").await;
        assert_eq!(limits.clients(), 1);
        ask(&mut app, "/other", "2001:db8:1:3::1").await;
        ask(&mut app, "/other", "::ffff:10.0.0.1").await;
        assert_eq!(limits.clients(), 3);
        // One request refills within a microsecond here, which is longer than some machines take to ask.
        let is_given_back = (0..1_000).any(|_| {
            limits.sweep();
            limits.clients() == 0
        });
        assert!(is_given_back, "{} are left", limits.clients());
    }
}
