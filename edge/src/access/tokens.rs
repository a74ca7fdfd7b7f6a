//! Access tokens: JWT, HS256, 15 minutes (contract section 2). Never stored, never logged.

use super::permission::Role;
use super::principal::Principal;
use crate::http::idempotency::LASTING;
use crate::http::{Code, Problem, Result};
use jsonwebtoken::errors::ErrorKind;
use jsonwebtoken::{Algorithm, DecodingKey, EncodingKey, Header, Validation};
use serde::{Deserialize, Serialize};
use std::sync::Arc;
use tiffin_common::{Clock, Millis, Uuid};

/// How long an access token lives, in milliseconds.
pub const LIFETIME_MS: i64 = 15 * 60 * 1000;

const ISSUER: &str = "tiffin-edge";
const AUDIENCE: &str = "tiffin";

/// How long the turn of whoever entered a PIN lasts at most, in milliseconds: 12 hours. No token lives longer.
pub const PIN_LIFETIME_MS: i64 = 12 * 3_600_000;

/// How long nobody may be heard of in that turn before it ends, in milliseconds: 10 minutes.
pub const PIN_IDLE_MS: i64 = 600_000;

/// Makes and reads access tokens.
#[derive(Clone)]
pub struct Tokens {
    inner: Arc<Keys>,
}

struct Keys {
    encoding: EncodingKey,
    decoding: DecodingKey,
    validation: Validation,
    clock: Arc<dyn Clock>,
    /// Keys the fingerprints of requests, apart from what signs tokens.
    fingerprint_key: [u8; 32],
    lasting_key: [u8; 32],
}

/// What a token says. Times in whole seconds, as JWT has them; `iat_ms` carries the exact moment for revocation.
#[derive(Debug, Serialize, Deserialize)]
struct Claims {
    iss: String,
    aud: String,
    sub: Uuid,
    role: Role,
    outlets: Vec<Uuid>,
    jti: Uuid,
    sid: Uuid,
    name: String,
    #[serde(skip_serializing_if = "Option::is_none", default)]
    emp: Option<Uuid>,
    #[serde(skip_serializing_if = "std::ops::Not::not", default)]
    pin: bool,
    iat: i64,
    iat_ms: Millis,
    exp: i64,
}

impl Tokens {
    /// Tokens signed with `key`, which is made at the first start and kept 0600; `lasting` is a secret that the next box has, too.
    pub fn new(key: &[u8; 32], lasting: &[u8; 32], clock: Arc<dyn Clock>) -> Tokens {
        let mut validation = Validation::new(Algorithm::HS256);
        validation.set_issuer(&[ISSUER]);
        validation.set_audience(&[AUDIENCE]);
        validation.set_required_spec_claims(&["iss", "aud", "sub", "exp"]);
        // Expiry is checked against the injected clock, below.
        validation.validate_exp = false;
        let keys = Keys {
            encoding: EncodingKey::from_secret(key),
            decoding: DecodingKey::from_secret(key),
            validation,
            clock,
            fingerprint_key: blake3::derive_key("tiffin 2026-11 fingerprints of requests", key),
            lasting_key: blake3::derive_key("tiffin 2026-11 requests that were answered", lasting),
        };
        Tokens { inner: Arc::new(keys) }
    }

    /// A token for `principal` that lives `lifetime_ms` from now.
    ///
    /// # Errors
    /// 500 when it cannot be signed.
    pub fn issue(&self, principal: &Principal, jti: Uuid, lifetime_ms: i64) -> Result<String> {
        self.issue_at(principal, jti, self.inner.clock.now(), lifetime_ms)
    }

    /// A token for `principal` that counts as made at `now` and lives `lifetime_ms` from then.
    ///
    /// # Errors
    /// 500 when it cannot be signed.
    pub fn issue_at(
        &self,
        principal: &Principal,
        jti: Uuid,
        now: Millis,
        lifetime_ms: i64,
    ) -> Result<String> {
        let claims = Claims {
            iss: ISSUER.into(),
            aud: AUDIENCE.into(),
            sub: principal.account_id,
            role: principal.role,
            outlets: principal.outlets.clone(),
            jti,
            sid: principal.session_id,
            name: principal.name.clone(),
            emp: principal.employee_id,
            pin: principal.by_pin,
            iat: now.get().div_euclid(1000),
            iat_ms: now,
            exp: now.after(lifetime_ms).get().div_euclid(1000),
        };
        jsonwebtoken::encode(&Header::new(Algorithm::HS256), &claims, &self.inner.encoding).map_err(|error| {
            tracing::error!(%error, "a token could not be signed");
            Problem::new(Code::Internal)
        })
    }

    /// The present moment, as tokens are judged by it.
    pub fn now(&self) -> Millis {
        self.inner.clock.now()
    }

