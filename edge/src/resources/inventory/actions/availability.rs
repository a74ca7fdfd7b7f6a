//! Dishes follow the stock: what cannot be made goes out of stock by itself and comes back with what it is made of. What
//! somebody set by hand stays. Never moves stock.

use crate::access::Actor;
use crate::db::{self, DbError, Page, Source, Sql, Tx};
use crate::resources::inventory::rules::making::{self, Portion};
use crate::resources::inventory::rules::portions::{
    self as rules, Orderable, PortionNeeds, Stock, portion_needs,
};
use crate::resources::inventory::rules::recipe::Book;
use crate::resources::inventory::rules::units::Ratio;
use crate::resources::inventory::store::portions::{Judged, Larder, PortionFilter, Portions};
use crate::resources::inventory::store::{portions, recipes};
use crate::resources::menu::rules::{Availability, AvailabilityState, MenuError};
use crate::resources::outlets::rules::{Outlet, StockPolicy};
use crate::resources::{menu, outlets};
use std::collections::{BTreeMap, HashSet};
use tiffin_common::{Millis, Uuid};

/// The outlet's stock as orders see it at `now`. Where nothing is sold that is not there, an item without any stock counts as
/// none; elsewhere one whose stock was never entered is not kept, and keeps no dish off the menu.
pub fn larder(outlet: &Outlet, now: Millis) -> Larder {
    Larder {
        outlet: outlet.id,
        date: outlet.business_date(now),
        all_count: outlet.stock_policy == StockPolicy::Block,
    }
}

/// The dishes and options that stock decides otherwise about than the menu shows, with what they become. Only those that take
/// any of `items`, when given: two statements, however many there are.
pub fn due(
    conn: &dyn Source,
    outlet: &Outlet,
    now: Millis,
    items: Option<&[Uuid]>,
) -> db::Result<Vec<(Orderable, Availability)>> {
    let states = menu::store::list_states(conn, outlet.id, now)?;
    let judged =
        if outlet.auto_availability { judge(conn, &larder(outlet, now), items)? } else { Vec::new() };
    let mut due = Vec::new();
    for (orderable, short_of) in &judged {
        let state = states.get(&orderable.id).map_or(&Availability::IN_STOCK, |stated| &stated.state);
        due.extend(state.following(short_of.as_deref()).map(|state| (*orderable, state)));
    }
    if items.is_none() {
        // What no longer has a recipe, or has it in a kitchen that keeps no stock, is not kept out of stock.
        let judged: HashSet<Uuid> = judged.iter().map(|(orderable, _)| orderable.id).collect();
        for (id, stated) in states.iter().filter(|(id, _)| !judged.contains(id)) {
            let orderable = Orderable { id: *id, is_option: stated.is_option };
            due.extend(stated.state.following(None).map(|state| (orderable, state)));
        }
    }
    Ok(due)
}

/// What takes any of `items` (of all, when none), each with the name of an ingredient that does not suffice for a portion. What is short
/// of ingredients may still be made of what was made of them before.
fn judge(
    conn: &dyn Source,
    larder: &Larder,
    items: Option<&[Uuid]>,
) -> db::Result<Vec<(Orderable, Option<String>)>> {
    let mut judged = portions::list_shortages(conn, larder, items)?;
    let is_open = |judged: &Judged| judged.is_made && judged.short_of.is_some();
    if judged.iter().any(is_open) {
        let prepared = Prepared::read(conn, larder)?;
        for judged in judged.iter_mut().filter(|judged| is_open(judged)) {
            judged.short_of = prepared.short_of(judged.orderable, judged.parts)?;
        }
    }
    Ok(judged.into_iter().map(|judged| (judged.orderable, judged.short_of)).collect())
}

/// What there is of everything, with what is made ahead, and what goes into what.
struct Prepared {
    book: Book,
    recipes: BTreeMap<Orderable, Uuid>,
    stock: Stock,
}

impl Prepared {
    fn read(conn: &dyn Source, larder: &Larder) -> db::Result<Prepared> {
        let recipes = portions::list_recipes(conn, larder.outlet)?.into_iter();
        Ok(Prepared {
            book: recipes::find_whole_book(conn, larder.outlet)?,
            recipes: recipes.map(|(recipe, orderable)| (orderable, recipe)).collect(),
            stock: portions::list_stock(conn, larder)?,
        })
    }

    /// What a portion takes; none for what cannot be computed, which is never stored.
    fn portion(&self, orderable: Orderable) -> Option<Portion> {
        making::portion(&self.book, *self.recipes.get(&orderable)?).ok()
    }

    /// What there is too little of for one of so many parts of a portion.
    fn short_of(&self, orderable: Orderable, parts: i64) -> db::Result<Option<String>> {
        let Some(portion) = self.portion(orderable) else { return Ok(None) };
        let part = Ratio::new(1, i128::from(parts))?;
        Ok(rules::short_of(&portion, &self.stock, part)?.map(|item| self.name(item)))
    }

