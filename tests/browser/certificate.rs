//! The page that gives the certificate, and what a browser makes of it: with it the branch opens over TLS, without it it does not.

use super::looks::examine;
use super::{Browser, branch};

#[tokio::test(flavor = "multi_thread")]
async fn a_browser_opens_the_branch_over_tls_with_the_certificate_of_the_page_and_only_with_it() {
    let folder = tempfile::tempdir().unwrap();
    let (edge, tls) = branch(folder.path()).await;
    let stranger = Browser::start().await;
    stranger.screen((390, 844), true, false).await;
    stranger.open(&format!("{}/certificate", edge.base())).await;
    assert_eq!(stranger.text_of("h1").await, "Trust this box");
    // The fingerprint is the one that the console shows.
    let said = tiffin_tests::Edge::run(&["tls", "status", "--data-dir", folder.path().to_str().unwrap()]);
    let print = stranger.text_of("code.print").await;
    assert!(print.len() == 95 && said.contains(&print), "{print} is not in\n{said}");
    examine(&stranger, "the certificate").await;
    // Each kind of device finds its own steps unfolded.
    let unfolded = "return [...document.querySelectorAll('details[open] h3')].map(each => each.innerText)";
    let devices = [
        ("Mozilla/5.0 (Linux; Android 14; SM-X200) AppleWebKit/537.36 Chrome/150.0 Safari/537.36", "Android"),
        (
            "Mozilla/5.0 (iPhone; CPU iPhone OS 18_0 like Mac OS X) Version/18.0 Safari/604.1",
            "iPhone and iPad",
        ),
        ("Mozilla/5.0 (X11; Linux x86_64) AppleWebKit/537.36 Chrome/150.0 Safari/537.36", "Linux"),
    ];
    for (agent, name) in devices {
        stranger.command("Network.setUserAgentOverride", serde_json::json!({"userAgent": agent})).await;
        stranger.open(&format!("{}/certificate", edge.base())).await;
        assert_eq!(stranger.run(unfolded).await, serde_json::json!([name]));
    }
    let file = stranger.download("details[open] a.button", "tiffin-ca.crt").await;
    let given = std::fs::read(&file).unwrap();
    assert_eq!(given, std::fs::read(folder.path().join("tls/tiffin-ca.crt")).unwrap());
    assert_eq!(stranger.complaints().await, Vec::<String>::new());

    // Who did not install it is warned and sees nothing of the branch.
    let secure = format!("https://{tls}/sheet");
    stranger.open(&secure).await;
    let warned = stranger.text().await;
    assert!(warned.contains("ERR_CERT_AUTHORITY_INVALID") && !warned.contains("Dosa & Co"), "{warned}");

    // Who did is not.
    let friend = Browser::start_trusting(&file).await;
    friend.open(&secure).await;
    assert_eq!(friend.text_of("h1").await, "Dosa & Co");
    assert_eq!(
        friend.run("return [location.protocol, isSecureContext]").await,
        serde_json::json!(["https:", true])
    );
    assert_eq!(friend.complaints().await, Vec::<String>::new());
    // By its name as well; another name is not believed.
    for (host, told) in [("blr1.local", "Dosa & Co"), ("bank.example", "ERR_CERT_COMMON_NAME_INVALID")] {
        friend.open(&format!("https://{host}:{}/sheet", tls.port())).await;
        let text = friend.text().await;
        assert!(text.contains(told), "{host}: {text}");
    }
}
