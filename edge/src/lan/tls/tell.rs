//! How certificates stand, in lines for a console: the same words for a branch and for head office. Never prints a key.

use super::{Authority, Card, Result, TlsError};
use crate::config::Tls;
use std::io::Write;
use std::net::SocketAddr;
use std::path::Path;
use tiffin_common::Millis;

/// Says that `authority` was made; `serve` is the command that uses it.
///
/// # Errors
/// When it cannot be printed.
pub fn made(
    out: &mut dyn Write,
    authority: &Authority,
    listen: Option<SocketAddr>,
    serve: &str,
) -> std::io::Result<()> {
    let card = authority.card();
    writeln!(out, "Made the authority {:?}, valid until {}", card.title, day(card.until))?;
    writeln!(out, "SHA-256 {}", card.fingerprint)?;
    writeln!(out, "Its certificate, for tablets and other boxes: {}", authority.public_file().display())?;
    if listen.is_none() {
        writeln!(out, "Turn TLS on with: {serve} --tls-listen 0.0.0.0:8443")?;
    }
    writeln!(out, "Tablets install it from the page /certificate of the running server")
}

/// Says how the certificates stand that a server with the settings `tls` and the folder `folder` uses; `init` is the command that
/// makes an authority.
///
/// # Errors
/// When a certificate cannot be read, or nothing be printed.
pub fn standing(out: &mut dyn Write, tls: &Tls, folder: &Path, now: Millis, init: &str) -> Result<()> {
    let text = described(tls, folder, now, init)?;
    out.write_all(text.as_bytes()).map_err(TlsError::file(Path::new("standard output")))
}

fn described(tls: &Tls, folder: &Path, now: Millis, init: &str) -> Result<String> {
    let listen = tls.listen.map_or_else(|| "not set: the server speaks no TLS".into(), |at| at.to_string());
    let mut lines = vec![format!("tls-listen      {listen}")];
    if let Some(certificate) = &tls.certificate {
        let card = Card::of_file(certificate)?;
        lines.extend(about(&card, certificate, now));
        if card.ends_soon(now) {
            lines.push(
                "  attention     it ends soon; put a new one in its place, the server takes it up by itself"
                    .into(),
            );
        }
        return Ok(lines.join("\n") + "\n");
    }
    let Some(authority) = Authority::load(folder)? else {
        return Ok(format!(
            "{}\nauthority       none yet: {init}, or the first start with tls-listen\n",
            lines.join("\n")
        ));
    };
    let card = authority.card();
    lines.push(format!("authority       {}", card.title));
    lines.push(format!("  valid         until {}", day(card.until)));
    lines.push(format!("  SHA-256       {}", card.fingerprint));
    lines.push(format!("  may vouch for {} and private addresses", card.below.join(", ")));
    lines.push(format!("  for tablets   {}", authority.public_file().display()));
    let server = authority.server_file();
    if server.exists() {
        lines.extend(about(&Card::of_file(&server)?, &server, now));
        lines.push(
            "  renewed       by the running server, 30 days before its end and when addresses change".into(),
        );
    }
    Ok(lines.join("\n") + "\n")
}

fn about(card: &Card, path: &Path, now: Millis) -> Vec<String> {
    let left = card.until.get().saturating_sub(now.get()) / 86_400_000;
    let addresses: Vec<String> = card.addresses.iter().map(ToString::to_string).collect();
    let mut lines = vec![
        format!("certificate     {}", path.display()),
        format!("  valid         {} to {} ({left} days left)", day(card.from), day(card.until)),
        format!("  names         {}", card.names.join(", ")),
    ];
    if !addresses.is_empty() {
        lines.push(format!("  addresses     {}", addresses.join(", ")));
    }
    lines
}

/// The day of a moment: `2027-12-24`.
fn day(at: Millis) -> String {
    at.to_string().split('T').next().unwrap_or_default().to_owned()
}
