//! What the doctors of the real programs find when something is really wrong, and that they leave everything as it was.

use serde_json::{Value, json};
use std::collections::BTreeMap;
use std::fs::{self, OpenOptions, Permissions};
use std::io::{Seek, SeekFrom, Write};
use std::os::unix::fs::PermissionsExt;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::time::{Duration, Instant};
use tiffin_tests::printer::Printer;
use tiffin_tests::{Edge, HubProcess, free_address, sample};
use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::TcpListener;

/// A doctor's report.
struct Report {
    code: i32,
    findings: Vec<Value>,
}

impl Report {
    fn of(binary: PathBuf, data: &Path, more: &[&str]) -> Report {
        let output = Command::new(binary)
            .env("TIFFIN_PRINTER_NETWORKS", "127.0.0.0/8")
            .env("TIFFIN_PRINTER_PORTS", "1-65535")
            .args(["doctor", "--json", "--data-dir"])
            .arg(data)
            .args(more)
            .output()
            .unwrap();
        let report: Value = serde_json::from_slice(&output.stdout)
            .unwrap_or_else(|_| panic!("{}", String::from_utf8_lossy(&output.stderr)));
        let code = output.status.code().unwrap();
        let worst = report["level"].as_str().unwrap();
        assert_eq!(code, ["OK", "WARN", "BROKEN"].iter().position(|level| *level == worst).unwrap() as i32);
        Report { code, findings: report["findings"].as_array().unwrap().clone() }
    }

    /// The worst finding of a check: its level, what was found, and what to do.
    #[track_caller]
    fn of_check(&self, check: &str) -> (&str, &str, &str) {
        let found = self.findings.iter().filter(|finding| finding["check"] == check);
        let worst = found.max_by_key(|finding| match finding["level"].as_str().unwrap() {
            "OK" => 0,
            "WARN" => 1,
            _ => 2,
        });
        let worst = worst.unwrap_or_else(|| panic!("nothing of {check}: {:?}", self.findings));
        let text = |name: &str| worst[name].as_str().unwrap_or_default();
        assert!(text("level") == "OK" || !text("advice").is_empty(), "{worst}");
        (text("level"), text("found"), text("advice"))
    }

    #[track_caller]
    fn assert_level(&self, check: &str, level: &str) {
        let told = self.of_check(check);
        assert_eq!(told.0, level, "{check}: {told:?}");
    }
}

fn edge_doctor(data: &Path, listen: &str) -> Report {
    Report::of(Edge::binary(), data, &["--listen", listen])
}

fn hub_doctor(data: &Path, more: &[&str]) -> Report {
    Report::of(HubProcess::binary(), data, more)
}

/// Every file below `folder` with its size, rights and time of change; SQLite's own side files aside.
fn files(folder: &Path) -> BTreeMap<PathBuf, (u64, u32, std::time::SystemTime)> {
    let mut found = BTreeMap::new();
    for entry in fs::read_dir(folder).unwrap() {
        let path = entry.unwrap().path();
        if path.is_dir() {
            found.extend(files(&path));
        } else if !path.to_string_lossy().ends_with("-shm") && !path.to_string_lossy().ends_with("-wal") {
            let meta = fs::metadata(&path).unwrap();
            found.insert(path, (meta.len(), meta.permissions().mode(), meta.modified().unwrap()));
        }
    }
    found
}

