//! Codes by mail: against a small server that speaks just enough SMTP, well and badly.

use edge::access::Role;
use edge::app;
use edge::config::{Config, Sources};
use serde_json::json;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::time::Duration;
use tiffin_tests::people::{give_account, hire};
use tiffin_tests::{Branch, Reply};
use tokio::io::{AsyncBufReadExt, AsyncWriteExt, BufReader};
use tokio::net::{TcpListener, TcpStream};
use tokio::sync::mpsc;
use tokio::task::JoinSet;

const EMAIL: &str = "cashier@sample.test";

/// What the server says to a recipient.
#[derive(Clone, Default)]
struct Mood {
    /// 451 instead of 250.
    busy: Arc<AtomicBool>,
    /// 550 instead of 250.
    refuses: Arc<AtomicBool>,
    /// Conversations so far.
    met: Arc<AtomicUsize>,
}

/// A mail server on loopback: its address, and the letters it takes.
async fn server(mood: Mood) -> (String, mpsc::UnboundedReceiver<String>) {
    let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
    let url = format!("smtp://{}", listener.local_addr().unwrap());
    let (letters, taken) = mpsc::unbounded_channel();
    tokio::spawn(async move {
        while let Ok((stream, _)) = listener.accept().await {
            mood.met.fetch_add(1, Ordering::SeqCst);
            let (mood, letters) = (mood.clone(), letters.clone());
            // A client that hangs up in the middle is what some tests are about.
            tokio::spawn(async move { drop(converse(stream, &mood, &letters).await) });
        }
    });
    (url, taken)
}

async fn converse(
    stream: TcpStream,
    mood: &Mood,
    letters: &mpsc::UnboundedSender<String>,
) -> std::io::Result<()> {
    let (reader, mut writer) = stream.into_split();
    let mut lines = BufReader::new(reader).lines();
    writer.write_all(b"220 mail.test ESMTP\r\n").await?;
    while let Some(line) = lines.next_line().await? {
        let word = line.split([' ', ':']).next().unwrap_or_default().to_ascii_uppercase();
        let answer = match word.as_str() {
            "EHLO" => "250-mail.test\r\n250 8BITMIME\r\n",
            "RCPT" if mood.refuses.load(Ordering::SeqCst) => "550 no such mailbox\r\n",
            "RCPT" if mood.busy.load(Ordering::SeqCst) => "451 try again\r\n",
            "DATA" => {
                writer.write_all(b"354 go on\r\n").await?;
                let mut letter = String::new();
                while let Some(line) = lines.next_line().await?.filter(|line| line != ".") {
                    letter.push_str(&line);
                    letter.push('\n');
                }
                letters.send(letter).unwrap();
                "250 taken\r\n"
            }
            "QUIT" => return writer.write_all(b"221 bye\r\n").await,
            _ => "250 ok\r\n",
        };
        writer.write_all(answer.as_bytes()).await?;
    }
    Ok(())
}

/// A branch that sends mail to `url`, with a cashier's account, and its workers.
async fn branch(url: String) -> (Branch, JoinSet<()>) {
    let url: &'static str = url.leak();
    let settings = [
        ("smtp-url", url),
        ("mail-from", "Tiffin <no-reply@sample.test>"),
        ("limit-general", "off"),
        ("limit-forgot-password", "off"),
    ];
    let branch = Branch::with(settings).await;
    let owner = branch.sign_in(Role::Owner);
    give_account(&owner, &hire(&owner, "E1", "Meera", "Cashier").await, EMAIL, "CASHIER").await;
    let flags = settings.iter().map(|(flag, value)| (*flag, (*value).to_owned())).collect();
    let config = Config::resolve(&Sources { flags, ..Sources::default() }).unwrap();
    let workers = app::start_workers(branch.state(), &config);
    (branch, workers)
}

async fn ask(branch: &Branch, email: &str) -> Reply {
    branch.anonymous().post("/auth/forgot-password", json!({"email": email})).await.expect(200)
}

/// Waits until no mail is left in the box; a minute is more than any test needs.
async fn until_settled(branch: &Branch) {
    let settled = async {
        while branch.number("SELECT count(*) FROM mail_jobs").await > 0 {
            tokio::task::yield_now().await;
        }
    };
    tokio::time::timeout(Duration::from_secs(60), settled).await.unwrap();
}

