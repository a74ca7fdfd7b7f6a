//! A second factor over HTTP.

use super::super::actions;
use super::super::rules::AuthError;
use super::passwords::confirmed;
use crate::access::Cx;
use crate::http::{Data, Json, Result};
use crate::state::Secrets;
use axum::extract::State;

/// The password of the account that gets a second factor.
#[apply(request!)]
pub struct BeginTotp {
    #[schemars(length(min = 1, max = 128))]
    current_password: String,
}

/// What an authenticator is told, once.
#[apply(answer!)]
pub struct NewTotp {
    /// To be typed into an authenticator: 32 letters and digits.
    secret: String,
    /// The same as an `otpauth:` link, to be shown as a QR code.
    uri: String,
}

/// Makes a secret for one's own account; the first sign-in with a code of it turns it on.
pub async fn begin_totp(
    cx: Cx,
    State(secrets): State<Secrets>,
    Json(body): Json<BeginTotp>,
) -> Result<Data<NewTotp>> {
    if cx.principal.by_pin {
        return Err(
            AuthError::Forbidden("A PIN opens the till alone: sign in with the password for this").into()
        );
    }
    confirmed(&cx, body.current_password).await?;
    let (actor, key) = (cx.actor(), secrets.sealing_key);
    let (secret, uri) = cx.db.write(move |tx| actions::begin_factor(tx, &actor, &key)).await?;
    Ok(Data::new(NewTotp { secret, uri }))
}
