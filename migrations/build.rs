//! Makes cargo notice a new migration file; without this it is silently not embedded.

fn main() {
    println!("cargo:rerun-if-changed=edge");
}
