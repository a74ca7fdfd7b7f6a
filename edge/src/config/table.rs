//! How a setting is declared: once, with its name, type, default and explanation. Flags, environment variables, the
//! configuration file, the typed struct and the listing are all made from that entry. Never knows a particular setting.

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

/// Declares settings that belong together, as the struct that holds their values. A field is a setting,
/// `name: Type = Scope "flag" ["default"] "What it does";`, or a group of settings, `name: Group;`. Where head office has another
/// default or explanation, it stands behind a bar; a value in braces there means that head office has no such setting, and that
/// this is what holds.
#[macro_export]
macro_rules! settings {
    ($(#[$meta:meta])* pub struct $name:ident { $(
        $(#[$about:meta])* $field:ident: $kind:ty $(=
            $scope:ident $flag:literal $(behind $behind:literal)? [$default:literal $(| $other:tt)?] $help:literal $(| $other_help:literal)?
        )?;
    )* }) => {
        $(#[$meta])*
        #[derive(Debug, Clone)]
        pub struct $name { $( $(#[$about])* $(#[doc = $help])? pub $field: $kind, )* }

        impl $crate::config::Group for $name {
            fn settings(of: $crate::config::Side) -> Vec<$crate::config::Setting> {
                let mut rows = Vec::new();
                $( $crate::config::arrange(&mut rows, $crate::settings!(@rows of $kind
                    $(, $scope $flag ($($behind)?) [$default $(| $other)?] $help $(| $other_help)?)?)); )*
                rows
            }

            fn read(from: &mut $crate::config::Reader) -> Option<Self> {
                $( let $field = $crate::settings!(@read from $kind $(, $flag [$default $(| $other)?])?); )*
                Some($name { $( $field: $field?, )* })
            }
        }
    };
    (@rows $of:ident $kind:ty) => { <$kind as $crate::config::Group>::settings($of) };
    (@rows $of:ident $kind:ty, $scope:ident $flag:literal ($($behind:literal)?) [$default:literal | {$fixed:expr}] $help:literal) => {
        Some($crate::settings!(@row $kind, $scope $flag ($($behind)?) $default, $help))
            .filter(|_| $of == $crate::config::Side::Branch)
    };
    (@rows $of:ident $kind:ty, $scope:ident $flag:literal ($($behind:literal)?) [$default:literal $(| $other:literal)?]
        $help:literal $(| $other_help:literal)?) => {
        Some(match $of {
            $crate::config::Side::Branch => $crate::settings!(@row $kind, $scope $flag ($($behind)?) $default, $help),
            $crate::config::Side::HeadOffice => $crate::settings!(@row $kind, $scope $flag ($($behind)?)
                $crate::settings!(@last $default $($other)?), $crate::settings!(@last $help $($other_help)?)),
        })
    };
    (@row $kind:ty, $scope:ident $flag:literal ($($behind:literal)?) $default:expr, $help:expr) => {
        $crate::config::Setting {
            flag: $flag,
            default: $default,
            scope: $crate::config::Scope::$scope,
            secret: <$kind as $crate::config::Value>::SECRET,
            help: $help,
            behind: None$(.or(Some($behind)))?,
        }
    };
    (@last $first:literal) => { $first };
    (@last $first:literal $last:literal) => { $last };
    (@read $from:ident $kind:ty) => { <$kind as $crate::config::Group>::read($from) };
    (@read $from:ident $kind:ty, $flag:literal [$default:literal | {$fixed:expr}]) => { $from.take($flag, Some($fixed)) };
    (@read $from:ident $kind:ty, $flag:literal [$default:literal $(| $other:literal)?]) => { $from.take($flag, None) };
}
