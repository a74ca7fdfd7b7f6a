//! Price lists: what a dish, a variant or a whole category costs by the kind of order, channel, area, hour and date. Pure: the moment is an
//! argument. Never rounds but half away from zero, and never touches what options cost.
//!
//! Of the lists that hold, the one of the highest priority that names a dish says its price, then the older one; within a list what it says
//! of the variant goes before what it says of the dish, and that before what it says of the category.

use super::hours::{LocalNow, Span};
use super::text::clean;
use crate::http::{Checks, FieldError};
use crate::resources::outlets::rules::{OrderType, Weekday};
use chrono::NaiveDate;
use schemars::JsonSchema;
use serde::Serialize;
use std::collections::HashSet;
use tiffin_common::{Bps, Cents, Millis, Uuid, money::MAX_CENTS};

/// The most price lists an outlet may have.
pub const MAX_LISTS: usize = 50;

/// The most a price list may say.
pub const MAX_ENTRIES: usize = 2_000;

/// The most channels, or areas, that a list may be for.
const MAX_PLACES: usize = 50;

/// How long a price that the clock has ended is still charged to who was told of it: two minutes.
const HONOURED_MS: i64 = 120_000;

/// Prices change with the minutes of the clock.
const MINUTE_MS: i64 = 60_000;

table! {
    /// A price list.
    #[derive(PartialEq, Eq, Serialize, JsonSchema)]
    #[serde(rename_all = "camelCase")]
    pub struct PriceList: price_lists {
        /// Id of the list.
        pub id: Uuid,
        /// What a client may set.
        #[serde(flatten)]
        pub draft: PriceListDraft => flat,
        /// Whether its days and hours hold now. Whether it is for an order, that order says.
        pub is_in_force: bool => none,
        /// How many entries it has.
        pub entries_count: usize => none,
        /// What it says; in lists of price lists left out.
        #[serde(skip_serializing_if = "Option::is_none")]
        pub entries: Option<Vec<PriceEntry>> => none,
        /// Changes with every change.
        pub version: i64,
        /// When it was made: of two lists of the same priority the older one goes first.
        pub created_at: Millis,
        /// When it last changed.
        pub updated_at: Millis,
    }
}

table! {
    /// What a price list is to be, without its entries.
    #[derive(PartialEq, Eq, Serialize, JsonSchema)]
    #[serde(rename_all = "camelCase")]
    pub struct PriceListDraft: price_lists {
        /// As the house calls it.
        pub name: String,
        /// The list with the highest goes first.
        pub priority: i64,
        /// The kinds of order it is for; any when null.
        pub order_types: Option<Vec<OrderType>> => json,
        /// The channels it is for, beside those that name it as theirs; any, and none, when null.
        pub channel_ids: Option<Vec<Uuid>> => json,
        /// The areas of the dining room it is for; anywhere when null.
        pub areas: Option<Vec<String>> => json,
        /// The days it begins on; every day when null.
        pub days: Option<Vec<Weekday>> => json,
        /// When it begins: `HH:MM` by the outlet's clock; midnight when null.
        pub from: Option<String> => hours_from,
        /// When it ends, exclusive: `HH:MM` by the outlet's clock; before `from` it is on the next day, midnight when null.
        pub to: Option<String> => hours_to,
        /// The first day it begins on; null: it always has.
        pub starts_on: Option<NaiveDate>,
        /// The last day it begins on; null: for good.
        pub ends_on: Option<NaiveDate>,
    }
}

/// What a price list says of a dish, of a variant, or of all of a category.
#[apply(figures!)]
pub struct PriceEntry {
    /// The dish; of one in several sizes, each of them.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub menu_item_id: Option<Uuid>,
    /// One size of a dish.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub variant_id: Option<Uuid>,
    /// The category, of which every dish is meant.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub category_id: Option<Uuid>,
    /// What one costs.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub price_cents: Option<Cents>,
    /// What is added to the outlet's price, in basis points of it; less than 0 takes off.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub adjust_bps: Option<Bps>,
}

