//! What a device is, what a pairing may still become, and what a code looks like. Never looks at the database.

use crate::access::Role;
use crate::http::{Checks, FieldError};
use crate::resources::auth::rules::{AuthError, code_of};
use crate::resources::kitchen::rules::Known;
use serde::Serialize;
use tiffin_common::{Millis, Uuid, words};

/// How long a code holds, in milliseconds: 10 minutes.
pub const CODE_LIFETIME_MS: i64 = 10 * 60_000;

/// How long a device waits between two questions, in milliseconds; and how much longer each time it asked too soon (RFC 8628, 3.5).
pub const INTERVAL_MS: i64 = 5_000;

/// How much too soon a question may come: timers are not exact.
const SLACK_MS: i64 = 500;

/// How long the tokens are given again to a device whose answer was lost, in milliseconds.
const RETRY_MS: i64 = 60_000;

/// How long a pairing is remembered after it ended, in milliseconds: a day.
pub const KEPT_MS: i64 = 86_400_000;

/// The most devices that may ask at a time.
pub const MOST_WAITING: i64 = 100;

words! {
    /// What a device is for. Its rights are those of the role of its name.
    pub enum DeviceKind {
        /// A till: people enter their PIN at it.
        Pos = "POS",
        /// A kitchen display.
        Kitchen = "KITCHEN",
        /// Where the staff clock in and out.
        Clock = "CLOCK",
        /// What guests look at.
        Board = "BOARD",
    }
}

impl DeviceKind {
    /// The role of its account.
    pub fn role(self) -> Role {
        match self {
            DeviceKind::Pos => Role::DevicePos,
            DeviceKind::Kitchen => Role::DeviceKitchen,
            DeviceKind::Clock => Role::DeviceClock,
            DeviceKind::Board => Role::DeviceBoard,
        }
    }
}

table! {
    /// A paired device.
    #[derive(Serialize)]
    #[serde(rename_all = "camelCase")]
    pub struct Device: devices {
        /// Its id.
        pub id: Uuid,
        /// Where it stands.
        #[serde(skip)]
        pub outlet_id: Uuid,
        /// Its account.
        pub account_id: Uuid,
        /// What it is for.
        pub kind: DeviceKind,
        /// What people call it.
        pub name: String,
        /// Whose tickets a KITCHEN device shows; none: all.
        pub station_id: Option<Uuid>,
        /// Its sign-in, once it has fetched its tokens.
        #[serde(skip)]
        pub session_id: Option<Uuid>,
        /// Who let it in.
        pub approved_by: Option<Uuid>,
        /// Their name.
        pub approved_by_name: String,
        /// When.
        pub paired_at: Millis,
        /// 1, 2, ….
        pub version: i64,
        /// When it was last changed.
        pub updated_at: Millis,
        /// When it was heard of last, to a quarter of an hour.
        #[serde(skip)]
        pub last_seen_at: Option<Millis> => none,
        /// Whether it is signed in.
        #[serde(skip)]
        pub is_signed_in: bool => none,
        /// When it came that followed the kitchen since, or fell silent; none: it never did.
        #[serde(skip)]
        pub followed_at: Option<Millis> => none,
        /// Since when it follows the kitchen no more, though it did.
        #[serde(skip)]
        pub silent_since: Option<Millis> => none,
    }
}

impl Device {
    /// What was last told of it as a display.
    pub fn known(&self) -> Known {
        match (self.followed_at, self.silent_since) {
            (None, _) => Known::Never,
            (_, None) => Known::There,
            _ => Known::Gone,
        }
    }
}

table! {
    /// What a device says of itself when it asks to be paired.
    pub struct Wanted: device_pairings {
        /// What it is for.
        pub kind: DeviceKind,
        /// What people shall call it.
        pub name: String,
        /// Where it asked from.
        pub address: String,
    }
}

impl Wanted {
    /// The same, trimmed.
    ///
    /// # Errors
    /// A blank name.
    pub fn checked(mut self) -> Result<Wanted, Vec<FieldError>> {
        self.name = self.name.trim().to_owned();
        let mut checks = Checks::new();
        checks.require(!self.name.is_empty(), "name", "must not be blank");
        checks.finish(self)
    }
}

table! {
    /// A device that asks to be paired, or did.
    pub struct Pairing: device_pairings {
        /// Its id.
        pub id: Uuid,
        /// Of the box, until somebody decides; then where it stands.
        pub outlet_id: Uuid,
        /// What it said.
        pub wanted: Wanted => flat,
        /// Until when its codes hold.
        pub expires_at: Millis,
        /// How long it has to wait between two questions, in milliseconds.
        pub interval_ms: i64,
        /// When it asked last.
        pub polled_at: Option<Millis>,
        /// When somebody decided.
        pub decided_at: Option<Millis>,
        /// What approving it made.
        pub device_id: Option<Uuid>,
        /// When it fetched its tokens.
        pub redeemed_at: Option<Millis>,
    }
}

