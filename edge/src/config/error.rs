//! Why a configuration cannot be used. Never holds a secret's value.

/// The settings that cannot be used, all of them.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("the configuration cannot be used:\n  {}", .0.join("\n  "))]
pub struct ConfigError(pub Vec<String>);

impl ConfigError {
    /// Complains of what does not go together.
    ///
    /// # Errors
    /// The complaints whose condition does not hold.
    pub fn unless<const N: usize>(conditions: [(bool, &str); N]) -> Result<(), ConfigError> {
        let broken = conditions.into_iter().filter(|(holds, _)| !holds);
        let broken: Vec<_> = broken.map(|(_, complaint)| complaint.to_owned()).collect();
        if broken.is_empty() { Ok(()) } else { Err(ConfigError(broken)) }
    }
}
