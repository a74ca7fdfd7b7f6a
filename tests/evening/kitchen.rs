//! A kitchen display: follows its station's stream, notes every ticket it is sent, acknowledges it. Never looks elsewhere.

use serde_json::{Value, json};
use std::collections::{BTreeMap, BTreeSet};
use tiffin_common::Uuid;
use tiffin_tests::{Branch, Client, Events};

pub struct Display {
    client: Client,
    path: String,
    station: Option<Uuid>,
    events: Events,
    created: BTreeSet<String>,
    /// Tickets as they were last seen, by their version.
    seen: BTreeMap<String, i64>,
    /// Portions that were new on a ticket, by dish.
    pub shown: BTreeMap<String, i64>,
}

impl Display {
    /// A display of one station, or of all.
    pub async fn open(client: Client, station: Option<&str>) -> Display {
        let path =
            station.map_or("/kitchen/stream".to_owned(), |id| format!("/kitchen/stream?stationId={id}"));
        let events = Events::open(&client, &path, None).await;
        let station = station.map(|id| id.parse().unwrap());
        Display {
            client,
            path,
            station,
            events,
            created: BTreeSet::new(),
            seen: BTreeMap::new(),
            shown: BTreeMap::new(),
        }
    }

    /// The display loses the Wi-Fi and comes back: it asks for what it missed.
    pub async fn reconnect(&mut self) {
        let last = self.events.last_id.clone();
        self.events = Events::open(&self.client, &self.path, last.as_deref()).await;
    }

    /// Reads everything that was sent up to now.
    pub async fn catch_up(&mut self, branch: &Branch) {
        let station = self.station;
        let newest = branch.db.read(move |conn| -> Result<Vec<(Uuid, i64)>, edge::db::DbError> {
            let sql = "SELECT id, version FROM kitchen_tickets WHERE ?1 IS NULL OR station_id = ?1";
            edge::db::list(conn, sql, [station], |row| Ok((row.get(0)?, row.get(1)?)))
        });
        let newest = newest.await.unwrap();
        let is_behind = |seen: &BTreeMap<String, i64>| {
            newest.iter().any(|(id, version)| seen.get(&id.to_string()).is_none_or(|seen| seen < version))
        };
        while is_behind(&self.seen) {
            let event = self.events.next().await;
            if let (Some(id), Some(version)) = (event.data["id"].as_str(), event.data["version"].as_i64()) {
                self.seen.insert(id.to_owned(), version);
            }
            if event.name == "ticket.created" {
                self.note(&event.data).await;
            }
        }
    }

    async fn note(&mut self, ticket: &Value) {
        let id = ticket["id"].as_str().unwrap();
        assert!(self.created.insert(id.to_owned()), "ticket {id} came twice");
        if ticket["type"] == "NEW" || ticket["type"] == "ADDITION" {
            for item in ticket["items"].as_array().unwrap() {
                let name = item["name"].as_str().unwrap().to_owned();
                *self.shown.entry(name).or_default() += item["quantity"].as_i64().unwrap();
            }
        }
        self.client.post(&format!("/kitchen/tickets/{id}/ack"), json!({})).await.expect(200);
    }
}

/// Cooks everything that is not held, and serves it.
pub async fn cook(kitchen: &Client) {
    let open = kitchen.get("/kitchen/tickets?status=QUEUED&limit=100").await.expect(200).json();
    for ticket in open["data"].as_array().unwrap() {
        let path = format!("/kitchen/tickets/{}", ticket["id"].as_str().unwrap());
        for verb in ["start", "ready", "serve"] {
            kitchen.post(&format!("{path}/{verb}"), json!({})).await.expect(200);
        }
    }
}
