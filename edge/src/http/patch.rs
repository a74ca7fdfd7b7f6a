//! Fields of a PATCH: absent = keep, null = clear, value = set; and what a PATCH makes of a record. Never confuses the first two.

use schemars::{JsonSchema, Schema, SchemaGenerator};
use serde::{Deserialize, Deserializer};
use std::borrow::Cow;

/// Declares a change of a record, every field a [`Patch`] or a [`Replace`], with `over`, which lays it over the record: a field changes
/// the record's of its name, or what `=>` names (`=> window.days`); one with `=> none` is the caller's to apply.
///
/// ```
/// # use edge::http::{Replace, Patch};
/// # struct Drawer { name: String, float: Option<i64> }
/// edge::patch! {
///     /// A change of a drawer.
///     pub struct UpdateDrawer of Drawer {
///         /// Its name.
///         name: Replace<String>,
///         /// What it begins with.
///         float_cents: Patch<i64> => float,
///     }
/// }
/// let change: UpdateDrawer = serde_json::from_str(r#"{"floatCents": 5}"#)?;
/// let drawer = change.over(Drawer { name: "MAIN".into(), float: None });
/// assert_eq!((drawer.name.as_str(), drawer.float), ("MAIN", Some(5)));
/// # Ok::<(), serde_json::Error>(())
/// ```
#[macro_export]
macro_rules! patch {
    ($(#[$meta:meta])* $vis:vis struct $name:ident of $record:ty {
        $($(#[$field_meta:meta])* $field:ident: $type:ty $(=> $($target:ident).+)?),* $(,)?
    }) => {
        #[derive(Debug, Default, serde::Deserialize, schemars::JsonSchema)]
        #[serde(rename_all = "camelCase", default)]
        $(#[$meta])*
        $vis struct $name { $($(#[$field_meta])* $field: $type,)* }

        impl $name {
            /// The record as the change leaves it.
            fn over(self, mut record: $record) -> $record {
                $($crate::patch!(@ self record $field $(=> $($target).+)?);)*
                record
            }
        }
    };
    (@ $self:ident $record:ident $field:ident => none) => {};
    (@ $self:ident $record:ident $field:ident => $($target:ident).+) => {
        $record.$($target).+ = $self.$field.apply($record.$($target).+)
    };
    (@ $self:ident $record:ident $field:ident) => { $record.$field = $self.$field.apply($record.$field) };
}

/// A field that may be cleared. Use in [`patch!`](crate::patch), or with `#[serde(default)]`.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub enum Patch<T> {
    /// Absent: keep what is there.
    #[default]
    Keep,
    /// Null: clear it.
    Clear,
    /// A value: set it.
    Set(T),
}

impl<T> Patch<T> {
    /// The field's value after the patch.
    pub fn apply(self, current: Option<T>) -> Option<T> {
        match self {
            Patch::Keep => current,
            Patch::Clear => None,
            Patch::Set(value) => Some(value),
        }
    }

    /// The new value, when one is set.
    pub fn set(&self) -> Option<&T> {
        if let Patch::Set(value) = self { Some(value) } else { None }
    }
}

impl<'de, T: Deserialize<'de>> Deserialize<'de> for Patch<T> {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        Option::<T>::deserialize(deserializer).map(|value| value.map_or(Patch::Clear, Patch::Set))
    }
}

impl<T: JsonSchema> JsonSchema for Patch<T> {
    fn inline_schema() -> bool {
        true
    }
    fn schema_name() -> Cow<'static, str> {
        format!("Nullable{}", T::schema_name()).into()
    }
    fn json_schema(generator: &mut SchemaGenerator) -> Schema {
        Option::<T>::json_schema(generator)
    }
}

/// A field that may be changed but not cleared: null is refused. Use in [`patch!`](crate::patch), or with `#[serde(default)]`.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Replace<T>(pub Option<T>);

impl<T> Default for Replace<T> {
    fn default() -> Self {
        Replace(None)
    }
}

impl<T> Replace<T> {
    /// The field's value after the patch.
    pub fn apply(self, current: T) -> T {
        self.0.unwrap_or(current)
    }
}

impl<'de, T: Deserialize<'de>> Deserialize<'de> for Replace<T> {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        T::deserialize(deserializer).map(|value| Replace(Some(value)))
    }
}

impl<T: JsonSchema> JsonSchema for Replace<T> {
    fn inline_schema() -> bool {
        true
    }
    fn schema_name() -> Cow<'static, str> {
        T::schema_name()
    }
    fn json_schema(generator: &mut SchemaGenerator) -> Schema {
        T::json_schema(generator)
    }
}
