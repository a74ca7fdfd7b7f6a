//! What a setting is, and the table of a program's settings. Never holds a value.

/// Who takes a setting as a flag. Environment and file may hold any setting, for any subcommand.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Scope {
    /// Every subcommand.
    Global,
    /// The subcommands that run a server, or ask about one.
    Server,
}

/// Whose settings: both binaries share many, with defaults of their own.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Side {
    /// The branch server.
    Branch,
    /// Head office.
    HeadOffice,
}

/// One setting.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Setting {
    /// The flag without its dashes, as in `limit-general`; the other spellings derive from it.
    pub flag: &'static str,
    /// The value when nobody says otherwise; empty means "not set".
    pub default: &'static str,
    /// Who takes it as a flag.
    pub scope: Scope,
    /// Whether the value must never be printed.
    pub secret: bool,
    /// What it does, with its unit.
    pub help: &'static str,
    /// The setting it is listed behind; none: behind the one declared before it.
    pub behind: Option<&'static str>,
}

impl Setting {
    /// The key in the configuration file: `limit_general`.
    pub fn key(&self) -> String {
        self.flag.replace('-', "_")
    }

    /// The environment variable of the program with this prefix: `TIFFIN_LIMIT_GENERAL`.
    pub fn variable(&self, prefix: &str) -> String {
        format!("{prefix}{}", self.key().to_uppercase())
    }
}

/// The settings of one program.
#[derive(Debug, Clone, Copy)]
pub struct Table {
    /// All of them, in the order of the listing.
    pub settings: &'static [Setting],
    /// What its environment variables begin with.
    pub prefix: &'static str,
}

/// Puts `more` behind what is there, or where its settings say they stand.
pub fn arrange(rows: &mut Vec<Setting>, more: impl IntoIterator<Item = Setting>) {
    let mut at = rows.len();
    for row in more {
        let before = row.behind.and_then(|flag| rows.iter().position(|row| row.flag == flag));
        at = before.map_or(at, |before| before + 1);
        rows.insert(at, row);
        at += 1;
    }
}