async fn until_met(mood: &Mood, times: usize) {
    let met = async {
        while mood.met.load(Ordering::SeqCst) < times {
            tokio::task::yield_now().await;
        }
    };
    tokio::time::timeout(Duration::from_secs(60), met).await.unwrap();
}

async fn codes_with_managers(branch: &Branch) -> i64 {
    branch.number("SELECT count(*) FROM notifications WHERE type = 'PASSWORD_RESET'").await
}

#[tokio::test]
async fn a_code_comes_by_mail_works_and_leaves_nothing_behind() {
    let (url, mut letters) = server(Mood::default()).await;
    let (branch, _workers) = branch(url).await;
    let known = ask(&branch, EMAIL).await;
    let unknown = ask(&branch, "nobody@sample.test").await;
    assert_eq!(known.text, unknown.text, "the answer does not tell whether there is such an account");
    let letter = letters.recv().await.unwrap();
    assert!(letter.contains("From: Tiffin <no-reply@sample.test>") && letter.contains(EMAIL), "{letter}");
    let code = letter.split("sets it:").nth(1).unwrap().split_whitespace().next().unwrap().to_owned();
    until_settled(&branch).await;
    assert_eq!(codes_with_managers(&branch).await, 0);
    let new = json!({"token": code, "newPassword": "a new and longer one"});
    branch.anonymous().post("/auth/reset-password", new.clone()).await.expect(200);
    branch.anonymous().post("/auth/reset-password", new).await.refused(401, "INVALID_CREDENTIALS");
    assert!(letters.try_recv().is_err(), "one account, one letter");
}

#[tokio::test]
async fn a_busy_server_is_asked_again() {
    let mood = Mood::default();
    mood.busy.store(true, Ordering::SeqCst);
    let (url, mut letters) = server(mood.clone()).await;
    let (branch, _workers) = branch(url).await;
    ask(&branch, EMAIL).await;
    until_met(&mood, 1).await;
    mood.busy.store(false, Ordering::SeqCst);
    // The pause is by the branch's clock, which stands still until told.
    let again = async {
        loop {
            branch.pass(1_000);
            if tokio::time::timeout(Duration::from_millis(200), letters.recv()).await.is_ok() {
                return;
            }
        }
    };
    tokio::time::timeout(Duration::from_secs(60), again).await.unwrap();
    until_settled(&branch).await;
    assert_eq!(codes_with_managers(&branch).await, 0);
}

#[tokio::test]
async fn a_mail_that_is_refused_for_good_goes_to_the_managers() {
    let mood = Mood::default();
    mood.refuses.store(true, Ordering::SeqCst);
    let (url, _letters) = server(mood).await;
    let (branch, _workers) = branch(url).await;
    ask(&branch, EMAIL).await;
    until_settled(&branch).await;
    let told = branch.sign_in(Role::Manager).get("/notifications").await.json();
    assert_eq!(told["data"][0]["title"], "Meera has forgotten their password");
    assert_eq!(told["data"][0]["entity"]["type"], "account");
    assert_eq!(branch.sign_in(Role::Waiter).get("/notifications").await.json()["meta"]["total"], 0);
}

#[tokio::test]
async fn nothing_goes_out_in_clear_where_tls_is_demanded_and_time_runs_out() {
    let mood = Mood::default();
    let (url, mut letters) = server(mood.clone()).await;
    let (branch, _workers) = branch(format!("{url}?tls=required")).await;
    ask(&branch, EMAIL).await;
    until_met(&mood, 1).await;
    assert_eq!(
        branch.number("SELECT count(*) FROM mail_jobs").await,
        1,
        "it is tried until its time is over"
    );
    branch.pass(10 * 60_000);
    until_settled(&branch).await;
    assert!(letters.try_recv().is_err());
    assert_eq!(codes_with_managers(&branch).await, 1);
}

#[tokio::test]
async fn a_server_that_is_not_there_delays_nobody() {
    let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
    let url = format!("smtp://{}", listener.local_addr().unwrap());
    drop(listener);
    let (branch, _workers) = branch(url).await;
    ask(&branch, EMAIL).await;
    branch.pass(10 * 60_000);
    until_settled(&branch).await;
    assert_eq!(codes_with_managers(&branch).await, 1);
}
