//! The dishes that a file names for combos: by sku, or by name. Never made: they are rows of the file, or there already.

use super::Work;
use crate::http::{Checks, Patch};
use crate::resources::menu::rules::combos::Size;
use crate::resources::menu::rules::import::{ImportedChoice, ImportedItem};
use crate::resources::menu::rules::{ComponentDraft, ComponentOptionDraft, MenuError, Result};
use crate::resources::menu::store;
use tiffin_common::Uuid;

impl Work<'_, '_> {
    /// What is chosen for the combo of a row; none where the row does not say.
    pub(super) fn components(
        &self,
        item: &ImportedItem,
        present: &[ComponentDraft],
        checks: &mut Checks,
    ) -> Result<Option<Vec<ComponentDraft>>> {
        let wanted = match &item.components {
            Patch::Keep => return Ok(None),
            Patch::Clear => return Ok(Some(Vec::new())),
            Patch::Set(wanted) => wanted,
        };
        let mut drafts = Vec::with_capacity(wanted.len());
        for (i, component) in wanted.iter().enumerate() {
            let mut options = Vec::with_capacity(component.options.len());
            for (j, choice) in component.options.iter().enumerate() {
                let path = format!("components[{i}].options[{j}]");
                options.extend(self.choice(choice, &path, checks)?);
            }
            drafts.push(ComponentDraft {
                name: component.name.clone(),
                min: component.min_selections,
                max: component.max_selections,
                texts: component
                    .texts
                    .clone()
                    .or_else(|| {
                        ComponentDraft::find(present, &component.name).map(|known| known.texts.clone())
                    })
                    .unwrap_or_default(),
                options,
            });
        }
        Ok(Some(drafts))
    }

    fn choice(
        &self,
        choice: &ImportedChoice,
        path: &str,
        checks: &mut Checks,
    ) -> Result<Option<ComponentOptionDraft>> {
        let Some(id) = self.dish_named(choice.item.trim()) else {
            checks.add(format!("{path}.item"), "is neither the sku of a dish nor the name of only one");
            return Ok(None);
        };
        let dish = store::find_choice(self.tx, self.outlet, id)?.ok_or(MenuError::NotFound("menu item"))?;
        let wanted = choice.variant.as_ref().map(|name| name.trim().to_lowercase());
        let is_meant = wanted.map(|name| move |size: &Size| size.name.to_lowercase() == name);
        let variant_id = dish.size(is_meant, (format!("{path}.item"), format!("{path}.variant")), checks);
        Ok(Some(ComponentOptionDraft { menu_item_id: id, variant_id, extra: choice.extra_cents }))
    }

    fn dish_named(&self, name: &str) -> Option<Uuid> {
        if let Some(index) = self.by_sku.get(name) {
            return self.items.get(*index).map(|known| known.id);
        }
        let name = name.to_lowercase();
        let called = self.items.iter().filter(|known| known.draft.name.to_lowercase() == name);
        let (bare, coded): (Vec<_>, Vec<_>) = called.partition(|known| known.draft.sku.is_none());
        // One with a sku is named by that where a file is given out.
        match (bare.as_slice(), coded.as_slice()) {
            ([only], _) | ([], [only]) => Some(only.id),
            _ => None,
        }
    }
}
