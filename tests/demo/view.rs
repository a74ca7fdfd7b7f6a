//! The live view: each branch and head office in a table, the backlog as a curve. Never asks faster than the eye sees.

use crate::watch::{Seen, Watch};
use crate::world::World;
use ratatui::Frame;
use ratatui::crossterm::event::{self, Event, KeyCode, KeyModifiers};
use ratatui::layout::{Constraint, Layout};
use ratatui::style::{Color, Style, Stylize};
use ratatui::text::Line;
use ratatui::widgets::{Block, Cell, Paragraph, Row, Sparkline, Table};
use std::collections::VecDeque;
use std::time::{Duration, Instant};

/// How often everything is asked and drawn.
const EVERY: Duration = Duration::from_millis(500);
/// How much of the backlog's past is drawn.
const PAST: usize = 240;

/// Draws until `seconds` have passed or somebody presses `q`.
pub async fn run(watch: &Watch, world: &World, seconds: Option<u64>) -> Result<(), String> {
    let mut terminal = ratatui::try_init().map_err(|error| error.to_string())?;
    let began = Instant::now();
    let mut past: Vec<VecDeque<u64>> = vec![VecDeque::new(); world.branches.len()];
    let look_at = world.how_to_look();
    let outcome = loop {
        let seen = watch.look().await;
        for (past, seen) in past.iter_mut().zip(&seen) {
            past.push_front(seen.waiting.unwrap_or_default().unsigned_abs());
            past.truncate(PAST);
        }
        if let Err(error) = terminal.draw(|frame| draw(frame, &seen, &past, &look_at, began.elapsed())) {
            break Err(error.to_string());
        }
        if seconds.is_some_and(|seconds| began.elapsed().as_secs() >= seconds) || quit() {
            break Ok(());
        }
        tokio::time::sleep(EVERY).await;
    };
    ratatui::restore();
    outcome
}

/// Whether somebody asked to end it.
fn quit() -> bool {
    let mut asked = false;
    while event::poll(Duration::ZERO).unwrap_or(false) {
        if let Ok(Event::Key(key)) = event::read() {
            let ctrl_c = key.code == KeyCode::Char('c') && key.modifiers.contains(KeyModifiers::CONTROL);
            asked |= ctrl_c || matches!(key.code, KeyCode::Char('q') | KeyCode::Esc);
        }
    }
    asked
}

fn draw(frame: &mut Frame<'_>, seen: &[Seen], past: &[VecDeque<u64>], look_at: &str, since: Duration) {
    let curves = u16::try_from(seen.len()).unwrap_or(u16::MAX).saturating_mul(6);
    let [top, table, below, foot] = Layout::vertical([
        Constraint::Length(7),
        Constraint::Length(5),
        Constraint::Length(curves),
        Constraint::Min(1),
    ])
    .areas(frame.area());
    let heading = format!("Tiffin: two branches, one head office   {} s   q ends it", since.as_secs());
    frame.render_widget(Paragraph::new(look_at).block(Block::bordered().title(heading.bold())), top);
    frame.render_widget(branches(seen), table);
    let places = Layout::vertical(vec![Constraint::Length(6); seen.len()]).split(below);
    for ((seen, past), place) in seen.iter().zip(past).zip(places.iter()) {
        let title = format!(" {}: log rows waiting for head office ", seen.name);
        let colour = if seen.link_up { Color::Green } else { Color::Red };
        let curve = Sparkline::default()
            .block(Block::bordered().title(title))
            .style(Style::default().fg(colour))
            .data(past.iter().copied().collect::<Vec<_>>());
        frame.render_widget(curve, *place);
    }
    let words = if seen.iter().all(|seen| seen.link_up) {
        Line::from("Every sale is at head office a moment after it is confirmed in the branch.").green()
    } else {
        Line::from("One branch is cut off. Watch it sell on: its orders are as quick as before.").red()
    };
    frame.render_widget(Paragraph::new(words), foot);
}

fn branches(seen: &[Seen]) -> Table<'static> {
    let head = [
        "branch",
        "internet",
        "orders",
        "sold",
        "an order takes",
        "failed",
        "waiting",
        "sent",
        "digest",
        "head office sees it",
    ];
    let rows = seen.iter().map(|seen| {
        let link = if seen.link_up { Cell::from("up").green() } else { Cell::from("CUT").red().bold() };
        let online = match seen.online {
            Some(true) => "online",
            Some(false) => "offline",
            None => "–",
        };
        Row::new([
            Cell::from(seen.name),
            link,
            Cell::from(seen.orders.to_string()),
            Cell::from(format!("{}.{:02}", seen.cents / 100, seen.cents % 100)),
            Cell::from(format!("{}.{} ms", seen.micros / 1_000, seen.micros % 1_000 / 100)),
            Cell::from(seen.failed.to_string()),
            Cell::from(seen.waiting.map_or("?".to_owned(), |rows| rows.to_string())),
            Cell::from(format!("{} kB", seen.bytes_up / 1_000)),
            Cell::from(seen.digest.clone()),
            Cell::from(online),
        ])
    });
    let widths = [12, 8, 7, 11, 14, 6, 8, 9, 6, 19].map(Constraint::Length);
    Table::new(rows, widths).header(Row::new(head).bold()).block(Block::bordered())
}
