//! Printers that fail: off, out of paper, deaf, or cut off at any byte. What was printed and what jobs say agree.

use crate::printers::{add, id, jobs, press, print_all, queue};
use edge::access::Actor;
use edge::app;
use edge::config::{Config, Sources};
use edge::db::DbError;
use edge::paper::Row;
use edge::resources::printers::worker::{Step, step};
use edge::resources::printers::{actions, store};
use serde_json::json;
use tiffin_common::Uuid;
use tiffin_tests::printer::Printer;
use tiffin_tests::{Branch, House};

/// How often each of `dish` and COPY stands on the paper.
fn counts(text: &str, dish: &str) -> (usize, usize) {
    (text.matches(dish).count(), text.matches("COPY").count())
}

#[tokio::test]
async fn a_line_that_breaks_at_any_byte_loses_nothing_and_doubles_nothing_in_silence() {
    let branch = Branch::start().await;
    let house = House::open(&branch).await;
    for profile in ["EPSON", "GENERIC"] {
        let printer = Printer::start().await;
        let made = add(&house.owner, &printer, json!({"name": profile, "profile": profile})).await;
        let mut at = 0;
        loop {
            let dish = format!("Dosa {at}.");
            queue(&branch, &printer, Some(id(&made).parse().unwrap()), vec![Row::Bold(dish.clone())]).await;
            let before = printer.connections();
            printer.cut_line_after(at);
            print_all(&branch, &printer).await;
            let pages = printer.pages();
            let text: String = pages.iter().map(|page| page.text()).collect();
            let (there, copies) = counts(&text, &dish);
            assert!(there >= 1, "cut after {at}: lost\n{text}");
            assert!(there <= 1 + copies, "cut after {at}: twice in silence\n{text}");
            // A printer that counts its cuts never cuts the same ticket twice.
            assert!(profile != "EPSON" || pages.len() == 1, "cut after {at}: {} pages\n{text}", pages.len());
            let job = jobs(&house.owner, "").await[0].clone();
            assert_eq!((&job["status"], &job["confirmed"]), (&json!("DONE"), &json!(true)), "cut after {at}");
            if printer.connections() == before + 1 {
                break;
            }
            at += 1;
        }
        assert!(at > 25, "only {at} places were tried");
    }
}

#[tokio::test]
async fn paper_that_ends_at_any_byte_is_waited_for_and_what_the_printer_kept_is_not_printed_twice() {
    let branch = Branch::start().await;
    let house = House::open(&branch).await;
    let printer = Printer::start().await;
    let made = add(&house.owner, &printer, json!({"expiresMinutes": 240})).await;
    for at in (0..48).step_by(3) {
        let dish = format!("Idli {at}.");
        queue(&branch, &printer, Some(id(&made).parse().unwrap()), vec![Row::Plain(dish.clone())]).await;
        printer.end_paper_after(at);
        let looked = step(&branch.db, &printer.address, &press(&branch)).await.unwrap();
        if looked != Step::Done {
            let job = jobs(&house.owner, "").await[0].clone();
            assert!(job["lastError"].as_str().unwrap().contains("paper"), "{job}");
            branch.pass(31_000);
            // It says so before anything is sent: nothing more is.
            step(&branch.db, &printer.address, &press(&branch)).await.unwrap();
        }
        printer.reload();
        print_all(&branch, &printer).await;
        let pages = printer.pages();
        let text: String = pages.iter().map(|page| page.text()).collect();
        let (there, copies) = counts(&text, &dish);
        assert!(
            there >= 1 && there <= 1 + copies && pages.len() == 1,
            "ends after {at}: {there}, {copies}\n{text}"
        );
    }
    assert!(branch.number("SELECT count(*) FROM notifications WHERE type = 'PRINTER_DOWN'").await >= 1);
}

#[tokio::test]
async fn a_printer_that_stays_off_is_fallen_back_from_once_and_its_queue_has_a_ceiling() {
    let branch = Branch::start().await;
    let house = House::open(&branch).await;
    let (off, other) = (Printer::start().await, Printer::start().await);
    let spare = add(&house.owner, &other, json!({"name": "Spare", "width": 58})).await;
    let made = add(&house.owner, &off, json!({"name": "Main", "fallbackPrinterId": id(&spare)})).await;
    off.offline(true);
    let to: Uuid = id(&made).parse().unwrap();
    queue(&branch, &off, Some(to), vec![Row::Plain("Vada".into())]).await;
    for _ in 0..3 {
        step(&branch.db, &off.address, &press(&branch)).await.unwrap();
        branch.pass(31_000);
    }
    other.offline(true);
    for _ in 0..4 {
        step(&branch.db, &other.address, &press(&branch)).await.unwrap();
        branch.pass(31_000);
    }
    other.offline(false);
    print_all(&branch, &other).await;
    let text = other.everything();
    assert!(
        text.contains("Vada")
            && text.lines().any(|line| line.starts_with("Instead of") && line.ends_with("Main"))
            && !text.contains("COPY"),
        "{text}"
    );
    assert_eq!(
        (off.everything().as_str(), jobs(&house.owner, "").await[0]["fellBackFrom"].as_str()),
        ("", Some("Main"))
    );
    // Nothing waits for ever, and nothing from last night prints in the morning.
    for n in 0..52 {
        queue(&branch, &off, Some(to), vec![Row::Plain(format!("Last night {n}"))]).await;
    }
    assert_eq!(jobs(&house.owner, "&status=FAILED").await.len(), 2);
    assert_eq!(
        branch.number("SELECT sum(count) FROM notifications WHERE type = 'PRINT_QUEUE_FULL'").await,
        2
    );
    branch.pass(10 * 3_600_000);
    off.offline(false);
    print_all_of(&branch, &off, 60).await;
    assert_eq!(off.everything(), "");
    assert_eq!(jobs(&house.owner, "&status=EXPIRED").await.len(), 50);
}

