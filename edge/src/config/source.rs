//! Where a setting's value comes from: flags, environment, file, default. Never decides what a value means.

use super::error::ConfigError;
use super::table::{Scope, Setting, Side, Table};
use super::value::Value;
use std::collections::BTreeMap;
use std::io::Write;
use std::marker::PhantomData;
use std::path::PathBuf;

/// What variables that are none of the program's settings go on with behind its prefix: the other program's, and scripts'.
const OTHERS: [&str; 5] = ["HUB_", "EDGE_", "TEST_", "SIM_", "UPGRADE_"];

/// Settings that belong together, as a struct. [`settings!`](crate::settings) writes it.
pub trait Group: Sized {
    /// What there is to set on this side.
    fn settings(of: Side) -> Vec<Setting>;

    /// Reads them; none when one cannot be used: the reader keeps why.
    fn read(from: &mut Reader) -> Option<Self>;
}

/// Everything that one program can be told.
pub trait Program: Group + 'static {
    /// Its table.
    fn table() -> Table;

    /// Whether the settings go together.
    ///
    /// # Errors
    /// All those that do not.
    fn check(&self) -> Result<(), ConfigError>;
}

/// The settings a subcommand takes as flags, made from the program's table.
#[derive(Clone)]
pub struct Flags<const SERVER: bool, P>(Vec<(&'static str, String)>, PhantomData<fn() -> P>);

impl<const SERVER: bool, P> Default for Flags<SERVER, P> {
    fn default() -> Self {
        Flags(Vec::new(), PhantomData)
    }
}

impl<const SERVER: bool, P: Program> Flags<SERVER, P> {
    fn settings() -> impl Iterator<Item = &'static Setting> {
        P::table().settings.iter().filter(|setting| (setting.scope == Scope::Server) == SERVER)
    }

    /// The flags that were given, by setting.
    pub fn given(&self) -> impl Iterator<Item = (&'static str, String)> + '_ {
        self.0.iter().cloned()
    }
}

impl<const SERVER: bool, P: Program> clap::Args for Flags<SERVER, P> {
    fn augment_args(command: clap::Command) -> clap::Command {
        Self::settings().fold(command, |command, setting| {
            let default = if setting.default.is_empty() { "none" } else { setting.default };
            let argument =
                clap::Arg::new(setting.flag).long(setting.flag).value_name("VALUE").global(!SERVER).help(
                    format!("{} [{}; default {default}]", setting.help, setting.variable(P::table().prefix)),
                );
            command.arg(if SERVER { argument.help_heading("Settings") } else { argument })
        })
    }

    fn augment_args_for_update(command: clap::Command) -> clap::Command {
        Self::augment_args(command)
    }
}

impl<const SERVER: bool, P: Program> clap::FromArgMatches for Flags<SERVER, P> {
    fn from_arg_matches(matches: &clap::ArgMatches) -> Result<Self, clap::Error> {
        let given = Self::settings()
            .filter_map(|setting| Some((setting.flag, matches.get_one::<String>(setting.flag)?.clone())));
        Ok(Flags(given.collect(), PhantomData))
    }

    fn update_from_arg_matches(&mut self, matches: &clap::ArgMatches) -> Result<(), clap::Error> {
        *self = Self::from_arg_matches(matches)?;
        Ok(())
    }
}

/// Which of the four places a value came from.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Origin {
    /// A flag of the command line.
    Flag(&'static str),
    /// An environment variable.
    Environment(String),
    /// The configuration file.
    File(PathBuf),
    /// Nobody said otherwise.
    Default,
}

impl std::fmt::Display for Origin {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            Origin::Flag(flag) => write!(f, "flag --{flag}"),
            Origin::Environment(variable) => write!(f, "environment {variable}"),
            Origin::File(path) => write!(f, "file {}", path.display()),
            Origin::Default => f.write_str("default"),
        }
    }
}

/// One setting with its text and where that came from.
#[derive(Clone)]
pub struct Resolved {
    /// Which setting.
    pub setting: &'static Setting,
    /// Where the text came from.
    pub origin: Origin,
    text: String,
}

impl Resolved {
    /// The text as it may be shown: a secret only says whether it is set.
    pub fn shown(&self) -> &str {
        match (self.setting.secret, self.text.is_empty()) {
            (_, true) => "(not set)",
            (true, false) => "(set, not shown)",
            (false, false) => &self.text,
        }
    }
}

impl std::fmt::Debug for Resolved {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "{} = {} ({})", self.setting.flag, self.shown(), self.origin)
    }
}

/// The places values come from, already read, so that tests need neither a process environment nor a disk.
#[derive(Clone, Default)]
pub struct Sources {
    /// Flags by setting.
    pub flags: BTreeMap<&'static str, String>,
    /// Environment variables that begin with the program's prefix.
    pub environment: BTreeMap<String, String>,
    /// The configuration file: its path and its text.
    pub file: Option<(PathBuf, String)>,
    /// The program whose settings they are.
    pub table: Table,
}

impl std::fmt::Debug for Sources {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let names: Vec<_> =
            self.flags.keys().map(|k| k.to_string()).chain(self.environment.keys().cloned()).collect();
        write!(f, "Sources({names:?}, {:?})", self.file.as_ref().map(|(path, _)| path))
    }
}

