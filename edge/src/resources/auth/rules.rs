//! What an account is, when guesses are locked out, and what a refresh token may still do. Never looks at the database.

use crate::access::{Permission, PinHash, Principal, Role};
use crate::resources::employees::rules::Employee;
use tiffin_common::{Millis, Uuid};

/// The password of the sample accounts when none is chosen.
pub const SAMPLE_PASSWORD: &str = "tiffin-sample";

/// A person's sign-in ends this long after it began, however much it is used: 30 days.
pub const SIGN_IN_LIFETIME_MS: i64 = 30 * DAY_MS;

/// A shared device or another system is signed out when it was not used for this long: 90 days.
pub const UNUSED_LIFETIME_MS: i64 = 90 * DAY_MS;

/// Until when an account of `role` that signed in at `began` stays signed in when it is used at `now`.
pub fn signed_in_until(role: Role, began: Millis, now: Millis) -> Millis {
    match role {
        Role::Terminal | Role::Integration => now.after(UNUSED_LIFETIME_MS),
        device if device.is_device() => now.after(UNUSED_LIFETIME_MS),
        _ => began.after(SIGN_IN_LIFETIME_MS),
    }
}

/// How long the immediate predecessor of a refresh token may be sent again: the answer may have been lost on the way.
pub const RETRY_MS: i64 = 10_000;

/// How long a signed-in device that has expired is remembered: 30 days.
pub const VOID_SESSION_KEPT_MS: i64 = 30 * DAY_MS;

/// How long a reset code holds: 30 minutes.
pub const RESET_LIFETIME_MS: i64 = 30 * 60 * 1000;

/// So many failures within a window lock for a while.
#[derive(Debug, Clone, Copy)]
pub struct Limit {
    failures: i64,
    window_ms: i64,
    lock_ms: i64,
}

impl Limit {
    /// `failures` within `window_ms` lock for `lock_ms`.
    pub const fn new(failures: i64, window_ms: i64, lock_ms: i64) -> Limit {
        Limit { failures, window_ms, lock_ms }
    }
}

/// Wrong passwords of one account from one address.
pub const PASSWORDS: Limit = Limit { failures: 5, window_ms: 15 * 60_000, lock_ms: 15 * 60_000 };

/// Wrong PINs from one signed-in device (contract section 9).
pub const PINS: Limit = Limit { failures: 5, window_ms: 5 * 60_000, lock_ms: 5 * 60_000 };

/// As [`PINS`], of all devices of one account: signing in again must not give five more guesses for ever.
pub const PINS_OF_ACCOUNT: Limit = Limit { failures: 30, window_ms: 15 * 60_000, lock_ms: 5 * 60_000 };

/// Wrong PINs of an outlet, from wherever: beyond these all PINs are answered slowly, and a manager is told.
pub const PINS_OF_OUTLET: Limit = Limit { failures: 40, window_ms: 60 * 60_000, lock_ms: 60 * 60_000 };

/// Wrong codes of devices that one account typed in.
pub const PAIRING_CODES: Limit = Limit { failures: 5, window_ms: 15 * 60_000, lock_ms: 15 * 60_000 };

/// Locks of a day: each is twice as long as the one before it.
pub const LOCKS: Limit = Limit { failures: i64::MAX, window_ms: DAY_MS, lock_ms: 0 };

/// PINs of a day that could not be had because somebody has them; then the box hands out its own, or each refusal would tell one.
pub const TAKEN_PINS: Limit = Limit { failures: 3, window_ms: DAY_MS, lock_ms: DAY_MS };

const DAY_MS: i64 = 24 * 60 * 60 * 1000;

/// The longest lock: 12 hours.
const LONGEST_LOCK_MS: i64 = DAY_MS / 2;

impl Limit {
    /// The limit after so many locks.
    #[must_use]
    pub fn after_locks(self, locks: i64) -> Limit {
        let doubled = self.lock_ms.saturating_mul(1 << locks.clamp(0, 20));
        Limit { lock_ms: doubled.min(LONGEST_LOCK_MS).max(self.lock_ms), ..self }
    }
}

