//! The words and phrases of questions, as `language.txt` beside this file has them. Never decides what a question is about.

use std::collections::HashMap;
use std::sync::LazyLock;

static SECTIONS: LazyLock<HashMap<&'static str, Vec<&'static str>>> = LazyLock::new(|| {
    let (mut sections, mut name) = (HashMap::<_, Vec<_>>::new(), "");
    for line in include_str!("language.txt").lines().filter(|line| !line.is_empty() && !line.starts_with('#'))
    {
        match line.strip_prefix(':') {
            Some(next) => name = next,
            None => sections.entry(name).or_default().push(line),
        }
    }
    sections
});

/// The lines of a section.
pub(super) fn lines(section: &str) -> &'static [&'static str] {
    SECTIONS.get(section).map(Vec::as_slice).unwrap_or_default()
}

/// The words of a section.
pub(super) fn words(section: &str) -> impl Iterator<Item = &'static str> {
    lines(section).iter().flat_map(|line| line.split(' '))
}

/// Whether `word` is one of a section's.
pub(super) fn has(section: &str, word: &str) -> bool {
    words(section).any(|known| known == word)
}

#[cfg(test)]
mod tests {
    use super::super::topics;
    use super::*;
    use std::collections::BTreeSet;

    #[test]
    fn every_section_is_a_list_of_words_or_a_topic_with_phrases() {
        let lists = ["small", "weak", "comparing", "trends", "periods", "spelt"];
        let known: BTreeSet<&str> = lists.into_iter().chain(topics::all().map(|topic| topic.name)).collect();
        assert_eq!(SECTIONS.keys().copied().collect::<BTreeSet<_>>(), known);
        for topic in topics::all() {
            assert!(topic.example().ends_with('?') && !topic.phrases().is_empty(), "{}", topic.name);
        }
    }

    #[test]
    fn words_are_told_apart() {
        assert!(has("weak", "how") && has("periods", "yesterday") && has("spelt", "dozen"));
        assert!(!has("weak", "how much") && !has("weak", "") && words("no such section").next().is_none());
    }
}
