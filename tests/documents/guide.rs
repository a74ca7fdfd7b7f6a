//! The guide at `/docs/guide`: served by both programs, true in every path it names, and its examples work.

use crate::{paste, read};
use regex::Regex;
use serde_json::Value;
use std::collections::BTreeMap;
use std::path::Path;
use tiffin_tests::{Client, Edge, HubProcess, sample};

const GUIDE: &str = "edge/src/app/docs/guide.html";

/// A text of the page as it is read.
fn unescaped(text: &str) -> String {
    text.replace("&lt;", "<").replace("&gt;", ">").replace("&quot;", "\"").replace("&amp;", "&")
}

/// The part about the branch and the part about head office.
fn parts(page: &str) -> [&str; 2] {
    page.split_once("data-server=\"sync-hub\"").map(|(branch, office)| [branch, office]).unwrap()
}

/// The examples of a part, one after another.
fn examples(part: &str) -> String {
    let block = Regex::new(r#"(?s)<pre class="run"[^>]*><code>(.*?)</code></pre>"#).unwrap();
    let script: String = block.captures_iter(part).map(|c| unescaped(&c[1]) + "\n").collect();
    assert!(!script.is_empty(), "there is no example");
    script
}

/// `/orders/{orderId}` and `/orders/{id}` are the same to a reader.
fn shape(path: &str) -> String {
    Regex::new(r"\{[^}]*\}").unwrap().replace_all(path, "{}").into_owned()
}

/// Every path of a published document with its methods.
async fn published(client: &Client) -> BTreeMap<String, Vec<String>> {
    let document = client.get("/openapi.json").await.expect(200).json();
    let methods =
        |operations: &Value| operations.as_object().unwrap().keys().map(|m| m.to_uppercase()).collect();
    document["paths"].as_object().unwrap().iter().map(|(path, all)| (shape(path), methods(all))).collect()
}

/// What `text` names, in `code`, that is no route of `routes`: a path with a method, or a path that some route is or begins with.
fn unknown(text: &str, routes: &BTreeMap<String, Vec<String>>) -> Vec<String> {
    let pre = Regex::new(r"(?s)<pre.*?</pre>").unwrap();
    let code = Regex::new(r"<code>(?:(GET|POST|PUT|PATCH|DELETE) )?(/[^<?\s]*)[^<]*</code>").unwrap();
    let text = pre.replace_all(text, "");
    let mut found = Vec::new();
    let mut count = 0;
    for named in code.captures_iter(&text) {
        let path = shape(&named[2]);
        count += 1;
        let is_there = match named.get(1) {
            Some(method) => routes.get(&path).is_some_and(|all| all.iter().any(|m| m == method.as_str())),
            None => {
                ["/api/v1", "/v1"].contains(&path.as_str())
                    || routes.keys().any(|route| route == &path || route.starts_with(&format!("{path}/")))
            }
        };
        if !is_there {
            found.push(named[0].to_owned());
        }
    }
    assert!(count > 5, "the paths were not read");
    found
}

/// The page as a browser gets it, once everything it links to was asked for.
async fn opened(client: &Client) -> String {
    let page = client.get("/docs/guide").await.expect(200);
    assert_eq!(page.header("content-type"), "text/html; charset=utf-8");
    assert!(page.header("content-security-policy").starts_with("default-src 'none'"));
    let link = Regex::new(r#"(?:href|src)="([^"]*)""#).unwrap();
    for named in link.captures_iter(&page.text) {
        match named[1].strip_prefix('#') {
            Some(id) => assert!(page.text.contains(&format!("id=\"{id}\"")), "{} leads nowhere", &named[1]),
            None => {
                assert!(named[1].starts_with('/'), "{} needs internet", &named[1]);
                client.get(&named[1]).await.expect(200);
            }
        }
    }
    // Who opens the reference finds it, and so does who reads the document.
    assert!(client.get("/docs").await.expect(200).text.contains("href=\"/docs/guide\""));
    let document = client.get("/openapi.json").await.expect(200).json();
    assert!(document["info"]["description"].as_str().unwrap().contains("](/docs/guide)"));
    page.text
}

async fn pasted(script: String, folder: &Path) -> String {
    let folder = folder.to_owned();
    tokio::task::spawn_blocking(move || paste(&script, &folder)).await.unwrap()
}

#[tokio::test(flavor = "multi_thread")]
async fn a_branch_serves_the_guide_and_does_what_it_says() {
    let folder = tempfile::tempdir().unwrap();
    let edge = Edge::serve(&folder.path().join("data"), &["--sample-data"]).await;
    let page = opened(&edge.client()).await;
    assert_eq!(page, read(GUIDE));
    let [branch, _] = parts(&page);
    assert_eq!(unknown(branch, &published(&edge.client()).await), Vec::<String>::new());

    let script = examples(branch).replace("127.0.0.1:8080", edge.listen());
    let told = pasted(script, folder.path()).await;
    assert_eq!(told.matches("201 Created").count(), 2, "the order and its retry:\n{told}");
    assert_eq!(told.to_lowercase().matches("idempotency-replayed: true").count(), 1, "{told}");
    assert!(told.contains("\"prepMinutes\": 12") && told.contains("\"rating\": 5"), "{told}");
    assert!(told.contains("netRevenueCents") && told.to_lowercase().contains("paneer"), "{told}");
}

#[tokio::test(flavor = "multi_thread")]
async fn head_office_serves_the_guide_and_does_what_it_says() {
    let folder = tempfile::tempdir().unwrap();
    let office = folder.path().join("hub-data");
    let [_, part] = parts(&read(GUIDE)).map(str::to_owned);
    // The first person is the one who signs in there.
    let person = Regex::new(r#"\{"email":"([^"]*)","password":"([^"]*)"\}"#).unwrap();
    let script = examples(&part);
    let person = person.captures(&script).unwrap();
    let file = folder.path().join("password");
    std::fs::write(&file, &person[2]).unwrap();
    let init = ["init", "--admin-email", &person[1], "--admin-password-file", file.to_str().unwrap()];
    HubProcess::run(&office, &init);
    let hub = HubProcess::serve(&office, &[]).await;

    let page = opened(&hub.client()).await;
    assert_eq!(page, read(GUIDE));
    assert_eq!(unknown(&part, &published(&hub.client()).await), Vec::<String>::new());

    // An outlet with an order, which arrives.
    let data = folder.path().join("data");
    sample::init(&data, "BLR1");
    let code = hub.sign_in(&person[1], &person[2]).await.post("/hub/enrolments", serde_json::json!({})).await;
    let code = code.expect(201).data()["code"].as_str().unwrap().to_owned();
    let (place, base) = (data.clone(), hub.base().to_owned());
    let enroll = move || {
        Edge::run(&["enroll", "--data-dir", place.to_str().unwrap(), "--hub", &base, "--code", &code])
    };
    tokio::task::spawn_blocking(enroll).await.unwrap();
    let edge = Edge::serve(&data, &[]).await;
    let owner = sample::owner(&edge).await;
    sample::sell(&owner, &sample::lines(&owner, 1).await).await;
    tiffin_tests::until("the order is at head office", async || {
        let sync = owner.get("/status").await.data()["sync"].clone();
        (sync["rowsWaiting"] == 0 && sync["enrolled"] == true).then_some(())
    })
    .await;

    let told = pasted(script.replace("127.0.0.1:8090", hub.listen()), folder.path()).await;
    assert!(told.contains("\"code\": \"BLR1\"") && told.contains("netRevenueCents"), "{told}");
    assert!(told.trim_end().lines().last().unwrap().starts_with("\"BLR1-"), "the order's number:\n{told}");
}
