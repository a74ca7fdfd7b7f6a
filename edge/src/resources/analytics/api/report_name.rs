//! The names of the reports below `/analytics/reports`.

use tiffin_common::words;

words! {
    /// The name of a report.
    #[expect(missing_docs, reason = "named as their paths; rules/reports says what is in them")]
    pub enum ReportName {
        Sales = "sales",
        Payments = "payments",
        Tax = "tax",
        Channels = "channels",
        Discounts = "discounts",
        Voids = "voids",
        Inventory = "inventory",
        Combos = "combos",
        Variance = "variance",
        Waste = "waste",
        Labor = "labor",
        Purchases = "purchases",
        PriceVariance = "price-variance",
        SupplierInvoices = "supplier-invoices",
        Pnl = "pnl",
        Register = "register",
        Hsn = "hsn",
        Gstr1 = "gstr1",
        Gstr3b = "gstr3b",
        Cmp08 = "cmp08",
        Journal = "journal",
        Tally = "tally",
        Tips = "tips",
        Servers = "servers",
        Corrections = "corrections",
        Slips = "slips",
    }
}
