//! Taking in a file of dishes: all rows or none. Rows are worked off one by one and every offending one is noted; at the
//! end any note refuses the whole, and the transaction undoes what was written until then.

mod combos;
mod groups;
mod known;

use super::items::sizes;
use super::{Follow, here, taxes};
use crate::access::Actor;
use crate::db::{DbError, Tx};
use crate::http::intake::{Did, ImportCounts, Place, Report, Row, Rows};
use crate::http::{Checks, FieldError, Patch, Refused};
use crate::resources::audit::{self, Entry};
use crate::resources::menu::rules::import::{ImportedItem, ImportedVariant};
use crate::resources::menu::rules::{
    CategoryDraft, ItemDraft, ModifierGroup, Result, SoldBy, TaxCategory, TaxDraft, Window,
};
use crate::resources::menu::store::{self, Search};
use serde_json::{Value, json};
use std::collections::HashMap;
use tiffin_common::{Cents, Uuid};

/// What an import of dishes did, or would do.
#[apply(figures!)]
#[derive(Default)]
pub struct MenuImport {
    /// What became of the dishes.
    #[serde(flatten)]
    pub dishes: ImportCounts,
    /// Categories that were made for them.
    pub categories_created: usize,
    /// Tax categories made.
    pub tax_categories_created: usize,
    /// Modifier groups made.
    pub modifier_groups_created: usize,
    /// Modifier groups changed.
    pub modifier_groups_updated: usize,
}

impl MenuImport {
    fn is_change(&self) -> bool {
        let more = [self.categories_created, self.tax_categories_created];
        let groups = [self.modifier_groups_created, self.modifier_groups_updated];
        self.dishes.is_change() || more.into_iter().chain(groups).any(|count| count > 0)
    }
}

/// Takes in the rows of a file. What changes nothing leaves no trace.
///
/// # Errors
/// Every offending cell of every row, by its place.
pub fn import(tx: &Tx<'_>, actor: &Actor, file: Rows<ImportedItem>, follow: Follow) -> Result<MenuImport> {
    let (report, rows) = Report::begin(file);
    let is_resized = |item: &ImportedItem| item.variants != Patch::Keep || item.sold_by.0.is_some();
    let resized = rows.iter().any(|row| is_resized(&row.item));
    let mut work = Work::begin(tx, actor, report)?;
    // What may be chosen for combos comes before them, wherever it stands in the file.
    let is_combo = |(_, row): &(usize, Row<ImportedItem>)| row.item.components.set().is_some();
    let (combos, dishes): (Vec<_>, Vec<_>) = rows.into_iter().enumerate().partition(is_combo);
    for (place, row) in dishes.into_iter().chain(combos) {
        work.take(row, place)?;
    }
    work.check_offered()?;
    let counts = MenuImport { dishes: work.report.finish()?, ..work.counts };
    if !counts.is_change() {
        return Ok(counts);
    }
    store::next_revision(tx, actor.outlet_id)?;
    let entry = Entry::new("menu.import", "menu", None)
        .after(&json!({"counts": counts, "priceChanges": work.price_changes}));
    audit::actions::record(tx, actor, entry)?;
    if resized {
        follow(tx, actor)?;
    }
    Ok(counts)
}

/// A dish that is there already.
struct Present {
    id: Uuid,
    draft: ItemDraft,
}

/// What is known while rows are worked off; names in lower case.
struct Work<'a, 'c> {
    tx: &'a Tx<'c>,
    outlet: Uuid,
    report: Report,
    counts: MenuImport,
    price_changes: Vec<Value>,
    categories: HashMap<String, Uuid>,
    /// Where the next category goes.
    next_sort_order: i64,
    taxes: HashMap<String, TaxCategory>,
    stations: HashMap<String, Uuid>,
    groups: Vec<ModifierGroup>,
    /// Groups this import has set, and the row that did.
    groups_set: HashMap<Uuid, String>,
    items: Vec<Present>,
    by_sku: HashMap<String, usize>,
    by_name: HashMap<(Uuid, String), Vec<usize>>,
    taken: HashMap<Uuid, String>,
    /// Dishes that are sold by weight from now on, and their rows.
    weighed: Vec<(Uuid, Place)>,
    /// Dishes that come in other sizes from now on, and their rows.
    resized: Vec<(Uuid, Place)>,
}

