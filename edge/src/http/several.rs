//! A query parameter that takes several words with commas between them, such as `status=READY,SERVED`. Never guesses at a word.

use super::{Code, FieldError, Problem, Result};

/// The words of the parameter `name`, each read by `of_name`; none where it is absent or empty.
///
/// # Errors
/// 400 naming all words that there are, when one is none of them.
pub fn several<W: ToString>(
    name: &str,
    text: Option<&str>,
    of_name: fn(&str) -> Option<W>,
    all: &[W],
) -> Result<Vec<W>> {
    let words = text.unwrap_or_default().split(',').map(str::trim).filter(|word| !word.is_empty());
    words.map(of_name).collect::<Option<Vec<_>>>().ok_or_else(|| {
        let names: Vec<String> = all.iter().map(W::to_string).collect();
        let field = FieldError::new(name, format!("must be one of {}", names.join(", ")));
        Problem::new(Code::BadRequest).detail("A query parameter is invalid").with_fields(vec![field])
    })
}
