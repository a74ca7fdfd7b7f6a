//! The setup page, from the link on the console to the open branch: with the code alone, with errors beside their fields, once.

use super::tls::{enrol_code, office_with_tls};
use std::net::SocketAddr;
use std::path::Path;
use std::process::Command;
use tiffin_tests::people::{hire_waiter, is_reset, sign_in};
use tiffin_tests::{Client, Console, Edge, HubProcess, Reply, free_address, until};

/// A box without a branch, and the link its console shows.
struct Fresh {
    console: Console,
    base: String,
    code: String,
}

impl Fresh {
    async fn start(folder: &Path) -> Fresh {
        Fresh::start_on(free_address(), folder).await
    }

    async fn start_on(listen: SocketAddr, folder: &Path) -> Fresh {
        let mut command = Command::new(Edge::binary());
        command.args(["serve", "--listen", &listen.to_string(), "--data-dir"]).arg(folder);
        let mut console = Console::start(&mut command);
        let link = console.line("/setup?code=").await;
        let (base, code) = link.split_once("/setup?code=").unwrap();
        Fresh { base: base.to_owned(), code: code.to_owned(), console }
    }

    fn client(&self) -> Client {
        Client::new(&self.base)
    }

    /// Sends the form with `fields`, as a browser does from its own page.
    async fn send(&self, fields: &[(&str, &str)]) -> Reply {
        self.send_from(&self.base, &self.code, fields).await
    }

    async fn send_from(&self, origin: &str, code: &str, fields: &[(&str, &str)]) -> Reply {
        let encoded =
            |text: &str| -> String {
                text.bytes()
                    .map(|b| {
                        if b.is_ascii_alphanumeric() {
                            char::from(b).to_string()
                        } else {
                            format!("%{b:02X}")
                        }
                    })
                    .collect()
            };
        let fields = [&[("code", code)], fields].concat();
        let body: Vec<_> = fields.iter().map(|(name, value)| format!("{name}={}", encoded(value))).collect();
        let http = reqwest::Client::new().post(format!("{}/setup", self.base)).header("origin", origin);
        let http = http.header("content-type", "application/x-www-form-urlencoded").body(body.join("&"));
        let answer = http.send().await.unwrap();
        let (status, headers) = (answer.status().as_u16(), answer.headers().clone());
        let text = answer.text().await.unwrap();
        Reply { status, headers, bytes: text.clone().into_bytes(), text, asked: "POST /setup".into() }
    }

    async fn get(&self, path: &str) -> (u16, String) {
        let answer = reqwest::get(format!("{}{path}", self.base)).await.unwrap();
        (answer.status().as_u16(), answer.text().await.unwrap())
    }

    async fn is_open(&mut self) {
        self.console.line("Tiffin is open at").await;
        let client = self.client();
        until("it is ready", async || {
            let reply = client.try_send(client.request(reqwest::Method::GET, "/ready")).await;
            reply.is_ok_and(|reply| reply.status == 200).then_some(())
        })
        .await;
    }
}

const OWNER: &str = "owner@example.com";
const PASSWORD: &str = "a good long password";
/// Who forgets the password.
const ASHA: &str = "asha@example.com";

/// A form that can be used.
fn good() -> Vec<(&'static str, &'static str)> {
    vec![
        ("outlet-code", "mum2"),
        ("outlet-name", "Dosa <b>& Co</b>"),
        ("timezone", "Asia/Kolkata"),
        ("currency", "INR"),
        ("owner-email", OWNER),
        ("owner-password", PASSWORD),
        ("owner-password-again", PASSWORD),
    ]
}

