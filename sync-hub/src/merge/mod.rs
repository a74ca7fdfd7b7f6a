//! What head office makes of a branch's log, over one outlet's transaction: written once for both stores. Never opens a
//! transaction, never waits, never knows a key or a request.

pub mod apart;
mod append_only;
mod apply;
mod conflicts;
mod contested;
mod crossed;
mod digests;
mod dismissed;
mod edit;
mod error;
mod feed;
mod forks;
mod hello;
mod history;
mod lane;
mod lives;
mod master;
mod older;
mod papers;
mod place;
mod proposal;
mod push;
mod quarantine;
mod refill;
mod retention;
mod rows;
mod salvage;
mod schedule;
mod set_master;
mod snapshot;
mod standings;
mod state;
mod transfers;
mod wants;
mod withheld;

pub use apply::catch_up;
pub use conflicts::{Conflict, Settled, conflicts, settle};
pub use dismissed::dismissed;
pub use edit::{Edit, Edited};
pub use error::HubError;
pub use feed::{Pulled, before_pull, expect_all, pull, pull_now};
pub use forks::decide_fork;
pub use hello::hello;
pub use history::frames;
pub use papers::{lacking as lacking_papers, part as paper_part, take as take_paper};
pub use push::{Push, Pushed, push, read};
pub use quarantine::dismiss;
pub use retention::let_go;
pub use salvage::{Salvage, Salvaged, page as salvage_page, salvaged, take_over};
pub use schedule::{Scheduled, run_due, schedule, unschedule};
pub use set_master::set_master;
pub use snapshot::snapshot;
pub use standings::{Fork, Standings, standings};
pub use transfers::{Decision, Parcel, Sent, conclude, deliver, done, parcels, sent};

use crate::bugs::Bugs;
use edge::db::Env;
use tiffin_common::{Millis, Uuid};

/// Whose rows a unit of work is about, and where time, ids and randomness come from.
#[derive(Clone)]
pub struct Desk {
    /// The outlet.
    pub outlet: Uuid,
    /// Clock, ids and randomness.
    pub env: Env,
    /// Changes when head office was restored from a backup.
    pub hub_epoch: Uuid,
    /// Known bugs that are put back.
    pub bugs: Bugs,
}

impl Desk {
    fn now(&self) -> Millis {
        self.env.clock.now()
    }
}
