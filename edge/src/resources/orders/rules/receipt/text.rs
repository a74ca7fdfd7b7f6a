//! A receipt as plain text of fixed width. Never wider than the paper.

use super::{Row, WIDTH};

/// The rows as text.
pub fn text(rows: &[Row]) -> String {
    let mut page = String::new();
    for row in rows {
        for line in lines(row, WIDTH) {
            page.push_str(line.trim_end());
            page.push('\n');
        }
    }
    page
}

/// A row as lines of at most `width` characters.
pub(super) fn lines(row: &Row, width: usize) -> Vec<String> {
    match row {
        Row::Title(text) | Row::Centre(text) => {
            wrap(text, width).into_iter().map(|l| format!("{l:^width$}")).collect()
        }
        Row::Plain(text) => wrap(text, width),
        Row::Pair(left, right) | Row::Strong(left, right) => pair(left, right, width),
        Row::Rule => vec!["-".repeat(width)],
    }
}

/// `left` and `right` on one line; a long left part goes above.
fn pair(left: &str, right: &str, width: usize) -> Vec<String> {
    let used = right.chars().count();
    let room = width.saturating_sub(used).saturating_sub(1);
    if left.chars().count() <= room {
        let gap = width.saturating_sub(left.chars().count()).saturating_sub(used);
        return vec![format!("{left}{}{right}", " ".repeat(gap))];
    }
    let mut lines = wrap(left, width);
    lines.extend(wrap(right, width).into_iter().map(|line| format!("{line:>width$}")));
    lines
}

/// `text` broken at spaces; a word longer than the paper is cut.
fn wrap(text: &str, width: usize) -> Vec<String> {
    let indent: String = text.chars().take_while(|c| *c == ' ').collect();
    let mut lines = Vec::new();
    let mut line = indent.clone();
    for word in text.split_whitespace() {
        let word: String = word.chars().take(width.saturating_sub(indent.len())).collect();
        let fits =
            line.chars().count() + usize::from(line.len() > indent.len()) + word.chars().count() <= width;
        if !fits {
            lines.push(std::mem::replace(&mut line, indent.clone()));
        }
        if line.len() > indent.len() {
            line.push(' ');
        }
        line.push_str(&word);
    }
    lines.push(line);
    lines
}