impl PriceEntry {
    /// What it is about.
    pub fn target(&self) -> Option<Uuid> {
        self.variant_id.or(self.menu_item_id).or(self.category_id)
    }

    /// What it says, where it says one thing.
    pub fn rate(&self) -> Option<Rate> {
        Rate::of(self.price_cents, self.adjust_bps)
    }

    fn check(&self, path: &str, known: &mut HashSet<Uuid>, checks: &mut Checks) {
        let targets = [self.menu_item_id, self.variant_id, self.category_id];
        let one = targets.iter().flatten().count() == 1;
        checks.require(one, path, "must name one of menuItemId, variantId and categoryId");
        let field = match (self.variant_id, self.category_id) {
            (Some(_), _) => "variantId",
            (None, Some(_)) => "categoryId",
            (None, None) => "menuItemId",
        };
        if let Some(target) = self.target() {
            checks.require(known.insert(target), format!("{path}.{field}"), "is named twice");
        }
        checks.require(self.rate().is_some(), path, "must have one of priceCents and adjustBps");
        let price = self.price_cents.is_none_or(|price| (0..=MAX_CENTS).contains(&price.get()));
        checks.require(price, format!("{path}.priceCents"), "must be from 0 to 1000000000000");
        let adjust = self.adjust_bps.is_none_or(|bps| (-Bps::WHOLE..=100_000).contains(&bps.get()));
        checks.require(adjust, format!("{path}.adjustBps"), "must be from -10000 to 100000");
    }
}

/// Notes what is wrong with `entries`. That their dishes and categories exist is the action's to check.
///
/// # Errors
/// All offending fields.
pub fn check_entries(entries: &[PriceEntry]) -> Result<(), Vec<FieldError>> {
    let (mut checks, mut known) = (Checks::new(), HashSet::new());
    let few = entries.len() <= MAX_ENTRIES;
    checks.require(few, "entries", format!("must have at most {MAX_ENTRIES} elements"));
    for (place, entry) in entries.iter().enumerate() {
        entry.check(&format!("entries[{place}]"), &mut known, &mut checks);
    }
    checks.finish(())
}

impl PriceListDraft {
    /// A list for everybody, always.
    pub fn named(name: impl Into<String>) -> PriceListDraft {
        PriceListDraft {
            name: name.into(),
            priority: 0,
            order_types: None,
            channel_ids: None,
            areas: None,
            days: None,
            from: None,
            to: None,
            starts_on: None,
            ends_on: None,
        }
    }

    /// The draft with its texts trimmed. That its channels exist is the action's to check.
    ///
    /// # Errors
    /// All offending fields.
    pub fn checked(mut self) -> Result<PriceListDraft, Vec<FieldError>> {
        let mut checks = Checks::new();
        let c = &mut checks;
        clean(&mut self.name, "name", 120, c);
        c.require((-1_000..=1_000).contains(&self.priority), "priority", "must be from -1000 to 1000");
        for (i, area) in self.areas.iter_mut().flatten().enumerate() {
            clean(area, &format!("areas[{i}]"), 60, c);
        }
        distinct(self.order_types.as_deref(), ("orderTypes", 1), c);
        distinct(self.channel_ids.as_deref(), ("channelIds", 0), c);
        distinct(self.areas.as_deref(), ("areas", 1), c);
        self.span().check(["from", "to", "days"], c);
        if let (Some(first), Some(last)) = (self.starts_on, self.ends_on) {
            c.require(first <= last, "endsOn", "must not be before startsOn");
        }
        checks.finish(self)
    }

