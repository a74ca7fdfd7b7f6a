//! The service as the system runs it, and the system's own programs. Never starts, stops or enables anything.

use super::Finding;
use std::path::Path;
use std::process::{Command, Stdio};
use std::time::{Duration, Instant};

/// How long a program of the system may take.
const PATIENCE: Duration = Duration::from_secs(10);

/// What a program said.
#[derive(Debug, PartialEq, Eq)]
pub(super) enum Output {
    /// On its standard output.
    Text(String),
    /// It is not there, took too long, or said nothing.
    Nothing,
}

/// Runs a program of the system that only tells.
pub(super) fn run(program: &str, arguments: &[&str]) -> Output {
    let started = Command::new(program)
        .args(arguments)
        .stdin(Stdio::null())
        .stdout(Stdio::piped())
        .stderr(Stdio::null())
        .spawn();
    let Ok(mut child) = started else { return Output::Nothing };
    let began = Instant::now();
    while began.elapsed() < PATIENCE {
        match child.try_wait() {
            Ok(Some(_)) => break,
            Ok(None) => std::thread::sleep(Duration::from_millis(10)),
            Err(_) => return Output::Nothing,
        }
    }
    // Harmless to one that has ended.
    let _ = child.kill();
    let output = child.wait_with_output().map(|output| output.stdout).unwrap_or_default();
    let text = String::from_utf8_lossy(&output).into_owned();
    if text.trim().is_empty() { Output::Nothing } else { Output::Text(text) }
}

/// The unit `unit`, where systemd runs this machine and knows it. `served` says whether a server has the data open.
pub fn examine(unit: &str, served: bool) -> Vec<Finding> {
    let known = if Path::new("/run/systemd/system").exists() {
        let properties = "--property=LoadState,ActiveState,Result,NRestarts,WatchdogUSec,UnitFileState";
        run("systemctl", &["show", unit, properties])
    } else {
        Output::Nothing
    };
    let standing = match known {
        Output::Text(text) => judge(unit, &text, served),
        Output::Nothing => alone(served),
    };
    let home = Path::new("/usr/lib").join(unit);
    std::iter::once(standing).chain(judge_upgrade(unit, home.join("refused").is_dir())).collect()
}

/// Whether the last upgrade `is_refused`: the version before serves then, and apt is not content.
fn judge_upgrade(unit: &str, is_refused: bool) -> Option<Finding> {
    is_refused.then(|| {
        let found = "the last upgrade did not become ready: the version before it serves";
        let advice = format!(
            "What can be done: /usr/lib/{unit}/upgrade switch; why it was: journalctl -t {unit} -u {unit}"
        );
        Finding::warn("upgrade", found, advice)
    })
}

fn alone(served: bool) -> Finding {
    let found = if served { "the server is running" } else { "the server is not running" };
    Finding::ok("service", found)
}

/// Judges what systemd says.
pub(super) fn judge(unit: &str, properties: &str, served: bool) -> Finding {
    let property = |name: &str| {
        properties.lines().find_map(|line| line.strip_prefix(name)?.strip_prefix('=')).unwrap_or_default()
    };
    if property("LoadState") != "loaded" {
        return alone(served);
    }
    let (state, result) = (property("ActiveState"), property("Result"));
    let restarts: u32 = property("NRestarts").parse().unwrap_or_default();
    let look = format!("See why: journalctl -u {unit} -n 50");
    match state {
        "active" if restarts >= 3 => {
            Finding::warn("service", format!("{unit} runs, and was restarted {restarts} times"), look)
        }
        "active" if property("WatchdogUSec") == "0" => Finding::warn(
            "service",
            format!("{unit} runs, without a watchdog"),
            "Install the unit of the package again: it restarts a server that does not answer any more.",
        ),
        "active" if property("UnitFileState") == "disabled" => Finding::warn(
            "service",
            format!("{unit} runs, and will not after a restart of the machine"),
            format!("systemctl enable {unit}"),
        ),
        "active" => Finding::ok("service", format!("{unit} runs")),
        "activating" | "reloading" => Finding::warn("service", format!("{unit} is starting"), look),
        "failed" => Finding::broken("service", format!("{unit} has failed ({result})"), look),
        _ if served => Finding::ok("service", format!("a server is running, not {unit}")),
        _ => Finding::broken(
            "service",
            format!("{unit} does not run"),
            format!("systemctl enable --now {unit}\n{look}"),
        ),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::doctor::Level;

    #[test]
    fn every_state_of_a_unit_has_its_advice() {
        let of = |state: &str, more: &str, served| {
            judge(
                "tiffin-edge",
                &format!("LoadState=loaded\nActiveState={state}\nResult=exit-code\n{more}"),
                served,
            )
        };
        assert_eq!(
            of("active", "NRestarts=0\nWatchdogUSec=30s\nUnitFileState=enabled", true).level,
            Level::Ok
        );
        assert_eq!(of("active", "NRestarts=7\nWatchdogUSec=30s", true).level, Level::Warn);
        assert_eq!(of("active", "NRestarts=0\nWatchdogUSec=0", true).level, Level::Warn);
        assert_eq!(of("active", "WatchdogUSec=30s\nUnitFileState=disabled", true).level, Level::Warn);
        assert_eq!(of("activating", "", false).level, Level::Warn);
        assert_eq!(of("failed", "", false).level, Level::Broken);
        let stopped = of("inactive", "", false);
        assert!(stopped.level == Level::Broken && stopped.advice.unwrap().contains("systemctl enable --now"));
        assert_eq!(of("inactive", "", true).level, Level::Ok);
        assert!(judge_upgrade("tiffin-edge", false).is_none());
        assert_eq!(judge_upgrade("tiffin-edge", true).unwrap().level, Level::Warn);
        assert_eq!(judge("tiffin-edge", "LoadState=not-found\nActiveState=inactive", false).level, Level::Ok);
    }

    #[test]
    fn a_program_that_is_not_there_says_nothing() {
        assert_eq!(run("tiffin-no-such-program", &[]), Output::Nothing);
        assert_eq!(run("true", &[]), Output::Nothing);
        assert_eq!(run("echo", &["word"]), Output::Text("word\n".into()));
    }
}
