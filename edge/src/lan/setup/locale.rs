//! Where a box stands, as far as its machine knows: what the setup page proposes. Never more than a proposal.

use chrono_tz::Tz;

/// What is proposed where the machine knows of no place.
const USUAL: &str = "Asia/Kolkata";

/// Currencies that are offered, with the zones they are usual in; any other may be typed.
pub(super) const CURRENCIES: [(&str, &str); 18] = [
    ("INR", "Asia/Kolkata Asia/Calcutta"),
    ("AED", "Asia/Dubai"),
    ("AUD", "Australia/"),
    ("BDT", "Asia/Dhaka"),
    ("BRL", "America/Sao_Paulo America/Bahia America/Fortaleza America/Manaus America/Recife"),
    ("CAD", "America/Toronto America/Vancouver America/Edmonton America/Winnipeg America/Halifax"),
    (
        "EUR",
        "Europe/Amsterdam Europe/Athens Europe/Berlin Europe/Brussels Europe/Dublin Europe/Helsinki Europe/Lisbon \
         Europe/Luxembourg Europe/Madrid Europe/Paris Europe/Rome Europe/Vienna",
    ),
    ("GBP", "Europe/London Europe/Belfast"),
    ("IDR", "Asia/Jakarta Asia/Makassar Asia/Jayapura Asia/Pontianak"),
    ("LKR", "Asia/Colombo"),
    ("MYR", "Asia/Kuala_Lumpur Asia/Kuching"),
    ("NPR", "Asia/Kathmandu Asia/Katmandu"),
    ("PHP", "Asia/Manila"),
    ("SAR", "Asia/Riyadh"),
    ("SGD", "Asia/Singapore"),
    ("THB", "Asia/Bangkok"),
    (
        "USD",
        "America/New_York America/Chicago America/Denver America/Phoenix America/Los_Angeles America/Detroit \
         America/Indiana/ America/Anchorage Pacific/Honolulu",
    ),
    ("ZAR", "Africa/Johannesburg"),
];

/// Parts of the world whose zones are offered; the rest are older names of the same.
const PARTS: &str = "Africa America Antarctica Arctic Asia Atlantic Australia Europe Indian Pacific";

/// What is proposed.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Locale {
    /// IANA time zone.
    pub timezone: String,
    /// ISO 4217 code; empty where the zone tells none.
    pub currency: String,
}

impl Locale {
    /// The place of a machine whose clock follows `zone`. A machine that was never told where it is keeps UTC.
    pub fn of(zone: Option<&str>) -> Locale {
        let known = zone.filter(|zone| is_offered(zone) && zone.parse::<Tz>().is_ok());
        let timezone = known.unwrap_or(USUAL).to_owned();
        let is_usual_in = |zones: &str| {
            zones.split(' ').any(|zone| timezone == zone || zone.ends_with('/') && timezone.starts_with(zone))
        };
        let currency = CURRENCIES.iter().find(|(_, zones)| is_usual_in(zones)).map(|(code, _)| *code);
        Locale { timezone, currency: currency.unwrap_or_default().to_owned() }
    }
}

/// The part of the world of a zone's name.
pub(super) fn part(zone: &str) -> Option<&'static str> {
    let (first, _) = zone.split_once('/')?;
    PARTS.split(' ').find(|part| *part == first)
}

fn is_offered(zone: &str) -> bool {
    part(zone).is_some()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_machine_that_knows_where_it_is_proposes_zone_and_currency() {
        let told = |zone| {
            let Locale { timezone, currency } = Locale::of(zone);
            (timezone, currency)
        };
        let pair = |zone: &str, currency: &str| (zone.to_owned(), currency.to_owned());
        assert_eq!(told(Some("Europe/Berlin")), pair("Europe/Berlin", "EUR"));
        assert_eq!(told(Some("Australia/Perth")), pair("Australia/Perth", "AUD"));
        assert_eq!(told(Some("America/Indiana/Knox")), pair("America/Indiana/Knox", "USD"));
        assert_eq!(told(Some("Asia/Tokyo")), pair("Asia/Tokyo", ""));
        for nowhere in [None, Some("UTC"), Some("Etc/UTC"), Some("Asia/Nowhere"), Some("../../etc")] {
            assert_eq!(told(nowhere), pair("Asia/Kolkata", "INR"), "{nowhere:?}");
        }
        for (_, zones) in CURRENCIES {
            for zone in zones.split(' ').filter(|zone| !zone.ends_with('/')) {
                assert!(zone.parse::<Tz>().is_ok() && is_offered(zone), "{zone}");
            }
        }
    }
}
