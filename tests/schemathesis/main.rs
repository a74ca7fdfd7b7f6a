//! The published OpenAPI document tried by an independent tool against a running branch: no server error, no undocumented
//! status, media type or answer. Never skipped: without the tool it fails.

use edge::access::Role;
use std::path::PathBuf;
use std::process::Stdio;
use tiffin_tests::{Branch, House};
use tokio::process::Command;

const CHECKS: &str =
    "not_a_server_error,status_code_conformance,content_type_conformance,response_schema_conformance";

/// Where `tests/run` puts the tool.
fn tool() -> PathBuf {
    let tools = std::env::var_os("TIFFIN_TEST_TOOLS");
    let tools = tools.unwrap_or_else(|| panic!("TIFFIN_TEST_TOOLS is not set: run the tests with tests/run"));
    let tool = PathBuf::from(tools).join("schemathesis/bin/schemathesis");
    assert!(tool.is_file(), "{} is missing: run the tests with tests/run", tool.display());
    tool
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn schemathesis_finds_no_server_error_and_no_undocumented_answer() {
    let branch = Branch::start().await;
    let house = House::open(&branch).await;
    for number in 1..=3 {
        house.place(&house.owner, house.at_table(number, &[("Dal", 1), ("Lassi", 2)])).await;
    }
    let owner = branch.sign_in(Role::Owner);
    let examples = std::env::var("TIFFIN_SCHEMATHESIS_EXAMPLES").unwrap_or_else(|_| "12".to_owned());
    let reports = tempfile::tempdir().unwrap();
    let mut command = Command::new(tool());
    command
        .current_dir(reports.path())
        .arg("run")
        .arg(format!("{}/api/v1/openapi.json", branch.base()))
        .args(["--checks", CHECKS, "--max-examples", &examples, "--workers", "2", "--seed", "20261120"])
        // A stream never ends; signing out everybody would make the rest of the run a run of 401.
        .args(["--exclude-path-regex", "/stream$|^/auth/sessions"])
        .args([
            "--phases",
            "examples,coverage,fuzzing",
            "--generation-database",
            "none",
            "--continue-on-failure",
        ])
        .args(["--no-color", "--warnings", "off", "--request-timeout", "20"])
        .args(["--header", &format!("Authorization: Bearer {}", owner.token().unwrap())]);
    let output = command.stdin(Stdio::null()).output().await.unwrap();
    let text = String::from_utf8_lossy(&output.stdout);
    assert!(output.status.success(), "{text}\n{}", String::from_utf8_lossy(&output.stderr));
    assert!(text.contains("No issues found"), "{text}");
}
