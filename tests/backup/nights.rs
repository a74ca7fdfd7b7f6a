//! The nightly backups of a head office on PostgreSQL, whose processes share one database: each night one of them takes it, into its
//! own folder and the second place. The clocks are the test's.

use edge::backup::{self, Backup};
use serde_json::Value;
use std::fs;
use std::io::{BufRead, BufReader};
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::time::{Duration, Instant};
use sync_hub::backup::nightly::{Night, look};
use sync_hub::store::postgres::NIGHTS_LOCK;
use tiffin_common::Clock;
use tiffin_tests::postgres::Database;
use tiffin_tests::{HeadOffice, HubProcess};

const DAY: i64 = 86_400_000;
const HOUR: i64 = 3_600_000;

/// A process of the head office in `database`; every process has the same secret.
async fn process(database: &Database, second: &Path) -> HeadOffice {
    let leaked = |text: String| -> &'static str { text.leak() };
    HeadOffice::with([
        ("database-url", leaked(database.url.clone())),
        ("secret", leaked("ab".repeat(32))),
        ("backup-dir", leaked(second.display().to_string())),
        ("backup-keep", "3"),
    ])
    .await
}

fn folder_of(office: &HeadOffice) -> PathBuf {
    backup::folder(&office.app.config.store.data_dir)
}

async fn night(office: &HeadOffice) -> Night {
    look(&office.app, office.clock.now()).await.unwrap()
}

