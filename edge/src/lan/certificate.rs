//! `/certificate`: the certificate of the local authority, and how each kind of device comes to trust it. It is there without TLS
//! too, since nobody trusts it before; so it shows the fingerprint that the box's own console shows. Never a key.

use super::tls::{Authority, Card};
use super::{Reach, html};
use crate::http::{Code, Problem};
use axum::Router;
use axum::http::{HeaderValue, StatusCode, header};
use axum::response::{IntoResponse, Response};
use axum::routing::get;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use tiffin_common::Uuid;

/// The page and what it offers: the authority in `folder`.
pub fn routes<S: Clone + Send + Sync + 'static>(folder: PathBuf, reach: Reach) -> Router<S> {
    let offer = Arc::new((folder, reach));
    let with = |answer: fn(&str, &Card, &Reach) -> Response| {
        let offer = Arc::clone(&offer);
        get(async move || offered(&offer.0, &offer.1).map(|(pem, card)| answer(&pem, &card, &offer.1)))
    };
    Router::new()
        .route("/certificate", with(page))
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

fn page(_: &str, card: &Card, reach: &Reach) -> Response {
    let secure = html::escaped(&reach.secure().unwrap_or_default());
    let name = reach.name().and_then(|name| Some((name, secure.rsplit_once(':')?.1.to_owned())));
    let by_name = name.map_or_else(String::new, |(name, port)| {
        let url = html::escaped(&format!("https://{name}:{port}"));
        format!(" or <a href=\"{url}\">{url}</a>")
    });
    let (title, print) = (html::escaped(&card.title), html::escaped(&card.fingerprint));
    let until = html::escaped(card.until.to_string().split('T').next().unwrap_or_default());
    let body = format!(
        "<p>Tablets and tills that install this certificate can call this box safely at <a href=\"{secure}\">{secure}</a>{by_name}.</p>\
         <p><a href=\"/certificate/tiffin-ca.crt\">Download the certificate</a> (Android, Windows, macOS, Linux)<br>\
         <a href=\"/certificate/tiffin.mobileconfig\">Download the profile</a> (iPhone and iPad)</p>\
         <dl><dt>Authority</dt><dd>{title}</dd><dt>Valid until</dt><dd>{until}</dd>\
         <dt>SHA-256 fingerprint</dt><dd><code>{print}</code></dd></dl>\
         <p class=\"alarm\">Compare the fingerprint with the one on the box's own screen (printed when the server starts, and by \
         <code>edge tls status</code>) before you trust it. It can vouch for names that end in <code>.local</code>, this box's \
         own names and private addresses alone.</p>{STEPS}"
    );
    html::send(StatusCode::OK, html::page("Trust this box", &body))
}

/// What to do on which device.
const STEPS: &str = "<h2>Android</h2><ol><li>Download the certificate.</li>\
    <li>Open <b>Settings</b>, search for <b>CA certificate</b> (it is under Security, Encryption and credentials, Install a certificate).</li>\
    <li>Choose <b>CA certificate</b>, <b>Install anyway</b>, and the file <code>tiffin-ca.crt</code>.</li></ol>\
    <h2>iPhone and iPad</h2><ol><li>Open this page in <b>Safari</b>, download the profile and tap <b>Allow</b>.</li>\
    <li>Open <b>Settings</b>, tap <b>Profile Downloaded</b> and <b>Install</b>.</li>\
    <li>Open <b>Settings</b>, General, About, <b>Certificate Trust Settings</b> and switch it on.</li></ol>\
    <h2>Windows</h2><ol><li>Download the certificate and open it.</li><li><b>Install Certificate</b>, <b>Local Machine</b>, \
    <b>Place all certificates in the following store</b>, <b>Trusted Root Certification Authorities</b>.</li>\
    <li>Close the browser and open it again.</li></ol>\
    <h2>macOS</h2><ol><li>Download the certificate and open it: Keychain Access asks where to; choose <b>System</b>.</li>\
    <li>Double-click it there, open <b>Trust</b> and choose <b>Always Trust</b>.</li></ol>\
    <h2>Linux</h2><ol><li><code>sudo cp tiffin-ca.crt /usr/local/share/ca-certificates/ &amp;&amp; sudo update-ca-certificates</code></li></ol>\
    <h2>Firefox, on any system</h2><ol><li><b>Settings</b>, Privacy &amp; Security, <b>View Certificates</b>, Authorities, <b>Import</b>.</li></ol>";

/// The certificate as a file that every system opens with its installer.
fn file(pem: &str, _: &Card, _: &Reach) -> Response {
    download(pem.to_owned(), "application/x-x509-ca-cert", "attachment; filename=\"tiffin-ca.crt\"")
}

/// The certificate as a profile of Apple's mobile systems.
fn profile(pem: &str, card: &Card, _: &Reach) -> Response {
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
