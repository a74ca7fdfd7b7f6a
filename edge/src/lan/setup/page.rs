//! The pages of the setup. Plain forms that work without scripts and with a screen reader: every field has its label, every
//! error stands beside its field and in a list above. Never repeats a password.

use super::{Form, Made, Wrong};
use crate::lan::Reach;
use crate::lan::html::{self, escaped};

/// Asks for the code, with what was wrong with the last one.
pub(super) fn ask_for_code(trouble: Option<&str>) -> String {
    let trouble = trouble
        .map_or_else(String::new, |text| format!("<p class=\"alarm\" role=\"alert\">{}</p>", escaped(text)));
    let body = format!(
        "{trouble}<p>There is no branch on this box yet. Its screen and its log show a link with a code; each start makes a new one.</p>\
         <form method=\"get\" action=\"/setup\"><label for=\"code\">Code</label>\
         <input id=\"code\" name=\"code\" required autocomplete=\"off\" autocapitalize=\"characters\" spellcheck=\"false\" \
         placeholder=\"ABCD-EFGH\" maxlength=\"20\"><p><button>Go on</button></p></form>"
    );
    html::page("Set up this box", &body)
}

/// Currencies that are offered; any other may be typed.
const CURRENCIES: [&str; 18] = [
    "INR", "AED", "AUD", "BDT", "BRL", "CAD", "EUR", "GBP", "IDR", "LKR", "MYR", "NPR", "PHP", "SAR", "SGD",
    "THB", "USD", "ZAR",
];

/// A field of one line: its name, its label, attributes of its own, and what to know about it.
struct Input {
    name: &'static str,
    label: &'static str,
    attributes: &'static str,
    hint: &'static str,
}

const OUTLET_CODE: Input = Input {
    name: "outlet-code",
    label: "Code",
    attributes: "maxlength=\"4\" autocapitalize=\"characters\"",
    hint: "Up to 4 letters and digits, as BLR1; it begins every order and invoice number and cannot be changed later.",
};

const OUTLET_NAME: Input =
    Input { name: "outlet-name", label: "Name", attributes: "maxlength=\"200\"", hint: "As on its bills." };

const CURRENCY: Input = Input {
    name: "currency",
    label: "Currency",
    attributes: "maxlength=\"3\" list=\"currencies\" autocapitalize=\"characters\"",
    hint: "Three letters (ISO 4217).",
};

const OWNER_EMAIL: Input = Input {
    name: "owner-email",
    label: "Email",
    attributes: "type=\"email\" autocomplete=\"email\" maxlength=\"254\"",
    hint: "The owner signs in with it.",
};

const OWNER_PASSWORD: Input = Input {
    name: "owner-password",
    label: "Password",
    attributes: "type=\"password\" autocomplete=\"new-password\" maxlength=\"128\"",
    hint: "10 to 128 characters.",
};

const OWNER_PASSWORD_AGAIN: Input =
    Input { name: "owner-password-again", label: "Password again", hint: "", ..OWNER_PASSWORD };

const SAMPLE_DATA: Input = Input {
    name: "sample-data",
    label: "Fill it with a sample restaurant",
    attributes: "",
    hint: "Dishes, recipes, stock, tables and employees with an account for every role, password tiffin-sample. \
           Not for a branch that will trade.",
};

const HUB: Input = Input {
    name: "hub",
    label: "Address",
    attributes: "type=\"url\" placeholder=\"https://hub.example.com\" maxlength=\"300\"",
    hint: "Leave empty for a restaurant of its own; edge enroll does it later, too.",
};

const HUB_CODE: Input = Input {
    name: "hub-code",
    label: "Enrolment code",
    attributes: "maxlength=\"40\" spellcheck=\"false\"",
    hint: "Head office gives out one for each box; it works once.",
};

const HUB_CA: Input = Input {
    name: "hub-ca",
    label: "Certificate authority of head office",
    attributes: "rows=\"3\" spellcheck=\"false\"",
    hint: "Only where it has its own: paste the file that begins with -----BEGIN CERTIFICATE-----.",
};

