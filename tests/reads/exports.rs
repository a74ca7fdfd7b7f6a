//! One outlet as an archive, from head office on either store: the same files to the byte, and the rows are the branch's own.

use crate::copies;
use edge::db::Env;
use edge::export;
use serde_json::Value;
use std::collections::BTreeMap;
use std::fs::File;
use std::io::Read;
use std::path::Path;
use sync_hub::export as office;
use sync_hub::registry::{Change, RegistryError, outlets};
use sync_hub::store::Stores;
use tiffin_common::registry::table_named;
use tiffin_common::sync::OutletCard;
use tiffin_tests::{Branch, restaurant};
use zip::ZipArchive;

fn opened(path: &Path) -> BTreeMap<String, String> {
    let mut archive = ZipArchive::new(File::open(path).unwrap()).unwrap();
    (0..archive.len())
        .map(|i| {
            let mut file = archive.by_index(i).unwrap();
            let mut text = String::new();
            file.read_to_string(&mut text).unwrap();
            (file.name().unwrap().into_owned(), text)
        })
        .collect()
}

/// Head office's registry comes to know the branch.
fn register(branch: &Branch, stores: &Stores, env: &Env) {
    let card = OutletCard {
        id: branch.outlet_id,
        code: "BLR1".into(),
        name: "Indiranagar".into(),
        timezone: "Asia/Kolkata".into(),
        currency: "INR".into(),
    };
    let done: Result<(), RegistryError> =
        stores.registry_blocking(|sql| outlets::insert(&Change::begin(sql, env), &card));
    done.unwrap();
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn an_outlets_archive_is_the_same_from_either_store() {
    let branch = restaurant::trading_restaurant().await;
    let folder = tempfile::tempdir().unwrap();
    let files = folder.path().join("hub");
    std::fs::create_dir(&files).unwrap();
    let (sqlite, postgres) = (copies::on_sqlite(&files), copies::on_postgres().await);
    copies::replay(&branch, &sqlite).await;
    copies::replay(&branch, &postgres).await;
    let (env, place) = (branch.db.env().clone(), |name: &str| folder.path().join(name));
    let written = tokio::task::spawn_blocking({
        let (here, there, own) = (place("sqlite.zip"), place("postgres.zip"), place("branch.zip"));
        move || {
            register(&branch, &postgres, &env);
            // By its code, whatever the letters, and by its id.
            office::of_files(&files, "blr1", &here, &env).unwrap();
            let id = branch.outlet_id.to_string();
            let manifest = office::of_stores(&postgres, &id, &there, &env).unwrap();
            let again = office::of_stores(&postgres, "BLR1", &there, &env).unwrap_err().to_string();
            assert!(again.contains("is there already"), "{again}");
            let nobody = office::of_stores(&postgres, "XYZ9", &place_of(&there, "no.zip"), &env).unwrap_err();
            assert_eq!(nobody.to_string(), "there is no outlet XYZ9");
            export::write(branch.db.path(), &own, &env).unwrap();
            manifest.tables.iter().map(|table| table.rows).sum::<u64>()
        }
    });
    let rows = written.await.unwrap();
    let (here, there) = (opened(&place("sqlite.zip")), opened(&place("postgres.zip")));
    assert_eq!(here.keys().collect::<Vec<_>>(), there.keys().collect::<Vec<_>>());
    for (name, text) in &here {
        assert_eq!(text, &there[name], "{name}");
    }
    assert!(rows > 1_000, "{rows} rows prove little");

    // What was sent is what the branch has, and so is what follows from it.
    let own = opened(&place("branch.zip"));
    let manifest: Value = serde_json::from_str(&there["manifest.json"]).unwrap();
    let tables = manifest["tables"].as_array().unwrap();
    for table in tables {
        let (name, file) = (table["name"].as_str().unwrap(), table["jsonl"].as_str().unwrap());
        assert!(table_named(name).is_some() || name.starts_with("stock_"), "{name}");
        // The restaurant's box knows other outlets, too.
        if name != "outlets" {
            assert_eq!(there[file], own[file], "{name}");
        }
    }
    let names = |list: &Value| -> Vec<String> {
        list.as_array().unwrap().iter().map(|one| one["name"].as_str().unwrap().to_owned()).collect()
    };
    let (copied, left_out) = (names(&manifest["tables"]), names(&manifest["leftOut"]));
    assert!(copied.contains(&"stock_levels".to_owned()) && left_out.contains(&"ai_messages".to_owned()));
    assert!(left_out.contains(&"employees.pin_hash".to_owned()));
}

fn place_of(beside: &Path, name: &str) -> std::path::PathBuf {
    beside.with_file_name(name)
}