async fn print_all_of(branch: &Branch, printer: &Printer, steps: usize) {
    for _ in 0..steps {
        step(&branch.db, &printer.address, &press(branch)).await.unwrap();
    }
}

#[tokio::test]
async fn a_drawer_that_may_have_opened_is_not_opened_again() {
    let branch = Branch::start().await;
    let house = House::open(&branch).await;
    let printer = Printer::start().await;
    add(&house.owner, &printer, json!({"drawer": true, "autoPrint": "NEVER"})).await;
    let (outlet, actor) = (branch.outlet_id, Actor::system(branch.outlet_id));
    for at in 0..30 {
        let (before, actor) = (printer.kicks(), actor.clone());
        let open = branch.db.write(move |tx| -> Result<(), DbError> {
            let till = store::list_all(tx, outlet)?.remove(0);
            actions::open_drawer(tx, &actor, &till, None).map(drop)
        });
        open.await.unwrap();
        printer.cut_line_after(at);
        print_all(&branch, &printer).await;
        let job = jobs(&house.owner, "").await[0].clone();
        let opened = printer.kicks() - before;
        assert!(opened <= 1, "cut after {at}: opened {opened} times");
        assert!(job["status"] == "FAILED" || opened == 1, "cut after {at}: {job}");
    }
}

#[tokio::test]
async fn a_printer_that_says_nothing_prints_without_being_believed() {
    let branch = Branch::start().await;
    let house = House::open(&branch).await;
    let printer = Printer::start().await;
    printer.deaf(true);
    let made = add(&house.owner, &printer, json!({"profile": "GENERIC"})).await;
    queue(&branch, &printer, Some(id(&made).parse().unwrap()), vec![Row::Plain("Poha".into())]).await;
    print_all(&branch, &printer).await;
    let job = jobs(&house.owner, "").await[0].clone();
    assert_eq!((&job["status"], &job["confirmed"]), (&json!("DONE"), &json!(false)));
    assert_eq!(counts(&printer.everything(), "Poha"), (1, 0));
}

#[tokio::test]
async fn a_job_says_how_often_it_was_tried_and_the_list_shows_several_states_at_once() {
    let branch = Branch::start().await;
    let house = House::open(&branch).await;
    let printer = Printer::start().await;
    let made = add(&house.owner, &printer, json!({})).await;
    printer.offline(true);
    queue(&branch, &printer, Some(id(&made).parse().unwrap()), vec![Row::Plain("Poha".into())]).await;
    for tries in 1..=2 {
        step(&branch.db, &printer.address, &press(&branch)).await.unwrap();
        let job = jobs(&house.owner, "&status=QUEUED,SENT").await.remove(0);
        assert_eq!((&job["tries"], &job["status"]), (&json!(tries), &json!("QUEUED")), "{job}");
        assert!(job["lastError"].is_string(), "{job}");
        branch.pass(31_000);
    }
    assert!(jobs(&house.owner, "&status=DONE,FAILED").await.is_empty());
    printer.offline(false);
    print_all(&branch, &printer).await;
    let job = jobs(&house.owner, "&status=DONE,FAILED").await.remove(0);
    assert_eq!((&job["tries"], &job["lastError"]), (&json!(2), &json!(null)), "{job}");
    let refused = house.owner.get("/print-jobs?status=DONE,BURNT").await.refused(400, "BAD_REQUEST");
    assert_eq!(refused.invalid_fields(), ["status"]);
}

#[tokio::test]
async fn one_dead_printer_delays_no_other_while_the_workers_run() {
    let branch = Branch::start().await;
    let house = House::open(&branch).await;
    let (off, on) = (Printer::start().await, Printer::start().await);
    off.offline(true);
    queue(&branch, &off, None, vec![Row::Plain("Never".into())]).await;
    queue(&branch, &on, None, vec![Row::Plain("At once".into())]).await;
    let config = Config::resolve(&Sources::default()).unwrap();
    let _workers = app::start_workers(branch.state(), &config);
    let done = async || (jobs(&house.owner, "&status=DONE").await.len() == 1).then_some(());
    tiffin_tests::until("the other printer prints", done).await;
    assert_eq!(counts(&on.everything(), "At once"), (1, 0));
    assert_eq!(off.everything(), "");
}
