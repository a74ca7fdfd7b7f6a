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

    /// What is wrong with `given` as one line of text: what the API asks of every text, for those that come by another way.
    pub fn of_line(field: &'static str, given: &str, longest: usize) -> Option<Wrong> {
        if !tiffin_common::text::is_clean(given) || given.contains('\n') {
            return Some(Wrong::new(field, "must not hold control characters"));
        }
        let fits = given.chars().count() <= longest;
        (!fits).then(|| Wrong::new(field, format!("must have at most {longest} characters")))
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
