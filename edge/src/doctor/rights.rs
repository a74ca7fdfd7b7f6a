//! Who may read and write the files: the data are the server's alone, the secrets most of all. Never changes a right.

use super::Finding;
use std::fs::{self, Metadata};
use std::os::unix::fs::MetadataExt;
use std::path::{Path, PathBuf};

/// The data directory `data`, in which the folders `secret` hold what nobody else may read.
pub fn examine(data: &Path, secret: &[&str]) -> Vec<Finding> {
    let Ok(root) = fs::metadata(data) else {
        let advice = "Is --data-dir right? Without rights: run edge doctor as the server's user or as root.";
        return vec![Finding::broken(
            "file-rights",
            format!("{} cannot be looked at", data.display()),
            advice,
        )];
    };
    let mut findings = Vec::new();
    let files = below(data, 2);
    let open: Vec<String> = std::iter::once((data.to_owned(), root.clone()))
        .chain(files.iter().map(|(path, meta)| (path.clone(), meta.clone())))
        .filter(|(path, meta)| is_too_open(data, path, meta, secret))
        .map(|(path, _)| path.display().to_string())
        .collect();
    if !open.is_empty() {
        let found = format!("others of this machine can read {}", named(&open));
        let advice = format!("chmod -R go-rwx {}", data.display());
        let holds_secrets =
            open.iter().any(|path| secret.iter().any(|folder| path.contains(&format!("/{folder}"))));
        findings.push(if holds_secrets {
            let advice = format!(
                "{advice}\nWhoever could read the secrets could sign in as anybody: ask whether somebody did."
            );
            Finding::broken("file-rights", found, advice)
        } else {
            Finding::warn("file-rights", found, advice)
        });
    }
    let foreign: Vec<String> = files
        .iter()
        .filter(|(_, meta)| meta.uid() != root.uid())
        .map(|(path, _)| path.display().to_string())
        .collect();
    if !foreign.is_empty() {
        let found = format!("{} do not belong to the owner of {}", named(&foreign), data.display());
        let advice =
            format!("The server may not be able to write them: chown -R --reference={0} {0}", data.display());
        findings.push(Finding::broken("file-rights", found, advice));
    }
    if findings.is_empty() {
        findings.push(Finding::ok("file-rights", "the data are the server's alone"));
    }
    findings
}

/// The directory keeps others out of everything below it, so of what is not secret only the directory counts.
fn is_too_open(data: &Path, path: &Path, meta: &Metadata, secret: &[&str]) -> bool {
    let is_open = meta.mode() & 0o077 != 0;
    let is_secret = secret.iter().any(|folder| path.starts_with(data.join(folder)));
    is_open && (path == data || is_secret)
}

/// Files and folders below `folder`, so deep.
fn below(folder: &Path, depth: u32) -> Vec<(PathBuf, Metadata)> {
    let mut found = Vec::new();
    for entry in fs::read_dir(folder).into_iter().flatten().flatten() {
        let Ok(meta) = fs::symlink_metadata(entry.path()) else { continue };
        if meta.is_dir() && depth > 1 {
            found.extend(below(&entry.path(), depth - 1));
        }
        found.push((entry.path(), meta));
    }
    found.sort_by(|a, b| a.0.cmp(&b.0));
    found
}

fn named(paths: &[String]) -> String {
    match paths {
        [first, second, _, ..] => format!("{first}, {second} and {} more", paths.len() - 2),
        few => few.join(" and "),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::doctor::Level;
    use std::os::unix::fs::{PermissionsExt, chown};

    #[test]
    fn what_others_can_read_is_found() {
        let folder = tempfile::tempdir().unwrap();
        let data = folder.path();
        fs::create_dir(data.join("secrets")).unwrap();
        fs::write(data.join("secrets/pepper"), "x").unwrap();
        fs::write(data.join("tiffin.db"), "x").unwrap();
        let set = |path: &str, mode| {
            fs::set_permissions(data.join(path), fs::Permissions::from_mode(mode)).unwrap()
        };
        let level = || examine(data, &["secrets"]).iter().map(|finding| finding.level).max().unwrap();
        for (path, mode) in [("", 0o700), ("secrets", 0o700), ("secrets/pepper", 0o600), ("tiffin.db", 0o644)]
        {
            set(path, mode);
        }
        assert_eq!(level(), Level::Ok, "{:?}", examine(data, &["secrets"]));
        set("", 0o755);
        assert_eq!(level(), Level::Warn);
        set("", 0o700);
        set("secrets/pepper", 0o640);
        assert_eq!(level(), Level::Broken);
        set("secrets/pepper", 0o600);
        assert_eq!(examine(&data.join("no"), &[])[0].level, Level::Broken);
        // Only root may give files away; whoever else runs this has none to give.
        if fs::metadata(data).unwrap().uid() == 0 {
            chown(data.join("tiffin.db"), Some(12_345), None).unwrap();
            let told = examine(data, &["secrets"]);
            assert!(told[0].level == Level::Broken && told[0].found.contains("tiffin.db"), "{told:?}");
        }
    }
}