impl Sources {
    /// Reads the process's environment and the configuration file that `--config` or `TIFFIN_CONFIG` names.
    ///
    /// # Errors
    /// When the named file cannot be read.
    pub fn gather<P: Program>(
        global: &Flags<false, P>,
        server: Option<&Flags<true, P>>,
    ) -> Result<Self, ConfigError> {
        let table = P::table();
        let flags: BTreeMap<_, _> = global.given().chain(server.into_iter().flat_map(Flags::given)).collect();
        let environment: BTreeMap<_, _> = std::env::vars_os()
            .filter_map(|(key, value)| Some((key.into_string().ok()?, value.into_string().ok()?)))
            .filter(|(key, _)| key.starts_with(table.prefix))
            .collect();
        let named = format!("{}CONFIG", table.prefix);
        let path = flags.get("config").or_else(|| environment.get(&named)).filter(|path| !path.is_empty());
        let file = match path {
            None => None,
            Some(path) => match std::fs::read_to_string(path) {
                Ok(text) => Some((PathBuf::from(path), text)),
                Err(error) => return Err(ConfigError(vec![format!("{path}: {error}")])),
            },
        };
        Ok(Sources { flags, environment, file, table })
    }

    /// Variables that look like settings and are none: probably misspelt.
    pub fn misspelt(&self) -> Vec<&str> {
        let Table { settings, prefix } = self.table;
        let known: Vec<String> = settings.iter().map(|setting| setting.variable(prefix)).collect();
        let is_others = |key: &str| {
            let rest = key.strip_prefix(prefix).unwrap_or(key);
            OTHERS.iter().any(|other| rest.starts_with(other))
        };
        self.environment
            .keys()
            .filter(|key| !known.contains(*key) && !is_others(key))
            .map(String::as_str)
            .collect()
    }

    /// Says on standard error which variables are no settings: what was meant by them does not hold.
    pub fn tell_misspelt(&self) {
        for variable in self.misspelt() {
            let words = "is set in the environment, but there is no such setting";
            // Standard error may be closed; there is nobody else to tell.
            let _ = writeln!(std::io::stderr(), "{variable} {words}");
        }
    }

    /// Every setting with its text and origin, in the table's order.
    ///
    /// # Errors
    /// When the file is not TOML or names a setting there is not.
    pub fn listing(&self) -> Result<Vec<Resolved>, ConfigError> {
        let file = self.file_values()?;
        let resolve = |setting: &'static Setting| {
            let variable = setting.variable(self.table.prefix);
            let (origin, text) = if let Some(text) = self.flags.get(setting.flag) {
                (Origin::Flag(setting.flag), text.clone())
            } else if let Some(text) = self.environment.get(&variable) {
                (Origin::Environment(variable), text.clone())
            } else if let (Some(text), Some((path, _))) = (file.get(setting.flag), &self.file) {
                (Origin::File(path.clone()), text.clone())
            } else {
                (Origin::Default, setting.default.to_string())
            };
            Resolved { setting, origin, text: text.trim().to_string() }
        };
        Ok(self.table.settings.iter().map(resolve).collect())
    }

    /// The file's values as text, by flag.
    fn file_values(&self) -> Result<BTreeMap<&'static str, String>, ConfigError> {
        let Some((path, text)) = &self.file else { return Ok(BTreeMap::new()) };
        let path = path.display();
        let table: toml::Table = text
            .parse()
            .map_err(|error: toml::de::Error| ConfigError(vec![format!("{path}: {}", error.message())]))?;
        let (mut values, mut errors) = (BTreeMap::new(), Vec::new());
        for (key, value) in table {
            // As everything else names it, too.
            let meant = key.replace('-', "_");
            let known = self.table.settings.iter().find(|s| s.flag != "config" && s.key() == meant);
            let Some(setting) = known else {
                errors.push(format!("{path}: there is no setting {key}"));
                continue;
            };
            match value {
                toml::Value::String(text) => drop(values.insert(setting.flag, text)),
                toml::Value::Integer(number) => drop(values.insert(setting.flag, number.to_string())),
                toml::Value::Array(list) if list.iter().all(|v| v.is_str()) => {
                    let texts: Vec<_> = list.iter().filter_map(|v| v.as_str()).collect();
                    values.insert(setting.flag, texts.join(","));
                }
                _ => errors.push(format!("{path}: {key} must be text, a whole number or a list of texts")),
            }
        }
        if errors.is_empty() { Ok(values) } else { Err(ConfigError(errors)) }
    }

    /// The values of all settings.
    ///
    /// # Errors
    /// All settings that cannot be read, in one error, or all that do not go together; the values themselves are not repeated.
    pub fn read<P: Program>(&self) -> Result<P, ConfigError> {
        let mut from = Reader { rows: self.listing()?, errors: Vec::new() };
        let config = P::read(&mut from).ok_or(ConfigError(from.errors))?;
        config.check()?;
        Ok(config)
    }
}

/// Reads settings one by one and keeps every error.
pub struct Reader {
    rows: Vec<Resolved>,
    errors: Vec<String>,
}

impl Reader {
    /// The value of a setting, or `fixed` where the program has none; none when it cannot be read.
    pub fn take<T: Value>(&mut self, flag: &str, fixed: Option<T>) -> Option<T> {
        let Some(row) = self.rows.iter().find(|row| row.setting.flag == flag) else { return fixed };
        let wrong = |wanted| self.errors.push(format!("{flag} ({}) must be {wanted}", row.origin));
        T::read(&row.text).map_err(wrong).ok()
    }
}
