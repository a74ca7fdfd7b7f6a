//! TLS: who trusts the authority is served and who does not is not; certificates are renewed and reloaded under way; head office
//! speaks it itself, and a box trusts a head office with an authority of its own.

use super::{init, trusting};
use edge::db::{Env, OsRandom};
use edge::http::shutdown::Shutdown;
use edge::lan::tls::{Authority, Card, Keeper, Looked, Settings, Wanted};
use edge::serve::{Bounds, Door, run_all};
use rustls::pki_types::pem::PemObject;
use rustls::pki_types::{CertificateDer, ServerName, UnixTime};
use std::net::SocketAddr;
use std::path::Path;
use std::process::Command;
use std::sync::Arc;
use std::time::Duration;
use tiffin_common::Clock;
use tiffin_common::clock::{ManualClock, SystemClock};
use tiffin_tests::{Edge, HubProcess, free_address, until};
use tokio::io::AsyncReadExt;
use tokio::net::{TcpListener, TcpStream};

const DAY_MS: i64 = 86_400_000;

#[tokio::test(flavor = "multi_thread")]
async fn who_trusts_the_authority_is_served_by_name_and_by_address_and_nobody_else_is() {
    let folder = tempfile::tempdir().unwrap();
    init(folder.path());
    let at = folder.path().to_str().unwrap();
    let said = Edge::run(&["tls", "init", "--data-dir", at]);
    let print = said.lines().find_map(|line| line.strip_prefix("SHA-256 ")).unwrap().to_owned();
    let tls = free_address();
    let edge = Edge::serve(folder.path(), &["--tls-listen", &tls.to_string()]).await;
    let pem = std::fs::read_to_string(folder.path().join("tls/tiffin-ca.crt")).unwrap();
    let trusting = trusting(&pem, "blr1.local");
    for host in ["blr1.local", "127.0.0.1", "localhost"] {
        let url = format!("https://{host}:{}/api/v1/status", tls.port());
        let status: serde_json::Value = trusting.get(&url).send().await.expect(&url).json().await.unwrap();
        assert_eq!(status["data"]["ok"], true, "{url}");
    }
    let url = format!("https://127.0.0.1:{}/api/v1/status", tls.port());
    assert!(reqwest::get(&url).await.unwrap_err().is_connect(), "nobody trusts it by itself");
    let other = Authority::make(&folder.path().join("other"), "Tiffin BLR1", &[], &Env::system()).unwrap();
    let deceived = super::trusting(other.pem(), "blr1.local");
    assert!(deceived.get(&url).send().await.unwrap_err().is_connect());
    // The certificate holds for no other name.
    let elsewhere = super::trusting(&pem, "bank.example");
    let wrong = format!("https://bank.example:{}/api/v1/status", tls.port());
    assert!(elsewhere.get(&wrong).send().await.unwrap_err().is_connect());
    // The page that leads there needs no TLS, and shows what the console shows.
    let html = fetched(&edge, "/certificate").await;
    assert!(html.1.contains(&print) && html.0.starts_with("text/html"), "{html:?}");
    let (kind, file) = fetched(&edge, "/certificate/tiffin-ca.crt").await;
    assert_eq!((kind.as_str(), &file), ("application/x-x509-ca-cert", &pem));
    let (kind, profile) = fetched(&edge, "/certificate/tiffin.mobileconfig").await;
    let text: String = pem.lines().filter(|line| !line.starts_with('-')).collect();
    assert!(kind == "application/x-apple-aspen-config" && profile.contains(&format!("<data>{text}</data>")));
    assert!(said.lines().all(|line| !line.contains("PRIVATE")) && !html.1.contains("PRIVATE"));
    let status = Edge::run(&["tls", "status", "--data-dir", at]);
    assert!(
        status.contains(&print) && status.contains("127.0.0.1") && status.contains("blr1.local"),
        "{status}"
    );
}

