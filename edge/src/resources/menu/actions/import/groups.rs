//! The modifier groups a file names: found, made, or brought up to date. Two groups may share a name; their options tell
//! them apart.

use super::Work;
use crate::http::{Checks, FieldError, Patch};
use crate::resources::menu::rules::import::{ImportedGroup, ImportedItem};
use crate::resources::menu::rules::{GroupDraft, ModifierGroup, OptionDraft, Result};
use crate::resources::menu::store;
use tiffin_common::Uuid;

impl Work<'_, '_> {
    pub(super) fn groups(
        &mut self,
        path: &str,
        item: &ImportedItem,
        own: &[Uuid],
        checks: &mut Checks,
    ) -> Result<Option<Vec<Uuid>>> {
        let wanted = match &item.modifier_groups {
            Patch::Keep => return Ok(None),
            Patch::Clear => return Ok(Some(Vec::new())),
            Patch::Set(wanted) => wanted,
        };
        let mut ids = Vec::with_capacity(wanted.len());
        for (i, group) in wanted.iter().enumerate() {
            match self.group(path, group, own)? {
                Ok(id) => ids.push(id),
                Err(fields) => {
                    for field in fields {
                        let name = match field.name.as_str() {
                            "" => format!("modifierGroups[{i}]"),
                            inner => format!("modifierGroups[{i}].{inner}"),
                        };
                        checks.add(name, field.reason);
                    }
                }
            }
        }
        Ok(Some(ids))
    }

    /// The group a row means, made or brought up to date where it says more than a name: the one that is so already, else the one with
    /// these options that its dish has (`own`) or, where only one has them, that one.
    fn group(
        &mut self,
        path: &str,
        wanted: &ImportedGroup,
        own: &[Uuid],
    ) -> Result<Result<Uuid, Vec<FieldError>>> {
        let name = wanted.name.trim().to_lowercase();
        let refuse = |reason: &str| Ok(Err(vec![FieldError::new("", reason)]));
        let mut named = self.groups.iter().filter(|g| g.name.to_lowercase() == name);
        if wanted.options.is_empty() {
            return match (named.next(), named.next()) {
                (Some(only), None) => Ok(Ok(only.id)),
                (None, _) => refuse("is not a modifier group; give its options to make it"),
                (Some(_), Some(_)) => refuse("names several modifier groups; give its options"),
            };
        }
        let alike: Vec<&ModifierGroup> = named.filter(|g| same_options(g, wanted)).collect();
        let is_so =
            |g: &&&ModifierGroup| drafted(wanted, Some(&GroupDraft::from(**g))) == GroupDraft::from(**g);
        let is_own = |g: &&&ModifierGroup| own.contains(&g.id);
        let only = || alike.first().filter(|g| alike.len() == 1 && !self.groups_set.contains_key(&g.id));
        let known = alike
            .iter()
            .find(|g| is_so(g) && is_own(g))
            .or_else(|| alike.iter().find(is_so))
            .or_else(|| alike.iter().find(is_own))
            .or_else(only)
            .map(|g| (g.id, GroupDraft::from(*g)));
        let present = known.as_ref().map(|(_, draft)| draft);
        let draft = match drafted(wanted, present).checked() {
            Ok(draft) => draft,
            Err(fields) => return Ok(Err(fields)),
        };
        match known {
            Some((id, present)) if present == draft => {
                self.groups_set.entry(id).or_insert_with(|| path.to_owned());
                Ok(Ok(id))
            }
            Some((id, _)) => match self.groups_set.get(&id) {
                Some(earlier) => refuse(&format!("differs from the same group in {earlier}")),
                None => self.update_group(path, id, &draft).map(|()| Ok(id)),
            },
            None => self.insert_group(path, &draft).map(Ok),
        }
    }

    fn insert_group(&mut self, path: &str, draft: &GroupDraft) -> Result<Uuid> {
        let id = store::insert_group(self.tx, self.outlet, draft)?;
        for (place, option) in (0_i64..).zip(&draft.options) {
            store::insert_option(self.tx, self.outlet, id, option, place)?;
        }
        self.counts.modifier_groups_created += 1;
        self.keep_group(path, id)?;
        Ok(id)
    }

    fn update_group(&mut self, path: &str, id: Uuid, draft: &GroupDraft) -> Result<()> {
        store::update_group(self.tx, self.outlet, id, draft)?;
        for (place, option) in (0_i64..).zip(&draft.options) {
            if let Some(known) = option.id {
                store::update_option(self.tx, self.outlet, known, option, place)?;
            }
        }
        self.counts.modifier_groups_updated += 1;
        self.groups.retain(|g| g.id != id);
        self.keep_group(path, id)
    }

    fn keep_group(&mut self, path: &str, id: Uuid) -> Result<()> {
        let at = store::find_local_now(self.tx, self.outlet, self.tx.now())?;
        self.groups.push(store::find_group(self.tx, self.outlet, id, &at)?);
        self.groups_set.insert(id, path.to_owned());
        Ok(())
    }
}

/// Whether both have the same options by name, in any order.
fn same_options(group: &ModifierGroup, wanted: &ImportedGroup) -> bool {
    let mut here: Vec<String> = group.options.iter().map(|o| o.name.to_lowercase()).collect();
    let mut there: Vec<String> = wanted.options.iter().map(|o| o.name.trim().to_lowercase()).collect();
    here.sort_unstable();
    there.sort_unstable();
    here == there
}

fn drafted(wanted: &ImportedGroup, present: Option<&GroupDraft>) -> GroupDraft {
    let known = |name: &str| {
        let same = |o: &&OptionDraft| o.name.to_lowercase() == name.trim().to_lowercase();
        present.and_then(|draft| draft.options.iter().find(same))
    };
    let options = wanted.options.iter().map(|o| OptionDraft {
        id: known(&o.name).and_then(|known| known.id),
        name: o.name.clone(),
        price: o.price,
        is_default: o.is_default,
        is_active: o.is_active,
        texts: o
            .texts
            .clone()
            .or_else(|| known(&o.name).map(|known| known.texts.clone()))
            .unwrap_or_default(),
    });
    GroupDraft {
        name: present.map_or_else(|| wanted.name.clone(), |draft| draft.name.clone()),
        min: wanted.min_selections,
        max: wanted.max_selections,
        options: options.collect(),
        texts: wanted.texts.clone().or_else(|| present.map(|draft| draft.texts.clone())).unwrap_or_default(),
    }
}
