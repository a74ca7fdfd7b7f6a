//! The dishes that are there while a file is taken in: which of them a row means, and what combos go on offering of them. Never writes.

use super::{Present, Work};
use crate::http::{FieldError, Patch};
use crate::resources::menu::actions::items::{offered, unmet};
use crate::resources::menu::rules::import::ImportedItem;
use crate::resources::menu::rules::{ItemDraft, Result};
use crate::resources::menu::store;
use tiffin_common::Uuid;

impl Work<'_, '_> {
    pub(super) fn remember(&mut self, id: Uuid, draft: ItemDraft) {
        let index = self.items.len();
        if let Some(sku) = &draft.sku {
            self.by_sku.insert(sku.clone(), index);
        }
        self.by_name.entry((draft.category_id, draft.name.to_lowercase())).or_default().push(index);
        self.items.push(Present { id, draft });
    }

    /// The dish a row means: by its sku, else by category and name. Dishes without a sku come first, those that no row has meant before the
    /// others; a row with another sku, or with the word that there is none, means no dish that a row has given a sku.
    pub(super) fn present(&self, item: &ImportedItem, category: Option<Uuid>) -> Option<usize> {
        let sku = item.sku.set().map(|sku| sku.trim()).filter(|sku| !sku.is_empty());
        if let Some(index) = sku.and_then(|sku| self.by_sku.get(sku)) {
            return Some(*index);
        }
        let called = self.by_name.get(&(category?, item.name.trim().to_lowercase()))?;
        let known = called.iter().filter_map(|index| self.items.get(*index).map(|known| (*index, known)));
        let meant = |known: &Present| self.taken.contains_key(&known.id);
        let (bare, coded): (Vec<_>, Vec<_>) = known.partition(|(_, known)| known.draft.sku.is_none());
        let free =
            |list: &[(usize, &Present)]| list.iter().find(|(_, known)| !meant(known)).map(|(at, _)| *at);
        let first = |list: &[(usize, &Present)]| list.first().map(|(at, _)| *at);
        match (&item.sku, sku) {
            (_, Some(_)) => free(&bare),
            (Patch::Keep, None) => {
                free(&bare).or_else(|| first(&bare)).or_else(|| free(&coded)).or_else(|| first(&coded))
            }
            (_, None) => free(&bare).or_else(|| first(&bare)).or_else(|| free(&coded)),
        }
    }

    /// Notes which dishes that are sold by weight from now on are still chosen for combos, and which have no longer the size that one offers,
    /// once all rows have said what those offer.
    pub(super) fn check_offered(&mut self) -> Result<()> {
        for (id, place) in std::mem::take(&mut self.weighed) {
            let combos = store::list_names_of_combos_with(self.tx, self.outlet, id)?;
            if !combos.is_empty() {
                self.report.note(&place, vec![FieldError::new("soldBy", offered(&combos))]);
            }
        }
        for (id, place) in std::mem::take(&mut self.resized) {
            let sizes =
                store::find_choice(self.tx, self.outlet, id)?.map(|choice| choice.sizes).unwrap_or_default();
            let sizes: Vec<_> = sizes.iter().map(|size| (Some(size.id), size.is_default)).collect();
            let why = unmet(self.tx, self.outlet, id, &sizes)?;
            self.report.note(&place, why.map(|why| FieldError::new("variants", why)).into_iter().collect());
        }
        Ok(())
    }
}