#[tokio::test(flavor = "multi_thread")]
async fn a_browser_makes_the_branch_once_and_only_with_the_code() {
    let folder = tempfile::tempdir().unwrap();
    let mut fresh = Fresh::start(folder.path()).await;
    assert_eq!((fresh.code.len(), &fresh.code[4..5]), (9, "-"));
    // Who types the address finds the way; who has no code gets no form.
    let (status, page) = fresh.get("/").await;
    assert!(status == 200 && page.contains("name=\"code\"") && !page.contains("owner-email"));
    let (status, page) = fresh.get("/setup?code=AAAA-AAAA").await;
    assert!(status == 403 && page.contains("not the one on") && !page.contains("owner-email"));
    let (status, page) = fresh.get(&format!("/setup?code={}", fresh.code.to_lowercase())).await;
    assert!(status == 200 && page.contains("owner-email") && page.contains("<option selected>Asia/Kolkata"));
    assert!(!page.contains("<script") && !page.contains("http://") && !page.contains("https://cdn"));
    // Another site's form, a guessed code, a host name that is not ours: nothing.
    assert_eq!(fresh.send_from("http://evil.example", &fresh.code, &good()).await.status, 403);
    assert_eq!(fresh.send_from(&fresh.base, "AAAA-AAAA", &good()).await.status, 403);
    let rebound = reqwest::Client::new().get(format!("{}/setup", fresh.base)).header("host", "evil.example");
    assert_eq!(rebound.send().await.unwrap().status(), 400);
    assert!(!folder.path().join("tiffin.db").exists());
    // Everything that is wrong is named at once, beside its field, and no password comes back.
    let mut wrong = good();
    wrong[0].1 = "TOO LONG";
    wrong[3].1 = "rupee";
    wrong[4].1 = "nobody";
    let refused = fresh.send(&wrong).await;
    assert_eq!(refused.status, 422, "{}", refused.text);
    for field in ["outlet-code", "currency", "owner-email"] {
        assert!(refused.text.contains(&format!("id=\"{field}-wrong\"")), "{field}: {}", refused.text);
    }
    assert!(refused.text.contains("&lt;b&gt;&amp; Co") && !refused.text.contains(PASSWORD));
    wrong = good();
    wrong[6].1 = "another password";
    assert!(fresh.send(&wrong).await.text.contains("owner-password-again-wrong"));
    assert!(!folder.path().join("tiffin.db").exists());

    let made = fresh.send(&good()).await;
    assert_eq!(made.status, 201, "{}", made.text);
    let told = ["MUM2 Dosa &lt;b&gt;&amp; Co", "href=\"/sheet\"", fresh.base.as_str()];
    assert!(told.iter().all(|told| made.text.contains(told)), "{}", made.text);
    fresh.is_open().await;
    let body = serde_json::json!({"email": OWNER, "password": PASSWORD});
    let signed_in = fresh.client().post("/auth/login", body).await.expect(200).data();
    assert_eq!(signed_in["user"]["role"], "OWNER", "{signed_in}");
    let owner = sign_in(&fresh.client(), OWNER, PASSWORD).await;
    assert_eq!(owner.get("/status").await.expect(200).data()["outlet"]["code"], "MUM2");
    // It is closed from now on, with the code and without.
    for path in ["/setup", &format!("/setup?code={}", fresh.code), "/setup/progress"] {
        let (status, page) = fresh.get(path).await;
        assert!(status == 410 && page.contains("Already set up"), "{path}: {status}");
    }
    assert_eq!(fresh.send(&good()).await.status, 410);
    assert!(fresh.get("/sheet").await.1.contains("Dosa &lt;b&gt;&amp; Co"));
    let owner = sign_in(&fresh.client(), OWNER, PASSWORD).await;
    hire_waiter(&owner, ASHA).await;
    is_reset(&fresh.client(), &owner, ASHA).await;
}

