//! Packs head office's own screens into the program. Never makes anything else.

#[path = "../edge/packing.rs"]
mod packing;

fn main() -> std::io::Result<()> {
    println!("cargo:rerun-if-changed=build.rs");
    println!("cargo:rerun-if-changed=../edge/packing.rs");
    packing::link();
    packing::screens()
}
