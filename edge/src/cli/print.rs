//! `edge print`: a test page at one of the branch's printers, sent from here, whether the server runs or not. Writes nothing down.

use super::open::not_initialised;
use super::{Failure, Out, Result};
use crate::config::{Config, ServerFlags};
use crate::data_dir::DataDir;
use crate::db::Source;
use crate::paper::{Fonts, bytes};
use crate::resources::outlets;
use crate::resources::printers::line::{Line, Patience, Says};
use crate::resources::printers::rules::{PrinterFields, Profile};
use crate::resources::printers::{actions, store};
use rusqlite::{Connection, OpenFlags};

#[derive(clap::Args)]
pub(super) struct Args {
    /// Name of the printer that prints a test page, or the address that a station names
    #[arg(long, value_name = "NAME")]
    test: String,
    #[command(flatten)]
    pub(super) settings: ServerFlags,
}

pub(super) fn run(args: &Args, config: &Config, out: Out<'_>) -> Result<()> {
    let data = DataDir::at(&config.store.data_dir);
    if !data.is_initialised() {
        return Err(not_initialised(&data));
    }
    let conn = Connection::open_with_flags(data.database(), OpenFlags::SQLITE_OPEN_READ_ONLY)?;
    let mut printer = find(&conn, &args.test)?;
    // A cut from here would be taken for that of a ticket of which nobody knows yet whether it came out.
    printer.cutter &= !store::is_in_doubt(&conn, &printer.address)?;
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build()?;
    let said = runtime.block_on(test(&printer, config));
    let said = said.map_err(|why| Failure::new(format!("{}: {why}", printer.name)))?;
    writeln!(out, "{}: {said}", printer.name)?;
    Ok(())
}

/// The printer of that name or address.
fn find(conn: &Connection, wanted: &str) -> Result<PrinterFields> {
    let source: &dyn Source = conn;
    let mut names = Vec::new();
    for outlet in outlets::store::list(source)? {
        for printer in store::list_all(source, outlet.id)? {
            if [&printer.fields.name, &printer.fields.address].iter().any(|is| *is == wanted) {
                return Ok(printer.fields);
            }
            names.push(printer.fields.name);
        }
    }
    for (address, _) in store::list_named_by_stations(source)? {
        if address == wanted {
            return Ok(PrinterFields::unlisted(&address));
        }
        names.push(address);
    }
    let known = if names.is_empty() { "none".to_owned() } else { names.join(", ") };
    Err(Failure::new(format!("there is no printer {wanted}; known: {known}")))
}

async fn test(printer: &PrinterFields, config: &Config) -> Result<&'static str, String> {
    let mut line = Line::open(printer.target(), &config.printers, Patience::default()).await?;
    let said = if printer.profile == Profile::Mute { Says::Nothing } else { line.says().await };
    if let Says::Trouble(what) = said {
        return Err(what.to_owned());
    }
    if said == Says::Nothing && printer.profile == Profile::Epson {
        return Err("it does not say how it is; the profile EPSON wants a printer that does".to_owned());
    }
    let page = bytes(&actions::test_rows(&printer.name), &printer.form(), &mut Fonts::shared());
    line.send(&page).await?;
    if said == Says::Nothing {
        line.hang_up().await?;
        return Ok("sent; it does not say whether it printed");
    }
    Ok(if line.is_through().await { "printed" } else { "sent; it did not say whether it printed" })
}
