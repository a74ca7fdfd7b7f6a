//! Connections that stand in the way: raw sockets against a branch at which tills sell.

use edge::access::Role;
use serde_json::json;
use std::net::SocketAddr;
use std::time::Duration;
use tiffin_tests::{Branch, Client, House};
use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::{TcpSocket, TcpStream};
use tokio::time::{Instant, timeout};

const PHONE: &str = "127.0.0.2:0";
const TILL: &str = "127.0.0.1:0";

/// More than it takes to answer, and less than what a half-sent request may take.
const SOON: Duration = Duration::from_secs(3);

fn address(branch: &Branch) -> SocketAddr {
    branch.base().trim_start_matches("http://").parse().unwrap()
}

async fn connect(branch: &Branch, from: &str) -> TcpStream {
    let socket = TcpSocket::new_v4().unwrap();
    socket.bind(from.parse().unwrap()).unwrap();
    timeout(SOON, socket.connect(address(branch))).await.expect("connected in time").unwrap()
}

async fn say(stream: &mut TcpStream, text: &str) {
    stream.write_all(text.as_bytes()).await.unwrap();
}

/// The next answer's head, and its body by its length.
async fn answer(stream: &mut TcpStream) -> Option<String> {
    let read = async {
        let mut text = Vec::new();
        loop {
            let mut byte = [0];
            if stream.read(&mut byte).await.ok()? == 0 {
                return None;
            }
            text.push(byte[0]);
            if text.ends_with(b"\r\n\r\n") {
                break;
            }
        }
        let head = String::from_utf8(text).unwrap().to_ascii_lowercase();
        let length = head.lines().find_map(|line| line.strip_prefix("content-length: "))?.parse().unwrap();
        let mut body = vec![0; length];
        stream.read_exact(&mut body).await.ok()?;
        Some(head)
    };
    timeout(SOON, read).await.expect("answered in time")
}

/// Whether the server has closed it.
async fn is_closed(stream: &mut TcpStream) -> bool {
    timeout(Duration::from_millis(1), stream.read(&mut [0; 16]))
        .await
        .is_ok_and(|read| read.map_or(true, |n| n == 0))
}

/// How many are open, once fewer than `wanted` are not to be expected any more.
async fn still_open(streams: &mut [TcpStream], at_most: usize) -> usize {
    let deadline = Instant::now() + 3 * SOON;
    loop {
        let mut open = 0;
        for stream in streams.iter_mut() {
            open += usize::from(!is_closed(stream).await);
        }
        if open <= at_most || Instant::now() > deadline {
            return open;
        }
    }
}

