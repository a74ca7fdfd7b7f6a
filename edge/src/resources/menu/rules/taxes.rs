//! Tax categories: what a dish is taxed with. Pure: never a sum, which is the order's.

use super::text::clean;
use crate::http::{Checks, FieldError};
use crate::resources::outlets::rules::TaxKind;
use schemars::JsonSchema;
use serde::Serialize;
use tiffin_common::{Bps, Millis, Uuid};

/// The most tax components a category may have.
const MAX_COMPONENTS: usize = 10;

/// One tax of a tax category, such as CGST at 2.5 %. The same JSON is kept on every order line.
#[apply(value!)]
pub struct TaxComponent {
    /// As printed on the bill.
    #[schemars(length(min = 1, max = 40))]
    pub name: String,
    /// In basis points of the taxable amount.
    #[serde(rename = "rateBps")]
    #[schemars(range(min = 0, max = 10_000))]
    pub rate: Bps,
    /// GST, CESS or VAT; where it is left out, what the name says: GST where it has that in it, CESS likewise, else VAT, which is
    /// outside GST.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub kind: Option<TaxKind>,
}

impl TaxComponent {
    /// Whether it is the same tax as `other`, however its kind is said.
    pub fn is_same(&self, other: &TaxComponent) -> bool {
        self.name == other.name && self.rate == other.rate && self.kind() == other.kind()
    }

    /// Which kind of tax it is.
    pub fn kind(&self) -> TaxKind {
        self.kind.unwrap_or_else(|| TaxKind::of_component(&self.name))
    }
}

table! {
    /// A kind of tax.
    #[derive(PartialEq, Eq, Serialize, JsonSchema)]
    #[serde(rename_all = "camelCase")]
    pub struct TaxCategory: tax_categories {
        /// Id of the tax category.
        pub id: Uuid,
        /// What a client may set.
        #[serde(flatten)]
        pub draft: TaxDraft => flat,
        /// Changes with every change.
        pub version: i64,
        /// When it was made.
        pub created_at: Millis,
        /// When it last changed.
        pub updated_at: Millis,
    }
}

table! {
    /// What a tax category is to be.
    #[derive(PartialEq, Eq, Serialize, JsonSchema)]
    pub struct TaxDraft: tax_categories {
        /// Unique in the outlet.
        pub name: String,
        /// The taxes; none when exempt.
        pub components: Vec<TaxComponent> => json,
        /// Of goods that are no restaurant service, such as beer or what is sold packed: a channel whose operator owes the tax
        /// does not owe theirs, and a service charge does not bear it.
        #[serde(rename = "isGoods")]
        pub is_goods: bool,
    }
}

impl TaxDraft {
    /// Whether some of these taxes are none that India asks for a restaurant's service: alcohol is outside GST.
    pub fn is_outside_gst(components: &[TaxComponent]) -> bool {
        components.iter().any(|component| component.kind() != TaxKind::Gst)
    }

    /// The draft with its texts trimmed.
    ///
    /// # Errors
    /// All offending fields.
    pub fn checked(mut self) -> Result<TaxDraft, Vec<FieldError>> {
        let mut checks = Checks::new();
        clean(&mut self.name, "name", 120, &mut checks);
        checks.require(
            self.components.len() <= MAX_COMPONENTS,
            "components",
            "must have at most 10 elements",
        );
        let has_vat = self.components.iter().any(|component| component.kind() == TaxKind::Vat);
        let mut names = Vec::new();
        let mut total = 0;
        for (i, component) in self.components.iter_mut().enumerate() {
            clean(&mut component.name, &format!("components[{i}].name"), 40, &mut checks);
            let repeated = names.contains(&component.name.to_lowercase());
            checks.require(!repeated, format!("components[{i}].name"), "is named twice");
            names.push(component.name.to_lowercase());
            let in_range = (0..=Bps::WHOLE).contains(&component.rate.get());
            checks.require(in_range, format!("components[{i}].rateBps"), "must be from 0 to 10000");
            let on_vat = has_vat && component.kind() == TaxKind::Cess;
            checks.require(!on_vat, format!("components[{i}].kind"), "is levied on GST, never beside VAT");
            component.kind = Some(component.kind());
            total += component.rate.get().clamp(0, Bps::WHOLE);
        }
        checks.require(total <= Bps::WHOLE, "components", "must not add up to more than 10000");
        checks.finish(self)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_tax_category_names_all_that_is_wrong_with_it() {
        let component =
            |name: &str, rate| TaxComponent { name: name.into(), rate: Bps::new(rate), kind: None };
        let draft = TaxDraft {
            name: "  ".into(),
            components: vec![component("CGST", 250), component("cgst ", 250), component("x", 10_001)],
            is_goods: false,
        };
        let names: Vec<String> = draft.checked().unwrap_err().into_iter().map(|f| f.name).collect();
        assert_eq!(names, ["name", "components[1].name", "components[2].rateBps", "components"]);
        let components = vec![component("VAT", 1_000), component("Cess", 100)];
        let draft = TaxDraft { name: "Beer".into(), components, is_goods: true };
        let names: Vec<String> = draft.checked().unwrap_err().into_iter().map(|f| f.name).collect();
        assert_eq!(names, ["components[1].kind"], "returns know a cess on GST alone");
    }
}
