//! The change log against the tables it speaks of: whatever was committed, replaying the log gives the same rows, and
//! every way of tampering with either is found. The verification is the head-office server's own.

use edge::db::{Db, DbError, Env, Options, Tx};
use proptest::prelude::*;
use rusqlite::{Connection, params};
use std::path::Path;
use sync_hub::verify::{self, Report};

const OUTLET: [u8; 16] = [1; 16];

fn open(folder: &Path) -> Db {
    Db::open(&Options::new(folder.join("tiffin.db")), Env::system()).unwrap()
}

/// One statement of a random action; many of them break a constraint.
#[derive(Debug, Clone, Copy)]
enum Step {
    Count(u8),
    Recount(u8, i64),
    Forget(u8),
    ForgetAll,
    Replace(u8, u8),
    Category(u8, u8),
    Rename(u8, u8),
    Option(u8, u8),
    Several(u8),
}

impl Step {
    fn run(self, tx: &Tx<'_>) -> Result<(), DbError> {
        let id = |n: u8| [n; 16];
        match self {
            Step::Count(n) => tx.execute(
                "INSERT INTO counters (id, outlet_id, series, value) VALUES (?1, ?2, ?3, 1)
                 ON CONFLICT (outlet_id, series) DO UPDATE SET value = value + 1",
                params![id(n), OUTLET, format!("S{}", n % 3)],
            ),
            Step::Recount(n, value) => {
                tx.execute("UPDATE counters SET value = ?2 WHERE id >= ?1", params![id(n), value])
            }
            Step::Forget(n) => tx.execute("DELETE FROM counters WHERE id = ?1", [id(n)]),
            Step::ForgetAll => tx.execute("DELETE FROM counters", []),
            Step::Replace(n, series) => tx.execute(
                "INSERT OR REPLACE INTO counters (id, outlet_id, series, value) VALUES (?1, ?2, ?3, 70000)",
                params![id(n), OUTLET, format!("S{}", series % 5)],
            ),
            Step::Category(n, name) => tx.execute(
                "INSERT INTO menu_categories (id, outlet_id, name, created_at, updated_at) VALUES (?1, ?2, ?3, 1, 1)",
                params![id(n), OUTLET, "é".repeat(name.into())],
            ),
            Step::Rename(n, name) => tx.execute(
                "UPDATE menu_categories SET name = ?2, description = nullif(?2, ''), version = version + 1 WHERE id <= ?1",
                params![id(n), "é".repeat(name.into())],
            ),
            Step::Option(n, group) => tx.execute(
                "INSERT INTO modifier_options (id, outlet_id, group_id, name) VALUES (?1, ?2, ?3, 'x')",
                params![id(n), OUTLET, id(group)],
            ),
            Step::Several(n) => tx.execute(
                "INSERT INTO counters (id, outlet_id, series, value)
                 SELECT randomblob(16), ?1, 'M' || (value % ?2), value FROM json_each('[1, 2, 3, 4]')",
                params![OUTLET, i64::from(n % 6) + 1],
            ),
        }
    }
}

fn step() -> impl Strategy<Value = Step> {
    let small = 0u8..8;
    prop_oneof![
        3 => small.clone().prop_map(Step::Count),
        2 => (small.clone(), any::<i64>()).prop_map(|(n, value)| Step::Recount(n, value)),
        1 => small.clone().prop_map(Step::Forget),
        1 => Just(Step::ForgetAll),
        2 => (small.clone(), small.clone()).prop_map(|(n, series)| Step::Replace(n, series)),
        3 => (small.clone(), 0u8..80).prop_map(|(n, name)| Step::Category(n, name)),
        2 => (small.clone(), 0u8..80).prop_map(|(n, name)| Step::Rename(n, name)),
        1 => (small.clone(), small.clone()).prop_map(|(n, group)| Step::Option(n, group)),
        2 => small.prop_map(Step::Several),
    ]
}

