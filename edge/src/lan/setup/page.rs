//! The pages of the setup. Plain forms that work without scripts and with a screen reader. Never repeats a password.

use super::fields::{
    CAPITALS, COUNTRY, Field, Fields, HUB, HUB_CA, HUB_CODE, OUTLET_CODE, OUTLET_NAME, OWNER_EMAIL,
    OWNER_PASSWORD, OWNER_PASSWORD_AGAIN, REPLACE, SAMPLE_DATA,
};
use super::{Form, Made, Wrong};
use crate::lan::Reach;
use crate::lan::html::{self, Page};
use maud::{Markup, html};

/// What the pages are called.
const TITLE: &str = "Set up this box";

/// The code of the link, typed by hand.
const CODE: Field = Field {
    required: true,
    alone: true,
    maxlength: Some(20),
    capitals: CAPITALS,
    placeholder: Some("ABCD-EFGH"),
    ..Field::text(
        "code",
        "Code",
        "The link on this box's screen and in its log ends with it. Each start makes a new one.",
    )
};

/// Asks for the code, with what was wrong with the last one.
pub(super) fn ask_for_code(trouble: Option<&str>) -> Page {
    let wrong: Vec<Wrong> = trouble.map(|text| Wrong::new(CODE.name, text)).into_iter().collect();
    let body = html! {
        p { "There is no branch on this box yet." }
        form method="get" action="/setup" novalidate {
            (Fields(&wrong).input(&CODE, ""))
            p { button { "Go on" } }
        }
    };
    titled(&wrong, body)
}

/// Says why nothing more is done for now.
pub(super) fn refused(reason: &str) -> Page {
    let body = html! {
        p.alarm role="alert" { (reason) }
        p { a href="/setup" { "Open the setup page again" } }
    };
    html::trouble(TITLE, body)
}

/// The page, whose tab says when something is wrong.
fn titled(wrong: &[Wrong], body: Markup) -> Page {
    if wrong.is_empty() { html::page(TITLE, body) } else { html::trouble(TITLE, body) }
}

/// The form, as it was filled in, with what is wrong.
pub(super) fn form(form: &Form, wrong: &[Wrong]) -> Page {
    let fields = Fields(wrong);
    let again = "10 to 128 characters. Type it once more: no page repeats a password.";
    let hint = if wrong.is_empty() { OWNER_PASSWORD.hint } else { again };
    let is_sample = form.sample_data.is_some();
    let is_filled =
        form.replaces() || [&form.hub, &form.hub_code, &form.hub_ca].iter().any(|text| !text.is_empty());
    let body = html! {
        @if wrong.is_empty() {
            p { "This makes the branch that this box serves. It is done once." }
        } @else {
            (fields.summary())
        }
        // What may be left out depends on what is wished for, so the server says what is missing, not the browser.
        form method="post" action="/setup" novalidate autocomplete="off" {
            input type="hidden" name="code" value=(form.code);
            fieldset {
                legend { "The outlet" }
                (fields.input(&OUTLET_CODE, &form.outlet_code))
                (fields.input(&OUTLET_NAME, &form.outlet_name))
                (fields.zones(&form.timezone))
                (fields.currency(&form.currency))
                (fields.input(&COUNTRY, &form.country))
            }
            fieldset {
                legend { "The owner's account" }
                (fields.input(&OWNER_EMAIL, &form.owner_email))
                (fields.input(&Field { hint, ..OWNER_PASSWORD }, ""))
                (fields.input(&OWNER_PASSWORD_AGAIN, ""))
            }
            details open[is_sample || fields.are_wrong(&[&SAMPLE_DATA])] {
                summary { "To try it out: a sample restaurant" }
                (fields.tick(&SAMPLE_DATA, is_sample))
            }
            details open[is_filled || fields.are_wrong(&[&HUB, &HUB_CODE, &HUB_CA, &REPLACE])] {
                summary { "Head office, or a box to replace" }
                (fields.input(&HUB, &form.hub))
                (fields.input(&HUB_CODE, &form.hub_code))
                (fields.area(&HUB_CA, &form.hub_ca))
                (fields.tick(&REPLACE, form.replaces()))
            }
            p { button { "Set up" } }
        }
    };
    titled(wrong, body)
}

/// The work takes longer than an answer should.
pub(super) fn working(code: &str) -> Page {
    let address = format!("/setup/progress?code={code}");
    let body = html! {
        p role="status" {
            "The branch is being made. This page asks again by itself; " a href=(address) { "ask now" } "."
        }
    };
    html::waiting("One moment", 3, &address, body)
}

/// It is there.
pub(super) fn done(made: &Made, reach: &Reach) -> Page {
    let address = reach.address();
    let body = html! {
        .good role="status" { p { b { (made.outlet) } " is set up and opens now." } }
        @for note in &made.notes { p { (note) } }
        p { "Tills and tablets find it at " a href={ (address) "/" } { (address) } "." }
        h2 { "What comes next" }
        ol.steps {
            li { a href="/sheet" { "Print the sheet" } " with this address and its codes." }
            @if reach.secure().is_some() {
                li { a href="/certificate" { "Install the certificate" } " on each tablet and till." }
            }
            li { "Sign in on a till as the owner, with the password you have just chosen." }
        }
        p { "This setup page is closed from now on." }
    };
    html::page("Done", body)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::lan::setup::Locale;

    #[test]
    fn what_was_filled_in_stays_except_passwords_and_errors_stand_beside_their_fields() {
        let filled = Form {
            outlet_name: "\"><script>".into(),
            owner_password: "secret-secret".into(),
            timezone: "Europe/Berlin".into(),
            hub_ca: "</textarea><script>".into(),
            ..Form::new("ABCD-EFGH", &Locale::of(None))
        };
        let text = form(&filled, &[Wrong::new("outlet-code", "must be <short>"), Wrong::new("", "no luck")]);
        let text = text.body.into_string();
        assert!(!text.contains("<script>") && !text.contains("secret-secret") && !text.contains("<short>"));
        assert!(text.contains("<option selected>Europe/Berlin</option>"));
        assert!(text.contains("id=\"outlet-code-wrong\"") && text.contains("href=\"#outlet-code\""));
        assert!(text.contains("<li>no luck</li>") && text.contains("aria-invalid=\"true\""));
        for name in ["outlet-code", "owner-password", "hub-ca", "replace"] {
            assert!(text.contains(&format!("<label for=\"{name}\">")), "{name}");
        }
    }
}
