//! What a guest asks for behind a table's QR code: lines whose prices are the menu's. Never anything of what was ordered.

use super::super::rules::{ComponentRequest, LineRequest, ModifierRequest};
use super::place::text;
use tiffin_common::{Cents, Uuid};

/// A line a guest asks for. Its price is the menu's.
#[apply(request!)]
pub struct GuestItem {
    /// The dish, from the guests' menu.
    menu_item_id: Uuid,
    /// The variant of a dish that is sold in several sizes; its default one where absent.
    #[serde(default)]
    variant_id: Option<Uuid>,
    /// How many portions of it.
    #[schemars(range(min = 1, max = 100))]
    quantity: i64,
    /// What the phone shows for one, without modifiers: refused where the menu says, and has said for two minutes, another price.
    #[schemars(range(min = 0, max = 1_000_000_000_000i64))]
    unit_price_cents: Option<Cents>,
    /// Options and wishes.
    #[serde(default)]
    #[schemars(length(max = 50))]
    modifiers: Option<Vec<GuestModifier>>,
    /// What is chosen for a combo: as often as its components ask.
    #[serde(default)]
    #[schemars(length(max = 100))]
    components: Option<Vec<GuestComponent>>,
    /// For the kitchen.
    #[serde(default)]
    #[schemars(length(max = 300))]
    notes: Option<String>,
}

/// A selection of a guest for a combo.
#[apply(request!)]
pub struct GuestComponent {
    /// The component it is for, such as Drink.
    #[schemars(length(min = 1, max = 60))]
    name: String,
    /// The dish, one of the component's options.
    menu_item_id: Uuid,
    /// The variant of it, as the option has it.
    #[serde(default)]
    variant_id: Option<Uuid>,
    /// Options and wishes for the dish.
    #[serde(default)]
    #[schemars(length(max = 50))]
    modifiers: Option<Vec<GuestModifier>>,
}

/// An option or a wish of a guest.
#[apply(filters!)]
pub struct GuestModifier {
    /// The option, from the guests' menu; where absent, `name` says which.
    option_id: Option<Uuid>,
    /// The option's name, or a wish.
    #[schemars(length(max = 200))]
    name: Option<String>,
}

/// What a guest orders.
#[apply(request!)]
pub struct CreateGuestOrder {
    /// What is ordered, line by line.
    #[schemars(length(min = 1, max = 50))]
    pub(super) items: Vec<GuestItem>,
    /// What to call the guest.
    #[serde(default)]
    #[schemars(length(max = 120))]
    pub(super) customer_name: Option<String>,
    /// What the phone made up at random and keeps: one order of it waits at a time, and it is shown the party's code.
    #[serde(default)]
    #[schemars(length(min = 16, max = 64))]
    pub(super) guest_token: Option<String>,
    /// The party's four digits, so that the order need not wait.
    #[serde(default)]
    #[schemars(regex(pattern = "^[0-9]{4}$"))]
    pub(super) session_code: Option<String>,
}

impl CreateGuestOrder {
    /// The lines that are asked for.
    pub(super) fn lines(self) -> Vec<LineRequest> {
        self.items.into_iter().map(LineRequest::from).collect()
    }
}

fn wishes(modifiers: Option<Vec<GuestModifier>>) -> Vec<ModifierRequest> {
    let wish = |modifier: GuestModifier| ModifierRequest {
        option_id: modifier.option_id,
        name: modifier.name,
        price: None,
    };
    modifiers.unwrap_or_default().into_iter().map(wish).collect()
}

impl From<GuestItem> for LineRequest {
    fn from(item: GuestItem) -> Self {
        let components = item.components.unwrap_or_default().into_iter();
        LineRequest {
            menu_item_id: item.menu_item_id,
            variant_id: item.variant_id,
            sku: None,
            quantity: item.quantity,
            weight: None,
            unit_price: item.unit_price_cents,
            modifiers: wishes(item.modifiers),
            components: components
                .map(|component| ComponentRequest {
                    name: component.name,
                    menu_item_id: component.menu_item_id,
                    variant_id: component.variant_id,
                    modifiers: wishes(component.modifiers),
                })
                .collect(),
            notes: text(item.notes),
            course: None,
            seat_number: None,
            hold: false,
        }
    }
}
