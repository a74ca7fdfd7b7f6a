//! `/certificate`: the certificate of the local authority, and how each kind of device comes to trust it. It is there without TLS
//! too, since nobody trusts it before; so it shows the fingerprint that the box's own console shows. Never a key.

use super::tls::{Authority, Card};
use super::{Reach, html};
use crate::db::Env;
use crate::http::{Code, Problem, Result};
use axum::Router;
use axum::http::{HeaderMap, HeaderValue, StatusCode, header};
use axum::response::{IntoResponse, Response};
use axum::routing::get;
use maud::{Markup, PreEscaped, html};
use std::path::{Path, PathBuf};
use std::sync::Arc;
use tiffin_common::Uuid;

/// The page and what it offers: the authority in `folder`, of a box with the clock of `env`.
pub fn routes<S: Clone + Send + Sync + 'static>(folder: PathBuf, reach: Reach, env: Env) -> Router<S> {
    let offer = Arc::new((folder, reach, env));
    let with = |answer: fn(&str, &Card) -> Response| {
        let offer = Arc::clone(&offer);
        get(async move || offered(&offer.0, &offer.1).map(|(pem, card)| answer(&pem, &card)))
    };
    let page = {
        let offer = Arc::clone(&offer);
        get(async move |headers: HeaderMap| {
            let agent = headers.get(header::USER_AGENT).and_then(|agent| agent.to_str().ok());
            let device = Device::of(agent.unwrap_or_default());
            offered(&offer.0, &offer.1).map(|(_, card)| page(&card, &offer.1, device, &offer.2))
        })
    };
    Router::new()
        .route("/certificate", page)
        .route("/certificate/tiffin-ca.crt", with(file))
        .route("/certificate/tiffin.mobileconfig", with(profile))
}

/// Whether there is a certificate to install: TLS is on, and the authority is this box's own.
pub fn is_offered(folder: &Path, reach: &Reach) -> bool {
    offered(folder, reach).is_ok()
}

fn offered(folder: &Path, reach: &Reach) -> Result<(String, Card)> {
    let none = "This server has no certificate of its own making: it is called without TLS, or by one that devices trust already";
    let missing = || Problem::new(Code::NotFound).detail(none);
    if reach.secure().is_none() {
        return Err(missing());
    }
    Authority::public(folder).ok().flatten().ok_or_else(missing)
}

fn page(card: &Card, reach: &Reach, device: Option<Device>, env: &Env) -> Response {
    let secure = reach.secure().unwrap_or_default();
    let named = reach.name().and_then(|name| Some(format!("https://{name}:{}", secure.rsplit_once(':')?.1)));
    let until = card.until.to_string();
    let body = html! {
        p {
            "A tablet or till that trusts this certificate can call this box safely. It takes two minutes, once for each device."
        }
        h2 { "1. Compare the fingerprint" }
        p {
            "It must be the one on the box's own screen: printed when the server starts, and by " code { "tls status" }
            ". If it is not, stop here."
        }
        p { code.print { (card.fingerprint) } }
        h2 { "2. Install the certificate" }
        p { "Choose the kind of this device:" }
        @for each in Device::ALL { (each.section(device == Some(each))) }
        h2 { "3. Open the box" }
        p {
            "At " a href=(secure) { (secure) }
            @if let Some(url) = named { " or " a href=(url) { (url) } }
            ". No warning may show."
        }
        h2 { "What it is" }
        dl {
            dt { "Authority" } dd { (card.title) }
            dt { "Valid until" } dd { (until.split('T').next().unwrap_or_default()) }
            dt { "What it can vouch for" }
            dd { "Names that end in " code { ".local" } ", this box's own names and private addresses; nothing else." }
        }
    };
    html::send(StatusCode::OK, html::page("Trust this box", body), env)
}

/// A kind of device, with its own way to trust an authority.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Device {
    Android,
    Apple,
    Windows,
    Mac,
    Linux,
    Firefox,
}

impl Device {
    const ALL: [Device; 6] =
        [Device::Android, Device::Apple, Device::Windows, Device::Mac, Device::Linux, Device::Firefox];

    /// What a browser says it runs on; iPads say that they are Macs.
    fn of(agent: &str) -> Option<Device> {
        let words = [
            ("Android", Device::Android),
            ("iPhone", Device::Apple),
            ("iPad", Device::Apple),
            ("Firefox/", Device::Firefox),
            ("Windows", Device::Windows),
            ("Macintosh", Device::Mac),
            ("Linux", Device::Linux),
        ];
        words.into_iter().find(|(word, _)| agent.contains(word)).map(|(_, device)| device)
    }

    /// What to do there, unfolded for the device that asks.
    fn section(self, is_this: bool) -> Markup {
        let (name, steps) = self.steps();
        let (file, word) = match self {
            Device::Apple => ("tiffin.mobileconfig", "profile"),
            _ => ("tiffin-ca.crt", "certificate"),
        };
        html! {
            details open[is_this] {
                summary { h3 { (name) } }
                p { a.button href={ "/certificate/" (file) } { "Download the " (word) } }
                ol { (steps) }
            }
        }
    }

