//! What a question was understood as. Kept with the conversation, so that "and yesterday?" means the same of another day.

use super::period::Period;
use serde::{Deserialize, Serialize};

/// By what things are ranked.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum By {
    /// Portions.
    Quantity,
    /// Money taken.
    Revenue,
    /// Money left after the ingredients.
    Margin,
}

impl By {
    /// As the API's parameter has it.
    pub fn name(self) -> &'static str {
        match self {
            By::Quantity => "quantity",
            By::Revenue => "revenue",
            By::Margin => "margin",
        }
    }
}

/// A question, understood.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Plan {
    /// The topic's name.
    pub topic: String,
    /// The days.
    pub period: Period,
    /// The days to compare with.
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub against: Option<Period>,
    /// Words that name a dish, a stock item, a person or a supplier.
    #[serde(skip_serializing_if = "String::is_empty", default)]
    pub subject: String,
    /// By what to rank.
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub by: Option<By>,
    /// The last instead of the first.
    #[serde(default)]
    pub worst: bool,
    /// How many.
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub top: Option<u32>,
}

impl Plan {
    /// How many to name: what was asked for, within reason.
    pub fn top(&self) -> usize {
        usize::try_from(self.top.unwrap_or(5).clamp(1, 50)).unwrap_or(5)
    }
}