async fn sells(till: &Client, house: &House) {
    let body = json!({"orderType": "COUNTER", "items": [house.line("Dal", 1)]});
    timeout(SOON, till.post("/orders", body)).await.expect("sold in time").expect(201);
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn half_sent_requests_of_one_phone_make_no_till_wait() {
    let branch = Branch::start().await;
    let house = House::open(&branch).await;
    let till = branch.sign_in(Role::Cashier);
    sells(&till, &house).await;
    let halves = [
        "",
        "GET /health HTTP/1.1\r\nhos",
        "POST /api/v1/auth/login HTTP/1.1\r\nhost: localhost\r\ncontent-type: application/json\r\ncontent-length: 100\r\n\r\n{",
    ];
    let mut phone = Vec::new();
    for i in 0..600 {
        let mut stream = connect(&branch, PHONE).await;
        say(&mut stream, halves[i % halves.len()]).await;
        phone.push(stream);
        if i % 60 == 0 {
            sells(&till, &house).await;
        }
    }
    // A till that comes anew, and the phone itself, are answered as well.
    sells(&branch.sign_in(Role::Waiter), &house).await;
    let mut stream = connect(&branch, PHONE).await;
    say(&mut stream, "GET /health HTTP/1.1\r\nhost: localhost\r\n\r\n").await;
    assert!(answer(&mut stream).await.unwrap().starts_with("http/1.1 200"));
    assert!(still_open(&mut phone, 64).await <= 64);
}

#[tokio::test]
async fn strangers_behind_a_tills_address_end_the_oldest_of_their_own() {
    let branch = Branch::with([("limit-connections", "8")]).await;
    let owner = branch.sign_in(Role::Owner);
    let signed = format!(
        "GET /api/v1/outlets HTTP/1.1\r\nhost: localhost\r\nauthorization: Bearer {}\r\n\r\n",
        owner.token().unwrap()
    );
    let mut till = connect(&branch, TILL).await;
    say(&mut till, &signed).await;
    assert!(answer(&mut till).await.unwrap().starts_with("http/1.1 200"));
    let mut guests = Vec::new();
    for _ in 0..24 {
        let mut guest = connect(&branch, TILL).await;
        say(&mut guest, "GET /health HTTP/1.1\r\nhost: localhost\r\n\r\n").await;
        assert!(answer(&mut guest).await.unwrap().starts_with("http/1.1 200"), "nobody is refused");
        guests.push(guest);
    }
    assert_eq!(still_open(&mut guests, 8).await, 8);
    assert_eq!(still_open(&mut guests[..16], 0).await, 0, "the oldest go first");
    say(&mut till, &signed).await;
    assert!(answer(&mut till).await.unwrap().starts_with("http/1.1 200"), "the till's stays");
}

#[tokio::test]
async fn a_crowd_ends_nobodys_connection_in_the_middle_of_a_request_or_an_answer() {
    let branch = Branch::with([("limit-connections", "8")]).await;
    let house = House::open(&branch).await;
    let table = house.owner.get(&format!("/tables/{}", house.table(1))).await.expect(200).data();
    house.place(&house.owner, house.at_table(1, &[("Dal", 1)])).await;
    let hello = "GET /health HTTP/1.1\r\nhost: localhost\r\n\r\n";
    // One guest follows the table's orders; another, who was answered before, sends a body on a bad line.
    let mut follows = connect(&branch, PHONE).await;
    let stream = format!("/api/v1/orders/tables/{}/stream", table["qrToken"].as_str().unwrap());
    say(&mut follows, &format!("GET {stream} HTTP/1.1\r\nhost: localhost\r\n\r\n")).await;
    let mut begun = [0; 12];
    timeout(SOON, follows.read_exact(&mut begun)).await.expect("begun in time").unwrap();
    assert_eq!(&begun, b"HTTP/1.1 200");
    let mut sends = connect(&branch, PHONE).await;
    say(&mut sends, hello).await;
    assert!(answer(&mut sends).await.unwrap().starts_with("http/1.1 200"));
    let body = r#"{"email":"nobody@sample.test","password":"wrong"}"#;
    let head = "POST /api/v1/auth/login HTTP/1.1\r\nhost: localhost\r\ncontent-type: application/json\r\n";
    say(&mut sends, &format!("{head}content-length: {}\r\n\r\n", body.len())).await;
    let mut others = Vec::new();
    for piece in body.as_bytes().chunks(10) {
        for _ in 0..4 {
            let mut other = connect(&branch, PHONE).await;
            say(&mut other, hello).await;
            assert!(answer(&mut other).await.unwrap().starts_with("http/1.1 200"), "nobody is refused");
            others.push(other);
        }
        tokio::time::sleep(Duration::from_millis(600)).await;
        sends.write_all(piece).await.expect("whoever is asking stays");
    }
    assert!(answer(&mut sends).await.expect("an answer").starts_with("http/1.1 401"));
    assert!(still_open(&mut others, 8).await <= 8, "those that idle make room");
    let mut rest = [0; 4_096];
    while let Ok(read) = timeout(Duration::from_millis(1), follows.read(&mut rest)).await {
        assert!(read.is_ok_and(|n| n > 0), "whoever is answered stays");
    }
}

#[tokio::test]
async fn a_slow_head_a_slow_body_and_an_idle_connection_end() {
    let settings = [("header-read-timeout-seconds", "1"), ("idle-timeout-seconds", "2")];
    let branch = Branch::with(settings).await;
    let mut head = connect(&branch, PHONE).await;
    say(&mut head, "GET /health HTTP/1.1\r\nhos").await;
    let mut idle = connect(&branch, PHONE).await;
    say(&mut idle, "GET /health HTTP/1.1\r\nhost: localhost\r\n\r\n").await;
    answer(&mut idle).await.unwrap();
    let began = Instant::now();
    assert_eq!(timeout(SOON, head.read(&mut [0])).await.unwrap().unwrap_or(0), 0);
    assert!(began.elapsed() < Duration::from_millis(1_900), "a head has a time of its own");
    assert!(!is_closed(&mut idle).await, "and idling another");
    assert_eq!(timeout(SOON, idle.read(&mut [0])).await.unwrap().unwrap_or(0), 0);
}

#[tokio::test]
async fn a_request_refused_before_its_body_is_read_leaves_the_connection_whole_or_says_that_it_ends() {
    let branch = Branch::start().await;
    let refused = |length: usize, more: &str| {
        format!(
            "POST /api/v1/orders HTTP/1.1\r\nhost: localhost\r\ncontent-type: application/json\r\n{more}content-length: {length}\r\n\r\n"
        )
    };
    let mut stream = connect(&branch, TILL).await;
    for _ in 0..3 {
        say(&mut stream, &refused(40_000, "")).await;
        tokio::task::yield_now().await;
        say(&mut stream, &" ".repeat(40_000)).await;
        let head = answer(&mut stream).await.expect("the connection goes on");
        assert!(head.starts_with("http/1.1 401") && !head.contains("connection: close"), "{head}");
    }
    for more in ["", "expect: 100-continue\r\n"] {
        let mut stream = connect(&branch, TILL).await;
        say(&mut stream, &refused(if more.is_empty() { 500_000 } else { 10 }, more)).await;
        let head = answer(&mut stream).await.expect("an answer");
        assert!(head.starts_with("http/1.1 401") && head.contains("connection: close"), "{head}");
        assert!(timeout(SOON, stream.read(&mut [0])).await.unwrap().is_ok_and(|n| n == 0));
    }
}

#[tokio::test]
async fn a_body_that_does_not_come_ends_its_connection() {
    let branch = Branch::start().await;
    let mut half = connect(&branch, PHONE).await;
    let head = "POST /api/v1/auth/login HTTP/1.1\r\nhost: localhost\r\ncontent-type: application/json\r\n";
    say(&mut half, &format!("{head}content-length: 100\r\n\r\n{{")).await;
    let began = Instant::now();
    assert_eq!(timeout(Duration::from_secs(15), half.read(&mut [0])).await.unwrap().unwrap_or(0), 0);
    assert!(began.elapsed() > Duration::from_secs(9), "a bad line has its time: {:?}", began.elapsed());
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn three_hundred_guests_and_twenty_tills_behind_one_address_are_all_answered() {
    let branch = Branch::with([("limit-general", "1000/60")]).await;
    let house = House::open(&branch).await;
    let tills: Vec<Client> = (0..20).map(|_| branch.sign_in(Role::Cashier)).collect();
    for till in &tills {
        sells(till, &house).await;
    }
    let hello = "GET /health HTTP/1.1\r\nhost: localhost\r\n\r\n";
    let mut guests = Vec::new();
    for (number, till) in (0..300).zip(tills.iter().cycle()) {
        let mut guest = connect(&branch, TILL).await;
        say(&mut guest, hello).await;
        assert!(answer(&mut guest).await.unwrap().starts_with("http/1.1 200"), "guest {number}");
        guests.push(guest);
        if number % 15 == 0 {
            sells(till, &house).await;
        }
    }
    // Whose idle connection made room comes again on another one, and is answered.
    let closed = 300 - still_open(&mut guests, 64).await;
    assert!(closed >= 300 - 64, "{closed}");
    for number in 0..closed {
        let mut guest = connect(&branch, TILL).await;
        say(&mut guest, hello).await;
        assert!(answer(&mut guest).await.unwrap().starts_with("http/1.1 200"), "guest {number} again");
    }
    for till in &tills {
        sells(till, &house).await;
    }
}
