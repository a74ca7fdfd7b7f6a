//! Enums whose values are words: one declaration gives the text in the database and in JSON, the published schema and its
//! descriptions. Read strictly: an unknown word is an error, never a default.

/// A text that is none of an enum's words.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("{word:?} is no {of}")]
pub struct UnknownWord {
    /// The text.
    pub word: String,
    /// The enum.
    pub of: &'static str,
}

/// Declares an enum of words:
///
/// ```
/// tiffin_common::words! {
///     /// How a dish is sold.
///     pub enum SoldBy {
///         /// By the portion.
///         Portion = "PORTION",
///         /// By its weight.
///         Weight = "WEIGHT",
///     }
/// }
/// assert_eq!(SoldBy::of_name("WEIGHT"), Some(SoldBy::Weight));
/// assert!("weight".parse::<SoldBy>().is_err());
/// ```
///
/// The crate that calls it depends on `serde` and `schemars`. With the feature `sqlite` a word is a column's value too.
#[macro_export]
macro_rules! words {
    ($(#[$meta:meta])* $vis:vis enum $name:ident { $($(#[$word_meta:meta])* $word:ident = $text:literal),* $(,)? }) => {
        #[derive(
            Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, serde::Serialize, serde::Deserialize,
            schemars::JsonSchema,
        )]
        $(#[$meta])*
        $vis enum $name { $($(#[$word_meta])* #[serde(rename = $text)] $word,)* }

        impl $name {
            /// All of them, in the order of their declaration.
            pub const ALL: &'static [$name] = &[$($name::$word),*];

            /// The word in the database and on the wire.
            pub const fn name(self) -> &'static str {
                match self { $($name::$word => $text),* }
            }

            /// The one of that name.
            pub fn of_name(name: &str) -> Option<$name> {
                $name::ALL.iter().copied().find(|word| word.name() == name)
            }
        }

        impl ::std::fmt::Display for $name {
            fn fmt(&self, f: &mut ::std::fmt::Formatter<'_>) -> ::std::fmt::Result {
                f.write_str(self.name())
            }
        }

        impl ::std::str::FromStr for $name {
            type Err = $crate::words::UnknownWord;

            fn from_str(text: &str) -> Result<$name, $crate::words::UnknownWord> {
                let unknown = || $crate::words::UnknownWord { word: text.into(), of: stringify!($name) };
                $name::of_name(text).ok_or_else(unknown)
            }
        }

        $crate::word_in_sqlite!($name);
    };
}

/// The conversions of an enum of [`words!`](crate::words) to and from a TEXT column.
#[cfg(feature = "sqlite")]
#[doc(hidden)]
#[macro_export]
macro_rules! word_in_sqlite {
    ($name:ident) => {
        impl $crate::words::rusqlite::types::ToSql for $name {
            fn to_sql(
                &self,
            ) -> $crate::words::rusqlite::Result<$crate::words::rusqlite::types::ToSqlOutput<'_>> {
                Ok(self.name().into())
            }
        }

        impl $crate::words::rusqlite::types::FromSql for $name {
            fn column_result(
                value: $crate::words::rusqlite::types::ValueRef<'_>,
            ) -> $crate::words::rusqlite::types::FromSqlResult<Self> {
                use $crate::words::rusqlite::types::FromSqlError;
                value.as_str()?.parse().map_err(|error| FromSqlError::Other(Box::new(error)))
            }
        }
    };
}

/// See the other of that name.
#[cfg(not(feature = "sqlite"))]
#[doc(hidden)]
#[macro_export]
macro_rules! word_in_sqlite {
    ($name:ident) => {};
}

#[cfg(feature = "sqlite")]
#[doc(hidden)]
pub use rusqlite;