#[tokio::test(flavor = "multi_thread")]
async fn a_guesser_is_slowed_down_and_each_start_has_another_code() {
    let folder = tempfile::tempdir().unwrap();
    let fresh = Fresh::start(folder.path()).await;
    for _ in 0..10 {
        assert_eq!(fresh.get("/setup?code=WRNG-CODE").await.0, 403);
    }
    let (status, _) = fresh.get(&format!("/setup?code={}", fresh.code)).await;
    assert_eq!(status, 429);
    let old = fresh.code.clone();
    drop(fresh);
    let fresh = Fresh::start(folder.path()).await;
    assert_ne!(fresh.code, old);
    assert_eq!(fresh.get(&format!("/setup?code={old}")).await.0, 403);
    assert_eq!(fresh.get(&format!("/setup?code={}", fresh.code)).await.0, 200);
}

#[tokio::test(flavor = "multi_thread")]
async fn a_box_joins_a_head_office_by_the_page_and_another_takes_its_place_by_it() {
    let (office, first, second) =
        (tempfile::tempdir().unwrap(), tempfile::tempdir().unwrap(), tempfile::tempdir().unwrap());
    let pem = std::fs::read_to_string(office_with_tls(office.path())).unwrap();
    let tls = free_address();
    let hub = HubProcess::serve(office.path(), &["--tls-listen", &tls.to_string()]).await;
    let (url, code) = (format!("https://localhost:{}", tls.port()), enrol_code(&hub, None).await);

    let mut fresh = Fresh::start(first.path()).await;
    let with = |code: &str, pem: &str| {
        let own = [("hub", url.clone()), ("hub-code", code.to_owned()), ("hub-ca", pem.to_owned())];
        own.into_iter().collect::<Vec<_>>()
    };
    let refs = |fields: &[(&'static str, String)]| -> Vec<(&str, String)> { fields.to_vec() };
    let send =
        async |fresh: &Fresh, more: Vec<(&'static str, String)>, base: Vec<(&'static str, &'static str)>| {
            let more = refs(&more);
            let all: Vec<(&str, &str)> =
                base.into_iter().chain(more.iter().map(|(k, v)| (*k, v.as_str()))).collect();
            fresh.send(&all).await
        };
    // A head office that cannot be believed, a code that is none: said beside the field, and nothing is left behind.
    let refused = send(&fresh, with(&code, ""), good()).await;
    assert!(refused.status == 422 && refused.text.contains("hub-wrong"), "{}", refused.text);
    let refused = send(&fresh, with("NONE-NONE", &pem), good()).await;
    assert!(refused.status == 422 && refused.text.contains("hub-wrong"), "{}", refused.text);
    let refused = send(&fresh, with(&code, "no certificate"), good()).await;
    assert!(refused.status == 422 && refused.text.contains("hub-ca-wrong"), "{}", refused.text);
    let made = send(&fresh, with(&code, &pem), good()).await;
    assert_eq!(made.status, 201, "{}", made.text);
    fresh.is_open().await;
    let owner = sign_in(&fresh.client(), OWNER, PASSWORD).await;
    hire_waiter(&owner, ASHA).await;
    until("head office has every row", async || {
        let sync = owner.get("/status").await.expect(200).data()["sync"].clone();
        (sync["hubReachable"] == true && sync["rowsWaiting"] == 0).then_some(())
    })
    .await;
    let outlet = owner.get("/status").await.expect(200).data()["outlet"]["id"].clone();
    drop(fresh);

    // The box is dead; an empty one takes its place.
    let code = enrol_code(&hub, Some(&outlet)).await;
    let mut spare = Fresh::start(second.path()).await;
    let mut fields = with(&code, &pem);
    fields.push(("replace", "yes".into()));
    let made = send(&spare, fields, Vec::new()).await;
    assert!(made.status == 201 || made.status == 202, "{} {}", made.status, made.text);
    spare.is_open().await;
    let owner = sign_in(&spare.client(), OWNER, PASSWORD).await;
    let status = owner.get("/status").await.expect(200).data();
    assert_eq!((&status["outlet"]["id"], &status["outlet"]["code"]), (&outlet, &"MUM2".into()));
    is_reset(&spare.client(), &owner, ASHA).await;
}
