//! Rounds of workers: what is done every so often is done so often, whatever else they hear meanwhile. Never looks at unit tests.

use crate::{none, sources, without_tests};

#[test]
fn no_round_is_put_off_by_what_a_worker_hears() {
    let mut found = Vec::new();
    for source in ["edge/src", "sync-hub/src"].into_iter().flat_map(sources) {
        for function in without_tests(&source).split("fn ").filter(|text| text.contains("wakes.recv()")) {
            let name = function.split(['(', '<']).next().unwrap_or_default();
            // A timer that is made in each turn of a loop begins anew with whatever is heard; one that is pinned outlives the turn.
            let anew = function.matches("time::sleep(").count() > function.matches("pin!(").count();
            found.extend(anew.then(|| format!("{}: {name}", source.path)));
        }
    }
    none(&found, "a worker that hears words has one interval for its rounds");
}
