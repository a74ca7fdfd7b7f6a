//! `/menu/items`.

use super::parts::{MenuArchived, search};
use crate::access::Cx;
use crate::http::{Created, Data, Id, Json, Paged, Paging, Patch, Query, Replace, Result, Updated};
use crate::resources::menu::actions::Follow;
use crate::resources::menu::rules::{
    ComponentDraft, ComponentOptionDraft, Dietary, ItemDraft, ItemKind, MenuError, MenuHours, MenuItem,
    SoldBy, TextsPatch, VariantDraft, Warning, WarningCode, WeightUnit, Window,
};
use crate::resources::menu::{actions, store};
use crate::resources::outlets::rules::Weekday;
use schemars::JsonSchema;
use serde::Deserialize;
use tiffin_common::{Cents, Uuid};

/// Which dishes.
#[apply(request!)]
pub struct ListMenuItems {
    /// Of this category.
    category_id: Option<Uuid>,
    /// Active, or not.
    is_active: Option<bool>,
    /// A part of the name in any case and in whichever language it is said, or the sku.
    #[schemars(length(max = 120))]
    q: Option<String>,
    #[serde(flatten)]
    paging: Paging,
}

/// Lists dishes.
pub async fn list_items(cx: Cx, Query(filter): Query<ListMenuItems>) -> Result<Paged<MenuItem>> {
    let (paging, now) = (filter.paging, cx.db.env().clock.now());
    let filter = store::ItemFilter {
        category_id: filter.category_id,
        is_active: filter.is_active,
        search: search(filter.q, paging),
    };
    cx.list(paging, move |conn, outlet| {
        store::list_items(conn, outlet, &filter, &store::find_local_now(conn, outlet, now)?)
    })
    .await
}

/// One dish.
pub async fn get_item(cx: Cx, Id(id): Id) -> Result<Data<MenuItem>> {
    let now = cx.db.env().clock.now();
    cx.get(move |conn, outlet| store::find_item(conn, outlet, id, &store::find_local_now(conn, outlet, now)?))
        .await
}

/// A modifier group, by its id or as an object that holds it (as a dish shows it).
#[derive(Debug, Clone, Copy, Deserialize, JsonSchema)]
#[serde(untagged)]
pub enum ModifierGroupRef {
    /// Its id.
    Id(Uuid),
    /// The group as a dish shows it; only the id counts.
    Group {
        /// Id of the group.
        id: Uuid,
    },
}

impl From<ModifierGroupRef> for Uuid {
    fn from(reference: ModifierGroupRef) -> Self {
        match reference {
            ModifierGroupRef::Id(id) | ModifierGroupRef::Group { id } => id,
        }
    }
}

/// A variant of a dish.
#[apply(request!)]
#[derive(PartialEq, Eq)]
pub struct VariantInput {
    /// The variant that is changed; a new one when absent.
    id: Option<Uuid>,
    /// As guests see it, beside the dish's name; unique in its dish.
    #[schemars(length(min = 1, max = 40))]
    name: String,
    /// The shared price.
    #[schemars(range(min = 0, max = 1_000_000_000_000i64))]
    price_cents: Cents,
    /// Unique in the outlet.
    #[schemars(length(max = 60))]
    sku: Option<String>,
    /// Meant where no variant is named.
    #[serde(default)]
    is_default: bool,
    /// Kilocalories of one serving; the dish's when null.
    #[serde(default)]
    #[schemars(range(min = 0, max = 100_000))]
    energy_kcal: Patch<i64>,
    /// What one serving is; the dish's when null.
    #[serde(default)]
    #[schemars(length(max = 40))]
    serving_size: Patch<String>,
    /// Its name in other languages: one that is absent stays, null takes one away.
    #[serde(default)]
    texts: TextsPatch,
}

impl VariantInput {
    /// The variant, where `present` are there.
    fn over(self, present: &[VariantDraft]) -> VariantDraft {
        let known = present.iter().find(|known| self.id.is_some() && known.id == self.id);
        let base = known.cloned().unwrap_or_else(|| VariantDraft::new("", Cents::ZERO));
        VariantDraft {
            id: self.id,
            name: self.name,
            price: self.price_cents,
            sku: self.sku,
            is_default: self.is_default,
            energy_kcal: self.energy_kcal.apply(base.energy_kcal),
            serving_size: self.serving_size.apply(base.serving_size),
            texts: self.texts.apply(base.texts),
        }
    }
}

/// What is chosen for a combo.
#[apply(request!)]
#[derive(Clone, PartialEq)]
pub struct ComponentInput {
    /// As guests see it, such as Drink; unique in its combo.
    #[schemars(length(min = 1, max = 60))]
    name: String,
    /// The fewest selections.
    #[schemars(range(min = 0, max = 50))]
    min_selections: i64,
    /// The most selections; one option may be selected so often.
    #[schemars(range(min = 1, max = 50))]
    max_selections: i64,
    /// Its name in other languages: one that is absent stays, null takes one away.
    #[serde(default)]
    texts: TextsPatch,
    /// What may be selected, in their order.
    #[schemars(length(min = 1, max = 50))]
    options: Vec<ComponentOptionInput>,
}