#[tokio::test(flavor = "multi_thread")]
async fn a_device_that_is_paired_over_tls_shows_that_the_certificate_is_believed() {
    let folder = tempfile::tempdir().unwrap();
    let at = folder.path().to_str().unwrap();
    let password = folder.path().join("password");
    std::fs::write(&password, "naan tawa monsoon\n").unwrap();
    let owner = ["--owner-email", "me@example.com", "--owner-password-file", password.to_str().unwrap()];
    Edge::run(&[&["init", "--data-dir", at, "--outlet-name", "Dosa & Co"], &owner[..]].concat());
    let tls = free_address();
    let edge = Edge::serve(folder.path(), &["--tls-listen", &tls.to_string()]).await;
    let pem = std::fs::read_to_string(folder.path().join("tls/tiffin-ca.crt")).unwrap();
    let believing = trusting(&pem, "blr1.local");
    let (plain, secure) = (edge.base().to_owned(), format!("https://blr1.local:{}", tls.port()));
    let asked = async |base: &str, path: &str, token: Option<&str>, body: serde_json::Value| {
        let mut request = believing.post(format!("{base}/api/v1{path}")).json(&body);
        if let Some(token) = token {
            request = request.bearer_auth(token);
        }
        let answer = request.send().await.unwrap();
        assert!(answer.status().is_success(), "{path}: {}", answer.status());
        answer.json::<serde_json::Value>().await.unwrap()["data"].clone()
    };
    let who = serde_json::json!({"email": "me@example.com", "password": "naan tawa monsoon"});
    let owner = asked(&secure, "/auth/login", None, who).await;
    let token = owner["accessToken"].as_str();
    let pair = async |base: &str| {
        let screen = serde_json::json!({"kind": "POS", "name": "Till"});
        let codes = asked(base, "/devices/pair", None, screen).await;
        let shown = serde_json::json!({"userCode": codes["userCode"]});
        asked(&plain, "/devices/approve", token, shown).await;
        asked(base, "/devices/token", None, serde_json::json!({"deviceCode": codes["deviceCode"]})).await;
    };
    let address = format!("https://{tls}");
    let home = async |edge: &Edge| fetched(edge, "/").await.1;
    // One that came without TLS shows nothing; whoever signs in by TLS, neither.
    pair(&plain).await;
    assert!(!home(&edge).await.contains(&address), "nobody is sent where devices may see a warning");
    pair(&secure).await;
    assert!(home(&edge).await.contains(&address));
    let told = believing.get(format!("{secure}/api/v1/notifications")).bearer_auth(token.unwrap());
    let told = told.send().await.unwrap().text().await.unwrap();
    assert!(told.contains("STAFF_ON_TLS") && told.contains("/certificate"), "{told}");
    drop(edge);
    // It is remembered, unless a setting says otherwise or the box has another authority.
    let edge = Edge::serve(folder.path(), &["--tls-listen", &tls.to_string()]).await;
    assert!(home(&edge).await.contains(&address));
    drop(edge);
    let allow = ["--tls-listen", &tls.to_string(), "--staff-plain-http", "allow"];
    let edge = Edge::serve(folder.path(), &allow).await;
    assert!(!home(&edge).await.contains(&address));
    drop(edge);
    std::fs::remove_dir_all(folder.path().join("tls")).unwrap();
    let edge = Edge::serve(folder.path(), &["--tls-listen", &tls.to_string()]).await;
    assert!(!home(&edge).await.contains(&address), "no device believes this one");
}

/// Until when the certificate in use holds, in seconds since 1970, as `/metrics` of the server at `base` says.
async fn expires(base: &str) -> Option<i64> {
    let metrics = reqwest::get(format!("{base}/metrics")).await.unwrap().text().await.unwrap();
    let line =
        |line: &str| line.strip_prefix("tiffin_certificate_expires_timestamp_seconds ").map(str::to_owned);
    metrics.lines().find_map(line).map(|seconds| seconds.parse().unwrap())
}

/// What the certificate in the file at `path` itself says.
fn end_of(path: &Path) -> Option<i64> {
    Some(Card::of_file(path).unwrap().until.get() / 1_000)
}

