//! Which of many names a question means: "panneer" is Paneer, "chicken" is every dish with chicken in it. Never picks one
//! of several that fit as well.

use super::words::{is_near, split, stem};

/// The elements whose name fits most of the words of `subject`; all of them where several fit as well. A name that is
/// exactly the subject wins over those that hold more.
pub fn matching<'a, T>(subject: &str, all: &'a [T], name: impl Fn(&T) -> &str) -> Vec<&'a T> {
    let wanted: Vec<String> = subject.split_whitespace().map(stem).collect();
    let scored: Vec<(usize, usize, &T)> = all
        .iter()
        .filter_map(|element| {
            let words = split(name(element));
            let fits = |wanted: &String| {
                words.iter().any(|word| word.stem == *wanted || is_near(wanted, &word.stem))
            };
            let score = wanted.iter().filter(|word| fits(word)).count();
            (score > 0).then(|| (score, words.len().saturating_sub(score), element))
        })
        .collect();
    let best = scored.iter().map(|(score, ..)| *score).max().unwrap_or_default();
    let whole = scored.iter().any(|(score, rest, _)| *score == best && *rest == 0);
    let fits = |(score, rest, _): &&(usize, usize, &T)| *score == best && (!whole || *rest == 0);
    scored.iter().filter(fits).map(|(.., element)| *element).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_name_is_found_by_most_of_its_words() {
        let dishes = ["Butter Chicken", "Chicken Biryani", "Steamed Rice", "Paneer Tikka", "Rice"];
        let found =
            |subject: &str| matching(subject, &dishes, |name| name).into_iter().copied().collect::<Vec<_>>();
        assert_eq!(found("chicken"), ["Butter Chicken", "Chicken Biryani"]);
        assert_eq!(found("buter chiken"), ["Butter Chicken"]);
        assert_eq!(found("panneer"), ["Paneer Tikka"]);
        assert_eq!(found("rice"), ["Rice"]);
        assert_eq!(found("steamed rices"), ["Steamed Rice"]);
        assert_eq!(found("lobster"), Vec::<&str>::new());
        assert_eq!(found(""), Vec::<&str>::new());
    }
}