impl<'a, 'c> Work<'a, 'c> {
    fn begin(tx: &'a Tx<'c>, actor: &Actor, report: Report) -> Result<Self> {
        let outlet = actor.outlet_id;
        let at = here(tx, actor)?;
        let everything = Search { q: None, limit: u32::MAX, offset: 0 };
        let lower = |name: &str| name.to_lowercase();
        let filter = store::ItemFilter { search: everything.clone(), ..store::ItemFilter::default() };
        let mut work = Work {
            tx,
            outlet,
            report,
            counts: MenuImport::default(),
            price_changes: Vec::new(),
            categories: HashMap::new(),
            next_sort_order: store::next_sort_order(tx, outlet)?,
            taxes: HashMap::new(),
            stations: store::list_stations(tx, outlet)?
                .into_iter()
                .map(|(id, name)| (lower(&name), id))
                .collect(),
            groups: store::list_all_groups(tx, outlet, &at)?,
            groups_set: HashMap::new(),
            items: Vec::new(),
            by_sku: HashMap::new(),
            by_name: HashMap::new(),
            taken: HashMap::new(),
            weighed: Vec::new(),
            resized: Vec::new(),
        };
        for category in store::list_categories(tx, outlet, &everything)?.items {
            work.categories.insert(lower(&category.draft.name), category.id);
        }
        for tax in store::list_taxes(tx, outlet, &everything)?.items {
            work.taxes.insert(lower(&tax.draft.name), tax);
        }
        for item in store::list_items(tx, outlet, &filter, &at)?.items {
            work.remember(item.id, item.draft);
        }
        Ok(work)
    }

    fn take(&mut self, row: Row<ImportedItem>, order: usize) -> Result<()> {
        let Row { place, item, is_broken } = row;
        let path = place.of("");
        let mut checks = Checks::new();
        let category = self.category(&item, &mut checks)?;
        let tax = self.tax(&item, &mut checks)?;
        let station = self.station(&item, &mut checks);
        let present = self.present(&item, category);
        let known = present.and_then(|index| self.items.get(index)).map(|known| known.draft.clone());
        let chosen = known.as_ref().map_or(&[][..], |known| &known.components);
        let components = self.components(&item, chosen, &mut checks)?;
        let own = known.as_ref().map_or(&[][..], |known| &known.group_ids);
        let groups = self.groups(&path, &item, own, &mut checks)?;
        let kind = known.as_ref().map(|known| known.kind);
        let base = match known {
            Some(known) => known,
            None => {
                let is_priced = item.price_cents.0.is_some() || item.variants.set().is_some();
                checks.require(is_priced, "priceCents", "is required for a new dish");
                let draft = ItemDraft::new(Uuid::nil(), item.name.clone(), Cents::ZERO);
                ItemDraft { sort_order: i64::try_from(order).unwrap_or(0), ..draft }
            }
        };
        let draft = ItemDraft {
            category_id: category.unwrap_or_default(),
            tax_category_id: tax.apply(base.tax_category_id),
            station_id: station.apply(base.station_id),
            group_ids: groups.unwrap_or_else(|| base.group_ids.clone()),
            components: components.unwrap_or_else(|| base.components.clone()),
            ..over(item, base)
        };
        let is_same = kind.is_none_or(|kind| kind == draft.kind);
        checks.require(is_same, "kind", "cannot be changed: what was sold would be something else");
        let known = present.and_then(|index| self.items.get(index));
        if draft.sold_by == SoldBy::Weight {
            let new = known.filter(|known| known.draft.sold_by != SoldBy::Weight);
            self.weighed.extend(new.map(|known| (known.id, place.clone())));
        }
        let resized = known.filter(|known| sizes(&known.draft) != sizes(&draft));
        self.resized.extend(resized.map(|known| (known.id, place.clone())));
        let mut fields = checks.finish(()).err().unwrap_or_default();
        match draft.checked() {
            Ok(draft) if fields.is_empty() && !is_broken => self.write(&path, draft, present, &mut fields)?,
            Ok(_) => {}
            Err(found) => fields.extend(found),
        }
        self.report.note(&place, fields);
        Ok(())
    }

    fn write(
        &mut self,
        path: &str,
        draft: ItemDraft,
        present: Option<usize>,
        fields: &mut Vec<FieldError>,
    ) -> Result<()> {
        let known = present.and_then(|index| self.items.get(index)).map(|p| (p.id, p.draft.clone()));
        let Some((id, before)) = known else {
            return match store::insert_item(self.tx, self.outlet, &draft) {
                Ok(id) => {
                    self.report.count(Did::Created);
                    self.taken.insert(id, path.to_owned());
                    self.remember(id, draft);
                    Ok(())
                }
                Err(error) => taken(error, fields),
            };
        };
        if let Some(earlier) = self.taken.insert(id, path.to_owned()) {
            fields.push(FieldError::new("name", format!("is the same dish as {earlier}")));
            return Ok(());
        }
        self.report.count(Did::change(&before, &draft));
        if draft == before {
            return Ok(());
        }
        if let Err(error) = store::update_item(self.tx, self.outlet, id, (&before, &draft)) {
            return taken(error, fields);
        }
        if let (Some(index), Some(sku)) = (present, &draft.sku) {
            self.by_sku.insert(sku.clone(), index);
        }
        if draft.price != before.price {
            self.price_changes
                .push(json!({"name": draft.name, "before": before.price, "after": draft.price}));
        }
        if let Some(known) = present.and_then(|index| self.items.get_mut(index)) {
            known.draft.sku = draft.sku;
        }
        Ok(())
    }

