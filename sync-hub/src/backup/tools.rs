//! PostgreSQL's own programs (`pg_dump`, `pg_restore`, `psql`): how they are called, and what is said when they are not there.
//! Never shows the password to other users of this machine: it goes by the environment, not the command line.

use super::HubBackupError;
use std::io::{self, Read};
use std::process::{Child, ChildStdin, ChildStdout, Command, Stdio};

pub(super) const DUMP: &str = "pg_dump";
pub(super) const RESTORE: &str = "pg_restore";
pub(super) const SQL: &str = "psql";

/// A database's address without its password, and the password.
fn parted(url: &str) -> (String, Option<String>) {
    let whole = || (url.to_owned(), None);
    let Some((scheme, rest)) = url.split_once("://") else { return whole() };
    let authority = rest.find(['/', '?']).unwrap_or(rest.len());
    let Some((user, host)) = rest.get(..authority).and_then(|authority| authority.rsplit_once('@')) else {
        return whole();
    };
    let Some((user, password)) = user.split_once(':') else { return whole() };
    let path = rest.get(authority..).unwrap_or_default();
    (format!("{scheme}://{user}@{host}{path}"), Some(decoded(password)))
}

/// Text without its `%`-escapes.
fn decoded(text: &str) -> String {
    let pair = format!("p={text}").replace('+', "%2B");
    let pairs: Vec<(String, String)> = serde_urlencoded::from_str(&pair).unwrap_or_default();
    pairs.into_iter().next().map_or_else(|| text.to_owned(), |(_, value)| value)
}

/// `tool`, for the database at `url`.
pub(super) fn on_database(tool: &str, url: &str) -> Command {
    let (address, password) = parted(url);
    let mut command = Command::new(tool);
    command.arg("--no-password").arg(format!("--dbname={address}"));
    if let Some(password) = password {
        command.env("PGPASSWORD", password);
    }
    // As the server itself believes: the system's authorities where no other is named. Older programs do not know the word.
    if address.contains("sslmode=verify-full") && !address.contains("sslrootcert=") {
        command.env("PGSSLROOTCERT", "system");
    }
    command
}

fn not_started(tool: &str, error: &io::Error) -> HubBackupError {
    HubBackupError::Tool(match error.kind() {
        io::ErrorKind::NotFound => format!("{tool} is not on this machine. {INSTALL}"),
        _ => format!("{tool}: {error}"),
    })
}

/// What to do where a program is missing.
const INSTALL: &str = "Install PostgreSQL's client programs, as new as the server or newer (Debian: apt install postgresql-client)";

/// A program that runs, and what it complains of.
pub(super) struct Running {
    tool: &'static str,
    child: Child,
    complaints: std::thread::JoinHandle<String>,
}

impl Running {
    /// Starts `command`, which is `tool`; what goes in and comes out is `input` and `output`.
    ///
    /// # Errors
    /// When it is not on this machine.
    pub(super) fn start(
        tool: &'static str,
        command: &mut Command,
        input: Stdio,
        output: Stdio,
    ) -> Result<Running, HubBackupError> {
        let started = command.stdin(input).stdout(output).stderr(Stdio::piped()).spawn();
        let mut child = started.map_err(|error| not_started(tool, &error))?;
        let errors = child.stderr.take();
        // Read beside the rest, or a program that has much to say would wait for ever.
        let complaints = std::thread::spawn(move || {
            let mut said = Vec::new();
            // What cannot be read is not said.
            let _ = errors.map(|mut errors| errors.read_to_end(&mut said));
            String::from_utf8_lossy(&said).trim().to_owned()
        });
        Ok(Running { tool, child, complaints })
    }

    pub(super) fn input(&mut self) -> Option<ChildStdin> {
        self.child.stdin.take()
    }

    pub(super) fn output(&mut self) -> Option<ChildStdout> {
        self.child.stdout.take()
    }