/// What a device that asks for its tokens is told.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Standing {
    /// Ask again later.
    Pending,
    /// Ask again later, and less often.
    TooSoon,
    /// Somebody refused it.
    Denied,
    /// Too late.
    Expired,
    /// The tokens were fetched with this code before.
    Replayed,
    /// This device's tokens are there.
    Approved(Uuid),
}

impl Pairing {
    /// How it stands at `now`.
    pub fn standing(&self, now: Millis) -> Standing {
        let expired = self.expires_at <= now;
        match (self.device_id, self.redeemed_at, self.decided_at) {
            (Some(_), Some(at), _) if now.since(at).abs() > RETRY_MS => Standing::Replayed,
            (Some(device), Some(_), _) => Standing::Approved(device),
            _ if expired => Standing::Expired,
            (Some(device), None, _) => Standing::Approved(device),
            (None, _, Some(_)) => Standing::Denied,
            _ if self.polled_at.is_some_and(|at| now.since(at) < self.interval_ms - SLACK_MS) => {
                Standing::TooSoon
            }
            _ => Standing::Pending,
        }
    }
}

/// A code for a person to type: 40 of these random bits, as `XXXX-XXXX`.
pub fn user_code(random: [u8; 8]) -> String {
    random.chunks(4).map(code_of).collect::<Vec<_>>().join("-")
}

refusals! {
    /// Why something about a device was refused.
    #[derive(Debug, thiserror::Error)]
    pub enum DeviceError {
        /// Somebody decided about that code before.
        #[error("decided already")]
        Decided,
        /// So many devices ask that no more may.
        #[error("too many devices ask to be paired")]
        TooMany,
        /// What a device that asks for its tokens is told instead.
        #[error("no tokens: {0:?}")]
        NoTokens(Standing),
        /// What `auth` says.
        #[error("{0}")]
        Auth(#[from] AuthError),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::access::Permission;

    fn pairing() -> Pairing {
        Pairing {
            id: Uuid::from_u128(1),
            outlet_id: Uuid::from_u128(2),
            wanted: Wanted { kind: DeviceKind::Pos, name: "Till".into(), address: "10.0.0.2".into() },
            expires_at: at(CODE_LIFETIME_MS),
            interval_ms: INTERVAL_MS,
            polled_at: None,
            decided_at: None,
            device_id: None,
            redeemed_at: None,
        }
    }

    fn at(ms: i64) -> Millis {
        Millis::new(1_700_000_000_000 + ms)
    }

    #[test]
    fn a_code_waits_is_decided_once_and_ends() {
        let asked = pairing();
        assert_eq!(asked.standing(at(0)), Standing::Pending);
        assert_eq!(asked.standing(at(CODE_LIFETIME_MS)), Standing::Expired);
        let polled = Pairing { polled_at: Some(at(0)), ..pairing() };
        assert_eq!(polled.standing(at(1_000)), Standing::TooSoon);
        assert_eq!(polled.standing(at(INTERVAL_MS)), Standing::Pending);
        let slowed = Pairing { interval_ms: 2 * INTERVAL_MS, ..polled.clone() };
        assert_eq!(slowed.standing(at(INTERVAL_MS)), Standing::TooSoon);
        let denied = Pairing { decided_at: Some(at(1)), ..polled };
        assert_eq!(denied.standing(at(2)), Standing::Denied);
        let device = Uuid::from_u128(3);
        let approved = Pairing { device_id: Some(device), ..denied };
        assert_eq!(approved.standing(at(2)), Standing::Approved(device));
        assert_eq!(approved.standing(at(CODE_LIFETIME_MS)), Standing::Expired);
        let fetched = Pairing { redeemed_at: Some(at(2)), ..approved };
        assert_eq!(fetched.standing(at(2 + RETRY_MS)), Standing::Approved(device), "the answer was lost");
        assert_eq!(fetched.standing(at(3 + RETRY_MS)), Standing::Replayed);
    }

    #[test]
    fn a_display_does_what_a_display_does() {
        let names: Vec<_> = Role::DeviceKitchen.permissions().into_iter().map(Permission::name).collect();
        assert_eq!(
            names,
            [
                "outlets:read",
                "pin:switch",
                "menu:read",
                "menu:availability",
                "kitchen:read",
                "kitchen:follow",
                "kitchen:operate",
                "kitchen:serve"
            ]
        );
        for kind in DeviceKind::ALL {
            assert!(kind.role().is_device() && kind.role().name() == format!("DEVICE_{kind}"));
        }
    }

    #[test]
    fn a_code_is_short_enough_to_type() {
        assert_eq!(user_code([0, 1, 2, 3, 31, 32, 33, 255]), "0123-Z01Z");
    }
}
