//! Tax categories, modifier groups, categories and dishes.

use super::failure::{Result, making};
use super::keys::{Keys, known};
use crate::access::Actor;
use crate::cli::sample::data::{MenuItem, ModifierGroup, Restaurant};
use crate::db::Tx;
use crate::resources::menu::actions;
use crate::resources::menu::rules::{
    CategoryDraft, Dietary, GroupDraft, ItemDraft, OptionDraft, TaxComponent,
};
use tiffin_common::Uuid;

/// The menu's ids, by the places in the restaurant's lists.
pub(super) struct Menu {
    pub(super) items: Vec<Uuid>,
    pub(super) options: Vec<Vec<Uuid>>,
}

pub(super) fn seed(tx: &Tx<'_>, actor: &Actor, restaurant: &Restaurant, stations: &Keys) -> Result<Menu> {
    let mut taxes = Keys::new();
    for tax in &restaurant.tax_categories {
        let components = tax
            .components
            .iter()
            .map(|part| TaxComponent { name: part.name.clone(), rate: part.rate_bps, kind: None })
            .collect();
        let made = actions::create_tax(tx, actor, tax.name.clone(), components, None);
        taxes.insert(tax.key.clone(), made.map_err(making(&tax.name))?.id);
    }
    let mut groups = Keys::new();
    let mut options = Vec::with_capacity(restaurant.modifier_groups.len());
    for group in &restaurant.modifier_groups {
        let made = actions::create_group(tx, actor, group_draft(group)).map_err(making(&group.name))?;
        groups.insert(group.key.clone(), made.id);
        options.push(made.options.iter().map(|option| option.id).collect());
    }
    let mut categories = Keys::new();
    for (place, category) in (0..).zip(&restaurant.categories) {
        let mut draft = CategoryDraft::named(&category.name, place);
        draft.description = Some(category.description.clone());
        let made = actions::create_category(tx, actor, draft).map_err(making(&category.name))?;
        categories.insert(category.key.clone(), made.id);
    }
    let mut items = Vec::with_capacity(restaurant.menu_items.len());
    for (place, item) in (0..).zip(&restaurant.menu_items) {
        let mut draft = item_draft(item, known(&categories, &item.category)?);
        draft.sort_order = place;
        draft.tax_category_id = Some(known(&taxes, &item.tax_category)?);
        draft.station_id = Some(known(stations, &item.station)?);
        draft.group_ids =
            item.modifier_groups.iter().map(|key| known(&groups, key)).collect::<Result<_, _>>()?;
        items.push(actions::create_item(tx, actor, draft).map_err(making(&item.name))?.id);
    }
    Ok(Menu { items, options })
}

fn group_draft(group: &ModifierGroup) -> GroupDraft {
    let option = |option: &crate::cli::sample::data::ModifierOption| OptionDraft {
        is_default: option.is_default,
        ..OptionDraft::new(&option.name, option.price_cents)
    };
    GroupDraft {
        min: group.min_selections,
        max: group.max_selections,
        ..GroupDraft::new(&group.name, group.options.iter().map(option).collect())
    }
}

fn item_draft(item: &MenuItem, category: Uuid) -> ItemDraft {
    ItemDraft {
        kitchen_name: Some(item.kitchen_name.clone()),
        description: item.description.clone(),
        sku: Some(item.sku.clone()),
        hsn_sac: Some(item.hsn_sac.clone()),
        course: Some(item.course),
        prep_minutes: Some(item.prep_minutes),
        dietary: Dietary::of_name(&item.dietary),
        allergens: item.allergens.clone(),
        ..ItemDraft::new(category, &item.name, item.price_cents)
    }
}