    /// Waits for its end.
    ///
    /// # Errors
    /// What it complained of, when it failed.
    pub(super) fn end(mut self) -> Result<(), HubBackupError> {
        let status = self.child.wait().map_err(|error| not_started(self.tool, &error))?;
        let said = self.complaints.join().unwrap_or_default();
        if status.success() { Ok(()) } else { Err(HubBackupError::Tool(format!("{}: {said}", self.tool))) }
    }
}

/// Hands everything that `from` writes to `take`; the program's own failure comes before that of `take`.
///
/// # Errors
/// Its complaint, or that `take` failed.
pub(super) fn pour(
    mut from: Running,
    take: impl FnOnce(ChildStdout) -> io::Result<()>,
) -> Result<io::Result<()>, HubBackupError> {
    // Closed when `take` is done: a program whose words nobody takes ends.
    let taken = from.output().map_or(Ok(()), take);
    match (from.end(), taken) {
        // It ended because nobody took what it wrote.
        (Err(_), Err(refused)) => Ok(Err(refused)),
        (ended, taken) => ended.map(|()| taken),
    }
}

/// Why this machine cannot dump a database of a server of version `server` (as in 150_004), and what to do; none when it can.
pub fn unable(server: Option<u32>) -> Option<String> {
    let output = match Command::new(DUMP).arg("--version").stdin(Stdio::null()).output() {
        Ok(output) if output.status.success() => output,
        Ok(output) => {
            let said = String::from_utf8_lossy(&output.stderr);
            return Some(format!("{DUMP} does not run: {}. {INSTALL}", said.trim()));
        }
        Err(error) => return Some(not_started(DUMP, &error).to_string()),
    };
    let has = major(&String::from_utf8_lossy(&output.stdout))?;
    let needs = server? / 10_000;
    (has < needs)
        .then(|| format!("{DUMP} is of version {has}, and the server of version {needs}. {INSTALL}-{needs}"))
}

/// The version in `pg_dump (PostgreSQL) 15.18 (Debian 15.18-0)`.
fn major(said: &str) -> Option<u32> {
    let version = said.split_whitespace().find(|word| word.starts_with(|first: char| first.is_ascii_digit()));
    let digits: String = version?.chars().take_while(char::is_ascii_digit).collect();
    digits.parse().ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_password_leaves_the_address() {
        let of = |url: &str| parted(url);
        let secret = Some("a b@c".to_owned());
        assert_eq!(
            of("postgres://hub:a%20b%40c@db:5433/tiffin?sslmode=require"),
            ("postgres://hub@db:5433/tiffin?sslmode=require".into(), secret)
        );
        assert_eq!(of("postgres://hub@db/tiffin"), ("postgres://hub@db/tiffin".into(), None));
        assert_eq!(of("postgres://db/tiffin?x=a@b:c"), ("postgres://db/tiffin?x=a@b:c".into(), None));
        assert_eq!(of("host=db user=hub"), ("host=db user=hub".into(), None));
    }

    #[test]
    fn an_older_program_than_the_server_is_not_able() {
        assert_eq!(major("pg_dump (PostgreSQL) 15.18 (Debian 15.18-0+deb12u1)\n"), Some(15));
        assert_eq!(major("pg_dump (PostgreSQL) 18beta1"), Some(18));
        assert_eq!(major("?"), None);
        let refused = unable(Some(9_990_000)).unwrap();
        assert!(
            refused.contains("postgresql-client-999)") || refused.contains("postgresql-client"),
            "{refused}"
        );
    }

    #[test]
    fn a_program_that_is_missing_is_named_with_what_to_install() {
        let mut command = Command::new("/nowhere/pg_dump");
        let refused = Running::start(DUMP, &mut command, Stdio::null(), Stdio::null()).err().unwrap();
        assert!(refused.to_string().contains("apt install postgresql-client"), "{refused}");
        let mut command = Command::new("sh");
        command.args(["-c", "echo no such thing >&2; exit 1"]);
        let running = Running::start(SQL, &mut command, Stdio::null(), Stdio::piped()).unwrap();
        let poured = pour(running, |mut said| io::copy(&mut said, &mut io::sink()).map(drop));
        assert_eq!(poured.unwrap_err().to_string(), "psql: no such thing");
    }
}
