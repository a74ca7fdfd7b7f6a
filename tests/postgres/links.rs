//! The way to the server: TLS as the URL says, replicas for reports, connections that are lost at the worst moment.

use crate::store::{OUTLET, apply, counter, counters, open};
use edge::db::{DbError, one};
use std::io::{Read, Write};
use std::net::{TcpListener, TcpStream};
use std::path::Path;
use std::process::Command;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use sync_hub::store::postgres::{PgStore, Settings};
use sync_hub::store::{StoreError, Stores, Strictness};
use tiffin_common::Uuid;
use tiffin_tests::postgres::{Cluster, Database, FORGETFUL};

fn openssl(folder: &Path, arguments: &str) {
    let output = Command::new("openssl").args(arguments.split(' ')).current_dir(folder).output().unwrap();
    assert!(output.status.success(), "openssl {arguments}: {}", String::from_utf8_lossy(&output.stderr));
}

/// An authority, and a server certificate of its for `name`.
fn certificates(folder: &Path, name: &str) {
    openssl(
        folder,
        "req -x509 -newkey ec -pkeyopt ec_paramgen_curve:P-256 -nodes -keyout ca.key -out ca.pem -subj /CN=Authority -days 30",
    );
    openssl(
        folder,
        "req -newkey ec -pkeyopt ec_paramgen_curve:P-256 -nodes -keyout server.key -out server.csr -subj /CN=server",
    );
    std::fs::write(folder.join("names"), format!("subjectAltName=DNS:{name}\n")).unwrap();
    openssl(
        folder,
        "x509 -req -in server.csr -CA ca.pem -CAkey ca.key -CAcreateserial -out server.pem -days 30 -extfile names",
    );
    use std::os::unix::fs::PermissionsExt;
    std::fs::set_permissions(folder.join("server.key"), std::fs::Permissions::from_mode(0o600)).unwrap();
}

#[test]
fn tls_is_what_the_url_says() {
    let settings = "ssl = on\nssl_cert_file = '../server.pem'\nssl_key_file = '../server.key'\n";
    let cluster =
        Cluster::prepared(&format!("{FORGETFUL}{settings}"), |folder| certificates(folder, "localhost"));
    cluster.database_named("hub");
    let ca = cluster.folder().join("ca.pem");
    let open = |host: &str, more: &str| {
        let url = format!("postgres://tiffin@{host}:{}/hub?{more}", cluster.port());
        let store = PgStore::open(&Settings::new(url), Uuid::from_u128(1));
        store.map_err(|error| error.to_string()).map(|store| {
            let stores = Stores::new(store);
            let sql = "SELECT ssl FROM pg_stat_ssl WHERE pid = pg_backend_pid()";
            let ssl = |from: &dyn edge::db::Source| one(from, sql, [], |row| row.get::<_, bool>(0));
            stores.read_registry_blocking(|from| Ok::<_, StoreError>(ssl(from)?)).unwrap()
        })
    };
    assert_eq!(open("localhost", "sslmode=disable"), Ok(false));
    assert_eq!(open("localhost", "sslmode=require"), Ok(true));
    let trusting = |mode: &str| format!("sslmode={mode}&sslrootcert={}", ca.display());
    assert_eq!(open("localhost", &trusting("verify-full")), Ok(true));
    assert_eq!(open("127.0.0.1", &trusting("verify-ca")), Ok(true));
    let refused = open("127.0.0.1", &trusting("verify-full")).unwrap_err();
    assert!(refused.contains("ertificate"), "{refused}");
    // The system's authorities do not know it.
    assert!(open("localhost", "sslmode=verify-full").is_err());
    let other = tempfile::tempdir().unwrap();
    certificates(other.path(), "localhost");
    let stranger = format!("sslmode=verify-ca&sslrootcert={}", other.path().join("ca.pem").display());
    assert!(open("localhost", &stranger).is_err());
}

#[test]
fn tls_that_was_asked_for_is_never_done_without() {
    let database = Database::new();
    let url = database.url.replace("sslmode=disable", "sslmode=require");
    assert!(PgStore::open(&Settings::new(url), Uuid::from_u128(1)).is_err());
}

#[test]
fn reports_come_from_the_replica_while_there_is_one() {
    let cluster = Cluster::start(FORGETFUL);
    cluster.database_named("hub");
    let replica = cluster.standby();
    let settings = Settings { read_url: Some(replica.url("hub")), ..Settings::new(cluster.url("hub")) };
    let stores = Stores::new(PgStore::open(&settings, Uuid::from_u128(1)).unwrap());
    stores.store().create_outlet(OUTLET).unwrap();
    apply(&stores, &[(Strictness::Exact, vec![counter(1, 5)])]);
    let caught_up = format!(
        "SELECT pg_wal_lsn_diff(pg_last_wal_replay_lsn(), '{}') >= 0",
        cluster.sql("postgres", "SELECT pg_current_wal_lsn()")
    );
    while replica.sql("postgres", &caught_up) != "t" {}
    let sql = "SELECT pg_is_in_recovery(), (SELECT count(*) FROM counters)";
    let report = || {
        stores.read_reports_blocking(OUTLET, |from| {
            Ok::<(bool, i64), StoreError>(one(from, sql, [], |row| Ok((row.get(0)?, row.get(1)?)))?)
        })
    };
    assert_eq!(report().unwrap(), (true, 1));
    assert_eq!(stores.store().reports_behind_ms(), Some(0));
    drop(replica);
    // The first may find the dead connection; from then on the primary answers.
    let _ = report();
    assert_eq!(report().unwrap(), (false, 1));
    assert_eq!(stores.store().reports_behind_ms(), None);
}

