//! Two machines on one cable: this test's and the box's, each a network namespace. The box is found by its name, follows its
//! addresses, and gives way to who has the name; what must not cross the cable in clear does not.

use super::init;
use super::tls::office_with_tls;
use mdns_sd::{ResolvedService, ServiceDaemon, ServiceEvent};
use std::net::{IpAddr, SocketAddr};
use std::path::Path;
use std::process::{Child, Command, Stdio};
use std::time::Duration;
use tiffin_tests::{Console, Edge, HubProcess, until};

/// Set inside the namespace.
const INSIDE: &str = "TIFFIN_TEST_CABLE";

/// Runs the test `name` once more, in a network of its own with the rights of its owner; false when this is that run.
fn moved(name: &str) -> bool {
    if std::env::var_os(INSIDE).is_some() {
        return false;
    }
    let mut again = Command::new("unshare");
    again.args(["--user", "--map-root-user", "--net", "--"]).arg(std::env::current_exe().unwrap());
    let again = again.args(["--exact", name, "--nocapture"]).env(INSIDE, "1").output().unwrap();
    let (out, err) = (String::from_utf8_lossy(&again.stdout), String::from_utf8_lossy(&again.stderr));
    assert!(again.status.success() && out.contains("1 passed"), "in a network of its own:\n{out}\n{err}");
    true
}

fn run(command: &[&str]) {
    let output = Command::new(command[0]).args(&command[1..]).output().unwrap();
    assert!(output.status.success(), "{command:?}: {}", String::from_utf8_lossy(&output.stderr));
}

/// The cable: 10.99.0.1 here, 10.99.0.2 at the box.
struct Cable {
    holder: Child,
}

impl Cable {
    fn lay() -> Cable {
        let holder =
            Command::new("unshare").args(["--net", "--", "sleep", "600"]).stdout(Stdio::null()).spawn();
        let cable = Cable { holder: holder.unwrap() };
        let own = std::fs::read_link("/proc/self/ns/net").unwrap();
        let theirs = format!("/proc/{}/ns/net", cable.holder.id());
        while std::fs::read_link(&theirs).unwrap() == own {
            std::thread::sleep(Duration::from_millis(5));
        }
        run(&["ip", "link", "set", "lo", "up"]);
        run(&["ip", "link", "add", "here", "type", "veth", "peer", "name", "box"]);
        run(&["ip", "link", "set", "box", "netns", &cable.holder.id().to_string()]);
        run(&["ip", "addr", "add", "10.99.0.1/24", "dev", "here"]);
        run(&["ip", "link", "set", "here", "up"]);
        cable.there(&["ip", "link", "set", "lo", "up"]);
        cable.there(&["ip", "addr", "add", "10.99.0.2/24", "dev", "box"]);
        cable.there(&["ip", "link", "set", "box", "up"]);
        cable
    }

    /// Runs a command on the box's machine.
    fn there(&self, command: &[&str]) {
        let pid = self.holder.id().to_string();
        run(&[&["nsenter", "--target", &pid, "--net", "--"], command].concat());
    }

    /// A program on the box's machine.
    fn program(&self, binary: &Path) -> Command {
        let mut command = Command::new("nsenter");
        command.args(["--target", &self.holder.id().to_string(), "--net", "--"]).arg(binary);
        command
    }
}

impl Drop for Cable {
    fn drop(&mut self) {
        let _ = self.holder.kill();
        let _ = self.holder.wait();
    }
}

/// How long one browser looks before another one asks anew, as a person does whose list stays empty.
const LOOK: Duration = Duration::from_secs(15);

/// Browses for services of this kind until one fits.
async fn found(kind: &str, fits: impl Fn(&ResolvedService) -> bool) -> ResolvedService {
    let mut heard = Vec::new();
    for _ in 0..8 {
        let browser = ServiceDaemon::new().unwrap();
        let events = browser.browse(kind).unwrap();
        let look = async {
            loop {
                match events.recv_async().await.unwrap() {
                    ServiceEvent::ServiceResolved(service) if fits(&service) => return *service,
                    event => heard.push(format!("{event:?}")),
                }
            }
        };
        let service = tokio::time::timeout(LOOK, look).await;
        let _ = browser.shutdown();
        if let Ok(service) = service {
            return service;
        }
    }
    panic!("no {kind} that fits; heard: {heard:#?}")
}

