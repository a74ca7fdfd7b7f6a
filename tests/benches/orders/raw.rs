//! Group commits alone, as a process of its own: for each line `CONNECTIONS MILLISECONDS` on its input it takes orders for so long
//! and answers with the figures, as JSON. Never speaks HTTP.

use super::Taker;
use super::group::Group;
use super::load::measure;
use super::plan::Plan;
use super::usage::Usage;
use std::path::Path;
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::Duration;

pub(super) async fn serve(plan: &Path, database: &Path) {
    let plan = Arc::new(Plan::read(plan));
    let group = Group::start(Arc::clone(&plan), database);
    let taker = Rows { group, next: Arc::default(), orders: plan.orders.len() };
    for line in std::io::stdin().lines() {
        let line = line.unwrap();
        let (connections, millis) = line.split_once(' ').unwrap();
        let (takers, long) = (vec![taker.clone(); connections.parse().unwrap()], millis.parse().unwrap());
        let usage = || Usage::of(std::process::id());
        let figures = measure(takers, Duration::from_millis(long), usage).await;
        println!("{}", serde_json::to_string(&figures).unwrap());
    }
}

#[derive(Clone)]
struct Rows {
    group: Group,
    next: Arc<AtomicUsize>,
    orders: usize,
}

impl Taker for Rows {
    async fn take(&mut self) {
        self.group.write(self.next.fetch_add(1, Ordering::Relaxed) % self.orders).await;
    }
}
