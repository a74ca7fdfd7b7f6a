//! Where a head office keeps what it holds, for processes that come and go on it.

use serde_json::json;
use std::path::{Path, PathBuf};
use tiffin_common::Uuid;
use tiffin_tests::{Client, HubProcess};

/// A data directory: secrets always, rows unless they are in PostgreSQL.
#[derive(Debug, Clone)]
pub struct Place {
    /// The data directory.
    pub data: PathBuf,
    /// PostgreSQL instead of files.
    pub database_url: Option<String>,
}

impl Place {
    /// A head office below `folder`, and its first person.
    pub fn make(folder: &Path, database_url: Option<String>) -> Place {
        let place = Place { data: folder.join("hub"), database_url };
        HubProcess::init(&place.data, &place.store());
        place
    }

    fn store(&self) -> Vec<&str> {
        self.on(&[])
    }

    /// These words of a command, with where the rows are.
    pub fn on<'a>(&'a self, words: &[&'a str]) -> Vec<&'a str> {
        words
            .iter()
            .copied()
            .chain(self.database_url.iter().flat_map(|url| ["--database-url", url]))
            .collect()
    }

    /// Starts a process on it that answers on this port.
    pub async fn serve_on(&self, port: u16) -> HubProcess {
        HubProcess::serve_on(port, &self.data, &self.store()).await
    }

    /// Starts a process on it.
    pub async fn serve(&self) -> HubProcess {
        HubProcess::serve(&self.data, &self.store()).await
    }
}

/// A one-time code for a new box, or for one more of `outlet`.
pub async fn code(admin: &Client, outlet: Option<Uuid>) -> String {
    let reply = admin.post("/hub/enrolments", json!({"outletId": outlet})).await.expect(201).data();
    reply["code"].as_str().unwrap().to_owned()
}
