//! What dishes are made of, as guests ask for it and as the law marks it. Pure.

use tiffin_common::words;

words! {
    /// What a dish is made of, as guests ask for it.
    pub enum Dietary {
        /// No meat, no egg.
        Veg = "VEG",
        /// Meat or fish.
        NonVeg = "NON_VEG",
        /// Egg, no meat.
        Egg = "EGG",
        /// Nothing of animals.
        Vegan = "VEGAN",
    }
}

words! {
    /// The mark of a dish where the law wants one on a menu, as India's FSSAI.
    pub enum FoodMark {
        /// Vegetarian: no meat, fish or egg; milk may be in it.
        Veg = "VEG",
        /// Neither: meat, fish or egg.
        NonVeg = "NON_VEG",
        /// Nothing of animals.
        Vegan = "VEGAN",
    }
}

impl From<Dietary> for FoodMark {
    fn from(dietary: Dietary) -> FoodMark {
        match dietary {
            Dietary::Veg => FoodMark::Veg,
            Dietary::Vegan => FoodMark::Vegan,
            Dietary::Egg | Dietary::NonVeg => FoodMark::NonVeg,
        }
    }
}
