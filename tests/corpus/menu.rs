//! Menus to trade with: the sample restaurant's, and others that a seed draws. Never two alike.

use crate::Dice;
use edge::cli::sample::data::{self, Restaurant};
use edge::resources::outlets::rules::tax_id::is_gstin;
use tiffin_common::{Bps, Cents, UnitCost};

/// What is on the menu.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Menu {
    /// The sample restaurant's.
    Sample,
    /// Another's: names, prices, taxes, people and place drawn by a seed. The tariff's codes are the nation's.
    Drawn {
        /// The seed.
        seed: u64,
        /// Most ingredients of a dish.
        ingredients: usize,
    },
}

const SYLLABLES: [&str; 48] = [
    "al", "an", "ba", "be", "bo", "ca", "che", "da", "de", "do", "el", "en", "fa", "fi", "ga", "go", "ha",
    "in", "ja", "ka", "ki", "la", "le", "li", "lo", "ma", "me", "mi", "na", "ne", "no", "or", "pa", "pe",
    "pi", "ra", "re", "ri", "ro", "sa", "se", "si", "ta", "te", "ti", "to", "va", "zu",
];

const PLACES: [(&str, &str, &str); 6] = [
    ("LON1", "Europe/London", "GBP"),
    ("MUM2", "Asia/Kolkata", "INR"),
    ("DEL1", "Asia/Kolkata", "INR"),
    ("DXB3", "Asia/Dubai", "AED"),
    ("HYD7", "Asia/Kolkata", "INR"),
    ("NYC1", "America/New_York", "USD"),
];

impl Menu {
    /// The outlet's code, time zone and currency.
    pub(super) fn place(self) -> (&'static str, &'static str, &'static str) {
        match self {
            Menu::Sample => ("BLR1", "Asia/Kolkata", "INR"),
            Menu::Drawn { seed, .. } => *Dice::fork(seed, "place").pick(&PLACES),
        }
    }

    /// The restaurant. Another than the sample has its shape and nothing else of it.
    pub(super) fn restaurant(self) -> Restaurant {
        let mut all = data::load().unwrap();
        if let Menu::Drawn { seed, ingredients } = self {
            all.menu_items.iter_mut().for_each(|dish| dish.recipe.ingredients.truncate(ingredients));
            all.preparations.iter_mut().for_each(|made| made.ingredients.truncate(ingredients));
            redraw(&mut all, &Words(Dice::fork(seed, "menu")));
        }
        all
    }
}

/// Draws names.
struct Words(Dice);

impl Words {
    fn word(&self) -> String {
        let word: String = (0..self.0.between(2, 4)).map(|_| *self.0.pick(&SYLLABLES)).collect();
        word[..1].to_uppercase() + &word[1..]
    }

    fn name(&self, name: &mut String) {
        let words: Vec<String> = (0..self.0.between(1, 4)).map(|_| self.word()).collect();
        *name = words.join(" ");
    }

    fn digits(&self, text: &mut String) {
        *text = text
            .chars()
            .map(|c| if c.is_ascii_digit() { char::from(b'0' + self.0.below(10) as u8) } else { c })
            .collect();
    }

    fn code(&self, text: &mut String) {
        *text = format!("{}-{:04}", &self.word().to_uppercase()[..2], self.0.below(10_000));
    }

    /// One of another house: digits drawn, and the check digit that they have.
    fn gstin(&self, text: &mut String) {
        let body = format!("29AAPFU{:04}F1Z", self.0.below(10_000));
        let mut ends = ('0'..='9').chain('A'..='Z').map(|end| format!("{body}{end}"));
        *text = ends.find(|id| is_gstin(id)).unwrap();
    }
}

fn redraw(all: &mut Restaurant, words: &Words) {
    let dice = &words.0;
    let cents = |from: u64, to: u64| Cents::new(dice.between(from, to) as i64 * 5);
    words.name(&mut all.outlet.name);
    words.name(&mut all.outlet.address);
    words.gstin(&mut all.outlet.tax_id);
    for tax in &mut all.tax_categories {
        words.name(&mut tax.name);
        for component in &mut tax.components {
            component.name = words.word();
            component.rate_bps = Bps::new(dice.between(2, 20) as i64 * 50);
        }
    }
    all.stations.iter_mut().for_each(|station| words.name(&mut station.name));
    for supplier in &mut all.suppliers {
        words.name(&mut supplier.name);
        words.name(&mut supplier.contact_name);
        words.name(&mut supplier.address);
        words.digits(&mut supplier.phone);
        words.code(&mut supplier.tax_id);
    }
    for item in &mut all.stock_items {
        words.name(&mut item.name);
        words.name(&mut item.category);
        words.code(&mut item.sku);
        for batch in &mut item.batches {
            batch.unit_cost_cents = UnitCost::from_cents(cents(2, 4_000)).unwrap();
        }
    }
    all.preparations.iter_mut().for_each(|preparation| words.name(&mut preparation.name));
    for group in &mut all.modifier_groups {
        words.name(&mut group.name);
        for option in &mut group.options {
            words.name(&mut option.name);
            option.price_cents = if dice.happens(500) { Cents::ZERO } else { cents(20, 300) };
        }
    }
    for category in &mut all.categories {
        words.name(&mut category.name);
        words.name(&mut category.description);
    }
    for item in &mut all.menu_items {
        words.name(&mut item.name);
        // Cooks call a dish what it is called, or shorter.
        let short = item.name.split(' ').next().unwrap_or_default().to_owned();
        item.kitchen_name = if dice.happens(400) { item.name.clone() } else { short };
        words.code(&mut item.sku);
        item.price_cents = cents(100, 6_000);
        item.popularity = 1 + dice.below(20) as u32;
    }
    for employee in &mut all.employees {
        words.name(&mut employee.name);
        words.digits(&mut employee.phone);
    }
    for account in &mut all.accounts {
        words.name(&mut account.name);
    }
}
