//! What a country wants of a restaurant's papers: what documents and ids are called, which texts and marks stand on a bill, what work
//! beyond the ordinary pays. One data file (`profiles.toml`) has all of it. Pure.

use super::tax_id::TaxIdFormat;
use serde::Deserialize;
use std::collections::BTreeMap;
use std::sync::LazyLock;
use tiffin_common::{Bps, words};

/// No country that is known.
pub const NOWHERE: &str = "ZZ";

/// ISO 3166-1 alpha-2, and `ZZ`.
const CODES: &str = "AD AE AF AG AI AL AM AO AQ AR AS AT AU AW AX AZ BA BB BD BE BF BG BH BI BJ BL BM BN BO BQ BR BS BT BV BW BY BZ \
    CA CC CD CF CG CH CI CK CL CM CN CO CR CU CV CW CX CY CZ DE DJ DK DM DO DZ EC EE EG EH ER ES ET FI FJ FK FM FO FR GA GB GD GE GF \
    GG GH GI GL GM GN GP GQ GR GS GT GU GW GY HK HM HN HR HT HU ID IE IL IM IN IO IQ IR IS IT JE JM JO JP KE KG KH KI KM KN KP KR KW \
    KY KZ LA LB LC LI LK LR LS LT LU LV LY MA MC MD ME MF MG MH MK ML MM MN MO MP MQ MR MS MT MU MV MW MX MY MZ NA NC NE NF NG NI NL \
    NO NP NR NU NZ OM PA PE PF PG PH PK PL PM PN PR PS PT PW PY QA RE RO RS RU RW SA SB SC SD SE SG SH SI SJ SK SL SM SN SO SR SS ST \
    SV SX SY SZ TC TD TF TG TH TJ TK TL TM TN TO TR TT TV TW TZ UA UG UM US UY UZ VA VC VE VG VI VN VU WF WS YE YT ZA ZM ZW ZZ";

words! {
    /// Under which scheme an outlet is taxed.
    #[derive(Default)]
    pub enum TaxScheme {
        /// Bills carry tax.
        #[default]
        Regular = "REGULAR",
        /// India: a share of the turnover is paid by the house; bills carry no tax.
        Composition = "COMPOSITION",
        /// Below the threshold of registration: bills carry no tax.
        Unregistered = "UNREGISTERED",
        /// There is no such tax.
        None = "NONE",
    }
}

impl TaxScheme {
    /// Whether bills carry tax.
    pub fn is_taxed(self) -> bool {
        self == TaxScheme::Regular
    }
}

words! {
    /// What kind of tax a component is.
    #[derive(Default)]
    pub enum TaxKind {
        /// Goods and services tax.
        #[default]
        Gst = "GST",
        /// A levy on top of it.
        Cess = "CESS",
        /// Value added or sales tax: outside GST, as on alcohol in India.
        Vat = "VAT",
    }
}

impl TaxKind {
    /// The kind that a component of that name is, where nobody said.
    pub fn of_component(name: &str) -> TaxKind {
        let name = name.to_uppercase();
        if name.contains("CESS") {
            TaxKind::Cess
        } else if name.contains("GST") {
            TaxKind::Gst
        } else {
            TaxKind::Vat
        }
    }
}

/// What documents are called.
#[derive(Debug, Clone, Default, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Titles {
    /// A bill that carries tax.
    pub bill: String,
    /// What takes a bill back.
    pub credit: String,
    /// The bill of who charges no tax.
    pub plain: String,
}

/// The code of what is sold, on bills and returns.
#[derive(Debug, Clone, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct ItemCode {
    /// What it is called on paper.
    pub label: String,
    /// Of what a restaurant serves, where a dish has none.
    pub default: String,
}

/// The scheme under which the house pays a share of its turnover.
#[derive(Debug, Clone, Deserialize)]
#[serde(deny_unknown_fields, rename_all = "camelCase")]
pub struct Composition {
    /// What its bill is called.
    pub title: String,
    /// What the law wants on it.
    pub legend: String,
    /// The share of the turnover.
    pub rate_bps: Bps,
}

/// A mark behind what is taxed at a rate.
#[derive(Debug, Clone, Deserialize)]
#[serde(deny_unknown_fields, rename_all = "camelCase")]
pub struct Mark {
    /// The rate.
    pub rate_bps: Bps,
    /// The mark.
    pub mark: String,
    /// What it means.
    pub text: String,
}

/// From when on work is overtime, and what it pays.
#[apply(value!)]
#[derive(Copy)]
#[serde(deny_unknown_fields)]
pub struct Overtime {
    /// Minutes of a day after which it is; null: of a day alone it never is.
    pub daily_minutes: Option<i64>,
    /// Minutes of a week, Monday first; null likewise. Where both find some, the larger counts.
    pub weekly_minutes: Option<i64>,
    /// What it pays, in basis points of the wage of an hour.
    pub multiplier_bps: Bps,
}

