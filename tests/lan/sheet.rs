//! The printed sheet: its codes are read by other code than draws them, and lead to where they say.

use super::init;
use regex::Regex;
use tiffin_tests::{Edge, free_address};

/// The texts of all QR codes of a page, in order.
fn codes(page: &str) -> Vec<String> {
    let svg =
        Regex::new(r#"(?s)<svg[^>]*viewBox="0 0 (\d+) (\d+)".*?<path [^>]*d="([^"]*)".*?</svg>"#).unwrap();
    let square = Regex::new(r"M(\d+) (\d+)h(\d+)v(\d+)").unwrap();
    let read = |found: regex::Captures<'_>| {
        let side: usize = found[1].parse().unwrap();
        let mut dark = vec![false; side * side];
        for part in square.captures_iter(&found[3]) {
            let [x, y, w, h] = [1, 2, 3, 4].map(|n| part[n].parse::<usize>().unwrap());
            for row in y..y + h {
                dark[row * side + x..row * side + x + w].fill(true);
            }
        }
        let shade = |x: usize, y: usize| if dark[y * side + x] { 0 } else { 255 };
        let mut image = rqrr::PreparedImage::prepare_from_greyscale(side, side, shade);
        let grids = image.detect_grids();
        assert_eq!(grids.len(), 1, "one code in each picture");
        grids[0].decode().unwrap().1
    };
    svg.captures_iter(page).map(read).collect()
}

#[tokio::test(flavor = "multi_thread")]
async fn the_sheets_codes_lead_to_the_address_the_certificate_and_tls() {
    let folder = tempfile::tempdir().unwrap();
    init(folder.path());
    let tls = free_address();
    let edge = Edge::serve(folder.path(), &["--tls-listen", &tls.to_string()]).await;
    let page = reqwest::get(format!("{}/sheet?wifi=Back%20%3Coffice%3E", edge.base())).await.unwrap();
    assert!(page.headers()["content-type"].to_str().unwrap().starts_with("text/html"));
    assert!(page.headers()["content-security-policy"].to_str().unwrap().contains("default-src 'none'"));
    let page = page.text().await.unwrap();
    let plain = edge.base().to_owned();
    assert_eq!(codes(&page), [format!("{plain}/certificate"), format!("https://{tls}"), plain.clone()]);
    assert!(
        page.contains("Dosa &amp; Co") && page.contains("Back &lt;office&gt;") && page.contains("size:A4")
    );
    assert!(page.contains("listens for this machine alone"), "loopback is of no use to a tablet");
    // What the codes say, does.
    for url in codes(&page).iter().filter(|url| url.starts_with("http://")) {
        let path = if url.ends_with("/certificate") { "" } else { "/health" };
        assert_eq!(reqwest::get(format!("{url}{path}")).await.unwrap().status(), 200);
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn the_command_writes_the_same_sheet_beside_a_running_server() {
    let folder = tempfile::tempdir().unwrap();
    init(folder.path());
    let edge = Edge::serve(folder.path(), &[]).await;
    let served = reqwest::get(format!("{}/sheet", edge.base())).await.unwrap().text().await.unwrap();
    let (file, listen) = (folder.path().join("sheet.html"), edge.base().trim_start_matches("http://"));
    let at = folder.path().to_str().unwrap();
    let said = Edge::run(&["sheet", file.to_str().unwrap(), "--data-dir", at, "--listen", listen]);
    assert!(said.contains("sheet.html"), "{said}");
    assert_eq!(std::fs::read_to_string(&file).unwrap(), served);
    assert_eq!(codes(&served), [edge.base()]);
    let given = ["--public-url", "http://pos.example.com"];
    let printed = Edge::run(&[&["sheet", "--data-dir", at, "--wifi", "Kitchen"], &given[..]].concat());
    assert!(printed.contains("Kitchen") && codes(&printed) == ["http://pos.example.com"], "{printed}");
    // No account's address, no token, no key: only what anybody may know.
    assert!(!printed.contains("me@example.com"));
}
