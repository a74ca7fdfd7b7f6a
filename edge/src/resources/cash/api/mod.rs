//! Drawers and days over HTTP.

pub mod checkout;
pub mod days;
pub mod drawers;

use super::rules::CashError;
use crate::http::{Code, Problem};

answered! {
    CashError of "record" {
        CashError::DrawerTaken(drawer) => Problem::new(Code::Conflict)
            .detail(format!("The drawer {drawer} is open already"))
            .with_field("drawer", "is open already"),
        CashError::State(why) => Problem::new(Code::Conflict).detail(why),
        CashError::NotHeld => Problem::field("amountCents", "is more than the drawer holds"),
        CashError::Blocked(blockers) => Problem::new(Code::Conflict)
            .detail("The day has open orders or drawers: close them, or send carryOver true")
            .with_fields(blockers.fields()),
        CashError::Auth(error) => error.into(),
        CashError::Printer(error) => error.into(),
    }
}
