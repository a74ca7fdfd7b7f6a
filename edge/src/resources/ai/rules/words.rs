//! Words of a question: split, without plurals, forgiven their spelling. Never decides what a question is about.

/// A word of a question.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Word {
    /// As it was written, in lower case.
    pub text: String,
    /// Without its plural ending.
    pub stem: String,
}

/// The words of `question`, in their order. Dates keep their dashes and slashes; what is possessed keeps its name.
pub fn split(question: &str) -> Vec<Word> {
    let question = question.to_lowercase().replace('’', "'").replace("'s ", " ").replace('%', " percent ");
    let question = question.strip_suffix("'s").unwrap_or(&question).replace('\'', "");
    let inside = |c: char| c.is_alphanumeric() || c == '-' || c == '/';
    question
        .split(|c: char| !inside(c))
        .flat_map(|part| {
            let is_date = part.bytes().any(|b| b.is_ascii_digit());
            part.split(move |c| !is_date && (c == '-' || c == '/'))
        })
        .map(|part| part.trim_matches(['-', '/']))
        .filter(|part| !part.is_empty())
        .map(|part| Word { text: part.to_owned(), stem: stem(part) })
        .collect()
}

/// A word without its plural ending.
pub fn stem(word: &str) -> String {
    let cut = |ending: &str| word.strip_suffix(ending).filter(|stem| stem.len() >= 3);
    if let Some(stem) = cut("ies") {
        return format!("{stem}y");
    }
    for ending in ["ches", "shes", "sses", "xes"] {
        if let Some(stem) = word.strip_suffix("es").filter(|_| word.ends_with(ending)) {
            return stem.to_owned();
        }
    }
    match cut("s") {
        Some(stem) if !stem.ends_with(['s', 'u', 'i']) => stem.to_owned(),
        _ => word.to_owned(),
    }
}

/// Whether `written` can be meant as `known`: the same first letter, and one slip (two in long words).
pub fn is_near(written: &str, known: &str) -> bool {
    let length = written.chars().count().min(known.chars().count());
    let slips = match length {
        0..4 => return false,
        4..8 => 1,
        _ => 2,
    };
    written.chars().next() == known.chars().next() && strsim::osa_distance(written, known) <= slips
}

/// A number in digits or words.
pub fn number(word: &str) -> Option<u32> {
    const WORDS: [&str; 13] = [
        "zero", "one", "two", "three", "four", "five", "six", "seven", "eight", "nine", "ten", "eleven",
        "twelve",
    ];
    let spelt = || WORDS.iter().position(|known| *known == word).and_then(|n| u32::try_from(n).ok());
    word.parse().ok().or_else(spelt)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn stems(question: &str) -> Vec<String> {
        split(question).into_iter().map(|word| word.stem).collect()
    }

    #[test]
    fn a_question_becomes_its_words() {
        assert_eq!(
            stems("What’s today's best-selling dishes?"),
            ["what", "today", "best", "selling", "dish"]
        );
        assert_eq!(
            stems("batches, losses & deliveries of 2026-11-20"),
            ["batch", "loss", "delivery", "of", "2026-11-20"]
        );
        assert_eq!(stems("food cost % vs. last week"), ["food", "cost", "percent", "vs", "last", "week"]);
        assert_eq!(stems("- / ?"), Vec::<String>::new());
        assert_eq!(stems("gas bus this menus"), ["gas", "bus", "this", "menus"]);
    }

    #[test]
    fn slips_are_forgiven_but_not_another_word() {
        assert!(
            is_near("revenu", "revenue") && is_near("slaes", "sales") && is_near("inventry", "inventory")
        );
        assert!(is_near("wastge", "waste") && is_near("expirring", "expiring"));
        assert!(!is_near("rice", "price") && !is_near("sale", "tale") && !is_near("tax", "tap"));
    }

    #[test]
    fn numbers_are_digits_or_words() {
        assert_eq!((number("7"), number("seven"), number("many")), (Some(7), Some(7), None));
    }
}
