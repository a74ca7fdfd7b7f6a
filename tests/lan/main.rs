//! The box in its network: set up from a browser, called over TLS, found by its name, printed on a sheet; and head office over TLS
//! of its own. Real programs, on loopback or in network namespaces of their own.

mod first_minutes;
mod many;
mod network;
mod setup;
mod sheet;
mod tls;

/// Makes a branch `BLR1` in `folder`.
fn init(folder: &std::path::Path) {
    let at = folder.to_str().unwrap();
    tiffin_tests::Edge::run(&[
        "init",
        "--data-dir",
        at,
        "--outlet-name",
        "Dosa & Co",
        "--owner-email",
        "me@example.com",
    ]);
}

/// A client that believes what the authority of this certificate (PEM) signed, and nothing else. `name` leads to loopback.
fn trusting(pem: &str, name: &str) -> reqwest::Client {
    let authority = reqwest::Certificate::from_pem(pem.as_bytes()).unwrap();
    let home = std::net::SocketAddr::from(([127, 0, 0, 1], 0));
    reqwest::Client::builder().tls_certs_only([authority]).resolve(name, home).build().unwrap()
}
