//! Data directories that are made once and copied.

use crate::versions;
use std::path::Path;
use tiffin_common::Uuid;
use tiffin_tests::disk::copy;
use tiffin_tests::{Branch, Dice, House, people};

/// A data directory with a small restaurant in it.
pub struct Template {
    folder: tempfile::TempDir,
    /// Its outlet.
    pub outlet: Uuid,
    /// By how many schemas the program is behind that made it.
    pub behind: u32,
}

impl Template {
    /// Builds the restaurant of that code through the API: the same ids in every process, so that a seed finds the same again.
    pub async fn build(code: &'static str, behind: u32) -> Template {
        versions::played(versions::program(behind), Template::built(code, behind)).await
    }

    async fn built(code: &'static str, behind: u32) -> Template {
        let branch = Branch::repeated(code, Dice::fork(0, code)).await;
        let house = House::open(&branch).await;
        // More is sold than there ever was: nothing may go out of stock.
        let path = format!("/outlets/{}", branch.outlet_id);
        house.owner.patch(&path, serde_json::json!({"autoAvailability": false})).await.expect(200);
        for number in 0..4 {
            let waiter = people::hire(&house.owner, &format!("W{number}"), "Asha Rao", "Waiter").await;
            let email = format!("waiter{number}@sample.test");
            people::give_account(&house.owner, &waiter, &email, "WAITER").await;
        }
        let supplier = serde_json::json!({"name": "Fresh Farms"});
        house.owner.post("/inventory/suppliers", supplier).await.expect(201);
        let folder = tempfile::tempdir().unwrap();
        let to = folder.path().join("tiffin.db");
        let conn = rusqlite::Connection::open(branch.folder().join("tiffin.db")).unwrap();
        conn.execute("VACUUM INTO ?1", [to.to_str().unwrap()]).unwrap();
        copy(&branch.folder().join("secrets"), &folder.path().join("secrets"));
        Template { folder, outlet: branch.outlet_id, behind }
    }

    /// Copies it to `to`.
    pub fn unpack(&self, to: &Path) {
        copy(self.folder.path(), to);
    }
}
