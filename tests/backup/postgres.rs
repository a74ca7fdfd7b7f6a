//! A head office on PostgreSQL that is put back: from a backup of one moment, with what the branch sends again on top of it. PostgreSQL's
//! own tools do it, and nothing is ever half done.

use crate::exporting::opened;
use crate::office::{enrolled, refused};
use crate::{edge, folder, made, quiet, restaurant};
use edge::backup::{self, Destinations, Reason};
use edge::db::Env;
use serde_json::Value;
use std::fs;
use std::path::Path;
use sync_hub::backup::nightly::Source;
use sync_hub::config::Config;
use tiffin_tests::postgres::Database;
use tiffin_tests::{HubProcess, sample};

/// What of two archives is not equal: head office's copy, and the branch's own.
fn differences(copy: &Path, own: &Path) -> Vec<String> {
    let (copy, own) = (opened(copy), opened(own));
    let manifest: Value = serde_json::from_slice(&copy["manifest.json"]).unwrap();
    let tables = manifest["tables"].as_array().unwrap();
    assert!(tables.len() > 60, "{manifest}");
    let files = tables.iter().map(|table| table["jsonl"].as_str().unwrap().to_owned());
    files.filter(|file| copy[file] != own[file]).collect()
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_restored_postgresql_gets_from_the_branch_what_it_lacks() {
    let (folder, stick, database) = (folder(), folder(), Database::new());
    let data = folder.path().join("hub");
    let on = ["--database-url", database.url.as_str()];
    let run = |words: &[&str]| HubProcess::run(&data, &[words, &on].concat());
    HubProcess::init(&data, &on);
    // Somebody else's table in the same database is none of head office's business.
    database.sql("CREATE TABLE public.others AS SELECT 7 AS kept");
    let hub = HubProcess::serve(&data, &on).await;
    let port: u16 = hub.base().rsplit(':').next().unwrap().parse().unwrap();
    let branch = restaurant(folder.path());
    let (server, client, menu) = enrolled(&hub, &branch).await;

    // As every night, with a second place.
    let config = Config::with([("database-url", on[1])]).unwrap();
    let source = Source { data: data.clone(), database_url: config.store.database_url };
    let to = Destinations::of(&data, Some(stick.path().to_owned()));
    let night =
        tokio::task::spawn_blocking(move || source.take(&to, Reason::Nightly, &Env::system()).unwrap());
    let night = night.await.unwrap();
    assert!(night.not_copied.is_none() && night.name().ends_with("-nightly.pgdump.zst"), "{night:?}");
    let copy = stick.path().join(night.name());
    assert_eq!(fs::read(&copy).unwrap(), fs::read(&night.path).unwrap());
    let told = run(&["backup", "--backup-dir", stick.path().join("gone").to_str().unwrap()]);
    assert!(told.contains("checked and read back") && told.contains("could not be copied"), "{told}");
    assert!(run(&["backup", "--list"]).contains("nightly"));

    for _ in 0..5 {
        sample::sell(&client, &menu).await;
    }
    quiet(&server).await;
    let words = refused(&data, &["restore", copy.to_str().unwrap(), on[0], on[1]]);
    assert!(words.contains("stop all of them"), "{words}");
    hub.kill();
    let epoch = || database.sql("SELECT hub_epoch FROM hub.hub_meta");
    let (before, bills) = (epoch(), || database.sql("SELECT count(*) FROM merged.invoices"));
    let sold = bills();

    // A damaged one changes nothing, nor does half of one.
    let damaged = folder.path().join("tiffin-HUB-20260101T000000Z-manual.pgdump.zst");
    let whole = fs::read(&copy).unwrap();
    let mut bytes = whole.clone();
    let middle = bytes.len() / 2;
    bytes[middle..middle + 64].fill(0);
    for bytes in [&bytes[..], &whole[..middle]] {
        fs::write(&damaged, bytes).unwrap();
        let words = refused(&data, &["restore", damaged.to_str().unwrap(), on[0], on[1]]);
        assert!(words.contains("pgdump.zst"), "{words}");
        assert_eq!((epoch(), bills()), (before.clone(), sold.clone()));
    }

    let told = run(&["restore", copy.to_str().unwrap()]);
    assert!(told.contains("new life") && told.contains("is kept"), "{told}");
    assert!(epoch() != before && bills() != sold);
    assert_eq!(database.sql("SELECT kept FROM public.others"), "7");
    let aside = backup::list(&backup::folder(&data)).into_iter().find(|one| one.reason == Reason::Restore);
    assert!(aside.is_some(), "what was there is kept");
    let hub = HubProcess::serve_on(port, &data, &on).await;
    sample::sell(&client, &menu).await;
    let mut unlike = Vec::new();
    // The branch is open: a ticket that waits too long may say so between the two.
    for turn in 0..5 {
        quiet(&server).await;
        let [copied, own] = ["copy", "own"].map(|name| folder.path().join(format!("{name}-{turn}.zip")));
        // While it serves; and first: the branch's own export goes on record there, and head office hears of it.
        run(&["export", copied.to_str().unwrap(), "--outlet", "BLR1"]);
        edge(&branch, &["export", own.to_str().unwrap()]).await;
        unlike = differences(&copied, &own);
        if unlike.is_empty() {
            break;
        }
    }
    assert_eq!(unlike, Vec::<String>::new());
    drop(hub);
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_backup_of_an_older_schema_goes_into_a_newer_database_and_into_an_empty_one() {
    let (folder, database, empty) = (folder(), Database::new(), Database::new());
    let data = folder.path().join("hub");
    let on = ["--database-url", database.url.as_str()];
    HubProcess::init(&data, &on);
    // As the version before the texts were cleaned (V19) left it.
    let newest = tiffin_migrations::hub_postgres_schema_version();
    database.sql(
        "UPDATE hub.registry_users SET name = name || chr(7);
         DROP TABLE merged.answered_requests, merged.holidays, merged.menu_pictures, merged.combo_components,
           merged.combo_options, merged.price_lists, merged.price_list_entries, merged.purchase_returns,
           merged.purchase_return_lines, merged.purchase_invoices CASCADE;
         ALTER TABLE merged.portion_needs DROP COLUMN is_made CASCADE;
         ALTER TABLE merged.portion_needs ADD PRIMARY KEY (outlet_id, target_id, stock_item_id);
         ALTER TABLE merged.menu_items DROP COLUMN texts CASCADE, DROP COLUMN energy_kcal CASCADE,
           DROP COLUMN serving_size CASCADE;
         ALTER TABLE merged.menu_categories DROP COLUMN texts CASCADE;
         ALTER TABLE merged.modifier_groups DROP COLUMN texts CASCADE;
         ALTER TABLE merged.modifier_options DROP COLUMN texts CASCADE;
         ALTER TABLE merged.outlets DROP COLUMN overtime CASCADE, DROP COLUMN weekly_rest_days CASCADE,
           DROP COLUMN leave_terms CASCADE, DROP COLUMN languages CASCADE;
         ALTER TABLE merged.employees DROP COLUMN pay_basis CASCADE, DROP COLUMN monthly_salary_cents CASCADE,
           DROP COLUMN day_minutes CASCADE;
         ALTER TABLE merged.employee_wages DROP COLUMN pay_basis CASCADE, DROP COLUMN monthly_salary_cents CASCADE;
         ALTER TABLE merged.cash_movements DROP COLUMN employee_id CASCADE;
         ALTER TABLE merged.dining_tables DROP COLUMN texts CASCADE, DROP COLUMN area_texts CASCADE;
         ALTER TABLE merged.kitchen_stations DROP COLUMN texts CASCADE;
         ALTER TABLE merged.recipes DROP COLUMN shelf_life_days CASCADE;
         ALTER TABLE hub.hub_salvage DROP COLUMN last_hash CASCADE;
         ALTER TABLE hub.hub_salvage ADD PRIMARY KEY (outlet_id, epoch, first_seq, last_seq);
         DELETE FROM hub.refinery_schema_history WHERE version >= 19",
    );
    let old = made(&HubProcess::run(&data, &["backup", on[0], on[1]]));
    HubProcess::run(&data, &["users", "--add", "late@hub.test", "--role", "SUPER_ADMIN", on[0], on[1]]);
    let unclean = "SELECT count(*) FROM hub.registry_users WHERE name LIKE '%' || chr(7)";
    assert_eq!(database.sql(unclean), "0", "it was brought up to date");
    for database in [&database, &empty] {
        let on = ["--database-url", database.url.as_str()];
        let told = HubProcess::run(&data, &["restore", old.to_str().unwrap(), on[0], on[1]]);
        assert!(told.contains("new life"), "{told}");
        assert_eq!(database.sql("SELECT max(version) FROM hub.refinery_schema_history"), newest.to_string());
        let people = HubProcess::run(&data, &["users", on[0], on[1]]);
        assert!(people.contains("admin@hub.test") && !people.contains("late@hub.test"), "{people}");
        let told = database.sql("SELECT count(*) FROM hub.registry_audit WHERE action = 'hub.restored'");
        assert_eq!(told, "1");
    }
}
