//! What a printer, a piece of paper and an address may be, and the words they are stored and sent in. Pure.

mod address;
mod job;
mod layout;

pub use address::{Connection, Target, may_be_at, socket, whole};
pub use job::{Destination, Job, JobKind, JobStatus, Paper};
pub use layout::{Codes, LOGO_CHARS, Layout, LayoutFields};

use crate::config::Printers;
use crate::http::{Checks, FieldError};
use crate::paper::{CodePage, Form, is_language, is_right_to_left};
use serde::Serialize;
use tiffin_common::{Millis, Uuid, words};

/// The most pieces of paper that may wait for one printer.
pub const CEILING: i64 = 50;

/// The most printers of an outlet.
pub const MOST_PRINTERS: usize = 50;

words! {
    /// What a printer can be asked.
    pub enum Profile {
        /// It says whether it is ready and has paper, or nothing.
        Generic = "GENERIC",
        /// As Epson's: it always answers, and counts its cuts, so that a lost answer needs no second copy. While it says nothing,
        /// nothing is sent.
        Epson = "EPSON",
        /// It is never asked: it prints questions as letters.
        Mute = "MUTE",
    }
}

words! {
    /// When a printer prints receipts by itself.
    pub enum AutoPrint {
        /// Only when somebody asks.
        Never = "NEVER",
        /// As soon as there is a bill.
        Invoice = "INVOICE",
        /// When nothing is due any more.
        Payment = "PAYMENT",
    }
}

words! {
    /// What a printer prints.
    pub enum PrinterRole {
        /// Bills and receipts.
        Receipt = "RECEIPT",
        /// Kitchen tickets.
        Kitchen = "KITCHEN",
        /// X and Z reports, codes of tables.
        Report = "REPORT",
    }
}

refusals! {
    /// Why printers refused.
    #[derive(Debug, thiserror::Error)]
    pub enum PrinterError {
        /// What stands in the way; says what.
        #[error("{0}")]
        Conflict(String),
    }
}

table! {
    /// A printer.
    #[derive(PartialEq, Eq, Serialize)]
    #[serde(rename_all = "camelCase")]
    pub struct Printer: printers {
        /// The id.
        pub id: Uuid,
        /// What a client says of it.
        #[serde(flatten)]
        pub fields: PrinterFields => flat,
        /// 1, 2, ….
        pub version: i64,
        /// When it was made.
        pub created_at: Millis,
        /// When it was last changed.
        pub updated_at: Millis,
    }
}

table! {
    /// What a client says of a printer.
    #[derive(PartialEq, Eq, Serialize)]
    #[serde(rename_all = "camelCase")]
    pub struct PrinterFields: printers {
        /// Unique among the outlet's printers.
        pub name: String,
        /// How it is reached.
        pub connection: Connection,
        /// Where, as its connection wants it; unique among the outlet's printers.
        pub address: String,
        /// Width of its paper in millimetres: 58 or 80.
        pub width: i64,
        /// What it can be asked.
        pub profile: Profile,
        /// The code pages it has, the preferred first.
        pub code_pages: Vec<CodePage> => json,
        /// Whether it cuts.
        pub cutter: bool,
        /// Whether a cash drawer is wired to it.
        pub drawer: bool,
        /// When it prints receipts by itself.
        pub auto_print: AutoPrint,
        /// What it prints.
        pub roles: Vec<PrinterRole> => json,
        /// The stations whose tickets it prints.
        pub station_ids: Vec<Uuid> => json,
        /// The printer that prints instead when this one does not.
        pub fallback_printer_id: Option<Uuid>,
        /// The language of its receipts' head and foot, such as `hi`.
        pub language: Option<String>,
        /// Minutes after which its paper is not worth printing; none: as its kind of paper has it.
        pub expires_minutes: Option<i64>,
    }
}

impl Printer {
    /// Whether it is there for `role`.
    pub fn is_for(&self, role: PrinterRole) -> bool {
        self.fields.roles.contains(&role)
    }

