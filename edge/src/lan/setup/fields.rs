//! The fields of the setup page and how they are drawn: every one has its label, every error stands beside its field and in a list
//! above. Never repeats a password.

use super::place::{CURRENCIES, part};
use super::{Form, Wrong};
use crate::lan::html::escaped;
use std::fmt::Write;

/// A field: its name, what it is called, attributes of its own, and what to know about it.
pub(super) struct Field {
    pub(super) name: &'static str,
    pub(super) label: &'static str,
    pub(super) attributes: &'static str,
    pub(super) hint: &'static str,
}

pub(super) const OUTLET_CODE: Field = Field {
    name: "outlet-code",
    label: "Outlet code",
    attributes: "required maxlength=\"4\" autocapitalize=\"characters\" spellcheck=\"false\" autocomplete=\"off\"",
    hint: "Up to 4 letters and digits, as BLR1. It begins every order and invoice number and cannot be changed later.",
};

pub(super) const OUTLET_NAME: Field = Field {
    name: "outlet-name",
    label: "Outlet name",
    attributes: "required maxlength=\"200\" autocomplete=\"organization\" autocapitalize=\"words\"",
    hint: "As on its bills.",
};

pub(super) const TIMEZONE: Field = Field {
    name: "timezone",
    label: "Time zone",
    attributes: "required",
    hint: "The business date follows it.",
};

pub(super) const CURRENCY: Field = Field {
    name: "currency",
    label: "Currency",
    attributes: "required maxlength=\"3\" list=\"currencies\" autocapitalize=\"characters\" spellcheck=\"false\" autocomplete=\"off\"",
    hint: "Three letters (ISO 4217), as INR.",
};

pub(super) const OWNER_EMAIL: Field = Field {
    name: "owner-email",
    label: "Email",
    attributes: "required type=\"email\" autocomplete=\"email\" maxlength=\"254\" spellcheck=\"false\" autocapitalize=\"none\"",
    hint: "The owner signs in with it.",
};

pub(super) const OWNER_PASSWORD: Field = Field {
    name: "owner-password",
    label: "Password",
    attributes: "required type=\"password\" autocomplete=\"new-password\" maxlength=\"128\"",
    hint: "10 to 128 characters.",
};

pub(super) const OWNER_PASSWORD_AGAIN: Field =
    Field { name: "owner-password-again", label: "Password again", hint: "", ..OWNER_PASSWORD };

pub(super) const SAMPLE_DATA: Field = Field {
    name: "sample-data",
    label: "Fill it with a sample restaurant",
    attributes: "",
    hint: "Dishes, recipes, stock, tables and employees with an account for every role, password tiffin-sample. \
           Not for a branch that will trade.",
};

pub(super) const HUB: Field = Field {
    name: "hub",
    label: "Head office",
    attributes: "type=\"url\" placeholder=\"https://hub.example.com\" maxlength=\"300\" spellcheck=\"false\" autocapitalize=\"none\" \
                 autocomplete=\"off\"",
    hint: "Its address. Leave empty for a restaurant of its own; edge enroll does it later, too.",
};

pub(super) const HUB_CODE: Field = Field {
    name: "hub-code",
    label: "Enrolment code",
    attributes: "maxlength=\"40\" spellcheck=\"false\" autocapitalize=\"characters\" autocomplete=\"off\"",
    hint: "Head office gives out one for each box; it works once.",
};

pub(super) const HUB_CA: Field = Field {
    name: "hub-ca",
    label: "Certificate authority of head office",
    attributes: "rows=\"3\" spellcheck=\"false\" autocapitalize=\"none\" autocomplete=\"off\"",
    hint: "Only where it has its own: paste the text of its file tiffin-ca.crt, which says BEGIN CERTIFICATE.",
};

pub(super) const REPLACE: Field = Field {
    name: "replace",
    label: "This box takes the place of another",
    attributes: "",
    hint: "Its menu, staff, open orders and numbers come from head office; the outlet and the owner's account above are \
           not needed then.",
};

/// All of them, as they stand on the page.
const ALL: [&Field; 12] = [
    &OUTLET_CODE,
    &OUTLET_NAME,
    &TIMEZONE,
    &CURRENCY,
    &OWNER_EMAIL,
    &OWNER_PASSWORD,
    &OWNER_PASSWORD_AGAIN,
    &SAMPLE_DATA,
    &HUB,
    &HUB_CODE,
    &HUB_CA,
    &REPLACE,
];

/// What a field is called on the page.
fn label(name: &str) -> &str {
    ALL.iter().find(|field| field.name == name).map_or(name, |field| field.label)
}

/// Draws fields with what is wrong with them.
pub(super) struct Fields<'a> {
    wrong: &'a [Wrong],
    body: String,
}

