//! A seeded source of chance for simulated trade (SplitMix64): the same seed gives the same numbers on every machine and
//! in every version. Never used for anything that must be unpredictable.

/// The dice. Not for secrets.
#[derive(Debug, Clone)]
pub struct Dice(u64);

impl Dice {
    /// Dice that depend on `seed` and on `purpose` only, so that one purpose's throws do not shift another's.
    pub fn new(seed: u64, purpose: u64) -> Self {
        let mut dice = Dice(seed ^ purpose.wrapping_mul(0xA24B_AED4_963E_E407));
        dice.draw();
        dice
    }

    /// The next 64 bits.
    pub fn draw(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9E37_79B9_7F4A_7C15);
        let mut z = self.0;
        z = (z ^ (z >> 30)).wrapping_mul(0xBF58_476D_1CE4_E5B9);
        z = (z ^ (z >> 27)).wrapping_mul(0x94D0_49BB_1331_11EB);
        z ^ (z >> 31)
    }

    /// A number from 0 up to, not including, `bound`; 0 when `bound` is.
    pub fn below(&mut self, bound: u32) -> u32 {
        // The high half of a 32 × 32 bit product: even enough for bounds far below 2³².
        let wide = (self.draw() >> 32).wrapping_mul(u64::from(bound)) >> 32;
        u32::try_from(wide).unwrap_or(0)
    }

    /// A number from `low` to `high`, both included.
    pub fn between(&mut self, low: u32, high: u32) -> u32 {
        low.saturating_add(self.below(high.saturating_sub(low).saturating_add(1)))
    }

    /// True `per_mille` times in a thousand.
    pub fn chance(&mut self, per_mille: u32) -> bool {
        self.below(1000) < per_mille
    }

    /// The place of one of `weights`, each as likely as its weight; 0 when all are zero.
    pub fn weighted(&mut self, weights: impl IntoIterator<Item = u32> + Clone) -> usize {
        let total = weights.clone().into_iter().fold(0u32, u32::saturating_add);
        let mut left = self.below(total);
        for (at, weight) in weights.into_iter().enumerate() {
            if left < weight {
                return at;
            }
            left = left.saturating_sub(weight);
        }
        0
    }

    /// One of `choices`, or none when there are none.
    pub fn one_of<'a, T>(&mut self, choices: &'a [T]) -> Option<&'a T> {
        let bound = u32::try_from(choices.len()).unwrap_or(u32::MAX);
        choices.get(usize::try_from(self.below(bound)).unwrap_or(0))
    }

    /// `per_guest_tenths × guests ÷ 10`, rounded up or down by chance so that the mean is right.
    pub fn about(&mut self, per_guest_tenths: u32, guests: u32) -> u32 {
        let tenths = per_guest_tenths.saturating_mul(guests);
        tenths / 10 + u32::from(self.below(10) < tenths % 10)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_same_seed_gives_the_same_numbers() {
        let throw = |seed| {
            let mut dice = Dice::new(seed, 1);
            (0..5).map(|_| dice.below(1000)).collect::<Vec<_>>()
        };
        assert_eq!(throw(7), throw(7));
        assert_ne!(throw(7), throw(8));
    }

    #[test]
    fn chance_is_about_right() {
        let mut dice = Dice::new(3, 0);
        let hits = (0..100_000).filter(|_| dice.chance(250)).count();
        assert!((24_000..26_000).contains(&hits), "{hits}");
        let heavy = (0..100_000).filter(|_| dice.weighted([1, 0, 3]) == 2).count();
        assert!((74_000..76_000).contains(&heavy), "{heavy}");
    }

    #[test]
    fn nothing_to_choose_from_is_no_panic() {
        let mut dice = Dice::new(0, 0);
        assert_eq!((dice.below(0), dice.weighted([0, 0]), dice.one_of::<u8>(&[])), (0, 0, None));
    }
}
