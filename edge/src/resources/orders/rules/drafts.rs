//! Lines as they are asked for, and as they can be sold. Never decides whether they can.

use super::record::LineRecord;
use crate::resources::menu::rules::Warning;
use tiffin_common::{Cents, Quantity, Uuid};

/// One line as asked for.
#[derive(Debug, Clone)]
pub struct LineRequest {
    /// The dish.
    pub menu_item_id: Uuid,
    /// The variant of it; none: the one of `sku`, else the default one.
    pub variant_id: Option<Uuid>,
    /// The variant by its sku, for who does not know its id.
    pub sku: Option<String>,
    /// How many.
    pub quantity: i64,
    /// How much, of a dish that is sold by weight, in its unit.
    pub weight: Option<Quantity>,
    /// What the client believes one costs; none: whatever the menu says.
    pub unit_price: Option<Cents>,
    /// Options and kitchen notes.
    pub modifiers: Vec<ModifierRequest>,
    /// What is chosen for a combo.
    pub components: Vec<ComponentRequest>,
    /// For the kitchen.
    pub notes: Option<String>,
    /// When in the meal; none: as the dish says.
    pub course: Option<i64>,
    /// Whose it is.
    pub seat_number: Option<i64>,
    /// The kitchen waits with it until it is fired.
    pub hold: bool,
}

/// A selection for a combo, as asked for.
#[derive(Debug, Clone)]
pub struct ComponentRequest {
    /// The component, such as Drink.
    pub name: String,
    /// The dish.
    pub menu_item_id: Uuid,
    /// The variant of it.
    pub variant_id: Option<Uuid>,
    /// Options and kitchen notes of the dish.
    pub modifiers: Vec<ModifierRequest>,
}

/// One modifier as asked for.
#[derive(Debug, Clone)]
pub struct ModifierRequest {
    /// The option.
    pub option_id: Option<Uuid>,
    /// The option's name, or a note for the kitchen.
    pub name: Option<String>,
    /// What the client believes it costs.
    pub price: Option<Cents>,
}

/// A line that can be sold.
#[derive(Debug, Clone)]
pub struct Draft {
    /// The dish as billed.
    pub name: String,
    /// The dish as cooks call it.
    pub kitchen_name: String,
    /// Minutes it takes.
    pub prep_minutes: Option<i64>,
    /// Where another price than the menu's is charged.
    pub overridden: Vec<Overridden>,
    /// Whether portions are counted down.
    pub limited: bool,
    /// Chosen options that are counted down.
    pub limited_options: Vec<Uuid>,
    /// What is unwise about selling it.
    pub warnings: Vec<Warning>,
    /// The place in the request of the line it was asked for with.
    pub place: usize,
    /// The line, without ids and prices of the whole.
    pub line: LineRecord,
}

/// A price of the menu's that is not charged.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Overridden {
    /// The dish or option.
    pub name: String,
    /// The menu's price of one.
    pub menu: Cents,
    /// What is charged.
    pub charged: Cents,
}

/// How somebody sells.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Selling {
    /// At other prices than the menu's.
    pub may_override: bool,
    /// On, although the stock has run out.
    pub sells_on: bool,
    /// For a later time: what is left today is no matter.
    pub is_for_later: bool,
    /// What is sold by weight, too: somebody weighs it.
    pub weighs: bool,
}
