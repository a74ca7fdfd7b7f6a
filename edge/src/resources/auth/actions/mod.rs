//! What can happen to accounts, devices, passwords and PIN entry. Hashes are made before; here they are only compared and
//! kept.

mod accounts;
mod devices;
mod factors;
mod passwords;
mod pins;
mod sessions;
#[cfg(test)]
mod tests;

pub use accounts::{AccountChange, bind_channels, change_account, create_account, is_within, reach};
pub use devices::{code_lock, make_device, remove_device, rename_device, sign_in_device, wrong_code};
pub use factors::{Second, begin_factor, forget_factor, has_factor};
pub use passwords::{
    ask_reset, change_password, check_current, make_code, reset_password, set_password, wrong_current,
};
pub use pins::{
    approve, approve_above, approve_if, at_device, is_slow, list_roles, pin_lock, pins_refused, switched,
    taken_pin, wrong_pin,
};
pub use sessions::{
    Client, Device, Renewal, SignIn, end_sessions, forget_expired, has_expired, hash_of, login_lock, recall,
    refresh, revoke_session, sign_in, sign_out,
};

use super::rules::Account;
use crate::access::Actor;
use tiffin_common::Uuid;

/// `account` as the one that acts, on `device`.
fn actor_of(account: &Account, device: Option<String>) -> Actor {
    Actor {
        outlet_id: account.outlets.first().copied().unwrap_or(account.outlet_id),
        account_id: Some(account.id),
        employee_id: account.employee_id,
        name: account.name.clone(),
        role: Some(account.role),
        device,
        by_pin: false,
    }
}

/// The throttle key of an account's passwords, whoever knows the account or not. A hash: people type passwords into the
/// wrong field.
fn password_key(email: &str) -> String {
    let hash = blake3::hash(email.trim().to_lowercase().as_bytes()).to_hex();
    format!("login:{}", hash.get(..32).unwrap_or_default())
}

/// The throttle key of the PINs entered on a device, and that of all devices of its account.
fn pin_keys(session: &str, account: Option<Uuid>) -> [String; 2] {
    [format!("pin:device:{session}"), format!("pin:account:{}", account.unwrap_or_default())]
}