    /// What stands for a request (its method, path and body) beside its idempotency key. Keyed with a key outside the
    /// database: bodies hold PINs and passwords, and a plain hash of one would be guessed in a moment.
    pub fn fingerprint(&self, method: &str, path: &str, body: &[u8]) -> [u8; 32] {
        hash(&self.inner.fingerprint_key, &[method.as_bytes(), path.as_bytes()], body)
    }

    /// What stands for a request and its idempotency `key` at every box of the outlet.
    pub fn lasting(&self, key: &str, method: &str, path: &str, body: &[u8]) -> [u8; LASTING] {
        let parts = [key.as_bytes(), method.as_bytes(), path.as_bytes()];
        let mut short = [0; LASTING];
        short.iter_mut().zip(hash(&self.inner.lasting_key, &parts, body)).for_each(|(to, byte)| *to = byte);
        short
    }

    /// The account behind `token`, and when the token was issued.
    ///
    /// # Errors
    /// 401: bad or expired.
    pub fn read(&self, token: &str) -> Result<(Principal, Millis)> {
        let data = jsonwebtoken::decode::<Claims>(token, &self.inner.decoding, &self.inner.validation)
            .map_err(|error| match error.kind() {
                ErrorKind::ExpiredSignature => Problem::new(Code::TokenExpired),
                _ => Problem::new(Code::Unauthorized).detail("The access token is not valid"),
            })?;
        let claims = data.claims;
        if claims.exp <= self.inner.clock.now().get().div_euclid(1000) {
            return Err(Problem::new(Code::TokenExpired));
        }
        let principal = Principal {
            account_id: claims.sub,
            session_id: claims.sid,
            employee_id: claims.emp,
            name: claims.name,
            role: claims.role,
            outlets: claims.outlets,
            by_pin: claims.pin,
        };
        Ok((principal, claims.iat_ms))
    }
}

/// A keyed hash of some parts and a rest.
fn hash(key: &[u8; 32], parts: &[&[u8]], rest: &[u8]) -> [u8; 32] {
    let mut hasher = blake3::Hasher::new_keyed(key);
    for part in parts {
        hasher.update(&(part.len() as u64).to_le_bytes());
        hasher.update(part);
    }
    hasher.update(rest);
    *hasher.finalize().as_bytes()
}

#[cfg(test)]
mod tests {
    use super::*;
    use tiffin_common::clock::ManualClock;

    fn principal() -> Principal {
        Principal {
            account_id: Uuid::from_u128(1),
            session_id: Uuid::from_u128(2),
            employee_id: None,
            name: "Meera".into(),
            role: Role::Cashier,
            outlets: vec![Uuid::from_u128(3)],
            by_pin: false,
        }
    }

    #[test]
    fn a_token_says_who_until_it_expires() {
        let clock = Arc::new(ManualClock::new(Millis::new(1_700_000_000_000)));
        let tokens = Tokens::new(&[1; 32], &[3; 32], clock.clone());
        let token = tokens.issue(&principal(), Uuid::from_u128(9), LIFETIME_MS).unwrap();
        let (read, issued_at) = tokens.read(&token).unwrap();
        assert_eq!((read.account_id, read.role), (Uuid::from_u128(1), Role::Cashier));
        assert_eq!(issued_at, clock.now());
        clock.advance(LIFETIME_MS);
        assert_eq!(tokens.read(&token).unwrap_err().code(), Code::TokenExpired);
    }

    #[test]
    fn a_token_of_another_box_or_algorithm_is_refused() {
        let clock = Arc::new(ManualClock::new(Millis::new(1_700_000_000_000)));
        let tokens = Tokens::new(&[1; 32], &[3; 32], clock.clone());
        let foreign =
            Tokens::new(&[2; 32], &[3; 32], clock).issue(&principal(), Uuid::from_u128(9), 1_000).unwrap();
        assert_eq!(tokens.read(&foreign).unwrap_err().code(), Code::Unauthorized);
        let body = foreign.split('.').nth(1).unwrap();
        let unsigned = format!("eyJhbGciOiJub25lIiwidHlwIjoiSldUIn0.{body}.");
        assert_eq!(tokens.read(&unsigned).unwrap_err().code(), Code::Unauthorized);
    }

    #[test]
    fn fingerprints_cannot_be_made_without_the_key() {
        let clock = Arc::new(ManualClock::new(Millis::new(0)));
        let [one, other] = [1, 2].map(|key| Tokens::new(&[key; 32], &[3; 32], clock.clone()));
        assert_eq!(one.fingerprint("POST", "/a", b"1001"), one.fingerprint("POST", "/a", b"1001"));
        assert_ne!(one.fingerprint("POST", "/a", b"1001"), other.fingerprint("POST", "/a", b"1001"));
        assert_ne!(one.fingerprint("POST", "/a", b"b1001"), one.fingerprint("POST", "/ab", b"1001"));
    }
}
