//! What a payment may be (contract section 6). Never keeps, shows or repeats a card number.

use super::kinds::PaymentMethod;
use crate::http::{Checks, FieldError};
use tiffin_common::{Cents, Uuid};

/// A payment as asked for.
#[derive(Debug, Clone)]
pub struct NewPayment {
    /// How the money comes in.
    pub method: PaymentMethod,
    /// What it settles of the order.
    pub amount: Cents,
    /// On top, for the staff.
    pub tip: Cents,
    /// Notes and coins handed over; none: exactly amount and tip.
    pub tendered: Option<Cents>,
    /// The terminal's or wallet's own number of the transaction.
    pub reference: Option<String>,
    /// The printer beside the till, where it has one.
    pub printer_id: Option<Uuid>,
}

/// Checks `new` against what is `due` and answers the change to hand back.
///
/// # Errors
/// All offending fields.
pub fn change_of(new: &NewPayment, due: Cents) -> Result<Cents, Vec<FieldError>> {
    let mut checks = Checks::new();
    if due <= Cents::ZERO {
        checks.add("amountCents", "nothing is due");
    } else {
        checks.require(
            new.amount <= due,
            "amountCents",
            format!("must be at most {}, which is what is due", due.get()),
        );
    }
    let mut change = Cents::ZERO;
    match (new.amount.plus(new.tip), new.tendered) {
        (Err(_), _) => checks.add("tipCents", "is too large"),
        (Ok(needed), Some(tendered)) => match tendered.minus(needed) {
            Ok(rest) if rest < Cents::ZERO => {
                checks.add("tenderedCents", format!("must be at least {}", needed.get()));
            }
            Ok(rest) if rest > Cents::ZERO && new.method != PaymentMethod::Cash => {
                checks.add("tenderedCents", format!("must be {}: only cash gives change", needed.get()));
            }
            Ok(rest) => change = rest,
            Err(_) => checks.add("tenderedCents", "is too large"),
        },
        (Ok(_), None) => {}
    }
    if new.method == PaymentMethod::Voucher {
        checks.require(new.reference.is_some(), "reference", "is needed: the voucher's number");
    }
    if new.reference.as_deref().is_some_and(holds_card_number) {
        checks.add("reference", CARD);
    }
    checks.finish(change)
}

/// What the card networks' numbers begin with, each as the first four digits of a range.
const CARD_PREFIXES: [(u32, u32); 10] = [
    (2200, 2204),
    (2221, 2720),
    (3000, 3059),
    (3400, 3499),
    (3528, 3589),
    (3600, 3999),
    (4000, 4999),
    (5000, 5999),
    (6000, 6999),
    (8100, 8299),
];

/// Why a text is refused that holds one.
pub const CARD: &str = "must not hold a card number";

/// Whether `text` holds what may be a card number: 13 to 19 digits with a network's prefix that pass the Luhn check, also with
/// spaces or dashes. The 12 digits of a UPI transaction are none.
pub fn holds_card_number(text: &str) -> bool {
    text.split(|c: char| !(c.is_ascii_digit() || c == ' ' || c == '-')).any(|run| {
        let digits: Vec<u32> = run.chars().filter_map(|c| c.to_digit(10)).collect();
        let first = digits.iter().take(4).fold(0, |sum, digit| sum * 10 + digit);
        let is_known = CARD_PREFIXES.iter().any(|(from, to)| (*from..=*to).contains(&first));
        (13..=19).contains(&digits.len()) && is_known && passes_luhn(&digits)
    })
}

fn passes_luhn(digits: &[u32]) -> bool {
    let sum: u32 = digits
        .iter()
        .rev()
        .enumerate()
        .map(|(index, digit)| {
            let doubled = if index % 2 == 1 { digit * 2 } else { *digit };
            if doubled > 9 { doubled - 9 } else { doubled }
        })
        .sum();
    sum.is_multiple_of(10)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn cash(amount: i64, tip: i64, tendered: Option<i64>) -> NewPayment {
        NewPayment {
            method: PaymentMethod::Cash,
            amount: Cents::new(amount),
            tip: Cents::new(tip),
            tendered: tendered.map(Cents::new),
            reference: None,
            printer_id: None,
        }
    }

    #[test]
    fn change_is_what_is_left_of_the_notes() {
        let due = Cents::new(1_000);
        assert_eq!(change_of(&cash(1_000, 100, Some(2_000)), due), Ok(Cents::new(900)));
        assert_eq!(change_of(&cash(400, 0, None), due), Ok(Cents::ZERO));
        let short = change_of(&cash(1_000, 100, Some(1_050)), due).unwrap_err();
        assert_eq!(short[0].name, "tenderedCents");
        let card = NewPayment { method: PaymentMethod::Card, ..cash(500, 0, Some(600)) };
        assert_eq!(change_of(&card, due).unwrap_err()[0].name, "tenderedCents");
    }

    #[test]
    fn overpaying_is_refused_with_what_is_due_and_all_fields_are_named() {
        let wrong = NewPayment { reference: Some("4111 1111-1111 1111".into()), ..cash(1_001, 0, Some(500)) };
        let fields = change_of(&wrong, Cents::new(1_000)).unwrap_err();
        let names: Vec<_> = fields.iter().map(|f| f.name.as_str()).collect();
        assert_eq!(names, ["amountCents", "tenderedCents", "reference"]);
        assert!(fields[0].reason.contains("1000"));
        assert!(change_of(&cash(1, 0, None), Cents::ZERO).is_err());
    }

    #[test]
    fn card_numbers_are_recognised_in_any_spelling() {
        for text in
            ["4111111111111111", "4111-1111-1111-1111", "VISA 4111 1111 1111 1111 x", "378282246310005"]
        {
            assert!(holds_card_number(text), "{text}");
        }
        for text in [
            "416839125407",
            "9111111111111115",
            "4111111111111112",
            "TXN-20261120-1",
            "12345",
            "UPI 123456789013 9",
        ] {
            assert!(!holds_card_number(text), "{text}");
        }
    }
}
