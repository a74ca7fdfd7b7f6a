//! What a paper of the staff may be: its kind, what its first bytes say it is, and a name that is safe to hand out. Never
//! believes what a client says of a file.

use tiffin_common::{Millis, Uuid, words};

words! {
    /// What a paper is for.
    #[derive(Default)]
    pub enum DocumentKind {
        /// The contract of employment.
        Contract = "CONTRACT",
        /// Proof of identity.
        Identity = "IDENTITY",
        /// A certificate, of health or training.
        Certificate = "CERTIFICATE",
        /// About tax or social security.
        Tax = "TAX",
        /// Anything else.
        #[default]
        Other = "OTHER",
    }
}

words! {
    /// The kinds of file that are taken, by their media types.
    pub enum FileKind {
        /// A PDF.
        Pdf = "application/pdf",
        /// A JPEG.
        Jpeg = "image/jpeg",
        /// A PNG.
        Png = "image/png",
    }
}

impl FileKind {
    /// What the first bytes of `content` say it is.
    pub fn of_content(content: &[u8]) -> Option<FileKind> {
        let begins = |kind: &FileKind| {
            content.starts_with(match kind {
                FileKind::Pdf => b"%PDF-",
                FileKind::Jpeg => b"\xff\xd8\xff",
                FileKind::Png => b"\x89PNG\r\n\x1a\n",
            })
        };
        FileKind::ALL.iter().copied().find(begins)
    }

    /// The endings a name of such a file may have, the usual one first.
    fn endings(self) -> &'static [&'static str] {
        match self {
            FileKind::Pdf => &["pdf"],
            FileKind::Jpeg => &["jpg", "jpeg"],
            FileKind::Png => &["png"],
        }
    }
}

/// The longest name of a file, in characters.
const LONGEST_NAME: usize = 120;

/// The name a client gave a file, made safe: no folders, nothing invisible, nothing a header or a shell would read, and the
/// ending of what it is.
pub fn file_name(given: &str, kind: FileKind) -> String {
    let last = given.rsplit(['/', '\\']).next().unwrap_or_default();
    let safe = |c: char| match c {
        // Marks that turn the direction of writing hide the real ending.
        '\u{200b}'..='\u{200f}' | '\u{2028}'..='\u{202e}' | '\u{2060}'..='\u{206f}' | '\u{feff}' => None,
        c if c.is_control() => None,
        c if c.is_whitespace() => Some(' '),
        c if !c.is_ascii() || c.is_ascii_alphanumeric() || "-_.()+@".contains(c) => Some(c),
        _ => None,
    };
    let name: String = last.chars().filter_map(safe).collect();
    let name = name.trim_matches([' ', '.']);
    let (stem, ending) = name.rsplit_once('.').unwrap_or((name, ""));
    let endings = kind.endings();
    let fits = endings.iter().find(|known| known.eq_ignore_ascii_case(ending));
    let stem = if fits.is_some() { stem } else { name };
    let stem: String = stem.chars().take(LONGEST_NAME).collect();
    let stem = if stem.trim().is_empty() { "document" } else { stem.trim() };
    format!("{stem}.{}", fits.or(endings.first()).copied().unwrap_or_default())
}

table! {
    /// A paper of an employee.
    #[expect(missing_docs, reason = "the columns of employee_documents")]
    pub struct Document: employee_documents {
        pub id: Uuid,
        pub employee_id: Uuid,
        pub kind: DocumentKind,
        pub title: String,
        pub file_name: String,
        pub file_kind: FileKind => media_type,
        pub size_bytes: i64,
        pub hash: [u8; 32],
        pub uploaded_by: Option<Uuid>,
        pub uploaded_by_name: String,
        pub created_at: Millis,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_file_is_what_it_begins_with() {
        assert_eq!(FileKind::of_content(b"%PDF-1.7\n"), Some(FileKind::Pdf));
        assert_eq!(FileKind::of_content(b"\xff\xd8\xff\xe0\0\x10JFIF"), Some(FileKind::Jpeg));
        assert_eq!(FileKind::of_content(b"\x89PNG\r\n\x1a\n\0"), Some(FileKind::Png));
        for other in [&b""[..], b"%PDF", b"<html>", b"MZ\x90", b"GIF89a", b" %PDF-1.7"] {
            assert_eq!(FileKind::of_content(other), None);
        }
        for kind in FileKind::ALL {
            assert_eq!(FileKind::of_name(kind.name()), Some(*kind));
        }
    }

    #[test]
    fn names_are_safe_to_hand_out() {
        let name = |given| file_name(given, FileKind::Pdf);
        assert_eq!(name("Vertrag Müller.pdf"), "Vertrag Müller.pdf");
        assert_eq!(name("अनुबंध.PDF"), "अनुबंध.pdf");
        assert_eq!(name("../../etc/passwd"), "passwd.pdf");
        assert_eq!(name("C:\\docs\\a.exe"), "a.exe.pdf");
        assert_eq!(name("a\"; rm -rf \r\nX: y;.pdf"), "a rm -rf X y.pdf");
        assert_eq!(name("\u{202e}fdp.exe"), "fdp.exe.pdf");
        assert_eq!(name(".pdf"), "pdf.pdf");
        for empty in ["", "...", "/", "\u{0}"] {
            assert_eq!(name(empty), "document.pdf", "{empty:?}");
        }
        assert_eq!(file_name("scan.jpeg", FileKind::Jpeg), "scan.jpeg");
        assert_eq!(name(&"x".repeat(500)).chars().count(), LONGEST_NAME + 4);
    }
}