impl<'a> Fields<'a> {
    /// Nothing yet; `wrong` is what will be said.
    pub(super) fn new(wrong: &'a [Wrong]) -> Fields<'a> {
        Fields { wrong, body: String::new() }
    }

    /// What was drawn.
    pub(super) fn end(self) -> String {
        self.body
    }

    /// Adds markup of ours.
    pub(super) fn add(&mut self, markup: &str) {
        self.body.push_str(markup);
    }

    /// A group of fields that belong together.
    pub(super) fn group(&mut self, legend: &str, draw: impl FnOnce(&mut Self)) {
        self.add(&format!("<fieldset><legend>{}</legend>", escaped(legend)));
        draw(self);
        self.add("</fieldset>");
    }

    /// A group that most need not: folded away unless `is_open` or something in it is wrong.
    pub(super) fn folded(
        &mut self,
        title: &str,
        is_open: bool,
        group: &[&Field],
        draw: impl FnOnce(&mut Self),
    ) {
        let is_wrong = group.iter().any(|field| self.reason(field.name).is_some());
        let open = if is_open || is_wrong { " open" } else { "" };
        self.add(&format!("<details{open}><summary>{}</summary>", escaped(title)));
        draw(self);
        self.add("</details>");
    }

    /// Everything that is wrong, above the form and in its order, each leading to its field. It takes the focus, so that it is read
    /// out at once.
    pub(super) fn summary(&mut self) {
        let place = |wrong: &&Wrong| ALL.iter().position(|field| field.name == wrong.field);
        let mut wrong: Vec<_> = self.wrong.iter().collect();
        wrong.sort_by_key(place);
        self.add("<div class=\"alarm\" role=\"alert\" tabindex=\"-1\" autofocus><p><b>The branch was not made.</b></p><ul>");
        for Wrong { field, reason } in wrong {
            let reason = escaped(reason);
            self.add(&match field.is_empty() {
                true => format!("<li>{reason}</li>"),
                false => format!("<li><a href=\"#{field}\">{}</a> {reason}</li>", label(field)),
            });
        }
        self.add("</ul></div>");
    }

    fn reason(&self, name: &str) -> Option<&'a str> {
        self.wrong.iter().find(|wrong| wrong.field == name).map(|wrong| wrong.reason.as_str())
    }

    /// What stands around a control: its label, attributes that say how it is called, described and whether it is wrong, and both
    /// texts below it.
    fn around(&self, field: &Field) -> (String, String, String) {
        let Field { name, label, attributes: own, hint } = field;
        let (mut below, mut described) = (String::new(), Vec::new());
        let mut attributes = format!("id=\"{name}\" name=\"{name}\" {own}");
        // Writing to a String cannot fail.
        if let Some(reason) = self.reason(name) {
            let _ = write!(below, "<p class=\"wrong\" id=\"{name}-wrong\">{label} {}</p>", escaped(reason));
            attributes.push_str(" aria-invalid=\"true\"");
            described.push(format!("{name}-wrong"));
        }
        if !hint.is_empty() {
            let _ = write!(below, "<p class=\"hint\" id=\"{name}-hint\">{}</p>", escaped(hint));
            described.push(format!("{name}-hint"));
        }
        if !described.is_empty() {
            let _ = write!(attributes, " aria-describedby=\"{}\"", described.join(" "));
        }
        (format!("<label for=\"{name}\">"), attributes, below)
    }

    /// A control below its label.
    fn control(&mut self, field: &Field, draw: impl FnOnce(&str) -> String) {
        let (label, attributes, below) = self.around(field);
        let control = draw(attributes.trim_end());
        self.add(&format!("{label}{}</label>{control}{below}", escaped(field.label)));
    }

    /// One line.
    pub(super) fn input(&mut self, field: &Field, value: &str) {
        self.control(field, |attributes| format!("<input value=\"{}\" {attributes}>", escaped(value)));
    }

    /// Several lines.
    pub(super) fn area(&mut self, field: &Field, value: &str) {
        self.control(field, |attributes| format!("<textarea {attributes}>{}</textarea>", escaped(value)));
    }

    /// A box to tick.
    pub(super) fn tick(&mut self, field: &Field, is_ticked: bool) {
        let (label, attributes, below) = self.around(field);
        let (ticked, text) = (if is_ticked { " checked" } else { "" }, escaped(field.label));
        let attributes = attributes.trim_end();
        self.add(&format!(
            "<div class=\"tick\">{label}<input type=\"checkbox\" value=\"yes\"{ticked} {attributes}>{text}</label></div>{below}"
        ));
    }

    /// The time zones by parts of the world; one that is chosen stays, whatever its name.
    pub(super) fn zones(&mut self, chosen: &str) {
        let mut options = String::new();
        let option = |name: &str| {
            let selected = if name == chosen { " selected" } else { "" };
            format!("<option{selected}>{name}</option>")
        };
        let mut within = None;
        for name in chrono_tz::TZ_VARIANTS.iter().map(|zone| zone.name()) {
            let part = part(name);
            if part.is_none() && name != chosen && name != "UTC" {
                continue;
            }
            if part != within {
                options.push_str(within.map_or("", |_| "</optgroup>"));
                options
                    .push_str(&part.map_or_else(String::new, |part| format!("<optgroup label=\"{part}\">")));
                within = part;
            }
            options.push_str(&option(name));
        }
        options.push_str(within.map_or("", |_| "</optgroup>"));
        self.control(&TIMEZONE, |attributes| format!("<select {attributes}>{options}</select>"));
    }

    /// The currency, with those that are offered.
    pub(super) fn currency(&mut self, form: &Form) {
        self.input(&CURRENCY, &form.currency);
        let offered: String =
            CURRENCIES.iter().map(|(code, _)| format!("<option value=\"{code}\">")).collect();
        self.add(&format!("<datalist id=\"currencies\">{offered}</datalist>"));
    }
}