/// An action: its steps, whether it goes on after a failed one, whether it refuses at the end.
type Action = (Vec<Step>, bool, bool);

fn action() -> impl Strategy<Value = Action> {
    (proptest::collection::vec(step(), 1..6), any::<bool>(), proptest::bool::weighted(0.2))
}

fn perform(db: &Db, (steps, goes_on, refuses): Action) {
    let _refused: Result<(), DbError> = db.write_blocking(move |tx| {
        for step in steps {
            let outcome = step.run(tx);
            if !goes_on {
                outcome?;
            }
        }
        if refuses { Err(DbError::Overflow) } else { Ok(()) }
    });
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(24))]
    #[test]
    fn replaying_the_log_gives_the_rows(
        actions in proptest::collection::vec(action(), 1..30), restart in any::<proptest::sample::Index>(),
    ) {
        let folder = tempfile::tempdir().unwrap();
        let restart = restart.index(actions.len());
        let mut db = open(folder.path());
        for (i, action) in actions.into_iter().enumerate() {
            if i == restart {
                drop(db);
                db = open(folder.path());
            }
            perform(&db, action);
        }
        let report = verify::data_dir(folder.path()).unwrap();
        prop_assert!(report.is_good(), "{}", report);
        prop_assert_eq!(report.epochs, 2);
    }
}

/// A log of a few actions whose file a stranger has opened with the triggers out of the way.
fn tampered(with: &str) -> Report {
    let folder = tempfile::tempdir().unwrap();
    let db = open(folder.path());
    for n in 1..4 {
        perform(&db, (vec![Step::Category(n, n), Step::Count(n)], false, false));
    }
    assert!(verify::data_dir(folder.path()).unwrap().is_good());
    let stranger = Connection::open(folder.path().join("tiffin.db")).unwrap();
    stranger.busy_timeout(std::time::Duration::from_secs(5)).unwrap();
    for event in ["insert", "update", "delete"] {
        stranger.execute_batch(&format!("DROP TRIGGER capture_counters_{event}")).unwrap();
    }
    for event in ["update", "delete"] {
        stranger.execute_batch(&format!("DROP TRIGGER capture_keep_sync_log_{event}")).unwrap();
    }
    stranger.execute_batch(with).unwrap();
    verify::data_dir(folder.path()).unwrap()
}

#[test]
fn what_was_tampered_with_is_found() {
    for (with, complaint) in [
        (
            "UPDATE counters SET value = 99 WHERE series = 'S1'",
            "counters: 0 rows are not in the log, 0 only there, 1",
        ),
        ("DELETE FROM counters", "counters: 0 rows are not in the log, 3 only there, 0"),
        ("INSERT INTO counters VALUES (x'00', x'01', 'X', 1)", "counters: 1 rows are not in the log"),
        ("DELETE FROM sync_log WHERE seq = 3", "rows 3 to 3 are not in the log"),
        ("UPDATE sync_log SET wall_ms = wall_ms + 1 WHERE seq = 4", "log row 4: its hash"),
        (
            "UPDATE sync_log SET n = 1 WHERE seq = 4",
            "log row 4: the log row cannot be read: the count is wrong",
        ),
        (
            "UPDATE sync_log SET body = x'ff' WHERE seq = 4",
            "log row 4: the log row cannot be read: changes of an unknown form",
        ),
        (
            "UPDATE sync_log SET kind = 99 WHERE seq = 4",
            "log row 4: the log row cannot be read: unknown kind",
        ),
        ("DELETE FROM sync_log WHERE seq = 5", "not in the log"),
    ] {
        let report = tampered(with);
        assert!(report.problems.iter().any(|problem| problem.contains(complaint)), "{with}:\n{report}");
    }
}

#[test]
fn an_empty_folder_is_an_error_not_a_finding() {
    let folder = tempfile::tempdir().unwrap();
    assert!(verify::data_dir(folder.path()).is_err());
}
