//! `/certificate`: the certificate of the local authority, and how each kind of device comes to trust it. It is there without TLS
//! too, since nobody trusts it before; so it shows the fingerprint that the box's own console shows. Never a key.

use super::tls::{Authority, Card};
use super::{Reach, html};
use crate::http::{Code, Problem};
use axum::Router;
use axum::http::{HeaderMap, HeaderValue, StatusCode, header};
use axum::response::{IntoResponse, Response};
use axum::routing::get;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use tiffin_common::Uuid;

/// The page and what it offers: the authority in `folder`.
pub fn routes<S: Clone + Send + Sync + 'static>(folder: PathBuf, reach: Reach) -> Router<S> {
    let offer = Arc::new((folder, reach));
    let with = |answer: fn(&str, &Card) -> Response| {
        let offer = Arc::clone(&offer);
        get(async move || offered(&offer.0, &offer.1).map(|(pem, card)| answer(&pem, &card)))
    };
    let page = {
        let offer = Arc::clone(&offer);
        get(async move |headers: HeaderMap| {
            let agent = headers.get(header::USER_AGENT).and_then(|agent| agent.to_str().ok());
            let device = Device::of(agent.unwrap_or_default());
            offered(&offer.0, &offer.1).map(|(_, card)| page(&card, &offer.1, device))
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

fn offered(folder: &Path, reach: &Reach) -> Result<(String, Card), Problem> {
    let none = "This server has no certificate of its own making: it is called without TLS, or by one that devices trust already";
    let missing = || Problem::new(Code::NotFound).detail(none);
    if reach.secure().is_none() {
        return Err(missing());
    }
    Authority::public(folder).ok().flatten().ok_or_else(missing)
}

fn page(card: &Card, reach: &Reach, device: Option<Device>) -> Response {
    let secure = html::escaped(&reach.secure().unwrap_or_default());
    let name = reach.name().and_then(|name| Some((name, secure.rsplit_once(':')?.1.to_owned())));
    let by_name = name.map_or_else(String::new, |(name, port)| {
        let url = html::escaped(&format!("https://{name}:{port}"));
        format!(" or <a href=\"{url}\">{url}</a>")
    });
    let (title, print) = (html::escaped(&card.title), html::escaped(&card.fingerprint));
    let until = html::escaped(card.until.to_string().split('T').next().unwrap_or_default());
    let steps: String = Device::ALL.into_iter().map(|each| each.section(device == Some(each))).collect();
    let body = format!(
        "<p>A tablet or till that trusts this certificate can call this box safely. It takes two minutes, once for each device.</p>\
         <h2>1. Compare the fingerprint</h2><p>It must be the one on the box's own screen: printed when the server starts, and by \
         <code>tls status</code>. If it is not, stop here.</p><p><code class=\"print\">{print}</code></p>\
         <h2>2. Install the certificate</h2><p>Choose the kind of this device:</p>{steps}\
         <h2>3. Open the box</h2><p>At <a href=\"{secure}\">{secure}</a>{by_name}. No warning may show.</p>\
         <h2>What it is</h2><dl><dt>Authority</dt><dd>{title}</dd><dt>Valid until</dt><dd>{until}</dd><dt>What it can vouch for</dt>\
         <dd>Names that end in <code>.local</code>, this box's own names and private addresses; nothing else.</dd></dl>"
    );
    html::send(StatusCode::OK, html::page("Trust this box", &body))
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
    fn section(self, is_this: bool) -> String {
        let open = if is_this { " open" } else { "" };
        let (name, steps) = self.steps();
        let (file, word) = match self {
            Device::Apple => ("tiffin.mobileconfig", "profile"),
            _ => ("tiffin-ca.crt", "certificate"),
        };
        format!(
            "<details{open}><summary><h3>{name}</h3></summary>\
             <p><a class=\"button\" href=\"/certificate/{file}\">Download the {word}</a></p><ol>{steps}</ol></details>"
        )
    }

    /// Its name, and what comes after the download.
    fn steps(self) -> (&'static str, &'static str) {
        match self {
            Device::Android => (
                "Android",
                "<li>Open <b>Settings</b> and search for <b>CA certificate</b> (it is under Security, Encryption and credentials, \
                 Install a certificate).</li>\
                 <li>Choose <b>CA certificate</b>, <b>Install anyway</b>, and the file <code>tiffin-ca.crt</code>.</li>",
            ),
            Device::Apple => (
                "iPhone and iPad",
                "<li>Do so in <b>Safari</b> and tap <b>Allow</b>.</li>\
                 <li>Open <b>Settings</b>, tap <b>Profile Downloaded</b> and <b>Install</b>.</li>\
                 <li>Open <b>Settings</b>, General, About, <b>Certificate Trust Settings</b> and switch it on.</li>",
            ),
            Device::Windows => (
                "Windows",
                "<li>Open the file, then <b>Install Certificate</b>, <b>Local Machine</b>, <b>Place all certificates in the \
                 following store</b>, <b>Trusted Root Certification Authorities</b>.</li>\
                 <li>Close the browser and open it again.</li>",
            ),
            Device::Mac => (
                "macOS",
                "<li>Open the file: Keychain Access asks where to; choose <b>System</b>.</li>\
                 <li>Double-click it there, open <b>Trust</b> and choose <b>Always Trust</b>.</li>",
            ),
            Device::Linux => (
                "Linux",
                "<li><code>sudo cp tiffin-ca.crt /usr/local/share/ca-certificates/ &amp;&amp; sudo update-ca-certificates</code></li>\
                 <li>Chromium keeps certificates of its own: <b>Settings</b>, Privacy and security, Security, <b>Manage \
                 certificates</b>, Custom, <b>Import</b>.</li>",
            ),
            Device::Firefox => (
                "Firefox, on any system",
                "<li><b>Settings</b>, Privacy &amp; Security, <b>View Certificates</b>, Authorities, <b>Import</b>: choose the file \
                 and tick <b>websites</b>.</li>",
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
    let der: String = pem.lines().filter(|line| !line.starts_with("-----")).map(html::escaped).collect();
    // The same certificate is the same profile, so that installing it twice leaves one.
    let id = |what: &str| {
        let hash = blake3::hash(format!("{what} {}", card.fingerprint).as_bytes());
        let mut bytes = [0; 16];
        bytes.copy_from_slice(hash.as_bytes().get(..16).unwrap_or(&[0; 16]));
        Uuid::from_bytes(bytes).to_string().to_uppercase()
    };
    let title = html::escaped(&card.title);
    let (inner, outer) = (id("certificate"), id("profile"));
    let profile = format!(
        "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n\
         <!DOCTYPE plist PUBLIC \"-//Apple//DTD PLIST 1.0//EN\" \"http://www.apple.com/DTDs/PropertyList-1.0.dtd\">\n\
         <plist version=\"1.0\"><dict>\
         <key>PayloadContent</key><array><dict>\
         <key>PayloadCertificateFileName</key><string>tiffin-ca.crt</string>\
         <key>PayloadContent</key><data>{der}</data>\
         <key>PayloadDisplayName</key><string>{title}</string>\
         <key>PayloadIdentifier</key><string>tiffin.authority.{inner}</string>\
         <key>PayloadType</key><string>com.apple.security.root</string>\
         <key>PayloadUUID</key><string>{inner}</string>\
         <key>PayloadVersion</key><integer>1</integer></dict></array>\
         <key>PayloadDescription</key><string>Lets this device call the branch server safely.</string>\
         <key>PayloadDisplayName</key><string>{title}</string>\
         <key>PayloadIdentifier</key><string>tiffin.profile.{outer}</string>\
         <key>PayloadType</key><string>Configuration</string>\
         <key>PayloadUUID</key><string>{outer}</string>\
         <key>PayloadVersion</key><integer>1</integer></dict></plist>\n"
    );
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
                device.section(true).starts_with("<details open>")
                    && !device.section(false).contains(" open>")
            );
            assert_eq!(device.section(true).contains("tiffin.mobileconfig"), device == Device::Apple);
        }
    }
}