fn has(service: &ResolvedService, ip: &str) -> bool {
    let ip: IpAddr = ip.parse().unwrap();
    service.addresses.iter().any(|at| at.to_ip_addr() == ip)
}

fn edge(mut command: Command, data: &Path, more: &[&str]) -> Console {
    command.args(["serve", "--data-dir"]).arg(data).args(["--listen", "0.0.0.0:8080"]).args(more);
    Console::start(&mut command)
}

#[test]
fn a_box_is_found_by_its_name_follows_its_addresses_and_gives_way_to_who_has_the_name() {
    if moved("network::a_box_is_found_by_its_name_follows_its_addresses_and_gives_way_to_who_has_the_name") {
        return;
    }
    tokio::runtime::Runtime::new().unwrap().block_on(async {
        let (cable, folder, other) =
            (Cable::lay(), tempfile::tempdir().unwrap(), tempfile::tempdir().unwrap());
        init(folder.path());
        init(other.path());
        let more = ["--tls-listen", "0.0.0.0:8443"];
        let mut first = edge(cable.program(&Edge::binary()), folder.path(), &more);
        first.line("Tiffin is open at").await;
        let service = found("_http._tcp.local.", |service| has(service, "10.99.0.2")).await;
        assert_eq!(service.fullname, "Dosa & Co._http._tcp.local.");
        assert_eq!((service.host.as_str(), service.port), ("blr1.local.", 8080));
        assert_eq!(service.txt_properties.get_property_val_str("path"), Some("/"));
        assert!(service.addresses.iter().all(|at| !at.to_ip_addr().is_loopback()));
        let secure = found("_https._tcp.local.", |service| has(service, "10.99.0.2")).await;
        assert_eq!((secure.host.as_str(), secure.port), ("blr1.local.", 8443));

        // By its name, in clear and over TLS: the host check knows it, the certificate holds for it.
        let pem = std::fs::read_to_string(folder.path().join("tls/tiffin-ca.crt")).unwrap();
        let authority = || reqwest::Certificate::from_pem(pem.as_bytes()).unwrap();
        let by_name = reqwest::Client::builder().tls_certs_only([authority()]);
        let by_name = by_name.resolve("blr1.local", SocketAddr::from(([10, 99, 0, 2], 0))).build().unwrap();
        for url in ["http://blr1.local:8080/api/v1/status", "https://blr1.local:8443/api/v1/status"] {
            let status: serde_json::Value = by_name.get(url).send().await.expect(url).json().await.unwrap();
            assert_eq!(status["data"]["ok"], true, "{url}");
        }

        // The router gives the box another address: it is announced, and the certificate holds for it too.
        cable.there(&["ip", "addr", "add", "10.99.0.7/24", "dev", "box"]);
        cable.there(&["ip", "addr", "del", "10.99.0.2/24", "dev", "box"]);
        cable.there(&["ip", "addr", "replace", "10.99.0.7/24", "dev", "box"]);
        found("_http._tcp.local.", |service| has(service, "10.99.0.7")).await;
        until("the certificate holds for the new address", async || {
            let client = reqwest::Client::builder().tls_certs_only([authority()]).build().unwrap();
            let answer = client.get("https://10.99.0.7:8443/health").send().await.ok()?;
            (answer.status() == 200).then_some(())
        })
        .await;

        // Another box of the same name comes into the network: it takes a name with a number.
        let mut second = edge(Command::new(Edge::binary()), other.path(), &[]);
        second.line("Tiffin is open at").await;
        let renamed = found("_http._tcp.local.", |service| service.host == "blr1-2.local.").await;
        assert!(renamed.fullname.starts_with("Dosa & Co (2)."), "{}", renamed.fullname);
        until("its sheet shows the name", async || {
            let page = reqwest::get("http://127.0.0.1:8080/sheet").await.ok()?.text().await.ok()?;
            page.contains("http://blr1-2.local:8080").then_some(())
        })
        .await;
    });
}