#[tokio::test(flavor = "multi_thread")]
async fn the_metrics_tell_until_when_the_certificate_in_use_holds() {
    let (office, branch) = (tempfile::tempdir().unwrap(), tempfile::tempdir().unwrap());
    office_with_tls(office.path());
    init(branch.path());
    let plain = Edge::serve(branch.path(), &[]).await;
    assert_eq!(expires(plain.base()).await, None, "0 would be one that has ended");
    drop(plain);
    let hub = HubProcess::serve(office.path(), &["--tls-listen", &free_address().to_string()]).await;
    let edge = Edge::serve(branch.path(), &["--tls-listen", &free_address().to_string()]).await;
    for (base, folder) in [(hub.base(), &office), (edge.base(), &branch)] {
        let told = expires(base).await;
        assert_eq!(told, end_of(&folder.path().join("tls/server.pem")));
        let left = told.unwrap() - SystemClock.now().get() / 1_000;
        assert!((300 * 86_400..400 * 86_400).contains(&left), "{left} s");
    }
}

/// Kind and text of a page.
async fn fetched(edge: &Edge, path: &str) -> (String, String) {
    let answer = reqwest::get(format!("{}{path}", edge.base())).await.unwrap();
    assert_eq!(answer.status(), 200, "{path}");
    let kind = answer.headers()["content-type"].to_str().unwrap().to_owned();
    (kind, answer.text().await.unwrap())
}

#[tokio::test(flavor = "multi_thread")]
async fn an_independent_implementation_agrees_with_the_certificates_and_old_tls_is_refused() {
    let folder = tempfile::tempdir().unwrap();
    init(folder.path());
    let tls = free_address();
    // Without `edge tls init`: the first start with TLS makes the authority.
    let _edge = Edge::serve(folder.path(), &["--tls-listen", &tls.to_string()]).await;
    let authority = folder.path().join("tls/tiffin-ca.crt");
    let server = folder.path().join("tls/server.pem");
    let verify = |more: &[&str]| {
        let mut openssl = Command::new("openssl");
        openssl.args(["verify", "-x509_strict", "-purpose", "sslserver", "-CAfile"]).arg(&authority);
        openssl.args(more).arg(&server).output().unwrap()
    };
    let good = verify(&["-verify_hostname", "blr1.local"]);
    assert!(good.status.success(), "{}", String::from_utf8_lossy(&good.stderr));
    assert!(verify(&["-verify_ip", "127.0.0.1"]).status.success());
    assert!(!verify(&["-verify_hostname", "bank.example"]).status.success());
    let text =
        Command::new("openssl").args(["x509", "-noout", "-text", "-in"]).arg(&authority).output().unwrap();
    let text = String::from_utf8_lossy(&text.stdout).into_owned();
    for told in
        ["Name Constraints: critical", "DNS:local", "IP:192.168.0.0/255.255.0.0", "CA:TRUE, pathlen:0"]
    {
        assert!(text.contains(told), "{told} is not in\n{text}");
    }
    let speak = |version: &str| {
        let mut openssl = Command::new("openssl");
        openssl.args(["s_client", version, "-cipher", "DEFAULT@SECLEVEL=0", "-connect", &tls.to_string()]);
        openssl.stdin(std::process::Stdio::null()).output().unwrap().status.success()
    };
    assert!(speak("-tls1_3") && speak("-tls1_2"));
    assert!(!speak("-tls1_1") && !speak("-tls1"));
}

/// A clock for a client's view of certificates.
#[derive(Debug)]
struct At(Arc<ManualClockBox>);

/// [`ManualClock`] that can be shown.
struct ManualClockBox(Arc<ManualClock>);

impl std::fmt::Debug for ManualClockBox {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str("clock")
    }
}

impl rustls::time_provider::TimeProvider for At {
    fn current_time(&self) -> Option<UnixTime> {
        let ms = u64::try_from(self.0.0.now().get()).ok()?;
        Some(UnixTime::since_unix_epoch(Duration::from_millis(ms)))
    }
}

