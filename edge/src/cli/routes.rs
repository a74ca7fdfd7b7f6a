//! `edge routes`: every route with who may call it. Made from the table the server serves.

use super::{Out, Result};
use crate::access::Access;

pub(super) fn run(out: Out<'_>) -> Result<()> {
    for (method, path, access) in crate::app::routes().listing() {
        let access = match access {
            Access::Public => "anybody",
            Access::SignedIn => "signed in",
            Access::Device => "a box",
            Access::Needs(permission) => permission.name(),
        };
        writeln!(out, "{:6} /api/v1{path}  [{access}]", method.as_str())?;
    }
    Ok(())
}
