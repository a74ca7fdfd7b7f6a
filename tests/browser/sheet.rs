//! The sheet on the screen and on paper: one page, whose codes a phone's camera reads, and which lead to the branch.

use super::looks::examine;
use super::{Browser, branch};
use std::collections::BTreeSet;
use std::process::Command;

/// The texts of all QR codes of a picture.
fn codes(picture: &[u8]) -> BTreeSet<String> {
    let mut decoder = png::Decoder::new(std::io::Cursor::new(picture));
    decoder.set_transformations(png::Transformations::normalize_to_color8());
    let mut reader = decoder.read_info().unwrap();
    let mut pixels = vec![0; reader.output_buffer_size().unwrap()];
    let info = reader.next_frame(&mut pixels).unwrap();
    let (width, height) = (info.width as usize, info.height as usize);
    let (step, line) = (info.color_type.samples(), info.line_size);
    let shade = |x: usize, y: usize| pixels[y * line + x * step];
    let mut image = rqrr::PreparedImage::prepare_from_greyscale(width, height, shade);
    image.detect_grids().iter().map(|grid| grid.decode().unwrap().1).collect()
}

/// The pages of `pdf` as pictures.
fn pages(pdf: &[u8]) -> Vec<Vec<u8>> {
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("sheet.pdf");
    std::fs::write(&file, pdf).unwrap();
    let mut command = Command::new("pdftoppm");
    command.args(["-png", "-r", "150"]).arg(&file).arg(folder.path().join("page"));
    let drawn = command.output().expect("pdftoppm (Debian's poppler-utils)");
    assert!(drawn.status.success(), "{}", String::from_utf8_lossy(&drawn.stderr));
    let files = std::fs::read_dir(folder.path()).unwrap().map(|entry| entry.unwrap().path());
    files
        .filter(|path| path.extension().is_some_and(|e| e == "png"))
        .map(|path| std::fs::read(path).unwrap())
        .collect()
}

#[tokio::test(flavor = "multi_thread")]
async fn the_sheet_prints_on_one_page_and_its_codes_lead_to_the_branch() {
    let folder = tempfile::tempdir().unwrap();
    let (edge, tls) = branch(folder.path()).await;
    let browser = Browser::start_trusting(&folder.path().join("tls/tiffin-ca.crt")).await;
    browser.open(&format!("{}/sheet?wifi=Kitchen", edge.base())).await;
    examine(&browser, "the sheet").await;
    let wanted: BTreeSet<String> =
        [format!("{}/certificate", edge.base()), format!("https://{tls}"), edge.base().to_owned()].into();
    for size in [(390, 1600), (820, 1180), (1280, 1100)] {
        browser.screen(size, true, true).await;
        assert_eq!(codes(&browser.screenshot().await), wanted, "on a screen of {size:?}");
    }
    let printed = pages(&browser.print().await);
    assert_eq!(printed.len(), 1, "it prints on one page");
    assert_eq!(codes(&printed[0]), wanted, "on paper");
    // What a tablet finds that scans them.
    for url in &wanted {
        browser.open(url).await;
        let (title, text) = (browser.text_of("h1").await, browser.text().await);
        let is_certificate = url.ends_with("/certificate");
        assert!(
            if is_certificate { title == "Trust this box" } else { title == "Dosa & Co" },
            "{url}: {title}"
        );
        assert!(is_certificate || text.contains("This branch is open."), "{url}: {text}");
    }
    examine(&browser, "what the codes open").await;
}
