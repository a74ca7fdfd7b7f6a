//! The published OpenAPI document tried by an independent tool against a running branch: no server error, no undocumented
//! status, media type or answer. Never skipped: without the tool it fails.

use serde_json::json;
use std::fmt::Write;
use std::path::PathBuf;
use std::process::Stdio;
use tiffin_tests::Stage;
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

/// The tool's configuration: most requests name records that exist, so that they get past 404.
fn configuration(stage: &Stage, token: &str) -> String {
    let mut text = String::new();
    let mut dictionary = |name: &str, value: &str| {
        writeln!(text, "[dictionaries.{name}]\nvalues = [{}]", json!(value)).unwrap();
    };
    for (i, (_, ids)) in stage.paths.iter().enumerate() {
        for (j, id) in ids.split('/').filter(|part| part.len() == 36).enumerate() {
            dictionary(&format!("p{i}x{j}"), id);
        }
    }
    for (field, id) in &stage.fields {
        dictionary(field, id);
    }
    dictionary("token", token);
    let bind = |name: &str, dictionary: &str| {
        format!("\"{name}\" = {{ dictionary = \"{dictionary}\", probability = 0.8 }}")
    };
    let mut everywhere = vec![bind("path.token", "token")];
    for (field, _) in &stage.fields {
        for path in ["", "items[*].", "ingredients[*]."] {
            everywhere.push(bind(&format!("body.{path}{field}"), field));
        }
    }
    writeln!(text, "[parameters]\n{}", everywhere.join("\n")).unwrap();
    for (i, (pattern, _)) in stage.paths.iter().enumerate() {
        let names = pattern.split(['{', '}']).skip(1).step_by(2).enumerate();
        let bound: Vec<String> =
            names.map(|(j, name)| bind(&format!("path.{name}"), &format!("p{i}x{j}"))).collect();
        let regex = pattern.replace('{', "\\{").replace('}', "\\}");
        writeln!(
            text,
            "[[operations]]\ninclude-path-regex = '^{regex}'\n[operations.parameters]\n{}",
            bound.join("\n")
        )
        .unwrap();
    }
    text
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn schemathesis_finds_no_server_error_and_no_undocumented_answer() {
    let stage = Stage::set().await;
    let (branch, owner) = (&stage.branch, &stage.owner);
    let table = &stage.paths.iter().find(|(path, _)| *path == "/tables/{id}").unwrap().1;
    let qr = owner.post(&format!("/tables/{table}/qr"), json!({})).await.data();
    let text = configuration(&stage, qr["qrToken"].as_str().unwrap());
    let examples = std::env::var("TIFFIN_SCHEMATHESIS_EXAMPLES").unwrap_or_else(|_| "8".to_owned());
    let reports = tempfile::tempdir().unwrap();
    std::fs::write(reports.path().join("schemathesis.toml"), &text).unwrap();
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