#[test]
fn a_server_that_went_away_is_asked_again() {
    let cluster = Cluster::start("");
    cluster.database_named("hub");
    let stores = Stores::new(PgStore::open(&Settings::new(cluster.url("hub")), Uuid::from_u128(1)).unwrap());
    stores.store().create_outlet(OUTLET).unwrap();
    apply(&stores, &[(Strictness::Exact, vec![counter(1, 5)])]);
    let look = || stores.read_outlet_blocking(OUTLET, |_| Ok::<_, StoreError>(()));
    cluster.crash();
    assert!(matches!(look(), Err(StoreError::Db(DbError::Unavailable(_)))));
    cluster.resume();
    // Connections that died lie in the pool until they are met.
    while look().is_err() {}
    assert_eq!(counters(&stores), [(1, 5)]);
}

/// Passes bytes to the server until it is told to break the line behind a COMMIT: with or without letting the server see it.
struct Cutter {
    port: u16,
    armed: Arc<AtomicBool>,
}

impl Cutter {
    fn before(server: u16, commit_arrives: bool) -> Cutter {
        let listener = TcpListener::bind("127.0.0.1:0").unwrap();
        let port = listener.local_addr().unwrap().port();
        let armed = Arc::new(AtomicBool::new(false));
        let arm = Arc::clone(&armed);
        std::thread::spawn(move || {
            for client in listener.incoming() {
                let (Ok(client), Ok(upstream)) = (client, TcpStream::connect(("127.0.0.1", server))) else {
                    return;
                };
                let (mut from, mut to) = (upstream.try_clone().unwrap(), client.try_clone().unwrap());
                std::thread::spawn(move || std::io::copy(&mut from, &mut to));
                let arm = Arc::clone(&arm);
                std::thread::spawn(move || pass(client, upstream, &arm, commit_arrives));
            }
        });
        Cutter { port, armed }
    }
}

fn pass(mut client: TcpStream, mut server: TcpStream, armed: &AtomicBool, commit_arrives: bool) {
    let mut buffer = vec![0; 1 << 16];
    loop {
        let Ok(length @ 1..) = client.read(&mut buffer) else { return };
        let part = &buffer[..length];
        let commits = part.windows(6).any(|word| word == b"COMMIT");
        if commits && armed.swap(false, Ordering::SeqCst) {
            // The client must not hear of the outcome.
            client.shutdown(std::net::Shutdown::Both).unwrap();
            if commit_arrives {
                server.write_all(part).unwrap();
                // Read until the server has answered, so that it surely has committed.
                let _ = server.shutdown(std::net::Shutdown::Write);
            } else {
                server.shutdown(std::net::Shutdown::Both).unwrap();
            }
            return;
        }
        if server.write_all(part).is_err() {
            return;
        }
    }
}

#[test]
fn a_connection_lost_at_commit_leaves_all_or_nothing_and_the_rows_tell_which() {
    for commit_arrives in [true, false] {
        let database = Database::new();
        let direct = open(&database);
        let cutter = Cutter::before(Cluster::shared().port(), commit_arrives);
        let url = format!("postgres://tiffin@127.0.0.1:{}/{}?sslmode=disable", cutter.port, database.name);
        let stores = Stores::new(PgStore::open(&Settings::new(url), Uuid::from_u128(2)).unwrap());
        cutter.armed.store(true, Ordering::SeqCst);
        let ops = [counter(1, 5), counter(2, 6)];
        let rows = [sync_hub::store::Replay { ops: &ops, strictness: Strictness::Exact }];
        let unit = || stores.outlet_blocking(OUTLET, |tx| tx.apply(&rows));
        assert!(matches!(unit(), Err(StoreError::Db(DbError::Unavailable(_)))));
        // The next unit waits for the outlet's lock: then the first one is decided, and the rows tell how.
        let found = direct.outlet_blocking(OUTLET, |tx| {
            Ok::<i64, StoreError>(one(&*tx, "SELECT count(*) FROM counters", [], |row| row.get(0))?)
        });
        assert_eq!(found.unwrap(), if commit_arrives { 2 } else { 0 });
        if !commit_arrives {
            assert!(unit().unwrap().iter().all(Result::is_ok));
        }
        assert_eq!(counters(&direct), [(1, 5), (2, 6)]);
    }
}
