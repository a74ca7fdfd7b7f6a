//! Access tokens: JWT, HS256, 15 minutes (contract section 2). Never stored, never logged.

use super::permission::Role;
use super::principal::Principal;
use crate::http::{Code, Problem};
use jsonwebtoken::errors::ErrorKind;
use jsonwebtoken::{Algorithm, DecodingKey, EncodingKey, Header, Validation};
use serde::{Deserialize, Serialize};
use std::sync::Arc;
use tiffin_common::{Clock, Millis, Uuid};

/// How long an access token lives, in milliseconds.
pub const LIFETIME_MS: i64 = 15 * 60 * 1000;

const ISSUER: &str = "tiffin-edge";
const AUDIENCE: &str = "tiffin";

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
    iat: i64,
    iat_ms: Millis,
    exp: i64,
}

impl Tokens {
    /// Tokens signed with `key`, which is made at the first start and kept 0600.
    pub fn new(key: &[u8; 32], clock: Arc<dyn Clock>) -> Tokens {
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
        };
        Tokens { inner: Arc::new(keys) }
    }

    /// A token for `principal` that lives `lifetime_ms` from now.
    ///
    /// # Errors
    /// 500 when it cannot be signed.
    pub fn issue(&self, principal: &Principal, jti: Uuid, lifetime_ms: i64) -> Result<String, Problem> {
        let now = self.inner.clock.now();
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
            iat: now.get().div_euclid(1000),
            iat_ms: now,
            exp: now.after(lifetime_ms).get().div_euclid(1000),
        };
        jsonwebtoken::encode(&Header::new(Algorithm::HS256), &claims, &self.inner.encoding).map_err(|error| {
            tracing::error!(%error, "a token could not be signed");
            Problem::new(Code::Internal)
        })
    }

    /// The account behind `token`, and when the token was issued.
    ///
    /// # Errors
    /// 401: bad or expired.
    pub fn read(&self, token: &str) -> Result<(Principal, Millis), Problem> {
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
        };
        Ok((principal, claims.iat_ms))
    }
}
