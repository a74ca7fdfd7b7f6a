//! Questions as they are asked, and what they are understood as.

use super::super::plan::By;
use super::*;
use std::collections::HashSet;

/// A Friday.
fn today() -> NaiveDate {
    NaiveDate::from_ymd_opt(2026, 11, 20).unwrap()
}

/// Questions, their topic, the thing they name, and their days.
const ASKED: &[(&str, &str, &str, &str)] = &[
    ("What were our sales yesterday?", "sales", "", "yesterday"),
    ("revenue today", "sales", "", "today"),
    ("how much did we make last week?", "sales", "", "last week"),
    ("How much have we sold so far today?", "sales", "", "today"),
    ("how was business on friday", "sales", "", "on Friday 20 November 2026"),
    ("how are we doing today", "sales", "", "today"),
    ("whats the takings for october", "sales", "", "in October 2026"),
    ("slaes yesterdy", "sales", "", "yesterday"),
    ("gross sales this month", "gross sales", "", "this month"),
    ("How many orders did we have today?", "orders", "", "today"),
    ("number of bills this week", "orders", "", "this week"),
    ("What's the average bill value this month?", "average bill", "", "this month"),
    ("average spend per guest yesterday", "per guest", "", "yesterday"),
    ("takeaway sales today", "takeaway", "", "today"),
    ("how many parcel orders yesterday", "takeaway", "", "yesterday"),
    ("delivery revenue this week", "delivery orders", "", "this week"),
    ("dine-in sales yesterday", "dine in", "", "yesterday"),
    ("how many orders were cancelled today", "cancelled orders", "", "today"),
    ("how much cash is in the drawer", "cash in drawer", "", "today"),
    ("gst payable last month", "tax", "", "last month"),
    ("how many guests last 7 days", "guests", "", "in the last 7 days"),
    ("footfall yesterday", "guests", "", "yesterday"),
    ("What is our food cost percentage this month?", "food cost", "", "this month"),
    ("food cost % last week", "food cost", "", "last week"),
    ("cogs today", "food cost", "", "today"),
    ("Why is food cost up?", "why food cost", "", "this week"),
    ("why has our food cost gone up this month", "why food cost", "", "this month"),
    ("labor cost percentage this week", "labour cost", "", "this week"),
    ("how much are we spending on staff this month?", "labour cost", "", "this month"),
    ("prime cost last month", "prime cost", "", "last month"),
    ("did we make a profit last month?", "profit", "", "last month"),
    ("are we losing money this week", "profit", "", "this week"),
    ("gross profit this week", "gross profit", "", "this week"),
    ("tips today", "tips", "", "today"),
    ("how much service charge did we collect", "service charge", "", "today"),
    ("how much did we refund this week?", "refunds", "", "this week"),
    ("table turns today", "table turns", "", "today"),
    ("how long do guests stay at a table", "seating time", "", "today"),
    ("What are our best sellers this week?", "best sellers", "", "this week"),
    ("top 3 dishes by revenue last month", "best sellers", "", "last month"),
    ("which items sell the least?", "best sellers", "", "this week"),
    ("worst selling dishes this month", "best sellers", "", "this month"),
    ("most profitable dishes", "best sellers", "", "this week"),
    ("What did we sell today?", "best sellers", "", "today"),
    ("what have we sold this month", "best sellers", "", "this month"),
    ("compare this week with last week", "sales", "", "this week"),
    ("do we have enough chicken?", "stock level", "chicken", "today"),
    ("any kitchen delays?", "late tickets", "", "today"),
    ("what sells best on friday", "best sellers", "", "on Friday 20 November 2026"),
    ("How many butter chicken did we sell this week?", "dish sales", "butter chicken", "this week"),
    ("how many lassis were sold yesterday", "dish sales", "lassis", "yesterday"),
    ("sales of paneer tikka last month", "dish sales", "paneer tikka", "last month"),
    ("margin on dal", "dish sales", "dal", "today"),
    ("which dishes should we drop from the menu", "menu engineering", "", "in the last 30 days"),
    ("what are our stars and dogs", "menu engineering", "", "in the last 30 days"),
    ("when are we busiest?", "busiest hour", "", "this week"),
    ("what is our peak hour", "busiest hour", "", "this week"),
    ("which was our best day this month", "best day", "", "this month"),
    ("How much paneer do we have?", "stock level", "paneer", "today"),
    ("how much panner is left", "stock level", "panner", "today"),
    ("do we have any chicken left?", "stock level", "chicken", "today"),
    ("tomatoes in stock", "stock level", "tomatoes", "today"),
    ("What is running low?", "low stock", "", "today"),
    ("what do we need to order", "low stock", "", "today"),
    ("low stock items", "low stock", "", "today"),
    ("what ingredients are out of stock?", "low stock", "", "today"),
    ("is anything expired", "expired", "", "today"),
    ("What expires tomorrow?", "expiring", "", "tomorrow"),
    ("which batches are expiring this week", "expiring", "", "this week"),
    ("how much is our stock worth", "stock value", "", "today"),
    ("inventory value", "stock value", "", "today"),
    ("what did we waste this week?", "waste", "", "this week"),
    ("how much food did we throw away yesterday", "waste", "", "yesterday"),
    ("waste by reason last month", "waste", "", "last month"),
    ("wastage of tomatoes this week", "waste", "tomatoes", "this week"),
    ("is any stock missing", "stock variance", "", "this week"),
    ("show me the variance this month", "stock variance", "", "this month"),
    ("who is on shift now?", "staff on shift", "", "today"),
    ("who's working right now", "staff on shift", "", "today"),
    ("how many people are clocked in", "staff on shift", "", "today"),
    ("who came late today?", "late staff", "", "today"),
    ("which employees were late this week", "late staff", "", "this week"),
    ("who is absent today", "absent staff", "", "today"),
    ("who did not show up yesterday", "absent staff", "", "yesterday"),
    ("any overtime this week?", "overtime", "", "this week"),
    ("how many hours did Meera work last week", "hours worked", "meera", "last week"),
    ("timesheet for this week", "hours worked", "", "this week"),
    ("who works tomorrow?", "roster", "", "tomorrow"),
    ("who will be working on saturday?", "roster", "", "on Saturday 21 November 2026"),
    ("who's working next week", "roster", "", "next week"),
    ("who worked yesterday", "hours worked", "", "yesterday"),
    ("roster for saturday", "roster", "", "on Saturday 21 November 2026"),
    ("who is on leave next week", "leave", "", "next week"),
    ("Which kitchen tickets are late?", "late tickets", "", "today"),
    ("are any orders late", "late tickets", "", "today"),
    ("how many tickets does the kitchen have open", "kitchen queue", "", "today"),
    ("how long does the kitchen take", "preparation times", "", "today"),
    ("average prep time yesterday", "preparation times", "", "yesterday"),
    ("slowest dishes today", "preparation times", "", "today"),
    ("how much was paid by card today", "payments", "", "today"),
    ("payments by method this week", "payments", "", "this week"),
    ("how much cash did we take yesterday", "payments", "", "yesterday"),
    ("how much GST did we collect last month", "tax", "", "last month"),
    ("what discounts did we give this week", "discounts", "", "this week"),
    ("how many voids yesterday?", "voids", "", "yesterday"),
    ("was the drawer short yesterday", "cash drawers", "", "yesterday"),
    ("cash over or short today", "cash drawers", "", "today"),
    ("which orders are still open?", "open orders", "", "today"),
    ("unpaid bills", "open orders", "", "today"),
    ("which deliveries are we expecting?", "purchase orders", "", "today"),
    ("open purchase orders", "purchase orders", "", "today"),
    ("how much did we spend on purchases last month", "purchases", "", "last month"),
    ("what did we buy this week", "purchases", "", "this week"),
    ("how reliable are our suppliers", "suppliers", "", "today"),
    ("lead time of Green Farms", "suppliers", "green farms", "today"),
    ("how many portions of dal can we make", "portions", "dal", "today"),
    ("which dishes are sold out", "sold out", "", "today"),
    ("what is our average rating this month", "feedback", "", "this month"),
    ("what do guests say about us", "feedback", "", "in the last 30 days"),
];