const REPLACE: Input = Input {
    name: "replace",
    label: "This box takes the place of another",
    attributes: "",
    hint: "Its menu, staff, open orders and numbers come from head office; the outlet and the owner's account above are \
           not needed then.",
};

/// The form, as it was filled in, with what is wrong.
pub(super) fn form(form: &Form, wrong: &[Wrong]) -> String {
    let mut fields = Fields { wrong, body: String::new() };
    fields.summary();
    let code = escaped(&form.code);
    fields.add("<form method=\"post\" action=\"/setup\" novalidate autocomplete=\"off\">");
    fields.add(&format!("<input type=\"hidden\" name=\"code\" value=\"{code}\">"));
    fields.begin("The outlet");
    fields.input(&OUTLET_CODE, &form.outlet_code);
    fields.input(&OUTLET_NAME, &form.outlet_name);
    fields.zones(&form.timezone);
    fields.input(&CURRENCY, &form.currency);
    fields.add("<datalist id=\"currencies\">");
    CURRENCIES.iter().for_each(|code| fields.add(&format!("<option value=\"{code}\">")));
    fields.add("</datalist></fieldset>");
    fields.begin("The owner's account");
    fields.input(&OWNER_EMAIL, &form.owner_email);
    fields.input(&OWNER_PASSWORD, "");
    fields.input(&OWNER_PASSWORD_AGAIN, "");
    fields.add("</fieldset>");
    fields.begin("To try it out");
    fields.tick(&SAMPLE_DATA, form.sample_data.is_some());
    fields.add("</fieldset>");
    fields.begin("Head office (if there is one)");
    fields.input(&HUB, &form.hub);
    fields.input(&HUB_CODE, &form.hub_code);
    fields.area(&HUB_CA, &form.hub_ca);
    fields.tick(&REPLACE, form.replaces());
    fields.add("</fieldset><p><button>Set up</button></p></form>");
    html::page("Set up this box", &fields.body)
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
    let mut body = format!(
        "<p class=\"good\" role=\"status\"><b>{}</b> is set up and opens now.</p>",
        escaped(&made.outlet)
    );
    let notes: String = made.notes.iter().map(|note| format!("<li>{}</li>", escaped(note))).collect();
    if !notes.is_empty() {
        body.push_str(&format!("<ul>{notes}</ul>"));
    }
    let address = escaped(&reach.address());
    body.push_str(&format!("<p>Tills and tablets find it at <a href=\"{address}/docs\">{address}</a>.</p>"));
    body.push_str("<p>What comes next:</p><ol><li><a href=\"/sheet\">Print the sheet</a> with this address and its code.</li>");
    if reach.secure().is_some() {
        body.push_str("<li><a href=\"/certificate\">Install the certificate</a> on tablets.</li>");
    }
    body.push_str("<li>Sign in as the owner.</li></ol><p>This setup page is closed from now on.</p>");
    html::page("Done", &body)
}

/// Draws fields with what is wrong with them.
struct Fields<'a> {
    wrong: &'a [Wrong],
    body: String,
}

