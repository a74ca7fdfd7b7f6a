//! Builds again when a screen's file comes or goes: the compiler sees only changes of those it knows. Never makes anything.

fn main() {
    println!("cargo:rerun-if-changed=screens");
    println!("cargo:rerun-if-changed=build.rs");
}