#[test]
fn questions_are_understood_as_they_are_meant() {
    let mut wrong = Vec::new();
    for (question, topic, subject, days) in ASKED {
        let plan = parse(question, None, today());
        let found = plan.map(|plan| (plan.topic, plan.subject, plan.period.name));
        let wanted = Some(((*topic).to_owned(), (*subject).to_owned(), (*days).to_owned()));
        if found != wanted {
            wrong.push(format!("{question}: {found:?}"));
        }
    }
    assert!(wrong.is_empty(), "{} of {}:\n{}", wrong.len(), ASKED.len(), wrong.join("\n"));
}

#[test]
fn every_example_leads_to_its_topic() {
    for topic in topics::all() {
        let plan = parse(topic.example(), None, today()).unwrap_or_else(|| panic!("{}", topic.example()));
        assert_eq!(plan.topic, topic.name, "{}", topic.example());
        assert!(topics::named(topic.name).is_some() && !(topic.asks)(&plan).is_empty());
    }
    let names: Vec<_> = topics::all().map(|topic| topic.name).collect();
    assert_eq!(names.iter().collect::<HashSet<_>>().len(), names.len(), "a name is used twice");
}

#[test]
fn comparisons_name_two_periods() {
    for (question, period, against) in [
        ("sales this week vs last week", "this week", "last week"),
        ("compare sales today with yesterday", "today", "yesterday"),
        ("how were sales compared to last week?", "this week", "the same days of last week"),
        ("are sales today better than yesterday", "today", "yesterday"),
        ("sales in october compared with september", "in October 2026", "in September 2026"),
        ("are sales up this week", "this week", "the same days of last week"),
        ("compare last month's revenue", "last month", "in September 2026"),
        ("waste this month vs last month", "this month", "last month"),
    ] {
        let plan = parse(question, None, today()).unwrap_or_else(|| panic!("{question}"));
        let found = (plan.period.name.as_str(), plan.against.as_ref().map(|period| period.name.as_str()));
        assert_eq!(found, (period, Some(against)), "{question}");
    }
    let range = parse("sales from 1 november to 7 november", None, today()).unwrap();
    assert_eq!(
        (range.period.name.as_str(), range.against),
        ("from 1 November 2026 to 7 November 2026", None)
    );
}

