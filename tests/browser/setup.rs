//! The link on the console, opened on a phone: typed in wrong, typed in right, opened again.

use super::looks::examine;
use super::{Browser, free};
use serde_json::json;
use std::path::Path;
use std::process::Command;
use tiffin_tests::{Client, Console, Edge, until};

const PASSWORD: &str = "a good long password";

/// A phone that is held upright.
const PHONE: (u32, u32) = (390, 844);

/// A box without a branch that stands in Berlin, and the link its console shows.
async fn fresh(folder: &Path) -> (Console, String) {
    let mut command = Command::new(Edge::binary());
    command.args(["serve", "--listen", &free().to_string(), "--data-dir"]).arg(folder);
    let mut console = Console::start(command.env("TZ", "Europe/Berlin"));
    let link = console.line("/setup?code=").await;
    (console, link)
}

/// Which element has the focus.
async fn focused(browser: &Browser) -> String {
    browser.run("return document.activeElement.id").await.as_str().unwrap().to_owned()
}

/// Types the passwords, which no page ever repeats.
async fn fill_passwords(browser: &Browser, first: &str, again: &str) {
    browser.fill("#owner-password", first).await;
    browser.fill("#owner-password-again", again).await;
}

#[tokio::test(flavor = "multi_thread")]
async fn a_phone_makes_the_branch_by_typing_and_the_link_works_once() {
    let folder = tempfile::tempdir().unwrap();
    let (mut console, link) = fresh(folder.path()).await;
    let browser = Browser::start().await;
    browser.screen(PHONE, true, false).await;
    browser.open(&link).await;
    assert_eq!(browser.text_of("h1").await, "Set up this box");
    assert_eq!(browser.value_of("#timezone").await, "Europe/Berlin");
    assert_eq!(browser.value_of("#currency").await, "EUR");
    examine(&browser, "the empty form").await;

    // Wrong: each error beside its field and in the list above, which has the focus; what was typed stays, but for passwords.
    browser.fill("#outlet-code", "B-1").await;
    browser.fill("#outlet-name", "Dosa & <Co>").await;
    browser.fill("#owner-email", "nobody").await;
    fill_passwords(&browser, "short", "short").await;
    browser.tap("button").await;
    let beside = async |field: &str| browser.text_of(&format!("#{field} ~ #{field}-wrong")).await;
    assert_eq!(beside("outlet-code").await, "Outlet code must be 1 to 4 letters and digits");
    assert_eq!(beside("owner-email").await, "Email must be an email address");
    assert_eq!(beside("owner-password").await, "Password must be 10 to 128 characters long");
    let described =
        browser.run("return document.querySelector('#owner-email').getAttribute('aria-describedby')").await;
    assert_eq!(described, "owner-email-wrong owner-email-hint");
    assert_eq!(browser.run("return document.activeElement.getAttribute('role')").await, "alert");
    assert_eq!(browser.run("return document.title").await, "Error: Set up this box");
    let listed =
        browser.run("return [...document.querySelectorAll('[role=alert] a')].map(each => each.text)").await;
    assert_eq!(listed, json!(["Outlet code", "Email", "Password"]), "in the order of the page");
    for (field, typed) in [
        ("outlet-code", "B-1"),
        ("outlet-name", "Dosa & <Co>"),
        ("owner-email", "nobody"),
        ("owner-password", ""),
    ] {
        assert_eq!(browser.value_of(&format!("#{field}")).await, typed, "{field}");
    }
    examine(&browser, "the form with errors").await;
    browser.tap("[role=alert] li:nth-child(2) a").await;
    assert_eq!(focused(&browser).await, "owner-email", "a tap on an error leads to its field");

    browser.fill("#outlet-code", "ber1").await;
    browser.fill("#owner-email", "owner@example.com").await;
    fill_passwords(&browser, PASSWORD, "another password").await;
    browser.tap("button").await;
    assert_eq!(beside("owner-password-again").await, "Password again is not the same password");

    // A part that is folded away unfolds where something in it is wrong.
    browser.tap("details:nth-of-type(2) summary").await;
    browser.fill("#hub-code", "ABCD-EFGH").await;
    fill_passwords(&browser, PASSWORD, PASSWORD).await;
    browser.tap("button").await;
    assert_eq!(beside("hub").await, "Head office is needed with a code");
    examine(&browser, "the form with head office").await;
    browser.fill("#hub-code", "").await;

    fill_passwords(&browser, PASSWORD, PASSWORD).await;
    browser.tap("button").await;
    assert_eq!(browser.text_of("h1").await, "Done");
    let told = browser.text().await;
    assert!(
        told.contains("BER1 Dosa & <Co> is set up") && told.contains("signs in as owner@example.com"),
        "{told}"
    );
    examine(&browser, "the end").await;
    console.line("Tiffin is open at").await;

    // The branch is what was typed, and the next step leads on.
    let base = link.split_once("/setup").unwrap().0;
    let client = Client::new(base);
    until("it is ready", async || {
        let reply = client.try_send(client.request(reqwest::Method::GET, "/ready")).await;
        reply.is_ok_and(|reply| reply.status == 200).then_some(())
    })
    .await;
    let account = json!({"email": "owner@example.com", "password": PASSWORD});
    let signed_in = client.post("/auth/login", account).await.expect(200).data();
    assert_eq!(signed_in["user"]["role"], "OWNER", "{signed_in}");
    let token = signed_in["accessToken"].as_str().unwrap().to_owned();
    let outlet = client.clone().with_token(token).get("/status").await.expect(200).data()["outlet"].clone();
    assert_eq!((&outlet["code"], &outlet["name"]), (&"BER1".into(), &"Dosa & <Co>".into()));
    browser.tap("main a[href='/sheet']").await;
    assert_eq!(browser.text_of("h1").await, "Dosa & <Co>");

    // Once.
    browser.open(&link).await;
    assert_eq!(browser.text_of("h1").await, "Already set up");
    assert!(!browser.text().await.contains("certificate"), "there is none without TLS");
    examine(&browser, "the closed setup").await;
    browser.open(base).await;
    assert_eq!(browser.text_of("h1").await, "Dosa & <Co>");
    examine(&browser, "what the address opens").await;
}

