//! README's first command, as a newcomer gives it, for a few seconds: it ends well only when every order was taken during the
//! outage too, and every row of both branches is at head office.

use std::process::Command;

#[test]
fn two_branches_trade_through_an_outage_and_head_office_has_every_row() {
    let arguments = ["--plain", "--seconds", "12", "--outage-after", "2", "--outage", "4", "--pace", "120"];
    let output = Command::new(env!("CARGO_BIN_EXE_demo")).args(arguments).output().unwrap();
    let said = String::from_utf8_lossy(&output.stdout);
    let complained = String::from_utf8_lossy(&output.stderr);
    assert!(output.status.success(), "{said}\n{complained}");
    assert!(said.contains("internet CUT"), "there was no outage:\n{said}");
    assert!(said.contains("Every row of every branch is at head office, and equal."), "{said}");
}
