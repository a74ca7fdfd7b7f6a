//! The harness itself: servers end with their tests, replicas follow, and a crash keeps what was committed.

use tiffin_tests::postgres::{Cluster, Database};

#[tokio::test]
async fn each_test_has_a_database_of_its_own() {
    let (one, other) = (Database::new(), Database::new());
    one.client().await.batch_execute("CREATE TABLE only_here (x bigint)").await.unwrap();
    assert_eq!(one.sql("SELECT count(*) FROM only_here"), "0");
    assert_eq!(other.sql("SELECT to_regclass('only_here') IS NULL"), "t");
}

/// What a hosted PostgreSQL gives: `CREATE ROLE … LOGIN`, and a database of its own.
#[test]
fn head_office_is_tried_on_an_ordinary_role() {
    let rights = "SELECT rolsuper OR rolcreaterole OR rolcreatedb OR rolreplication OR rolbypassrls FROM pg_roles WHERE rolname = current_user";
    assert_eq!(Database::new().sql(rights), "f");
}

#[test]
fn a_server_leaves_nothing_behind() {
    let cluster = Cluster::start("");
    let (folder, port) = (cluster.folder().to_owned(), cluster.port());
    assert_eq!(cluster.sql("postgres", "SHOW fsync"), "on");
    drop(cluster);
    assert!(!folder.exists());
    assert!(std::net::TcpStream::connect(("127.0.0.1", port)).is_err());
}

#[test]
fn what_was_committed_outlives_a_crash_and_reaches_the_replica() {
    let cluster = Cluster::start("synchronous_commit = remote_apply\n");
    let replica = cluster.standby();
    cluster.sql("postgres", "CREATE TABLE kept (x bigint)");
    cluster.sql("postgres", "ALTER SYSTEM SET synchronous_standby_names = '*'");
    cluster.sql("postgres", "SELECT pg_reload_conf()");
    cluster.sql("postgres", "INSERT INTO kept VALUES (7)");
    cluster.crash();
    cluster.resume();
    assert_eq!(cluster.sql("postgres", "SELECT x FROM kept"), "7");
    assert_eq!(replica.sql("postgres", "SELECT x FROM kept"), "7");
    assert_eq!(replica.sql("postgres", "SELECT pg_is_in_recovery()"), "t");
}