table! {
    /// The failures counted under one key.
    #[derive(Copy, PartialEq, Eq, Default)]
    pub struct Throttle: throttles {
        /// Failures in this window.
        pub failures: i64,
        /// When the window began.
        pub window_started_at: Millis,
        /// Locked until then.
        pub locked_until: Option<Millis>,
    }
}

impl Throttle {
    /// The failures that count at `now`.
    pub fn failures_at(&self, limit: Limit, now: Millis) -> i64 {
        if (0..limit.window_ms).contains(&now.since(self.window_started_at)) { self.failures } else { 0 }
    }

    /// The seconds until the lock opens; none when it is open. A lock longer than the limit's is one that a wrong clock made:
    /// it does not hold.
    pub fn locked_for(&self, limit: Limit, now: Millis) -> Option<u64> {
        let left_ms = self.locked_until?.since(now);
        let holds = left_ms > 0 && left_ms <= limit.lock_ms;
        holds.then(|| u64::try_from(left_ms).unwrap_or_default().div_ceil(1000))
    }

    /// The count after one more failure now, and whether that one locked.
    #[must_use]
    pub fn after_failure(self, limit: Limit, now: Millis) -> (Throttle, bool) {
        let in_window = (0..limit.window_ms).contains(&now.since(self.window_started_at));
        let expired = self.locked_until.is_some() && self.locked_for(limit, now).is_none();
        let fresh = Throttle { failures: 0, window_started_at: now, locked_until: None };
        let mut next = if in_window && !expired { self } else { fresh };
        next.failures = next.failures.saturating_add(1);
        let locks = next.failures >= limit.failures && next.locked_until.is_none();
        next.locked_until = locks.then(|| now.after(limit.lock_ms)).or(next.locked_until);
        (next, locks)
    }
}

table! {
    /// An account.
    pub struct Account: accounts {
        /// Its id.
        pub id: Uuid,
        /// Where it was made.
        pub outlet_id: Uuid,
        /// What it signs in with.
        pub email: String,
        /// Whose it is.
        pub name: String,
        /// The role.
        pub role: Role,
        /// The employee, when it belongs to one.
        pub employee_id: Option<Uuid>,
        /// Whether it was left active.
        pub is_active: bool,
        /// The channels whose orders another system's account is there for.
        pub channel_ids: Vec<Uuid> => json,
        /// Whether its employee has left.
        pub employee_left: bool => none,
        /// Its outlets, the default first.
        pub outlets: Vec<Uuid> => none,
        /// 1, 2, ….
        pub version: i64,
    }
}

/// Which orders another system's account reaches; everybody else reaches all of the outlet.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Reach {
    /// The account.
    pub account: Uuid,
    /// Its channels; none: the orders that it took itself.
    pub channels: Vec<Uuid>,
}

impl Reach {
    /// Whether an order of that channel, which that account took, is within reach.
    pub fn holds(&self, channel: Option<Uuid>, taken_by: Option<Uuid>) -> bool {
        match self.channels.is_empty() {
            true => taken_by == Some(self.account),
            false => channel.is_some_and(|channel| self.channels.contains(&channel)),
        }
    }
}

impl Account {
    /// Whether it opens anything.
    pub fn is_usable(&self) -> bool {
        self.is_active && !self.employee_left
    }

    /// Whether it works at `outlet`.
    pub fn works_at(&self, outlet: Uuid) -> bool {
        self.role == Role::SuperAdmin || self.outlets.contains(&outlet)
    }

    /// What a PIN opens at the till of `outlet` for `employee`, who has the account `own` or none: a role on the employee, or else that of
    /// the account. Nothing where the account was closed, whatever the employee's record says.
    pub fn at_till(employee: &Employee, own: Option<Account>, outlet: Uuid) -> Option<Account> {
        if own.as_ref().is_some_and(|own| !own.is_usable()) {
            return None;
        }
        let Some(role) = employee.record.till_role else { return own.filter(|own| own.works_at(outlet)) };
        let without = || Account {
            id: employee.id,
            outlet_id: outlet,
            email: String::new(),
            name: employee.record.name.clone(),
            role,
            employee_id: Some(employee.id),
            is_active: true,
            employee_left: false,
            outlets: Vec::new(),
            channel_ids: Vec::new(),
            version: 1,
        };
        Some(Account { role, outlets: vec![outlet], ..own.unwrap_or_else(without) })
    }

