//! Builds again when a screen's file comes or goes: the compiler sees only changes of those it knows. Never makes anything.

fn main() {
    println!("cargo:rerun-if-changed=build.rs");
    // A build for trying reads the screens where they lie: nothing of it is old when one of them changes.
    if std::env::var_os("CARGO_CFG_DEBUG_ASSERTIONS").is_none() {
        println!("cargo:rerun-if-changed=screens");
    }
}
