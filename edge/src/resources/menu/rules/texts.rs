//! What guests and cooks read in other languages than the outlet's own, beside the record that it is of. Pure. Never stands for a text
//! that is not there: what is not said in a language is as it is in the outlet's own.

use super::text::clean_optional;
use crate::http::language::{is_known, normal};
use crate::http::{Checks, Patch};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;

/// The most languages of one record.
pub const MOST_LANGUAGES: usize = 10;

/// What a record is called in one language.
#[apply(value!)]
#[derive(Default)]
pub struct Wording {
    /// What stands for its name.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schemars(length(max = 120))]
    pub name: Option<String>,
    /// What stands for its description.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schemars(length(max = 1_000))]
    pub description: Option<String>,
}

/// What a record is called in other languages, by their tags: `{"hi": {"name": …}}`.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(transparent)]
pub struct Texts(BTreeMap<String, Wording>);

/// A change of what a record is called in one language: what is absent stays, null takes it away.
#[apply(filters!)]
#[derive(Clone, PartialEq, Eq)]
pub struct WordingPatch {
    /// What stands for its name.
    #[schemars(length(max = 120))]
    name: Patch<String>,
    /// What stands for its description.
    #[schemars(length(max = 1_000))]
    description: Patch<String>,
}

/// A change of what a record is called in other languages: one that is absent stays, null takes one away.
#[derive(Debug, Clone, Default, PartialEq, Eq, Deserialize, JsonSchema)]
#[serde(transparent)]
pub struct TextsPatch(BTreeMap<String, Option<WordingPatch>>);

impl TextsPatch {
    /// The texts after the change.
    pub fn apply(self, mut texts: Texts) -> Texts {
        for (tag, change) in self.0 {
            let tag = normal(&tag);
            let Some(change) = change else {
                texts.0.remove(&tag);
                continue;
            };
            let said = texts.0.entry(tag).or_default();
            said.name = change.name.apply(said.name.take());
            said.description = change.description.apply(said.description.take());
        }
        texts
    }
}

impl Texts {
    /// Whether nothing is said in any language.
    pub fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    /// The languages that something is said in.
    pub fn languages(&self) -> impl Iterator<Item = &str> {
        self.0.keys().map(String::as_str)
    }

    /// What is said in `language` itself.
    pub fn said(&self, language: &str) -> Option<&Wording> {
        self.0.get(language)
    }

    /// What is said in `language`; of `hi-in` also what is said in `hi`.
    pub fn of(&self, language: &str) -> Option<&Wording> {
        let base = language.split('-').next().unwrap_or(language);
        self.0.get(language).or_else(|| self.0.get(base))
    }

    /// The name in `language`.
    pub fn name(&self, language: &str) -> Option<&str> {
        self.of(language).and_then(|said| said.name.as_deref())
    }

    /// All names that are said.
    pub fn names(&self) -> impl Iterator<Item = &str> {
        self.0.values().filter_map(|said| said.name.as_deref())
    }

    /// Puts what is said in `language` in the place of `name` and `description`.
    pub fn put(&self, language: &str, name: &mut String, description: Option<&mut Option<String>>) {
        let Some(said) = self.of(language) else { return };
        if let Some(said) = &said.name {
            name.clone_from(said);
        }
        if let (Some(description), Some(said)) = (description, &said.description) {
            *description = Some(said.clone());
        }
    }

    /// Trims the texts, takes away what says nothing, and notes what is wrong below `path`.
    pub fn check(&mut self, path: &str, longest_name: usize, checks: &mut Checks) {
        for (tag, said) in &mut self.0 {
            checks.require(is_known(tag), format!("{path}.{tag}"), "is no language such as hi");
            clean_optional(&mut said.name, &format!("{path}.{tag}.name"), longest_name, checks);
            clean_optional(&mut said.description, &format!("{path}.{tag}.description"), 1_000, checks);
        }
        self.0.retain(|_, said| *said != Wording::default());
        checks.require(self.0.len() <= MOST_LANGUAGES, path, "must have at most 10 languages");
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    fn texts(value: serde_json::Value) -> Texts {
        serde_json::from_value(value).unwrap()
    }

    #[test]
    fn a_change_leaves_what_it_does_not_name() {
        let before = texts(json!({"hi": {"name": "दाल", "description": "काली"}, "ta": {"name": "பருப்பு"}}));
        let change: TextsPatch = serde_json::from_value(
            json!({"HI": {"description": null}, "ta": null, "fr": {"name": "Lentilles"}}),
        )
        .unwrap();
        let after = texts(json!({"hi": {"name": "दाल"}, "fr": {"name": "Lentilles"}}));
        assert_eq!(change.apply(before.clone()), after);
        assert_eq!(TextsPatch::default().apply(before.clone()), before);
    }

    #[test]
    fn what_is_not_said_in_a_language_stays_as_it_is() {
        let of = texts(json!({"hi": {"name": "दाल"}}));
        let (mut name, mut description) = ("Dal".to_owned(), Some("Black".to_owned()));
        of.put("hi-in", &mut name, Some(&mut description));
        assert_eq!((name.as_str(), description.as_deref()), ("दाल", Some("Black")));
        of.put("ta", &mut name, None);
        assert_eq!(name, "दाल");
    }

    #[test]
    fn all_that_is_wrong_with_texts_is_named_at_once() {
        let mut of =
            texts(json!({"xx": {"name": "a"}, "hi": {"name": "x".repeat(41), "description": " "}, "ta": {}}));
        let mut checks = Checks::new();
        of.check("texts", 40, &mut checks);
        let names: Vec<String> = checks.finish(()).unwrap_err().into_iter().map(|field| field.name).collect();
        assert_eq!(names, ["texts.hi.name", "texts.xx"]);
        assert_eq!(of.languages().collect::<Vec<_>>(), ["hi", "xx"]);
    }
}