    /// What of it a PIN opens at a kitchen display of `outlet`: a cook's rights, of whoever holds them.
    pub fn into_cook(self, outlet: Uuid) -> Option<Account> {
        let cooks = self.role.holds(Permission::KitchenOperate);
        cooks.then(|| Account { role: Role::Kitchen, outlets: vec![outlet], ..self })
    }

    /// The account as the caller on device `session_id`.
    pub fn principal(&self, session_id: Uuid) -> Principal {
        let outlets = if self.role == Role::SuperAdmin { Vec::new() } else { self.outlets.clone() };
        Principal {
            account_id: self.id,
            session_id,
            employee_id: self.employee_id,
            name: self.name.clone(),
            role: self.role,
            outlets,
            by_pin: false,
        }
    }
}

table! {
    /// What a new account is made of.
    pub struct NewAccount: accounts {
        /// What it signs in with.
        pub email: String,
        /// Whose it is.
        pub name: String,
        /// The role.
        pub role: Role,
        /// A PHC string, from [`hashing::password`](crate::access::hashing::password).
        pub password_hash: String,
        /// The employee it belongs to.
        pub employee_id: Option<Uuid>,
        /// Its outlets, the default first.
        pub outlets: Vec<Uuid> => none,
    }
}

/// The PIN of somebody at the outlet, or none. [`approve`](super::actions::approve) asks whether that somebody may approve.
#[derive(Debug, Clone, Copy, Default)]
pub struct ApproverPin(pub Option<EnteredPin>);

/// A PIN that was entered.
#[derive(Debug, Clone, Copy)]
pub struct EnteredPin {
    /// Its hash.
    pub hash: PinHash,
    /// How many digits it has: to approve, an outlet may want more.
    pub digits: usize,
}

impl ApproverPin {
    /// No PIN was entered.
    pub fn none() -> ApproverPin {
        ApproverPin(None)
    }
}

/// When and how a refresh token was spent.
#[derive(Debug, Clone, Copy)]
pub struct Spent {
    /// When it was replaced.
    pub at: Millis,
    /// Whether its successor has been replaced too.
    pub successor_spent: bool,
}

/// What a known refresh token may still do.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Standing {
    /// Be replaced by its successor.
    Current,
    /// Be answered with the same successor again.
    Retry,
    /// Nothing, but nothing is wrong: it is too old, or the device was signed out.
    Over,
    /// It was stolen, or its holder was robbed: the family is signed out.
    Reused,
}

/// How a token stands that lives until `expires_at`, in a family that is signed out or not.
pub fn standing(spent: Option<Spent>, expires_at: Millis, signed_out: bool, now: Millis) -> Standing {
    match spent {
        _ if signed_out || expires_at <= now => Standing::Over,
        None => Standing::Current,
        Some(spent) if !spent.successor_spent && now.since(spent.at).abs() <= RETRY_MS => Standing::Retry,
        Some(_) => Standing::Reused,
    }
}

/// The alphabet of reset codes: no letter that looks like another (Crockford's base 32).
const ALPHABET: &[u8; 32] = b"0123456789ABCDEFGHJKMNPQRSTVWXYZ";

/// A code of one letter for each of those bytes: 5 random bits.
pub fn code_of(random: &[u8]) -> String {
    let letter = |byte: &u8| ALPHABET.get(usize::from(byte % 32)).copied().map_or('0', char::from);
    random.iter().map(letter).collect()
}

/// A reset code of 60 of those random bits, as `XXXX-XXXX-XXXX`.
pub fn reset_code(random: [u8; 12]) -> String {
    random.chunks(4).map(code_of).collect::<Vec<_>>().join("-")
}

