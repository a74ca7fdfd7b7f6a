//! A sheet to print and hang beside the till: where this box is found, as text and as QR codes, and what to do on a tablet. Never
//! a secret: anybody may read it.

use super::{Reach, html};
use crate::resources::tables::qr::{self, QrError};
use std::fmt::Write;

/// What is printed.
#[derive(Debug)]
pub struct Sheet {
    /// The outlet's name.
    pub outlet: String,
    /// The name of the Wi-Fi; a line to write on otherwise.
    pub wifi: Option<String>,
    /// Whether tablets have a certificate to install first.
    pub has_certificate: bool,
    /// Where the box is found.
    pub reach: Reach,
}

/// Black on white also at night: it is paper. Codes are as large as one page allows.
const STYLE: &str = ":root{color-scheme:only light}@page{size:A4;margin:15mm}*{box-sizing:border-box}\
    body{font:13pt/1.45 system-ui,sans-serif;color:#000;background:#fff;max-width:190mm;margin:0 auto;padding:6mm 4mm;\
    overflow-wrap:break-word}h1{font-size:30pt;line-height:1.15;margin:0 0 3mm}h2{font-size:17pt;margin:8mm 0 2mm}\
    .codes{display:flex;flex-wrap:wrap;justify-content:center;gap:8mm;margin:8mm 0}figure{margin:0;flex:1 1 50mm;max-width:75mm;\
    text-align:center;break-inside:avoid}figure svg{width:100%;height:auto;display:block}figcaption{font-size:11pt;\
    overflow-wrap:anywhere}figcaption b{display:block;font-size:13pt}.address{font-size:clamp(14pt,5vw,20pt);font-weight:bold;line-height:1.2;\
    margin:2mm 0;overflow-wrap:anywhere}.line{display:inline-block;width:70mm;max-width:100%;border-bottom:.4mm solid #000}\
    .alarm{border:.6mm solid #000;padding:3mm}.screen{color:#4a4a4a;font-size:11pt}li{margin:1.5mm 0}\
    @media print{body{max-width:none;padding:0}.screen{display:none}}";

impl Sheet {
    /// The sheet as a page of its own.
    ///
    /// # Errors
    /// When an address does not fit a code.
    pub fn html(&self) -> Result<String, QrError> {
        let outlet = html::escaped(&self.outlet);
        let address = self.reach.address();
        let mut body = format!(
            "<main><p class=\"screen\">A page to print and hang beside the till.</p><h1>{outlet}</h1><p>Tills, tablets and kitchen displays find this branch here:</p>"
        );
        self.addresses(&mut body, &address);
        if self.reach.is_this_machine_only() {
            body.push_str(
                "<p class=\"alarm\">The server listens for this machine alone. Start it with --listen 0.0.0.0:8080 and print \
                 this sheet again.</p>",
            );
        }
        let mut codes = Vec::new();
        if self.has_certificate {
            codes.push((
                "1. Certificate, once for each tablet",
                format!("{}/certificate", self.reach.plain()),
            ));
            codes.push(("2. Open, protected", self.reach.secure().unwrap_or_default()));
            if !address.starts_with("https://") {
                codes.push(("or open without protection", address.clone()));
            }
        } else {
            codes.push(("Open", address.clone()));
        }
        body.push_str("<div class=\"codes\">");
        for (words, url) in codes {
            // A long address is cut before its path, if anywhere.
            let (picture, url) =
                (qr::markup(&url)?, html::escaped(&url).replace("/certificate", "<wbr>/certificate"));
            // Writing to a String cannot fail.
            let _infallible =
                write!(body, "<figure>{picture}<figcaption><b>{words}</b>{url}</figcaption></figure>");
        }
        body.push_str("</div>");
        self.steps(&mut body);
        body.push_str("</main>");
        let title = format!("{}: how to connect", self.outlet);
        Ok(html::document(&title, &format!("<style>{STYLE}</style>"), &body))
    }

    fn addresses(&self, body: &mut String, address: &str) {
        let mut line = |url: &str| {
            let url = html::escaped(url);
            let _infallible = write!(body, "<p class=\"address\">{url}</p>");
        };
        line(address);
        if let Some(named) = self.reach.named().filter(|named| named != address) {
            line(&named);
        }
    }

    fn steps(&self, body: &mut String) {
        let wifi = self.wifi.as_deref().map_or_else(
            || "<span class=\"line\">&nbsp;</span>".to_owned(),
            |name| format!("<b>{}</b>", html::escaped(name)),
        );
        let _infallible = write!(
            body,
            "<h2>A new tablet</h2><ol><li>Join the Wi-Fi {wifi}: the same network as this box, not the guests' one.</li>"
        );
        if self.has_certificate {
            body.push_str(
                "<li>Scan code 1 and follow the page for your kind of tablet; compare the fingerprint with the one on the \
                 box's screen.</li><li>Scan code 2.</li>",
            );
        } else {
            body.push_str("<li>Scan the code with the camera, or type the address.</li>");
        }
        body.push_str(
            "<li>Sign in with the account of this tablet's place, and it is ready.</li></ol>\
             <h2>If it does not open</h2><ul><li>Is the box on, and its network cable in?</li>\
             <li>Is the tablet in this Wi-Fi, with mobile data off?</li>\
             <li>The address may have changed: print this sheet again, or give the box a fixed address in the router.</li></ul>",
        );
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_stay_text_and_the_code_is_the_addresss() {
        let sheet = Sheet {
            outlet: "<b>Dosa & Co</b>".into(),
            wifi: Some("<i>Kitchen".into()),
            has_certificate: false,
            reach: Reach::at("http://192.168.1.20:8080"),
        };
        let text = sheet.html().unwrap();
        assert!(text.contains("&lt;b&gt;Dosa &amp; Co") && text.contains("&lt;i&gt;Kitchen"));
        assert!(text.contains(&qr::markup("http://192.168.1.20:8080").unwrap()));
        assert!(text.contains("size:A4") && !text.contains("certificate"));
    }
}