/// A country.
#[derive(Debug, Clone, Default, Deserialize)]
#[serde(deny_unknown_fields, rename_all = "camelCase")]
pub struct Profile {
    /// ISO 3166.
    pub country: String,
    /// ISO 4217: the currency of its prices.
    pub currency: Option<String>,
    /// Whether a menu marks what a dish is made of.
    #[serde(default)]
    pub food_marks: bool,
    /// Its time zones; one that ends in `/` is all below it.
    #[serde(default)]
    zones: Vec<String>,
    /// What documents are called.
    pub titles: Titles,
    /// The number for taxes.
    pub tax_id: TaxIdFormat,
    /// What the licence's number is called on paper; none: it is not printed.
    pub licence_label: Option<String>,
    /// The code of what is sold; none: it is not printed.
    pub item_code: Option<ItemCode>,
    /// The scheme by turnover, where there is one.
    pub composition: Option<Composition>,
    /// What says that prices contain the tax.
    pub included_text: Option<String>,
    /// Marks behind lines.
    #[serde(default)]
    pub marks: Vec<Mark>,
    /// When work is overtime by law; none: no law says so.
    pub overtime: Option<Overtime>,
}

#[derive(Debug, Default, Deserialize)]
#[serde(deny_unknown_fields)]
struct File {
    profile: Vec<Profile>,
    zones: BTreeMap<String, Vec<String>>,
}

fn parse() -> Result<File, toml::de::Error> {
    toml::from_str(include_str!("profiles.toml"))
}

/// The file is part of the program and read by a test: it cannot fail where the program was built.
static FILE: LazyLock<File> = LazyLock::new(|| parse().unwrap_or_default());
static BLANK: LazyLock<Profile> = LazyLock::new(Profile::default);

impl Profile {
    /// The profile of `country`: its own, or that of everywhere else.
    pub fn of(country: &str) -> &'static Profile {
        let named = |code: &str| FILE.profile.iter().find(|profile| profile.country == code);
        named(country).or_else(|| named(NOWHERE)).unwrap_or(&BLANK)
    }

    /// Whether it is India's: the one whose tax returns are known here.
    pub fn is_india(&self) -> bool {
        self.country == "IN"
    }

    /// Whether houses may be taxed under `scheme` there.
    pub fn knows(&self, scheme: TaxScheme) -> bool {
        scheme != TaxScheme::Composition || self.composition.is_some()
    }

    /// What a bill is called under `scheme`.
    pub fn title(&self, scheme: TaxScheme) -> &str {
        match (scheme, &self.composition) {
            (TaxScheme::Regular, _) => &self.titles.bill,
            (TaxScheme::Composition, Some(composition)) => &composition.title,
            _ => &self.titles.plain,
        }
    }

    /// The mark behind what is taxed at `rate`.
    pub fn mark(&self, rate: Bps) -> Option<&Mark> {
        self.marks.iter().find(|mark| mark.rate_bps == rate)
    }

    /// `text` as a tax id of the country.
    ///
    /// # Errors
    /// What is wrong with it.
    pub fn checked_tax_id(&self, text: &str) -> Result<String, String> {
        super::tax_id::checked(text, &self.tax_id)
    }
}

/// Whether it is a code of ISO 3166.
pub fn is_country(code: &str) -> bool {
    code.len() == 2 && CODES.split(' ').any(|known| known == code)
}

/// The country that a currency and a time zone tell: the currency's where it has but one with a profile that fits or where no zone
/// says better, else the zone's.
pub fn country_of(timezone: &str, currency: &str) -> String {
    let lies_in = |zones: &[String]| {
        zones
            .iter()
            .any(|zone| timezone == zone || zone.ends_with('/') && timezone.starts_with(zone.as_str()))
    };
    let by_zone = FILE.profile.iter().find(|profile| lies_in(&profile.zones)).map(|profile| &profile.country);
    let by_zone =
        by_zone.or_else(|| FILE.zones.iter().find(|(_, zones)| lies_in(zones)).map(|(code, _)| code));
    let by_currency = FILE.profile.iter().find(|profile| profile.currency.as_deref() == Some(currency));
    let country = match (by_currency, by_zone) {
        // Dollars are used in many countries, the others of these currencies in one.
        (Some(profile), Some(zone)) if profile.country == "US" => zone,
        (Some(profile), _) => &profile.country,
        (None, Some(zone)) => zone,
        (None, None) => return NOWHERE.into(),
    };
    country.clone()
}

