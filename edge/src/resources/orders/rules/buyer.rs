//! Whom a bill is made out to. A business is named by a checked tax id, and stands in the bill; any other guest stands where guests do, and
//! can be forgotten.

use super::bill::Bill;
use super::record::Guest;
use crate::http::FieldError;
use crate::resources::outlets::rules::Profile;

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

impl Buyer {
    /// The buyer with the tax id as the country of `profile` writes and checks it.
    ///
    /// # Errors
    /// An offending `customerTaxId`.
    pub fn checked(mut self, profile: &Profile) -> Result<Buyer, Vec<FieldError>> {
        let given = self.tax_id.take().filter(|id| !id.trim().is_empty());
        self.tax_id = match given.map(|id| profile.checked_tax_id(&id)).transpose() {
            Ok(id) => id,
            Err(reason) => return Err(vec![FieldError::new("customerTaxId", reason)]),
        };
        Ok(self)
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
        let india = Profile::of("IN");
        let checked = of(" 27aapfu0939f1zv ").checked(india).unwrap();
        assert_eq!(checked.tax_id.as_deref(), Some("27AAPFU0939F1ZV"));
        assert_eq!(of("27AAPFU0939F1ZW").checked(india).unwrap_err()[0].name, "customerTaxId");
        assert_eq!(of("  ").checked(india).unwrap(), Buyer::default());
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
