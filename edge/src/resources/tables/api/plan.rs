//! `PATCH /tables/plan`: the floor plan, drawn at once.

use super::Table;
use crate::access::Cx;
use crate::http::{Json, Patch, Replace, Result, Updated};
use crate::resources::menu::rules::TextsPatch;
use crate::resources::tables::actions;
use crate::resources::tables::rules::{TableError, TableFields, TablePosition, TableShape, TableSize};
use crate::state::PublicUrl;
use axum::extract::State;
use tiffin_common::Uuid;

patch! {
    /// How a table is drawn; what is absent stays.
    pub struct PlannedTable of TableFields {
        /// Id of the table that is drawn.
        id: Replace<Uuid> => none,
        /// Such as Terrace.
        #[schemars(length(max = 60))]
        area: Patch<String>,
        /// On the floor plan.
        position: Patch<TablePosition>,
        /// The form that it is drawn in.
        shape: Replace<TableShape>,
        /// How large it is drawn.
        size: Patch<TableSize>,
        /// How far it is turned, in degrees clockwise.
        #[schemars(range(min = 0, max = 359))]
        rotation: Replace<i64>,
        /// Its number in other languages: one that is absent stays, null takes one away.
        texts: TextsPatch,
        /// The name of its area in other languages, said at all tables of the area.
        area_texts: TextsPatch,
    }
}

/// The floor plan, as far as it changes.
#[apply(filters!)]
pub struct UpdatePlan {
    /// Tables that are drawn otherwise.
    #[schemars(length(max = 500))]
    tables: Vec<PlannedTable>,
    /// All areas in their order; where absent it stays.
    #[schemars(length(max = 50))]
    areas: Option<Vec<String>>,
}

/// Draws tables otherwise, and sets the order of the areas: all of it, or nothing.
pub async fn update_plan(
    State(public_url): State<PublicUrl>,
    cx: Cx,
    Json(body): Json<UpdatePlan>,
) -> Result<Updated<Vec<Table>>> {
    cx.update(move |tx, actor| {
        let changes = body.tables.into_iter().map(|table| {
            let id = table.id.0;
            (id, move |fields: TableFields| table.over(fields))
        });
        let drawn = actions::draw(tx, actor, changes, body.areas.as_deref())?;
        let shown: Vec<Table> = drawn.into_iter().map(|table| Table::of(table, true, &public_url)).collect();
        Ok::<_, TableError>(shown)
    })
    .await
}
