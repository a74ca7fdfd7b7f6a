//! The settings of outlets over HTTP. Never a setting's meaning: that is the branch's.

use super::super::edit::{Caller, Wish};
use super::super::publications::Progress;
use super::super::settings::{Group, Standing};
use super::Desk;
use super::views::PublicationView;
use axum::response::Response;
use edge::access::{Permission, Routes, get, patch};
use edge::http::{Code, Data, Json, Path, Problem};
use edge::resources::outlets::UpdateOutlet;
use schemars::{JsonSchema, Schema, SchemaGenerator};
use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};
use std::borrow::Cow;
use tiffin_common::{Millis, Uuid};

/// Settings as a client gives them: which of them are named is known, and each outlet reads them for itself.
#[derive(Debug, Deserialize)]
#[serde(transparent)]
struct Given(Map<String, Value>);

impl JsonSchema for Given {
    fn schema_name() -> Cow<'static, str> {
        UpdateOutlet::schema_name()
    }

    fn json_schema(generator: &mut SchemaGenerator) -> Schema {
        UpdateOutlet::json_schema(generator)
    }
}

/// Settings of one group for an outlet.
#[derive(Debug, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
struct PublishSettings {
    /// What they are about.
    group: Group,
    /// The settings that change, as the branch's own `PATCH /outlets/{id}` takes them; no others than the group's.
    settings: Given,
    /// When they take effect; at once when absent. Branches switch then by head office's clock as they know it, also while they are offline.
    effective_at: Option<Millis>,
}

/// Settings of one group for many outlets.
#[derive(Debug, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
struct PublishSettingsToMany {
    /// The outlets; all of the account when absent.
    #[schemars(length(min = 1, max = 1_000))]
    outlet_ids: Option<Vec<Uuid>>,
    #[serde(flatten)]
    publish: PublishSettings,
}

/// An outlet's settings: those in force at the branch, those that head office wants, and what is on its way.
#[derive(Debug, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
#[schemars(rename = "HubOutletSettings")]
struct SettingsView {
    outlet_id: Uuid,
    code: String,
    name: String,
    currency: String,
    /// Edits of settings made at both ends that nobody has settled; see `/hub/conflicts`.
    conflicts: i64,
    /// By group; none while nothing has come of the outlet.
    groups: Vec<GroupView>,
}

/// A group of settings.
#[derive(Debug, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
#[schemars(rename = "HubSettingsGroup")]
struct GroupView {
    /// What they are about.
    group: Group,
    /// As the branch goes by them, by its own log.
    in_force: Value,
    /// As head office has them: the same, unless something is on its way.
    wanted: Value,
    /// Whether the branch goes by what head office wants.
    is_arrived: bool,
    /// Publications on their way, in their order.
    pending: Vec<PendingView>,
}

/// Settings on their way to an outlet.
#[derive(Debug, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
#[schemars(rename = "HubPendingSettings")]
struct PendingView {
    /// The publication that brings them.
    publication_id: Uuid,
    made_at: Millis,
    made_by: String,
    /// When they take effect; null: at once.
    effective_at: Option<Millis>,
    /// How far they have come at the outlet.
    state: Progress,
    /// What they bring.
    settings: Value,
}

impl From<Standing> for SettingsView {
    fn from(standing: Standing) -> Self {
        let Standing { outlet, rows, conflicts, pending } = standing;
        let of = |group: Group, (own, wanted): &(Value, Value)| {
            let (in_force, wanted) = (group.pick(own, None), group.pick(wanted, None));
            let mine = pending.iter().filter(|pending| pending.group == group);
            let pending = mine.map(|pending| PendingView {
                publication_id: pending.publication.id,
                made_at: pending.publication.made_at,
                made_by: pending.publication.made_by.clone(),
                effective_at: pending.publication.effective_at,
                state: pending.progress,
                settings: pending.settings.clone(),
            });
            GroupView { group, is_arrived: in_force == wanted, in_force, wanted, pending: pending.collect() }
        };
        let groups = rows.iter().flat_map(|rows| Group::ALL.iter().map(move |group| of(*group, rows)));
        SettingsView {
            groups: groups.collect(),
            outlet_id: outlet.id,
            code: outlet.code,
            name: outlet.name,
            currency: outlet.currency,
            conflicts,
        }
    }
}

impl Desk {
    pub(super) fn settings_routes<S: Clone + Send + Sync + 'static>(&self) -> Routes<S> {
        let [look, one, many] = std::array::from_fn(|_| self.clone());
        Routes::group(
            "hub",
            [
                get(
                    "/hub/outlets/{id}/settings",
                    Permission::OutletsRead,
                    move |caller: Caller, id: Path<Uuid>| look.clone().look_at_settings(caller, id),
                )
                .summary("An outlet's settings by group: in force, wanted, on their way")
                .returns::<SettingsView>(),
                patch(
                    "/hub/outlets/{id}/settings",
                    Permission::OutletsWrite,
                    move |caller: Caller, id: Path<Uuid>, body: Json<PublishSettings>| {
                        one.clone().set_one(caller, id, body)
                    },
                )
                .summary("Publish settings of one group to an outlet")
                .takes::<PublishSettings>()
                .returns::<PublicationView>(),
                patch(
                    "/hub/settings",
                    Permission::OutletsWrite,
                    move |caller: Caller, body: Json<PublishSettingsToMany>| {
                        many.clone().set_many(caller, body)
                    },
                )
                .summary("Publish settings of one group to many outlets")
                .takes::<PublishSettingsToMany>()
                .returns::<PublicationView>(),
            ],
        )
    }

    async fn look_at_settings(
        self,
        caller: Caller,
        Path(id): Path<Uuid>,
    ) -> Result<Data<SettingsView>, Problem> {
        Ok(Data::new(self.settings(&caller.principal, id).await?.into()))
    }

    async fn set_one(
        self,
        caller: Caller,
        Path(id): Path<Uuid>,
        Json(body): Json<PublishSettings>,
    ) -> Result<Response, Problem> {
        if !self.outlets(&caller.principal).await?.iter().any(|known| known.id == id) {
            return Err(Problem::not_found("outlet"));
        }
        self.set(caller, body, Some(vec![id])).await
    }

    async fn set_many(
        self,
        caller: Caller,
        Json(body): Json<PublishSettingsToMany>,
    ) -> Result<Response, Problem> {
        self.set(caller, body.publish, body.outlet_ids).await
    }

    async fn set(
        self,
        caller: Caller,
        body: PublishSettings,
        outlets: Option<Vec<Uuid>>,
    ) -> Result<Response, Problem> {
        let now = self.hub().env().clock.now();
        if body.effective_at.is_some_and(|at| at <= now) {
            let why = "must be in the future; leave it out for at once";
            return Err(Problem::new(Code::PayloadValidation).detail(why).with_field("effectiveAt", why));
        }
        let wish = Wish { effective_at: body.effective_at, outlets };
        let (answer, replayed) = self.publish_settings(&caller, body.group, &body.settings.0, &wish).await?;
        self.shown(&caller, answer, replayed).await
    }
}