    /// Its name, and what comes after the download.
    fn steps(self) -> (&'static str, Markup) {
        match self {
            Device::Android => (
                "Android",
                html! {
                    li {
                        "Open " b { "Settings" } " and search for " b { "CA certificate" }
                        " (it is under Security, Encryption and credentials, Install a certificate)."
                    }
                    li {
                        "Choose " b { "CA certificate" } ", " b { "Install anyway" } ", and the file " code { "tiffin-ca.crt" } "."
                    }
                },
            ),
            Device::Apple => (
                "iPhone and iPad",
                html! {
                    li { "Do so in " b { "Safari" } " and tap " b { "Allow" } "." }
                    li { "Open " b { "Settings" } ", tap " b { "Profile Downloaded" } " and " b { "Install" } "." }
                    li {
                        "Open " b { "Settings" } ", General, About, " b { "Certificate Trust Settings" } " and switch it on."
                    }
                },
            ),
            Device::Windows => (
                "Windows",
                html! {
                    li {
                        "Open the file, then " b { "Install Certificate" } ", " b { "Local Machine" } ", "
                        b { "Place all certificates in the following store" } ", "
                        b { "Trusted Root Certification Authorities" } "."
                    }
                    li { "Close the browser and open it again." }
                },
            ),
            Device::Mac => (
                "macOS",
                html! {
                    li { "Open the file: Keychain Access asks where to; choose " b { "System" } "." }
                    li { "Double-click it there, open " b { "Trust" } " and choose " b { "Always Trust" } "." }
                },
            ),
            Device::Linux => (
                "Linux",
                html! {
                    li {
                        code {
                            "sudo cp tiffin-ca.crt /usr/local/share/ca-certificates/ && sudo update-ca-certificates"
                        }
                    }
                    li {
                        "Chromium keeps certificates of its own: " b { "Settings" } ", Privacy and security, Security, "
                        b { "Manage certificates" } ", Custom, " b { "Import" } "."
                    }
                },
            ),
            Device::Firefox => (
                "Firefox, on any system",
                html! {
                    li {
                        b { "Settings" } ", Privacy & Security, " b { "View Certificates" } ", Authorities, " b { "Import" }
                        ": choose the file and tick " b { "websites" } "."
                    }
                },
            ),
        }
    }
}

/// The certificate as a file that every system opens with its installer.
fn file(pem: &str, _: &Card) -> Response {
    download(pem.to_owned(), "application/x-x509-ca-cert", "attachment; filename=\"tiffin-ca.crt\"")
}

/// The certificate as a profile of Apple's mobile systems.
fn profile(pem: &str, card: &Card) -> Response {
    let der: String = pem.lines().filter(|line| !line.starts_with("-----")).collect();
    // The same certificate is the same profile, so that installing it twice leaves one.
    let id = |what: &str| {
        let hash = blake3::hash(format!("{what} {}", card.fingerprint).as_bytes());
        let mut bytes = [0; 16];
        bytes.copy_from_slice(hash.as_bytes().get(..16).unwrap_or(&[0; 16]));
        Uuid::from_bytes(bytes).to_string().to_uppercase()
    };
    let (inner, outer) = (id("certificate"), id("profile"));
    let profile = html! {
        (PreEscaped("<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n"))
        (PreEscaped("<!DOCTYPE plist PUBLIC \"-//Apple//DTD PLIST 1.0//EN\" \"http://www.apple.com/DTDs/PropertyList-1.0.dtd\">\n"))
        plist version="1.0" {
            dict {
                key { "PayloadContent" }
                array {
                    dict {
                        key { "PayloadCertificateFileName" } string { "tiffin-ca.crt" }
                        key { "PayloadContent" } data { (der) }
                        key { "PayloadDisplayName" } string { (card.title) }
                        key { "PayloadIdentifier" } string { "tiffin.authority." (inner) }
                        key { "PayloadType" } string { "com.apple.security.root" }
                        key { "PayloadUUID" } string { (inner) }
                        key { "PayloadVersion" } integer { "1" }
                    }
                }
                key { "PayloadDescription" } string { "Lets this device call the branch server safely." }
                key { "PayloadDisplayName" } string { (card.title) }
                key { "PayloadIdentifier" } string { "tiffin.profile." (outer) }
                key { "PayloadType" } string { "Configuration" }
                key { "PayloadUUID" } string { (outer) }
                key { "PayloadVersion" } integer { "1" }
            }
        }
    };
    let profile = profile.into_string();
    download(profile, "application/x-apple-aspen-config", "attachment; filename=\"tiffin.mobileconfig\"")
}

fn download(text: String, kind: &'static str, disposition: &'static str) -> Response {
    let headers = [
        (header::CONTENT_TYPE, kind),
        (header::CONTENT_DISPOSITION, disposition),
        (header::CACHE_CONTROL, "no-store"),
    ]
    .map(|(name, value)| (name, HeaderValue::from_static(value)));
    (headers, text).into_response()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_device_that_asks_finds_its_own_steps_unfolded() {
        let told = [
            (
                "Mozilla/5.0 (Linux; Android 14; SM-X200) AppleWebKit/537.36 Chrome/150.0",
                Some(Device::Android),
            ),
            ("Mozilla/5.0 (Android 14; Mobile; rv:140.0) Gecko/140.0 Firefox/140.0", Some(Device::Android)),
            ("Mozilla/5.0 (iPhone; CPU iPhone OS 18_0 like Mac OS X) Safari/604.1", Some(Device::Apple)),
            ("Mozilla/5.0 (Macintosh; Intel Mac OS X 10_15_7) Safari/605.1.15", Some(Device::Mac)),
            ("Mozilla/5.0 (Windows NT 10.0; Win64; x64; rv:140.0) Firefox/140.0", Some(Device::Firefox)),
            ("Mozilla/5.0 (X11; Linux x86_64) Chrome/150.0", Some(Device::Linux)),
            ("curl/8.0", None),
        ];
        for (agent, device) in told {
            assert_eq!(Device::of(agent), device, "{agent}");
        }
        for device in Device::ALL {
            assert!(
                device.section(true).0.starts_with("<details open>")
                    && !device.section(false).0.contains(" open>")
            );
            assert_eq!(device.section(true).0.contains("tiffin.mobileconfig"), device == Device::Apple);
        }
    }
}
