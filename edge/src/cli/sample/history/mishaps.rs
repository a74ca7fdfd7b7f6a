//! What goes wrong in the store and the kitchen, and the count that finds it: a little waste a day, a stocktake a week.

use super::Branch;
use super::store_room::{spoilt, whole};
use crate::access::{Actor, Role};
use crate::cli::sample::dice::Dice;
use crate::cli::sample::seed::{Result, making};
use crate::db::Tx;
use crate::resources::inventory::actions;
use crate::resources::inventory::rules::stocktakes::{Count, NewStocktake, StocktakeScope, Uncounted};
use crate::resources::inventory::rules::{StockError, WasteReason};
use crate::resources::inventory::store::levels;
use crate::resources::waste_logs;
use crate::resources::waste_logs::rules::WasteDraft;
use tiffin_common::Quantity;

/// What goes wrong on a day: now and then a dish is burnt, now and then something goes bad. Nothing where stock is short.
pub(super) fn waste(branch: &Branch, tx: &Tx<'_>, day: u32) -> Result<()> {
    let mut dice = Dice::new(branch.seed, 3 << 32 | u64::from(day));
    let (burns, spoils) = (dice.chance(650), dice.chance(400));
    let dish = dice.one_of(&branch.seeded.menu_items).copied();
    let places: Vec<usize> = (0..branch.seeded.stock_items.len()).collect();
    let place = dice.one_of(&places).copied().unwrap_or_default();
    let per_mille = i64::from(dice.between(5, 20));
    if let Some(dish) = dish.filter(|_| burns) {
        let one = Quantity::units(1)?;
        let burnt = WasteDraft { inventory_item_id: None, menu_item_id: Some(dish), ..spoilt(dish, one) };
        let burnt = WasteDraft { reason: WasteReason::PrepError, ..burnt };
        throw_away(tx, &branch.seeded.actor(Role::Kitchen), burnt)?;
    }
    let stock = branch.restaurant.stock_items.get(place).zip(branch.seeded.stock_items.get(place));
    if let Some((item, id)) = stock.filter(|_| spoils) {
        let quantity = whole(item.par_level.ratio(per_mille, 1000)?, &item.unit)?;
        throw_away(tx, &branch.seeded.actor(Role::Storekeeper), spoilt(*id, quantity))?;
    }
    Ok(())
}

/// Throws something away, if it is there.
fn throw_away(tx: &Tx<'_>, actor: &Actor, waste: WasteDraft) -> Result<()> {
    match waste_logs::actions::log(tx, actor, waste) {
        Ok(_) | Err(StockError::Invalid(_)) => Ok(()),
        Err(error) => Err(making("waste")(error)),
    }
}

/// The week's count of the whole store, in which a few things differ a little.
pub(super) fn stocktake(branch: &Branch, tx: &Tx<'_>, day: u32) -> Result<()> {
    let outlet = &branch.seeded.outlet;
    let actor = branch.seeded.actor(Role::Storekeeper);
    let mut dice = Dice::new(branch.seed, 4 << 32 | u64::from(day));
    let new = NewStocktake { name: None, scope: StocktakeScope::Store, is_blind: true, note: None };
    let open = actions::open_stocktake(tx, &actor, outlet, &new).map_err(making("a stocktake"))?;
    let date = outlet.business_date(tx.now());
    let found = levels::list(tx, outlet.id, &branch.seeded.stock_items, date).map_err(making("stock"))?;
    let mut counts = Vec::with_capacity(found.len());
    for id in &branch.seeded.stock_items {
        // Thrown for every item, so that one item's stock does not shift another's count.
        let (differs, less, per_mille) = (dice.chance(150), dice.chance(800), i64::from(dice.between(2, 15)));
        let Some(level) = found.get(id) else { continue };
        let there = level.current()?.max(Quantity::ZERO);
        let mut quantity = there;
        if differs {
            let step = whole(there.ratio(per_mille, 1000)?, &level.unit)?;
            let other = if less { there.minus(step)? } else { there.plus(step)? };
            quantity = other.max(Quantity::ZERO);
        }
        counts.push(Count { stock_item_id: *id, batch_number: None, quantity, unit: None });
    }
    actions::count_stock(tx, &actor, outlet, open.id, &counts).map_err(making("a count"))?;
    let manager = branch.seeded.actor(Role::Manager);
    actions::close_stocktake(tx, &manager, outlet, open.id, Uncounted::Keep)
        .map(drop)
        .map_err(making("the close of a stocktake"))
}