/// A dish that may be chosen for a combo.
#[apply(request!)]
#[derive(Clone, PartialEq)]
pub struct ComponentOptionInput {
    /// The dish; no combo.
    menu_item_id: Uuid,
    /// The variant of a dish that is sold in several sizes; its default one where absent.
    #[serde(default)]
    variant_id: Option<Uuid>,
    /// What is asked for it on top of the combo's price.
    #[serde(default)]
    #[schemars(range(min = 0, max = 1_000_000_000_000i64))]
    extra_cents: Cents,
}

impl ComponentInput {
    /// The component, where `present` are there.
    fn over(self, present: &[ComponentDraft]) -> ComponentDraft {
        let texts = ComponentDraft::find(present, &self.name).map(|known| known.texts.clone());
        let options = self.options.into_iter().map(|option| ComponentOptionDraft {
            menu_item_id: option.menu_item_id,
            variant_id: option.variant_id,
            extra: option.extra_cents,
        });
        ComponentDraft {
            name: self.name,
            min: self.min_selections,
            max: self.max_selections,
            texts: self.texts.apply(texts.unwrap_or_default()),
            options: options.collect(),
        }
    }
}

/// A new dish.
#[apply(request!)]
pub struct CreateMenuItem {
    /// The category it stands in.
    category_id: Uuid,
    /// What guests read on menu and bill.
    #[schemars(length(min = 1, max = 120))]
    name: String,
    /// The shared price.
    #[schemars(range(min = 0, max = 1_000_000_000_000i64))]
    price_cents: Cents,
    #[serde(flatten)]
    details: MenuItemDetails,
}

patch! {
    /// What else a dish has; what is absent keeps its value or default, null clears.
    pub struct MenuItemDetails of ItemDraft {
        /// As cooks call it.
        #[schemars(length(max = 60))]
        kitchen_name: Patch<String>,
        /// What guests read below its name.
        #[schemars(length(max = 1_000))]
        description: Patch<String>,
        /// Unique in the outlet.
        #[schemars(length(max = 60))]
        sku: Patch<String>,
        /// What it is taxed with.
        tax_category_id: Patch<Uuid>,
        /// GST code, 4 to 8 digits.
        #[schemars(length(max = 8))]
        hsn_sac: Patch<String>,
        /// Where it is prepared; the default station when null.
        station_id: Patch<Uuid>,
        /// When in the meal it comes.
        #[schemars(range(min = 1, max = 20))]
        course: Patch<i64>,
        /// Minutes it takes.
        #[schemars(range(min = 0, max = 1_440))]
        prep_minutes: Patch<i64>,
        /// What it is made of.
        dietary: Patch<Dietary>,
        /// What to warn of.
        #[schemars(length(max = 30), inner(length(min = 1, max = 40)))]
        allergens: Patch<Vec<String>> => none,
        /// Address of a picture of it.
        #[schemars(length(max = 500))]
        image_url: Patch<String>,
        /// The choices, in their order.
        #[schemars(length(max = 30))]
        modifier_groups: Patch<Vec<ModifierGroupRef>> => none,
        /// All the sizes it is sold in: those with an `id` are changed, others added, missing ones archived. None of them, or null: it is
        /// sold in one. `priceCents` is that of the default one, else of the first.
        #[schemars(length(max = 20))]
        variants: Patch<Vec<VariantInput>> => none,
        /// A combo has `components`, which cost together what it costs; a dish has none. It stays what it was made as.
        kind: Replace<ItemKind>,
        /// All that is chosen for a combo, in its order. Those of a name that is there are changed, others added, missing ones taken away.
        #[schemars(length(max = 20))]
        components: Patch<Vec<ComponentInput>> => none,
        /// `HH:MM` by the outlet's clock.
        #[schemars(length(max = 5))]
        available_from: Patch<String> => window.from,
        /// `HH:MM` by the outlet's clock, exclusive; before `availableFrom` it is on the next day.
        #[schemars(length(max = 5))]
        available_to: Patch<String> => window.to,
        /// Every day when null.
        #[schemars(length(min = 1, max = 7))]
        available_days: Patch<Vec<Weekday>> => window.days,
        /// All the hours it is sold in, of which `availableFrom`, `availableTo` and `availableDays` are the first: these are not looked at
        /// where `windows` are given. None of them, or null: always.
        #[schemars(length(max = 8))]
        windows: Patch<Vec<MenuHours>> => none,
        /// Whether it is for sale at all.
        is_active: Replace<bool>,
        /// Lower comes first.
        #[schemars(range(min = -1_000_000, max = 1_000_000))]
        sort_order: Replace<i64>,
        /// Kilocalories of one serving.
        #[schemars(range(min = 0, max = 100_000))]
        energy_kcal: Patch<i64>,
        /// What one serving is, such as `250 g`.
        #[schemars(length(max = 40))]
        serving_size: Patch<String>,
        /// Name and description in other languages: one that is absent stays, null takes one away.
        texts: TextsPatch,
        /// WEIGHT: `priceCents` is the price of one `weightUnit`, and whoever orders it says its weight. Not for combos and what they offer,
        /// nor with variants.
        sold_by: Replace<SoldBy> => none,
        /// What it is weighed in; KG where nobody says. Only with WEIGHT.
        weight_unit: Patch<WeightUnit> => none,
    }
}

