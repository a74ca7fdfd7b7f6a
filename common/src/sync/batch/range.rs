//! Bits as fractions of a bit: an adaptive binary arithmetic coder, and what numbers and symbols look like under it. The same
//! calls with the same probabilities write and read, so that writer and reader cannot disagree. Never reads beyond what it
//! was given: behind the end are zeros, and [`Coder::is_over`] says so.

/// How likely a one is, by what came before: 12 bits of probability, 4 bits of how often it was asked.
#[derive(Debug, Clone, Copy)]
pub(super) struct Prob(u16);

impl Default for Prob {
    fn default() -> Self {
        Prob(1 << 15)
    }
}

/// Steps to the newest bit, in 1/65536: large at first, small once it is known.
const RATES: [i32; 16] =
    [32768, 21845, 16384, 13107, 10922, 9362, 8192, 7281, 6553, 5957, 5461, 4681, 4096, 3640, 3276, 2621];

impl Prob {
    fn ones(self) -> u32 {
        u32::from(self.0 >> 4)
    }

    fn learn(&mut self, bit: bool) {
        let (ones, asked) = (i32::from(self.0 >> 4), usize::from(self.0 & 15));
        let wanted = if bit { 4095 } else { 0 };
        let ones = (ones + (((wanted - ones) * RATES[asked]) >> 16)).clamp(1, 4094);
        self.0 = (ones << 4) as u16 | (asked + 1).min(15) as u16;
    }
}

/// Writes or reads: a writer takes what it is given and answers the same, a reader ignores it and answers what was written.
pub(super) trait Coder {
    /// Whether it writes.
    const WRITES: bool;

    /// One bit with `ones` of 4096 chances to be a one.
    fn code(&mut self, bit: bool, ones: u32) -> bool;

    /// Whether more was read than there was.
    fn is_over(&self) -> bool;

    /// One bit, told by `prob`, which learns from it.
    fn bit(&mut self, bit: bool, prob: &mut Prob) -> bool {
        let bit = self.code(bit, prob.ones());
        prob.learn(bit);
        bit
    }

    /// One bit, told by two.
    fn bit_of(&mut self, bit: bool, one: &mut Prob, other: &mut Prob) -> bool {
        let bit = self.code(bit, (one.ones() + other.ones()) / 2);
        one.learn(bit);
        other.learn(bit);
        bit
    }

    /// The low `bits` bits of `value`, as they are.
    fn raw(&mut self, value: u64, bits: u32) -> u64 {
        (0..bits).rev().fold(0, |read, at| read << 1 | u64::from(self.code(value >> at & 1 == 1, 2048)))
    }

    /// One of the symbols that `probs` (a power of two) has room for.
    fn symbol(&mut self, symbol: usize, probs: &mut [Prob]) -> usize {
        let mut node = 1;
        let mut width = probs.len() >> 1;
        while width > 0 {
            let bit = self.bit(symbol & width != 0, &mut probs[node]);
            node = node << 1 | usize::from(bit);
            width >>= 1;
        }
        node - probs.len()
    }

    /// A number of any size; small ones are cheap.
    fn number(&mut self, value: u64, probs: &mut Number) -> u64 {
        let bits = self.symbol((64 - value.leading_zeros()) as usize, &mut probs.bits).min(64);
        if bits < 2 {
            return bits as u64;
        }
        let low = bits as u32 - 1;
        let mut read = 1u64;
        let mut left = low;
        while left > low.saturating_sub(2) {
            left -= 1;
            let place = bits << 2 | (read as usize & 1) << 1 | usize::from(left + 1 == low);
            read = read << 1 | u64::from(self.bit(value >> left & 1 == 1, &mut probs.top[place]));
        }
        read.unbounded_shl(left) | self.raw(value, left)
    }

    /// A number of either sign.
    fn signed(&mut self, value: i64, probs: &mut Number) -> i64 {
        let read = self.number(((value << 1) ^ (value >> 63)).cast_unsigned(), probs);
        (read >> 1).cast_signed() ^ -(read & 1).cast_signed()
    }
}

/// What is known of the numbers in one place.
#[derive(Debug, Clone)]
pub(super) struct Number {
    bits: [Prob; 128],
    top: [Prob; 260],
}

