//! The journal as the vouchers that Tally imports (its XML of "Import Data", report "Vouchers"): an amount that is debited is below
//! nothing and deemed positive, one that is credited above. The ledgers have to be there under the journal's names.

use super::journal::{Journal, Voucher};
use std::fmt::Write;
use tiffin_common::{Cents, Overflow, currency};

/// What Tally calls a voucher.
fn kind(voucher: Voucher) -> &'static str {
    match voucher {
        Voucher::Sales => "Sales",
        Voucher::CreditNotes => "Credit Note",
        Voucher::Receipts => "Receipt",
        Voucher::Refunds => "Payment",
        Voucher::WriteOffs | Voucher::Commission | Voucher::Cash | Voucher::Stock => "Journal",
    }
}

/// The journal for the company `company`, amounts with the decimals of `money`.
///
/// # Errors
/// [`Overflow`].
pub fn tally_xml(journal: &Journal, company: &str, money: &str) -> Result<String, Overflow> {
    let mut xml = String::from(
        "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n<ENVELOPE>\n<HEADER>\n<TALLYREQUEST>Import Data</TALLYREQUEST>\n</HEADER>\n\
         <BODY>\n<IMPORTDATA>\n<REQUESTDESC>\n<REPORTNAME>Vouchers</REPORTNAME>\n<STATICVARIABLES>\n",
    );
    element(&mut xml, "SVCURRENTCOMPANY", company);
    xml.push_str("</STATICVARIABLES>\n</REQUESTDESC>\n<REQUESTDATA>\n");
    for (date, voucher, accounts) in journal.vouchers() {
        let (kind, day) = (kind(voucher), date.format("%Y%m%d"));
        // Writing to a String cannot fail.
        let _ = writeln!(
            xml,
            "<TALLYMESSAGE xmlns:UDF=\"TallyUDF\">\n<VOUCHER VCHTYPE=\"{kind}\" ACTION=\"Create\" OBJVIEW=\"Accounting Voucher View\">"
        );
        element(&mut xml, "DATE", &day.to_string());
        element(&mut xml, "VOUCHERTYPENAME", kind);
        element(&mut xml, "VOUCHERNUMBER", &format!("{}-{day}", voucher.name()));
        element(&mut xml, "PERSISTEDVIEW", "Accounting Voucher View");
        element(&mut xml, "NARRATION", &format!("{} of {date}", voucher.name()));
        for (account, amount) in accounts {
            xml.push_str("<ALLLEDGERENTRIES.LIST>\n");
            element(&mut xml, "LEDGERNAME", account);
            element(&mut xml, "ISDEEMEDPOSITIVE", if amount > Cents::ZERO { "Yes" } else { "No" });
            element(&mut xml, "AMOUNT", &currency::major(amount.times(-1)?, money));
            xml.push_str("</ALLLEDGERENTRIES.LIST>\n");
        }
        xml.push_str("</VOUCHER>\n</TALLYMESSAGE>\n");
    }
    xml.push_str("</REQUESTDATA>\n</IMPORTDATA>\n</BODY>\n</ENVELOPE>\n");
    Ok(xml)
}

fn element(xml: &mut String, name: &str, text: &str) {
    let _ = writeln!(xml, "<{name}>{}</{name}>", escaped(text));
}

fn escaped(text: &str) -> String {
    let mut safe = String::with_capacity(text.len());
    for c in text.chars() {
        match c {
            '&' => safe.push_str("&amp;"),
            '<' => safe.push_str("&lt;"),
            '>' => safe.push_str("&gt;"),
            '"' => safe.push_str("&quot;"),
            '\'' => safe.push_str("&apos;"),
            other => safe.push(other),
        }
    }
    safe
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_carry_no_markup() {
        let mut journal = Journal::default();
        let at = ("2026-07-21".parse().unwrap(), Voucher::Cash);
        journal.post(at, "A & <B>", "CASH", Cents::new(-150)).unwrap();
        let xml = tally_xml(&journal, "Tom's", "JPY").unwrap();
        assert!(xml.contains("<LEDGERNAME>A &amp; &lt;B&gt;</LEDGERNAME>\n<ISDEEMEDPOSITIVE>No</ISDEEMEDPOSITIVE>\n<AMOUNT>150<"));
        assert!(xml.contains(
            "<LEDGERNAME>CASH</LEDGERNAME>\n<ISDEEMEDPOSITIVE>Yes</ISDEEMEDPOSITIVE>\n<AMOUNT>-150<"
        ));
        assert!(xml.contains("<SVCURRENTCOMPANY>Tom&apos;s</SVCURRENTCOMPANY>"));
    }
}