/// A reset code on its way by mail: what is stored of the letter does not tell it without this box's key.
#[derive(Debug, Clone, Copy)]
pub struct SealedCode<'k> {
    /// What stands in the letter until it is sent.
    pub random: [u8; 12],
    /// Never in the database.
    pub key: &'k [u8; 32],
}

impl SealedCode<'_> {
    const BEGINS: &'static str = "{code:";

    /// The code itself.
    pub fn code(&self) -> String {
        let key = blake3::derive_key("tiffin 2026-11 reset codes in letters", self.key);
        let hash = blake3::keyed_hash(&key, &self.random);
        let mut bytes = [0; 12];
        bytes.copy_from_slice(hash.as_bytes().get(..12).unwrap_or(&[0; 12]));
        reset_code(bytes)
    }

    /// What stands for it in the letter.
    pub fn mark(&self) -> String {
        let hex: String = self.random.iter().map(|byte| format!("{byte:02x}")).collect();
        format!("{}{hex}}}", Self::BEGINS)
    }

    /// The letter `text` with its codes in the place of their marks.
    pub fn unseal(text: &str, key: &[u8; 32]) -> String {
        let Some((before, rest)) = text.split_once(Self::BEGINS) else { return text.to_owned() };
        let Some((hex, after)) = rest.split_once('}') else { return text.to_owned() };
        let mut random = [0; 12];
        for (index, byte) in random.iter_mut().enumerate() {
            let digits = hex.get(2 * index..2 * index + 2).unwrap_or("00");
            *byte = u8::from_str_radix(digits, 16).unwrap_or_default();
        }
        let code = SealedCode { random, key }.code();
        format!("{before}{code}{}", SealedCode::unseal(after, key))
    }
}

/// A code as somebody typed it, in the one spelling that is hashed.
pub fn normal_code(text: &str) -> String {
    text.chars()
        .filter(|c| !c.is_whitespace() && *c != '-')
        .map(|c| match c.to_ascii_uppercase() {
            'O' => '0',
            'I' | 'L' => '1',
            other => other,
        })
        .collect()
}