impl Default for Number {
    fn default() -> Self {
        Number { bits: [Prob::default(); 128], top: [Prob::default(); 260] }
    }
}

/// Writes.
#[derive(Debug)]
pub(super) struct Writer {
    out: Vec<u8>,
    low: u32,
    high: u32,
}

impl Writer {
    pub(super) fn new() -> Self {
        Writer { out: Vec::new(), low: 0, high: u32::MAX }
    }

    /// What was written.
    pub(super) fn finish(mut self) -> Vec<u8> {
        // Enough of a number between the two bounds; the reader sees zeros behind it.
        let middle = self.low + (self.high - self.low) / 2;
        for bytes in 1..=4 {
            let kept = middle & u32::MAX << (32 - 8 * bytes);
            if kept >= self.low || bytes == 4 {
                self.out.extend(kept.to_be_bytes().iter().take(bytes as usize));
                break;
            }
        }
        self.out
    }
}

/// Where between the bounds ones end and zeros begin.
fn split(low: u32, high: u32, ones: u32) -> u32 {
    let range = high - low;
    low + (range >> 12) * ones + (((range & 0xFFF) * ones) >> 12)
}

impl Coder for Writer {
    const WRITES: bool = true;

    fn code(&mut self, bit: bool, ones: u32) -> bool {
        let middle = split(self.low, self.high, ones);
        if bit {
            self.high = middle;
        } else {
            self.low = middle + 1;
        }
        while (self.low ^ self.high) >> 24 == 0 {
            self.out.push((self.high >> 24) as u8);
            self.low <<= 8;
            self.high = self.high << 8 | 0xFF;
        }
        bit
    }

    fn is_over(&self) -> bool {
        false
    }
}

/// Reads.
#[derive(Debug)]
pub(super) struct Scanner<'a> {
    bytes: &'a [u8],
    at: usize,
    low: u32,
    high: u32,
    code: u32,
}

impl<'a> Scanner<'a> {
    pub(super) fn new(bytes: &'a [u8]) -> Self {
        let mut scanner = Scanner { bytes, at: 0, low: 0, high: u32::MAX, code: 0 };
        (0..4).for_each(|_| scanner.next());
        scanner
    }

    fn next(&mut self) {
        self.code = self.code << 8 | u32::from(self.bytes.get(self.at).copied().unwrap_or(0));
        self.at += 1;
    }
}

impl Coder for Scanner<'_> {
    const WRITES: bool = false;

    fn code(&mut self, _bit: bool, ones: u32) -> bool {
        let middle = split(self.low, self.high, ones);
        let bit = self.code <= middle;
        if bit {
            self.high = middle;
        } else {
            self.low = middle + 1;
        }
        while (self.low ^ self.high) >> 24 == 0 {
            self.low <<= 8;
            self.high = self.high << 8 | 0xFF;
            self.next();
        }
        bit
    }

    fn is_over(&self) -> bool {
        self.at > self.bytes.len() + 4
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    proptest! {
        #[test]
        fn what_is_written_is_read(
            numbers in proptest::collection::vec(prop_oneof![any::<u64>(), 0u64..9], 0..200), skew in 0u64..50,
        ) {
            let few = |value: u64| if value % 50 < skew { 0 } else { value as usize % 4 };
            let (mut number, mut probs) = (Number::default(), [Prob::default(); 4]);
            let mut writer = Writer::new();
            for value in &numbers {
                writer.number(*value, &mut number);
                writer.symbol(few(*value), &mut probs);
            }
            let bytes = writer.finish();
            let mut scanner = Scanner::new(&bytes);
            let (mut number, mut probs) = (Number::default(), [Prob::default(); 4]);
            for value in &numbers {
                prop_assert_eq!(scanner.number(0, &mut number), *value);
                prop_assert_eq!(scanner.symbol(0, &mut probs), few(*value));
            }
            prop_assert!(!scanner.is_over());
        }
    }

    #[test]
    fn what_is_expected_costs_next_to_nothing() {
        let (mut writer, mut prob) = (Writer::new(), Prob::default());
        (0..10_000).for_each(|_| {
            writer.bit(true, &mut prob);
        });
        assert!(writer.finish().len() < 30);
    }
}
