//! Head office, where the box belongs to one: its name, its answer, whether it knows this box, and what waits to be sent. Asks what
//! the exchange asks; never sends a row.

use super::{Finding, Patient};
use crate::exchange::{Footing, SyncStatus, Verdict};
use crate::sync::{Enrolment, HttpCarrier, Hub, HubError, http_client};
use rusqlite::Connection;
use std::net::IpAddr;
use std::sync::Arc;
use std::time::Duration;
use tiffin_common::sync::PullQuery;

/// How long an answer may take.
const PATIENCE: Duration = Duration::from_secs(10);

/// How long rows may wait before anybody should care, in seconds.
const LAG_SECONDS: i64 = 3_600;

/// How the exchange stands, as the database has it.
pub(super) fn standing(conn: &Connection, patient: &Patient<'_>) -> Vec<Finding> {
    match SyncStatus::read(conn, patient.env.clock.now()) {
        Ok(status) => judge_standing(&status, patient.enrolment.is_some()).into_iter().collect(),
        Err(error) => {
            vec![Finding::broken("exchange", format!("it cannot be read: {error}"), "See the database.")]
        }
    }
}

/// Judges how the exchange stands.
fn judge_standing(status: &SyncStatus, is_enrolled: bool) -> Option<Finding> {
    if !is_enrolled {
        return None;
    }
    let waiting = format!("{} changes wait to be sent", status.rows_waiting);
    let lag = status.lag_seconds.unwrap_or_default();
    let advice = match status.standing {
        Some(Footing::Revoked) => Some(
            "Head office does not know this box's key any more: it is no longer the branch's. Ask for a code, and: edge enroll --hub … --code …",
        ),
        Some(Footing::Fenced) => Some(
            "Another box has taken this one's place. Stop this one; ask head office which of the two goes on.",
        ),
        Some(Footing::Fork) => Some(
            "Two boxes speak for this outlet. Ask head office which of them goes on, and stop the other.",
        ),
        Some(Footing::Lacking) => Some(
            "Head office lacks changes that this box no longer keeps. Ask for a code, and: edge enroll --hub … --code … --reseed",
        ),
        Some(Footing::TooOld) => Some("This program is too old for head office: install the newer one."),
        _ => None,
    };
    if let (Some(standing), Some(advice)) = (status.standing, advice) {
        return Some(Finding::broken("exchange", format!("{standing}; {waiting}"), advice));
    }
    if status.digest == Some(Verdict::Bad) {
        let advice = "The rows are sent again by themselves. If it stays, something writes past the program: ask for help.";
        return Some(Finding::broken("exchange", "head office's copy was last found different", advice));
    }
    if status.open_reviews > 0 {
        let found = format!("{} records need somebody's look", status.open_reviews);
        return Some(Finding::warn(
            "exchange",
            found,
            "A manager decides on them in the screens, under Reviews.",
        ));
    }
    if status.enrolled && lag > LAG_SECONDS {
        let found = format!("{waiting}, the oldest for {} hours", lag / 3_600);
        return Some(Finding::warn(
            "exchange",
            found,
            "They go by themselves as soon as head office answers: see head-office below.",
        ));
    }
    Some(Finding::ok("exchange", waiting))
}

/// Whether head office answers, and how far its clock is from this one's, in milliseconds.
pub(super) async fn reach(patient: &Patient<'_>) -> (Vec<Finding>, Option<i64>) {
    let Some(enrolment) = &patient.enrolment else { return (Vec::new(), None) };
    let mut findings = Vec::new();
    let resolved = resolve(&enrolment.hub_url).await;
    findings.extend(resolved.as_ref().err().cloned());
    if resolved.is_err() {
        return (findings, None);
    }
    let offset = match greet(enrolment, patient).await {
        Ok(offset) => offset,
        Err(finding) => {
            findings.push(finding);
            return (findings, None);
        }
    };
    findings.push(judge_key(&enrolment.hub_url, ask(enrolment).await));
    (findings, offset)
}

