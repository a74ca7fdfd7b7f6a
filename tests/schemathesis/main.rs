//! The published OpenAPI document tried by an independent tool against a running branch: no server error, no undocumented
//! status, media type or answer. Never skipped: without the tool it fails.

use serde_json::{Value, json};
use std::collections::BTreeMap;
use std::fmt::Write;
use std::path::PathBuf;
use std::process::Stdio;
use tiffin_tests::Stage;
use tokio::process::Command;

const CHECKS: &str =
    "not_a_server_error,status_code_conformance,content_type_conformance,response_schema_conformance";

/// The tool's command line, after what its workers would otherwise import both at once: Python 3.11 cannot always do that
/// ("AST constructor recursion depth mismatch").
const TOOL: &str = "import schemathesis.transport.asgi, schemathesis.transport.wsgi, sys
from schemathesis.cli import schemathesis
sys.argv[0] = 'schemathesis'
sys.exit(schemathesis())";

/// The Python that `tests/run` put the tool into.
fn python() -> PathBuf {
    let tools = std::env::var_os("TIFFIN_TEST_TOOLS");
    let tools = tools.unwrap_or_else(|| panic!("TIFFIN_TEST_TOOLS is not set: run the tests with tests/run"));
    let python = PathBuf::from(tools).join("schemathesis/bin/python");
    assert!(python.is_file(), "{} is missing: run the tests with tests/run", python.display());
    python
}

/// The tool's configuration: most requests name records that exist, so that they get past 404.
fn configuration(stage: &Stage, document: &Value, codes: &[String]) -> String {
    let mut dictionaries: BTreeMap<String, Vec<Value>> = BTreeMap::new();
    let mut add = |name: String, value: &str| {
        let number = value.parse::<i64>().ok().map(|number| json!(number));
        dictionaries.entry(name).or_default().push(number.unwrap_or(json!(value)));
    };
    let bind = |name: &str, dictionary: &str| {
        format!("\"{name}\" = {{ dictionary = \"{dictionary}\", probability = 0.8 }}")
    };
    codes.iter().for_each(|code| add("token".to_owned(), code));
    let mut everywhere = vec![format!("\"header.x-outlet-id\" = \"{}\"", stage.branch.outlet_id)];
    for (field, value) in &stage.fields {
        add((*field).to_owned(), value);
        for path in ["", "items[*].", "ingredients[*].", "items[*].modifiers[*]."] {
            everywhere.push(bind(&format!("body.{path}{field}"), field));
        }
        everywhere.push(bind(&format!("body.{field}[*]"), field));
    }
    everywhere.sort();
    everywhere.dedup();
    let mut operations = String::new();
    for path in document["paths"].as_object().unwrap().keys().filter(|path| path.contains('{')) {
        let Some((pattern, _)) = stage.paths.iter().find(|(pattern, _)| path.starts_with(pattern)) else {
            let bound = bind("path.token", "token");
            writeln!(operations, "[[operations]]\ninclude-path = \"{path}\"\nparameters = {{ {bound} }}")
                .unwrap();
            continue;
        };
        let names: Vec<&str> = pattern.split(['{', '}']).skip(1).step_by(2).collect();
        let dictionary = |name: &str| format!("{}-{name}", pattern.replace(['/', '{', '}'], "-"));
        for (_, ids) in stage.paths.iter().filter(|(same, _)| same == pattern) {
            for (name, id) in names.iter().zip(ids.split('/').filter(|part| part.len() == 36)) {
                add(dictionary(name), id);
            }
        }
        let bound: Vec<String> =
            names.iter().map(|name| bind(&format!("path.{name}"), &dictionary(name))).collect();
        let bound = bound.join(", ");
        writeln!(operations, "[[operations]]\ninclude-path = \"{path}\"\nparameters = {{ {bound} }}")
            .unwrap();
    }
    let mut text = format!("[parameters]\n{}\n", everywhere.join("\n"));
    for (name, values) in dictionaries {
        writeln!(text, "[dictionaries.{name}]\nvalues = {}", Value::Array(values)).unwrap();
    }
    text + &operations
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn schemathesis_finds_no_server_error_and_no_undocumented_answer() {
    let stage = Stage::set().await;
    let (branch, owner) = (&stage.branch, &stage.owner);
    let document = owner.get("/openapi.json").await.expect(200).json();
    let mut codes = Vec::new();
    for table in owner.get("/tables?limit=100").await.expect(200).json()["data"].as_array().unwrap() {
        let code =
            owner.post(&format!("/tables/{}/qr", table["id"].as_str().unwrap()), json!({})).await.data();
        codes.push(code["qrToken"].as_str().unwrap().to_owned());
    }
    let config = configuration(&stage, &document, &codes);
    let examples = std::env::var("TIFFIN_SCHEMATHESIS_EXAMPLES").unwrap_or_else(|_| "8".to_owned());
    let reports = tempfile::tempdir().unwrap();
    std::fs::write(reports.path().join("schemathesis.toml"), &config).unwrap();
    let mut command = Command::new(python());
    command
        .current_dir(reports.path())
        .args(["-c", TOOL, "run"])
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
    // A run in which nearly everything is refused would prove little of the answers. Some want a state that chance does not bring about: a
    // code on a screen, a second factor, an order of an operator's.
    let metrics = branch.anonymous().get("/metrics").await.expect(200).text;
    let counts =
        metrics.lines().filter(|line| line.starts_with("tiffin_http_request_duration_seconds_count"));
    let good = counts.filter(|line| line.contains("/api/v1") && line.contains("status=\"2")).count();
    let paths = document["paths"].as_object().unwrap().values();
    let all: usize = paths.map(|operations| operations.as_object().unwrap().len()).sum();
    assert!(good * 10 >= all * 7, "only {good} of {all} operations ever succeeded");
}