/// The certificate that the server at `address` shows, if it is to be believed at the moment of `clock`.
async fn shown(address: SocketAddr, authority: &Authority, clock: &Arc<ManualClock>) -> Option<Vec<u8>> {
    let mut roots = rustls::RootCertStore::empty();
    roots.add(CertificateDer::from_pem_slice(authority.pem().as_bytes()).unwrap()).unwrap();
    let provider = Arc::new(rustls::crypto::aws_lc_rs::default_provider());
    let time = Arc::new(At(Arc::new(ManualClockBox(Arc::clone(clock)))));
    let config = rustls::ClientConfig::builder_with_details(provider, time);
    let config = config.with_safe_default_protocol_versions().unwrap();
    let config = config.with_root_certificates(roots).with_no_client_auth();
    let connector = tokio_rustls::TlsConnector::from(Arc::new(config));
    let stream = TcpStream::connect(address).await.unwrap();
    let stream = connector.connect(ServerName::try_from("blr1.local").unwrap(), stream).await.ok()?;
    Some(stream.get_ref().1.peer_certificates()?.first()?.to_vec())
}

#[tokio::test(flavor = "multi_thread")]
async fn a_certificate_is_renewed_while_the_server_runs_before_a_tablet_would_notice() {
    let folder = tempfile::tempdir().unwrap();
    let clock = Arc::new(ManualClock::new(SystemClock.now()));
    let env = Env::new(Arc::clone(&clock) as Arc<dyn Clock>, Arc::new(OsRandom));
    let wanted = || Wanted { names: ["blr1.local".to_owned()].into(), ..Wanted::default() };
    let settings = Settings {
        files: None,
        folder: folder.path().to_owned(),
        title: "Tiffin".into(),
        wanted: Box::new(wanted),
    };
    let keeper = Keeper::open(settings, env).unwrap();
    let authority = Authority::load(folder.path()).unwrap().unwrap();
    let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
    let address = listener.local_addr().unwrap();
    let (shutdown, tls) = (Shutdown::new(), Some(keeper.server_config().unwrap()));
    let server = tokio::spawn({
        let shutdown = shutdown.clone();
        async move {
            let bounds = Bounds {
                max_connections: 8,
                limit_connections: None,
                trusted_proxies: Vec::new(),
                idle_timeout: Duration::from_secs(5),
                header_read_timeout: Duration::from_secs(5),
                shutdown_grace: Duration::from_secs(5),
            };
            let door = Door { listener: &listener, tls, app: axum::Router::new() };
            run_all(vec![door], bounds, &shutdown).await;
        }
    });
    let first = shown(address, &authority, &clock).await.expect("trusted");
    clock.advance(398 * DAY_MS);
    assert_eq!(shown(address, &authority, &clock).await, None, "an old certificate is not believed");
    clock.advance(-20 * DAY_MS);
    assert_eq!(keeper.look().unwrap(), Looked::Replaced);
    clock.advance(20 * DAY_MS);
    let second = shown(address, &authority, &clock).await.expect("still trusted, with the same authority");
    assert_ne!(first, second);
    shutdown.trigger();
    server.await.unwrap();
}

#[tokio::test(flavor = "multi_thread")]
async fn given_files_serve_and_new_ones_are_taken_up_without_a_restart() {
    let folder = tempfile::tempdir().unwrap();
    init(folder.path());
    let names = ["pos.example.com".to_owned()];
    let authority = Authority::make(&folder.path().join("given"), "Given", &names, &Env::system()).unwrap();
    let wanted = Wanted { names: ["pos.example.com".to_owned()].into(), ..Wanted::default() };
    authority.issue(&wanted, &Env::system()).unwrap();
    let file = authority.server_file();
    let (tls, path) = (free_address(), file.to_str().unwrap());
    let settings = ["--tls-listen", &tls.to_string(), "--tls-certificate", path, "--tls-key", path];
    let settings = [&settings[..], &["--allowed-hosts", "pos.example.com"]].concat();
    let edge = Edge::serve(folder.path(), &settings).await;
    let client = || trusting(authority.pem(), "pos.example.com");
    let url = format!("https://pos.example.com:{}/health", tls.port());
    assert_eq!(client().get(&url).send().await.unwrap().status(), 200);
    assert!(
        !folder.path().join("tls/authority.pem").exists(),
        "no authority is made beside a given certificate"
    );
    let page = reqwest::get(format!("{}/certificate", edge.base())).await.unwrap();
    assert_eq!(page.status(), 404);
    let served = |url: &str| {
        let shown = Command::new("openssl")
            .args(["s_client", "-connect", &tls.to_string(), "-servername", url])
            .stdin(std::process::Stdio::null())
            .output()
            .unwrap();
        String::from_utf8_lossy(&shown.stdout).split("-----END CERTIFICATE-----").next().unwrap().to_owned()
    };
    let first = served("pos.example.com");
    authority.issue(&wanted, &Env::system()).unwrap();
    until("the new certificate serves", async || (served("pos.example.com") != first).then_some(())).await;
    assert_eq!(expires(edge.base()).await, end_of(&file));
    assert_eq!(client().get(&url).send().await.unwrap().status(), 200);
}

