//! What a running server allows its clients at all. Never counts anything.

use crate::config::Network;
use ipnet::IpNet;
use std::time::Duration;

/// How long a body may take besides what its bytes take at the slowest pace.
const BODY_BASE_MS: u64 = 10_000;

/// The slowest pace at which a body may come, in bytes per millisecond.
const SLOWEST: u64 = 8;

/// Bounds of a running server.
#[derive(Debug, Clone)]
pub struct Bounds {
    /// Connections open at once; for one more, one that waits for its client goes, or it waits in the operating system's queue.
    pub max_connections: usize,
    /// Connections of one address that have not carried a request of somebody who is signed in; none: any number.
    pub limit_connections: Option<usize>,
    /// Proxies: their connections carry everybody's requests and are counted for nobody.
    pub trusted_proxies: Vec<IpNet>,
    /// How long a request's header may take from its first byte.
    pub header_read_timeout: Duration,
    /// How long a connection is kept on which nothing is asked.
    pub idle_timeout: Duration,
    /// How long running requests get after the signal to stop.
    pub shutdown_grace: Duration,
}

impl From<&Network> for Bounds {
    fn from(network: &Network) -> Self {
        Bounds {
            max_connections: network.max_connections,
            limit_connections: network.limit_connections.0,
            trusted_proxies: network.trusted_proxies.clone(),
            header_read_timeout: network.header_read_timeout,
            idle_timeout: network.idle_timeout,
            shutdown_grace: network.shutdown_grace,
        }
    }
}

/// How long a body may take of which so many bytes have come, in milliseconds.
pub(super) fn body_time(received: u64) -> u64 {
    BODY_BASE_MS.saturating_add(received / SLOWEST)
}
