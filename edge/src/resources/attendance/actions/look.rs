//! How somebody stands, before they punch. Writes nothing.

use super::read;
use crate::db::Source;
use crate::resources::attendance::rules::punch::shift_at;
use crate::resources::attendance::rules::{Look, Result, State};
use crate::resources::attendance::store;
use crate::resources::employees::rules::Employee;
use crate::resources::outlets;
use tiffin_common::{Millis, Uuid};

const MINUTE_MS: i64 = 60_000;

/// How `employee` stands at `now`: what is under way, or the shift that a CLOCK_IN would begin.
pub fn look(conn: &dyn Source, outlet: Uuid, employee: &Employee, now: Millis) -> Result<Look> {
    let here = outlets::store::find(conn, outlet)?;
    let Some(open) = store::find_open(conn, employee.id, now)? else {
        let planned = store::list_planned_around(conn, &here, employee.id, now)?;
        let shift = shift_at(now, &planned);
        return Ok(Look { state: State::Out, since: None, shift, worked_minutes: 0, break_minutes: 0 });
    };
    let records = store::list_records_of(conn, open.id, now)?;
    let (worked, breaks) = match read(&here, &open, &records).span {
        Some(span) => {
            let worked = span.worked(now).into_iter().map(|(from, to)| to.since(from));
            (worked.fold(0i64, i64::saturating_add), span.break_ms(now))
        }
        None => (0, 0),
    };
    Ok(Look {
        state: open.state,
        since: Some(open.started_at),
        shift: open.planned,
        worked_minutes: worked / MINUTE_MS,
        break_minutes: breaks / MINUTE_MS,
    })
}
