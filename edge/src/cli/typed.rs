//! What a command says to a person, with every command in it as it is typed on this machine: `edge restore` is `tiffin-edge restore` where
//! the packages run the server, and `edge restore --data-dir …` elsewhere. Never touches what a program reads.

use std::io::{self, Write};
use std::path::{Path, PathBuf};

/// A program whose commands are named in texts.
#[derive(Debug, Clone, Copy)]
pub struct Program {
    /// What texts call it.
    pub name: &'static str,
    /// The command and the service that the packages install.
    pub installed: &'static str,
    /// The settings of that service.
    pub settings: &'static str,
}

/// The branch server.
pub const EDGE: Program =
    Program { name: "edge", installed: "tiffin-edge", settings: "/etc/tiffin/edge.toml" };

/// The command of the branch server that the packages run on this machine, where its data are not those in `data`.
pub fn installed_elsewhere(data: &Path) -> Option<&'static str> {
    let is_theirs = std::fs::canonicalize(data).is_ok_and(|data| data == Path::new(INSTALLED_DATA));
    (!is_theirs && Path::new(EDGE.settings).exists()).then_some(EDGE.installed)
}

/// Where the data of an installed branch server are.
const INSTALLED_DATA: &str = "/var/lib/tiffin";

/// How a program's commands are typed here.
#[derive(Debug, Clone)]
pub struct Typing {
    program: Program,
    subcommands: Vec<String>,
    /// The data directory to name; none where the settings do.
    data: Option<PathBuf>,
    is_installed: bool,
}

impl Typing {
    /// Of the `program` with this command line, whose settings came from `file` and whose data are in `data`.
    pub fn new(program: Program, line: &clap::Command, file: Option<&Path>, data: Option<&Path>) -> Typing {
        let is_installed = file.is_some_and(|file| file == Path::new(program.settings));
        let data = data.filter(|_| !is_installed);
        Typing {
            program,
            subcommands: line.get_subcommands().map(|command| command.get_name().to_owned()).collect(),
            data: data.map(|data| std::path::absolute(data).unwrap_or_else(|_| data.to_owned())),
            is_installed,
        }
    }

    /// `text` with its commands as they are typed here.
    pub fn of(&self, text: &str) -> String {
        let begins = format!("{} ", self.program.name);
        let mut parts = text.split(begins.as_str());
        let mut typed = parts.next().unwrap_or_default().to_owned();
        for part in parts {
            let length = part.find(|c: char| !c.is_ascii_lowercase() && c != '-').unwrap_or(part.len());
            let (word, rest) = part.split_at(length);
            let begins_word =
                typed.chars().next_back().is_none_or(|c| !(c.is_alphanumeric() || "-_/.".contains(c)));
            match self.subcommands.iter().any(|known| known == word) && begins_word {
                true => typed.extend([self.command(word).as_str(), rest]),
                false => typed.extend([begins.as_str(), part]),
            }
        }
        typed
    }

    fn command(&self, word: &str) -> String {
        let Program { name, installed, .. } = self.program;
        match &self.data {
            _ if self.is_installed && word == "serve" => format!("systemctl start {installed}"),
            _ if self.is_installed => format!("{installed} {word}"),
            Some(data) => format!("{name} {word} --data-dir {}", quoted(&data.display().to_string())),
            None => format!("{name} {word}"),
        }
    }
}

/// For the shell.
fn quoted(text: &str) -> String {
    let is_plain = text.chars().all(|c| c.is_alphanumeric() || "/._-+".contains(c));
    if is_plain { text.to_owned() } else { format!("'{}'", text.replace('\'', r"'\''")) }
}

/// Writes to `out`, line by line, with commands as they are typed here.
pub struct Typed<'o> {
    out: &'o mut dyn Write,
    typing: Typing,
    line: Vec<u8>,
}

impl<'o> Typed<'o> {
    /// Writes to `out`.
    pub fn new(out: &'o mut dyn Write, typing: Typing) -> Self {
        Typed { out, typing, line: Vec::new() }
    }
}

impl Write for Typed<'_> {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        self.line.extend_from_slice(bytes);
        if bytes.contains(&b'\n') {
            self.flush()?;
        }
        Ok(bytes.len())
    }

    fn flush(&mut self) -> io::Result<()> {
        let typed = self.typing.of(&String::from_utf8_lossy(&std::mem::take(&mut self.line)));
        self.out.write_all(typed.as_bytes())?;
        self.out.flush()
    }
}

impl Drop for Typed<'_> {
    fn drop(&mut self) {
        // Who does not listen any more misses nothing.
        let _ = self.flush();
    }
}

/// Standard output. Ends the process where nobody reads it any more, as programs do: `edge status | head` is no failure.
#[derive(Debug)]
pub struct Stdout(pub io::Stdout);

/// What a shell reports of a program that SIGPIPE ended.
const BROKEN_PIPE: i32 = 141;

impl Stdout {
    fn heard<T>(done: io::Result<T>) -> io::Result<T> {
        if done.as_ref().is_err_and(|error| error.kind() == io::ErrorKind::BrokenPipe) {
            std::process::exit(BROKEN_PIPE);
        }
        done
    }
}

impl Write for Stdout {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        Stdout::heard(self.0.write(bytes))
    }

    fn flush(&mut self) -> io::Result<()> {
        Stdout::heard(self.0.flush())
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use clap::CommandFactory;

    fn typing(file: Option<&str>) -> Typing {
        Typing::new(EDGE, &crate::cli::Cli::command(), file.map(Path::new), Some(Path::new("/my data")))
    }

    #[test]
    fn commands_are_typed_as_they_work_here() {
        let text = "put it back: edge restore FILE (`edge doctor`), then edge serve; the edge of knowledge, /usr/bin/edge doctor";
        assert_eq!(
            typing(Some("/etc/tiffin/edge.toml")).of(text),
            "put it back: tiffin-edge restore FILE (`tiffin-edge doctor`), then systemctl start tiffin-edge; the edge of knowledge, /usr/bin/edge doctor"
        );
        assert_eq!(typing(None).of("edge restore FILE"), "edge restore --data-dir '/my data' FILE");
    }

    #[test]
    fn lines_come_out_whole() {
        let mut out = Vec::new();
        let mut typed = Typed::new(&mut out, typing(Some("/etc/tiffin/edge.toml")));
        write!(typed, "Look: edge").unwrap();
        write!(typed, " status\nand").unwrap();
        drop(typed);
        assert_eq!(String::from_utf8(out).unwrap(), "Look: tiffin-edge status\nand");
    }
}
