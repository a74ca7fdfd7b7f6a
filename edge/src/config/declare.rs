//! How settings are declared: once, with name, type, default and explanation. Flags, environment variables, the configuration
//! file, the typed struct and the listing are all made from that entry. Never knows a particular setting.

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
