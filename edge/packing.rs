//! Packs the files of screens into the program that is built, each compressed as it is sent, and says how it is linked. For build scripts:
//! those of both programs have it as a module. Never runs in a program.

use flate2::Compression;
use flate2::write::GzEncoder;
use std::io::{Result, Write};
use std::path::{Path, PathBuf};
use std::{env, fs};

/// Writes what `edge::ui::screens!` includes: name and compressed text of every file of the folder `screens`, in order. A build for trying
/// packs none: it reads the screens where they lie, so nothing of it is old when one of them changes.
pub fn screens() -> Result<()> {
    let out = PathBuf::from(env::var_os("OUT_DIR").unwrap_or_default());
    let mut list = String::from("&[\n");
    if env::var_os("CARGO_CFG_DEBUG_ASSERTIONS").is_none() {
        println!("cargo:rerun-if-changed=screens");
        let folder = Path::new("screens");
        for (number, path) in files(folder)?.iter().enumerate() {
            let mut packer = GzEncoder::new(Vec::new(), Compression::best());
            packer.write_all(&fs::read(path)?)?;
            let packed = out.join(format!("screen-{number}.gz"));
            fs::write(&packed, packer.finish()?)?;
            let name = path.strip_prefix(folder).unwrap_or(path).display().to_string();
            list += &format!("({name:?}, include_bytes!({:?}) as &[u8]),\n", packed.display().to_string());
        }
    }
    fs::write(out.join("screens.rs"), list + "]")
}

/// The files below `folder` but what is for developers, in order.
fn files(folder: &Path) -> Result<Vec<PathBuf>> {
    let mut found = Vec::new();
    for entry in fs::read_dir(folder)? {
        let path = entry?.path();
        match path.is_dir() {
            true => found.extend(files(&path)?),
            false if path.extension().is_some_and(|ending| ending != "md") => found.push(path),
            false => {}
        }
    }
    found.sort();
    Ok(found)
}

/// Has the linker keep one of functions that are the same in every byte, and note places that move with the program in a bit each instead of
/// 24 bytes: of a build for work, where rustc's own linker is the one that links.
pub fn link() {
    let is = |name: &str, wanted: &str| env::var(name).is_ok_and(|found| found == wanted);
    let is_rustcs = is("CARGO_CFG_TARGET_ARCH", "x86_64") && is("CARGO_CFG_TARGET_ENV", "gnu");
    if is("PROFILE", "release") && is_rustcs {
        println!("cargo:rustc-link-arg-bins=-Wl,--icf=all,-z,pack-relative-relocs");
    }
}
