//! The figures of [`House`](crate::House), written down a second time in whole millionths and cents, for tests that compute what
//! ought to come out. Never asks the product for a figure.

use serde_json::Value;

/// Millionths.
const M: i64 = 1_000_000;

/// A batch: millionths of the unit, cents a unit, its last day.
pub type OpeningBatch = (i64, i64, Option<&'static str>);

/// Opening stock: per item its batches in the order they are used up.
pub const OPENING: &[(&str, &[OpeningBatch])] = &[
    ("Rice", &[(10 * M, 6_000, None)]),
    ("Paneer", &[(2 * M, 40_000, Some("2026-11-22")), (3 * M, 42_000, Some("2026-11-25"))]),
    ("Lentils", &[(8 * M, 12_000, None)]),
    ("Tomatoes", &[(10 * M, 4_000, Some("2026-11-30"))]),
    ("Milk", &[(20 * M, 6_000, Some("2026-11-23"))]),
    ("Cream", &[(5 * M, 20_000, Some("2026-11-28"))]),
    ("Chicken", &[(6 * M, 25_000, Some("2026-11-22"))]),
    ("Spice", &[(2_000 * M, 50, None)]),
    ("Lemon", &[(100 * M, 500, None)]),
    ("Water", &[(48 * M, 1_500, None)]),
];

/// The dishes.
pub const DISHES: [&str; 8] = [
    "Paneer Tikka",
    "Butter Chicken",
    "Dal",
    "Steamed Rice",
    "Lassi",
    "Lemon Soda",
    "Bottled Water",
    "Kulfi",
];

/// What one portion (or option) takes, gravy resolved: 2 l of it are 2.5 kg tomatoes, 200 ml cream and 40 g spice.
pub fn recipe(name: &str) -> &'static [(&'static str, i64)] {
    match name {
        "Paneer Tikka" => &[("Paneer", 150_000), ("Spice", 5 * M)],
        "Extra paneer" => &[("Paneer", 50_000)],
        "No spice" => &[("Spice", -5 * M)],
        "Butter Chicken" => {
            &[("Chicken", 180_000), ("Tomatoes", 250_000), ("Cream", 40_000), ("Spice", 4 * M)]
        }
        "Dal" => &[("Lentils", 90_000), ("Tomatoes", 62_500), ("Cream", 5_000), ("Spice", M)],
        "Steamed Rice" => &[("Rice", 120_000)],
        "Lassi" => &[("Milk", 250_000)],
        "Lemon Soda" => &[("Lemon", M), ("Water", M)],
        "Bottled Water" => &[("Water", M)],
        "Kulfi" => &[("Milk", 100_000)],
        other => panic!("no recipe of {other}"),
    }
}

/// Cents of one portion or option.
pub fn price(name: &str) -> i64 {
    match name {
        "Paneer Tikka" => 32_000,
        "Extra paneer" => 6_000,
        "No spice" => 0,
        "Butter Chicken" => 38_000,
        "Dal" => 18_000,
        "Steamed Rice" | "Lassi" => 9_000,
        "Lemon Soda" => 8_000,
        "Bottled Water" => 3_000,
        "Kulfi" => 12_000,
        other => panic!("no price of {other}"),
    }
}

/// A JSON number as whole millionths.
pub fn millionths(value: &Value) -> i64 {
    let text = value.to_string();
    let (sign, text) = text.strip_prefix('-').map_or((1, text.as_str()), |rest| (-1, rest));
    let (whole, part) = text.split_once('.').unwrap_or((text, ""));
    let part = format!("{part:0<6}");
    assert_eq!(part.len(), 6, "{value} has more than six decimals");
    sign * (whole.parse::<i64>().unwrap() * 1_000_000 + part.parse::<i64>().unwrap())
}
