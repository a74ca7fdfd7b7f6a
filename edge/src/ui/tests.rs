//! Every screen of the branch as it is served: its modules are there, none leads out of the files, all are few enough.

use super::shell::modules;
use super::*;

/// The screens of the branch.
const SCREENS: [&str; 5] = ["pos", "kitchen", "clock", "guest", "manage"];

#[test]
fn every_module_of_a_screen_is_found_by_its_imports() {
    let bundle = Bundle::new(&[branch()]);
    for screen in SCREENS {
        let found = modules(&bundle, &format!("{screen}/main.js"));
        assert!(found.contains("kit/view.js"), "{screen}: {found:?}");
        for name in &*found {
            assert!(bundle.find(name).is_some(), "{screen} imports {name}, which is no file");
        }
    }
}

#[test]
fn the_hash_names_the_state_of_all_files() {
    let bundle = Bundle::new(&[branch()]);
    assert_eq!(bundle.hash().len(), 16);
    assert_eq!(bundle.hash(), Bundle::new(&[branch()]).hash());
    assert!(bundle.find("../Cargo.toml").is_none() && bundle.find("kit").is_none());
}
