//! How a question becomes calls, and how their answers become sentences. Pure. Never guesses a figure: every number of an
//! answer was in an answer of the API, or is a sum, difference or share of such numbers.

pub mod answer;
pub mod call;
pub mod figures;
mod language;
pub mod money;
pub mod names;
pub mod parse;
pub mod period;
pub mod plan;
pub mod remote;
pub mod setting;
pub mod suggest;
pub mod topics;
pub mod verify;
pub mod words;

/// Conversations kept per account and outlet; older ones are forgotten.
pub const CONVERSATIONS_KEPT: u32 = 50;

/// Messages kept of one conversation; older ones are forgotten.
pub const MESSAGES_KEPT: u32 = 200;

/// Characters of a conversation's title.
const TITLE_CHARS: usize = 80;

refusals! {
    /// Why a request to the assistant is refused.
    #[derive(Debug, thiserror::Error)]
    pub enum AiError {}
}

/// A conversation is called by its first question.
pub fn title(question: &str) -> String {
    let line = question.split_whitespace().collect::<Vec<_>>().join(" ");
    match line.char_indices().nth(TITLE_CHARS) {
        Some((end, _)) => format!("{}…", &line[..end]),
        None => line,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_title_is_one_short_line() {
        assert_eq!(title(" sales\n today? "), "sales today?");
        let long = title(&"₹ü".repeat(60));
        assert_eq!((long.chars().count(), long.ends_with('…')), (TITLE_CHARS + 1, true));
    }
}
