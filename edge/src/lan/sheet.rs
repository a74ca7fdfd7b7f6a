//! A sheet to print and hang beside the till: where this box is found, as text and as QR codes, and what to do on a tablet. Never
//! a secret: anybody may read it.

use super::Reach;
use super::html::signed;
use crate::resources::tables::qr::{self, QrError};
use maud::{Markup, PreEscaped, html};

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
    /// What is wrong with the box, for who looks at the sheet on a screen.
    pub alarm: Markup,
}

/// How a new screen comes to belong to this branch: on the page of the address, and on the sheet.
pub(super) const PAIRING: [&str; 3] = [
    "Open the address at the screen, then Pair this screen; say what it shall be (till, kitchen display, clock or board) and give it a name: \
     it shows a code of eight letters and digits.",
    "A manager types the code in within ten minutes where they are signed in, under Devices. Where nobody is: edge devices approve CODE on \
     the box.",
    "Tap Open at the screen: it is signed in, and at a till everybody enters their own PIN from then on.",
];

/// Black on white also at night: it is paper. Codes are as large as one page allows.
const STYLE: &str = include_str!("sheet.css");

impl Sheet {
    /// The sheet as a page of its own.
    ///
    /// # Errors
    /// When an address does not fit a code.
    pub fn html(&self) -> Result<Markup, QrError> {
        let address = self.reach.address();
        let named = self.reach.named().filter(|named| *named != address);
        let codes: Vec<(&str, String)> = if self.has_certificate {
            let open = (!address.starts_with("https://")).then(|| address.clone());
            let codes = [
                ("1. Certificate, once for each tablet", format!("{}/certificate", self.reach.plain())),
                ("2. Open, protected", self.reach.secure().unwrap_or_default()),
            ];
            codes.into_iter().chain(open.map(|open| ("or open without protection", open))).collect()
        } else {
            vec![("Open", address.clone())]
        };
        let codes = codes
            .iter()
            .map(|(words, url)| Ok((words, url, qr::markup(url)?)))
            .collect::<Result<Vec<_>, QrError>>()?;
        let body = html! {
            main {
                p.screen { "A page to print and hang beside the till." }
                (self.alarm)
                h1 { (self.outlet) }
                p { "Tills, tablets and kitchen displays find this branch here:" }
                p.address { (address) }
                @if let Some(named) = named { p.address { (named) } }
                @if self.reach.is_this_machine_only() {
                    p.alarm {
                        "The server listens for this machine alone. Start it with --listen 0.0.0.0:8080 and print this sheet \
                         again."
                    }
                }
                .codes {
                    @for (words, url, picture) in &codes {
                        figure { (picture) figcaption { b { (words) } (broken(url)) } }
                    }
                }
                (self.steps())
            }
        };
        Ok(signed(&format!("{}: how to connect", self.outlet), STYLE, html! {}, body))
    }

    fn steps(&self) -> Markup {
        html! {
            h2 { "A new tablet" }
            ol {
                li {
                    "Join the Wi-Fi "
                    @match &self.wifi { Some(name) => b { (name) }, None => span.line { (PreEscaped("&nbsp;")) } }
                    ": the same network as this box, not the guests' one."
                }
                @if self.has_certificate {
                    li {
                        "Scan code 1 and follow the page for your kind of tablet; compare the fingerprint with the one on the \
                         box's screen."
                    }
                    li { "Scan code 2." }
                } @else {
                    li { "Scan the code with the camera, or type the address." }
                }
                @for step in PAIRING { li { (step) } }
            }
            h2 { "If it does not open" }
            ul {
                li { "Is the box on, and its network cable in?" }
                li { "Is the tablet in this Wi-Fi, with mobile data off?" }
                li {
                    "The address may have changed: print this sheet again, or give the box a fixed address in the router."
                }
            }
        }
    }
}

/// A long address is cut before its path, if anywhere.
fn broken(url: &str) -> Markup {
    html! {
        @match url.strip_suffix("/certificate") {
            Some(start) => { (start) wbr; "/certificate" },
            None => (url),
        }
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
            alarm: html! {},
        };
        let text = sheet.html().unwrap().into_string();
        assert!(text.contains("&lt;b&gt;Dosa &amp; Co") && text.contains("&lt;i&gt;Kitchen"));
        assert!(text.contains(&qr::markup("http://192.168.1.20:8080").unwrap().0));
        assert!(text.contains("size:A4") && !text.contains("certificate"));
        assert!(text.contains("eight letters and digits") && text.contains("edge devices approve"));
    }
}
