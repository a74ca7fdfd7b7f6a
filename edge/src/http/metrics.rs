//! Counters and durations per route and status, in Prometheus' text form. Never a label that a client can invent: routes
//! are matched patterns, methods are the known ones.

use axum::http::Method;
use std::collections::HashMap;
use std::fmt::Write;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, RwLock};
use std::time::Duration;

/// Upper bounds of the duration buckets, in microseconds, and as Prometheus writes them, in seconds.
const BUCKETS: [(u64, &str); 11] = [
    (1_000, "0.001"),
    (2_500, "0.0025"),
    (5_000, "0.005"),
    (10_000, "0.01"),
    (25_000, "0.025"),
    (50_000, "0.05"),
    (100_000, "0.1"),
    (250_000, "0.25"),
    (500_000, "0.5"),
    (1_000_000, "1"),
    (5_000_000, "5"),
];

/// What is counted of one method, route and status.
#[derive(Default)]
struct Series {
    requests: AtomicU64,
    micros: AtomicU64,
    /// Requests per bucket, each alone; the text form adds them up.
    buckets: [AtomicU64; BUCKETS.len()],
}

impl Series {
    fn record(&self, took: Duration) {
        let micros = u64::try_from(took.as_micros()).unwrap_or(u64::MAX);
        self.requests.fetch_add(1, Ordering::Relaxed);
        self.micros.fetch_add(micros, Ordering::Relaxed);
        if let Some((_, bucket)) = BUCKETS.iter().zip(&self.buckets).find(|((bound, _), _)| micros <= *bound)
        {
            bucket.fetch_add(1, Ordering::Relaxed);
        }
    }
}

/// The series of one route, by method and status.
type OfRoute = Vec<(&'static str, u16, Arc<Series>)>;

/// The registry. Clones share it.
#[derive(Clone, Default)]
pub struct Metrics(Arc<RwLock<HashMap<String, OfRoute>>>);

impl std::fmt::Debug for Metrics {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str("Metrics")
    }
}

/// A figure asked for at the moment of the scrape.
#[derive(Debug, Clone, Copy)]
pub struct Figure {
    /// Its name, with its unit last.
    pub name: &'static str,
    /// What it is.
    pub help: &'static str,
    /// `counter` or `gauge`.
    pub kind: &'static str,
    /// Its value.
    pub value: u64,
}

impl Metrics {
    /// Counts an answer. `route` is the matched pattern, never the path.
    pub fn record(&self, method: &Method, route: &str, status: u16, took: Duration) {
        let method = known(method);
        let of = |series: &OfRoute| {
            let found = series.iter().find(|(m, s, _)| *m == method && *s == status);
            found.map(|(_, _, series)| Arc::clone(series))
        };
        let found = self.0.read().ok().and_then(|routes| routes.get(route).and_then(of));
        if let Some(series) = found {
            return series.record(took);
        }
        if let Ok(mut routes) = self.0.write() {
            let list = routes.entry(route.to_owned()).or_default();
            let series = of(list).unwrap_or_else(|| {
                let made = Arc::new(Series::default());
                list.push((method, status, Arc::clone(&made)));
                made
            });
            series.record(took);
        }
    }

    /// Everything as Prometheus reads it, in a stable order.
    pub fn text(&self, figures: &[Figure]) -> String {
        let mut text = String::new();
        for Figure { name, help, kind, value } in figures {
            let _ = writeln!(text, "# HELP {name} {help}\n# TYPE {name} {kind}\n{name} {value}");
        }
        text.push_str("# HELP tiffin_http_request_duration_seconds Time until the answer began\n");
        text.push_str("# TYPE tiffin_http_request_duration_seconds histogram\n");
        let Ok(routes) = self.0.read() else { return text };
        let mut all: Vec<_> = routes
            .iter()
            .flat_map(|(r, list)| list.iter().map(move |(m, s, series)| (r, m, s, series)))
            .collect();
        all.sort_by_key(|(route, method, status, _)| (*route, *method, *status));
        for (route, method, status, series) in all {
            let labels = format!("method=\"{method}\",route=\"{route}\",status=\"{status}\"");
            series.write(&mut text, &labels);
        }
        text
    }
}

impl Series {
    fn write(&self, text: &mut String, labels: &str) {
        const NAME: &str = "tiffin_http_request_duration_seconds";
        let mut total = 0_u64;
        for ((_, bound), bucket) in BUCKETS.iter().zip(&self.buckets) {
            total = total.saturating_add(bucket.load(Ordering::Relaxed));
            let _ = writeln!(text, "{NAME}_bucket{{{labels},le=\"{bound}\"}} {total}");
        }
        let requests = self.requests.load(Ordering::Relaxed);
        let micros = self.micros.load(Ordering::Relaxed);
        let _ = writeln!(text, "{NAME}_bucket{{{labels},le=\"+Inf\"}} {requests}");
        let _ = writeln!(text, "{NAME}_sum{{{labels}}} {}.{:06}", micros / 1_000_000, micros % 1_000_000);
        let _ = writeln!(text, "{NAME}_count{{{labels}}} {requests}");
    }
}

/// The method's name when it is a usual one: clients can invent methods, and each would be a series.
fn known(method: &Method) -> &'static str {
    match *method {
        Method::GET => "GET",
        Method::POST => "POST",
        Method::PUT => "PUT",
        Method::PATCH => "PATCH",
        Method::DELETE => "DELETE",
        Method::HEAD => "HEAD",
        Method::OPTIONS => "OPTIONS",
        _ => "OTHER",
    }
}

/// Resident memory of this process in bytes; 0 where the system does not tell.
pub fn resident_bytes() -> u64 {
    const PAGE_BYTES: u64 = 4096;
    let statm = std::fs::read_to_string("/proc/self/statm").unwrap_or_default();
    let pages = statm.split_whitespace().nth(1).and_then(|pages| pages.parse::<u64>().ok());
    pages.unwrap_or(0).saturating_mul(PAGE_BYTES)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn durations_add_up_per_route_and_status() {
        let metrics = Metrics::default();
        for micros in [900, 4_000, 9_000_000] {
            metrics.record(&Method::GET, "/api/v1/orders/{id}", 200, Duration::from_micros(micros));
        }
        metrics.record(&Method::from_bytes(b"BREW").unwrap(), "unmatched", 404, Duration::from_micros(1));
        let figure = Figure { name: "tiffin_x_bytes", help: "X", kind: "gauge", value: 7 };
        let text = metrics.text(&[figure]);
        let labels = "method=\"GET\",route=\"/api/v1/orders/{id}\",status=\"200\"";
        for (rest, value) in [
            (format!("_bucket{{{labels},le=\"0.001\"}}"), "1"),
            (format!("_bucket{{{labels},le=\"0.005\"}}"), "2"),
            (format!("_bucket{{{labels},le=\"5\"}}"), "2"),
            (format!("_bucket{{{labels},le=\"+Inf\"}}"), "3"),
            (format!("_sum{{{labels}}}"), "9.004900"),
            (format!("_count{{{labels}}}"), "3"),
        ] {
            let line = format!("tiffin_http_request_duration_seconds{rest} {value}\n");
            assert!(text.contains(&line), "{line}{text}");
        }
        assert!(text.contains("method=\"OTHER\",route=\"unmatched\""));
        assert!(text.starts_with("# HELP tiffin_x_bytes X\n# TYPE tiffin_x_bytes gauge\ntiffin_x_bytes 7\n"));
    }

    #[test]
    fn this_process_uses_memory() {
        assert!(resident_bytes() > 100_000);
    }
}
