//! Counters and durations per route and status, as Prometheus reads them (OpenMetrics). Never a label that a client can invent:
//! routes are matched patterns, methods are the known ones.

use axum::http::{Method, header};
use axum::response::IntoResponse;
use prometheus_client::encoding::{EncodeLabelSet, text};
use prometheus_client::metrics::counter::ConstCounter;
use prometheus_client::metrics::family::Family;
use prometheus_client::metrics::gauge::ConstGauge;
use prometheus_client::metrics::histogram::Histogram;
use prometheus_client::registry::Registry;
use std::time::Duration;

/// Upper bounds of the duration buckets, in seconds.
const BUCKETS: [f64; 11] = [0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1.0, 5.0];

#[derive(Debug, Clone, PartialEq, Eq, Hash, EncodeLabelSet)]
struct Labels {
    method: &'static str,
    route: String,
    status: u16,
}

/// How long answers took. Clones share it.
#[derive(Debug, Clone)]
pub struct Metrics(Family<Labels, Histogram, fn() -> Histogram>);

impl Default for Metrics {
    fn default() -> Self {
        Metrics(Family::new_with_constructor(|| Histogram::new(BUCKETS)))
    }
}

/// Figures asked for at the moment of the scrape, in their order.
#[derive(Debug, Default)]
pub struct Figures(Registry);

impl Figures {
    /// What only grows. Its name ends with `_total`.
    pub fn counter(&mut self, name: &str, help: &str, value: u64) {
        // The library puts it back.
        let name = name.strip_suffix("_total").unwrap_or(name);
        self.0.register(name, help, ConstCounter::new(value));
    }

    /// What may fall, too. Its name ends with its unit.
    pub fn gauge(&mut self, name: &str, help: &str, value: u64) {
        self.0.register(name, help, ConstGauge::new(value));
    }
}

impl Metrics {
    /// Counts an answer. `route` is the matched pattern, never the path.
    pub fn record(&self, method: &Method, route: &str, status: u16, took: Duration) {
        let labels = Labels { method: known(method), route: route.to_owned(), status };
        self.0.get_or_create(&labels).observe(took.as_secs_f64());
    }

    /// Everything, with the figures of this moment.
    pub fn text(&self, Figures(mut all): Figures) -> String {
        let durations = ("tiffin_http_request_duration_seconds", "Time until the answer began");
        all.register(durations.0, durations.1, self.0.clone());
        let mut text = String::new();
        // Writing to a String cannot fail.
        let _infallible = text::encode(&mut text, &all);
        text
    }

    /// [`text`](Self::text) as an answer.
    pub fn answer(&self, figures: Figures) -> impl IntoResponse + use<> {
        let kind = "application/openmetrics-text; version=1.0.0; charset=utf-8";
        ([(header::CONTENT_TYPE, kind)], self.text(figures))
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
            metrics.record(&Method::GET, "/api/v1/orders/{orderId}", 200, Duration::from_micros(micros));
        }
        metrics.record(&Method::from_bytes(b"BREW").unwrap(), "unmatched", 404, Duration::from_micros(1));
        let mut figures = Figures::default();
        figures.gauge("tiffin_x_bytes", "X", 7);
        figures.counter("tiffin_y_total", "Y", 8);
        let text = metrics.text(figures);
        let labels = "method=\"GET\",route=\"/api/v1/orders/{orderId}\",status=\"200\"";
        for (rest, value) in [
            (format!("_bucket{{le=\"0.001\",{labels}}}"), "1"),
            (format!("_bucket{{le=\"0.005\",{labels}}}"), "2"),
            (format!("_bucket{{le=\"5.0\",{labels}}}"), "2"),
            (format!("_bucket{{le=\"+Inf\",{labels}}}"), "3"),
            (format!("_sum{{{labels}}}"), "9.0049"),
            (format!("_count{{{labels}}}"), "3"),
        ] {
            let line = format!("tiffin_http_request_duration_seconds{rest} {value}\n");
            assert!(text.contains(&line), "{line}{text}");
        }
        assert!(text.contains("method=\"OTHER\",route=\"unmatched\""));
        assert!(
            text.starts_with("# HELP tiffin_x_bytes X.\n# TYPE tiffin_x_bytes gauge\ntiffin_x_bytes 7\n")
        );
        assert!(text.contains("# HELP tiffin_y Y.\n# TYPE tiffin_y counter\ntiffin_y_total 8\n"));
    }

    #[test]
    fn this_process_uses_memory() {
        assert!(resident_bytes() > 100_000);
    }
}