/// Whether the name of head office leads anywhere.
async fn resolve(url: &str) -> Result<(), Finding> {
    let advice = "See that the router has internet and gives a name server (DHCP). Does another site open in a browser? Selling goes on meanwhile.";
    let parsed = reqwest::Url::parse(url).ok();
    let host =
        parsed.as_ref().and_then(reqwest::Url::host_str).map(|host| host.trim_matches(['[', ']']).to_owned());
    let Some(host) = host else {
        return Err(Finding::broken("head-office", format!("{url} is no address"), "edge enroll again"));
    };
    if host.parse::<IpAddr>().is_ok() {
        return Ok(());
    }
    let found = tokio::time::timeout(PATIENCE, tokio::net::lookup_host((host.as_str(), 443))).await;
    let none = || Finding::warn("dns", format!("nobody tells what {host} is"), advice);
    match found {
        Ok(Ok(mut addresses)) => addresses.next().map(drop).ok_or_else(none),
        Ok(Err(error)) => Err(Finding::warn("dns", format!("the name {host} is not found: {error}"), advice)),
        Err(_) => Err(none()),
    }
}

/// Asks head office whether it is up; answers how far its clock is from this one's.
async fn greet(enrolment: &Enrolment, patient: &Patient<'_>) -> Result<Option<i64>, Finding> {
    let url = &enrolment.hub_url;
    let client = http_client(enrolment.authority.as_deref()).map_err(|error| {
        Finding::broken(
            "head-office",
            error.to_string(),
            "Enrol the box again with --hub-ca-file where its authority's certificate is now.",
        )
    })?;
    let asked = patient.env.clock.now();
    let answer = client.get(format!("{url}/health")).timeout(PATIENCE).send().await;
    let answer = answer.map_err(|error| judge_failure(url, &words(&error), error.is_timeout()))?;
    let header = |name: &str| {
        answer.headers().get(name).and_then(|value| value.to_str().ok()).unwrap_or_default().to_owned()
    };
    let (status, kind, date) = (answer.status().as_u16(), header("content-type"), header("date"));
    if status >= 300 || !kind.starts_with("application/json") {
        return Err(judge_stranger(url, status, &kind));
    }
    // Half of the way there and back.
    let now = asked.after(patient.env.clock.now().since(asked) / 2);
    let theirs = chrono::DateTime::parse_from_rfc2822(&date).ok();
    Ok(theirs.map(|theirs| theirs.timestamp_millis().saturating_sub(now.get())))
}

/// An error with all its reasons.
fn words(error: &dyn std::error::Error) -> String {
    let mut text = error.to_string();
    let mut reason = error.source();
    while let Some(next) = reason {
        text = format!("{text}: {next}");
        reason = next.source();
    }
    text
}

/// Judges why no answer came.
fn judge_failure(url: &str, why: &str, is_late: bool) -> Finding {
    let lower = why.to_lowercase();
    let has = |words: &[&str]| words.iter().any(|word| lower.contains(word));
    let found = format!("{url} cannot be reached: {why}");
    if has(&["notvalidyet", "not valid yet", "expired"]) {
        let advice = "The certificate does not hold now: see the clock of this box first (below), then the certificate of head office.";
        return Finding::broken("head-office", found, advice);
    }
    if has(&["certificate", "unknownissuer", "invalid peer"]) {
        let advice = "Its certificate is of an authority this box does not know, or for another name. Head office with an authority of its own: \
                      edge enroll again with --hub-ca-file. In a hotel or a café it may be somebody else who answers.";
        return Finding::broken("head-office", found, advice);
    }
    let advice = if is_late || has(&["timed out", "unreachable"]) {
        "There may be no internet: does another site open in a browser? Selling goes on; what waits is sent by itself afterwards."
    } else {
        "Head office's server may be down, or a firewall refuses: ask there. Selling goes on; what waits is sent by itself afterwards."
    };
    Finding::warn("head-office", found, advice)
}

/// Judges an answer that head office would not give.
fn judge_stranger(url: &str, status: u16, kind: &str) -> Finding {
    if kind.starts_with("text/html") || (300..400).contains(&status) {
        let advice = "A sign-in page of the internet provider, a proxy or a firewall answers instead: open any site in a browser on this \
                      network and sign in, or ask whoever runs it to let this box through.";
        return Finding::broken(
            "head-office",
            format!("somebody else answers for {url} ({status} {kind})"),
            advice,
        );
    }
    let advice = "Ask head office to look at its server: sync-hub doctor.";
    Finding::warn("head-office", format!("{url} answers {status}"), advice)
}

