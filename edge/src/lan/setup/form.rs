//! What the setup page asks, as it was filled in, and what is wished for by it. Never shows a password again.

use super::{Locale, Wrong};
use serde::Deserialize;

/// The form, field by field. A box that is not ticked does not come.
#[derive(Clone, Default, Deserialize)]
#[serde(default, rename_all = "kebab-case")]
#[expect(missing_docs, reason = "the fields are those of the page, explained there")]
pub struct Form {
    pub code: String,
    pub outlet_code: String,
    pub outlet_name: String,
    pub timezone: String,
    pub currency: String,
    pub country: String,
    pub owner_email: String,
    pub owner_password: String,
    pub owner_password_again: String,
    pub sample_data: Option<String>,
    pub hub: String,
    pub hub_code: String,
    pub hub_ca: String,
    pub replace: Option<String>,
}

/// What is wished for: a new branch, alone or with a head office; or, without one, the place of another box.
pub struct Wish {
    /// The new branch.
    pub branch: Option<Branch>,
    /// The head office it belongs to.
    pub head_office: Option<HeadOffice>,
}

/// A new branch.
pub struct Branch {
    /// 1 to 4 letters and digits.
    pub outlet_code: String,
    /// Its name.
    pub outlet_name: String,
    /// IANA time zone.
    pub timezone: String,
    /// ISO 4217 code.
    pub currency: String,
    /// ISO 3166 code; empty where currency and time zone tell.
    pub country: String,
    /// The owner's account.
    pub owner_email: String,
    /// Its password.
    pub owner_password: Password,
    /// Whether to fill it with the sample restaurant.
    pub sample_data: bool,
}

/// A head office to belong to.
#[derive(Debug)]
pub struct HeadOffice {
    /// Its address.
    pub url: String,
    /// The one-time code it gave out.
    pub code: String,
    /// Its certificate authority (PEM), where it has its own.
    pub authority: Option<String>,
}

/// A password on its way to its hash.
pub struct Password(pub String);

impl Form {
    /// An empty form with the ordinary answers of `place`.
    pub(super) fn new(code: &str, place: &Locale) -> Form {
        let Locale { timezone, currency } = place.clone();
        Form { code: code.to_owned(), timezone, currency, ..Form::default() }
    }

    /// Whether the box takes the place of another.
    pub(super) fn replaces(&self) -> bool {
        self.replace.is_some()
    }

    /// What is wished for.
    ///
    /// # Errors
    /// What only this form can know to be wrong; the rest is checked by who makes the branch.
    pub(super) fn wish(&self) -> Result<Wish, Vec<Wrong>> {
        let head_office = self.head_office()?;
        if self.replaces() {
            return match head_office {
                Some(head_office) => Ok(Wish { branch: None, head_office: Some(head_office) }),
                None => Err(vec![Wrong::new("hub", "is needed: it holds what the other box had")]),
            };
        }
        if self.owner_password != self.owner_password_again {
            return Err(vec![Wrong::new("owner-password-again", "is not the same password")]);
        }
        let text = |field: &str| field.trim().to_owned();
        let branch = Branch {
            outlet_code: text(&self.outlet_code),
            outlet_name: text(&self.outlet_name),
            timezone: text(&self.timezone),
            currency: text(&self.currency).to_uppercase(),
            country: text(&self.country).to_uppercase(),
            owner_email: text(&self.owner_email),
            owner_password: Password(self.owner_password.clone()),
            sample_data: self.sample_data.is_some(),
        };
        Ok(Wish { branch: Some(branch), head_office })
    }

    fn head_office(&self) -> Result<Option<HeadOffice>, Vec<Wrong>> {
        let [url, code, authority] =
            [&self.hub, &self.hub_code, &self.hub_ca].map(|field| field.trim().to_owned());
        match (url.is_empty(), code.is_empty()) {
            (true, true) => Ok(None),
            (true, false) => Err(vec![Wrong::new("hub", "is needed with a code")]),
            (false, true) => {
                Err(vec![Wrong::new("hub-code", "is needed: head office gives one out for each box")])
            }
            (false, false) => {
                let authority = Some(authority).filter(|text| !text.is_empty());
                Ok(Some(HeadOffice { url, code, authority }))
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn wrong(text: &str) -> &'static str {
        let form: Form = serde_urlencoded::from_str(text).unwrap();
        form.wish().err().unwrap().first().unwrap().field
    }

    #[test]
    fn a_form_is_a_new_branch_or_the_place_of_another_box() {
        let text = "outlet-code=BLR1&owner-password=a&owner-password-again=a&sample-data=yes&currency=inr&country=in";
        let form: Form = serde_urlencoded::from_str(text).unwrap();
        let wish = form.wish().unwrap();
        let branch = wish.branch.unwrap();
        assert!(wish.head_office.is_none() && branch.sample_data && branch.currency == "INR");
        assert_eq!(branch.country, "IN");
        let form: Form = serde_urlencoded::from_str("replace=yes&hub=https%3A%2F%2Fh&hub-code=X").unwrap();
        let wish = form.wish().unwrap();
        assert!(wish.branch.is_none() && wish.head_office.unwrap().url == "https://h");
        assert_eq!(wrong("replace=yes"), "hub");
        assert_eq!(wrong("hub-code=X"), "hub");
        assert_eq!(wrong("hub=https%3A%2F%2Fh"), "hub-code");
        assert_eq!(wrong("owner-password=a&owner-password-again=b"), "owner-password-again");
    }
}