#[cfg(test)]
mod tests {
    use super::*;
    use chrono_tz::Tz;

    #[test]
    fn the_file_is_read_strictly_and_holds_every_profile() {
        let file = parse().unwrap();
        let countries: Vec<&str> = file.profile.iter().map(|profile| profile.country.as_str()).collect();
        assert_eq!(countries, ["IN", "GB", "AE", "SG", "US", "JP", "ZZ"]);
        let zones = file.profile.iter().flat_map(|profile| &profile.zones);
        for zone in zones.chain(file.zones.values().flatten()).filter(|zone| !zone.ends_with('/')) {
            assert!(zone.parse::<Tz>().is_ok(), "{zone}");
        }
        for code in countries.iter().copied().chain(file.zones.keys().map(String::as_str)) {
            assert!(is_country(code), "{code}");
        }
        assert!(toml::from_str::<File>("zones = {}\nprofile = []\nmore = 1").is_err());
        assert!(!is_country("XX") && !is_country("IN ") && !is_country("in"));
    }

    #[test]
    fn currency_and_zone_tell_the_country() {
        let told = [
            ("Asia/Kolkata", "INR", "IN"),
            ("Europe/London", "INR", "IN"),
            ("Europe/Berlin", "EUR", "DE"),
            ("America/Indiana/Knox", "USD", "US"),
            ("America/Toronto", "USD", "CA"),
            ("Pacific/Fiji", "USD", "US"),
            ("Asia/Tokyo", "JPY", "JP"),
            ("Asia/Tokyo", "EUR", "JP"),
            ("UTC", "EUR", "ZZ"),
        ];
        for (timezone, currency, country) in told {
            assert_eq!(country_of(timezone, currency), country, "{timezone} {currency}");
        }
    }

    #[test]
    fn nothing_indian_is_said_elsewhere() {
        for profile in &parse().unwrap().profile {
            let texts = format!("{profile:?}").to_uppercase();
            let is_indian =
                ["GSTIN\"", "FSSAI", "HSN", "COMPOSITION TAXABLE"].iter().any(|text| texts.contains(text));
            assert_eq!(is_indian, profile.is_india(), "{}", profile.country);
        }
        assert_eq!(Profile::of("DE").titles.bill, "INVOICE");
        assert_eq!(Profile::of("IN").title(TaxScheme::Composition), "BILL OF SUPPLY");
        assert_eq!(Profile::of("GB").title(TaxScheme::Unregistered), "RECEIPT");
        assert!(
            Profile::of("IN").knows(TaxScheme::Composition)
                && !Profile::of("JP").knows(TaxScheme::Composition)
        );
        let india = Overtime {
            daily_minutes: Some(540),
            weekly_minutes: Some(2_880),
            multiplier_bps: Bps::new(20_000),
        };
        assert_eq!(Profile::of("IN").overtime, Some(india));
    }

    #[test]
    fn the_name_of_a_tax_tells_its_kind_where_nobody_did() {
        let kinds = ["CGST", "Compensation cess", "VAT 20", "Sales tax"].map(TaxKind::of_component);
        assert_eq!(kinds, [TaxKind::Gst, TaxKind::Cess, TaxKind::Vat, TaxKind::Vat]);
    }

    #[test]
    fn ids_are_checked_as_their_country_makes_them() {
        let read = |country: &str, id: &str| Profile::of(country).checked_tax_id(id);
        // Published examples.
        assert_eq!(read("IN", "27aapfu0939f1zv").unwrap(), "27AAPFU0939F1ZV");
        assert_eq!(read("GB", "GB 980 7806 84").unwrap(), "GB980780684");
        assert_eq!(read("JP", "T7000012050002").unwrap(), "T7000012050002");
        assert_eq!(read("AE", "100123456700003").unwrap(), "100123456700003");
        assert_eq!(read("SG", "M2-0012345-6").unwrap(), "M200123456");
        assert_eq!(read("US", "12-3456789").unwrap(), "123456789");
        assert_eq!(read("DE", " DE 123 ").unwrap(), "DE 123");
        let wrong = [
            ("IN", "27AAPFU0939F1ZW"),
            ("IN", "27AAPFU0939F1Z"),
            ("IN", "00AAPFU0939F1ZV"),
            ("GB", "GB980780685"),
            ("JP", "T8000012050002"),
            ("JP", "7000012050002"),
            ("AE", "10012345670000"),
            ("US", "12-345678"),
        ];
        for (country, id) in wrong {
            assert!(read(country, id).is_err(), "{country} {id}");
        }
        assert!(read("IN", "27AAPFU0939F1ZW").unwrap_err().contains("check digit"));
    }
}