    fn category(&mut self, item: &ImportedItem, checks: &mut Checks) -> Result<Option<Uuid>> {
        let key = item.category.trim().to_lowercase();
        if let Some(id) = self.categories.get(&key) {
            return Ok(Some(*id));
        }
        match CategoryDraft::named(item.category.clone(), self.next_sort_order).checked() {
            Ok(draft) => {
                let id = store::insert_category(self.tx, self.outlet, &draft)?;
                self.next_sort_order = draft.sort_order.saturating_add(1);
                self.counts.categories_created += 1;
                self.categories.insert(key, id);
                Ok(Some(id))
            }
            Err(fields) => {
                fields.into_iter().for_each(|f| checks.add("category", f.reason));
                Ok(None)
            }
        }
    }

    fn tax(&mut self, item: &ImportedItem, checks: &mut Checks) -> Result<Patch<Uuid>> {
        let name = match &item.tax_category {
            Patch::Keep => return Ok(Patch::Keep),
            Patch::Clear => return Ok(Patch::Clear),
            Patch::Set(name) => name.trim().to_owned(),
        };
        let components = item.tax_components.set();
        if let Some(known) = self.taxes.get(&name.to_lowercase()) {
            let same = components.is_none_or(|list| {
                list.len() == known.draft.components.len()
                    && list.iter().zip(&known.draft.components).all(|(one, other)| one.is_same(other))
            });
            checks.require(same, "taxComponents", "differ from those of the tax category of this name");
            return Ok(Patch::Set(known.id));
        }
        let Some(components) = components else {
            checks.add("taxCategory", "is not a tax category; give taxComponents to make it");
            return Ok(Patch::Keep);
        };
        let is_goods = taxes::is_of_goods(self.tx, self.outlet, components)?;
        match (TaxDraft { name: name.clone(), components: components.clone(), is_goods }).checked() {
            Ok(draft) => {
                let id = store::insert_tax(self.tx, self.outlet, &draft)?;
                self.counts.tax_categories_created += 1;
                let made = store::find_tax(self.tx, self.outlet, id)?;
                self.taxes.insert(name.to_lowercase(), made);
                Ok(Patch::Set(id))
            }
            Err(fields) => {
                for field in fields {
                    let column = if field.name == "name" { "taxCategory" } else { "taxComponents" };
                    checks.add(column, field.reason);
                }
                Ok(Patch::Keep)
            }
        }
    }

    fn station(&self, item: &ImportedItem, checks: &mut Checks) -> Patch<Uuid> {
        let Patch::Set(name) = &item.station else {
            return if item.station == Patch::Clear { Patch::Clear } else { Patch::Keep };
        };
        match self.stations.get(&name.trim().to_lowercase()) {
            Some(id) => Patch::Set(*id),
            None => {
                checks.add("station", "is not a kitchen station");
                Patch::Keep
            }
        }
    }
}

/// A unique value that is taken is the row's fault; anything else is ours.
fn taken(error: DbError, fields: &mut Vec<FieldError>) -> Result<()> {
    fields.extend(error.into_fields()?);
    Ok(())
}

/// The plain members of a row over what is there.
fn over(item: ImportedItem, base: ItemDraft) -> ItemDraft {
    let variants = match item.variants {
        Patch::Keep => None,
        Patch::Clear => Some(Vec::new()),
        Patch::Set(wanted) => Some(ImportedVariant::drafts(wanted, &base.variants)),
    };
    let base = base.priced(item.price_cents.0, variants).weighed(item.sold_by, item.weight_unit);
    ItemDraft {
        category_id: base.category_id,
        name: item.name,
        kitchen_name: item.kitchen_name.apply(base.kitchen_name),
        description: item.description.apply(base.description),
        sku: item.sku.apply(base.sku),
        price: base.price,
        tax_category_id: base.tax_category_id,
        hsn_sac: item.hsn_sac.apply(base.hsn_sac),
        station_id: base.station_id,
        course: item.course.apply(base.course),
        prep_minutes: item.prep_minutes.apply(base.prep_minutes),
        dietary: item.dietary.apply(base.dietary),
        allergens: item.allergens.apply(Some(base.allergens)).unwrap_or_default(),
        image_url: item.image_url.apply(base.image_url),
        window: match item.windows {
            Patch::Set(windows) => Window::of(windows),
            windows => Window {
                from: item.available_from.apply(base.window.from),
                to: item.available_to.apply(base.window.to),
                days: item.available_days.apply(base.window.days),
                more: windows.apply(Some(base.window.more)).unwrap_or_default(),
            },
        },
        is_active: item.is_active.apply(base.is_active),
        sort_order: item.sort_order.apply(base.sort_order),
        energy_kcal: item.energy_kcal.apply(base.energy_kcal),
        serving_size: item.serving_size.apply(base.serving_size),
        texts: item.texts.apply(base.texts),
        sold_by: base.sold_by,
        weight_unit: base.weight_unit,
        group_ids: base.group_ids,
        variants: base.variants,
        kind: item.kind.apply(base.kind),
        components: base.components,
    }
}
