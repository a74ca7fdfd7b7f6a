//! The demo's own program as another process, under the name of the part it plays. Ended by its handle when dropped.

use std::os::unix::process::CommandExt;
use std::path::Path;
use std::process::{Child, Command, Stdio};

/// A running part.
pub struct Process(Child);

impl Drop for Process {
    fn drop(&mut self) {
        // Already gone is as good.
        let _ = self.0.kill();
        let _ = self.0.wait();
    }
}

fn command(part: &str, arguments: &[&str]) -> Result<Command, String> {
    let program = std::env::current_exe().map_err(|error| error.to_string())?;
    let mut command = Command::new(program);
    command.arg0(part).args(arguments).stdin(Stdio::null());
    Ok(command)
}

/// Runs `part` with `arguments` to its end and returns what it printed.
pub fn run(part: &str, arguments: &[&str]) -> Result<String, String> {
    let output = command(part, arguments)?.output().map_err(|error| error.to_string())?;
    if output.status.success() {
        Ok(String::from_utf8_lossy(&output.stdout).into_owned())
    } else {
        Err(format!("{part} {}: {}", arguments.join(" "), String::from_utf8_lossy(&output.stderr).trim()))
    }
}

/// Starts `part` with `arguments`; what it says goes to `log`.
pub fn start(part: &str, arguments: &[&str], log: &Path) -> Result<Process, String> {
    let file = std::fs::File::create(log).map_err(|error| format!("{}: {error}", log.display()))?;
    let errors = file.try_clone().map_err(|error| error.to_string())?;
    let spawned = command(part, arguments)?.stdout(file).stderr(errors).spawn();
    spawned.map(Process).map_err(|error| error.to_string())
}
