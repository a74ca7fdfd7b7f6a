//! Modifier groups: the choices that come with a dish. Pure.

use super::availability::Availability;
use super::text::clean;
use super::texts::Texts;
use crate::http::{Checks, FieldError};
use schemars::JsonSchema;
use serde::Serialize;
use serde_json::Value;
use tiffin_common::{Cents, Millis, Uuid, money::MAX_CENTS};

/// The most choices any group may ask for or offer.
pub const MAX_OPTIONS: usize = 100;

table! {
    /// A group of choices.
    #[derive(PartialEq, Eq, Serialize, JsonSchema)]
    #[serde(rename_all = "camelCase")]
    pub struct ModifierGroup: modifier_groups {
        /// Id of the group.
        pub id: Uuid,
        /// As guests see it.
        pub name: String,
        /// The fewest choices.
        #[serde(rename = "minSelections")]
        pub min: i64 => min_selections,
        /// The most choices; any number when null.
        #[serde(rename = "maxSelections")]
        pub max: Option<i64> => max_selections,
        /// In their order.
        pub options: Vec<ModifierOption> => none,
        /// Its name in other languages.
        #[serde(skip_serializing_if = "Texts::is_empty")]
        pub texts: Texts => json,
        /// Changes with every change.
        pub version: i64,
        /// When it was made.
        pub created_at: Millis,
        /// When it last changed.
        pub updated_at: Millis,
    }
}

/// One choice of a modifier group.
#[apply(figures!)]
pub struct ModifierOption {
    /// Id of the option.
    pub id: Uuid,
    /// As guests see it; unique in its group.
    pub name: String,
    /// Added to the dish's price.
    #[serde(rename = "priceCents")]
    pub price: Cents,
    /// Chosen unless told otherwise.
    pub is_default: bool,
    /// Whether it is for sale at all.
    pub is_active: bool,
    /// Whether it can be had now.
    #[serde(rename = "isAvailable")]
    pub available: bool,
    /// Its stock state.
    pub availability: Availability,
    /// Its name in other languages.
    #[serde(skip_serializing_if = "Texts::is_empty")]
    pub texts: Texts,
    /// What it adds to or takes from the dish's recipe. Shown with its group; set at
    /// `PUT /menu/modifier-options/{id}/recipe`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub recipe: Option<Value>,
}

impl ModifierGroup {
    /// Lets the group read in `language`, with its options.
    pub fn put_in(&mut self, language: &str) {
        self.texts.put(language, &mut self.name, None);
        for option in &mut self.options {
            option.texts.put(language, &mut option.name, None);
        }
    }
}

table! {
    /// What a group is to be.
    #[derive(PartialEq, Eq)]
    pub struct GroupDraft: modifier_groups {
        /// As guests see it.
        pub name: String,
        /// The fewest choices.
        pub min: i64 => min_selections,
        /// The most choices; any number when none.
        pub max: Option<i64> => max_selections,
        /// All its options, in their order.
        pub options: Vec<OptionDraft> => none,
        /// Its name in other languages.
        pub texts: Texts => json,
    }
}

table! {
    /// What an option is to be.
    #[derive(PartialEq, Eq)]
    pub struct OptionDraft: modifier_options {
        /// The option that is meant; a new one when none.
        pub id: Option<Uuid> => none,
        /// As guests see it; unique in its group.
        pub name: String,
        /// Added to the dish's price.
        pub price: Cents => price_cents,
        /// Chosen unless told otherwise.
        pub is_default: bool,
        /// Whether it is for sale at all.
        pub is_active: bool,
        /// Its name in other languages.
        pub texts: Texts => json,
    }
}

impl OptionDraft {
    /// A new option for sale.
    pub fn new(name: impl Into<String>, price: Cents) -> OptionDraft {
        OptionDraft {
            id: None,
            name: name.into(),
            price,
            is_default: false,
            is_active: true,
            texts: Texts::default(),
        }
    }
}

