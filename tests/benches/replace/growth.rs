//! What an order takes to head office and a wage to the branch as history grows: the same weeks of trade at both ends, written again and
//! again at both alike, without a log. Never measures before both ends say that they are equal and finished days are summed up.
//!
//!     TIFFIN_DAYS=1,365,1825 cargo bench -p tiffin-tests --bench replace -- growth

use super::ends::{self, There};
use super::{code, days_are_kept, is_confirmed, news};
use std::path::{Path, PathBuf};
use tiffin_common::Uuid;
use tiffin_tests::{Edge, HubProcess, free_address, history, sample};

/// Days that are really traded, at most.
const TRADED: i64 = 30;

pub(super) async fn measure(folder: &Path) {
    let days = std::env::var("TIFFIN_DAYS").unwrap_or_else(|_| "1,30,365".to_owned());
    for days in days.split(',').map(|days| days.parse::<i64>().unwrap()) {
        let folder = folder.join(format!("{days}"));
        let pair = Pair::make(&folder, days.min(TRADED), free_address().port()).await;
        if days > TRADED {
            pair.lengthen(days).await;
        }
        pair.measure(days).await;
        std::fs::remove_dir_all(&folder).unwrap();
    }
}

/// A branch and a head office, neither of which runs.
struct Pair {
    office: PathBuf,
    port: u16,
    branch: PathBuf,
    outlet: Uuid,
}

impl Pair {
    /// One that has traded for so many days, of which head office holds everything.
    async fn make(folder: &Path, days: i64, port: u16) -> Pair {
        let (office, branch) = (folder.join("office"), folder.join("branch"));
        HubProcess::init(&office, &[]);
        sample::init_after(&branch, "YEAR", &days.to_string());
        let pair = Pair { office, port, outlet: ends::outlet_of(&branch), branch };
        let hub = HubProcess::serve_on(port, &pair.office, &[]).await;
        let code = code(&hub.admin().await, None).await;
        Edge::run(&[
            "enroll",
            "--hub",
            hub.base(),
            "--code",
            &code,
            "--data-dir",
            pair.branch.to_str().unwrap(),
        ]);
        let edge = Edge::serve(&pair.branch, &[]).await;
        sample::owner_of_plenty(&edge).await;
        is_confirmed(&pair.here()).await;
        edge.into_server().stop();
        pair
    }

    fn here(&self) -> PathBuf {
        self.branch.join("tiffin.db")
    }

    fn there(&self) -> PathBuf {
        self.office.join("outlets").join(format!("{}.db", self.outlet))
    }

    /// Writes history at both ends, as much as so many days have.
    async fn lengthen(&self, days: i64) {
        let orders = ends::number(&self.here(), "SELECT count(*) FROM orders") * days / TRADED;
        for file in [self.here(), self.there()] {
            tokio::task::spawn_blocking(move || history::lengthen(&file, days, orders)).await.unwrap();
        }
    }

    async fn measure(&self, days: i64) {
        let hub = HubProcess::serve_on(self.port, &self.office, &[]).await;
        let edge = Edge::serve(&self.branch, &[]).await;
        let (here, there) = (self.here(), self.there());
        days_are_kept(&here).await;
        is_confirmed(&here).await;
        let [own, held] = [&here, &there].map(|file| ends::number(file, "SELECT count(*) FROM orders"));
        assert_eq!(own, held, "orders of both ends");
        let size = |file: &Path| std::fs::metadata(file).unwrap().len() >> 20;
        println!(
            "{days} days: {own} orders, {} MB at the branch, {} MB at head office",
            size(&here),
            size(&there)
        );
        let (there, what) = (There::File(there), format!("{days} days"));
        news::measure(&hub, &edge, (&here, self.outlet), &there, &what).await;
    }
}
