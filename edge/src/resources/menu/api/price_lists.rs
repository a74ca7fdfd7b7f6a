//! `/menu/price-lists`.

use super::parts::{ListMenuParts, MenuArchived};
use crate::access::Cx;
use crate::http::{Created, Data, Id, Json, Paged, Patch, Query, Replace, Result, Updated};
use crate::resources::menu::rules::price_lists::{PriceEntry, PriceList, PriceListDraft};
use crate::resources::menu::{actions, store};
use crate::resources::outlets::rules::{OrderType, Weekday};
use chrono::NaiveDate;
use tiffin_common::{Bps, Cents, Uuid};

/// Lists price lists.
pub async fn list_price_lists(cx: Cx, Query(filter): Query<ListMenuParts>) -> Result<Paged<PriceList>> {
    let (paging, now) = (filter.paging, cx.db.env().clock.now());
    cx.list(paging, move |conn, outlet| {
        let at = store::find_local_now(conn, outlet, now)?;
        store::list_price_lists(conn, outlet, &filter.search(), &at)
    })
    .await
}

/// One price list.
pub async fn get_price_list(cx: Cx, Id(id): Id) -> Result<Data<PriceList>> {
    let now = cx.db.env().clock.now();
    cx.get(move |conn, outlet| {
        store::find_price_list(conn, outlet, id, &store::find_local_now(conn, outlet, now)?)
    })
    .await
}

/// What a price list says of a dish, of a variant, or of all of a category: one of the three, and one of price and change.
#[apply(request!)]
#[derive(PartialEq, Eq)]
pub struct PriceEntryInput {
    /// The dish; of one in several sizes, each of them.
    menu_item_id: Option<Uuid>,
    /// One size of a dish.
    variant_id: Option<Uuid>,
    /// The category, of which every dish is meant.
    category_id: Option<Uuid>,
    /// What one costs.
    #[schemars(range(min = 0, max = 1_000_000_000_000i64))]
    price_cents: Option<Cents>,
    /// What is added to the outlet's price, in basis points of it; less than 0 takes off.
    #[schemars(range(min = -10_000, max = 100_000))]
    adjust_bps: Option<Bps>,
}

impl From<PriceEntryInput> for PriceEntry {
    fn from(input: PriceEntryInput) -> PriceEntry {
        PriceEntry {
            menu_item_id: input.menu_item_id,
            variant_id: input.variant_id,
            category_id: input.category_id,
            price_cents: input.price_cents,
            adjust_bps: input.adjust_bps,
        }
    }
}

fn entries_of(inputs: Vec<PriceEntryInput>) -> Vec<PriceEntry> {
    inputs.into_iter().map(PriceEntry::from).collect()
}

patch! {
    /// When and for whom a price list holds; what is absent keeps its value, null: always, or for everybody.
    pub struct PriceListTerms of PriceListDraft {
        /// The list with the highest goes first; 0 where nothing is said.
        #[schemars(range(min = -1_000, max = 1_000))]
        priority: Replace<i64>,
        /// The kinds of order it is for.
        #[schemars(length(min = 1, max = 4))]
        order_types: Patch<Vec<OrderType>>,
        /// The channels it is for, beside those that name it as their `priceListId`; `[]`: these alone. An outlet takes its own; one that has
        /// none, head office's catalogue, takes any.
        #[schemars(length(max = 50))]
        channel_ids: Patch<Vec<Uuid>>,
        /// The areas of the dining room it is for.
        #[schemars(length(min = 1, max = 50), inner(length(min = 1, max = 60)))]
        areas: Patch<Vec<String>>,
        /// The days it begins on.
        #[schemars(length(min = 1, max = 7))]
        days: Patch<Vec<Weekday>>,
        /// `HH:MM` by the outlet's clock; midnight when null.
        #[schemars(length(max = 5))]
        from: Patch<String>,
        /// `HH:MM` by the outlet's clock, exclusive; before `from` it is on the next day, midnight when null.
        #[schemars(length(max = 5))]
        to: Patch<String>,
        /// The first day it begins on.
        starts_on: Patch<NaiveDate>,
        /// The last day it begins on.
        ends_on: Patch<NaiveDate>,
    }
}

/// A new price list.
#[apply(request!)]
pub struct CreatePriceList {
    /// As the house calls it.
    #[schemars(length(min = 1, max = 120))]
    name: String,
    #[serde(flatten)]
    terms: PriceListTerms,
    /// What it says.
    #[serde(default)]
    #[schemars(length(max = 2_000))]
    entries: Vec<PriceEntryInput>,
}

/// Adds a price list.
pub async fn create_price_list(cx: Cx, Json(body): Json<CreatePriceList>) -> Result<Created<PriceList>> {
    let draft = body.terms.over(PriceListDraft::named(body.name));
    let entries = entries_of(body.entries);
    cx.create(move |tx, actor| actions::create_price_list(tx, actor, draft, entries)).await
}

/// A change of a price list.
#[apply(filters!)]
pub struct UpdatePriceList {
    /// As the house calls it.
    #[schemars(length(min = 1, max = 120))]
    name: Replace<String>,
    #[serde(flatten)]
    terms: PriceListTerms,
    /// All that it says, in place of what it said.
    #[schemars(length(max = 2_000))]
    entries: Replace<Vec<PriceEntryInput>>,
}

/// Changes a price list.
pub async fn update_price_list(
    cx: Cx,
    Id(id): Id,
    Json(body): Json<UpdatePriceList>,
) -> Result<Updated<PriceList>> {
    let UpdatePriceList { name, terms, entries } = body;
    cx.change(move |tx, actor, expected| {
        let change = |present: PriceListDraft| {
            let name = name.apply(present.name.clone());
            terms.over(PriceListDraft { name, ..present })
        };
        actions::update_price_list(tx, actor, id, expected, change, entries.0.map(entries_of))
    })
    .await
}

/// Archives a price list.
pub async fn delete_price_list(cx: Cx, Id(id): Id) -> Result<Updated<MenuArchived>> {
    cx.change(move |tx, actor, expected| {
        actions::archive_price_list(tx, actor, id, expected).map(|_| MenuArchived::of(id))
    })
    .await
}