impl Fields<'_> {
    /// Adds markup of ours.
    fn add(&mut self, markup: &str) {
        self.body.push_str(markup);
    }

    fn begin(&mut self, legend: &str) {
        self.add(&format!("<fieldset><legend>{}</legend>", escaped(legend)));
    }

    /// Everything that is wrong, above the form, each leading to its field.
    fn summary(&mut self) {
        if self.wrong.is_empty() {
            return self.add("<p>This makes the branch that this box serves. It is done once.</p>");
        }
        self.add("<div class=\"alarm\" role=\"alert\"><p><b>The branch was not made.</b></p><ul>");
        for Wrong { field, reason } in self.wrong {
            let reason = escaped(reason);
            self.add(&match field.is_empty() {
                true => format!("<li>{reason}</li>"),
                false => format!("<li><a href=\"#{field}\">{}</a> {reason}</li>", title(field)),
            });
        }
        self.add("</ul></div>");
    }

    /// What stands around a control: attributes that say how it is described and whether it is wrong, and both texts below it.
    fn around(&self, field: &Input) -> (String, String) {
        let Input { name, hint, attributes, .. } = field;
        let (mut attributes, mut below, mut described) =
            (format!(" {attributes}"), String::new(), Vec::new());
        if let Some(wrong) = self.wrong.iter().find(|wrong| wrong.field == *name) {
            let (title, reason) = (title(name), escaped(&wrong.reason));
            below.push_str(&format!("<p class=\"wrong\" id=\"{name}-wrong\">{title} {reason}</p>"));
            attributes.push_str(" aria-invalid=\"true\"");
            described.push(format!("{name}-wrong"));
        }
        if !hint.is_empty() {
            below.push_str(&format!("<p class=\"hint\" id=\"{name}-hint\">{}</p>", escaped(hint)));
            described.push(format!("{name}-hint"));
        }
        if !described.is_empty() {
            attributes.push_str(&format!(" aria-describedby=\"{}\"", described.join(" ")));
        }
        (attributes, below)
    }

    fn input(&mut self, field: &Input, value: &str) {
        let (Input { name, label, .. }, (attributes, below)) = (field, self.around(field));
        let value = escaped(value);
        self.add(&format!("<label for=\"{name}\">{label}</label>"));
        self.add(&format!("<input id=\"{name}\" name=\"{name}\" value=\"{value}\"{attributes}>{below}"));
    }

    fn area(&mut self, field: &Input, value: &str) {
        let (Input { name, label, .. }, (attributes, below)) = (field, self.around(field));
        let value = escaped(value);
        self.add(&format!("<label for=\"{name}\">{label}</label>"));
        self.add(&format!("<textarea id=\"{name}\" name=\"{name}\"{attributes}>{value}</textarea>{below}"));
    }

    fn tick(&mut self, field: &Input, is_ticked: bool) {
        let (Input { name, label, .. }, (attributes, below)) = (field, self.around(field));
        let ticked = if is_ticked { " checked" } else { "" };
        self.add(&format!("<label for=\"{name}\"><input type=\"checkbox\" id=\"{name}\" name=\"{name}\""));
        self.add(&format!(" value=\"yes\"{ticked}{attributes}>{label}</label>{below}"));
    }

    fn zones(&mut self, chosen: &str) {
        let field = Input {
            name: "timezone",
            label: "Time zone",
            attributes: "",
            hint: "The business date follows it.",
        };
        let (attributes, below) = self.around(&field);
        self.add("<label for=\"timezone\">Time zone</label>");
        self.add(&format!("<select id=\"timezone\" name=\"timezone\"{attributes}>"));
        for name in chrono_tz::TZ_VARIANTS.iter().map(|zone| zone.name()) {
            if name.contains('/') || name == "UTC" {
                let selected = if name == chosen { " selected" } else { "" };
                self.add(&format!("<option{selected}>{name}</option>"));
            }
        }
        self.add(&format!("</select>{below}"));
    }
}

/// What a field is called on the page.
fn title(field: &str) -> &str {
    match field {
        "outlet-code" => "Code",
        "outlet-name" => "Name",
        "timezone" => "Time zone",
        "currency" => "Currency",
        "owner-email" => "Email",
        "owner-password" => "Password",
        "owner-password-again" => "Password again",
        "hub" => "Address of head office",
        "hub-code" => "Enrolment code",
        "hub-ca" => "Certificate authority",
        other => other,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_was_filled_in_stays_except_passwords_and_errors_stand_beside_their_fields() {
        let filled = Form {
            outlet_name: "\"><script>".into(),
            owner_password: "secret-secret".into(),
            timezone: "Europe/Berlin".into(),
            hub_ca: "</textarea><script>".into(),
            ..Form::new("ABCD-EFGH")
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
