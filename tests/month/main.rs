//! A month over HTTP: deliveries, sales, waste, counts, punches, leave and wages, in a zone whose clocks go forward in it; and
//! then every figure of the reports against books this test kept by itself. `TIFFIN_MONTH_SEED` draws another month.

mod accounts;
mod books;
mod calendar;
mod checks;
mod plan;
mod service;
mod staff;
mod store_room;

use books::{Batch, Books};
use calendar::{at, business_date, utc};
use edge::access::Role;
use plan::{Event, Plan};
use serde_json::{Value, json};
use service::Sale;
use std::collections::BTreeMap;
use tiffin_tests::{Branch, Client, House, figures::OPENING};

/// The restaurant, the plan and the books.
struct Month {
    branch: Branch,
    house: House,
    plan: Plan,
    books: Books,
    people: People,
    /// By the place of its visit in the plan.
    sales: BTreeMap<usize, Sale>,
    staff: Vec<staff::Worker>,
    /// The clock-ins, by the place of their duty in the plan.
    punches: BTreeMap<usize, String>,
    /// Minutes and cents an employee has been paid for a business date.
    paid: BTreeMap<(usize, String), (i64, i64)>,
    supplier: String,
    /// What Friday's delivery left for Saturday: the order, and per item the quantity and its price.
    owed: Option<store_room::Owed>,
    now: i64,
}

/// Who is signed in today.
struct People {
    manager: Client,
    cashier: Client,
    waiter: Client,
    terminal: Client,
}

impl People {
    fn sign_in(branch: &Branch) -> People {
        People {
            manager: branch.sign_in(Role::Manager),
            cashier: branch.sign_in(Role::Cashier),
            waiter: branch.sign_in(Role::Waiter),
            terminal: branch.sign_in(Role::Terminal),
        }
    }
}

fn id(record: &Value) -> &str {
    record["id"].as_str().unwrap()
}

/// Millionths as a JSON number.
fn amount(millionths: i64) -> Value {
    let (sign, size) = (if millionths < 0 { "-" } else { "" }, millionths.unsigned_abs());
    let text = format!("{sign}{}.{:06}", size / 1_000_000, size % 1_000_000);
    serde_json::from_str(text.trim_end_matches('0').trim_end_matches('.')).unwrap()
}

impl Month {
    async fn begin(seed: u64) -> Month {
        let branch = Branch::start().await;
        let house = House::open(&branch).await;
        let terms = json!({"serviceCharge": {"bps": 500, "automatic": true, "orderTypes": ["DINE_IN", "TAKEAWAY", "DELIVERY", "COUNTER"]}, "cashRoundingCents": 100, "timezone": "Europe/Berlin",
            // An hour is paid as any other; what overtime pays has tests of its own.
            "overtime": {"dailyMinutes": null, "weeklyMinutes": null, "multiplierBps": 10_000}});
        house.owner.patch(&format!("/outlets/{}", branch.outlet_id), terms).await.expect(200);
        let supplier = json!({"name": "Market", "leadTimeDays": 1});
        let supplier = house.owner.post("/inventory/suppliers", supplier).await.expect(201).data();
        let crates = json!({"unitConversions": [{"unit": "crate", "factor": 10}]});
        let tomatoes = format!("/inventory/items/{}", house.stock("Tomatoes"));
        house.owner.patch(&tomatoes, crates).await.expect(200);
        let staff = staff::hire(&house.owner).await;
        let mut books = Books::default();
        for (item, batches) in OPENING {
            for (i, (left, cents, expiry)) in batches.iter().enumerate() {
                let number = format!("{item}-{}", i + 1);
                let batch = Batch { number, left: *left, cents: *cents, expiry: expiry.map(str::to_owned) };
                books.receive(item, batch);
            }
        }
        let people = People::sign_in(&branch);
        let mut month = Month {
            branch,
            house,
            plan: Plan::draw(seed),
            books,
            people,
            sales: BTreeMap::new(),
            staff,
            punches: BTreeMap::new(),
            paid: BTreeMap::new(),
            supplier: id(&supplier).to_owned(),
            owed: None,
            now: 0,
        };
        month.set(at(1, 5, 0));
        month.plan_roster().await;
        month
    }

    /// Lets the clock stand at `minute`; everybody signs in anew on every business date.
    fn set(&mut self, minute: i64) {
        let before = std::mem::replace(&mut self.now, minute);
        self.branch.at(&utc(minute));
        if business_date(before) != business_date(minute) {
            self.people = People::sign_in(&self.branch);
        }
    }

    /// The business date of this moment.
    fn today(&self) -> String {
        business_date(self.now)
    }

    async fn happen(&mut self, event: Event) {
        match event {
            Event::Morning(day) => {
                self.throw_away_expired().await;
                self.buy(day).await;
            }
            Event::Open(visit) => self.serve(visit).await,
            Event::Close(visit) => self.close(visit).await,
            Event::GiveBack(visit) => self.give_back(visit).await,
            Event::Punch(duty, kind) => self.punch(duty, kind).await,
            Event::Remember(duty) => self.remember(duty).await,
            Event::Correct(duty) => self.correct(duty).await,
            Event::Raise { employee, cents } => self.raise(employee, cents).await,
            Event::Waste(day) => self.throw_away(day).await,
            Event::Count(day) => self.count(day).await,
            Event::Spill => self.spill().await,
            Event::Leave => self.take_leave().await,
            Event::DayClose(day) => self.close_day(day).await,
        }
    }
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_month_adds_up_to_the_cent() {
    let seed = std::env::var("TIFFIN_MONTH_SEED").map_or(1, |text| text.parse().unwrap());
    println!("again with: TIFFIN_MONTH_SEED={seed} cargo nextest run -p tiffin-tests --test month");
    let mut month = Month::begin(seed).await;
    for (minute, event) in std::mem::take(&mut month.plan.events) {
        month.set(minute);
        month.happen(event).await;
    }
    month.set(at(32, 12, 0));
    month.check().await;
}
