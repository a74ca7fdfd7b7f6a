//! What may be wrong with a head office, and what to do about it. Works while it serves and while it does not; what a head office and
//! a branch have in common is looked at by the branch's own doctor. Never changes anything.

mod contacts;
mod nights;
mod postgres;
mod sqlite;
mod told;

use crate::config::Config;
use crate::registry::look;
use crate::secrets;
use crate::store::postgres::Settings;
use edge::db::Env;
use edge::doctor::network::{self, Port};
use edge::doctor::{Finding, Report, backups, certificate, clock, disk, rights, service};
use edge::space;
use std::time::Duration;

/// How long the database may take to answer at all.
const PATIENCE: Duration = Duration::from_secs(20);

/// Looks at the head office of `config`.
pub async fn examine(config: &Config, env: &Env) -> Report {
    let now = env.clock.now();
    let port = network::look(config.network.listen).await;
    let served = port == Port::Ours;
    let mut findings = service::examine("tiffin-hub", served);
    let told = match &config.store.database_url {
        Some(url) => {
            let settings = Settings::new(url.reveal());
            let found = tokio::time::timeout(PATIENCE, look::look(&settings)).await;
            postgres::judge(found.unwrap_or_else(|_| Err("it does not answer".into())), now)
        }
        None => sqlite::examine(&config.store.data_dir, now),
    };
    if config.store.database_url.is_none() {
        let folder = &config.store.data_dir;
        findings.extend(disk::examine(folder, &space::room(folder, config.room)));
        findings.extend(rights::examine(folder, &["secrets", "tls"]));
    }
    findings.extend(told.findings);
    findings.push(secret(config, told.secret_check.as_deref()));
    findings.extend(match &told.nights {
        Some(nights) => nights::examine(config, nights, told.server, now),
        None => vec![backups::judge("backup", nights::own(config).as_ref(), now)],
    });
    findings.extend(config.backups.second.as_deref().map(|place| backups::judge_second(place, now)));
    findings.extend(network::examine(config.network.listen, served).await);
    findings.extend(certificate::examine(&config.network.tls, &config.store.data_dir, env));
    findings.extend(exposure(config));
    findings.extend(clock::examine(env, told.newest, told.clock_offset_ms));
    Report::of(findings)
}

/// Whether the secret is there, and the one that head office was made with.
fn secret(config: &Config, check: Option<&[u8]>) -> Finding {
    let restore = "Without it nobody stays signed in, and the PINs of replaced boxes cannot be given out: put it back from where it was \
                   copied to (secrets/hub-secret, or TIFFIN_HUB_SECRET).";
    match (secrets::look(&config.store), check) {
        (Err(error), _) => Finding::broken("secret", error.to_string(), restore),
        (Ok(None), Some(_)) => Finding::broken("secret", "it is gone", restore),
        (Ok(None), None) => Finding::warn(
            "secret",
            "there is none yet",
            "It is made at the first start, or by: sync-hub init",
        ),
        (Ok(Some(keys)), Some(check)) if keys.check != check => {
            Finding::broken("secret", "it is not the one that this head office was made with", restore)
        }
        (Ok(Some(_)), _) => Finding::ok("secret", "it is there. Keep a copy of it, apart from the backups"),
    }
}

/// Whether others can listen in.
fn exposure(config: &Config) -> Option<Finding> {
    let is_open = !config.network.listen.ip().is_loopback();
    (is_open && config.allow_plain_http).then(|| {
        let advice = "Put a proxy with TLS in front, or let head office speak TLS itself, and set allow-plain-http to no.";
        Finding::warn("tls", "anybody on the way can read what boxes and people send: plain HTTP is allowed", advice)
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use edge::doctor::Level;

    #[test]
    fn the_secret_must_be_the_one_it_was_made_with() {
        let folder = tempfile::tempdir().unwrap();
        let data = folder.path().to_str().unwrap();
        let with = |secret: &str| Config::with([("data-dir", data), ("secret", secret)]).unwrap();
        let mine = "ab".repeat(32);
        let check = secrets::look(&with(&mine).store).unwrap().unwrap().check;
        assert_eq!(secret(&with(&mine), Some(&check)).level, Level::Ok);
        assert_eq!(secret(&with(&"cd".repeat(32)), Some(&check)).level, Level::Broken);
        let none = Config::with([("data-dir", data)]).unwrap();
        assert_eq!(secret(&none, Some(&check)).level, Level::Broken);
        assert_eq!(secret(&none, None).level, Level::Warn);
        assert!(!folder.path().join("secrets").exists(), "nothing is made");
    }

    #[test]
    fn plain_http_for_others_is_warned_of() {
        let with = |listen: &str, plain: &str| {
            Config::with([("listen", listen), ("allow-plain-http", plain)]).unwrap()
        };
        assert_eq!(exposure(&with("0.0.0.0:8090", "yes")).unwrap().level, Level::Warn);
        assert_eq!(exposure(&with("0.0.0.0:8090", "no")), None);
        assert_eq!(exposure(&with("127.0.0.1:8090", "yes")), None);
    }
}