impl MenuItemDetails {
    fn over_all(mut self, price: Option<Cents>, draft: ItemDraft) -> ItemDraft {
        let variants = match std::mem::take(&mut self.variants) {
            Patch::Keep => None,
            Patch::Clear => Some(Vec::new()),
            Patch::Set(list) => Some(list.into_iter().map(|one| one.over(&draft.variants)).collect()),
        };
        let mut draft = draft.priced(price, variants);
        draft.allergens =
            std::mem::take(&mut self.allergens).apply(Some(draft.allergens)).unwrap_or_default();
        draft.group_ids = match std::mem::take(&mut self.modifier_groups) {
            Patch::Keep => draft.group_ids,
            Patch::Clear => Vec::new(),
            Patch::Set(list) => list.into_iter().map(Uuid::from).collect(),
        };
        draft.components = match std::mem::take(&mut self.components) {
            Patch::Keep => draft.components,
            Patch::Clear => Vec::new(),
            Patch::Set(list) => list.into_iter().map(|one| one.over(&draft.components)).collect(),
        };
        let window = match std::mem::take(&mut self.windows) {
            Patch::Keep => None,
            Patch::Clear => Some(Window::default()),
            Patch::Set(windows) => Some(Window::of(windows)),
        };
        let (sold_by, unit) = (std::mem::take(&mut self.sold_by), std::mem::take(&mut self.weight_unit));
        let draft = self.over(draft).weighed(sold_by, unit);
        ItemDraft { window: window.unwrap_or_else(|| draft.window.clone()), ..draft }
    }
}

/// A dish as it was made, and what is unwise about it.
#[apply(answer!)]
pub struct MadeMenuItem {
    /// The dish.
    #[serde(flatten)]
    item: MenuItem,
    /// What is unwise about it; it is made all the same.
    warnings: Vec<Warning>,
}

impl From<MenuItem> for MadeMenuItem {
    fn from(item: MenuItem) -> MadeMenuItem {
        let mut warnings = Vec::new();
        // A combo is taxed as its components are.
        if item.draft.kind == ItemKind::Item && item.draft.tax_category_id.is_none() {
            let message = format!("{} has no tax category: it is sold without tax", item.draft.name);
            let path = "taxCategoryId".to_owned();
            warnings.push(Warning { code: WarningCode::NoTaxCategory, path, message });
        }
        MadeMenuItem { item, warnings }
    }
}

/// Adds a dish.
pub async fn create_item(cx: Cx, Json(body): Json<CreateMenuItem>) -> Result<Created<MadeMenuItem>> {
    let price = body.price_cents;
    let draft = body.details.over_all(Some(price), ItemDraft::new(body.category_id, body.name, price));
    cx.create(move |tx, actor| actions::create_item(tx, actor, draft)).await
}

/// A change of a dish.
#[apply(filters!)]
pub struct UpdateMenuItem {
    /// The category it stands in.
    category_id: Replace<Uuid>,
    /// What guests read on menu and bill.
    #[schemars(length(min = 1, max = 120))]
    name: Replace<String>,
    /// The shared price; of the leading variant, where it has any. An outlet with a price of its own keeps that.
    #[schemars(range(min = 0, max = 1_000_000_000_000i64))]
    price_cents: Replace<Cents>,
    #[serde(flatten)]
    details: MenuItemDetails,
}

/// Changes a dish.
pub async fn update_item(
    cx: Cx,
    Id(id): Id,
    Json(body): Json<UpdateMenuItem>,
    follow: Follow,
) -> Result<Updated<MadeMenuItem>> {
    cx.change(move |tx, actor, expected| -> Result<_, MenuError> {
        let resized = body.details.variants != Patch::Keep || body.details.sold_by.0.is_some();
        let item = actions::update_item(tx, actor, id, expected, |present| {
            let present = ItemDraft {
                category_id: body.category_id.apply(present.category_id),
                name: body.name.apply(present.name),
                ..present
            };
            body.details.over_all(body.price_cents.0, present)
        })?;
        if !resized {
            return Ok(item);
        }
        follow(tx, actor)?;
        store::find_item(tx, actor.outlet_id, id, &store::find_local_now(tx, actor.outlet_id, tx.now())?)
    })
    .await
}

/// Archives a dish.
pub async fn delete_item(cx: Cx, Id(id): Id) -> Result<Updated<MenuArchived>> {
    cx.change(move |tx, actor, expected| {
        actions::archive_item(tx, actor, id, expected).map(|_| MenuArchived::of(id))
    })
    .await
}