#[tokio::test(flavor = "multi_thread")]
async fn who_never_shakes_hands_is_hung_up_on_and_delays_no_stop() {
    let folder = tempfile::tempdir().unwrap();
    init(folder.path());
    let tls = free_address();
    let settings = ["--tls-listen", &tls.to_string(), "--header-read-timeout-seconds", "1"];
    let _edge = Edge::serve(folder.path(), &settings).await;
    let mut silent = TcpStream::connect(tls).await.unwrap();
    let mut rest = Vec::new();
    let ended = tokio::time::timeout(Duration::from_secs(20), silent.read_to_end(&mut rest)).await;
    assert!(ended.is_ok(), "the server waits for ever");
}

#[tokio::test(flavor = "multi_thread")]
async fn a_box_belongs_to_a_head_office_with_an_authority_of_its_own_and_only_by_it() {
    let (office, branch) = (tempfile::tempdir().unwrap(), tempfile::tempdir().unwrap());
    let pem = office_with_tls(office.path());
    init(branch.path());
    let tls = free_address();
    let hub = HubProcess::serve(office.path(), &["--tls-listen", &tls.to_string()]).await;
    let code = enrol_code(&hub, None).await;
    let (url, at) = (format!("https://localhost:{}", tls.port()), branch.path().to_str().unwrap());
    let enroll = ["enroll", "--data-dir", at, "--hub", &url, "--code", &code];
    let refused = Command::new(Edge::binary()).args(enroll).output().unwrap();
    let told = String::from_utf8_lossy(&refused.stderr);
    assert!(
        !refused.status.success() && told.contains("hub-ca"),
        "it believed a certificate of nobody's: {told}"
    );
    let said = Edge::run(&[&enroll[..], &["--hub-ca", pem.to_str().unwrap()]].concat());
    assert!(said.contains(&url), "{said}");
    let email = ["--email", "me@example.com", "--password-file"];
    let password = office.path().join("password");
    Edge::run(&[&["reset-password", "--data-dir", at], &email[..], &[password.to_str().unwrap()]].concat());
    let edge = Edge::serve(branch.path(), &[]).await;
    let owner =
        tiffin_tests::people::sign_in(&edge.client(), "me@example.com", "correct-horse-battery").await;
    until("head office has every row", async || {
        let sync = owner.get("/status").await.expect(200).data()["sync"].clone();
        (sync["hubReachable"] == true && sync["rowsWaiting"] == 0).then_some(())
    })
    .await;
}

/// A head office with a local authority; answers where its certificate is.
pub fn office_with_tls(folder: &Path) -> std::path::PathBuf {
    let password = folder.join("password");
    std::fs::write(&password, "correct-horse-battery\n").unwrap();
    let password = password.to_str().unwrap().to_owned();
    HubProcess::run(folder, &["init", "--admin-email", "me@example.com", "--admin-password-file", &password]);
    let said = HubProcess::run(folder, &["tls", "init"]);
    assert!(said.contains("SHA-256 "), "{said}");
    folder.join("tls/tiffin-ca.crt")
}

/// A new code of `hub`: for a new outlet, or for the box that takes the place of this outlet's.
pub async fn enrol_code(hub: &HubProcess, outlet: Option<&serde_json::Value>) -> String {
    let admin = hub.sign_in("me@example.com", "correct-horse-battery").await;
    let body = outlet.map_or_else(|| serde_json::json!({}), |id| serde_json::json!({"outletId": id}));
    let given = admin.post("/hub/enrolments", body).await.expect(201).data();
    given["code"].as_str().unwrap().to_owned()
}