#[test]
fn a_follow_up_changes_only_what_it_names() {
    let first = parse("top 3 dishes by revenue this week", None, today()).unwrap();
    let next = parse("and last week?", Some(&first), today()).unwrap();
    assert_eq!(
        (next.topic.as_str(), next.period.name.as_str(), next.top, next.by),
        ("best sellers", "last week", Some(3), Some(By::Revenue))
    );
    let next = parse("by margin?", Some(&next), today()).unwrap();
    assert_eq!((next.period.name.as_str(), next.by), ("last week", Some(By::Margin)));
    let stock = parse("how much paneer is left?", None, today()).unwrap();
    let next = parse("and rice?", Some(&stock), today()).unwrap();
    assert_eq!((next.topic.as_str(), next.subject.as_str()), ("stock level", "rice"));
    let next = parse("sales yesterday", Some(&stock), today()).unwrap();
    assert_eq!(next.topic, "sales");
    assert_eq!(parse("thanks", Some(&stock), today()), None);
}

#[test]
fn what_is_no_question_about_figures_is_not_understood() {
    for question in [
        "hello",
        "what is the meaning of life",
        "write me a poem",
        "DROP TABLE users",
        "sales by waiter yesterday",
        "what will our sales be tomorrow",
        "tax on alcohol yesterday",
        "how many chairs have guests",
        "🍛",
        "?",
        "yesterday",
        "paneer",
    ] {
        assert_eq!(parse(question, None, today()), None, "{question}");
    }
}

proptest::proptest! {
    /// Whatever somebody types, on whatever day, has an answer or none, and days in their order.
    #[test]
    fn no_question_breaks_it(
        noise in ".{0,60}",
        picked in proptest::collection::vec(0usize..400, 0..12),
        day in 0i64..40_000,
    ) {
        let words: Vec<&str> = ASKED.iter().flat_map(|(question, ..)| question.split(' ')).collect();
        let picked: Vec<&str> = picked.iter().map(|n| words[n % words.len()]).collect();
        let today = NaiveDate::from_ymd_opt(1970, 1, 1).unwrap() + chrono::Duration::days(day);
        let mut before = None;
        for question in [noise.clone(), picked.join(" "), format!("{} {noise}", picked.join(" "))] {
            if let Some(plan) = parse(&question, before.as_ref(), today) {
                proptest::prop_assert!(plan.period.from <= plan.period.to, "{question}: {plan:?}");
                let topic = topics::named(&plan.topic).unwrap();
                proptest::prop_assert!(!(topic.asks)(&plan).is_empty() || plan.period.before().is_none());
                before = Some(plan);
            }
        }
    }
}