    /// Where its paper goes.
    pub fn destination(&self) -> Destination {
        Destination {
            printer_id: Some(self.id),
            address: self.fields.address.clone(),
            expires_minutes: self.fields.expires_minutes,
        }
    }
}

impl PrinterFields {
    /// A printer at `address` of which nobody has said anything: a station names it.
    pub fn unlisted(address: &str) -> PrinterFields {
        PrinterFields {
            name: address.to_owned(),
            connection: Connection::Tcp,
            address: whole(address),
            width: 80,
            profile: Profile::Generic,
            code_pages: PrinterFields::usual_pages(),
            cutter: true,
            drawer: false,
            auto_print: AutoPrint::Never,
            roles: vec![PrinterRole::Kitchen],
            station_ids: Vec::new(),
            fallback_printer_id: None,
            language: None,
            expires_minutes: None,
        }
    }

    /// The code pages that nearly every printer has.
    pub fn usual_pages() -> Vec<CodePage> {
        vec![CodePage::Cp437, CodePage::Cp858]
    }

    /// What it makes of rows.
    pub fn form(&self) -> Form {
        self.form_in(self.language.as_deref())
    }

    /// What it makes of rows in another language than its own.
    pub fn form_in(&self, language: Option<&str>) -> Form {
        let is_mirrored = is_right_to_left(language);
        Form { width: self.width, code_pages: self.code_pages.clone(), cutter: self.cutter, is_mirrored }
    }

    /// Where it is reached.
    pub fn target(&self) -> Target<'_> {
        Target { connection: self.connection, address: &self.address }
    }

    /// The fields trimmed, when everything in them holds. `others` are the outlet's other printers, `stations` its stations, `reach`
    /// where printers may be.
    ///
    /// # Errors
    /// All offending fields.
    pub fn checked(
        mut self,
        others: &[Printer],
        stations: &[Uuid],
        reach: &Printers,
    ) -> Result<PrinterFields, Vec<FieldError>> {
        self.name = self.name.trim().to_owned();
        self.address = self.address.trim().to_owned();
        self.language = self.language.map(|text| text.trim().to_lowercase()).filter(|text| !text.is_empty());
        unrepeated(&mut self.code_pages);
        unrepeated(&mut self.roles);
        unrepeated(&mut self.station_ids);
        let mut checks = Checks::new();
        checks.require(!self.name.is_empty(), "name", "must not be empty");
        if let Err(reason) = self.target().check(reach) {
            checks.add("address", reason);
        }
        if self.connection == Connection::Tcp {
            self.address = whole(&self.address);
        }
        let is_taken = |printer: &Printer| printer.fields.address == self.address;
        checks.require(!others.iter().any(is_taken), "address", "is that of another printer");
        let may_answer = self.connection != Connection::Spool || self.profile != Profile::Epson;
        checks.require(may_answer, "profile", "is not EPSON for a queue, which cannot be asked");
        checks.require(matches!(self.width, 58 | 80), "width", "must be 58 or 80");
        checks.require(!self.roles.is_empty(), "roles", "must name what it prints");
        for (n, station) in self.station_ids.iter().enumerate() {
            let is_known = stations.contains(station);
            checks.require(is_known, format!("stationIds[{n}]"), "is not a station of this outlet");
        }
        let is_kitchens = self.station_ids.is_empty() || self.roles.contains(&PrinterRole::Kitchen);
        checks.require(is_kitchens, "stationIds", "need the role KITCHEN");
        if let Some(fallback) = self.fallback_printer_id {
            let is_known = others.iter().any(|printer| printer.id == fallback);
            checks.require(is_known, "fallbackPrinterId", "is not another printer of this outlet");
        }
        if let Some(language) = &self.language {
            checks.require(is_language(language), "language", "must be a language such as hi");
        }
        checks.finish(self)
    }
}

/// Each value once, in the order of its first place.
fn unrepeated<T: Copy + PartialEq>(values: &mut Vec<T>) {
    let mut seen = Vec::with_capacity(values.len());
    values.retain(|value| {
        let is_new = !seen.contains(value);
        seen.push(*value);
        is_new
    });
}
