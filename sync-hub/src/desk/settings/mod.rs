//! The settings of outlets, which head office publishes by group as it does the menu: each to the outlet's own row, now or later, with
//! proof of arrival. What they may be, the branch's own rules say. Never touches what an outlet keeps as it was made.

mod row;

pub use super::groups::Group;

use super::edit::{Caller, Errand, Known, Wish};
use super::groups;
use super::mapping::{Lookup, Mapped, Outcome};
use super::place::At;
use super::post::{Answer, Reach};
use super::publications::{self, Kind, Progress, Publication};
use super::rows::{self, Columns, RowChange};
use super::{Desk, DeskError, HQ};
use crate::store::{StoreError, Stores};
use edge::access::Principal;
use edge::db::one;
use edge::http::{Code, Problem};
use edge::resources::outlets::UpdateOutlet;
use edge::resources::outlets::rules::{OutletError, OutletRow};
use serde_json::{Map, Value};
use std::collections::BTreeSet;
use tiffin_common::frame::OpKind;
use tiffin_common::{Millis, Uuid};

/// An outlet's settings as they stand.
pub(super) struct Standing {
    /// The outlet.
    pub(super) outlet: Known,
    /// The outlet's own row, and the row as head office wants it; none where nothing has come of the outlet yet.
    pub(super) rows: Option<(Value, Value)>,
    /// Conflicts about settings that nobody has settled.
    pub(super) conflicts: i64,
    /// What is on its way, in the order in which it gets there.
    pub(super) pending: Vec<Pending>,
}

/// Settings on their way.
pub(super) struct Pending {
    /// The publication.
    pub(super) publication: Publication,
    /// How far it has come at the outlet.
    pub(super) progress: Progress,
    /// The group.
    pub(super) group: Group,
    /// What it brings.
    pub(super) settings: Value,
}

/// What settings mean at `outlet`: a change of its own row.
pub(super) fn at_outlet(changes: &[RowChange], outlet: Uuid, from: Option<Millis>) -> Outcome {
    let own = |change: &RowChange| Mapped { change: RowChange { id: outlet, ..change.clone() }, from };
    Outcome { changes: changes.iter().map(own).collect(), ..Outcome::default() }
}

/// The outlet's own row, and the row as head office wants it.
type Both = Option<(Columns, Columns)>;

impl Desk {
    /// The settings of one of the user's outlets.
    ///
    /// # Errors
    /// No such outlet.
    pub(super) async fn settings(&self, who: &Principal, id: Uuid) -> Result<Standing, DeskError> {
        let known = self.outlets(who).await?;
        let outlet = known.into_iter().find(|known| known.id == id).ok_or(DeskError::NotFound("outlet"))?;
        let under_way = self
            .at_head_office_if_any(move |from| {
                let mut found = Vec::new();
                for open in publications::open(from, Some(id))?.into_iter().filter(|open| !open.cancelled) {
                    let publication = publications::find(from, open.publication)?;
                    if let Some(publication) = publication.filter(|one| one.kind == Kind::Settings) {
                        found.push((
                            publications::changes(from, publication.id)?.0,
                            open.progress,
                            publication,
                        ));
                    }
                }
                Ok(found)
            })
            .await?
            .unwrap_or_default();
        let (both, conflicts) = self.row(id).await?;
        let mut pending = Vec::new();
        let mut rows = None;
        if let Some((own, wanted)) = both {
            for (changes, progress, publication) in under_way {
                for change in changes {
                    let Some(group) = Group::of_change(&change) else { continue };
                    let mut with = own.clone();
                    with.extend(change.columns.clone());
                    let settings = group.pick(&row::view(id, &with)?, Some(&change.columns));
                    pending.push(Pending { publication: publication.clone(), progress, group, settings });
                }
            }
            rows = Some((row::view(id, &own)?, row::view(id, &wanted)?));
        }
        Ok(Standing { outlet, rows, conflicts, pending })
    }

    /// An outlet's row at both ends, and how many conflicts about it nobody has settled.
    async fn row(&self, outlet: Uuid) -> Result<(Both, i64), DeskError> {
        const OPEN: &str = "SELECT count(*) FROM hub_conflicts
            WHERE outlet_id = ?1 AND table_no = ?2 AND settled_at IS NULL";
        let Some(table) = groups::table() else { return Ok((None, 0)) };
        let look = move |stores: &Stores| {
            stores.read_outlet_blocking(outlet, |from| -> Result<_, DeskError> {
                let open = one(from, OPEN, (outlet, i64::from(table.no)), |row| row.get(0))?;
                let Some((_, own)) = rows::read(from, table, Some(("id", outlet)))?.pop() else {
                    return Ok((None, open));
                };
                let wanted = At { outlet, from }.row(table, outlet)?;
                let wanted = wanted.map_or_else(|| own.clone(), |wanted| row::over(&own, &wanted));
                Ok((Some((own, wanted)), open))
            })
        };
        match self.hub().stores().run(look).await {
            Err(DeskError::Store(StoreError::NoOutlet)) => Ok((None, 0)),
            read => read,
        }
    }