#[test]
fn a_stopped_box_is_looked_at_and_left_as_it_was() {
    let folder = tempfile::tempdir().unwrap();
    let data = folder.path().join("data");
    let listen = free_address().to_string();
    edge_doctor(&data, &listen).assert_level("database", "BROKEN");
    assert!(!data.exists(), "a doctor makes nothing");
    sample::init(&data, "BLR1");
    let before = files(&data);
    let report = edge_doctor(&data, &listen);
    for check in ["disk-write", "file-rights", "database", "schema", "change-log", "port"] {
        report.assert_level(check, "OK");
    }
    assert_eq!(files(&data), before);

    let set = |path: &str, mode| fs::set_permissions(data.join(path), Permissions::from_mode(mode)).unwrap();
    set("", 0o755);
    edge_doctor(&data, &listen).assert_level("file-rights", "WARN");
    set("", 0o700);
    set("secrets/pepper", 0o644);
    let report = edge_doctor(&data, &listen);
    let (level, found, advice) = report.of_check("file-rights");
    assert!(
        level == "BROKEN" && found.contains("secrets/pepper") && advice.contains("chmod"),
        "{found}: {advice}"
    );
    assert_eq!(report.code, 2);
    set("secrets/pepper", 0o600);

    let other = std::net::TcpListener::bind(&listen).unwrap();
    let report = edge_doctor(&data, &listen);
    assert!(report.of_check("port").0 == "BROKEN" && report.of_check("port").2.contains("ss -ltnp"));
    drop(other);

    // In the middle of the file: a page of some table.
    let conn = rusqlite::Connection::open(data.join("tiffin.db")).unwrap();
    conn.query_row("PRAGMA wal_checkpoint(TRUNCATE)", [], |_| Ok(())).unwrap();
    drop(conn);
    let mut file = OpenOptions::new().write(true).open(data.join("tiffin.db")).unwrap();
    let length = file.metadata().unwrap().len();
    file.seek(SeekFrom::Start(length / 2 / 4096 * 4096)).unwrap();
    file.write_all(&[0xA5; 8192]).unwrap();
    let report = edge_doctor(&data, &listen);
    let (level, found, advice) = report.of_check("database");
    assert!(level == "BROKEN" && advice.contains("edge restore"), "{found}: {advice}");
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_serving_box_is_asked_for_its_head_office_and_a_stranger_in_its_place_is_found_out() {
    let folder = tempfile::tempdir().unwrap();
    let (data, hub_data) = (folder.path().join("data"), folder.path().join("hub"));
    sample::init(&data, "BLR1");
    HubProcess::run(&hub_data, &["init", "--admin-email", "ward@hub.test"]);
    let code = HubProcess::run(&hub_data, &["enrol-code"]).split_whitespace().next().unwrap().to_owned();
    let hub = HubProcess::serve(&hub_data, &[]).await;
    let place = hub.base().to_owned();
    Edge::run(&["enroll", "--data-dir", data.to_str().unwrap(), "--hub", &place, "--code", &code]);
    let edge = Edge::serve(&data, &[]).await;
    caught_up(&edge).await;
    let report = edge_doctor(&data, edge.listen());
    for check in ["service", "database", "change-log", "port", "exchange", "head-office", "file-rights"] {
        report.assert_level(check, "OK");
    }
    assert!(report.of_check("port").1.contains("answers"));
    assert!(report.of_check("head-office").1.contains("knows this box"));

    let listen = place.trim_start_matches("http://").to_owned();
    // What boxes say of themselves is written down every few seconds.
    let deadline = Instant::now() + Duration::from_secs(60);
    let report = loop {
        let report = hub_doctor(&hub_data, &["--listen", &listen]);
        if report.of_check("outlet").0 == "OK" || Instant::now() > deadline {
            break report;
        }
    };
    for check in ["disk-write", "database", "schema", "secret", "copies", "outlet", "port"] {
        report.assert_level(check, "OK");
    }

    hub.kill();
    let report = edge_doctor(&data, edge.listen());
    let (level, found, advice) = report.of_check("head-office");
    assert!(level == "WARN" && advice.contains("Selling goes on"), "{found}: {advice}");

    let portal = tokio::spawn(hotel(TcpListener::bind(&listen).await.unwrap()));
    let report = edge_doctor(&data, edge.listen());
    let (level, found, advice) = report.of_check("head-office");
    assert!(level == "BROKEN" && advice.contains("sign-in page"), "{found}: {advice}");
    portal.abort();

    // Somebody unplugs a printer.
    let owner = sample::owner(&edge).await;
    let station = json!({"name": "Doctor's", "printerAddress": free_address().to_string()});
    owner.post("/kitchen/stations", station).await.expect(201);
    let report = edge_doctor(&data, edge.listen());
    assert!(report.of_check("printer").0 == "WARN" && report.of_check("printer").1.contains("Doctor's"));
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_test_page_comes_out_of_the_printer_of_that_name_whether_the_server_runs_or_not() {
    let folder = tempfile::tempdir().unwrap();
    let data = folder.path().join("data");
    sample::init(&data, "BLR1");
    let anywhere = ["--printer-networks", "127.0.0.0/8", "--printer-ports", "1-65535"];
    let edge = Edge::serve(&data, &anywhere).await;
    let printer = Printer::start().await;
    let bar = json!({"name": "Bar printer", "address": printer.address, "profile": "EPSON"});
    sample::owner(&edge).await.post("/printers", bar).await.expect(201);
    let print = async |name: &'static str| {
        let mut command = Command::new(Edge::binary());
        command.args(["print", "--test", name, "--data-dir"]).arg(&data).args(anywhere);
        let output = tokio::task::spawn_blocking(move || command.output().unwrap()).await.unwrap();
        let said = [output.stdout, output.stderr].map(|text| String::from_utf8(text).unwrap()).concat();
        (output.status.success(), said)
    };
    let told = print("Bar printer").await;
    assert_eq!(told, (true, "Bar printer: printed\n".to_owned()));
    edge.kill();
    printer.offline(true);
    let (is_well, said) = print("Bar printer").await;
    assert!(!is_well && said.contains("Bar printer"), "{said}");
    printer.heal();
    assert!(print("Bar printer").await.0);
    let pages = printer.pages();
    assert_eq!(pages.len(), 2);
    assert!(pages[0].text().contains("Bar printer"), "{}", pages[0].text());
    let (is_well, said) = print("Cellar").await;
    assert!(!is_well && said.contains("known: Bar printer"), "{said}");
}

async fn caught_up(edge: &Edge) {
    let deadline = Instant::now() + Duration::from_secs(120);
    let owner = sample::owner(edge).await;
    loop {
        let sync = owner.get("/status").await.data()["sync"].clone();
        if sync["enrolled"] == true && sync["rowsWaiting"] == 0 && sync["hubReachable"] == true {
            return;
        }
        assert!(Instant::now() < deadline, "{sync}");
        tokio::time::sleep(Duration::from_millis(50)).await;
    }
}

/// Answers everything with a page to sign in.
async fn hotel(listener: TcpListener) {
    let page = "<html>Welcome to the hotel</html>";
    let length = page.len();
    let answer = format!(
        "HTTP/1.1 200 OK\r\ncontent-type: text/html; charset=utf-8\r\ncontent-length: {length}\r\nconnection: close\r\n\r\n{page}"
    );
    loop {
        let (mut stream, _) = listener.accept().await.unwrap();
        let mut asked = [0; 1024];
        let _read = stream.read(&mut asked).await;
        let _written = stream.write_all(answer.as_bytes()).await;
    }
}

#[test]
fn a_stopped_head_office_is_looked_at_and_left_as_it_was() {
    let folder = tempfile::tempdir().unwrap();
    let data = folder.path().join("hub");
    let listen = free_address().to_string();
    let look = || hub_doctor(&data, &["--listen", &listen]);
    look().assert_level("schema", "BROKEN");
    assert!(!data.exists(), "a doctor makes nothing");
    HubProcess::run(&data, &["init", "--admin-email", "ward@hub.test"]);
    let before = files(&data);
    let report = look();
    for check in ["database", "schema", "secret", "copies", "port"] {
        report.assert_level(check, "OK");
    }
    assert_eq!(files(&data), before);
    let other = "cd".repeat(32);
    hub_doctor(&data, &["--listen", &listen, "--secret", &other]).assert_level("secret", "BROKEN");
    fs::rename(data.join("secrets"), data.join("elsewhere")).unwrap();
    look().assert_level("secret", "BROKEN");
    fs::write(data.join("hub.db"), [0x5A; 40_960]).unwrap();
    look().assert_level("database", "BROKEN");
    hub_doctor(&data, &["--database-url", "postgres://nobody@127.0.0.1:1/none"])
        .assert_level("database", "BROKEN");
}
