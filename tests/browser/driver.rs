//! A Chromium of its own, driven by the WebDriver protocol of a chromedriver of its own on a free port. That protocol is plain JSON
//! over HTTP, so it is spoken here: of the kept client crates one brings a licence that `packaging/deny.toml` does not allow, the
//! other turns on a feature of `serde_json` for every program that is tested. Never another browser's profile; both end with it.

use serde_json::{Value, json};
use std::io::{Read, Write};
use std::net::TcpStream;
use std::path::Path;
use std::process::Command;
use tempfile::TempDir;
use tiffin_tests::Console;

/// The name of an element in an answer of the protocol.
const ELEMENT: &str = "element-6066-11e4-a52e-4f735466cecf";

/// What a browser for tests leaves alone: no first steps, no calls home.
const FLAGS: [&str; 9] = [
    "--headless",
    // Tests run as root in containers.
    "--no-sandbox",
    "--disable-gpu",
    "--disable-quic",
    "--no-first-run",
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-sync",
    // What the box's announcement does in a network, and a liar.
    "--host-resolver-rules=MAP blr1.local 127.0.0.1, MAP bank.example 127.0.0.1",
];

/// A running browser with one page.
pub struct Browser {
    http: reqwest::Client,
    /// `127.0.0.1:…`, where chromedriver answers.
    driver: String,
    session: String,
    /// Its home, with its profile, the certificates it trusts and what it downloads.
    home: TempDir,
    _console: Console,
}

impl Browser {
    /// One that trusts no authority but the world's.
    pub async fn start() -> Browser {
        Browser::start_in(tempfile::tempdir().unwrap()).await
    }

    /// One whose user has imported the authority's `certificate`, as the steps for Linux say.
    pub async fn start_trusting(certificate: &Path) -> Browser {
        let home = tempfile::tempdir().unwrap();
        let store = home.path().join(".pki/nssdb");
        std::fs::create_dir_all(&store).unwrap();
        let store = format!("sql:{}", store.display());
        let certutil = |arguments: &[&str]| {
            let done = Command::new("certutil").args(arguments).args(["-d", &store]).output();
            let done = done.expect("certutil (Debian's libnss3-tools)");
            assert!(done.status.success(), "{arguments:?}: {}", String::from_utf8_lossy(&done.stderr));
        };
        certutil(&["-N", "--empty-password"]);
        certutil(&["-A", "-n", "tiffin", "-t", "C,,", "-i", certificate.to_str().unwrap()]);
        Browser::start_in(home).await
    }

    async fn start_in(home: TempDir) -> Browser {
        let mut command = Command::new("chromedriver");
        command.arg("--port=0").env("HOME", home.path()).env("LANG", "en_US.UTF-8");
        let mut console = Console::start(&mut command);
        let line = console.line("was started successfully on port").await;
        let port = line.trim_end_matches('.').rsplit(' ').next().unwrap().to_owned();
        let driver = format!("127.0.0.1:{port}");
        let profile = format!("--user-data-dir={}", home.path().join("profile").display());
        let flags: Vec<&str> = FLAGS.into_iter().chain([profile.as_str()]).collect();
        let wanted = json!({
            "browserName": "chrome",
            "goog:chromeOptions": {"args": flags},
            "goog:loggingPrefs": {"browser": "ALL"},
        });
        // Loopback only; nothing that a proxy should see.
        let http = reqwest::Client::builder().no_proxy().build().unwrap();
        let mut browser = Browser { http, driver, session: String::new(), home, _console: console };
        let session = browser.ask("POST", "/session", json!({"capabilities": {"alwaysMatch": wanted}})).await;
        browser.session = format!("/session/{}", session["sessionId"].as_str().unwrap());
        // An element of a page that is just coming is waited for.
        browser.ask("POST", "/timeouts", json!({"implicit": 20_000})).await;
        browser
    }

    /// One command of the protocol.
    async fn ask(&self, method: &str, path: &str, body: Value) -> Value {
        self.try_ask(method, path, body).await.unwrap_or_else(|error| panic!("{method} {path}: {error}"))
    }

    async fn try_ask(&self, method: &str, path: &str, body: Value) -> Result<Value, Value> {
        let url = format!("http://{}{}{path}", self.driver, self.session);
        let request = self.http.request(method.parse().unwrap(), url);
        let request = if method == "POST" { request.json(&body) } else { request };
        let answer = request.send().await.unwrap();
        let is_good = answer.status().is_success();
        let value = answer.json::<Value>().await.unwrap()["value"].take();
        if is_good { Ok(value) } else { Err(value) }
    }

    /// A command of Chromium's own, by the name the DevTools protocol gives it.
    pub async fn command(&self, name: &str, parameters: Value) -> Value {
        self.ask("POST", "/goog/cdp/execute", json!({"cmd": name, "params": parameters})).await
    }

    /// Opens `url` and waits until it is loaded.
    pub async fn open(&self, url: &str) {
        self.ask("POST", "/url", json!({"url": url})).await;
    }

    /// Runs a script in the page and returns what it returns.
    pub async fn run(&self, script: &str) -> Value {
        self.ask("POST", "/execute/sync", json!({"script": script, "args": []})).await
    }

    /// [`run`](Self::run) of a script that calls its last argument with its result.
    pub async fn run_to_end(&self, script: &str) -> Value {
        self.ask("POST", "/execute/async", json!({"script": script, "args": []})).await
    }