#[test]
fn what_must_not_cross_the_cable_in_clear_does_not() {
    if moved("network::what_must_not_cross_the_cable_in_clear_does_not") {
        return;
    }
    tokio::runtime::Runtime::new().unwrap().block_on(async {
        let (cable, office, branch) =
            (Cable::lay(), tempfile::tempdir().unwrap(), tempfile::tempdir().unwrap());
        let pem = std::fs::read_to_string(office_with_tls(office.path())).unwrap();
        let mut hub = cable.program(&HubProcess::binary());
        hub.args(["serve", "--listen", "0.0.0.0:8090", "--tls-listen", "0.0.0.0:8453", "--data-dir"])
            .arg(office.path());
        let mut hub = Console::start(&mut hub);
        hub.line("Head office is open at").await;
        let authority = || reqwest::Certificate::from_pem(pem.as_bytes()).unwrap();
        let client = reqwest::Client::builder().tls_certs_only([authority()]).build().unwrap();
        let login = "/api/v1/hub/auth/login";
        let body = serde_json::json!({"email": "me@example.com", "password": "correct-horse-battery"});
        let refused = client.post(format!("http://10.99.0.2:8090{login}")).json(&body).send().await.unwrap();
        assert_eq!(refused.status(), 403);
        assert!(refused.text().await.unwrap().contains("--tls-listen"));
        // Head office's certificate was made before the cable; the running server has made one for its address.
        let signed_in =
            client.post(format!("https://10.99.0.2:8453{login}")).json(&body).send().await.unwrap();
        assert_eq!(signed_in.status(), 200);
        let page = client.get("http://10.99.0.2:8090/certificate").send().await.unwrap();
        assert_eq!(page.status(), 200);

        // A branch that was told so sends tablets to TLS, but the certificate page and this machine stay.
        init(branch.path());
        let more = ["--tls-listen", "0.0.0.0:8443", "--staff-plain-http", "redirect"];
        let mut edge = edge(cable.program(&Edge::binary()), branch.path(), &more);
        edge.line("Tiffin is open at").await;
        let still = reqwest::Client::builder().redirect(reqwest::redirect::Policy::none()).build().unwrap();
        let sent = still.get("http://10.99.0.2:8080/api/v1/status").send().await.unwrap();
        let location = sent.headers()["location"].to_str().unwrap();
        assert_eq!((sent.status().as_u16(), location), (308, "https://10.99.0.2:8443/api/v1/status"));
        // Guests' phones trust no authority of the house: theirs is answered here.
        let guests = "http://10.99.0.2:8080/api/v1/orders/tables/AAAAAAAAAAAAAAAAAAAAAA/menu";
        assert_eq!(still.get(guests).send().await.unwrap().status(), 404);
        assert_eq!(still.get("http://10.99.0.2:8080/certificate").send().await.unwrap().status(), 200);
        cable.there(&["curl", "--fail", "--silent", "http://127.0.0.1:8080/api/v1/status"]);
        drop(edge);

        // One that was told to refuse tells programs so, before they are answered anything, and sends pages on.
        let more = ["--tls-listen", "0.0.0.0:8443", "--staff-plain-http", "refuse"];
        let mut edge = self::edge(cable.program(&Edge::binary()), branch.path(), &more);
        edge.line("Tiffin is open at").await;
        let login = still.post("http://10.99.0.2:8080/api/v1/auth/login").json(&body).send().await.unwrap();
        assert_eq!(login.status(), 403);
        let refused: serde_json::Value = login.json().await.unwrap();
        assert_eq!(refused["code"], "ERR_TLS_REQUIRED");
        let page = still.get("http://10.99.0.2:8080/pair").send().await.unwrap();
        assert_eq!(
            (page.status(), page.headers()["location"].to_str().unwrap()),
            (reqwest::StatusCode::PERMANENT_REDIRECT, "https://10.99.0.2:8443/pair")
        );
        assert_eq!(still.get(guests).send().await.unwrap().status(), 404);
    });
}