    fn span(&self) -> Span<'_> {
        Span { days: self.days.as_deref(), from: self.from.as_deref(), to: self.to.as_deref() }
    }

    /// Whether its days and hours hold at `at`.
    pub fn holds(&self, at: &LocalNow) -> bool {
        let in_season = |day: NaiveDate| {
            self.starts_on.is_none_or(|first| first <= day) && self.ends_on.is_none_or(|last| day <= last)
        };
        self.span().begun(at).any(in_season)
    }

    /// Whether the clock begins or ends it.
    pub fn is_timed(&self) -> bool {
        let Span { days, from, to } = self.span();
        days.is_some() || from.is_some() || to.is_some() || self.starts_on.is_some() || self.ends_on.is_some()
    }
}

impl PriceList {
    /// Whether it is for such an order.
    pub fn is_for(&self, occasion: &Occasion) -> bool {
        let in_area = |areas: &Vec<String>| {
            let area = occasion.area.as_deref().map(str::to_lowercase);
            area.is_some_and(|area| areas.iter().any(|known| known.to_lowercase() == area))
        };
        let of_type = |types: &Vec<OrderType>| occasion.order_type.is_some_and(|one| types.contains(&one));
        let of_channel = |ids: &Vec<Uuid>| {
            occasion.channel_list_id == Some(self.id)
                || occasion.channel_id.is_some_and(|one| ids.contains(&one))
        };
        let draft = &self.draft;
        draft.order_types.as_ref().is_none_or(of_type)
            && draft.channel_ids.as_ref().is_none_or(of_channel)
            && draft.areas.as_ref().is_none_or(in_area)
    }

    /// Whether it may say a price of such an order at `at`: it holds, or held a moment ago.
    pub fn matters(&self, at: &LocalNow, occasion: &Occasion) -> bool {
        let holds = |at: &LocalNow| self.draft.holds(at);
        self.is_for(occasion) && (holds(at) || moments_before(at).any(|before| holds(&before)))
    }
}

fn distinct<T: PartialEq>(values: Option<&[T]>, (name, fewest): (&str, usize), checks: &mut Checks) {
    let Some(values) = values else { return };
    checks.require(values.len() >= fewest, name, "must not be empty");
    checks.require(values.len() <= MAX_PLACES, name, format!("must have at most {MAX_PLACES} elements"));
    let repeated = values.iter().enumerate().any(|(i, one)| values.iter().skip(i + 1).any(|e| e == one));
    checks.require(!repeated, name, "must not repeat an element");
}

/// One moment of each minute before `at` whose prices are still charged.
pub(super) fn moments_before(at: &LocalNow) -> impl Iterator<Item = LocalNow> {
    let at = *at;
    (1..=HONOURED_MS / MINUTE_MS).map(move |minutes| at.earlier(minutes * MINUTE_MS))
}

/// What of an order its prices hang on.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Occasion {
    /// How it reaches its guest; none: nobody has said.
    pub order_type: Option<OrderType>,
    /// The channel it comes through.
    pub channel_id: Option<Uuid>,
    /// The price list that this channel has for itself.
    pub channel_list_id: Option<Uuid>,
    /// The area of its table.
    pub area: Option<String>,
}

/// What becomes of the outlet's price.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Rate {
    /// Another price in its place.
    Price(Cents),
    /// So much of it more, or less.
    Adjusted(Bps),
}

impl Rate {
    /// The one of the two that is there.
    pub fn of(price: Option<Cents>, adjust: Option<Bps>) -> Option<Rate> {
        match (price, adjust) {
            (Some(price), None) => Some(Rate::Price(price)),
            (None, Some(bps)) => Some(Rate::Adjusted(bps)),
            _ => None,
        }
    }

    /// What costs `own` by the outlet's price.
    pub(super) fn on(self, own: Cents) -> Cents {
        match self {
            Rate::Price(price) => price,
            Rate::Adjusted(bps) => own
                .share(bps)
                .and_then(|more| own.plus(more))
                .map_or(own, |price| Cents::new(price.get().clamp(0, MAX_CENTS))),
        }
    }
}

/// A price, and the list that says so; none: the outlet's own.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Listed {
    /// What one costs.
    pub price: Cents,
    /// Whose price it is.
    pub price_list_id: Option<Uuid>,
}