    /// Publishes settings of a group to the outlets that are named, or to all of the user's.
    ///
    /// # Errors
    /// 403 for an outlet that is not of the account, 409 for one of which nothing has come yet, 422 for what one of them may not be.
    pub(super) async fn publish_settings(
        &self,
        who: &Caller,
        group: Group,
        given: &Map<String, Value>,
        wish: &Wish,
    ) -> Result<(Answer, bool), DeskError> {
        let wrong = |field: String, why: &str| Problem::new(Code::PayloadValidation).with_field(field, why);
        let columns = group.named(given).map_err(|others| {
            let why = format!("is no setting of the group {group}");
            let field = |name: String| edge::http::FieldError::new(format!("settings.{name}"), why.clone());
            Problem::invalid(others.into_iter().map(field).collect())
        })?;
        if columns.is_empty() {
            return Err(wrong("settings".into(), "must name at least one setting").into());
        }
        let outlets = self.recipients(&who.principal, wish.outlets.as_deref()).await?;
        let currencies: BTreeSet<&str> = outlets.iter().map(|(known, _)| known.currency.as_str()).collect();
        if currencies.len() > 1 && groups::hold_amounts(&columns) {
            let why = "must name outlets of one currency: the settings hold amounts";
            return Err(wrong("outletIds".into(), why).into());
        }
        let mut changed = None;
        for (known, columns_now) in &outlets {
            let after = laid_over(known, columns_now, given)?;
            changed.get_or_insert(after);
        }
        let Some((table, after)) = groups::table().zip(changed) else {
            let why =
                "Nothing has come of these outlets yet: publish when their boxes have sent their settings";
            return Err(Problem::new(Code::InvalidTransition).detail(why).into());
        };
        let columns = row::columns(&after, &columns)?;
        let mut draft = self.draft(who, wish, Kind::Settings);
        draft.named = Some(outlets.into_iter().map(|(known, _)| known.id).collect());
        draft.settings = Some(RowChange { table, kind: OpKind::Update, id: HQ, columns });
        let answer = Answer { status: 200, body: Vec::new(), publication: Some(draft.id) };
        let errand = Errand { publication: Some((draft, Reach::default())), cancels: None, answer };
        self.write(who, &errand, |_| Ok(Vec::new())).await
    }

    /// The outlets that settings go to, each with its row as head office wants it: those `named`, or all of which something has come.
    async fn recipients(
        &self,
        who: &Principal,
        named: Option<&[Uuid]>,
    ) -> Result<Vec<(Known, Columns)>, DeskError> {
        let mut known = self.outlets(who).await?;
        for id in named.unwrap_or_default() {
            if !known.iter().any(|outlet| outlet.id == *id) {
                let why = format!("{id} is not an outlet of your account");
                return Err(Problem::new(Code::OutletForbidden)
                    .detail(&why)
                    .with_field("outletIds", why)
                    .into());
            }
        }
        known.retain(|outlet| named.is_none_or(|ids| ids.contains(&outlet.id)));
        let mut found = Vec::new();
        for outlet in known {
            match self.row(outlet.id).await?.0 {
                Some((_, wanted)) => found.push((outlet, wanted)),
                None if named.is_some() => {
                    let why = format!(
                        "Nothing has come of {} yet: publish when its box has sent its settings",
                        outlet.code
                    );
                    return Err(Problem::new(Code::InvalidTransition).detail(why).into());
                }
                None => {}
            }
        }
        Ok(found)
    }
}

/// The outlet as the settings would leave it.
fn laid_over(known: &Known, columns: &Columns, given: &Map<String, Value>) -> Result<OutletRow, DeskError> {
    let refuse = |fields: Vec<edge::http::FieldError>| {
        let inside = |field: edge::http::FieldError| {
            edge::http::FieldError::new(format!("settings.{}", field.name), field.reason)
        };
        let fields = fields.into_iter().map(inside).collect();
        Problem::invalid(fields).detail(format!("The settings do not hold at {}", known.code))
    };
    let before = row::outlet(known.id, columns)?;
    let update: UpdateOutlet = serde_json::from_value(Value::Object(given.clone()))
        .map_err(|error| Problem::new(Code::PayloadValidation).with_field("settings", error.to_string()))?;
    let (name, settings) = update.over(&before).map_err(|error| match error {
        OutletError::Invalid(fields) => refuse(fields),
        other => Problem::from(other),
    })?;
    let settings = settings.checked_after(Some(&before.settings)).map_err(refuse)?;
    Ok(OutletRow { name, settings, ..before })
}