    /// The text of the whole page, as it is shown.
    pub async fn text(&self) -> String {
        self.text_of("body").await
    }

    /// The text of the first element that fits `css`, as it is shown.
    pub async fn text_of(&self, css: &str) -> String {
        self.ask_of(css, "GET", "text", Value::Null).await.as_str().unwrap().to_owned()
    }

    /// What is filled in there.
    pub async fn value_of(&self, css: &str) -> String {
        self.ask_of(css, "GET", "property/value", Value::Null).await.as_str().unwrap().to_owned()
    }

    async fn find(&self, css: &str) -> String {
        let wanted = json!({"using": "css selector", "value": css});
        self.ask("POST", "/element", wanted).await[ELEMENT].as_str().unwrap().to_owned()
    }

    /// Asks something of the first element that fits `css`. A page may put another in its place just then: that one is asked.
    async fn ask_of(&self, css: &str, method: &str, what: &str, body: Value) -> Value {
        loop {
            let element = self.find(css).await;
            match self.try_ask(method, &format!("/element/{element}/{what}"), body.clone()).await {
                Ok(value) => return value,
                Err(error) if is_replaced(&error) => {}
                Err(error) => panic!("{css}, {what}: {error}"),
            }
        }
    }

    /// Taps the first element that fits `css`, and waits for the page it leads to.
    pub async fn tap(&self, css: &str) {
        self.ask_of(css, "POST", "click", json!({})).await;
    }

    /// Types `text` into a field instead of what is there.
    pub async fn fill(&self, css: &str, text: &str) {
        self.ask_of(css, "POST", "clear", json!({})).await;
        self.ask_of(css, "POST", "value", json!({"text": text})).await;
    }

    /// Presses the Tab key once.
    pub async fn tab(&self) {
        let key = |kind: &str| json!({"type": kind, "value": "\u{E004}"});
        let keys = json!([{"type": "key", "id": "keys", "actions": [key("keyDown"), key("keyUp")]}]);
        self.ask("POST", "/actions", json!({"actions": keys})).await;
    }

    /// A screen of this size, of a device that is touched or not, by day or by night.
    pub async fn screen(&self, (width, height): (u32, u32), is_touched: bool, is_dark: bool) {
        let scheme = if is_dark { "dark" } else { "light" };
        let features = json!({"features": [{"name": "prefers-color-scheme", "value": scheme}]});
        self.command("Emulation.setEmulatedMedia", features).await;
        let size = json!({"width": width, "height": height, "deviceScaleFactor": 1, "mobile": is_touched});
        self.command("Emulation.setDeviceMetricsOverride", size).await;
    }

    /// The screen as a PNG.
    pub async fn screenshot(&self) -> Vec<u8> {
        decoded(&self.ask("GET", "/screenshot", Value::Null).await)
    }

    /// What the printer would get, as a PDF, on the paper that the page asks for.
    pub async fn print(&self) -> Vec<u8> {
        let printed = self.command("Page.printToPDF", json!({"preferCSSPageSize": true})).await;
        decoded(&printed["data"])
    }

    /// Downloads what the link that fits `css` leads to, and returns where it lies.
    pub async fn download(&self, css: &str, name: &str) -> std::path::PathBuf {
        let folder = self.home.path().join("downloads");
        let allowed = json!({"behavior": "allow", "downloadPath": folder});
        self.command("Browser.setDownloadBehavior", allowed).await;
        self.tap(css).await;
        let file = folder.join(name);
        tiffin_tests::until("it is downloaded", async || file.is_file().then_some(())).await;
        file
    }

    /// What Chromium's console says is wrong, but for the answers with which our own pages refuse something.
    pub async fn complaints(&self) -> Vec<String> {
        let said = self.ask("POST", "/se/log", json!({"type": "browser"})).await;
        let said = said.as_array().unwrap().iter().map(|line| line["message"].as_str().unwrap().to_owned());
        let is_refusal = |line: &String| {
            let page = line.split(" - ").next().unwrap_or_default();
            let is_ours = ["/setup", "/pair"].iter().any(|ours| page.contains(ours))
                && line.contains("Failed to load resource");
            is_ours
                && ["(Forbidden)", "(Unprocessable Entity)", "(Gone)", "(Too Many Requests)"]
                    .iter()
                    .any(|s| line.ends_with(s))
        };
        said.filter(|line| !is_refusal(line)).collect()
    }
}

fn decoded(value: &Value) -> Vec<u8> {
    use base64::Engine;
    base64::engine::general_purpose::STANDARD.decode(value.as_str().unwrap()).unwrap()
}

impl Drop for Browser {
    /// Chromedriver ends its browser when the session is deleted; killed, it would leave it behind.
    fn drop(&mut self) {
        let Ok(mut stream) = TcpStream::connect(&self.driver) else { return };
        let end =
            format!("DELETE {} HTTP/1.1\r\nhost: {}\r\nconnection: close\r\n\r\n", self.session, self.driver);
        if stream.write_all(end.as_bytes()).is_ok() {
            // It answers when the browser is gone.
            let _ = stream.read(&mut [0; 64]);
        }
    }
}

/// Whether a page has put another element in the place of the one that was asked: the driver has two ways to say so.
fn is_replaced(error: &Value) -> bool {
    let message = error["message"].as_str().unwrap_or_default();
    error["error"] == "stale element reference" || message.contains("does not belong to the document")
}
