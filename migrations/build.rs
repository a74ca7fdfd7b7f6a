//! Makes cargo notice a new migration file; without this it is silently not embedded.

fn main() {
    for folder in ["edge", "hub_registry", "hub_outlet", "hub_postgres"] {
        println!("cargo:rerun-if-changed={folder}");
    }
}
