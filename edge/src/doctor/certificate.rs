//! The certificate of TLS: is it there, is it one, how long does it hold. Never touches a key.

use super::Finding;
use crate::config::Tls;
use crate::db::Env;
use crate::lan::tls::{Authority, Card, folder};
use std::path::Path;
use tiffin_common::Millis;

/// What a server with the settings `tls` and this data directory shows to its callers. Nothing where it speaks no TLS.
pub fn examine(tls: &Tls, data_dir: &Path, env: &Env) -> Option<Finding> {
    tls.listen?;
    let now = env.clock.now();
    Some(match &tls.certificate {
        Some(certificate) => given(certificate, now),
        None => own(&folder(data_dir), now),
    })
}

fn given(certificate: &Path, now: Millis) -> Finding {
    let advice =
        "Get a new one and put it in the place of the old one; a running server takes it up by itself.";
    match Card::of_file(certificate) {
        Err(error) => {
            Finding::broken("certificate", error.to_string(), "See tls-certificate in the settings.")
        }
        Ok(card) => judge(&card, now, advice),
    }
}

fn own(folder: &Path, now: Millis) -> Finding {
    let found = match Authority::public(folder) {
        Ok(None) => return Finding::ok("certificate", "none yet; the server makes one at its start"),
        Ok(Some((_, authority))) => authority,
        Err(error) => {
            let advice =
                "Put tls/authority.pem back, or make a new authority for all tablets: tls init --replace";
            return Finding::broken("certificate", error.to_string(), advice);
        }
    };
    if found.ends_soon(now) {
        let advice = "Make a new one and install it on every tablet: tls init --replace";
        return judge(&found, now, advice);
    }
    let advice = "A running server renews it by itself: is it running? Its log says why not.";
    match Card::of_file(&folder.join("server.pem")) {
        Err(_) => Finding::ok("certificate", "the server makes one at its start"),
        Ok(card) => judge(&card, now, advice),
    }
}

fn judge(card: &Card, now: Millis, advice: &str) -> Finding {
    let days = card.until.get().saturating_sub(now.get()) / 86_400_000;
    let title = &card.title;
    if card.until <= now {
        return Finding::broken("certificate", format!("{title} held until {}", card.until), advice);
    }
    if card.from > now {
        let found = format!("{title} holds only from {} on", card.from);
        return Finding::broken("certificate", found, "Is this machine's clock right?");
    }
    if card.ends_soon(now) {
        return Finding::warn("certificate", format!("{title} ends in {days} days"), advice);
    }
    Finding::ok("certificate", format!("{title} holds for {days} more days"))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::db::OsRandom;
    use crate::doctor::Level;
    use crate::lan::tls::Wanted;
    use std::sync::Arc;
    use tiffin_common::Clock;
    use tiffin_common::clock::{ManualClock, SystemClock};

    #[test]
    fn a_certificate_that_ends_is_told_a_month_before() {
        let data = tempfile::tempdir().unwrap();
        let clock = Arc::new(ManualClock::new(SystemClock.now()));
        let env = Env::new(Arc::clone(&clock) as Arc<dyn Clock>, Arc::new(OsRandom));
        assert_eq!(examine(&Tls::default(), data.path(), &env), None);
        let tls = Tls { listen: Some(([0, 0, 0, 0], 8443).into()), ..Tls::default() };
        let level = |tls: &Tls| examine(tls, data.path(), &env).unwrap().level;
        assert_eq!(level(&tls), Level::Ok);
        let authority = Authority::make(&folder(data.path()), "Tiffin", &[], &env).unwrap();
        let wanted = Wanted { names: ["blr1.local".to_owned()].into(), ..Wanted::default() };
        authority.issue(&wanted, &env).unwrap();
        assert_eq!(level(&tls), Level::Ok);
        let file = authority.server_file();
        let given = Tls { certificate: Some(file.clone()), key: Some(file), ..tls.clone() };
        for (days, expected) in [(370, Level::Warn), (30, Level::Broken)] {
            clock.advance(days * 86_400_000);
            assert_eq!((level(&tls), level(&given)), (expected, expected));
        }
        std::fs::write(authority.public_file(), "rubbish").unwrap();
        assert_eq!(level(&tls), Level::Broken);
    }
}
