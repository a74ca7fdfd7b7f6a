//! What came of a wish: a branch, or what was wrong with the form. Never how it is shown.

/// Why a field's value cannot be used.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Wrong {
    /// The field, named as the flag of the command line; empty: the whole.
    pub field: &'static str,
    /// A phrase such as "must be an email address".
    pub reason: String,
}

impl Wrong {
    /// What is wrong with `field`.
    pub fn new(field: &'static str, reason: impl Into<String>) -> Wrong {
        Wrong { field, reason: reason.into() }
    }
}

/// A branch that was made.
#[derive(Debug, Clone)]
pub struct Made {
    /// Its code and name.
    pub outlet: String,
    /// What else there is to say, a line each.
    pub notes: Vec<String>,
}
