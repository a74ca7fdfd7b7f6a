//! Fields of a PATCH: absent = keep, null = clear, value = set. Never confuses the first two.

use schemars::{JsonSchema, Schema, SchemaGenerator};
use serde::{Deserialize, Deserializer};
use std::borrow::Cow;

/// A field that may be cleared. Use with `#[serde(default)]`.
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

/// A field that may be changed but not cleared: null is refused. Use with `#[serde(default)]`.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Change<T>(pub Option<T>);

impl<T> Default for Change<T> {
    fn default() -> Self {
        Change(None)
    }
}

impl<T> Change<T> {
    /// The field's value after the patch.
    pub fn apply(self, current: T) -> T {
        self.0.unwrap_or(current)
    }
}

impl<'de, T: Deserialize<'de>> Deserialize<'de> for Change<T> {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        T::deserialize(deserializer).map(|value| Change(Some(value)))
    }
}

impl<T: JsonSchema> JsonSchema for Change<T> {
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
