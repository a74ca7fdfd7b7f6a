//! Packs what browsers are given into the program: the screens, and the three files of the reference page. Never makes anything that is not
//! in this folder or in the crate that holds the reference page.

mod packing;

use std::io::{Cursor, Read, Result};
use std::path::PathBuf;
use std::{env, fs};
use utoipa_swagger_ui_vendored::SWAGGER_UI_VENDORED;
use zip::{CompressionMethod, ZipArchive};

/// What the reference page loads, of the many files that come with it.
const REFERENCE: [&str; 3] = ["favicon-32x32.png", "swagger-ui-bundle.js", "swagger-ui.css"];

fn main() -> Result<()> {
    println!("cargo:rerun-if-changed=build.rs");
    println!("cargo:rerun-if-changed=packing.rs");
    packing::link();
    packing::screens()?;
    reference()
}

/// Takes the files of the reference page out of their archive as they are compressed there, and makes each what browsers read.
fn reference() -> Result<()> {
    let out = PathBuf::from(env::var_os("OUT_DIR").unwrap_or_default());
    let mut archive = ZipArchive::new(Cursor::new(SWAGGER_UI_VENDORED))?;
    for number in 0..archive.len() {
        let mut file = archive.by_index_raw(number)?;
        let path = file.name()?.into_owned();
        let Some(name) = REFERENCE.iter().find(|name| path.ends_with(&format!("/dist/{name}"))) else {
            continue;
        };
        let mut packed = vec![0x1f, 0x8b, 8, 0, 0, 0, 0, 0, 2, 255];
        if file.compression() == CompressionMethod::Stored {
            let length = u16::try_from(file.size()).map_err(std::io::Error::other)?;
            packed.push(1);
            packed.extend([length, !length].into_iter().flat_map(u16::to_le_bytes));
        }
        file.read_to_end(&mut packed)?;
        packed.extend(file.crc32().to_le_bytes());
        packed.extend((file.size() as u32).to_le_bytes());
        fs::write(out.join(format!("{name}.gz")), packed)?;
    }
    Ok(())
}