/// Asks for news, as the exchange does, without waiting for any.
async fn ask(enrolment: &Enrolment) -> Result<(), HubError> {
    let carrier = HttpCarrier::of(enrolment).map_err(|error| HubError::Offline(error.to_string()))?;
    let query = PullQuery { feed: 0, mark: None, hub_epoch: None, wait: None, chain: None };
    Hub::new(Arc::new(carrier)).pull(&query).await.map(drop)
}

/// Judges whether head office knows the box.
fn judge_key(url: &str, outcome: Result<(), HubError>) -> Finding {
    let again = "Ask for a code, and: edge enroll --hub … --code …";
    match outcome {
        Ok(()) => Finding::ok("head-office", format!("{url} answers and knows this box")),
        Err(HubError::Unauthorized) => {
            Finding::broken("head-office", format!("{url} does not know this box's key"), again)
        }
        Err(HubError::Fenced) => Finding::broken(
            "head-office",
            "another box has taken this one's place",
            "Stop this one; ask head office which of the two goes on.",
        ),
        Err(HubError::TooOld) => Finding::broken(
            "head-office",
            "this program is too old for head office",
            "Install the newer one.",
        ),
        Err(HubError::Busy { .. }) => {
            Finding::ok("head-office", format!("{url} answers; it is busy just now"))
        }
        Err(HubError::NotOurs(what)) => judge_stranger(url, 200, &format!("text/html {what}")),
        Err(error) => Finding::warn(
            "head-office",
            format!("{url}: {error}"),
            "Ask head office to look at its server: sync-hub doctor.",
        ),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::doctor::Level;

    const URL: &str = "https://hub.test";

    #[tokio::test]
    async fn a_name_that_leads_nowhere_is_found_and_an_address_needs_none() {
        let told = resolve("https://head-office.invalid").await.unwrap_err();
        assert_eq!((told.check, told.level), ("dns", Level::Warn));
        assert_eq!(resolve("https://192.0.2.7:8443").await, Ok(()));
        assert_eq!(resolve("nonsense").await.unwrap_err().level, Level::Broken);
    }

    #[test]
    fn every_way_of_not_reaching_head_office_has_its_own_advice() {
        let advice = |why: &str, late| judge_failure(URL, why, late).advice.unwrap();
        assert!(
            advice("error trying to connect: invalid peer certificate: NotValidYet", false).contains("clock")
        );
        assert!(advice("invalid peer certificate: Expired", false).contains("clock"));
        assert!(advice("invalid peer certificate: UnknownIssuer", false).contains("--hub-ca-file"));
        assert!(advice("tcp connect error: Connection refused", false).contains("firewall"));
        assert!(advice("operation timed out", true).contains("internet"));
        let portal = judge_stranger(URL, 200, "text/html; charset=utf-8");
        assert!(portal.level == Level::Broken && portal.advice.unwrap().contains("sign-in page"));
        assert_eq!(judge_stranger(URL, 502, "application/json").level, Level::Warn);
    }

    #[test]
    fn a_box_that_was_shut_out_says_so() {
        assert_eq!(judge_key(URL, Ok(())).level, Level::Ok);
        for error in
            [HubError::Unauthorized, HubError::Fenced, HubError::TooOld, HubError::NotOurs("x".into())]
        {
            assert_eq!(judge_key(URL, Err(error)).level, Level::Broken);
        }
        assert_eq!(judge_key(URL, Err(HubError::Busy { retry_after: None })).level, Level::Ok);
        assert_eq!(judge_key(URL, Err(HubError::Offline("cut".into()))).level, Level::Warn);
    }

    #[test]
    fn what_waits_too_long_and_what_stands_in_the_way_is_told() {
        let well = || SyncStatus { enrolled: true, standing: Some(Footing::Normal), ..SyncStatus::default() };
        let level = |status: &SyncStatus| judge_standing(status, true).unwrap().level;
        assert_eq!(judge_standing(&well(), false), None);
        assert_eq!(level(&well()), Level::Ok);
        assert_eq!(level(&SyncStatus { lag_seconds: Some(7_200), ..well() }), Level::Warn);
        assert_eq!(level(&SyncStatus { open_reviews: 1, ..well() }), Level::Warn);
        assert_eq!(level(&SyncStatus { digest: Some(Verdict::Bad), ..well() }), Level::Broken);
        for standing in [Footing::Revoked, Footing::Fenced, Footing::Fork, Footing::TooOld, Footing::Lacking]
        {
            assert_eq!(level(&SyncStatus { standing: Some(standing), ..well() }), Level::Broken);
        }
    }
}
