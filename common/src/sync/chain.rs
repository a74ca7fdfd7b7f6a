//! An outlet as head office and boxes name it to each other, and the outlets of a chain. Never an outlet's own rows.

use crate::Uuid;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// What head office must know of an outlet before any of its rows.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct OutletCard {
    /// Id of the outlet.
    pub id: Uuid,
    /// Its short code.
    pub code: String,
    /// What people call it.
    pub name: String,
    /// IANA name of its time zone.
    pub timezone: String,
    /// ISO 4217 code of its currency.
    pub currency: String,
}

/// Whom stock can be sent to.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct ChainCard {
    /// Tells this list from another; the next pull brings it.
    pub mark: String,
    /// Every outlet that head office knows, the box's own among them.
    pub outlets: Vec<OutletCard>,
}
