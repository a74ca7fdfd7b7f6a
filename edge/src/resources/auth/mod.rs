//! Accounts, signed-in devices, passwords, PIN switch, manager override, and the throttles that guard them.
//!
//! - Passwords and PINs are stored as argon2id hashes only, refresh tokens and reset codes as hashes of 256 and 60 random
//!   bits. Hashing happens before the transaction, never on the writer's thread.
//! - An account opens nothing once it is inactive or its employee has left, whatever token it holds.
//! - Wrong guesses are counted in the database: a restart forgets none. A device is locked before the person.
//! - Nobody gives, changes or takes away a role above their own, and nobody their own.
//! - The POSTs under `/auth` take an `Idempotency-Key` but keep no answer under it: their answers are credentials, which are
//!   never stored. Each is safe to repeat in its own way: a second login is a second device, a refresh answers the same for
//!   10 seconds, signing out twice is signing out once, a spent reset code is refused.

pub mod actions;
pub mod api;
pub mod rules;
pub mod store;

use crate::access::{Access, Permission, delete, get, patch, post, put};
use crate::http::limit::Class;
use crate::state::Routes;
use api::{accounts, factors, passwords, pins, sessions, sign_in};

/// `/auth` and the accounts of employees (contract section 2).
pub fn routes() -> Routes {
    Routes::all([
        Routes::group(
            "auth",
            [
                post("/auth/login", Access::Public, sign_in::login)
                    .summary("Sign in with email and password")
                    .limited(Class::Login),
                post("/auth/refresh", Access::Public, sign_in::refresh)
                    .summary("A new access token for a refresh token, which is replaced"),
                post("/auth/logout", Access::Public, sign_in::logout).summary("Sign this device out"),
                post("/auth/forgot-password", Access::Public, passwords::forgot_password)
                    .summary("Ask for a password reset; the answer is always the same")
                    .limited(Class::ForgotPassword),
                post("/auth/reset-password", Access::Public, passwords::reset_password)
                    .summary("Set a new password with a reset code; signs all devices out")
                    .limited(Class::Login),
                post("/auth/change-password", Access::SignedIn, passwords::change_password)
                    .summary("Change one's own password; signs the other devices out")
                    .limited(Class::Login),
                post("/auth/totp", Access::SignedIn, factors::begin_totp)
                    .summary("A secret for an authenticator: from its first code on, sign-ins of one's account want one")
                    .limited(Class::Login),
                post("/auth/pin", Permission::PinSwitch, pins::switch_by_pin)
                    .summary("Hand a signed-in terminal to an employee, for as long as they use it")
                    .limited(Class::Pin),
                put("/auth/pin", Permission::PinSwitch, pins::change_own_pin)
                    .summary("Choose another PIN of one's own")
                    .limited(Class::Pin),
                delete("/auth/pin", Access::SignedIn, pins::end_pin)
                    .summary("Take the terminal back from whoever entered a PIN on it"),
                get("/auth/me", Access::SignedIn, sign_in::get_me).summary("Who is signed in"),
                get("/auth/sessions", Access::SignedIn, sessions::list_sessions).summary("Signed-in devices"),
                delete("/auth/sessions/{id}", Access::SignedIn, sessions::delete_session)
                    .summary("Sign a device out"),
            ],
        ),
        Routes::group(
            "employees",
            [
                get("/employees/{id}/account", Permission::EmployeesRead, accounts::get_account)
                    .summary("The account of an employee"),
                post("/employees/{id}/account", Permission::AccountsManage, accounts::create_account)
                    .summary("Give an employee an account"),
                put("/employees/{id}/pin", Permission::EmployeesWrite, pins::set_employee_pin)
                    .summary("Give an employee below oneself, or oneself, a new PIN")
                    .limited(Class::Pin),
                post("/employees/{id}/account/reset-code", Permission::AccountsManage, passwords::make_reset_code)
                    .summary("A one-time code for the account of somebody below, to hand over in person; shown this once")
                    .limited(Class::Login),
                patch("/employees/{id}/account", Permission::AccountsManage, accounts::update_account)
                    .summary("Change the role, the outlets or the activity of an employee's account"),
            ],
        ),
    ])
}