/// The backups that the processes have among them.
fn taken(offices: &[&HeadOffice]) -> Vec<Backup> {
    offices.iter().flat_map(|office| backup::list(&folder_of(office))).collect()
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn of_the_processes_on_one_database_one_takes_the_nightly_backup() {
    let (database, stick) = (Database::new(), crate::folder());
    let (a, b) = (process(&database, stick.path()).await, process(&database, stick.path()).await);
    let both = [&a, &b];
    let pass = |ms: i64| both.iter().for_each(|office| office.pass(ms));
    // It was founded after the last half past three.
    assert!(matches!(night(&a).await, Night::NotYet));
    pass(DAY);
    let nights = tokio::join!(night(&a), night(&b));
    assert!(
        matches!(nights, (Night::Taken(_), Night::NotYet) | (Night::NotYet, Night::Taken(_))),
        "{nights:?}"
    );
    assert!(matches!(tokio::join!(night(&a), night(&b)), (Night::NotYet, Night::NotYet)));
    let (made, copies) = (taken(&both), backup::list(stick.path()));
    assert_eq!((made.len(), copies.len()), (1, 1));
    assert_eq!(fs::read(&made[0].path).unwrap(), fs::read(&copies[0].path).unwrap());
    // Every process knows when, whoever it was.
    for office in both {
        let told = office.anonymous().get("/metrics").await.expect(200).text;
        let at = made[0].taken_at.get() / 1_000;
        assert!(told.contains(&format!("tiffin_hub_backup_last_timestamp_seconds {at}")), "{told}");
    }

    // One that is at it keeps the others out, and lets them in when it dies.
    pass(DAY);
    let dying = database.client().await;
    let alone = format!("SELECT pg_advisory_lock({NIGHTS_LOCK})");
    dying.batch_execute(&alone).await.unwrap();
    assert!(matches!(tokio::join!(night(&a), night(&b)), (Night::NotYet, Night::NotYet)));
    drop(dying);
    let deadline = Instant::now() + Duration::from_secs(30);
    while !matches!(night(&b).await, Night::Taken(_)) {
        assert!(Instant::now() < deadline, "the lock stays");
    }

    // Who fails leaves it to the others, after an hour. What a process that died left in its folder goes.
    pass(DAY);
    let own = folder_of(&a);
    let aside = own.with_file_name("aside");
    if own.exists() {
        fs::rename(&own, &aside).unwrap();
    }
    fs::write(&own, "no folder").unwrap();
    let left = folder_of(&b).join(".making-now");
    fs::create_dir_all(&left).unwrap();
    fs::write(left.join("poured"), "half").unwrap();
    assert!(matches!(night(&a).await, Night::Failed));
    pass(HOUR - 1);
    assert!(matches!(tokio::join!(night(&a), night(&b)), (Night::NotYet, Night::NotYet)));
    assert!(!database.sql("SELECT failure FROM hub.hub_nights").is_empty());
    pass(1);
    assert!(matches!(night(&b).await, Night::Taken(_)));
    assert!(!left.exists());
    assert_eq!(database.sql("SELECT failure IS NULL AND taken_at IS NOT NULL FROM hub.hub_nights"), "t");
    fs::remove_file(&own).unwrap();

    // Outdated ones go, in the second place, too: three days, and one a week before them.
    for _ in 0..7 {
        pass(DAY);
        assert!(matches!(night(&b).await, Night::Taken(_)));
    }
    let kept = backup::list(stick.path()).len();
    assert!((4..=5).contains(&kept), "{kept}");

    // A clock that is hours behind takes no second one for that.
    b.pass(-6 * HOUR);
    assert!(matches!(night(&b).await, Night::NotYet));
}

/// A head office in `database` and the folder `data`.
fn init(database: &Database, data: &Path) {
    HubProcess::run(data, &["init", "--database-url", &database.url]);
}

/// `sync-hub` on a machine without PostgreSQL's programs.
fn without_tools(database: &Database, data: &Path, arguments: &[&str]) -> Command {
    let mut command = Command::new(HubProcess::binary());
    command.args(arguments).arg("--data-dir").arg(data).args(["--database-url", &database.url]);
    command.env("PATH", data).env("RUST_LOG", "error").stdin(Stdio::null());
    command
}

fn finding(output: &[u8], check: &str) -> (String, String) {
    let report: Value = serde_json::from_slice(output).unwrap();
    let findings = report["findings"].as_array().unwrap();
    let found = findings.iter().find(|finding| finding["check"] == check);
    let found = found.unwrap_or_else(|| panic!("nothing of {check}: {report}"));
    (found["level"].as_str().unwrap().to_owned(), found.to_string())
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_machine_without_pg_dump_says_what_to_install_and_says_it_once() {
    let (database, folder) = (Database::new(), crate::folder());
    let data = folder.path().join("hub");
    fs::create_dir(&data).unwrap();
    init(&database, &data);
    let refused = without_tools(&database, &data, &["backup"]).output().unwrap();
    let words = String::from_utf8_lossy(&refused.stderr).into_owned();
    assert!(!refused.status.success() && words.contains("apt install postgresql-client"), "{words}");
    assert_eq!(fs::read_dir(data.join("backups")).unwrap().count(), 1, "nothing but the lock is left");

    let told = without_tools(&database, &data, &["doctor", "--json"]).output().unwrap();
    let (level, words) = finding(&told.stdout, "pg_dump");
    assert!(level == "WARN" && words.contains("apt install postgresql-client"), "{words}");
    let off = ["doctor", "--json", "--backup-at", "off"];
    let told = without_tools(&database, &data, &off).output().unwrap();
    let (level, words) = finding(&told.stdout, "backup");
    assert!(level == "OK" && words.contains("backup-at is off"), "{words}");
    assert!(!String::from_utf8_lossy(&told.stdout).contains("\"pg_dump\""));

    let serve = ["serve", "--listen", "127.0.0.1:0"];
    let mut server = without_tools(&database, &data, &serve).stderr(Stdio::piped()).spawn().unwrap();
    let mut log = BufReader::new(server.stderr.take().unwrap()).lines().map(Result::unwrap);
    let said = log.find(|line| line.contains("TAKES NO NIGHTLY BACKUP")).unwrap();
    assert!(said.contains("apt install postgresql-client") && said.contains("backup-at"), "{said}");
    server.kill().unwrap();
    server.wait().unwrap();
    assert_eq!(log.filter(|line| line.contains("NIGHTLY BACKUP")).count(), 0);
    // With the tools the doctor has no complaint once there is a backup.
    HubProcess::run(&data, &["backup", "--database-url", &database.url]);
    let mut doctor = Command::new(HubProcess::binary());
    doctor.args(["doctor", "--json", "--database-url", &database.url, "--data-dir"]).arg(&data);
    let told = doctor.output().unwrap().stdout;
    assert_eq!(finding(&told, "backup").0, "OK");
    assert!(!String::from_utf8_lossy(&told).contains("\"pg_dump\""));
}