refusals! {
    /// Why an auth action was refused.
    #[derive(Debug, thiserror::Error)]
    pub enum AuthError {
        /// Wrong email, password or reset code.
        #[error("wrong credentials")]
        WrongCredentials,
        /// No employee of the outlet has that PIN.
        #[error("wrong PIN")]
        WrongPin,
        /// The refresh token opens nothing any more.
        #[error("sign in again")]
        SignedOut,
        /// The password is right; a code of the authenticator is asked for.
        #[error("a code is needed")]
        NeedsCode,
        /// The account has a second factor that a code has confirmed.
        #[error("there is a second factor already")]
        FactorThere,
        /// Too many failures; opens after so many seconds.
        #[error("locked for {0} s")]
        Locked(u64),
        /// Above the actor's own role, or the actor's own account.
        #[error("{0}")]
        Forbidden(&'static str),
        /// The permission of that name is needed, the actor's role does not hold it, and no PIN was given.
        #[error("needs an approver for {0}")]
        NeedsApprover(&'static str),
        /// The approver's role does not hold the permission of that name.
        #[error("the approver lacks {0}")]
        ApproverMayNot(&'static str),
        /// The approver's PIN has fewer digits than the outlet wants of those who approve.
        #[error("the PIN is too short to approve with")]
        PinTooShort,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn at(ms: i64) -> Millis {
        Millis::new(1_700_000_000_000 + ms)
    }

    #[test]
    fn the_fifth_failure_in_the_window_locks_and_the_lock_opens() {
        let mut throttle = Throttle::default();
        for n in 1..=5 {
            let (next, locks) = throttle.after_failure(PINS, at(n * 1_000));
            assert_eq!(locks, n == 5);
            throttle = next;
        }
        assert_eq!(throttle.locked_for(PINS, at(5_000)), Some(300));
        assert_eq!(throttle.locked_for(PINS, at(304_001)), Some(1));
        assert_eq!(throttle.locked_for(PINS, at(305_000)), None);
        let (next, locks) = throttle.after_failure(PINS, at(305_000));
        assert_eq!((next.failures, next.locked_until, locks), (1, None, false));
    }

    #[test]
    fn a_sealed_code_is_in_the_letter_for_who_has_the_key() {
        let sealed = SealedCode { random: [7; 12], key: &[1; 32] };
        let letter = format!("Hello {{you}},\n{}\n", sealed.mark());
        assert!(!letter.contains(&sealed.code()));
        assert_eq!(SealedCode::unseal(&letter, &[1; 32]), format!("Hello {{you}},\n{}\n", sealed.code()));
        assert!(!SealedCode::unseal(&letter, &[2; 32]).contains(&sealed.code()));
    }

    #[test]
    fn each_lock_of_a_day_is_twice_as_long_up_to_half_a_day() {
        let lengths = [0, 1, 2, 3, 8, 50].map(|locks| PINS.after_locks(locks).lock_ms / 60_000);
        assert_eq!(lengths, [5, 10, 20, 40, 720, 720]);
    }

    #[test]
    fn people_sign_in_again_after_a_month_and_devices_when_nobody_used_them_for_three() {
        let day = |n| at(n * DAY_MS);
        assert_eq!(signed_in_until(Role::Cashier, day(0), day(29)), day(30));
        assert_eq!(signed_in_until(Role::Terminal, day(0), day(89)), day(179));
    }

    #[test]
    fn failures_far_apart_do_not_lock() {
        let mut throttle = Throttle::default();
        for n in 0..50 {
            let (next, locks) = throttle.after_failure(PINS, at(n * 100_000));
            assert!(!locks);
            throttle = next;
        }
    }

    #[test]
    fn a_clock_set_back_locks_nobody_out_for_years() {
        let throttle = Throttle { failures: 5, window_started_at: at(0), locked_until: Some(at(300_000)) };
        assert_eq!(throttle.locked_for(PINS, at(-86_400_000)), None);
    }

    #[test]
    fn a_lost_answer_may_be_asked_for_again_and_nothing_older() {
        let spent = |ms, successor_spent| Some(Spent { at: at(ms), successor_spent });
        let far = at(SIGN_IN_LIFETIME_MS);
        assert_eq!(standing(None, far, false, at(0)), Standing::Current);
        assert_eq!(standing(spent(0, false), far, false, at(RETRY_MS)), Standing::Retry);
        assert_eq!(standing(spent(0, false), far, false, at(RETRY_MS + 1)), Standing::Reused);
        assert_eq!(standing(spent(0, true), far, false, at(1)), Standing::Reused);
        assert_eq!(standing(spent(0, true), far, true, at(1)), Standing::Over);
        assert_eq!(standing(None, far, false, far), Standing::Over);
    }

    proptest! {
        #[test]
        fn no_run_of_failures_gives_more_guesses_than_the_limit(gaps in prop::collection::vec(0_i64..400_000, 1..200)) {
            let (mut now, mut throttle, mut guesses) = (0, Throttle::default(), Vec::new());
            for gap in gaps {
                now += gap;
                if throttle.locked_for(PINS, at(now)).is_none() {
                    guesses.push(now);
                    throttle = throttle.after_failure(PINS, at(now)).0;
                }
            }
            // Windows are fixed, so two of them may meet within any five minutes, never three.
            for first in &guesses {
                let within = guesses.iter().filter(|g| (*first..first + 300_000).contains(*g)).count();
                prop_assert!(within <= 9, "{within}");
            }
        }

        #[test]
        fn a_code_is_recognised_however_it_is_typed(random in any::<[u8; 12]>()) {
            let code = reset_code(random);
            prop_assert_eq!(code.len(), 14);
            let sloppy = format!(" {} ", code.to_lowercase().replace('-', " ").replace('0', "o").replace('1', "l"));
            prop_assert_eq!(normal_code(&sloppy), normal_code(&code));
        }
    }
}
