//! What every page must be, on every screen: nothing that axe-core finds, nothing to scroll sideways, nothing too small to tap, no
//! script, no word of complaint from the browser.

use super::Browser;

/// Phones, a tablet, a desk; whether they are touched.
const SCREENS: [((u32, u32), bool); 4] =
    [((360, 740), true), ((390, 844), true), ((820, 1180), true), ((1280, 900), false)];

/// Pixels that a finger needs (WCAG 2.5.5).
const FINGER: u64 = 44;

/// What is there to tap, and how high it is. A box to tick is as high as its label; a link stands in a line of text.
const TAPPED: &str =
    "return [...document.querySelectorAll('a, button, select, summary, textarea, input:not([type=hidden])')]
    .map(each => each.type === 'checkbox' ? each.closest('label') : each)
    .filter(each => each.getClientRects().length > 0)
    .map(each => [each.outerHTML.slice(0, 80), Math.round(each.getClientRects()[0].height)])";

/// Everything that may be on a screen is on it: what is folded is unfolded.
const UNFOLD: &str = "document.querySelectorAll('details').forEach(each => { each.open = true })";

/// What axe-core finds, with where.
const FINDINGS: &str = "const done = arguments[arguments.length - 1];
    axe.run(document, { resultTypes: ['violations'] }).then(found => done(found.violations.map(each =>
        `${each.id}: ${each.help}: ${each.nodes.map(node => node.html).join(' ')}`)), error => done([`${error}`]))";

/// The rules, as `tests/run` has installed them.
fn axe() -> String {
    let tools = std::env::var("TIFFIN_TEST_TOOLS")
        .unwrap_or_else(|_| concat!(env!("CARGO_MANIFEST_DIR"), "/../target/test-tools").to_owned());
    let file = format!("{tools}/axe/node_modules/axe-core/axe.min.js");
    std::fs::read_to_string(&file).unwrap_or_else(|error| panic!("{file}: {error}; tests/run installs it"))
}

/// Looks the page that is open through on every screen, and leaves it on a phone's by day.
pub async fn examine(browser: &Browser, page: &str) {
    assert_eq!(wrong_with(browser).await, Vec::<String>::new(), "{page}");
}

/// Everything that is wrong with the page that is open.
async fn wrong_with(browser: &Browser) -> Vec<String> {
    let mut wrong = Vec::new();
    let script = browser.run("return document.scripts.length").await;
    wrong.extend((script != 0).then(|| "it needs a script".to_owned()));
    let folded = browser.run("return [...document.querySelectorAll('details')].map(each => each.open)").await;
    browser.run(UNFOLD).await;
    browser.run(&axe()).await;
    for is_dark in [true, false] {
        for (size, is_touched) in SCREENS.into_iter().rev() {
            browser.screen(size, is_touched, is_dark).await;
            let on = format!("on {size:?}, {}", if is_dark { "by night" } else { "by day" });
            let width = browser.run("return document.documentElement.scrollWidth").await.as_u64().unwrap();
            wrong.extend(
                (width > u64::from(size.0)).then(|| format!("{on}: one must scroll sideways: {width}")),
            );
            let tapped = browser.run(TAPPED).await;
            let small = tapped.as_array().unwrap().iter().filter(|each| each[1].as_u64().unwrap() < FINGER);
            wrong.extend(small.map(|each| format!("{on}: too small to tap: {each}")));
            let found = browser.run_to_end(FINDINGS).await;
            wrong.extend(found.as_array().unwrap().iter().map(|each| format!("{on}: {each}")));
        }
    }
    let fold =
        format!("document.querySelectorAll('details').forEach((each, n) => {{ each.open = {folded}[n] }})");
    browser.run(&fold).await;
    wrong.extend(browser.complaints().await);
    wrong
}

#[tokio::test(flavor = "multi_thread")]
async fn a_bad_page_is_found_to_be_bad() {
    let browser = Browser::start().await;
    let page = "<title>x</title><style>p{color:%23999;background:%23fff}</style><main><h1>x</h1><p style='width:99em'>pale</p>\
                <input><a href='/' style='font-size:1em'>x</a><img src='http://127.0.0.1:1/x.png'></main><script>nonsense()</script>";
    browser.open(&format!("data:text/html,{page}")).await;
    let wrong = wrong_with(&browser).await;
    let told = [
        "it needs a script",
        "(360, 740), by day: one must scroll sideways",
        "(820, 1180), by night: too small to tap",
        "color-contrast",
        "html-has-lang",
        "label",
        "image-alt",
        "nonsense is not defined",
        "ERR_UNSAFE_PORT",
    ];
    for each in told {
        assert!(wrong.iter().any(|wrong| wrong.contains(each)), "{each:?} is not found among {wrong:#?}");
    }
}
