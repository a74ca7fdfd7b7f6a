//! Why a configuration cannot be used. Never holds a secret's value.

/// The settings that cannot be used, all of them.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("the configuration cannot be used:\n  {}", .0.join("\n  "))]
pub struct ConfigError(pub Vec<String>);
