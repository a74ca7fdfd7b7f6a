//! The guide for who calls the API: read on every screen, by keyboard, without scripts.

use super::looks::examine;
use super::{Browser, branch};

#[tokio::test(flavor = "multi_thread")]
async fn the_guide_is_read_on_every_screen_and_leads_to_the_reference() {
    let folder = tempfile::tempdir().unwrap();
    let (edge, _) = branch(folder.path()).await;
    let browser = Browser::start().await;
    browser.open(&format!("{}/docs/guide", edge.base())).await;
    assert_eq!(browser.text_of("h1").await, "Guide to the Tiffin API");
    examine(&browser, "the guide").await;
}
