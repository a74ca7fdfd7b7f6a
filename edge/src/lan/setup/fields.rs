//! The fields of the setup page and how they are drawn: every one has its label, every error stands beside its field and in a list
//! above. Never repeats a password.

use super::Wrong;
use super::locale::{CURRENCIES, part};
use maud::{Markup, html};

/// A field: its name, what it is called, what its control is like, and what to know about it.
#[derive(Clone, Copy)]
pub(super) struct Field {
    pub(super) name: &'static str,
    pub(super) label: &'static str,
    pub(super) hint: &'static str,
    /// The type of its control; none: text.
    pub(super) kind: Option<&'static str>,
    pub(super) required: bool,
    pub(super) maxlength: Option<u32>,
    pub(super) autocomplete: Option<&'static str>,
    /// How a keyboard on the screen begins words.
    pub(super) capitals: Option<&'static str>,
    pub(super) spellcheck: Option<&'static str>,
    pub(super) placeholder: Option<&'static str>,
    /// Whether it is the only field of its page: it takes the focus, and the keyboard's big key sends it.
    pub(super) alone: bool,
}

impl Field {
    /// A line of text that is no word of any language.
    pub(super) const fn text(name: &'static str, label: &'static str, hint: &'static str) -> Field {
        Field {
            name,
            label,
            hint,
            kind: None,
            required: false,
            maxlength: None,
            autocomplete: Some("off"),
            capitals: Some("none"),
            spellcheck: Some("false"),
            placeholder: None,
            alone: false,
        }
    }
}

/// What is typed in capitals.
pub(super) const CAPITALS: Option<&str> = Some("characters");

pub(super) const OUTLET_CODE: Field = Field {
    required: true,
    maxlength: Some(4),
    capitals: CAPITALS,
    ..Field::text(
        "outlet-code",
        "Outlet code",
        "Up to 4 letters and digits, as BLR1. It begins every order and invoice number and cannot be changed later.",
    )
};

pub(super) const OUTLET_NAME: Field = Field {
    required: true,
    maxlength: Some(200),
    autocomplete: Some("organization"),
    capitals: Some("words"),
    spellcheck: None,
    ..Field::text("outlet-name", "Outlet name", "As on its bills.")
};

pub(super) const TIMEZONE: Field = Field::text("timezone", "Time zone", "The business date follows it.");

pub(super) const CURRENCY: Field = Field {
    required: true,
    maxlength: Some(3),
    capitals: CAPITALS,
    ..Field::text("currency", "Currency", "Three letters (ISO 4217), as INR.")
};

pub(super) const COUNTRY: Field = Field {
    maxlength: Some(2),
    capitals: CAPITALS,
    ..Field::text(
        "country",
        "Country",
        "Two letters (ISO 3166), as IN: its law says what bills are called. Empty: the one of currency and time zone.",
    )
};

pub(super) const OWNER_EMAIL: Field = Field {
    kind: Some("email"),
    required: true,
    maxlength: Some(254),
    autocomplete: Some("email"),
    ..Field::text("owner-email", "Email", "The owner signs in with it.")
};

pub(super) const OWNER_PASSWORD: Field = Field {
    kind: Some("password"),
    required: true,
    maxlength: Some(128),
    autocomplete: Some("new-password"),
    capitals: None,
    spellcheck: None,
    ..Field::text("owner-password", "Password", "10 to 128 characters.")
};

pub(super) const OWNER_PASSWORD_AGAIN: Field =
    Field { name: "owner-password-again", label: "Password again", hint: "", ..OWNER_PASSWORD };

pub(super) const SAMPLE_DATA: Field = Field::text(
    "sample-data",
    "Fill it with a sample restaurant",
    "Dishes, recipes, stock, tables and employees with an account for every role, password tiffin-sample. Not for a branch \
     that will trade.",
);

pub(super) const HUB: Field = Field {
    kind: Some("url"),
    maxlength: Some(300),
    placeholder: Some("https://hub.example.com"),
    ..Field::text(
        "hub",
        "Head office",
        "Its address. Leave empty for a restaurant of its own; edge enroll does it later, too.",
    )
};

pub(super) const HUB_CODE: Field = Field {
    maxlength: Some(40),
    capitals: CAPITALS,
    ..Field::text("hub-code", "Enrolment code", "Head office gives out one for each box; it works once.")
};

pub(super) const HUB_CA: Field = Field::text(
    "hub-ca",
    "Certificate authority of head office",
    "Only where it has its own: paste the text of its file tiffin-ca.crt, which says BEGIN CERTIFICATE.",
);

pub(super) const REPLACE: Field = Field::text(
    "replace",
    "This box takes the place of another",
    "Its menu, staff, open orders and numbers come from head office; the outlet and the owner's account above are not \
     needed then.",
);

/// All of them, as they stand on the page.
const ALL: [&Field; 13] = [
    &OUTLET_CODE,
    &OUTLET_NAME,
    &TIMEZONE,
    &CURRENCY,
    &COUNTRY,
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
pub(super) struct Fields<'a>(pub(super) &'a [Wrong]);