    fn name(&self, item: Uuid) -> String {
        self.stock.get(&item).map(|stocked| stocked.name.clone()).unwrap_or_default()
    }
}

/// A page of the outlet's dishes with recipes, variants each for itself, those first of which the fewest portions are left.
pub fn list_portions(
    conn: &dyn Source,
    larder: &Larder,
    filter: &PortionFilter,
    (limit, offset): (u32, u32),
) -> db::Result<Page<Portions>> {
    let mut dishes = portions::list(conn, larder, filter)?;
    if dishes.iter().any(|dish| dish.is_made) {
        let prepared = Prepared::read(conn, larder)?;
        for dish in dishes.iter_mut().filter(|dish| dish.is_made && dish.left.is_some()) {
            let id = dish.variant_id.unwrap_or(dish.menu_item_id);
            let Some(portion) = prepared.portion(Orderable { id, is_option: false }) else { continue };
            let most = rules::most(&portion, &prepared.stock)?;
            dish.left = most.map(|(portions, _)| portions);
            dish.limiting = most.map(|(_, item)| (item, prepared.name(item)));
        }
    }
    dishes.sort_by_key(|dish| (dish.left.is_none(), dish.left));
    let total = i64::try_from(dishes.len()).unwrap_or(i64::MAX);
    let items = dishes.into_iter().skip(offset as usize).take(limit as usize).collect();
    Ok(Page { items, total })
}

/// Lets the dishes follow the stock: those that take any of `items`, or all.
pub(super) fn follow(tx: &Tx<'_>, actor: &Actor, outlet: &Outlet, items: Option<&[Uuid]>) -> db::Result<()> {
    if items.is_some() && !outlet.auto_availability {
        return Ok(());
    }
    for (orderable, state) in due(tx, outlet, tx.now(), items)? {
        menu::actions::follow_stock(tx, actor, (orderable.id, orderable.is_option), &state).map_err(store)?;
    }
    Ok(())
}

/// Nothing but the store can fail here: every dish was found in it.
fn store(error: MenuError) -> DbError {
    match error {
        MenuError::Db(error) => error,
        other => DbError::unavailable(other),
    }
}

/// Lets all dishes of the actor's outlet follow the stock and the outlet's settings of this moment: after a change of
/// settings, when batches have expired, when a setting by hand has lapsed.
pub fn follow_all(tx: &Tx<'_>, actor: &Actor) -> db::Result<()> {
    let outlet = outlets::store::find(tx, actor.outlet_id)?;
    follow(tx, actor, &outlet, None)
}

/// What follows a change of the outlet's settings.
pub fn settings_changed(tx: &Tx<'_>, actor: &Actor, outlet: &Outlet) -> db::Result<()> {
    follow(tx, actor, outlet, None)
}

/// Works out anew what one portion of each dish takes, and lets the dishes follow: after any change of a recipe, and of units.
pub(super) fn recipes_changed(tx: &Tx<'_>, actor: &Actor, book: &Book) -> db::Result<()> {
    let (before, after) = needs(tx, actor.outlet_id, book)?;
    portions::set_needs(tx, actor.outlet_id, &before, &after)?;
    portions::set_largest_needs(tx, actor.outlet_id)?;
    follow_all(tx, actor)
}

/// The needs of one portion as they are kept, and as the recipes give them.
fn needs(conn: &dyn Source, outlet: Uuid, book: &Book) -> db::Result<(PortionNeeds, PortionNeeds)> {
    let after = portion_needs(book, &portions::list_recipes(conn, outlet)?)?;
    Ok((portions::list_needs(conn, outlet)?, after))
}

/// Whether what is kept of the recipes is not what they give: they came with a restore, from head office, or from an older
/// version of this program.
pub fn needs_are_stale(conn: &dyn Source, outlet: Uuid) -> db::Result<bool> {
    let (before, after) = needs(conn, outlet, &recipes::find_whole_book(conn, outlet)?)?;
    Ok(before != after)
}

/// Works out anew what one portion of each dish takes, and nothing more: for a copy of the outlet's rows, whose dishes follow
/// the branch.
pub fn keep_needs(store: &dyn Sql, outlet: Uuid) -> db::Result<()> {
    let (before, after) = needs(store, outlet, &recipes::find_whole_book(store, outlet)?)?;
    portions::set_needs(store, outlet, &before, &after)
}

/// Works out anew what one portion of each dish takes.
pub fn rebuild_needs(tx: &Tx<'_>, actor: &Actor) -> db::Result<()> {
    recipes_changed(tx, actor, &recipes::find_whole_book(tx, actor.outlet_id)?)
}

/// Takes back what somebody set of a dish or an option, and lets it follow the stock at once.
///
/// # Errors
/// No such dish or option.
pub fn follow_again(
    tx: &Tx<'_>,
    actor: &Actor,
    orderable: Orderable,
) -> Result<AvailabilityState, MenuError> {
    let whose = (orderable.id, orderable.is_option);
    menu::actions::clear_availability(tx, actor, whose)?;
    follow_all(tx, actor)?;
    menu::actions::state_of(tx, actor, whose)
}
