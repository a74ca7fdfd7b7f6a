//! The pages of the setup. Plain forms that work without scripts and with a screen reader. Never repeats a password.

use super::fields::{
    Field, Fields, HUB, HUB_CA, HUB_CODE, OUTLET_CODE, OUTLET_NAME, OWNER_EMAIL, OWNER_PASSWORD,
    OWNER_PASSWORD_AGAIN, REPLACE, SAMPLE_DATA,
};
use super::{Form, Made, Wrong};
use crate::lan::Reach;
use crate::lan::html::{self, escaped};

/// What the pages are called.
const TITLE: &str = "Set up this box";

/// The code of the link, typed by hand.
const CODE: Field = Field {
    name: "code",
    label: "Code",
    attributes: "required autofocus autocomplete=\"off\" autocapitalize=\"characters\" spellcheck=\"false\" enterkeyhint=\"go\" \
                 placeholder=\"ABCD-EFGH\" maxlength=\"20\"",
    hint: "The link on this box's screen and in its log ends with it. Each start makes a new one.",
};

/// Asks for the code, with what was wrong with the last one.
pub(super) fn ask_for_code(trouble: Option<&str>) -> String {
    let wrong: Vec<Wrong> = trouble.map(|text| Wrong::new(CODE.name, text)).into_iter().collect();
    let mut fields = Fields::new(&wrong);
    fields
        .add("<p>There is no branch on this box yet.</p><form method=\"get\" action=\"/setup\" novalidate>");
    fields.input(&CODE, "");
    fields.add("<p><button>Go on</button></p></form>");
    titled(&wrong, &fields.end())
}

/// Says why nothing more is done for now.
pub(super) fn refused(reason: &str) -> String {
    let body = format!(
        "<p class=\"alarm\" role=\"alert\">{}</p><p><a href=\"/setup\">Open the setup page again</a></p>",
        escaped(reason)
    );
    html::trouble(TITLE, &body)
}

/// The page, whose tab says when something is wrong.
fn titled(wrong: &[Wrong], body: &str) -> String {
    if wrong.is_empty() { html::page(TITLE, body) } else { html::trouble(TITLE, body) }
}

/// The form, as it was filled in, with what is wrong.
pub(super) fn form(form: &Form, wrong: &[Wrong]) -> String {
    let mut fields = Fields::new(wrong);
    if wrong.is_empty() {
        fields.add("<p>This makes the branch that this box serves. It is done once.</p>");
    } else {
        fields.summary();
    }
    // What may be left out depends on what is wished for, so the server says what is missing, not the browser.
    fields.add("<form method=\"post\" action=\"/setup\" novalidate autocomplete=\"off\">");
    fields.add(&format!("<input type=\"hidden\" name=\"code\" value=\"{}\">", escaped(&form.code)));
    fields.group("The outlet", |fields| {
        fields.input(&OUTLET_CODE, &form.outlet_code);
        fields.input(&OUTLET_NAME, &form.outlet_name);
        fields.zones(&form.timezone);
        fields.currency(form);
    });
    fields.group("The owner's account", |fields| {
        fields.input(&OWNER_EMAIL, &form.owner_email);
        let again = "10 to 128 characters. Type it once more: no page repeats a password.";
        let hint = if wrong.is_empty() { OWNER_PASSWORD.hint } else { again };
        fields.input(&Field { hint, ..OWNER_PASSWORD }, "");
        fields.input(&OWNER_PASSWORD_AGAIN, "");
    });
    let is_sample = form.sample_data.is_some();
    fields.folded("To try it out: a sample restaurant", is_sample, &[&SAMPLE_DATA], |fields| {
        fields.tick(&SAMPLE_DATA, is_sample);
    });
    let is_filled =
        form.replaces() || [&form.hub, &form.hub_code, &form.hub_ca].iter().any(|text| !text.is_empty());
    let group = [&HUB, &HUB_CODE, &HUB_CA, &REPLACE];
    fields.folded("Head office, or a box to replace", is_filled, &group, |fields| {
        fields.input(&HUB, &form.hub);
        fields.input(&HUB_CODE, &form.hub_code);
        fields.area(&HUB_CA, &form.hub_ca);
        fields.tick(&REPLACE, form.replaces());
    });
    fields.add("<p><button>Set up</button></p></form>");
    titled(wrong, &fields.end())
}

/// The work takes longer than an answer should.
pub(super) fn working(code: &str) -> String {
    let address = format!("/setup/progress?code={code}");
    let body = format!(
        "<p role=\"status\">The branch is being made. This page asks again by itself; <a href=\"{}\">ask now</a>.</p>",
        escaped(&address)
    );
    html::waiting("One moment", 3, &address, &body)
}

/// It is there.
pub(super) fn done(made: &Made, reach: &Reach) -> String {
    let notes: String = made.notes.iter().map(|note| format!("<p>{}</p>", escaped(note))).collect();
    let (outlet, address) = (escaped(&made.outlet), escaped(&reach.address()));
    let certificate = match reach.secure() {
        Some(_) => "<li><a href=\"/certificate\">Install the certificate</a> on each tablet and till.</li>",
        None => "",
    };
    let body = format!(
        "<div class=\"good\" role=\"status\"><p><b>{outlet}</b> is set up and opens now.</p></div>{notes}\
         <p>Tills and tablets find it at <a href=\"{address}/\">{address}</a>.</p><h2>What comes next</h2>\
         <ol class=\"steps\"><li><a href=\"/sheet\">Print the sheet</a> with this address and its codes.</li>{certificate}\
         <li>Sign in on a till as the owner, with the password you have just chosen.</li></ol>\
         <p>This setup page is closed from now on.</p>"
    );
    html::page("Done", &body)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::lan::setup::Place;

    #[test]
    fn what_was_filled_in_stays_except_passwords_and_errors_stand_beside_their_fields() {
        let filled = Form {
            outlet_name: "\"><script>".into(),
            owner_password: "secret-secret".into(),
            timezone: "Europe/Berlin".into(),
            hub_ca: "</textarea><script>".into(),
            ..Form::new("ABCD-EFGH", &Place::of(None))
        };
        let text = form(&filled, &[Wrong::new("outlet-code", "must be <short>"), Wrong::new("", "no luck")]);
        assert!(!text.contains("<script>") && !text.contains("secret-secret") && !text.contains("<short>"));
        assert!(text.contains("<option selected>Europe/Berlin</option>"));
        assert!(text.contains("id=\"outlet-code-wrong\"") && text.contains("href=\"#outlet-code\""));
        assert!(text.contains("<li>no luck</li>") && text.contains("aria-invalid=\"true\""));
        for name in ["outlet-code", "owner-password", "hub-ca", "replace"] {
            assert!(text.contains(&format!("<label for=\"{name}\">")), "{name}");
        }
    }
}
