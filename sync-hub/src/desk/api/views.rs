//! What the desk takes and answers over HTTP.

use super::super::conflicts::ConflictState;
use super::super::edit::Known;
use super::super::publications::{Progress, Publication, Target};
use edge::http::Paging;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::Value;
use tiffin_common::{Millis, Uuid};

/// When and where an edit holds.
#[derive(Debug, Default, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct PublishQuery {
    /// When it takes effect; at once when absent. Branches switch then by head office's clock as they know it, also while they are offline.
    pub(super) effective_at: Option<Millis>,
    /// The outlets it is for, separated by commas; when absent, all it concerns.
    #[schemars(length(max = 40_000))]
    pub(super) outlet_ids: Option<String>,
}

/// What the catalogue is published to.
#[derive(Debug, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct PublishCatalogue {
    /// The outlets; all when absent.
    #[schemars(length(min = 1, max = 1_000))]
    pub(super) outlet_ids: Option<Vec<Uuid>>,
    /// When it takes effect; at once when absent.
    pub(super) effective_at: Option<Millis>,
    /// Whether the staff go along.
    #[serde(default)]
    pub(super) include_staff: bool,
}

/// Which outlet the catalogue is taken from.
#[derive(Debug, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct ImportCatalogue {
    /// The outlet whose menu is taken over.
    pub(super) outlet_id: Uuid,
    /// Whether its staff are taken along.
    #[serde(default)]
    pub(super) include_staff: bool,
}

/// What was taken.
#[derive(Debug, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
#[schemars(rename = "CatalogueImport")]
pub struct Imported {
    pub(super) outlet_id: Uuid,
    /// Rows that the catalogue did not have.
    pub(super) rows_added: usize,
}

/// A change of the catalogue on its way to the outlets.
#[derive(Debug, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
#[schemars(rename = "Publication")]
pub struct PublicationView {
    id: Uuid,
    /// The order in which publications reach every outlet.
    number: i64,
    /// EDIT, CATALOGUE, IMPORT or SETTINGS.
    kind: String,
    made_at: Millis,
    made_by: String,
    /// When it takes effect; null: at once.
    effective_at: Option<Millis>,
    cancelled_at: Option<Millis>,
    cancelled_by: Option<String>,
    /// What changed: how many rows, and the first of them with what each column was and is.
    changes: Value,
    /// How many outlets it has come how far at.
    progress: Counts,
    /// Each of its outlets.
    outlets: Vec<TargetView>,
}

/// Outlets of a publication by how far it has come there.
#[derive(Debug, Default, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
#[schemars(rename = "PublicationProgress")]
pub struct Counts {
    /// Outlets in whose feed it is not yet.
    pending: usize,
    /// Outlets whose box gets it with its next pull.
    delivered: usize,
    /// Outlets whose box has it.
    arrived: usize,
    /// Outlets where it is in force.
    effective: usize,
    /// Outlets where it was taken back before it took effect.
    cancelled: usize,
    /// Outlets into whose feed it could not be put.
    refused: usize,
}

/// How far a publication has come at an outlet.
#[derive(Debug, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
#[schemars(rename = "PublicationOutlet")]
pub struct TargetView {
    outlet_id: Uuid,
    code: Option<String>,
    name: Option<String>,
    /// How far it has come at this outlet.
    state: Progress,
    /// When it came into the outlet's feed.
    delivered_at: Option<Millis>,
    /// When the outlet's own log was seen to have it.
    arrived_at: Option<Millis>,
    /// When it came into force there.
    effective_at: Option<Millis>,
    /// Why it could not be put into the outlet's feed.
    refusal: Option<String>,
}

/// Which conflicts.
#[derive(Debug, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct ListConflicts {
    /// Of this outlet.
    pub(super) outlet_id: Option<Uuid>,
    /// Open ones unless told otherwise.
    #[serde(default)]
    pub(super) state: ConflictState,
    #[serde(flatten)]
    pub(super) paging: Paging,
}

/// Where a conflict is.
#[derive(Debug, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct OfOutlet {
    /// Its outlet, where it is known.
    pub(super) outlet_id: Option<Uuid>,
}

impl PublicationView {
    /// The publication as a list has it.
    pub(super) fn without_outlets(self) -> PublicationView {
        PublicationView { outlets: Vec::new(), ..self }
    }

    /// The publication as clients see it.
    pub(super) fn of(publication: Publication, targets: Vec<Target>, outlets: &[Known]) -> PublicationView {
        let mut progress = Counts::default();
        for target in &targets {
            let count = match target.progress {
                Progress::Pending => &mut progress.pending,
                Progress::Delivered => &mut progress.delivered,
                Progress::Arrived => &mut progress.arrived,
                Progress::Effective => &mut progress.effective,
                Progress::Cancelled => &mut progress.cancelled,
                Progress::Refused => &mut progress.refused,
            };
            *count += 1;
        }
        let view = |target: Target| {
            let known = outlets.iter().find(|outlet| outlet.id == target.outlet);
            TargetView {
                outlet_id: target.outlet,
                code: known.map(|outlet| outlet.code.clone()),
                name: known.map(|outlet| outlet.name.clone()),
                state: target.progress,
                delivered_at: target.delivered_at,
                arrived_at: target.arrived_at,
                effective_at: target.effective_at,
                refusal: target.refusal,
            }
        };
        PublicationView {
            id: publication.id,
            number: publication.number,
            kind: publication.kind.name().to_owned(),
            made_at: publication.made_at,
            made_by: publication.made_by,
            effective_at: publication.effective_at,
            cancelled_at: publication.cancelled_at,
            cancelled_by: publication.cancelled_by,
            changes: serde_json::from_str(&publication.changes).unwrap_or_default(),
            progress,
            outlets: targets.into_iter().map(view).collect(),
        }
    }
}
