//! The figures of India's GSTR-3B, and of CMP-08 under the composition scheme. Of documents of the scheme that the return is of.

use super::gst::Eco;
use crate::report_row;
use crate::resources::analytics::rules::documents::{Class, Document, Heads, class_of};
use crate::resources::analytics::rules::report::{Column, Table, Unit};
use tiffin_common::{Bps, Cents, Overflow};

const GSTR3B: &[Column] = &[
    Column::new("table", "Table", Unit::Text),
    Column::new("nature", "Nature of supplies", Unit::Text),
    Column::new("taxableCents", "Total taxable value", Unit::Cents),
    Column::new("igstCents", "Integrated tax", Unit::Cents),
    Column::new("cgstCents", "Central tax", Unit::Cents),
    Column::new("sgstCents", "State or UT tax", Unit::Cents),
    Column::new("cessCents", "Cess", Unit::Cents),
];

/// GSTR-3B, tables 3.1 and 3.1.1.
///
/// # Errors
/// [`Overflow`].
pub fn gstr3b(documents: &[Document], eco: &[Eco]) -> Result<Table, Overflow> {
    let (mut taxed, mut untaxed, mut outside) = (Heads::default(), Heads::default(), Heads::default());
    for document in documents {
        for supply in document.supplied()? {
            let heads = Heads::of(&supply, document.sign())?;
            let sum = match class_of(&supply)? {
                Class::Taxed(_) => &mut taxed,
                Class::Nil | Class::Exempt => &mut untaxed,
                Class::Outside => &mut outside,
            };
            *sum = sum.plus(heads)?;
        }
    }
    let by_operators =
        Heads { taxable: Cents::sum(eco.iter().map(|operator| operator.value))?, ..Heads::default() };
    let none = Heads::default();
    let lines = [
        ("3.1(a)", "Outward taxable supplies (other than zero rated, nil rated and exempted)", taxed),
        ("3.1(b)", "Outward taxable supplies (zero rated)", none),
        ("3.1(c)", "Other outward supplies (nil rated, exempted)", untaxed),
        ("3.1(d)", "Inward supplies (liable to reverse charge)", none),
        ("3.1(e)", "Non-GST outward supplies", outside),
        ("3.1.1(i)", "Supplies on which the electronic commerce operator pays tax, furnished by it", none),
        (
            "3.1.1(ii)",
            "Supplies made through an electronic commerce operator which pays their tax (section 9(5))",
            by_operators,
        ),
    ];
    let rows = lines.map(|(table, nature, Heads { taxable, igst, cgst, sgst, cess, .. })| {
        report_row![table, nature, taxable, igst, cgst, sgst, cess]
    });
    Table::new(GSTR3B, rows.to_vec())
}

const CMP08: &[Column] = &[
    Column::new("table", "Table", Unit::Text),
    Column::new("description", "Description", Unit::Text),
    Column::new("valueCents", "Value", Unit::Cents),
    Column::new("igstCents", "Integrated tax", Unit::Cents),
    Column::new("cgstCents", "Central tax", Unit::Cents),
    Column::new("sgstCents", "State or UT tax", Unit::Cents),
    Column::new("cessCents", "Cess", Unit::Cents),
];

/// CMP-08, table 3: the turnover of documents and the tax that the house pays of it at `rate`, half to the centre.
///
/// # Errors
/// [`Overflow`].
pub fn cmp08(documents: &[Document], rate: Bps) -> Result<Table, Overflow> {
    let mut turnover = Cents::ZERO;
    for document in documents {
        turnover = turnover.plus(document.net()?.times(document.sign())?)?;
    }
    let half = turnover.ratio(rate.get(), 2 * Bps::WHOLE)?;
    let zero = Cents::ZERO;
    let rows = vec![
        report_row!["3.1", "Outward supplies (including exempt supplies)", turnover, zero, half, half, zero],
        report_row![
            "3.2",
            "Inward supplies attracting reverse charge including import of services",
            zero,
            zero,
            zero,
            zero,
            zero
        ],
        report_row!["3.3", "Tax payable (3.1 + 3.2)", zero, zero, half, half, zero],
    ];
    Ok(Table::of_lines(CMP08, rows))
}