impl GroupDraft {
    /// A group of these options, of which nobody need choose any.
    pub fn new(name: impl Into<String>, options: Vec<OptionDraft>) -> GroupDraft {
        GroupDraft { name: name.into(), min: 0, max: None, options, texts: Texts::default() }
    }
}

impl From<&ModifierGroup> for GroupDraft {
    fn from(group: &ModifierGroup) -> Self {
        let options = group.options.iter().map(|o| OptionDraft {
            id: Some(o.id),
            name: o.name.clone(),
            price: o.price,
            is_default: o.is_default,
            is_active: o.is_active,
            texts: o.texts.clone(),
        });
        GroupDraft {
            name: group.name.clone(),
            min: group.min,
            max: group.max,
            options: options.collect(),
            texts: group.texts.clone(),
        }
    }
}

impl GroupDraft {
    /// The draft with its texts trimmed.
    ///
    /// # Errors
    /// All offending fields.
    pub fn checked(mut self) -> Result<GroupDraft, Vec<FieldError>> {
        let mut checks = Checks::new();
        clean(&mut self.name, "name", 120, &mut checks);
        self.texts.check("texts", 120, &mut checks);
        let mut names: Vec<String> = Vec::new();
        let mut ids: Vec<Uuid> = Vec::new();
        for (i, option) in self.options.iter_mut().enumerate() {
            let path = |field: &str| format!("options[{i}].{field}");
            clean(&mut option.name, &path("name"), 120, &mut checks);
            option.texts.check(&path("texts"), 120, &mut checks);
            let key = option.name.to_lowercase();
            checks.require(!names.contains(&key), path("name"), "is named twice");
            names.push(key);
            let in_range = (0..=MAX_CENTS).contains(&option.price.get());
            checks.require(in_range, path("priceCents"), "must be from 0 to 1000000000000");
            if let Some(id) = option.id {
                checks.require(!ids.contains(&id), path("id"), "is named twice");
                ids.push(id);
            }
        }
        self.check_counts(&mut checks);
        checks.finish(self)
    }

    fn check_counts(&self, checks: &mut Checks) {
        let count = |keep: fn(&&OptionDraft) -> bool| {
            i64::try_from(self.options.iter().filter(keep).count()).unwrap_or(i64::MAX)
        };
        let active = count(|o| o.is_active);
        let defaults = count(|o| o.is_default);
        let fits = (1..=MAX_OPTIONS).contains(&self.options.len());
        checks.require(fits, "options", "must have from 1 to 100 elements");
        checks.require((0..=100).contains(&self.min), "minSelections", "must be from 0 to 100");
        checks.require(self.min <= active, "minSelections", "must not exceed the active options");
        if let Some(max) = self.max {
            checks.require((1..=100).contains(&max), "maxSelections", "must be from 1 to 100");
            checks.require(max >= self.min, "maxSelections", "must not be below minSelections");
            checks.require(defaults <= max, "options", "must not have more defaults than maxSelections");
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn group(min: i64, max: Option<i64>, options: Vec<OptionDraft>) -> GroupDraft {
        GroupDraft { min, max, ..GroupDraft::new("Spice", options) }
    }

    #[test]
    fn a_group_that_nobody_could_satisfy_is_refused() {
        let mild = || OptionDraft::new("Mild", Cents::ZERO);
        assert!(group(0, Some(1), vec![mild()]).checked().is_ok());
        assert!(group(2, None, vec![mild()]).checked().is_err());
        assert!(group(1, Some(0), vec![mild()]).checked().is_err());
        assert!(group(0, None, vec![]).checked().is_err());
        assert!(group(1, None, vec![OptionDraft { is_active: false, ..mild() }]).checked().is_err());
        let fields =
            group(0, None, vec![mild(), OptionDraft::new("mild ", Cents::new(-1))]).checked().unwrap_err();
        let names: Vec<&str> = fields.iter().map(|f| f.name.as_str()).collect();
        assert_eq!(names, ["options[1].name", "options[1].priceCents"]);
    }
}