impl Fields<'_> {
    /// Everything that is wrong, above the form and in its order, each leading to its field. It takes the focus, so that it is read
    /// out at once.
    pub(super) fn summary(&self) -> Markup {
        let place = |wrong: &&Wrong| ALL.iter().position(|field| field.name == wrong.field);
        let mut wrong: Vec<_> = self.0.iter().collect();
        wrong.sort_by_key(place);
        html! {
            .alarm role="alert" tabindex="-1" autofocus {
                p { b { "The branch was not made." } }
                ul {
                    @for Wrong { field, reason } in wrong {
                        li {
                            @if !field.is_empty() { a href={ "#" (field) } { (label(field)) } " " }
                            (reason)
                        }
                    }
                }
            }
        }
    }

    /// Whether something is wrong in a group.
    pub(super) fn are_wrong(&self, group: &[&Field]) -> bool {
        group.iter().any(|field| self.reason(field).is_some())
    }

    fn reason(&self, field: &Field) -> Option<&str> {
        self.0.iter().find(|wrong| wrong.field == field.name).map(|wrong| wrong.reason.as_str())
    }

    /// The attribute that says that a control is wrong.
    fn is_wrong(&self, field: &Field) -> Option<&'static str> {
        self.reason(field).map(|_| "true")
    }

    /// The attribute that names the texts below a control.
    fn described(&self, field: &Field) -> Option<String> {
        let texts = [(self.reason(field).is_some(), "wrong"), (!field.hint.is_empty(), "hint")];
        let ids = texts.into_iter().filter(|(is_there, _)| *is_there);
        let ids: Vec<_> = ids.map(|(_, text)| format!("{}-{text}", field.name)).collect();
        (!ids.is_empty()).then(|| ids.join(" "))
    }

    /// What stands below a control: what is wrong, and what to know.
    fn below(&self, field: &Field) -> Markup {
        let Field { name, label, hint, .. } = field;
        html! {
            @if let Some(reason) = self.reason(field) { p.wrong id={ (name) "-wrong" } { (label) " " (reason) } }
            @if !hint.is_empty() { p.hint id={ (name) "-hint" } { (hint) } }
        }
    }

    /// A control below its label.
    fn control(&self, field: &Field, control: Markup) -> Markup {
        html! { label for=(field.name) { (field.label) } (control) (self.below(field)) }
    }

    /// One line; `list` is the id of what is offered.
    fn line(&self, field: &Field, value: &str, list: Option<&str>) -> Markup {
        self.control(
            field,
            html! {
                input value=(value) id=(field.name) name=(field.name) required[field.required] type=[field.kind]
                    placeholder=[field.placeholder] maxlength=[field.maxlength] list=[list] autofocus[field.alone]
                    autocapitalize=[field.capitals] spellcheck=[field.spellcheck] autocomplete=[field.autocomplete]
                    enterkeyhint=[field.alone.then_some("go")] aria-invalid=[self.is_wrong(field)]
                    aria-describedby=[self.described(field)];
            },
        )
    }

    /// One line.
    pub(super) fn input(&self, field: &Field, value: &str) -> Markup {
        self.line(field, value, None)
    }

    /// Several lines.
    pub(super) fn area(&self, field: &Field, value: &str) -> Markup {
        self.control(
            field,
            html! {
                textarea id=(field.name) name=(field.name) rows="3" spellcheck=[field.spellcheck]
                    autocapitalize=[field.capitals] autocomplete=[field.autocomplete] aria-invalid=[self.is_wrong(field)]
                    aria-describedby=[self.described(field)] { (value) }
            },
        )
    }

    /// A box to tick.
    pub(super) fn tick(&self, field: &Field, is_ticked: bool) -> Markup {
        html! {
            .tick {
                label for=(field.name) {
                    input type="checkbox" value="yes" checked[is_ticked] id=(field.name) name=(field.name)
                        aria-invalid=[self.is_wrong(field)] aria-describedby=[self.described(field)];
                    (field.label)
                }
            }
            (self.below(field))
        }
    }

    /// The time zones by parts of the world; one that is chosen stays, whatever its name.
    pub(super) fn zones(&self, chosen: &str) -> Markup {
        let names = chrono_tz::TZ_VARIANTS.iter().map(|zone| zone.name());
        let offered = names.filter(|name| part(name).is_some() || *name == chosen || *name == "UTC");
        let offered: Vec<&str> = offered.collect();
        let options =
            |names: &[&str]| html! { @for name in names { option selected[*name == chosen] { (name) } } };
        let field = &TIMEZONE;
        self.control(
            field,
            html! {
                select id=(field.name) name=(field.name) required aria-invalid=[self.is_wrong(field)]
                    aria-describedby=[self.described(field)] {
                    @for names in offered.chunk_by(|one, next| part(one) == part(next)) {
                        @match names.first().and_then(|name| part(name)) {
                            Some(part) => optgroup label=(part) { (options(names)) },
                            None => (options(names)),
                        }
                    }
                }
            },
        )
    }

    /// The currency, with those that are offered.
    pub(super) fn currency(&self, value: &str) -> Markup {
        html! {
            (self.line(&CURRENCY, value, Some("currencies")))
            datalist #currencies { @for (code, _) in CURRENCIES { option value=(code) {} } }
        }
    }
}
