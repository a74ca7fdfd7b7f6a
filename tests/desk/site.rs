//! A branch with a box that belongs to head office: the whole application on each side, the real worker between them, which moves only
//! when a test lets it.

use edge::sync::Worker;
use serde_json::Value;
use std::time::{Duration, Instant};
use tiffin_common::Uuid;
use tiffin_tests::{Branch, Client, HeadOffice, House};

/// How long anything may take.
const PATIENCE: Duration = Duration::from_secs(60);

/// See the module.
pub struct Site {
    /// The branch.
    pub branch: Branch,
    /// Its outlet.
    pub outlet: Uuid,
    /// Signed in as its owner.
    pub owner: Client,
    worker: Worker,
}

impl Site {
    /// An empty branch of this code.
    pub async fn open(hub: &HeadOffice, code: &'static str) -> Site {
        Site::enrolled(hub, Branch::coded(code).await).await
    }

    /// A branch that has been trading for a while.
    pub async fn trading(hub: &HeadOffice, code: &'static str) -> (Site, House) {
        let branch = Branch::coded(code).await;
        let house = House::open(&branch).await;
        (Site::enrolled(hub, branch).await, house)
    }

    async fn enrolled(hub: &HeadOffice, branch: Branch) -> Site {
        branch.enroll(hub).await;
        let mut worker = branch.worker();
        worker.chores_step().await;
        let (outlet, owner) = (branch.outlet_id, branch.sign_in(edge::access::Role::Owner));
        let mut site = Site { branch, outlet, owner, worker };
        site.push().await;
        site
    }

    /// Sends everything there is to send.
    pub async fn push(&mut self) {
        let deadline = Instant::now() + PATIENCE;
        loop {
            self.worker.push_step().await;
            let waiting = self
                .branch
                .number("SELECT (SELECT max(seq) FROM sync_log) - (SELECT acked_seq FROM sync_peer)");
            if waiting.await == 0 {
                return;
            }
            assert!(Instant::now() < deadline, "the branch's rows do not reach head office");
        }
    }

    /// Asks head office once for what is new.
    pub async fn pull(&mut self) {
        self.worker.pull_step().await;
    }

    /// Does what has its own time, without head office.
    pub async fn chores(&mut self) {
        self.worker.chores_step().await;
    }

    /// Lets the box and head office exchange everything until `look` (a number at the branch) is `wanted`.
    pub async fn until(&mut self, look: &'static str, wanted: i64) {
        let deadline = Instant::now() + PATIENCE;
        loop {
            self.push().await;
            self.pull().await;
            let found = self.branch.number(look).await;
            if found == wanted {
                return self.push().await;
            }
            assert!(Instant::now() < deadline, "{look} is {found}, not {wanted}");
        }
    }

    /// A dish of the branch, by its name.
    pub async fn dish(&self, name: &str) -> Value {
        let list = self.owner.get("/menu/items?limit=100").await.expect(200).data();
        let found = list.as_array().unwrap().iter().find(|dish| dish["name"] == name).cloned();
        found.unwrap_or_else(|| panic!("no dish {name} in {list}"))
    }
}

/// A dish of head office's catalogue, by its name.
pub async fn dish(hub: &Client, name: &str) -> Value {
    let list = hub.get("/hub/menu/items?limit=100").await.expect(200).data();
    let found = list.as_array().unwrap().iter().find(|dish| dish["name"] == name).cloned();
    found.unwrap_or_else(|| panic!("no dish {name} in {list}"))
}

/// Waits until a publication is `state` at `outlet`; answers it.
pub async fn progress(hub: &Client, publication: &str, outlet: Uuid, state: &str) -> Value {
    let deadline = Instant::now() + PATIENCE;
    loop {
        let found = hub.get(&format!("/hub/publications/{publication}")).await.expect(200).data();
        let outlets = found["outlets"].as_array().unwrap();
        let target = outlets.iter().find(|target| target["outletId"] == outlet.to_string());
        let target = target.unwrap_or_else(|| panic!("{outlet} is none of its outlets: {found}")).clone();
        if target["state"] == state {
            return target;
        }
        assert!(Instant::now() < deadline, "the publication is not {state}: {found}");
        tokio::task::yield_now().await;
    }
}