#[tokio::test(flavor = "multi_thread")]
async fn work_that_takes_long_goes_on_behind_a_page_that_asks_again_by_itself() {
    let folder = tempfile::tempdir().unwrap();
    let (_console, link) = fresh(folder.path()).await;
    let browser = Browser::start().await;
    browser.screen(PHONE, true, false).await;
    browser.open(&link).await;
    // A head office that takes the call and says nothing.
    let silent = std::net::TcpListener::bind("127.0.0.1:0").unwrap();
    browser.fill("#outlet-code", "BER1").await;
    browser.fill("#outlet-name", "Dosa & Co").await;
    browser.fill("#owner-email", "owner@example.com").await;
    fill_passwords(&browser, PASSWORD, PASSWORD).await;
    browser.tap("details:nth-of-type(2) summary").await;
    browser.fill("#hub", &format!("http://{}", silent.local_addr().unwrap())).await;
    browser.fill("#hub-code", "ABCD-EFGH").await;
    browser.tap("button").await;
    let titled = async |title: &str| {
        until(title, async || (browser.run("return document.title").await == title).then_some(())).await;
    };
    titled("One moment").await;
    // It hangs up: nobody taps anything, and the form is there again with what was typed.
    drop(silent);
    titled("Error: Set up this box").await;
    assert!(browser.text_of("#hub ~ #hub-wrong").await.starts_with("Head office does not take this box"));
    assert_eq!(browser.value_of("#owner-email").await, "owner@example.com");
    assert_eq!(browser.complaints().await, Vec::<String>::new());
}

#[tokio::test(flavor = "multi_thread")]
async fn a_wrong_code_is_said_beside_its_field_and_a_guesser_must_wait() {
    let folder = tempfile::tempdir().unwrap();
    let (_console, link) = fresh(folder.path()).await;
    let base = link.split_once("/setup").unwrap().0;
    let browser = Browser::start().await;
    browser.screen(PHONE, true, false).await;
    browser.open(base).await;
    assert_eq!(focused(&browser).await, "code");
    examine(&browser, "the question for the code").await;
    browser.fill("#code", "WRNG-CODE").await;
    browser.tap("button").await;
    assert_eq!(browser.text_of("#code ~ #code-wrong").await, "Code is not the one on the box's screen");
    assert_eq!(focused(&browser).await, "code");
    examine(&browser, "the wrong code").await;
    for _ in 0..10 {
        browser.open(&format!("{base}/setup?code=WRNG-CODE")).await;
    }
    assert!(browser.text().await.contains("Too many wrong codes from this device. Wait 10 min"));
    examine(&browser, "the wait").await;
}

#[tokio::test(flavor = "multi_thread")]
async fn the_form_is_filled_in_without_a_mouse_and_one_sees_where_one_is() {
    let folder = tempfile::tempdir().unwrap();
    let (_console, link) = fresh(folder.path()).await;
    let browser = Browser::start().await;
    browser.screen((1280, 900), false, false).await;
    browser.open(&link).await;
    browser.run("document.querySelectorAll('details').forEach(each => { each.open = true })").await;
    let mut order = Vec::new();
    loop {
        browser.tab().await;
        let at = browser
            .run(
                "const at = document.activeElement, look = getComputedStyle(at);
                return [at.id || at.localName, look.outlineStyle, parseFloat(look.outlineWidth)]",
            )
            .await;
        let name = at[0].as_str().unwrap().to_owned();
        assert!(at[1] == "solid" && at[2].as_f64().unwrap() >= 2.0, "{name} does not show its focus: {at}");
        order.push(name);
        if order.last().is_some_and(|name| name == "button") {
            break;
        }
    }
    let outlet = ["outlet-code", "outlet-name", "timezone", "currency", "country"];
    let owner = ["owner-email", "owner-password", "owner-password-again"];
    let rest = ["summary", "sample-data", "summary", "hub", "hub-code", "hub-ca", "replace", "button"];
    assert_eq!(order, [&outlet[..], &owner, &rest].concat());
    // What keyboards and password stores go by.
    let told = browser
        .run("return ['owner-email', 'owner-password', 'hub'].map(id => { const field = document.getElementById(id); return [field.type, field.autocomplete] })")
        .await;
    assert_eq!(told, json!([["email", "email"], ["password", "new-password"], ["url", "off"]]));
}
