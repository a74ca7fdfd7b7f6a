//! Whom a bill is made out to. A business is named by a checked tax id, and stands in the bill; any other guest stands where guests do, and
//! can be forgotten.

use super::invoices::Bill;
use super::record::Guest;
use crate::http::{Checks, FieldError};
use tiffin_common::gstin::is_gstin;

/// The buyer of a bill, as asked for.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Buyer {
    /// GSTIN or the like; with it the buyer is a business.
    pub tax_id: Option<String>,
    /// The registered name.
    pub legal_name: Option<String>,
    /// The address.
    pub address: Option<String>,
}

/// Whether `text` may be a tax id somewhere: letters and digits, with what stands between them.
fn may_be_tax_id(text: &str) -> bool {
    let is_known = |c: char| c.is_ascii_alphanumeric() || matches!(c, '-' | '.' | '/');
    (4..=20).contains(&text.len()) && text.chars().all(is_known) && text.chars().any(|c| c.is_ascii_digit())
}

impl Buyer {
    /// The buyer with the tax id in capitals and without spaces, checked as `country` has it.
    ///
    /// # Errors
    /// An offending `customerTaxId`.
    pub fn checked(mut self, country: &str) -> Result<Buyer, Vec<FieldError>> {
        let mut checks = Checks::new();
        let bare = |id: String| id.split_whitespace().collect::<String>().to_ascii_uppercase();
        self.tax_id = self.tax_id.map(bare).filter(|id| !id.is_empty());
        if let Some(id) = &self.tax_id {
            let (is_right, why) = match country {
                "IN" => (is_gstin(id), "is no GSTIN: its form or its check digit is wrong"),
                _ => (may_be_tax_id(id), "is no tax id"),
            };
            checks.require(is_right, "customerTaxId", why);
        }
        checks.finish(self)
    }

    /// The guest that it makes of `present` where it is no business: what it names.
    pub fn over(&self, present: &Guest) -> Guest {
        if self.tax_id.is_some() {
            return present.clone();
        }
        let named = |given: &Option<String>, there: &Option<String>| given.clone().or_else(|| there.clone());
        Guest {
            name: named(&self.legal_name, &present.name),
            phone: present.phone.clone(),
            address: named(&self.address, &present.address),
        }
    }

    /// The field by which `bill`, whose order is `guest`'s, is made out to somebody else; none where all that is asked for stands.
    pub fn differs(&self, bill: &Bill, guest: &Guest) -> Option<&'static str> {
        let (name, address) = match bill.customer_tax_id {
            Some(_) => (&bill.customer_legal_name, &bill.customer_address),
            None => (&guest.name, &guest.address),
        };
        let other = |given: &Option<String>, there: &Option<String>| given.is_some() && given != there;
        [
            ("customerTaxId", other(&self.tax_id, &bill.customer_tax_id)),
            ("customerLegalName", other(&self.legal_name, name)),
            ("customerAddress", other(&self.address, address)),
        ]
        .into_iter()
        .find_map(|(field, is_other)| is_other.then_some(field))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn of(tax_id: &str) -> Buyer {
        Buyer { tax_id: Some(tax_id.into()), ..Buyer::default() }
    }

    #[test]
    fn a_tax_id_is_read_as_people_write_it_and_checked() {
        let checked = of(" 27aapfu 0939f1zv ").checked("IN").unwrap();
        assert_eq!(checked.tax_id.as_deref(), Some("27AAPFU0939F1ZV"));
        assert_eq!(of("27AAPFU0939F1ZW").checked("IN").unwrap_err()[0].name, "customerTaxId");
        assert_eq!(of("GB 123 4567 89").checked("GBP").unwrap().tax_id.as_deref(), Some("GB123456789"));
        assert!(of("none").checked("GBP").is_err());
        assert_eq!(of("  ").checked("IN").unwrap(), Buyer::default());
    }

    #[test]
    fn a_guest_who_is_no_business_stays_a_guest() {
        let there = Guest { name: Some("Asha".into()), phone: Some("98".into()), address: None };
        let asked = Buyer { address: Some("12 MG Road".into()), ..Buyer::default() };
        let guest = Guest { address: Some("12 MG Road".into()), ..there.clone() };
        assert_eq!(asked.over(&there), guest);
        assert_eq!(Buyer { address: asked.address.clone(), ..of("27AAPFU0939F1ZV") }.over(&there), there);
    }
}
