//! The pages for a person, as a person meets them: a real Chromium opens them from a real branch server, types, taps, prints and
//! decides whom to believe. Every page is looked through by axe-core and measured on phones, a tablet and a desk, by day and by
//! night. Everything on loopback.

mod certificate;
mod driver;
mod guide;
mod looks;
mod pairing;
mod setup;
mod sheet;

use driver::Browser;
use std::net::SocketAddr;
use std::path::Path;
use tiffin_tests::Edge;

/// A loopback address that nothing listens on.
fn free() -> SocketAddr {
    std::net::TcpListener::bind("127.0.0.1:0").unwrap().local_addr().unwrap()
}

/// A branch `BLR1` in `folder`, with TLS at the second address.
async fn branch(folder: &Path) -> (Edge, SocketAddr) {
    let (at, tls) = (folder.to_str().unwrap(), free());
    let init = ["init", "--data-dir", at, "--outlet-name", "Dosa & Co", "--owner-email", "me@example.com"];
    Edge::run(&init);
    (Edge::serve(folder, &["--tls-listen", &tls.to_string()]).await, tls)
}
